"""`openwork.lookup`: records by identifier, each of them the one that was asked for, and the rest with a reason."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest
import source_answers as answers
from openwork_contracts.errors import FailureReason, SourceRefused, SourceUnavailable
from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceRecord,
    EvidenceStatus,
    Identifiers,
    TextOrigin,
)
from openwork_contracts.requests import LookupReply
from openwork_evidence.named import named_by
from openwork_http.client import HttpClient
from openwork_http.messages import HttpRequest
from openwork_retrievers.adapters.by_identifier import AT_A_TIME, EuropePmcByIdentifier
from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.adapters.live import Outside
from openwork_retrievers.adapters.lookups import OutsideLookup
from openwork_retrievers.adapters.ports import HttpPort
from openwork_retrievers.domain.lookup import CLINICALTRIALS, EUROPEPMC, Answered, fitted, reply_of
from openwork_retrievers.requests import MOST_BYTES, Lookup, answer_lookup
from openwork_retrievers.settings import Settings
from source_fakes import NOW, FailingHttp, ScriptedHttp, ok

RECOVERY, DAPA_HF = "32678530", "31535829"


@dataclass
class Ports:
    """An HTTP client that gives the same way out for every piece of work."""

    port_: HttpPort
    within: list[float] = field(default_factory=list)

    def port(self, service: object, *, within_s: float, run_id: str | None = None) -> Ports:
        self.within.append(within_s)
        return self

    async def send(self, request: HttpRequest) -> object:
        return await self.port_.send(request)

    async def forget(self) -> None:
        """Nothing is kept."""


def outside(http: object) -> Outside:
    opened = Outside()
    opened.open(cast(HttpClient, Ports(cast(HttpPort, http))))
    return opened


def lookup(http: object, *routes: str) -> Lookup:
    """As the services wire it, over a scripted way out."""
    asked = [OutsideLookup(route, Settings(), outside(http)) for route in routes or (EUROPEPMC, CLINICALTRIALS)]
    return Lookup(LibrarySource(), asked)


async def ask(found: Lookup, *ids: str, account: str = "local", **more: object) -> LookupReply:
    body = json.dumps({"ids": ids, **more}).encode()
    return LookupReply.model_validate_json(await answer_lookup(account, body, found))


def record(
    pmid: str | None, text: str = "Words.", *, doi: str | None = None, nct: str | None = None, source: str = EUROPEPMC,
    status: EvidenceStatus = EvidenceStatus.NONE, origin: TextOrigin = TextOrigin.PUBLISHER,
) -> EvidenceRecord:  # fmt: skip
    return EvidenceRecord(
        source=source,
        source_id=pmid or doi or nct or "x",
        identifiers=Identifiers(pmid=pmid, doi=doi, nct_ids=(nct,) if nct else ()),
        title=f"Work {pmid or doi or nct}",
        abstract=(AbstractPart(text=text),) if text else (),
        status=status,
        text_origin=origin,
        retrieved_at=NOW,
    )


def articles(*ids: str, hits: int | None = None) -> str:
    """An answer of Europe PMC whose records have abstracts."""
    answer = json.loads(answers.europepmc(*ids, hits=hits))
    for entry in answer["resultList"]["result"]:
        entry["abstractText"] = f"What {entry['id']} found."
    return json.dumps(answer)


def said(route: str, *records: EvidenceRecord, to: Sequence[str], failed: str | None = None) -> Answered:
    return Answered(route, frozenset(filter(None, map(named_by, to))), records, failed)


# --- which record counts ---------------------------------------------------------------------------------------------


def test_every_identifier_is_in_the_reply_once_under_its_place_in_the_request() -> None:
    """Also where two name the same work: a text that cites [3] cites the third of its list."""
    ids = ("1", "nonsense", "doi:10.1000/a", "2")
    reply = reply_of(ids, [said(EUROPEPMC, record("1", doi="10.1000/a"), to=ids)], ())
    assert [(one.item.n, one.asked, one.item.pmid) for one in reply.found] == [(1, "1", "1"), (3, ids[2], "1")]
    assert [(one.n, one.kind.value) for one in reply.missing] == [(2, "not_an_identifier"), (4, "nothing_found")]
    assert reply.degradations == ()


def test_a_record_of_another_work_is_not_returned_whoever_gave_it() -> None:
    ids = ("10.1000/a", "PMID 5", "NCT00000005")
    other = record("6", doi="10.1000/ab", nct="NCT00000006")
    reply = reply_of(ids, [said(EUROPEPMC, other, to=ids), said(CLINICALTRIALS, other, to=ids)], (other,))
    assert reply.found == ()
    assert {one.kind.value for one in reply.missing} == {"nothing_found"}


def test_an_article_about_a_trial_is_not_its_registration() -> None:
    """It was asked for by its PMID; its trial's number is asked of the registry alone."""
    article = record("1", nct="NCT00000005")
    reply = reply_of(
        ("1", "NCT00000005"),
        [said(EUROPEPMC, article, to=("1",)), said(CLINICALTRIALS, to=("NCT00000005",))],
        (),
    )
    assert [one.item.pmid for one in reply.found] == ["1"]
    assert [one.asked for one in reply.missing] == ["NCT00000005"]


