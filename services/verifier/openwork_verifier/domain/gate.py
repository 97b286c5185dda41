"""The gate: a verdict for every sentence of an answer, by code alone.

A claim passes if its citations exist, its numbers stand in the cited passages bound to the same thing, what it names
is there, direction and strength are the source's (the hard checks, `checks/`), and what is left, the wording, counts
towards being entailed (`entailment`). A hard finding always wins: good wording never makes up for a wrong number.
Nothing here asks a language model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from openwork_contracts.verdict import (
    ClaimVerdict,
    EvidenceItem,
    EvidenceSpan,
    ReasonCode,
    Verdict,
    VerdictReason,
    VerificationReport,
    VerificationScores,
)
from openwork_knowledge.statuses import is_void

from openwork_verifier.domain.checks.advice import check_advice
from openwork_verifier.domain.checks.edits import check_edits
from openwork_verifier.domain.checks.figures import check_figures
from openwork_verifier.domain.checks.labels import check_labels, check_numbered_names
from openwork_verifier.domain.checks.names import check_names, check_outcomes
from openwork_verifier.domain.checks.numbers import check_numbers
from openwork_verifier.domain.checks.statements import check_certainty, check_direction
from openwork_verifier.domain.claims import find_claims, states_something
from openwork_verifier.domain.entailment import entailment_of
from openwork_verifier.domain.likeness import likeness_of
from openwork_verifier.domain.passages import Passage, read_passage
from openwork_verifier.domain.support import Support, find_support
from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds
from openwork_verifier.domain.wording import without_authors

_C = ReasonCode
# These leave the claim's core standing: it says more than the source, it does not say something else.
_PARTIAL = frozenset({_C.CERTAINTY_OVERSTATED, _C.RETRACTED_SOURCE, _C.CITATION_UNKNOWN})
_SHOWN_CHARS = 120
_OPPOSED = frozenset({_C.DIRECTION_REVERSED, _C.ARMS_SWAPPED})


def verify_answer(
    answer_markdown: str,
    evidence: Sequence[EvidenceItem],
    *,
    thresholds: GateThresholds = THRESHOLDS,
    before_each: Callable[[], None] | None = None,
) -> VerificationReport:
    """Verdicts for all sentences of an answer, in order, and their summary.

    Args:
        answer_markdown: prose with marks such as `[1]` or `[2, 3]`; headings, lists and tables are understood.
        evidence: the numbered texts it may cite; of two items with one number the first counts.
        before_each: called before each sentence is looked at; what it raises stops the work.
    """
    passages = _by_number(evidence)
    verdicts = []
    for claim in find_claims(answer_markdown, [item.title for item in evidence]):
        if before_each:
            before_each()
        if not claim.states_something:
            verdicts.append(ClaimVerdict(text=claim.text, citations=claim.citations, verdict=Verdict.NOT_A_CLAIM))
        else:
            verdicts.append(_verify(claim.text, claim.citations, passages, thresholds))
    return VerificationReport(claims=tuple(verdicts), scores=score_claims(verdicts))


def verify_claim(
    text: str,
    citations: Sequence[int],
    evidence: Sequence[EvidenceItem],
    *,
    thresholds: GateThresholds = THRESHOLDS,
) -> ClaimVerdict:
    """The verdict for one sentence without its marks."""
    titles = [item.title for item in evidence]
    if not states_something(text, tuple(citations), titles) and not check_advice(text):
        return ClaimVerdict(text=text, citations=tuple(citations), verdict=Verdict.NOT_A_CLAIM)
    return _verify(text, tuple(citations), _by_number(evidence), thresholds)


def score_claims(verdicts: Sequence[ClaimVerdict]) -> VerificationScores:
    """The summary of the verdicts, as the contract defines it."""
    claims = [v for v in verdicts if v.verdict is not Verdict.NOT_A_CLAIM]
    supported = sum(1 for v in claims if v.verdict is Verdict.SUPPORTED)
    covered = sum(1 for v in claims if len(v.citations) > sum(r.code is _C.CITATION_UNKNOWN for r in v.reasons))
    return VerificationScores(
        claims=len(claims),
        supported=supported,
        unsupported=len(claims) - supported,
        grounding_score=supported / len(claims) if claims else 1.0,
        citation_coverage=covered / len(claims) if claims else 1.0,
    )


def _by_number(evidence: Sequence[EvidenceItem]) -> dict[int, Passage]:
    passages: dict[int, Passage] = {}
    for item in evidence:
        if item.n not in passages:
            passages[item.n] = read_passage(item)
    return passages


def _verify(
    text: str,
    citations: tuple[int, ...],
    passages: dict[int, Passage],
    thresholds: GateThresholds,
) -> ClaimVerdict:
    advice = check_advice(text)
    if not citations:
        missing = VerdictReason(code=_C.CITATION_MISSING, detail="no citation mark in or after the sentence")
        return ClaimVerdict(text=text, verdict=Verdict.UNCITED, reasons=(missing, *advice))
    cited = [passages[n] for n in citations if n in passages]
    reasons = [
        VerdictReason(code=_C.CITATION_UNKNOWN, detail=f"[{n}] is not in the evidence")
        for n in citations
        if n not in passages
    ]
    if not cited:
        return ClaimVerdict(text=text, citations=citations, verdict=Verdict.UNSUPPORTED, reasons=(*reasons, *advice))
    bare = without_authors(text)
    support = find_support(bare, cited, thresholds)
    hard, opposed = _hard_findings(bare, citations, cited, support, thresholds)
    reasons += [*advice, *hard, *_retracted(text, cited)]
    soft = _wording(bare, support, cited, thresholds)
    # Wording alone may deny a claim; it does not add to what the checks have found, nor take away from it.
    opposed = opposed or (not reasons and any(r.code in _OPPOSED for r in soft))
    reasons += [r for r in soft if r.code not in {found.code for found in reasons}]
    return ClaimVerdict(
        text=text,
        citations=citations,
        verdict=_verdict(reasons, support, opposed=opposed, thresholds=thresholds),
        reasons=tuple(reasons),
        evidence=_spans(support),
    )


def _hard_findings(
    text: str, citations: tuple[int, ...], cited: Sequence[Passage], support: Support, thresholds: GateThresholds
) -> tuple[list[VerdictReason], bool]:
    """What the checks by rule find, and whether a source on the same subject says otherwise."""
    named = check_numbered_names(text, cited)
    numbers = check_numbers(text, citations, support, thresholds, names=named.matched)
    direction = check_direction(text, support, thresholds) or check_figures(text, support, thresholds)
    edits = (*check_edits(text, support, thresholds), *check_labels(text, cited))
    reasons = [
        *(finding.reason for finding in numbers),
        *named.reasons,
        *check_names(text, cited, support, thresholds),
        *direction,
    ]
    reasons += [e for e in edits if e.code not in {r.code for r in reasons}]
    reasons += [c for c in check_certainty(text, support, thresholds) if c.code not in {r.code for r in reasons}]
    opposed = any(e.code in _OPPOSED for e in (*direction, *edits)) or any(finding.contradicts for finding in numbers)
    return reasons, opposed and support.share >= thresholds.topical_share


def _retracted(text: str, cited: Sequence[Passage]) -> list[VerdictReason]:
    if "retract" in text.lower() or "withdrawn" in text.lower():
        return []
    return [
        VerdictReason(
            code=_C.RETRACTED_SOURCE, detail=f"[{p.item.n}] is {p.item.status}, which the sentence does not say"
        )
        for p in cited
        if is_void(p.item.status)
    ]


def _wording(text: str, support: Support, cited: Sequence[Passage], thresholds: GateThresholds) -> list[VerdictReason]:
    """What is to be said of a claim whose wording is not entailed, or is of another outcome."""
    if support.sentences and support.sentences[0].share >= thresholds.restated_share:
        return []  # a restated sentence: what was changed in it, the checks have seen word by word
    outcomes = check_outcomes(text, cited)
    if outcomes:
        return list(outcomes)
    entailment = entailment_of(likeness_of(text, support, cited))
    entailed = entailment.entailed + thresholds.entailed_margin >= max(entailment.refuted, entailment.neutral)
    if entailed and support.share >= thresholds.partly_share:
        return []
    if entailment.refuted - thresholds.refuted_margin >= entailment.neutral and support.sentences:
        best = support.sentences[0]
        detail = f"[{best.passage.item.n}] reads as if it says the opposite: {_short(best.sentence.text)!r}"
        return [VerdictReason(code=_C.DIRECTION_REVERSED, detail=detail)]
    missing = ", ".join(support.missing[:6])
    detail = f"{support.share:.0%} of what it says is in the cited passages" + (
        f"; not there: {missing}" if missing else ""
    )
    return [VerdictReason(code=_C.CONTENT_NOT_FOUND, detail=detail)]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}..."


def _verdict(
    reasons: Sequence[VerdictReason], support: Support, *, opposed: bool, thresholds: GateThresholds
) -> Verdict:
    if not reasons:
        return Verdict.SUPPORTED
    if opposed:
        return Verdict.CONTRADICTED
    codes = {reason.code for reason in reasons}
    if codes <= _PARTIAL:
        return Verdict.PARTLY_SUPPORTED
    if codes <= _PARTIAL | {_C.CONTENT_NOT_FOUND} and support.share >= thresholds.partly_share:
        return Verdict.PARTLY_SUPPORTED
    return Verdict.UNSUPPORTED


def _spans(support: Support) -> tuple[EvidenceSpan, ...]:
    return tuple(
        EvidenceSpan(n=s.passage.item.n, quote=s.sentence.text, start=s.sentence.start, end=s.sentence.end)
        for s in support.sentences
    )
