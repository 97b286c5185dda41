"""A request for a synthesis in, a draft out; failed claims in, the one revision out."""

from __future__ import annotations

from dataclasses import dataclass

from openwork_bus.run import Run
from openwork_bus.telemetry import OUTPUT_VALUE
from openwork_contracts.answer import AnswerDrafted, DraftSection, RevisionRequested, Usage
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.gap import SynthesisRequested
from openwork_llm.client import LanguageModel
from openwork_llm.deadline import run_deadline

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
from openwork_synthesiser.domain.thresholds import LIMITS, SynthesisLimits

EXTRACTIVE = "extractive, without a language model"


@dataclass(frozen=True, slots=True)
class Written:
    """Sections and who wrote them."""

    sections: tuple[DraftSection, ...]
    method: str = EXTRACTIVE
    degradations: tuple[str, ...] = ()


async def on_synthesis_requested(
    event: SynthesisRequested, run: Run, *, model: LanguageModel, limits: SynthesisLimits = LIMITS
) -> None:
    """Write the draft. It goes to the verifier, never to a reader."""
    with run.telemetry.span("draft", "CHAIN") as span:
        written = await _draft(event, run, model, limits)
        if run.telemetry.content:
            span.set_attribute(OUTPUT_VALUE, _plain(written.sections))
    await run.publish(_drafted(run, written, await model.usage(run), revision=0))


async def on_revision_requested(
    event: RevisionRequested, run: Run, *, model: LanguageModel, limits: SynthesisLimits = LIMITS
) -> None:
    """Write once more without what failed."""
    request = await run.require(SynthesisRequested)
    with run.telemetry.span("revise", "CHAIN") as span:
        written = await _revision(event, request, run, model, limits)
        if run.telemetry.content:
            span.set_attribute(OUTPUT_VALUE, _plain(written.sections))
    await run.publish(_drafted(run, written, await model.usage(run), revision=1))


async def _draft(event: SynthesisRequested, run: Run, model: LanguageModel, limits: SynthesisLimits) -> Written:
    """The model's draft; the extractive one without a model, or without a usable answer of it."""
    why = None
    if model.enabled:
        tier = tier_of(event.analysis, event.gap)
        try:
            answer = await model.write(
                synthesis_prompt(),
                synthesis_fillings(event),
                run,
                tier=tier,
                deadline_at=await run_deadline(run, event.track),
                on_text=_streamed(run, revision=0),
            )
        except OpenWorkError as error:
            why = f"The answer was put together from sentences of the sources: {error}."
        else:
            if sections := drafted_sections(answer.value, event, limits):
                return Written(sections, method=answer.model)
            why = (
                "The answer was put together from sentences of the sources: "
                f"the draft of model {answer.model!r} had no cited sentence."
            )
    sections = await run.in_thread(draft, event.analysis, event.passages, event.documents, event.gap, limits)
    return Written(sections, degradations=(why,) if why else ())


async def _revision(
    event: RevisionRequested, request: SynthesisRequested, run: Run, model: LanguageModel, limits: SynthesisLimits
) -> Written:
    """The model's revision of its own draft; else the failed sentences give way to sentences of the sources."""
    first = await run.require(AnswerDrafted, "0")
    by_model = first.method != EXTRACTIVE
    why = None
    if model.enabled and by_model and may_revise(event):
        try:
            answer = await model.write(
                revision_prompt(),
                revision_fillings(event, request),
                run,
                deadline_at=await run_deadline(run, request.track),
                on_text=_streamed(run, revision=1),
            )
        except OpenWorkError as error:
            why = f"The draft was revised with sentences of the sources: {error}."
        else:
            if sections := drafted_sections(answer.value, request, limits):
                by = first.method if answer.model == first.method else f"{first.method}, revised by {answer.model}"
                return Written(sections, method=by, degradations=first.degradations)
            why = "The draft was revised with sentences of the sources: the model's revision had no cited sentence."
    elif by_model:
        why = (
            f"The draft was revised with sentences of the sources: {len(event.failed)} of {event.verification.claims} "
            f"sentences of {first.method!r} did not pass the check."
        )
    sections = await run.in_thread(
        revise, event.draft, event.failed, request.analysis, request.passages, request.documents, request.gap, limits
    )
    method = f"{first.method}, revised without a language model" if by_model else EXTRACTIVE
    return Written(sections, method, (*first.degradations, *((why,) if why else ())))


def _streamed(run: Run, *, revision: int) -> _Stream:
    return _Stream(run, revision)


@dataclass(frozen=True, slots=True)
class _Stream:
    """The draft as it is written, for watchers; marked as unverified, since the verifier has not seen it."""

    run: Run
    revision: int

    async def __call__(self, text: str, n_try: int) -> None:
        await self.run.live("token", text=text, revision=self.revision, attempt=n_try, verified=False)


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
