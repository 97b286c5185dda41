"""Whole runs over the library and the guidelines: whose word leads, what is said to be lacking, each work once."""

from __future__ import annotations

from openwork_answers.forms import lines_of
from openwork_bus.memory import MemoryBus
from openwork_contracts.answer import AnswerConcluded
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.evidence import EvidenceNormalised
from openwork_query.settings import Settings as QuerySettings
from openwork_retrievers.adapters.guidelines import GuidelinesSource
from openwork_retrievers.adapters.library import LibrarySource

from tests.builders import run_on, submitted
from tests.flow import services


async def answered(question: str) -> tuple[AnswerConcluded, EvidenceNormalised]:
    bus = MemoryBus()
    run = run_on(bus)
    await bus.publish(submitted(run, question))
    sources = {"library": LibrarySource(), "guidelines": GuidelinesSource()}
    await services(bus, sources=sources, query=QuerySettings(sources="library,guidelines")).drain()
    events = [stored.event for stored in await bus.history(run.id)]
    (end,) = [event for event in events if isinstance(event, RunEnded)]
    assert end.kind is EndKind.COMPLETED
    (answer,) = [event for event in events if isinstance(event, AnswerConcluded)]
    (evidence,) = [event for event in events if isinstance(event, EvidenceNormalised)]
    return answer, evidence


def words_of(answer: AnswerConcluded) -> str:
    assert answer.conclusion is not None
    return " ".join(line.text for line in lines_of(answer.conclusion))


async def test_a_question_from_india_is_answered_by_indian_guidelines() -> None:
    answer, _ = await answered("What is the first-line drug for type 2 diabetes in India?")
    assert answer.conclusion is not None
    assert answer.conclusion.guidelines
    assert {one.country for one in answer.conclusion.guidelines} == {"IN"}
    assert "contains no" not in words_of(answer)


async def test_a_country_without_a_guideline_is_told_so_before_the_international_one() -> None:
    answer, _ = await answered("What is the first-line vasopressor in septic shock in Brazil?")
    assert words_of(answer).startswith("The evidence found contains no guideline from Brazil about this.")
    assert answer.conclusion is not None
    assert {one.place for one in answer.conclusion.guidelines} == {1}
    assert "(international" in words_of(answer)


async def test_a_body_s_word_is_asked_for_and_no_other_is_told() -> None:
    answer, _ = await answered("What does NICE recommend for hypertension?")
    assert answer.conclusion is not None
    assert answer.conclusion.guidelines
    assert {one.body for one in answer.conclusion.guidelines} == {"NICE"}
    superseded = [one for one in answer.conclusion.guidelines if one.superseded_by]
    assert bool(superseded) == ("no current guideline of NICE" in words_of(answer))


async def test_a_guideline_of_both_sources_is_one_work() -> None:
    _, evidence = await answered("What do European guidelines recommend for HFpEF?")
    both = [one for one in evidence.candidates if {p.source for p in one.provenance} == {"library", "guidelines"}]
    assert both
    names = [one.identifiers.doi for one in evidence.candidates if one.identifiers.doi]
    assert len(names) == len(set(names))
