"""What the reranker decides: which full texts it asks for, when stage 2 starts, and with what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from openwork_bus.codec import pack
from openwork_bus.memory import MemoryBus
from openwork_bus.run import Run
from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceCandidate,
    EvidenceNormalised,
    Identifiers,
    PrismaCounts,
    Provenance,
)
from openwork_contracts.meta import Event
from openwork_contracts.ranking import (
    DocumentsRanked,
    EvidenceRanked,
    FullText,
    FulltextCompleted,
    FulltextRequested,
    TextSection,
)
from openwork_reranker.domain.focus import QuestionFocus
from openwork_reranker.domain.lexical import LexicalScorer
from openwork_reranker.domain.scoring import ScorableText, ScorerIdentity
from openwork_reranker.handlers import on_evidence_normalised, on_text_arrival
from openwork_reranker.settings import Settings

from tests.builders import planned, run_on
from tests.handling import bus_of_today, delivered, stored_of

AT = datetime(2026, 1, 1, tzinfo=UTC)
SENTENCE = "Apixaban lowered stroke in atrial fibrillation compared with warfarin in trial {}."
FULL = "In the full text, apixaban lowered stroke in atrial fibrillation by a fifth compared with warfarin."


@dataclass
class Counting:
    """The lexical scorer; counts its calls."""

    calls: list[int] = field(default_factory=list)

    @property
    def identity(self) -> ScorerIdentity:
        return LexicalScorer().identity

    async def score(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        self.calls.append(len(texts))
        return await LexicalScorer().score(focus, texts)


def candidate(n: int, *sources: str, pmid: str | None = "default") -> EvidenceCandidate:
    return EvidenceCandidate(
        candidate_id=f"pmid:{n}",
        identifiers=Identifiers(pmid=str(n) if pmid == "default" else pmid),
        title=f"Apixaban for stroke in atrial fibrillation, trial {n}",
        abstract=(AbstractPart(text=SENTENCE.format(n)),),
        provenance=tuple(
            Provenance(source=s, source_id=str(n), rank=1, retrieved_at=AT) for s in sources or ("pubmed",)
        ),
    )


def normalised(run: Run, *candidates: EvidenceCandidate) -> EvidenceNormalised:
    n = len(candidates)
    counts = PrismaCounts(identified=n, duplicates=0, excluded_notices=0, excluded_no_text=0, screened=n)
    meta = run.meta(EvidenceNormalised)
    return EvidenceNormalised(meta=meta, candidates=candidates, sources=(), counts=counts)


async def stage_1(
    bus: MemoryBus,
    *candidates: EvidenceCandidate,
    due_in_s: float = 60.0,
    settings: Settings | None = None,
    scorer: Counting | None = None,
    run: Run | None = None,
) -> Run:
    """A planned and normalised round, its documents ranked; the run as the full-text service sees it."""
    again = run is not None
    run = run or run_on(bus, service="normaliser")
    if not again:
        await run.publish(planned(run, ("pubmed",), due_in_s=due_in_s / 2))
    event = await run.read(EvidenceNormalised) or normalised(run, *candidates)
    handled = await delivered(bus, event, "reranker", again=again)
    await on_evidence_normalised(event, handled, scorer or Counting(), settings or Settings())
    return run_on(bus, run.id, service="fulltext")


def text_of(run: Run, part: str, n: int, **fields: object) -> FulltextCompleted:
    meta = run.meta(FulltextCompleted, part)
    return FulltextCompleted(meta=meta, candidate_id=f"pmid:{n}", elapsed_s=0.1).model_copy(update=fields)


def section(text: str = FULL) -> tuple[TextSection, ...]:
    return (TextSection(path=("Results",), text=text, start=0, end=len(text)),)


async def arrive(bus: MemoryBus, event: Event, *, scorer: Counting | None = None) -> None:
    await on_text_arrival(event, await delivered(bus, event, "reranker"), scorer or Counting(), Settings())


async def documents(bus: MemoryBus, run: Run) -> DocumentsRanked:
    (event,) = await stored_of(bus, run.id, DocumentsRanked)
    return event


async def ranked(bus: MemoryBus, run: Run) -> list[EvidenceRanked]:
    return await stored_of(bus, run.id, EvidenceRanked)


# --- stage 1 ---------------------------------------------------------------------------------------------------------


async def test_full_texts_are_asked_for_together_with_the_timer_that_limits_them() -> None:
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1), candidate(2))
    event = await documents(bus, run)
    requests = await stored_of(bus, run.id, FulltextRequested)
    assert event.fulltext_parts == ("doc-01", "doc-02")
    assert [r.deadline_at for r in requests] == [event.fulltext_deadline_at] * 2
    (timer,) = bus._timers.values()
    assert (timer.event.joiner, timer.event.due_at) == ("reranker-passages", event.fulltext_deadline_at)


def in_pmc(n: int) -> EvidenceCandidate:
    found = candidate(n)
    return found.model_copy(update={"identifiers": Identifiers(pmid=str(n), pmcid=f"PMC{n}")})


async def test_the_first_work_that_pmc_may_have_asks_it_for_all_of_the_round() -> None:
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1), in_pmc(2), in_pmc(3))
    requests = {r.candidate_id: r for r in await stored_of(bus, run.id, FulltextRequested)}
    leaders = [r for r in requests.values() if r.pmc_batch]
    assert [set(r.pmc_batch) for r in leaders] == [{"PMC2", "PMC3"}]
    part = leaders[0].meta.event_id.rsplit(".", 1)[1]
    assert {name: r.pmc_part for name, r in requests.items()} == {"pmid:1": None, "pmid:2": part, "pmid:3": part}


async def test_a_further_round_has_no_call_for_full_texts_of_pmc() -> None:
    bus = bus_of_today()
    run = run_on(bus, service="normaliser", round_=2)
    await run.publish(planned(run, ("pubmed",)))
    event = normalised(run, in_pmc(2), in_pmc(3))
    await on_evidence_normalised(event, await delivered(bus, event, "reranker"), Counting(), Settings())
    requests = await stored_of(bus, run.id, FulltextRequested)
    assert len(requests) == 2
    assert all(r.pmc_batch == () and r.pmc_part is None for r in requests)


@pytest.mark.parametrize(("run_s", "texts_s"), [(100.0, 50.0), (3600.0, 500.0), (-10.0, 0.0)])
async def test_full_texts_get_at_most_half_of_the_time_that_is_left(run_s: float, texts_s: float) -> None:
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1), due_in_s=run_s, settings=Settings(fulltext_deadline_s=500))
    due = (await documents(bus, run)).fulltext_deadline_at
    assert due is not None
    assert abs((due - bus.now).total_seconds() - texts_s) < 10


async def test_what_only_the_library_gave_and_what_has_no_identifier_is_not_asked_for() -> None:
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1, "library"), candidate(2, "library", "pubmed"), candidate(3, pmid=None))
    assert [r.candidate_id for r in await stored_of(bus, run.id, FulltextRequested)] == ["pmid:2"]


async def test_without_a_full_text_service_nothing_is_asked_and_no_timer_is_set() -> None:
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1), settings=Settings(fulltext=False))
    event = await documents(bus, run)
    assert (event.fulltext_parts, event.fulltext_deadline_at) == ((), None)
    assert not bus._timers


async def test_documents_are_ranked_once_on_redelivery() -> None:
    bus = bus_of_today()
    scorer = Counting()
    run = await stage_1(bus, candidate(1), scorer=scorer)
    await stage_1(bus, run=run, scorer=scorer)
    assert scorer.calls == [1]


async def test_nothing_found_is_ranked_to_nothing_and_asks_no_scorer() -> None:
    bus = bus_of_today()
    scorer = Counting()
    run = await stage_1(bus, scorer=scorer)
    await arrive(bus, await documents(bus, run), scorer=scorer)
    (event,) = await ranked(bus, run)
    assert (event.passages, event.documents, event.n_shortlisted) == ((), (), 0)
    assert scorer.calls == []


@dataclass
class Cautious:
    """A model whose scores are all low and alike."""

    identity: ScorerIdentity = field(default_factory=lambda: ScorerIdentity("minilm", is_lexical=False))

    async def score(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        return [0.01 for _ in texts]


@pytest.mark.parametrize(("scorer", "n_kept", "blended"), [(Counting(), 0, False), (Cautious(), 2, True)])
async def test_scores_of_a_model_have_a_minimum_of_their_own_and_ties_of_it_are_broken_by_words(
    scorer: Counting, n_kept: int, blended: bool
) -> None:
    """Its scores do not compare with lexical ones: the minimum of those would cut everything it found."""
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1), candidate(2), scorer=scorer, settings=Settings(minimum_score=1.0))
    event = await documents(bus, run)
    assert len(event.shortlist) == n_kept
    assert event.report.tie_breaker is blended


@pytest.mark.parametrize(
    ("calibrated", "setting", "n_kept"), [(None, None, 2), (0.02, None, 0), (0.02, 0.0, 2), (None, 0.02, 0)]
)
async def test_what_was_calibrated_for_the_served_model_cuts_unless_a_setting_says_otherwise(
    calibrated: float | None, setting: float | None, n_kept: int
) -> None:
    bus = bus_of_today()
    scorer = Cautious(ScorerIdentity("triton", minimum_score=calibrated))
    settings = Settings(model_minimum_score=setting, recent_years=0)
    run = await stage_1(bus, candidate(1), candidate(2), scorer=scorer, settings=settings)
    event = await documents(bus, run)
    assert len(event.shortlist) == n_kept


# --- stage 2 ---------------------------------------------------------------------------------------------------------


async def test_with_no_full_texts_to_wait_for_stage_2_starts_at_once_with_the_abstracts() -> None:
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1, "library"))
    await arrive(bus, await documents(bus, run))
    (event,) = await ranked(bus, run)
    assert [p.text for p in event.passages] == [SENTENCE.format(1)]
    assert (event.n_fulltext, event.degradations) == (0, ())


async def test_stage_2_waits_for_every_text_and_reads_it() -> None:
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1), candidate(2))
    await arrive(bus, await documents(bus, run))
    await arrive(bus, text_of(run, "doc-01", 1, sections=section()))
    assert await ranked(bus, run) == []
    await arrive(bus, text_of(run, "doc-02", 2))
    (event,) = await ranked(bus, run)
    assert event.n_fulltext == 1
    assert FULL in {p.text for p in event.passages}
    assert event.degradations == ()


async def test_of_texts_that_arrive_together_the_last_starts_stage_2() -> None:
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1), candidate(2))
    scorer = Counting()
    events = [text_of(run, "doc-01", 1), text_of(run, "doc-02", 2)]
    for event in events:
        await run.publish(event)
    for event in events:
        await arrive(bus, event, scorer=scorer)
    assert len(scorer.calls) == 1
    assert len(await ranked(bus, run)) == 1


async def test_stage_2_starts_at_the_deadline_without_the_texts_that_are_missing() -> None:
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1), candidate(2))
    await arrive(bus, text_of(run, "doc-01", 1, sections=section()))
    due = (await documents(bus, run)).fulltext_deadline_at
    assert due is not None
    await arrive(bus, run.timer("reranker-passages", due).event)
    (event,) = await ranked(bus, run)
    assert event.n_fulltext == 1
    assert event.degradations == ("1 full texts had not arrived by the deadline; abstracts were read",)
    await arrive(bus, text_of(run, "doc-02", 2, sections=section()))
    assert await ranked(bus, run) == [event]


async def test_a_timer_that_fired_too_early_does_not_start_stage_2() -> None:
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1))
    due = (await documents(bus, run)).fulltext_deadline_at
    assert due is not None
    await arrive(bus, run.timer("reranker-passages", due - timedelta(seconds=2)).event)
    assert await ranked(bus, run) == []


async def test_a_text_is_read_from_where_it_was_stored() -> None:
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1))
    kept = FullText(identifiers=Identifiers(pmid="1"), sections=section(), source="pmc")
    ref = await bus.put_blob(pack(kept.model_dump_json().encode()), media_type="application/json+zstd")
    await arrive(bus, text_of(run, "doc-01", 1, text=ref))
    (event,) = await ranked(bus, run)
    assert event.n_fulltext == 1
    assert FULL in {p.text for p in event.passages}


@pytest.mark.parametrize("what", ["gone", "another checksum", "not a text"])
async def test_a_text_whose_store_has_it_no_more_falls_back_to_the_abstract(what: str) -> None:
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1))
    ref = await bus.put_blob(b'{"no": "text"}', media_type="application/json")
    if what == "gone":
        bus.blobs.clear()
    elif what == "another checksum":
        ref = ref.model_copy(update={"sha256": "0" * 64})
    await arrive(bus, text_of(run, "doc-01", 1, text=ref))
    (event,) = await ranked(bus, run)
    assert event.n_fulltext == 0
    assert [p.text for p in event.passages] == [SENTENCE.format(1)]


async def test_the_deadline_of_a_round_starts_that_round_and_no_other() -> None:
    """Round 2 waits for documents of its own."""
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1))
    due = (await documents(bus, run)).fulltext_deadline_at
    assert due is not None
    later = run_on(bus, run.id, service="reranker", round_=2)
    await later.publish((await documents(bus, run)).model_copy(update={"meta": later.meta(DocumentsRanked)}))
    await arrive(bus, run.timer("reranker-passages", due).event)
    assert [e.meta.round for e in await ranked(bus, run)] == [1]


# --- works without an abstract ---------------------------------------------------------------------------------------


def bare(n: int, title: str = "Apixaban for stroke in atrial fibrillation: a letter") -> EvidenceCandidate:
    return candidate(n).model_copy(update={"abstract": (), "title": title})


async def test_full_texts_of_the_best_bare_titles_are_looked_for_beside_the_shortlist() -> None:
    """They take no place of a work with an abstract, and none that says nothing of the question is looked for."""
    bus = bus_of_today()
    settings = Settings(shortlist_length=2, shortlist_titles=2)
    off_topic = bare(7, "Editorial board")
    run = await stage_1(bus, candidate(1), candidate(2), bare(5), bare(6), bare(8), off_topic, settings=settings)
    event = await documents(bus, run)
    assert [s.candidate_id for s in event.shortlist] == ["pmid:1", "pmid:2", "pmid:5", "pmid:6"]
    assert event.title_only == ("pmid:5", "pmid:6")
    assert event.below_threshold == 2
    assert len(await stored_of(bus, run.id, FulltextRequested)) == 4


async def test_a_bare_title_whose_full_text_came_is_evidence_and_the_others_are_out_by_name() -> None:
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1), bare(5), bare(6), bare(7, "Editorial board"))
    parts = {r.candidate_id: r.meta.event_id.split(".")[-1] for r in await stored_of(bus, run.id, FulltextRequested)}
    assert set(parts) == {"pmid:1", "pmid:5", "pmid:6"}
    for n in (1, 5, 6):
        sections = section() if n == 5 else ()
        event = text_of(run, parts[f"pmid:{n}"], n, sections=sections)
        await run.publish(event)
        await arrive(bus, event)
    (pack,) = await ranked(bus, run)
    assert pack.without_text == ("pmid:6", "pmid:7")
    assert {p.candidate_id for p in pack.passages} == {"pmid:1", "pmid:5"}
    assert (pack.n_fulltext, pack.n_shortlisted) == (1, 3)


async def test_where_no_full_texts_are_read_bare_titles_are_not_shortlisted() -> None:
    bus = bus_of_today()
    run = await stage_1(bus, candidate(1), bare(5), settings=Settings(fulltext=False))
    assert [s.candidate_id for s in (await documents(bus, run)).shortlist] == ["pmid:1"]
    await arrive(bus, await documents(bus, run))
    (pack,) = await ranked(bus, run)
    assert pack.without_text == ("pmid:5",)
