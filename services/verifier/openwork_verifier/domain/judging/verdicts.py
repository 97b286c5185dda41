"""Verdicts after a judge: what of its answers counts, and what becomes of the claims.

The same for whoever answers. A quotation that does not stand in the cited source, or that does not hold what was asked
for, makes an answer void: the suspicion stands. A claim is shown when every suspicion against it is dispelled; a claim
that code supports is lowered by an answer that counts. No proof is touched: claims with one are not asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from openwork_contracts.answer import AnswerSection, DraftSection, RevisionRequested
from openwork_contracts.evidence import TextOrigin
from openwork_contracts.verdict import (
    ClaimVerdict,
    EvidenceItem,
    FindingKind,
    ReasonCode,
    Verdict,
    VerdictReason,
)

from openwork_verifier.domain.judging.answers import JudgedAnswer, Judgement
from openwork_verifier.domain.judging.questions import (
    ClaimKey,
    Question,
    QuestionedClaim,
    QuestionKind,
    claim_cells,
    is_suspected,
)
from openwork_verifier.domain.judging.quotations import (
    Quotation,
    balance,
    binds_number,
    find_quotation,
    holds_digits,
    holds_number,
    lists_so_many,
    shares_words,
)

MAX_SHOWN_CHARS = 160
"""Of a quotation that is shown as the reason; the whole of it is in `look_at`."""
_ABOUT_EFFECTS = frozenset({QuestionKind.DIRECTION, QuestionKind.STRENGTH})
_WHAT = {
    Judgement.ENTAILED: "bears it out",
    Judgement.NOT_ENTAILED: "does not say all of it",
    Judgement.CONTRADICTED: "contradicts it",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """The sections after a judge."""

    sections: tuple[AnswerSection, ...]
    n_asked: int
    n_void: int
    """Claims of which a question has no answer that counts: there the code's finding stands."""
    n_lowered: int
    """Claims that code supported, and suspected ones that the judge found contradicted."""
    n_raised: int
    """Suspected claims that are shown since every suspicion was dispelled."""


@dataclass(frozen=True, slots=True)
class _Counted:
    """A question with the answer to it that counts; without one its answer was void, or there was none."""

    question: Question
    verdict: Judgement | None = None
    quotation: Quotation | None = None


def apply(
    sections: Sequence[AnswerSection],
    asked: Sequence[QuestionedClaim],
    answers: Sequence[JudgedAnswer],
    items: Sequence[EvidenceItem],
    *,
    who: str,
) -> Judged:
    """The sections with other verdicts where answers count. The first answer to a question counts.

    Args:
        who: the judge's name, for the reader.
    """
    by_number = {item.n: item for item in items}
    first: dict[tuple[int, int], JudgedAnswer] = {}
    for answer in answers:
        first.setdefault((answer.claim, answer.question), answer)
    changed: dict[ClaimKey, ClaimVerdict] = {}
    n_void = n_lowered = n_raised = 0
    for one in asked:
        counted = [_count(one.claim, q, first.get((one.id, q.id)), by_number) for q in one.questions]
        after = _after(one.claim, counted, who)
        changed[one.claim.text, one.claim.citations] = after
        n_void += any(c.verdict is None for c in counted)
        n_raised += is_suspected(one.claim) and after.verdict is Verdict.SUPPORTED
        n_lowered += after.verdict not in {one.claim.verdict, Verdict.SUPPORTED}
    kept = _each_claim(sections, lambda c: changed.get((c.text, c.citations), c))
    return Judged(kept, len(asked), n_void, n_lowered, n_raised)


def _count(
    claim: ClaimVerdict, question: Question, answer: JudgedAnswer | None, items: Mapping[int, EvidenceItem]
) -> _Counted:
    """The answer, where its quotation stands in a cited source and holds what was asked for."""
    if answer is None or answer.source not in claim.citations or answer.source not in items:
        return _Counted(question)
    quotation = find_quotation(answer.quote, items[answer.source])
    if quotation is None or not shares_words(claim.text, quotation):
        return _Counted(question)
    if answer.verdict is Judgement.ENTAILED:
        counts = _dispels(claim, question, quotation, answer)
    elif answer.verdict is Judgement.CONTRADICTED:
        counts = _denies(claim, question, quotation)
    else:
        counts = True
    return _Counted(question, answer.verdict, quotation) if counts else _Counted(question)


