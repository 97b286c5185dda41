"""What the gap service decides: write, search once more, or say that there is too little."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from openwork_bus.memory import MemoryBus
from openwork_bus.run import Run
from openwork_contracts.answer import AnswerConcluded, AnswerStatus
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.evidence import EvidenceCandidate, EvidenceNormalised, PrismaCounts, StudyDesign
from openwork_contracts.gap import SynthesisRequested
from openwork_contracts.plan import RetrievalRequested, SearchPlanned
from openwork_contracts.ranking import EvidenceRanked, RankedPassage
from openwork_gap.handlers import on_evidence_ranked
from openwork_gap.settings import Settings
from openwork_language.searching.ladder import strategy_of
from openwork_llm.client import LanguageModel

from tests.builders import planned, run_on
from tests.fakes.models.honest import honest_answer
from tests.flow import no_model
from tests.handling import bus_of_today, delivered, end_of, model_that, silent, stored_of
from tests.packs import documents, passages, question_analysis

WEB = Settings(sources="library,tavily", gap_sources="tavily,nowhere", gap_least_s=10)
EMPTY = PrismaCounts(identified=0, duplicates=0, excluded_notices=0, excluded_no_text=0, screened=0)


def six_trials() -> tuple[tuple[RankedPassage, ...], tuple[EvidenceCandidate, ...]]:
    """Twice the three works of the pack, all of them randomised trials: enough in number and quality."""
    works = [d.model_copy(update={"study_design": StudyDesign.RCT}) for d in documents()]
    further = [p.model_copy(update={"n": p.n + 3, "passage_id": f"q{p.n}"}) for p in passages()]
    return (*passages(), *further), (*works, *works)


async def ranked(bus: MemoryBus, *, enough: bool, left_s: float = 60.0, round_: int = 1) -> EvidenceRanked:
    """A round whose evidence was ranked: three fitting works, or none at all."""
    run = run_on(bus, service="reranker", round_=round_)
    plan = planned(run, ("library",)).model_copy(
        update={"analysis": question_analysis(), "run_deadline_at": datetime.now(UTC) + timedelta(seconds=left_s)}
    )
    await run.publish(plan)
    await run.publish(EvidenceNormalised(meta=run.meta(EvidenceNormalised), candidates=(), sources=(), counts=EMPTY))
    found = six_trials() if enough else ((), ())
    return EvidenceRanked(meta=run.meta(EvidenceRanked), passages=found[0], documents=found[1])


async def judge(
    bus: MemoryBus,
    event: EvidenceRanked,
    *,
    settings: Settings = WEB,
    model: LanguageModel | None = None,
    again: bool = False,
) -> Run:
    run = await delivered(bus, event, "gap", again=again)
    await on_evidence_ranked(event, run, settings, model or no_model())
    return run


async def rounds(bus: MemoryBus, run: Run) -> list[SearchPlanned]:
    """Plans of further rounds."""
    return [p for p in await stored_of(bus, run.id, SearchPlanned) if p.meta.producer == "gap"]


async def outcome(bus: MemoryBus, run: Run) -> AnswerConcluded | None:
    found = await stored_of(bus, run.id, AnswerConcluded)
    return found[0] if found else None


async def test_enough_evidence_goes_to_the_synthesis() -> None:
    bus = bus_of_today()
    run = await judge(bus, await ranked(bus, enough=True))
    assert len(await stored_of(bus, run.id, SynthesisRequested)) == 1
    assert await rounds(bus, run) == []
    assert await end_of(bus, run.id) is None


async def test_a_gap_leads_to_a_further_round_on_the_sources_kept_for_it() -> None:
    bus = bus_of_today()
    run = await judge(bus, await ranked(bus, enough=False))
    (plan,) = await rounds(bus, run)
    assert (plan.meta.round, plan.sources) == (2, ("tavily",))
    assert plan.reason
    assert plan.strategy is not None
    first = strategy_of(question_analysis())
    assert not {r.groups for r in plan.strategy.rungs} & {r.groups for r in first.rungs} or plan.strategy != first
    (request,) = await stored_of(bus, run.id, RetrievalRequested)
    assert (request.source, request.meta.round, request.limit) == ("tavily", 2, WEB.gap_records)
    (timer,) = bus._timers.values()
    assert (timer.event.joiner, timer.event.meta.round) == ("normaliser", 2)
    assert request.deadline_at == timer.event.due_at == plan.retrieval_deadline_at
    assert await outcome(bus, run) is None


@pytest.mark.parametrize(("left_s", "search_s"), [(100.0, 50.0), (3600.0, 500.0)])
async def test_a_further_round_takes_at_most_half_of_the_time_that_is_left(left_s: float, search_s: float) -> None:
    bus = bus_of_today()
    settings = Settings(sources="library,tavily", gap_sources="tavily", retrieval_deadline_s=500)
    run = await judge(bus, await ranked(bus, enough=False, left_s=left_s), settings=settings)
    (plan,) = await rounds(bus, run)
    assert abs((plan.retrieval_deadline_at - bus.now).total_seconds() - search_s) < 10


@pytest.mark.parametrize(
    ("settings", "left_s", "round_"),
    [
        (WEB, 60.0, 2),
        (WEB, 9.0, 1),
        (WEB, -1.0, 1),
        (Settings(sources="library", gap_sources="tavily"), 60.0, 1),
        (Settings(sources="library,tavily", gap_sources=""), 60.0, 1),
    ],
    ids=["second round", "too little time", "no time", "no retriever", "switched off"],
)
async def test_without_a_further_round_too_little_evidence_is_the_outcome(
    settings: Settings, left_s: float, round_: int
) -> None:
    """At most one further round; none that could not be finished; none on sources that nobody searches."""
    bus = bus_of_today()
    run = await judge(bus, await ranked(bus, enough=False, left_s=left_s, round_=round_), settings=settings)
    assert await rounds(bus, run) == []
    concluded = await outcome(bus, run)
    assert concluded is not None
    assert (concluded.status, concluded.meta.round) == (AnswerStatus.TOO_LITTLE_EVIDENCE, 0)
    assert concluded.message
    assert concluded.gap is not None
    end = await end_of(bus, run.id)
    assert end is not None
    assert (end.kind, end.results) == (EndKind.COMPLETED, (concluded.meta.event_id,))


async def test_evidence_that_is_decided_upon_is_not_judged_again() -> None:
    """After a crash before the acknowledgement there is less time: judged again, it would come out otherwise."""
    bus = bus_of_today()
    event = await ranked(bus, enough=False)
    run = await judge(bus, event)
    before, told = await bus.history(run.id), len(bus.told)
    await judge(bus, event, settings=Settings(sources="library"), again=True)
    assert await bus.history(run.id) == before
    assert len(bus.told) == told


async def test_a_synthesis_that_was_asked_for_is_not_asked_for_again() -> None:
    bus = bus_of_today()
    event = await ranked(bus, enough=True)
    run = await judge(bus, event)
    before, told = await bus.history(run.id), len(bus.told)
    await judge(bus, event, again=True)
    assert await bus.history(run.id) == before
    assert len(bus.told) == told


async def test_an_outcome_whose_end_was_not_stored_before_a_crash_ends_the_run_when_it_is_delivered_again() -> None:
    bus = bus_of_today()
    event = await ranked(bus, enough=False, left_s=5)
    run = await judge(bus, event)
    first = await outcome(bus, run)
    bus._messages = [m for m in bus._messages if RunEnded.event_name not in m.subject.split(".")]
    assert await end_of(bus, run.id) is None
    await judge(bus, event, again=True)
    assert await end_of(bus, run.id) is not None
    assert await outcome(bus, run) == first


async def test_what_was_delivered_but_not_judged_is_judged() -> None:
    bus = bus_of_today()
    run = await judge(bus, await ranked(bus, enough=True), again=True)
    assert len(await stored_of(bus, run.id, SynthesisRequested)) == 1


async def test_a_models_judgement_goes_to_the_synthesis_under_its_name() -> None:
    bus = bus_of_today()
    model, provider = model_that(honest_answer)
    run = await judge(bus, await ranked(bus, enough=True), model=model)
    (request,) = await stored_of(bus, run.id, SynthesisRequested)
    assert request.gap.method == f"code and {provider.asked[0].model}"
    assert (await model.account(run)).notes == ()


async def test_a_model_is_not_asked_about_evidence_that_is_not_there() -> None:
    bus = bus_of_today()
    model, provider = model_that(silent)
    await judge(bus, await ranked(bus, enough=False), model=model)
    assert provider.asked == []


async def test_without_its_model_the_evidence_is_judged_by_rules_and_that_is_noted() -> None:
    bus = bus_of_today()
    model, _ = model_that(silent)
    run = await judge(bus, await ranked(bus, enough=True), model=model)
    assert len(await stored_of(bus, run.id, SynthesisRequested)) == 1
    (note,) = (await model.account(run)).notes
    assert note.startswith("Whether the evidence is enough was judged by rules alone")