def test_a_sources_own_words_go_before_our_summary_and_that_before_none() -> None:
    ours = record("1", "Ours.", source="library", status=EvidenceStatus.NOT_CHECKED, origin=TextOrigin.OUR_SUMMARY)
    with_text = reply_of(("1",), [said(EUROPEPMC, record("1"), to=("1",))], (ours,)).found[0].item
    without = reply_of(("1",), [said(EUROPEPMC, record("1", ""), to=("1",))], (ours,)).found[0].item
    assert (with_text.text, with_text.source, with_text.text_origin) == ("Words.", EUROPEPMC, TextOrigin.PUBLISHER)
    assert (without.text, without.source, without.text_origin) == ("Ours.", "library", TextOrigin.OUR_SUMMARY)


def test_what_somebody_imported_goes_before_our_summary() -> None:
    ours = record("1", "Ours.", source="library", origin=TextOrigin.OUR_SUMMARY)
    theirs = record("1", "Theirs.", source="library", origin=TextOrigin.USER_DOCUMENT)
    assert reply_of(("1",), (), (ours, theirs)).found[0].item.text == "Theirs."


def test_a_retraction_is_told_whichever_text_is_given() -> None:
    ours = record("1", "Ours.", source="library", status=EvidenceStatus.NOT_CHECKED, origin=TextOrigin.OUR_SUMMARY)
    for text in ("", "Words."):
        retracted = record("1", text, status=EvidenceStatus.RETRACTED)
        reply = reply_of(("1",), [said(EUROPEPMC, retracted, to=("1",))], (ours,))
        assert reply.found[0].item.status == "retracted"
    assert reply_of(("1",), (), (ours,)).found[0].item.status == "not_checked"


def test_a_work_without_an_abstract_is_named_and_not_returned() -> None:
    reply = reply_of(("1",), [said(EUROPEPMC, record("1", ""), to=("1",))], ())
    (missing,) = reply.missing
    assert (missing.kind.value, missing.reason) == ("no_text", "Europe PMC has no abstract of it: Work 1")


def test_a_source_that_failed_does_not_look_like_one_that_found_nothing() -> None:
    ids = ("1", "NCT00000005")
    reply = reply_of(ids, [said(EUROPEPMC, to=("1",), failed="did not answer in time")], ())
    assert [one.kind.value for one in reply.missing] == ["not_reached", "nothing_found"]
    assert reply.missing[0].reason == "Europe PMC did not answer in time; the library has no record of PMID 1"
    assert "ClinicalTrials.gov is not asked here" in reply.missing[1].reason
    assert [line.split(":")[0] for line in reply.degradations] == [
        "Europe PMC did not answer in time",
        "ClinicalTrials.gov is not asked here",
    ]


def test_a_number_of_a_trial_with_several_publications_is_not_answered_with_one_of_them() -> None:
    (missing,) = reply_of(("NCT04381936",), (), LibrarySource().records).missing
    assert missing.kind.value == "several"
    assert f"PMID {RECOVERY}" in missing.reason


def test_what_does_not_fit_into_one_message_is_named() -> None:
    ids = tuple(str(n) for n in range(1, 8))
    works = [record(pmid, "x" * (30_000 if pmid == "2" else 1_000)) for pmid in ids]
    reply = fitted(reply_of((*ids, "?"), [said(EUROPEPMC, *works, to=ids)], ()), 20_000)
    assert [one.asked for one in reply.found] == ["1", "3", "4", "5", "6", "7"]
    assert [(one.n, one.kind.value) for one in reply.missing] == [(2, "too_large"), (8, "not_an_identifier")]
    assert len(reply.model_dump_json().encode()) < 20_000


# --- how the sources are asked ---------------------------------------------------------------------------------------