def _dispels(claim: ClaimVerdict, question: Question, quotation: Quotation, answer: JudgedAnswer) -> bool:
    """Whether code finds in the quotation what the answer says of it."""
    if question.kind in _ABOUT_EFFECTS:
        _, denied = balance(claim.text, quotation)
        return not denied
    if question.kind is QuestionKind.NAME:
        return holds_digits(question.digits, quotation)
    if question.cell is None:
        return True
    if question.kind is QuestionKind.COUNT:
        return lists_so_many(question.cell, quotation)
    cells = claim_cells(claim.text, [quotation.passage])
    others = [cell for cell in cells if cell.quantity.start != question.cell.quantity.start]
    return binds_number(question.cell, others, quotation, (answer.arm, answer.outcome, answer.time))


def _denies(claim: ClaimVerdict, question: Question, quotation: Quotation) -> bool:
    """Whether the quotation can speak against the claim: it has such a figure, or does not bear its effect out."""
    if question.kind in _ABOUT_EFFECTS:
        borne_out, denied = balance(claim.text, quotation)
        return denied or not borne_out
    return question.kind is not QuestionKind.NUMBER or (
        question.cell is not None and holds_number(question.cell, quotation)
    )


def _after(claim: ClaimVerdict, counted: Sequence[_Counted], who: str) -> ClaimVerdict:
    """The claim with the verdict that the answers give it."""
    against = [c for c in counted if c.verdict in {Judgement.CONTRADICTED, Judgement.NOT_ENTAILED}]
    if all(c.verdict is None for c in counted) or (not against and not is_suspected(claim)):
        return claim
    if all(c.verdict is Judgement.ENTAILED for c in counted):
        quoted = tuple(dict.fromkeys(c.quotation.span for c in counted if c.quotation is not None))
        evidence = (*quoted, *(span for span in claim.evidence if span not in quoted))
        reasons = tuple(_judged(c, who) for c in counted)
        return claim.model_copy(update={"verdict": Verdict.SUPPORTED, "reasons": reasons, "evidence": evidence})
    contradicted = any(c.verdict is Judgement.CONTRADICTED for c in against)
    standing = [reason for c in counted if c.verdict is not Judgement.ENTAILED for reason in c.question.reasons]
    return claim.model_copy(
        update={
            "verdict": Verdict.CONTRADICTED if contradicted else Verdict.NOT_CONFIRMED,
            "reasons": (*standing, *(_judged(c, who) for c in against)),
        }
    )


def _judged(counted: _Counted, who: str) -> VerdictReason:
    """Question, quotation and who judged."""
    assert counted.verdict is not None
    assert counted.quotation is not None
    span = counted.quotation.span
    entailed = counted.verdict is Judgement.ENTAILED and counted.question.reasons
    shown = span.quote if len(span.quote) <= MAX_SHOWN_CHARS else f"{span.quote[:MAX_SHOWN_CHARS]}..."
    ours = " (our summary)" if span.text_origin is TextOrigin.OUR_SUMMARY else ""
    return VerdictReason(
        code=counted.question.reasons[0].code if entailed else ReasonCode.NOT_ENTAILED,
        kind=FindingKind.JUDGED,
        detail=f"{counted.question.shown} As {who} reads it, [{span.n}]{ours} {_WHAT[counted.verdict]}: {shown!r}",
        look_at=span,
    )


def with_known(sections: Sequence[AnswerSection], known: frozenset[ClaimKey], *, who: str) -> tuple[AnswerSection, ...]:
    """The sections with the suspected claims supported that a judge has let stand in the first draft."""
    return _each_claim(
        sections, lambda c: _let_stand(c, who) if (c.text, c.citations) in known and is_suspected(c) else c
    )


def known_claims(draft: Sequence[DraftSection], request: RevisionRequested) -> frozenset[ClaimKey]:
    """The claims of the first draft that did not fail: judged then, and not judged again."""
    failed = {(claim.text, claim.citations) for claim in request.failed}
    return frozenset(
        key for section in draft for claim in section.claims if (key := (claim.text, claim.citations)) not in failed
    )


def _let_stand(claim: ClaimVerdict, who: str) -> ClaimVerdict:
    reasons = tuple(
        r.model_copy(
            update={"kind": FindingKind.JUDGED, "detail": f"{r.detail}; {who} dispelled it in the first draft"}
        )
        for r in claim.reasons
    )
    return claim.model_copy(update={"verdict": Verdict.SUPPORTED, "reasons": reasons})


def _each_claim(
    sections: Sequence[AnswerSection], change: Callable[[ClaimVerdict], ClaimVerdict]
) -> tuple[AnswerSection, ...]:
    return tuple(s.model_copy(update={"claims": tuple(change(c) for c in s.claims)}) for s in sections)
