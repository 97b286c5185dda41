"""A draft in; a request for its one revision, or the verified answer out. The only way out to a reader."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_bus.telemetry import OUTPUT_VALUE
from openwork_contracts.answer import (
    AnswerConcluded,
    AnswerDrafted,
    AnswerSection,
    AnswerStatus,
    DraftSection,
    RevisionRequested,
    SectionKind,
)
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.evidence import EvidenceCandidate, EvidenceRecord
from openwork_contracts.gap import SynthesisRequested
from openwork_contracts.plan import RetrievalCompleted, SearchPlanned
from openwork_contracts.progress import Progress
from openwork_contracts.ranking import EvidenceRanked, RankedPassage
from openwork_contracts.verdict import ClaimVerdict, EvidenceItem, Verdict, VerificationScores
from openwork_evidence.library.references import resolved_candidate, resolved_record
from openwork_llm.client import LanguageModel

from openwork_verifier.domain.evidence import evidence_items, locate_spans
from openwork_verifier.domain.evidence_set import EvidenceSet
from openwork_verifier.domain.gate import score_claims, verify_claim
from openwork_verifier.domain.model_entailment import (
    ModelEntailment,
    apply,
    claims_to_ask,
    fillings_of,
    known_claims,
    verifier_prompt,
    with_known,
)
from openwork_verifier.domain.numbering import Numbering
from openwork_verifier.domain.own_statements import own_statements
from openwork_verifier.domain.references import build_references
from openwork_verifier.domain.set_records import records_of_documents
from openwork_verifier.domain.thresholds import GateThresholds
from openwork_verifier.domain.told import nothing_passed, told_counts, told_verdicts, told_words

_PASSES = frozenset({Verdict.SUPPORTED, Verdict.NOT_A_CLAIM})
_LEAST_CLAIMS = {SectionKind.CONFLICTS: 2}
"""One side of a disagreement is not one."""


@dataclass(frozen=True, slots=True)
class Basis:
    """What a draft is judged against."""

    plan: SearchPlanned
    request: SynthesisRequested
    passages: tuple[RankedPassage, ...]
    documents: tuple[EvidenceCandidate, ...]

    @property
    def known(self) -> EvidenceSet:
        """What may be said of the evidence as a set."""
        own = own_statements(self.request.gap, self.documents, self.passages)
        return EvidenceSet(records_of_documents(self.documents), own)


async def on_answer_drafted(
    event: AnswerDrafted,
    run: Annotated[Run, Provided()],
    model: Annotated[LanguageModel, Provided()],
    thresholds: Annotated[GateThresholds, Provided()],
) -> None:
    """Judge every claim; send it back once; then keep what passed and report what did not."""
    if run.redelivered and await _decided(event, run):
        return
    await run.progress("check every sentence", total=sum(len(s.claims) for s in event.sections))
    basis = await _basis(run)
    items = evidence_items(basis.passages, basis.documents)
    with run.telemetry.span("verification", "EVALUATOR") as span:
        # On the event loop: a pack of passages is read in ms, and threads for such steps cost an answer 5 ms more.
        judged = _judge(event.sections, items, basis.known, thresholds)
        if model.enabled:
            judged = await _entailment(event, run, basis, judged, items, model)
        scores = score_claims([c for section in judged for c in section.claims])
        span.set_attributes(
            {"openwork.grounding_score": scores.grounding_score, "openwork.citation_coverage": scores.citation_coverage}
        )
        if run.telemetry.content:
            span.set_attribute(
                OUTPUT_VALUE, "\n".join(f"{c.verdict.value}: {c.text}" for s in judged for c in s.claims)
            )
    failed = tuple(c for section in judged for c in section.claims if c.verdict not in _PASSES)
    if failed and event.revision == 0:
        verdicts, counts = told_verdicts(judged), told_counts(scores)
        await run.bus.progress(Progress.of(run, "revise the draft", counts=counts, claims=verdicts))
        await run.publish(RevisionRequested(meta=run.meta(RevisionRequested), failed=failed, verification=scores))
        return
    outcome = await _concluded(event, run, basis, judged, failed, model)
    counts = told_counts(outcome.verification, withheld=len(outcome.withheld))
    await run.bus.progress(Progress.of(run, "checked", counts=counts, claims=told_words(outcome)))
    await run.conclude(outcome)


async def _decided(event: AnswerDrafted, run: Run) -> bool:
    """Whether this draft was judged before a crash: a model could judge differently the second time."""
    outcome = await run.read(AnswerConcluded, round_=0)
    if outcome is not None:
        await run.conclude(outcome)
        return True
    return event.revision == 0 and bool(await run.stored(run.subject(RevisionRequested)))


async def _basis(run: Run) -> Basis:
    plan, request, ranked = await asyncio.gather(
        run.plan(), run.require(SynthesisRequested), run.require(EvidenceRanked)
    )
    return Basis(plan, request, ranked.passages, tuple(map(resolved_candidate, ranked.documents)))


def _judge(
    sections: Sequence[DraftSection], items: Sequence[EvidenceItem], known: EvidenceSet, thresholds: GateThresholds
) -> tuple[AnswerSection, ...]:
    return tuple(
        AnswerSection(
            kind=section.kind,
            heading=section.heading,
            claims=tuple(
                verify_claim(claim.text, claim.citations, items, thresholds=thresholds, known=known)
                for claim in section.claims
            ),
        )
        for section in sections
    )


async def _entailment(
    event: AnswerDrafted,
    run: Run,
    basis: Basis,
    judged: tuple[AnswerSection, ...],
    items: Sequence[EvidenceItem],
    model: LanguageModel,
) -> tuple[AnswerSection, ...]:
    """The verdicts after a model has read claims and sources side by side, in one call: `domain/model_entailment`."""
    prompt = verifier_prompt()
    known: frozenset[tuple[str, tuple[int, ...]]] = frozenset()
    if event.revision > 0 and (await model.account(run)).asked(prompt.name):
        first = await run.require(AnswerDrafted, "0")
        known = known_claims(first.sections, await run.require(RevisionRequested))
        judged = with_known(judged, known)
    asked = claims_to_ask(judged, items, known=known)
    if not asked:
        return judged
    try:
        due = basis.plan.run_deadline_at
        answer = await model.ask(prompt, fillings_of(asked, items), ModelEntailment, run, deadline_at=due)
    except OpenWorkError as error:
        await model.note(run, f"Claims were checked by code alone, not for entailment by a language model: {error}.")
        return judged
    checked = apply(judged, asked, answer.value, items)
    if checked.n_void:
        await model.note(
            run,
            f"Of {checked.n_asked} claims, {checked.n_void} were checked by code alone: the language model quoted no "
            "words of their source.",
        )
    if checked.n_raised:
        await model.note(
            run,
            f"Of {checked.n_asked} claims, {checked.n_raised} say in other words what a language model found in their "
            "source and quoted; numbers, names, direction and certainty were checked by code.",
        )
    return checked.sections


async def _concluded(
    event: AnswerDrafted,
    run: Run,
    basis: Basis,
    judged: Sequence[AnswerSection],
    failed: tuple[ClaimVerdict, ...],
    model: LanguageModel,
) -> AnswerConcluded:
    kept = tuple(
        section.model_copy(
            update={"claims": tuple(locate_spans(c, basis.passages) for c in section.claims if c.verdict in _PASSES)}
        )
        for section in judged
    )
    kept = tuple(section for section in kept if len(section.claims) >= _LEAST_CLAIMS.get(section.kind, 1))
    claims = [c for section in kept for c in section.claims]
    answered = any(c.verdict is Verdict.SUPPORTED for c in claims)
    cited = list(dict.fromkeys(n for c in claims for n in c.citations)) if answered else []
    references, problems = build_references(cited, basis.documents, basis.passages, await _records(run))
    # Of the draft as it was judged, what failed included: an answer does not look better for what was cut out of it.
    scores = score_claims([*claims, *failed])
    numbering = Numbering(cited, n_documents=len(basis.documents))
    account = await model.account(run)
    return AnswerConcluded(
        meta=run.meta(AnswerConcluded, round_=0),
        status=AnswerStatus.ANSWERED if answered else AnswerStatus.TOO_LITTLE_EVIDENCE,
        sections=numbering.sections(kept) if answered else (),
        message=None if answered else nothing_passed(failed),
        references=numbering.references(references),
        withheld=numbering.claims(locate_spans(c, basis.passages) for c in failed),
        verification=VerificationScores(**{**scores.model_dump(), "removed": len(failed)}),
        revisions=event.revision,
        gap=numbering.gap(basis.request.gap),
        usage=account.usage if model.enabled else event.usage,
        degradations=(*problems, *account.notes),
    )


async def _records(run: Run) -> list[EvidenceRecord]:
    """What the sources said, word for word: references are checked against single records."""
    retrieved = await run.events(RetrievalCompleted)
    return [resolved_record(record) for event in retrieved for record in event.records]