async def test_europe_pmc_is_asked_for_all_kinds_of_identifiers_in_one_request() -> None:
    http = ScriptedHttp({"search": [ok(articles("101"))]})
    ids = ("101", "PMID 101", "https://doi.org/10.1016/S0140-6736(24)02600-X", "PMC7383595")
    reply = await ask(lookup(http, EUROPEPMC), *ids)
    (request,) = http.asked
    sent = dict(request.params)
    assert sent["query"] == ('(EXT_ID:101 AND SRC:MED) OR DOI:"10.1016/s0140-6736(24)02600-x" OR PMCID:PMC7383595')
    assert (sent["resultType"], sent["synonym"], sent["pageSize"]) == ("core", "false", "100")
    assert [one.asked for one in reply.found] == ["101", "PMID 101"]
    assert [one.kind.value for one in reply.missing] == ["nothing_found", "nothing_found"]


async def test_fifty_identifiers_are_asked_for_in_batches() -> None:
    ids = tuple(str(n) for n in range(1001, 1051))
    http = ScriptedHttp({"search": [ok(articles(*ids[:25])), ok(articles(*ids[25:]))]})
    reply = await ask(lookup(http, EUROPEPMC), *ids)
    assert [one.item.pmid for one in reply.found] == list(ids)
    assert len(http.asked) == len(ids) / AT_A_TIME
    assert all(len(dict(one.params or one.form)["query"]) < 1500 for one in http.asked)


async def test_a_registration_is_given_in_words_with_its_number() -> None:
    http = ScriptedHttp({"studies": [ok(answers.studies("NCT00000001"))]})
    reply = await ask(lookup(http, CLINICALTRIALS), "nct00000001", "NCT00000002")
    assert dict(http.asked[0].params)["filter.ids"] == "NCT00000001|NCT00000002"
    (found,) = reply.found
    assert (found.item.nct_id, found.item.text_origin, found.item.source) == (
        "NCT00000001", TextOrigin.REGISTRY, CLINICALTRIALS,
    )  # fmt: skip
    assert found.item.text
    assert [one.reason for one in reply.missing] == ["ClinicalTrials.gov and the library have no record of NCT00000002"]


async def test_a_number_that_the_registry_does_not_take_does_not_cost_the_others() -> None:
    refused = (400, b"Item 2 in parameter `filter.ids` has incorrect format")
    http = ScriptedHttp(
        {
            "filter.ids=NCT00000001%7CNCT00000002": [refused],
            "filter.ids=NCT00000001&": [ok(answers.studies("NCT00000001"))],
            "filter.ids=NCT00000002&": [refused],
        }
    )
    reply = await ask(lookup(http, CLINICALTRIALS), "NCT00000001", "NCT00000002")
    assert [one.asked for one in reply.found] == ["NCT00000001"]
    assert [(one.kind.value, one.reason.split(";")[0]) for one in reply.missing] == [
        ("not_reached", "ClinicalTrials.gov refused the request")
    ]


async def test_a_number_that_was_merged_into_another_is_not_that_other() -> None:
    http = ScriptedHttp({"studies": [ok(answers.studies("NCT00010647"))]})
    reply = await ask(lookup(http, CLINICALTRIALS), "NCT00009113")
    assert [one.kind.value for one in reply.missing] == ["nothing_found"]


async def test_an_answer_with_more_hits_than_it_shows_is_asked_for_in_parts() -> None:
    """What is not on the page may be there all the same: nothing is said to be missing for that."""
    http = ScriptedHttp(
        {
            "+OR+": [ok(articles("101", hits=5000))],
            "EXT_ID%3A101": [ok(articles("101"))],
            "EXT_ID%3A102": [ok(articles("102"))],
        }
    )
    reply = await ask(lookup(http, EUROPEPMC), "101", "102")
    assert [one.item.pmid for one in reply.found] == ["101", "102"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (lambda: SourceUnavailable("x", reason=FailureReason.TIMEOUT), "Europe PMC did not answer in time"),
        (lambda: SourceUnavailable("x"), "Europe PMC could not be reached"),
        (lambda: SourceRefused("x"), "Europe PMC refused the request"),
    ],
)
async def test_without_its_answer_the_library_answers_and_says_so(error: Callable[[], Exception], words: str) -> None:
    reply = await ask(lookup(FailingHttp(error), EUROPEPMC), RECOVERY, "99999999")
    (found,) = reply.found
    assert (found.item.pmid, found.item.source, found.item.text_origin) == (
        RECOVERY, "library", TextOrigin.OUR_SUMMARY,
    )  # fmt: skip
    assert [(one.asked, one.kind.value) for one in reply.missing] == [("99999999", "not_reached")]
    assert reply.degradations[0].startswith(words)


async def test_an_answer_that_cannot_be_read_is_named() -> None:
    reply = await ask(lookup(ScriptedHttp({"search": [ok("<html></html>")]}), EUROPEPMC), "99999999")
    assert reply.missing[0].reason.startswith("Europe PMC answered in a form that could not be read")


