"""Whole runs against the local upstream: all sources together, and each fault named in an answer still given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from openwork_contracts.answer import RunStatus
from openwork_contracts.evidence import EvidenceNormalised, TextOrigin
from openwork_contracts.plan import RetrievalCompleted, SearchPlanned
from openwork_contracts.ranking import EvidenceRanked
from openwork_evidence.library.references import shipped
from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.domain.registry import BY_ROUTE

from tests.adding_up import assert_adds_up
from tests.builders import event_of
from tests.fakes.upstream.corpus import Part, Work
from tests.fakes.upstream.faults import FaultKind
from tests.live import HASTY, Live, running

pytestmark = pytest.mark.nats

SOURCES = ("library", "pubmed", "europepmc-cited", "clinicaltrials", "dailymed")


@pytest.fixture
async def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Live]:
    """A fast pair of sources beside the library."""
    async with running(tmp_path, monkeypatch, ("library", "pubmed", "europepmc-cited"), environ=HASTY) as stack:
        yield stack


@pytest.fixture
async def all_live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Live]:
    """Every kind of source; ClinicalTrials.gov and DailyMed allow a request or two a second."""
    environ = {**HASTY, "OPENWORK_RETRIEVAL_DEADLINE_S": "8"}
    async with running(tmp_path, monkeypatch, SOURCES, environ=environ) as stack:
        yield stack


async def test_an_answer_is_made_of_all_sources_and_its_counts_add_up(all_live: Live) -> None:
    document = await all_live.ask()
    assert document.status is RunStatus.ANSWERED
    found = {source.name: source.found for source in document.method.sources}
    assert set(found) == set(SOURCES)
    assert all(found[name] for name in SOURCES), found
    counts = document.method.counts
    parts = counts["duplicates"] + counts["excluded_notices"] + counts["excluded_no_text"] + counts["screened"]
    assert counts["identified"] == sum(found.values()) == parts
    assert counts["duplicates"] > 0, "the library's works are in PubMed and Europe PMC too"
    assert counts["fulltext"] > 0
    flow = assert_adds_up(document)
    assert dict(flow.found) == found
    assert flow.fulltexts_sought >= flow.fulltexts_read > 0


async def test_the_search_log_holds_what_was_asked_and_no_key(live: Live) -> None:
    document = await live.ask()
    event = await event_of(live.bus, RetrievalCompleted, document.run_id, route="pubmed")
    assert event is not None
    assert any("esearch" in log.request and "apixaban" in log.request for log in event.search_log)
    assert any(log.translation for log in event.search_log)
    assert "example.org" not in event.model_dump_json()


async def test_what_the_registry_says_of_each_source_reaches_the_ranking(live: Live) -> None:
    document = await live.ask()
    normalised = await event_of(live.bus, EvidenceNormalised, document.run_id)
    assert normalised is not None
    live_sources = {route: BY_ROUTE[route].policy for route in ("pubmed", "europepmc-cited")}
    assert normalised.policies == {"library": LibrarySource.policy, **live_sources}


BRAND = "Does Zyxoban lower the risk of stroke in atrial fibrillation compared with warfarin?"
"""A brand that only the upstream's RxNorm knows: apixaban."""


async def test_a_brand_that_only_rxnorm_knows_is_read_as_its_ingredient(live: Live) -> None:
    document = await live.ask(BRAND)
    (read,) = document.method.drug_names
    assert read == "Zyxoban was read as apixaban (Direct factor Xa inhibitors): RxNorm 1364430"
    plan = await event_of(live.bus, SearchPlanned, document.run_id)
    assert plan is not None
    assert any("name=Zyxoban" in log.request for log in plan.lookups)
    assert any("apixaban" in variant for variant in plan.analysis.search_variants)
    assert document.status is RunStatus.ANSWERED
    assert "apixaban" in document.answer.markdown.lower()


@pytest.mark.parametrize("fault", ["hang", "html"])
async def test_rxnorm_that_fails_is_named_and_the_question_searched_as_it_stands(live: Live, fault: str) -> None:
    live.server.fault(fault, "/rxnav")
    document = await live.ask(BRAND)
    assert document.status in {RunStatus.ANSWERED, RunStatus.TOO_LITTLE_EVIDENCE}
    (note,) = [note for note in document.method.degradations if note.startswith("RxNorm ")]
    assert note.endswith(": Zyxoban was searched for as it stands")
    assert not document.method.drug_names


