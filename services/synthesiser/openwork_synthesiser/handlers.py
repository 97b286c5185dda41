"""A request for a synthesis in, a draft out; failed claims in, the one revision out."""

from __future__ import annotations

from openwork_chassis.run import Run
from openwork_chassis.telemetry import OUTPUT_VALUE
from openwork_contracts.answer import AnswerDrafted, DraftSection, RevisionRequested, Usage
from openwork_contracts.gap import SynthesisRequested

from openwork_synthesiser.draft import draft
from openwork_synthesiser.revise import revise


async def on_synthesis_requested(event: SynthesisRequested, run: Run) -> None:
    """Write the draft. It goes to the verifier, never to a reader."""
    with run.telemetry.span("draft", "CHAIN") as span:
        sections = await run.in_thread(draft, event.analysis, event.passages, event.documents, event.gap)
        if run.telemetry.content:
            span.set_attribute(OUTPUT_VALUE, _plain(sections))
    await run.publish(_drafted(run, sections, revision=0))


async def on_revision_requested(event: RevisionRequested, run: Run) -> None:
    """Write once more without what failed."""
    request = await run.require(SynthesisRequested)
    with run.telemetry.span("revise", "CHAIN") as span:
        sections = await run.in_thread(
            revise, event.draft, event.failed, request.analysis, request.passages, request.documents, request.gap
        )
        if run.telemetry.content:
            span.set_attribute(OUTPUT_VALUE, _plain(sections))
    await run.publish(_drafted(run, sections, revision=1))


def _drafted(run: Run, sections: tuple[DraftSection, ...], *, revision: int) -> AnswerDrafted:
    return AnswerDrafted(
        meta=run.meta(AnswerDrafted, str(revision)),
        revision=revision,
        sections=sections,
        method="extractive, without a language model",
        usage=Usage(),
    )


def _plain(sections: tuple[DraftSection, ...]) -> str:
    return "\n".join(f"{c.text} {list(c.citations)}" for s in sections for c in s.claims)
