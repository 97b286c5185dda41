"""PubMed and PMC queries, what PubMed makes of them, and the calls that follow."""

from __future__ import annotations

from collections import Counter

import pytest
import source_answers as answers
from openwork_contracts.errors import FailureReason, SourceChanged, SourceRefused, SourceUnavailable
from openwork_contracts.pipelines import ANSWER, REVIEW, pipeline_named
from openwork_http.limits import BudgetUsedUp
from openwork_http.messages import HttpRequest, HttpResponse
from openwork_http.turns import Urgency
from openwork_language.searching.ladder import strategy_of
from openwork_retrievers.adapters.ncbi.adapter import NcbiAdapter, NcbiForm
from openwork_retrievers.adapters.ncbi.esearch import dropped_concepts, parse_esearch
from openwork_retrievers.adapters.ncbi.links import parse_elink, parse_epost, parse_esummary
from openwork_retrievers.adapters.ncbi.query import ladder
from openwork_retrievers.adapters.ports import Identity, SourceResult
from openwork_retrievers.domain.rendering import groups_of
from source_fakes import NOW, ScriptedHttp, analysis, ok, search_request


def test_dropped_synonym_changes_nothing_but_a_dropped_concept_does() -> None:
    strategy = strategy_of(analysis())
    known = groups_of(strategy, strategy.rungs[0])
    whole = parse_esearch(
        "pubmed",
        answers.esearch(
            "1",
            translation='"apixaban"[nm] AND "atrial fibrillation"[MeSH Terms] AND "warfarin"[MeSH Terms]',
            warnings={"quotedphrasesnotfound": ['"Eliquis"[tiab]']},
        ).encode(),
    )
    assert dropped_concepts(whole, known) == ()
    assert whole.warnings == ('not found, left out: "Eliquis"[tiab]',)
    part = parse_esearch(
        "pubmed",
        answers.esearch(
            "1",
            translation='"atrial fibrillation"[MeSH Terms] AND "warfarin"[MeSH Terms]',
            errors={"phrasesnotfound": ["apixaban", "eliquis"]},
        ).encode(),
    )
    assert dropped_concepts(part, known) == ("apixaban",)


def test_esearch_xml_tells_the_same_as_json() -> None:
    body = (
        b"<?xml version='1.0'?><eSearchResult><Count>0</Count><IdList/><QueryTranslation>(abc[All Fields])"
        b"</QueryTranslation><ErrorList><PhraseNotFound>abc</PhraseNotFound></ErrorList><WarningList>"
        b"<OutputMessage>No items found.</OutputMessage></WarningList></eSearchResult>"
    )
    answer = parse_esearch("pubmed", body)
    assert (answer.count, answer.dropped) == (0, ("abc",))
    assert "No items found." in answer.warnings
    with pytest.raises(SourceRefused):
        parse_esearch("pubmed", b"<eSearchResult><ERROR>Invalid db name specified: x</ERROR></eSearchResult>")


async def run(
    rules: dict[str, list[tuple[int, bytes]]],
    *,
    limit: int = 20,
    form: NcbiForm | None = None,
    pipeline: str = ANSWER,
    round_: int = 1,
) -> tuple[SourceResult, ScriptedHttp]:
    http = ScriptedHttp(rules)
    adapter = NcbiAdapter("https://eutils.example", Identity(), form or NcbiForm())
    return await adapter.search(search_request(limit=limit, pipeline=pipeline, round_=round_), http), http


def many(n: int, start: int = 1000) -> list[str]:
    return [str(start + i) for i in range(n)]


def calls_of(http: ScriptedHttp) -> list[str]:
    return [request.url.rsplit("/", 1)[-1].removesuffix(".fcgi") for request in http.asked]


def not_asked(result: SourceResult) -> list[str]:
    return [entry.not_asked for entry in result.log if entry.not_asked]


async def test_an_answer_takes_one_search_and_one_read_where_the_strict_rung_finds_enough() -> None:
    """Up to 200 records in one EFetch; the rungs that were not needed stand in the log with the reason, no hits."""
    ids = many(143)
    found = {"esearch": [ok(answers.esearch(*ids))], "efetch": [ok(answers.article_set(*map(answers.article, ids)))]}
    result, http = await run(found, limit=200)
    assert calls_of(http) == ["esearch", "efetch"]
    assert len(result.records) == 143
    assert set(not_asked(result)) == {"the rung before found 143 records"}
    skipped = [entry for entry in result.log if entry.not_asked]
    assert len(skipped) == len(ladder(strategy_of(analysis()))) - 1
    assert all(entry.hits is None and entry.fetched == 0 and "esearch" in entry.request for entry in skipped)


