"""A draft in; a request for its one revision, or the verified answer out. The only way out to a reader."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from openwork_bus.figures import Figures
from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_bus.span_attributes import INPUT_VALUE, OUTPUT_VALUE
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
from openwork_language.searching.ladder import strategy_of
from openwork_llm.client import LanguageModel

from openwork_verifier.domain.conclusions import Forms, forms_of, rows_of
from openwork_verifier.domain.evidence import evidence_items, locate_spans
from openwork_verifier.domain.evidence_set import EvidenceSet
from openwork_verifier.domain.gate import score_claims, verify_claim
from openwork_verifier.domain.judging.answers import Judge
from openwork_verifier.domain.judging.questions import ClaimKey, claims_to_ask
from openwork_verifier.domain.judging.verdicts import Judged, apply, known_claims, with_known
from openwork_verifier.domain.leading import led_by_findable
from openwork_verifier.domain.numbering import Numbering
from openwork_verifier.domain.own_statements import own_statements
from openwork_verifier.domain.references import build_references
from openwork_verifier.domain.set_records import records_of_documents
from openwork_verifier.domain.thresholds import GateThresholds
from openwork_verifier.domain.told import nothing_passed, told_counts, told_verdicts, told_words
from openwork_verifier.domain.words import cited_words
from openwork_verifier.metrics import count_claims

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

    def forms(self, items: Sequence[EvidenceItem]) -> Forms:
        """The sentences of the direct answer that follow from the answer object."""
        strategy = self.plan.strategy or strategy_of(self.plan.analysis)
        return forms_of(self.request.conclusion, self.plan.analysis, strategy, self.passages, self.documents, items)


def _without(sections: Sequence[AnswerSection], forms: Forms) -> tuple[AnswerSection, ...]:
    """The sections without the sentences that are forms."""
    return tuple(
        section.model_copy(update={"claims": tuple(c for c in section.claims if forms.of(c.text) is None)})
        for section in sections
    )


def _merged(
    sections: Sequence[AnswerSection], read: Sequence[AnswerSection], forms: Forms
) -> tuple[AnswerSection, ...]:
    """The forms where they stood, each other sentence as it was judged."""
    merged = []
    for section, other in zip(sections, read, strict=True):
        judged = iter(other.claims)
        claims = tuple(c if forms.of(c.text) is not None else next(judged) for c in section.claims)
        merged.append(section.model_copy(update={"claims": claims}))
    return tuple(merged)


async def on_answer_drafted(
    event: AnswerDrafted,
    run: Annotated[Run, Provided()],
    model: Annotated[LanguageModel, Provided()],
    judge: Annotated[Judge | None, Provided()],
    thresholds: Annotated[GateThresholds, Provided()],
    figures: Annotated[Figures, Provided()],
) -> None:
    """Judge every claim; send it back once; then keep what passed and report what did not."""
    if run.redelivered and await _decided(event, run):
        return
    await run.progress("check every sentence", total=sum(len(s.claims) for s in event.sections))
    basis = await _basis(run)
    items = evidence_items(basis.passages, basis.documents)
    with run.telemetry.span("verification", "EVALUATOR") as span:
        # On the event loop: a pack of passages is read in ms, and threads for such steps cost an answer 5 ms more.
        forms = basis.forms(items)
        judged = _by_code(event.sections, items, basis.known, thresholds, forms)
        notes: list[str] = []
        if judge is not None:  # forms are settled by arithmetic and word by word: nobody is asked about them
            read, notes = await _by_judge(event, run, basis, _without(judged, forms), items, judge, thresholds)
            judged = _merged(judged, read, forms)
        scores = score_claims([c for section in judged for c in section.claims])
        span.set_attributes(_told_of(scores, event.revision))
        if run.telemetry.content:
            lines = (f"{c.verdict.value}: {c.text}" for section in judged for c in section.claims)
            span.set_attributes({INPUT_VALUE: basis.plan.analysis.question, OUTPUT_VALUE: "\n".join(lines)})
    count_claims(figures, (c for section in judged for c in section.claims), revision=event.revision)
    for note in notes:
        await model.note(run, note)
    failed = tuple(c for section in judged for c in section.claims if c.verdict not in _PASSES)
    if failed and event.revision == 0:
        verdicts, counts = told_verdicts(judged), told_counts(scores)
        await run.bus.progress(Progress.of(run, "revise the draft", counts=counts, claims=verdicts))
        await run.publish(RevisionRequested(meta=run.meta(RevisionRequested), failed=failed, verification=scores))
        return
    outcome = await _concluded(event, run, basis, judged, failed, model, notes)
    counts = told_counts(outcome.verification, withheld=len(outcome.withheld))
    await run.bus.progress(Progress.of(run, "checked", counts=counts, claims=told_words(outcome)))
    await run.conclude(outcome)


def _told_of(scores: VerificationScores, revision: int) -> dict[str, int | float]:
    """What the trace says of a draft as it was judged."""
    return {
        "openwork.revision": revision,
        "openwork.n_claims": scores.claims,
        "openwork.n_supported": scores.supported,
        "openwork.n_failed": scores.unsupported,
        "openwork.grounding_score": scores.grounding_score,
        "openwork.citation_coverage": scores.citation_coverage,
    }


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


def _by_code(
    sections: Sequence[DraftSection],
    items: Sequence[EvidenceItem],
    known: EvidenceSet,
    thresholds: GateThresholds,
    forms: Forms,
) -> tuple[AnswerSection, ...]:
    return tuple(
        AnswerSection(
            kind=section.kind,
            heading=section.heading,
            claims=tuple(
                forms.of(claim.text)
                or verify_claim(claim.text, claim.citations, items, thresholds=thresholds, known=known)
                for claim in section.claims
            ),
        )
        for section in sections
    )


async def _by_judge(
    event: AnswerDrafted,
    run: Run,
    basis: Basis,
    judged: tuple[AnswerSection, ...],
    items: Sequence[EvidenceItem],
    judge: Judge,
    thresholds: GateThresholds,
) -> tuple[tuple[AnswerSection, ...], list[str]]:
    """The verdicts after a judge has read claims and sources side by side, and what the reader is to be told of it."""
    known: frozenset[ClaimKey] = frozenset()
    if event.revision > 0:
        first = await run.require(AnswerDrafted, "0")
        known = known_claims(first.sections, await run.require(RevisionRequested))
    again = event.revision == 0 or not await judge.has_judged(run)
    if not again:
        judged = with_known(judged, known, who=judge.name)
    asked = claims_to_ask(judged, items, known=frozenset() if again else known, thresholds=thresholds)
    if not asked:
        return judged, []
    try:
        answers = await judge.judge(asked, items, run, deadline_at=basis.plan.run_deadline_at)
    except OpenWorkError as error:
        told = f"Claims were checked by code alone, not read beside their sources by {judge.name}: {error}."
        return with_known(judged, known, who=judge.name), [told]
    checked = apply(judged, asked, answers, items, who=judge.name)
    return checked.sections, _told(checked, judge.name)


def _told(checked: Judged, who: str) -> list[str]:
    """What a reader is to know of a judge's work."""
    notes = []
    if checked.n_void:
        notes.append(
            f"Of {checked.n_asked} claims, {checked.n_void} were checked by code alone: {who} quoted no words of what "
            "they cite that answer what was asked."
        )
    if checked.n_raised:
        notes.append(
            f"Of {checked.n_asked} claims, {checked.n_raised} looked wrong to the checks by code and are shown since "
            f"{who} found them in what they cite and quoted it; numbers and directions were looked for in those words."
        )
    return notes