def test_recorded_records_of_europe_pmc_are_found_by_each_of_their_identifiers(data_dir: Path) -> None:
    """As the service answered a search (core, 25 and more records): those with an abstract, and no other."""
    path = data_dir / "recorded" / "europepmc" / "search_cancer_core.json"
    read = EuropePmcByIdentifier("https://example.org").read(path.read_bytes(), NOW)
    entries = json.loads(path.read_bytes())["resultList"]["result"]
    ids = [value for one in entries for value in (one["pmid"], one.get("pmcid"), one.get("doi")) if value]
    reply = reply_of((*ids, "10.1000/another"), [said(EUROPEPMC, *read.records, to=(*ids, "10.1000/another"))], ())
    with_text = {one["pmid"] for one in entries if one.get("abstractText")}
    assert {one.item.pmid for one in reply.found} == with_text
    assert {one.kind.value for one in reply.missing if one.asked != "10.1000/another"} == {"no_text"}
    assert len(reply.found) + len(reply.missing) == len(ids) + 1
    assert all(one.item.title and one.item.url and one.item.year and one.item.journal for one in reply.found)


def test_recorded_pages_hold_none_of_what_was_not_asked_for(data_dir: Path) -> None:
    body = gzip.decompress((data_dir / "recorded" / "europepmc" / "search_1000results_cancer.json.gz").read_bytes())
    read = EuropePmcByIdentifier("https://example.org").read(body, NOW)
    assert read.records
    assert not read.is_whole
    assert reply_of((RECOVERY,), [said(EUROPEPMC, *read.records, to=(RECOVERY,))], ()).found == ()


# --- the request -----------------------------------------------------------------------------------------------------


async def test_the_library_alone_answers_for_what_it_has() -> None:
    reply = await ask(Lookup(LibrarySource()), RECOVERY, f"https://pubmed.ncbi.nlm.nih.gov/{DAPA_HF}/", "1")
    assert [(one.item.pmid, one.item.source) for one in reply.found] == [(RECOVERY, "library"), (DAPA_HF, "library")]
    assert reply.missing[0].reason == "the library has no record of PMID 1, and Europe PMC is not asked here"
    assert len(reply.degradations) == 1


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{}", "ids: Field required"),
        (b"", "body: Invalid JSON"),
        (b'{"ids": "32678530"}', "ids: "),
        (b'{"ids": []}', "ids: "),
        (json.dumps({"ids": ["1"] * 51}).encode(), "ids: "),
        (json.dumps({"ids": ["1", "x" * 501]}).encode(), "ids.1: "),
        (b'{"ids": [1]}', "ids.0: "),
        (b'{"ids": ["1"], "on_behalf_of": "alice"}', "on_behalf_of is for the account 'api'"),
        (b" " * (MOST_BYTES + 1), "body: has"),
    ],
)
async def test_what_cannot_be_read_is_refused_in_words(body: bytes, words: str) -> None:
    reply = LookupReply.model_validate_json(await answer_lookup("local", body, Lookup(LibrarySource())))
    assert (reply.error_type, (reply.error or "").startswith(words)) == ("UsageError", True), reply.error
    assert (reply.found, reply.missing) == ((), ())


async def test_the_api_asks_on_behalf_of_its_persons() -> None:
    reply = await ask(Lookup(LibrarySource()), RECOVERY, account="api", on_behalf_of="alice")
    assert (reply.error, len(reply.found)) == (None, 1)


async def test_an_error_of_ours_is_a_reply_too() -> None:
    class Broken:
        async def ask(self, ids: Sequence[str], within_s: float) -> list[Answered]:
            raise ZeroDivisionError

    reply = await ask(Lookup(LibrarySource(), [Broken()]), RECOVERY)
    assert (reply.error_type, "ZeroDivisionError" in (reply.error or "")) == ("OpenWorkError", True)


@pytest.mark.parametrize(
    ("sources", "own", "answers_"),
    [
        ("library,europepmc,clinicaltrials", "", True),
        ("library,europepmc,clinicaltrials", "europepmc,europepmc-recent", True),
        ("library,europepmc,clinicaltrials", "library", False),
        ("library,europepmc,clinicaltrials", "clinicaltrials", False),
        ("library,europepmc-recent", "europepmc-recent", False),
        ("library,pubmed", "library", True),
        ("library,pubmed", "pubmed", False),
        ("library", "", True),
        ("pubmed", "", False),
    ],
)
def test_one_kind_of_process_answers_and_none_that_cannot_know(sources: str, own: str, answers_: bool) -> None:
    """Requests go to any one that answers: who asks Europe PMC, and where nobody does, who has the library."""
    assert Settings(sources=sources, retriever_sources=own).looks_up is answers_