async def test_rxnorm_is_not_asked_where_only_the_library_is_wanted_or_every_name_is_known(live: Live) -> None:
    await live.ask(BRAND, sources=("library",))
    await live.ask()
    assert live.server.count("/rxnav") == 0


REASONS = {
    "429": "rate_limited",
    "500": "unreachable",
    "502": "unreachable",
    "503": "unreachable",
    "504": "unreachable",
    "400": "refused",
    "401": "refused",
    "403": "refused",
    "hang": "timeout",
    "drip": "deadline",
    "cut": "unreachable",
    "truncated": "changed",
    "html": "changed",
    "schema": "changed",
    "huge": "too_large",
    "huge-declared": "too_large",
    "gzip-bomb": "too_large",
    "xml-bomb": "changed",
    "redirect": "refused",
}


@pytest.mark.parametrize("fault", list(FaultKind))
async def test_a_source_that_fails_is_named_and_the_run_is_finished_without_it(live: Live, fault: FaultKind) -> None:
    live.server.fault(fault, "/entrez/eutils/esearch")
    document = await live.ask()
    assert document.status is RunStatus.ANSWERED
    (pubmed,) = [source for source in document.method.sources if source.name == "pubmed"]
    for _ in range(5):
        if pubmed.reason != "own_limit":  # the run before has taken the turns at NCBI
            break
        await asyncio.sleep(1)
        document = await live.ask()
        (pubmed,) = [source for source in document.method.sources if source.name == "pubmed"]
    assert pubmed.status in {"failed", "missed_deadline"}
    assert pubmed.reason in {REASONS[fault.value], "timeout", "circuit_open", "deadline"}
    assert any("pubmed" in note for note in document.method.degradations)
    assert "Traceback" not in document.model_dump_json()
    others = [source for source in document.method.sources if source.name != "pubmed"]
    assert all(source.status == "completed" and source.kept for source in others)


@pytest.mark.parametrize("fault", ["hang", "drip"])
async def test_a_source_that_hangs_or_drips_is_not_waited_for_again_in_full_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """Europe PMC is searched once, and none of the works' PMCIDs and texts is asked of it; NCBI and Unpaywall are."""
    patient = {**HASTY, "OPENWORK_HTTP_READ_TIMEOUT_S": "10"}
    async with running(tmp_path, monkeypatch, ("library", "pubmed", "europepmc-cited"), environ=patient) as stack:
        stack.server.fault(fault, "/europepmc")
        document = await stack.ask()
        assert document.status is RunStatus.ANSWERED
        assert stack.server.count("/europepmc") == 1
        assert stack.server.count("/unpaywall") > 0
        assert document.record is not None
        tried = [words for work in document.record.candidates if work.fulltext for words in work.fulltext.tried]
        assert any("europepmc was not asked again for this question" in words for words in tried)
        stack.server.faults.clear()
        await stack.ask("Does rivaroxaban lower the risk of stroke in atrial fibrillation?")
        assert stack.server.count("/europepmc") > 2, "the next question asks it again"


async def test_nothing_found_is_not_a_source_that_is_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patient = {"OPENWORK_HTTP_READ_TIMEOUT_S": "10", "OPENWORK_RETRIEVAL_DEADLINE_S": "20"}
    async with running(tmp_path, monkeypatch, ("library", "pubmed", "europepmc-cited"), environ=patient) as stack:
        document = await stack.ask("Does apixaban lower stroke in atrial fibrillation after zxqvbn implantation?")
    assert {source.status for source in document.method.sources} == {"completed"}


async def test_a_full_text_that_cannot_be_had_leaves_the_abstract(live: Live) -> None:
    for path in ("/entrez/eutils/efetch", "fullTextXML", "/unpaywall"):
        live.server.fault("500", path)
    document = await live.ask()
    assert document.status is RunStatus.ANSWERED
    assert document.method.counts["fulltext"] == 0