async def test_more_records_than_were_asked_for_are_not_read_and_that_is_told() -> None:
    sent = answers.article_set(*map(answers.article, many(500)))
    result, _ = await run({"esearch": [ok(answers.esearch(*many(30)))], "efetch": [ok(sent)]}, limit=200)
    assert [record.source_id for record in result.records] == many(30)
    assert any("the rest was not read" in text for entry in result.log for text in entry.warnings)


async def test_the_next_rung_is_asked_only_when_the_one_before_finds_fewer_than_twenty() -> None:
    for n, searches in ((19, 2), (20, 1)):
        rules = {
            "esearch": [ok(answers.esearch(*many(n))), ok(answers.esearch(*many(25)))],
            "efetch": [ok(answers.article_set(*map(answers.article, many(25))))],
        }
        result, http = await run(rules, limit=200)
        assert calls_of(http) == ["esearch"] * searches + ["efetch"]
        assert any("found 19 records" in text for text in result.degradations) == (n == 19)


async def test_each_rung_says_how_many_of_those_that_it_found_first_were_read() -> None:
    """The broader one finds the 5 of the strict one again, and 20 more, of which one cannot be read."""
    ids = many(25)
    rules = {
        "esearch": [ok(answers.esearch(*ids[:5])), ok(answers.esearch(*ids))],
        "efetch": [ok(answers.article_set(*map(answers.article, ids[:-1])))],
    }
    result, _ = await run(rules, limit=200)
    assert [entry.fetched for entry in result.log if entry.hits is not None] == [5, 19]
    assert [entry.fetched for entry in result.log if "efetch" in entry.request] == [24]
    assert set(not_asked(result)) == {"the rungs before together found 25 records"}


async def test_an_answer_never_asks_a_third_rung_and_a_second_round_no_second() -> None:
    nothing = {"esearch": [ok(answers.esearch())]}
    for round_, most in ((1, 2), (2, 1)):
        result, http = await run(dict(nothing), round_=round_)
        assert calls_of(http) == ["esearch"] * most
        reasons = ("nothing before it", f"at most {most} of them")
        assert all(text.startswith(reasons[0]) or reasons[1] in text for text in not_asked(result))


async def test_records_of_the_strict_rung_come_first_whatever_order_efetch_gives() -> None:
    first, second = answers.esearch("3", "2"), answers.esearch("1", "2", "3")
    fetched = answers.article_set(answers.article("1"), answers.article("2"), answers.article("3"))
    result, _ = await run({"esearch": [ok(first), ok(second)], "efetch": [ok(fetched)]}, limit=3)
    assert [record.source_id for record in result.records] == ["3", "2", "1"]


async def test_five_hundred_records_of_a_review_take_one_epost_and_three_fetches() -> None:
    """Two rungs found them; of what was not read, the counts are in the log."""
    ids = many(500)
    parts = [ok(answers.article_set(*map(answers.article, ids[i : i + 200]))) for i in (0, 200, 400)]
    rules = {
        "esearch": [ok(answers.esearch(*ids[:100])), ok(answers.esearch(*ids))],
        "epost": [ok(answers.EPOST)],
        "efetch": parts,
    }
    result, http = await run(rules, limit=500, pipeline=REVIEW)
    assert [record.source_id for record in result.records] == ids
    made = Counter(calls_of(http))
    assert (made["epost"], made["efetch"]) == (1, 3)
    counted = [entry for entry in result.log if any("only counted" in text for text in entry.warnings)]
    assert counted
    assert all(entry.hits == 500 for entry in counted)


async def test_a_review_makes_at_most_forty_calls_on_its_two_tracks() -> None:
    ids = many(900)
    for found in ([ok(answers.esearch())], [ok(answers.esearch(*ids[:5])), ok(answers.esearch(*ids[:500]))]):
        parts = [ok(answers.article_set(*map(answers.article, ids[i : i + 200]))) for i in (0, 200, 400)]
        _, http = await run(
            {"esearch": found, "epost": [ok(answers.EPOST)], "efetch": parts}, limit=500, pipeline=REVIEW
        )
        assert 2 * len(http.asked) <= 40
    review = pipeline_named(REVIEW)
    assert len(review.tracks) * review.budgets.ncbi_calls_of(1).total == 40