async def _concluded(
    event: AnswerDrafted,
    run: Run,
    basis: Basis,
    judged: Sequence[AnswerSection],
    failed: tuple[ClaimVerdict, ...],
    model: LanguageModel,
    notes: Sequence[str],
) -> AnswerConcluded:
    kept = tuple(
        section.model_copy(
            update={"claims": tuple(locate_spans(c, basis.passages) for c in section.claims if c.verdict in _PASSES)}
        )
        for section in judged
    )
    led = led_by_findable(kept, basis.documents)
    kept = tuple(section for section in led.sections if len(section.claims) >= _LEAST_CLAIMS.get(section.kind, 1))
    claims = [c for section in kept for c in section.claims]
    answered = any(c.verdict is Verdict.SUPPORTED for c in claims)
    message = basis.request.message
    in_table = rows_of(basis.request.conclusion)
    cited = list(dict.fromkeys((*(n for c in claims for n in c.citations), *in_table))) if answered else []
    records = await _records(run)
    references, problems = build_references(cited, basis.documents, basis.passages, records, cited_words(claims))
    # Of the draft as it was judged, what failed included: an answer does not look better for what was cut out of it.
    scores = score_claims([*claims, *failed])
    numbering = Numbering(cited, n_documents=len(basis.documents))
    account = await model.account(run)
    return AnswerConcluded(
        meta=run.meta(AnswerConcluded, round_=0),
        status=AnswerStatus.ANSWERED if answered and message is None else AnswerStatus.TOO_LITTLE_EVIDENCE,
        sections=numbering.sections(kept) if answered else (),
        message=message if message is not None or answered else nothing_passed(failed),
        references=numbering.references(references),
        withheld=numbering.claims(locate_spans(c, basis.passages) for c in failed),
        verification=VerificationScores(**{**scores.model_dump(), "removed": len(failed)}),
        revisions=event.revision,
        gap=numbering.gap(basis.request.gap),
        conclusion=numbering.conclusion(basis.request.conclusion),
        usage=account.usage if model.enabled else event.usage,
        degradations=tuple(dict.fromkeys((*problems, *account.notes, *notes, *filter(None, [led.note])))),
    )


async def _records(run: Run) -> list[EvidenceRecord]:
    """What the sources said, word for word: references are checked against single records."""
    retrieved = await run.events(RetrievalCompleted)
    return [resolved_record(record) for event in retrieved for record in event.records]
