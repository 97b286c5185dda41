"""A request for a synthesis in, a draft out; failed claims in, the one revision out."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import Annotated

from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_bus.span_attributes import INPUT_VALUE, OUTPUT_VALUE
from openwork_contracts.answer import AnswerDrafted, DraftSection, RevisionRequested, SectionKind, Usage
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.gap import SynthesisRequested
from openwork_contracts.plan import SearchPlanned
from openwork_contracts.ranking import EvidenceRanked
from openwork_contracts.verdict import ClaimVerdict
from openwork_evidence.library.references import resolved_candidate
from openwork_language.searching.ladder import strategy_of
from openwork_llm.calls import OnText
from openwork_llm.client import LanguageModel

from openwork_synthesiser.domain.assignment import Assignment
from openwork_synthesiser.domain.draft import draft, nearest, without_failed
from openwork_synthesiser.domain.mending import mended_claims, with_mended
from openwork_synthesiser.domain.model_claims import ModelDraft, ModelRevision, Sieve
from openwork_synthesiser.domain.model_draft import (
    Returned,
    drafted_sections,
    returned,
    revision_fillings,
    revision_prompt,
    synthesis_fillings,
    synthesis_prompt,
    tier_of,
)
from openwork_synthesiser.domain.on_question import held_sources
from openwork_synthesiser.domain.revise import revise
from openwork_synthesiser.domain.thresholds import SynthesisLimits

EXTRACTIVE = "extractive, without a language model"
_SENTENCE_BEGUN = re.compile(r'"text"\s*:')
"""In the JSON that a model is writing; inside a text the quotation marks would be escaped."""


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
        span.set_attributes(_written_attributes(plan.analysis.question, written, revision=0))
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
        span.set_attributes(_written_attributes(plan.analysis.question, written, revision=1))
    await run.publish(_drafted(run, written, await model.usage(run), revision=1))


def _written_attributes(question: str, written: Written, *, revision: int) -> dict[str, str | int]:
    """What the trace says of a draft."""
    return {
        INPUT_VALUE: question,
        OUTPUT_VALUE: _plain(written.sections),
        "openwork.method": written.method,
        "openwork.n_claims": sum(len(section.claims) for section in written.sections),
        "openwork.revision": revision,
    }


async def _assignment(run: Run, event: SynthesisRequested) -> tuple[SearchPlanned, Assignment]:
    """The plan of this round, and what is to be written from its evidence."""
    plan, ranked = await asyncio.gather(run.plan(), run.require(EvidenceRanked))
    documents = tuple(map(resolved_candidate, ranked.documents))
    strategy = plan.strategy or strategy_of(plan.analysis)
    return plan, Assignment(plan.analysis, ranked.passages, documents, event.gap, strategy, event.conclusion)


async def _draft(
    assignment: Assignment, plan: SearchPlanned, run: Run, model: LanguageModel, limits: SynthesisLimits
) -> Written:
    """The model's draft; the extractive one without a model, or without a usable answer of it."""
    why: tuple[str, ...] = ()
    if assignment.conclusion is not None and assignment.conclusion.tells_nearest:
        return Written(nearest(assignment.conclusion))
    sources = held_sources(assignment, limits) if model.enabled else frozenset()
    if sources:
        try:
            written = await _by_model(assignment, sources, plan, run, model, limits)
        except OpenWorkError as error:
            why = (f"The answer was put together from sentences of the sources: {error}.",)
        else:
            if written.sections:
                return written
            why = written.degradations
    # On the event loop: a pack of passages is read in ms, and threads for such steps cost an answer 5 ms more.
    sections = draft(
        assignment.analysis,
        assignment.passages,
        assignment.documents,
        assignment.gap,
        limits,
        conclusion=assignment.conclusion,
    )
    return Written(sections, degradations=why)