async def test_a_batch_that_cannot_be_read_costs_that_batch_and_its_ids_stand_in_the_log() -> None:
    ids = many(300)
    batches = [ok(answers.article_set(*map(answers.article, ids[:200]))), (502, b"bad gateway")]
    rules = {"esearch": [ok(answers.esearch(*ids))], "epost": [ok(answers.EPOST)], "efetch": batches}
    result, _ = await run(rules, limit=300, pipeline=REVIEW)
    assert len(result.records) == 200
    assert any("100 of 300 records that were found could not be read" in text for text in result.degradations)
    (lost,) = (text for entry in result.log for text in entry.warnings if text.startswith("found, not read"))
    assert lost == f"found, not read: 100 records: {', '.join(ids[200:])}"


async def test_what_was_read_before_an_answer_broke_off_is_kept_and_the_rest_is_named() -> None:
    whole = answers.article_set(*map(answers.article, ("1", "2", "3"))).encode()
    cut = whole[: whole.index(b">3<")]
    result, _ = await run({"esearch": [ok(answers.esearch("1", "2", "3"))], "efetch": [ok(cut)]}, limit=3)
    assert [record.source_id for record in result.records] == ["1", "2"]
    assert any("1 of 3 records that were found could not be read" in text for text in result.degradations)


async def test_ids_whose_read_gets_no_slot_are_in_the_log_of_the_failure_with_whose_limit_it_was() -> None:
    class NoSlot(ScriptedHttp):
        async def send(self, request: HttpRequest) -> HttpResponse:
            if "efetch" in request.url:
                raise BudgetUsedUp("our own budget is used up; ncbi itself did not fail")
            return await super().send(request)

    http = NoSlot({"esearch": [ok(answers.esearch(*many(30)))]})
    with pytest.raises(SourceUnavailable, match=r"30 of 30 records that were found .* our own budget") as told:
        await NcbiAdapter("https://e", Identity(), NcbiForm()).search(search_request(), http)
    assert told.value.reason is FailureReason.OWN_LIMIT
    assert [entry.hits for entry in told.value.log if entry.hits is not None] == [30]
    assert f"found, not read: 30 records: {', '.join(many(30))}" in told.value.log[-1].warnings


async def test_a_broader_rung_without_a_slot_leaves_what_the_strict_one_found() -> None:
    class OneSearch(ScriptedHttp):
        async def send(self, request: HttpRequest) -> HttpResponse:
            if "esearch" in request.url and self.asked:
                raise BudgetUsedUp("our own budget is used up; ncbi itself did not fail")
            return await super().send(request)

    http = OneSearch({"esearch": [ok(answers.esearch("1"))], "efetch": [ok(answers.article_set(answers.article("1")))]})
    result = await NcbiAdapter("https://e", Identity(), NcbiForm()).search(search_request(), http)
    assert [record.source_id for record in result.records] == ["1"]
    assert any("a broader search was not made beside the 1 records" in text for text in result.degradations)
    assert all("our own budget is used up" in text for text in not_asked(result))


async def test_a_search_is_let_in_with_its_read_and_the_read_goes_before_other_searches() -> None:
    ids = many(30)
    found = {"esearch": [ok(answers.esearch(*ids))], "efetch": [ok(answers.article_set(*map(answers.article, ids)))]}
    _, http = await run(found)
    search, read = (request.turn for request in http.asked)
    assert (search.urgency, search.then) == (Urgency.ASK, 1)
    assert (read.urgency, read.then) == (Urgency.READ, 0)


async def test_a_search_of_a_review_is_let_in_with_all_its_reads_and_each_read_says_how_many_are_left() -> None:
    ids = many(500)
    parts = [ok(answers.article_set(*map(answers.article, ids[i : i + 200]))) for i in (0, 200, 400)]
    rules = {
        "esearch": [ok(answers.esearch(*ids[:100])), ok(answers.esearch(*ids))],
        "epost": [ok(answers.EPOST)],
        "efetch": parts,
    }
    _, http = await run(rules, limit=500, pipeline=REVIEW)
    then = {(call, request.turn.then) for call, request in zip(calls_of(http), http.asked, strict=True)}
    assert then == {("esearch", 4), ("esearch", 0), ("epost", 3), ("efetch", 0)}
    assert all(request.turn.urgency is Urgency.SPARE for request in http.asked if "retmax=0" in request.shown())


