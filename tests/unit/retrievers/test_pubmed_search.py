"""PubMed and PMC queries, what PubMed makes of them, and the calls that follow."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import source_answers as answers
from openwork_contracts.errors import SourceChanged, SourceRefused, SourceUnavailable
from openwork_contracts.question import EntityKind, Intent, Track
from openwork_retrievers.adapters.ncbi.adapter import NcbiAdapter, NcbiForm
from openwork_retrievers.adapters.ncbi.esearch import dropped_concepts, parse_esearch
from openwork_retrievers.adapters.ncbi.links import parse_elink, parse_epost, parse_esummary
from openwork_retrievers.adapters.ncbi.query import HUMANS, plan_queries
from openwork_retrievers.adapters.ports import Identity, SourceResult
from openwork_retrievers.domain.question import concepts, focus_words
from source_fakes import NOW, ScriptedHttp, analysis, entity, ok, search_request


def test_every_concept_is_searched_as_heading_and_in_title_or_abstract() -> None:
    term = plan_queries(analysis()).strict[0].term
    assert '("apixaban"[nm] OR "apixaban"[tiab] OR "Eliquis"[tiab])' in term
    assert '"Atrial Fibrillation"[mh]' in term
    assert '"auricular fibrillation"[tiab]' in term
    assert '"AF"' not in term  # two letters mean too many things


def test_wordings_become_queries_of_concepts_and_their_own_words() -> None:
    """Never the whole wording in quotes, which finds nothing on real questions."""
    terms = [query.term for query in plan_queries(analysis()).strict]
    assert len(terms) == len(set(terms))
    assert any("(warfarin AND major AND bleeding)" in term for term in terms)
    assert not any("apixaban warfarin major bleeding" in term for term in terms)


def test_filters_follow_the_intent_and_the_broad_form_has_none() -> None:
    therapy = plan_queries(analysis())
    assert "randomized controlled trial[pt]" in therapy.strict[0].term
    assert all("randomized" not in query.term for query in therapy.strict[1:])
    mechanism = plan_queries(analysis(intent=Intent.MECHANISM)).strict[0].term
    assert HUMANS not in mechanism
    harms = plan_queries(analysis(intent=Intent.ADVERSE_EVENTS)).strict[0].term
    assert "[pt] OR" in harms.split("NOT")[-1]
    assert "randomized" not in harms
    for query in therapy.broad:
        assert "[la]" not in query.term
        assert "[pt]" not in query.term


def test_date_floor_only_where_recent_evidence_was_asked_for() -> None:
    assert "[dp]" not in plan_queries(analysis()).strict[0].term
    assert "2023:3000[dp]" in plan_queries(analysis(recent_since_year=2023)).strict[0].term


def test_filter_of_the_entry_is_in_every_query_also_the_broad_ones() -> None:
    plan = plan_queries(analysis(), route_filter="cochrane[sb]")
    assert all("(cochrane[sb])" in query.term for query in (*plan.strict, *plan.broad))


def test_falsification_track_asks_for_harm_and_no_effect() -> None:
    assert "no benefit" in plan_queries(analysis(), track=Track.FALSIFICATION).strict[0].term


def test_pmc_has_no_title_and_abstract_tag() -> None:
    plan = plan_queries(analysis(), db="pmc")
    assert all("[tiab]" not in query.term and "[pt]" not in query.term for query in (*plan.strict, *plan.broad))


def test_question_without_entities_is_searched_by_its_telling_words() -> None:
    plan = plan_queries(analysis("How well do antifungals work in onychomycosis?", entities=()))
    assert plan.strict[0].term.startswith("(antifungals AND onychomycosis)")
    assert plan.broad[-1].term == "(onychomycosis)"


def test_one_broad_concept_is_searched_with_the_words_beside_it_and_alone_only_later() -> None:
    cancer = entity(EntityKind.DISEASE, "Neoplasms", "D009369", "cancer")
    plan = plan_queries(analysis("Which cancers does the PMS2 germline mutation cause?", entities=(cancer,)))
    assert all("PMS2" in query.term for query in plan.strict if "apixaban" not in query.term)
    assert plan.broad[1].term == '("Neoplasms"[mh] OR "Neoplasms"[tiab] OR "cancer"[tiab])'


def test_inverted_heading_is_spoken_as_it_is_said() -> None:
    apnea = entity(EntityKind.DISEASE, "Sleep Apnea, Obstructive", "D020181", "Obstructive Sleep Apnea")
    assert concepts(analysis(entities=(apnea,)))[0].spoken == "Obstructive Sleep Apnea"


def test_search_syntax_in_a_question_stays_text() -> None:
    hostile = entity(EntityKind.DRUG, 'a"b) OR all[sb] NOT (c*', None)
    term = plan_queries(analysis('x" OR "y', entities=(hostile,))).unfiltered.term
    assert term == '("a b or all sb not c"[tiab])'


def test_dropped_synonym_changes_nothing_but_a_dropped_concept_does() -> None:
    known = concepts(analysis())
    whole = parse_esearch(
        "pubmed",
        answers.esearch(
            "1",
            translation='"apixaban"[nm] AND "atrial fibrillation"[MeSH Terms]',
            warnings={"quotedphrasesnotfound": ['"Eliquis"[tiab]']},
        ).encode(),
    )
    assert dropped_concepts(whole, known) == ()
    assert whole.warnings == ('not found, left out: "Eliquis"[tiab]',)
    part = parse_esearch(
        "pubmed",
        answers.esearch(
            "1", translation='"atrial fibrillation"[MeSH Terms]', errors={"phrasesnotfound": ["apixaban", "eliquis"]}
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
    rules: dict[str, list[tuple[int, bytes]]], *, limit: int = 20, form: NcbiForm | None = None, **options: object
) -> tuple[SourceResult, ScriptedHttp]:
    http = ScriptedHttp(rules)
    adapter = NcbiAdapter("https://eutils.example", Identity(), form or NcbiForm())
    question = analysis(**options)  # type: ignore[arg-type]
    return await adapter.search(search_request(limit=limit, question=question), http), http


def many(n: int, start: int = 1000) -> list[str]:
    return [str(start + i) for i in range(n)]


async def test_broad_form_only_when_the_strict_one_finds_too_little() -> None:
    ids = many(25)
    found = {"esearch": [ok(answers.esearch(*ids))], "efetch": [ok(answers.article_set(*map(answers.article, ids)))]}
    result, http = await run(dict(found))
    assert len(result.records) == 20
    assert not any("broad" in text for text in result.degradations)
    assert any("leave out" in text for entry in result.log for text in entry.warnings)
    few, http = await run({"%5Bla%5D": [ok(answers.esearch("1"))]} | found)
    assert len(few.records) == 20
    assert any("strict form found 1 records" in text for text in few.degradations)
    assert http.asked


async def test_records_come_in_fused_order_whatever_order_efetch_gives() -> None:
    first, second = answers.esearch("1", "2", "3"), answers.esearch("3", "2")
    fetched = answers.article_set(answers.article("1"), answers.article("2"), answers.article("3"))
    result, _ = await run({"esearch": [ok(first), ok(second)], "efetch": [ok(fetched)]}, limit=3)
    assert next(record.source_id for record in result.records) in ("2", "3")
    assert {record.source_id for record in result.records} == {"1", "2", "3"}


async def test_five_hundred_records_take_one_epost_and_three_fetches() -> None:
    ids = many(500)
    batches = [ok(answers.article_set(*map(answers.article, ids[i : i + 200]))) for i in (0, 200, 400)]
    rules = {"esearch": [ok(answers.esearch(*ids))], "epost": [ok(answers.EPOST)], "efetch": batches}
    result, http = await run(rules, limit=500)
    assert [record.source_id for record in result.records] == ids
    calls = [request.url.rsplit("/", 1)[-1] for request in http.asked]
    assert calls.count("epost.fcgi") == 1
    assert calls.count("efetch.fcgi") == 3


async def test_batch_that_cannot_be_read_costs_that_batch_and_is_told() -> None:
    ids = many(300)
    batches = [ok(answers.article_set(*map(answers.article, ids[:200]))), (502, b"bad gateway")]
    rules = {"esearch": [ok(answers.esearch(*ids))], "epost": [ok(answers.EPOST)], "efetch": batches}
    result, _ = await run(rules, limit=300)
    assert len(result.records) == 200
    assert any("502" in text for text in result.degradations)


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
    result, _ = await run(rules, form=NcbiForm(db="pmc"))
    assert [record.source_id for record in result.records] == ["101", "PMC8"]


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


async def test_source_that_answers_no_query_is_not_asked_the_broad_ones() -> None:
    http = ScriptedHttp({"esearch": [(503, b"busy")]})
    with pytest.raises(SourceUnavailable):
        await NcbiAdapter("https://e", Identity(), NcbiForm()).search(search_request(), http)
    assert len(http.asked) == len(plan_queries(analysis()).strict)


async def test_query_that_fails_beside_others_is_told_and_costs_nothing_else() -> None:
    rules = {
        "esearch": [(500, b"no"), ok(answers.esearch("1", "2"))],
        "efetch": [ok(answers.article_set(answers.article("1"), answers.article("2")))],
    }
    result, _ = await run(rules)
    assert len(result.records) == 2
    assert any("500" in text for text in result.degradations)
    assert any(entry.error for entry in result.log)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Is GC1118 effective for the treatment of glioblastoma?", ("GC1118", "glioblastoma")),
        ("What is the mechanism of action of Peresolimab?", ("Peresolimab",)),
        ("Which oncogene mutations lead in situ from colonic polyps to colorectal carcinoma?",
         ("oncogene", "colorectal", "carcinoma")),
    ],
)  # fmt: skip
def test_telling_words_are_names_and_rare_words(question: str, words: tuple[str, ...]) -> None:
    """Not words of asking, and no more than a real question can bear."""
    found = focus_words(question, ())
    assert set(found) <= set(words) | {"mutations"}
    assert len(found) <= 3


@pytest.mark.data
def test_telling_words_match_the_evidence_of_most_real_questions(data_dir: Path) -> None:
    """BioASQ's snippets hold all telling words of 7 in 10 questions, and hardly ever the question itself."""
    packed = (data_dir / "benchmarks" / "bioasq" / "bioasq_12b_golden.json.gz").read_bytes()
    loaded = json.loads(gzip.decompress(packed))
    questions = loaded["questions"] if isinstance(loaded, dict) else loaded
    matched = quoted = 0
    for question in questions:
        texts: dict[str, str] = {}
        for snippet in question["snippets"]:
            texts[snippet["document"]] = texts.get(snippet["document"], "") + " " + snippet["text"].lower()
        stems = [word.lower()[: max(4, len(word) - 2)] for word in focus_words(question["body"], ())]
        matched += any(all(stem in text for stem in stems) for text in texts.values())
        quoted += any(question["body"].lower().rstrip("?. ") in text for text in texts.values())
    assert matched / len(questions) > 0.7
    assert quoted / len(questions) < 0.05