async def _by_model(
    assignment: Assignment,
    sources: frozenset[int],
    plan: SearchPlanned,
    run: Run,
    model: LanguageModel,
    limits: SynthesisLimits,
) -> Written:
    """The model's draft, sifted; no sections = none of its sentences can be used, and the degradations say why."""
    answer = await model.ask(
        synthesis_prompt(),
        synthesis_fillings(assignment, sources),
        ModelDraft,
        run,
        tier=tier_of(assignment.analysis, assignment.gap),
        deadline_at=plan.run_deadline_at,
        on_text=_counting(run),
    )
    sifted = Sieve(assignment, sources).sift(answer.value.claims)
    told = (sifted.told,) if sifted.told else ()
    sections = drafted_sections(sifted.held, assignment, limits)
    if sections:
        return Written(sections, answer.model, told)
    why = "nothing beside what they say already" if sifted.held else "no sentence that can be used"
    none = f"model {answer.model!r} wrote {why}"
    return Written((), answer.model, (f"The answer was put together from sentences of the sources: {none}.", *told))


def _counting(run: Run) -> OnText:
    """Tells watchers how many sentences are written, and never a word of them: nobody has checked them yet."""
    n_told = 0

    async def on_text(text: str) -> None:
        nonlocal n_told
        n_written = len(_SENTENCE_BEGUN.findall(text))
        if n_written > n_told:
            n_told = n_written
            await run.progress("write the draft", done=n_written)

    return on_text


async def _revision(
    event: RevisionRequested,
    assignment: Assignment,
    plan: SearchPlanned,
    run: Run,
    model: LanguageModel,
    limits: SynthesisLimits,
) -> Written:
    """The model's failed claims in its new words; else, and for the program's own, sentences of the sources."""
    first = await run.require(AnswerDrafted, "0")
    if assignment.conclusion is not None and assignment.conclusion.tells_nearest:
        return Written(without_failed(first.sections, event.failed))
    if first.method == EXTRACTIVE:
        return Written(_from_sources(first.sections, event.failed, assignment, limits), EXTRACTIVE, first.degradations)
    back = returned(first.sections, event, assignment)
    why = None
    if model.enabled and back.may_be_mended:
        try:
            written = await _mended(first, back, assignment, plan, run, model, limits)
        except OpenWorkError as error:
            why = f"The draft was revised with sentences of the sources: {error}."
        else:
            if any(section.kind is SectionKind.DIRECT_ANSWER for section in written.sections):
                return written
            why = "The draft was revised with sentences of the sources: the model left nothing that answers."
    elif back.of_model:
        why = (
            f"The draft was revised with sentences of the sources: {len(back.of_model)} of {back.n_by_model} "
            f"sentences of {first.method!r} did not pass the check."
        )
    sections = _from_sources(first.sections, event.failed, assignment, limits)
    method = f"{first.method}, revised without a language model"
    return Written(sections, method, (*first.degradations, *((why,) if why else ())))


async def _mended(
    first: AnswerDrafted,
    back: Returned,
    assignment: Assignment,
    plan: SearchPlanned,
    run: Run,
    model: LanguageModel,
    limits: SynthesisLimits,
) -> Written:
    """The draft with the failed claims as the model mended them, asked on the tier that wrote them."""
    answer = await model.ask(
        revision_prompt(),
        revision_fillings(back.of_model, assignment),
        ModelRevision,
        run,
        tier=tier_of(assignment.analysis, assignment.gap),
        deadline_at=plan.run_deadline_at,
    )
    sieve = Sieve(assignment, frozenset(n for verdict in back.of_model for n in verdict.citations))
    mended, sifted = mended_claims(answer.value.claims, back.of_model, first.sections, sieve)
    sections = with_mended(first.sections, back.of_model, mended)
    if back.of_program:
        sections = _from_sources(sections, back.of_program, assignment, limits)
    by = first.method if answer.model == first.method else f"{first.method}, revised by {answer.model}"
    return Written(sections, by, (*first.degradations, *((sifted.told,) if sifted.told else ())))


def _from_sources(
    sections: tuple[DraftSection, ...],
    failed: tuple[ClaimVerdict, ...],
    assignment: Assignment,
    limits: SynthesisLimits,
) -> tuple[DraftSection, ...]:
    """The sections with sentences of the sources where claims failed."""
    return revise(
        sections, failed, assignment.analysis, assignment.passages, assignment.documents, assignment.gap, limits
    )


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