async def test_search_whose_meaning_was_changed_is_marked_suspect() -> None:
    without = answers.esearch(
        "1", translation='"atrial fibrillation"[MeSH Terms]', errors={"phrasesnotfound": ["apixaban"]}
    )
    result, _ = await run({"esearch": [ok(without)], "efetch": [ok(answers.article_set(answers.article("1")))]})
    assert any(entry.suspect for entry in result.log)
    assert any("no longer asks for apixaban" in text for entry in result.log for text in entry.warnings)


async def test_pmc_records_are_read_from_pubmed_and_those_without_pmid_are_kept() -> None:
    summaries = (
        '{"result": {"uids": ["7", "8"], "7": {"title": "Seven", "articleids": [{"idtype": "pmid", "value": "101"},'
        '{"idtype": "pmcid", "value": "PMC7"}]}, "8": {"title": "Eight", "articleids": '
        '[{"idtype": "pmid", "value": "0"}, {"idtype": "pmcid", "value": "PMC8"}]}}}'
    )
    rules = {
        "esearch": [ok(answers.esearch("7", "8"))],
        "esummary": [ok(summaries)],
        "efetch": [ok(answers.article_set(answers.article("101")))],
    }
    result, http = await run(rules, form=NcbiForm(db="pmc"))
    assert [record.source_id for record in result.records] == ["101", "PMC8"]
    assert calls_of(http) == ["esearch", "esearch", "esummary", "efetch"]
    assert [request.turn.then for request in http.asked] == [2, 2, 1, 0]
    assert [entry.fetched for entry in result.log if entry.hits is not None] == [2, 0]


def test_eutils_errors_inside_normal_answers_are_errors() -> None:
    with pytest.raises(SourceUnavailable, match="rate limit"):
        parse_esummary("pubmed", b'{"error":"API rate limit exceeded"}', NOW)
    with pytest.raises(SourceRefused):
        parse_epost("pubmed", b"<ePostResult><ERROR>Wrong UID</ERROR><ERROR>No valid uid</ERROR></ePostResult>")
    with pytest.raises(SourceRefused):
        parse_esummary("pubmed", b"<eSummaryResult><ERROR>Invalid uid 999999999</ERROR></eSummaryResult>", NOW)
    with pytest.raises(SourceChanged):
        parse_elink("pubmed", b"<eSummaryResult/>")


def elink(inner: str, ids: str = "<IdList><Id>1</Id></IdList>") -> str:
    return f"<eLinkResult><LinkSet><DbFrom>pubmed</DbFrom>{ids}{inner}</LinkSet></eLinkResult>"


def test_every_shape_of_elink_is_read() -> None:
    neighbour = "<LinkSetDb><DbTo>pmc</DbTo><LinkName>pubmed_pmc</LinkName><Link><Id>9</Id></Link></LinkSetDb>"
    grouped = parse_elink("pubmed", elink(neighbour, "<IdList><Id>1</Id><Id>2</Id></IdList>").encode())[0]
    assert (grouped.from_ids, grouped.targets) == (("1", "2"), ("9",))
    urls = "<IdUrlList><IdUrlSet><Id>1</Id><ObjUrl><Url>https://a.org</Url></ObjUrl></IdUrlSet></IdUrlList>"
    assert parse_elink("pubmed", elink(urls).encode())[0].urls == ("https://a.org",)
    check = '<IdCheckList><Id HasNeighbor="Y">1</Id></IdCheckList>'
    assert parse_elink("pubmed", elink(check).encode())[0].has_links is True
    available = (
        "<IdCheckList><IdLinkSet><Id>1</Id><LinkInfo><LinkName>x</LinkName></LinkInfo></IdLinkSet></IdCheckList>"
    )
    assert parse_elink("pubmed", elink(available).encode())[0].targets == ("x",)
    assert parse_elink("pubmed", elink("").encode()) == ()


async def test_source_that_gives_no_answer_is_not_asked_the_next_rung() -> None:
    http = ScriptedHttp({"esearch": [(503, b"busy")]})
    with pytest.raises(SourceUnavailable):
        await NcbiAdapter("https://e", Identity(), NcbiForm()).search(search_request(), http)
    assert len(http.asked) == 1


async def test_a_query_that_is_refused_leaves_the_next_rung_and_is_told() -> None:
    rules = {
        "esearch": [(400, b"no"), ok(answers.esearch("1", "2"))],
        "efetch": [ok(answers.article_set(answers.article("1"), answers.article("2")))],
    }
    result, _ = await run(rules)
    assert len(result.records) == 2
    assert any("400" in text for text in result.degradations)
    assert any(entry.error for entry in result.log)