async def test_the_second_run_reads_its_full_texts_from_the_store(live: Live) -> None:
    first = await live.ask()
    asked = live.server.count("fullTextXML") + live.server.count("/entrez/eutils/efetch")
    again = await live.ask()
    assert again.method.counts["fulltext"] == first.method.counts["fulltext"] > 0
    after = live.server.count("fullTextXML") + live.server.count("/entrez/eutils/efetch")
    assert after == asked


def without_abstract(pmid: str, title: str, *, pmcid: str | None = None) -> Work:
    """PubMed has its title alone; where it has a PMCID, PMC has its text."""
    ids = f'<ArticleId IdType="pmc">{pmcid}</ArticleId>' if pmcid else ""
    raw = (
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><ArticleTitle>{title}</ArticleTitle></Article>"
        f"</MedlineCitation><PubmedData><ArticleIdList>{ids}</ArticleIdList></PubmedData></PubmedArticle>"
    )
    text = (
        "Apixaban 5 mg twice daily lowered stroke compared with warfarin in atrial fibrillation (HR 0.70, 95% CI 0.60 "
    )
    parts = (Part("Results", f"{text}to 0.82) and was safe in all doses."),)
    return Work(key=pmid, title=title, year=2008, pmid=pmid, pmcid=pmcid, parts=parts, raw=raw.encode())


async def test_a_work_without_an_abstract_is_read_in_full_text_or_goes_out_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    title = "Dose of apixaban compared with warfarin in atrial fibrillation: {}"
    read = without_abstract("90000001", title.format("a trial"), pmcid="PMC9000001")
    lost = without_abstract("90000002", title.format("a letter"))
    async with running(tmp_path, monkeypatch, ("library", "pubmed"), works=(read, lost)) as stack:
        document = await stack.ask()
    assert document.record is not None
    works = {work.candidate_id: work for work in document.record.candidates}
    assert works["pmid:90000001"].decision.value in {"cited", "passage_chosen", "fulltext_read"}
    gone = works["pmid:90000002"]
    assert (gone.decision.value, gone.reason) == ("without_text", "no abstract and no full text")
    assert gone.title == lost.title
    counts = document.method.counts
    assert counts["not_retrieved"] >= 1
    parts = counts["duplicates"] + counts["excluded_notices"] + counts["excluded_no_text"] + counts["screened"]
    assert counts["identified"] == parts


async def test_the_abstract_that_pubmed_gives_of_a_work_of_the_library_is_what_the_answer_cites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our summary is not cited then; its structured results stay with the work, as ours."""
    ours = shipped()["aristotle-2011"]
    text = (
        "In individuals with atrial fibrillation, apixaban 5 mg twice daily compared with warfarin reduced stroke or "
        "systemic embolism (1.27% versus 1.60% per year; hazard ratio 0.79; 95% CI 0.66 to 0.95) and caused less "
        "major bleeding (2.13% versus 3.09% per year; hazard ratio 0.69; 95% CI 0.60 to 0.80)."
    )
    work = Work(
        key="published",
        title=ours.title,
        year=ours.year,
        journal=ours.journal,
        pmid=ours.identifiers.pmid,
        doi=ours.identifiers.doi,
        authors=ours.authors,
        types=ours.publication_types,
        mesh=ours.mesh_terms,
        parts=(Part(None, text),),
    )
    async with running(tmp_path, monkeypatch, ("library", "pubmed"), works=(work,)) as stack:
        document = await stack.ask("Does apixaban lower stroke in atrial fibrillation compared with warfarin?")
        ranked = await event_of(stack.bus, EvidenceRanked, document.run_id)
    (cited,) = [reference for reference in document.references if reference.pmid == ours.identifiers.pmid]
    assert (cited.text_origin, cited.confirmed_at) == (TextOrigin.PUBLISHER, None)
    spans = [span for claim in document.answer.claims for span in claim.evidence if span.n == cited.n]
    assert spans
    assert all(span.quote in text and span.text_origin is TextOrigin.PUBLISHER for span in spans)
    assert ranked is not None
    (found,) = [one for one in ranked.documents if one.candidate_id == cited.id]
    assert (found.results, found.structured_origin) == (ours.results, TextOrigin.OUR_SUMMARY)
