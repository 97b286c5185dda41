"""A request for a synthesis in, a draft out; failed claims in, the one revision out."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated

from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_bus.telemetry import OUTPUT_VALUE
from openwork_contracts.answer import AnswerDrafted, DraftSection, RevisionRequested, Usage
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.gap import SynthesisRequested
from openwork_contracts.plan import SearchPlanned
from openwork_contracts.ranking import EvidenceRanked
from openwork_evidence.library.references import resolved_candidate
from openwork_llm.client import LanguageModel

from openwork_synthesiser.domain.assignment import Assignment
from openwork_synthesiser.domain.draft import draft
from openwork_synthesiser.domain.model_draft import (
    drafted_sections,
    may_revise,
    revision_fillings,
    revision_prompt,
    synthesis_fillings,
    synthesis_prompt,
    tier_of,
)
from openwork_synthesiser.domain.revise import revise
from openwork_synthesiser.domain.thresholds import SynthesisLimits

EXTRACTIVE = "extractive, without a language model"


@dataclass(frozen=True, slots=True)
class Written:
    """Sections and who wrote them."""

    sections: tuple[DraftSection, ...]
    method: str = EXTRACTIVE
    degradations: tuple[str, ...] = ()


async def on_synthesis_requested(
    event: SynthesisRequested,
    run: Annotated[Run, Provided()],
    model: Annotated[LanguageModel, Provided()],
    limits: Annotated[SynthesisLimits, Provided()],
) -> None:
    """Write the draft. It goes to the verifier, never to a reader."""
    if run.redelivered and await run.stored(run.subject(AnswerDrafted, "0")):
        return  # written before a crash that came before the acknowledgement
    await run.progress("write the draft")
    plan, assignment = await _assignment(run, event)
    with run.telemetry.span("draft", "CHAIN") as span:
        written = await _draft(assignment, plan, run, model, limits)
        if run.telemetry.content:
            span.set_attribute(OUTPUT_VALUE, _plain(written.sections))
    await run.publish(_drafted(run, written, await model.usage(run), revision=0))


async def on_revision_requested(
    event: RevisionRequested,
    run: Annotated[Run, Provided()],
    model: Annotated[LanguageModel, Provided()],
    limits: Annotated[SynthesisLimits, Provided()],
) -> None:
    """Write once more without what failed."""
    if run.redelivered and await run.stored(run.subject(AnswerDrafted, "1")):
        return
    await run.progress("revise the draft")
    plan, assignment = await _assignment(run, await run.require(SynthesisRequested))
    with run.telemetry.span("revise", "CHAIN") as span:
        written = await _revision(event, assignment, plan, run, model, limits)
        if run.telemetry.content:
            span.set_attribute(OUTPUT_VALUE, _plain(written.sections))
    await run.publish(_drafted(run, written, await model.usage(run), revision=1))


async def _assignment(run: Run, event: SynthesisRequested) -> tuple[SearchPlanned, Assignment]:
    """The plan of this round, and what is to be written from its evidence."""
    plan, ranked = await asyncio.gather(run.plan(), run.require(EvidenceRanked))
    documents = tuple(map(resolved_candidate, ranked.documents))
    return plan, Assignment(plan.analysis, ranked.passages, documents, event.gap)


async def _draft(
    assignment: Assignment, plan: SearchPlanned, run: Run, model: LanguageModel, limits: SynthesisLimits
) -> Written:
    """The model's draft; the extractive one without a model, or without a usable answer of it."""
    why = None
    if model.enabled:
        try:
            answer = await model.write(
                synthesis_prompt(),
                synthesis_fillings(assignment),
                run,
                tier=tier_of(assignment.analysis, assignment.gap),
                deadline_at=plan.run_deadline_at,
            )
        except OpenWorkError as error:
            why = f"The answer was put together from sentences of the sources: {error}."
        else:
            if sections := drafted_sections(answer.value, assignment, limits):
                return Written(sections, method=answer.model)
            why = (
                "The answer was put together from sentences of the sources: "
                f"the draft of model {answer.model!r} had no cited sentence."
            )
    # On the event loop: a pack of passages is read in ms, and threads for such steps cost an answer 5 ms more.
    sections = draft(assignment.analysis, assignment.passages, assignment.documents, assignment.gap, limits)
    return Written(sections, degradations=(why,) if why else ())


async def _revision(
    event: RevisionRequested,
    assignment: Assignment,
    plan: SearchPlanned,
    run: Run,
    model: LanguageModel,
    limits: SynthesisLimits,
) -> Written:
    """The model's revision of its own draft; else the failed sentences give way to sentences of the sources."""
    first = await run.require(AnswerDrafted, "0")
    by_model = first.method != EXTRACTIVE
    why = None
    if model.enabled and by_model and may_revise(event):
        try:
            fillings = revision_fillings(first.sections, event, assignment)
            answer = await model.write(revision_prompt(), fillings, run, deadline_at=plan.run_deadline_at)
        except OpenWorkError as error:
            why = f"The draft was revised with sentences of the sources: {error}."
        else:
            if sections := drafted_sections(answer.value, assignment, limits):
                by = first.method if answer.model == first.method else f"{first.method}, revised by {answer.model}"
                return Written(sections, method=by, degradations=first.degradations)
            why = "The draft was revised with sentences of the sources: the model's revision had no cited sentence."
    elif by_model:
        why = (
            f"The draft was revised with sentences of the sources: {len(event.failed)} of {event.verification.claims} "
            f"sentences of {first.method!r} did not pass the check."
        )
    sections = revise(
        first.sections,
        event.failed,
        assignment.analysis,
        assignment.passages,
        assignment.documents,
        assignment.gap,
        limits,
    )
    method = f"{first.method}, revised without a language model" if by_model else EXTRACTIVE
    return Written(sections, method, (*first.degradations, *((why,) if why else ())))


def _drafted(run: Run, written: Written, usage: Usage, *, revision: int) -> AnswerDrafted:
    return AnswerDrafted(
        meta=run.meta(AnswerDrafted, str(revision)),
        revision=revision,
        sections=written.sections,
        method=written.method,
        usage=usage,
        degradations=written.degradations,
    )


def _plain(sections: tuple[DraftSection, ...]) -> str:
    return "\n".join(f"{c.text} {list(c.citations)}" for s in sections for c in s.claims)
