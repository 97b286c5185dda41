"""The gate: a verdict for every sentence of an answer, by code alone.

Each check (`checks/`) tells what it finds: that citations exist, that numbers stand in the cited passages for the same
thing, that what is named is there, that direction and strength are the source's. A finding is a proof or a suspicion.
Proofs make a claim contradicted or unsupported, a suspicion alone makes it not confirmed, and without any finding it is
supported: good wording never makes up for a wrong number. Nothing here asks a language model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from openwork_contracts.evidence import TextOrigin
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
from openwork_language.wording import without_authors

from openwork_verifier.domain.aligned import align
from openwork_verifier.domain.checks.advice import check_advice
from openwork_verifier.domain.checks.composites import check_composites
from openwork_verifier.domain.checks.designs import check_designs
from openwork_verifier.domain.checks.edits import check_edits
from openwork_verifier.domain.checks.effects import check_effects
from openwork_verifier.domain.checks.labels import check_labels, check_numbered_names
from openwork_verifier.domain.checks.names import check_names, check_outcomes
from openwork_verifier.domain.checks.numbers import Numbers, check_numbers
from openwork_verifier.domain.checks.quantifiers import check_quantifiers
from openwork_verifier.domain.checks.recommendations import check_recommendations
from openwork_verifier.domain.checks.scope import check_scope
from openwork_verifier.domain.checks.significance import check_significance
from openwork_verifier.domain.checks.statements import check_certainty
from openwork_verifier.domain.checks.things import check_things
from openwork_verifier.domain.checks.wording import check_wording
from openwork_verifier.domain.claims import find_claims, states_something
from openwork_verifier.domain.evidence_set import EvidenceSet, check_evidence_set
from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.passages import Passage, read_passage
from openwork_verifier.domain.result_cells import result_cell
from openwork_verifier.domain.rivals import Place
from openwork_verifier.domain.set_records import records_of_items
from openwork_verifier.domain.support import Support, find_support
from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds
from openwork_verifier.domain.words import rests_on_words_of

_C = ReasonCode


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
    titles = [item.title for item in evidence]
    known = EvidenceSet(records_of_items(evidence))
    verdicts = []
    for claim in find_claims(answer_markdown, titles):
        if before_each:
            before_each()
        about = _about_the_set(claim.text, claim.citations, known, titles)
        if about is not None:
            verdicts.append(about)
        elif not claim.states_something:
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
    known: EvidenceSet | None = None,
) -> ClaimVerdict:
    """The verdict for one sentence without its marks.

    Args:
        known: of a run, the records of its evidence and what its program may say of them.
    """
    titles = [item.title for item in evidence]
    about = _about_the_set(text, tuple(citations), known or EvidenceSet(records_of_items(evidence)), titles)
    if about is not None:
        return about
    if not states_something(text, tuple(citations), titles) and not check_advice(text):
        return ClaimVerdict(text=text, citations=tuple(citations), verdict=Verdict.NOT_A_CLAIM)
    return _verify(text, tuple(citations), _by_number(evidence), thresholds)


def _about_the_set(
    text: str, citations: tuple[int, ...], known: EvidenceSet, titles: Sequence[str]
) -> ClaimVerdict | None:
    """The verdict for a statement about the sources as a set; `None` = the sentence is about something else."""
    findings = check_evidence_set(text, citations, known, titles)
    if findings is None:
        return None
    findings = (*findings, *check_advice(text))
    verdict = _verdict(findings) if findings else Verdict.NOT_A_CLAIM
    return ClaimVerdict(text=text, citations=citations, verdict=verdict, reasons=_reasons(findings))


def score_claims(verdicts: Sequence[ClaimVerdict]) -> VerificationScores:
    """The summary of the verdicts, as the contract defines it."""
    claims = [v for v in verdicts if v.verdict is not Verdict.NOT_A_CLAIM]
    passed = [v for v in claims if v.verdict is Verdict.SUPPORTED]
    supported = len(passed)
    rests_on = Counter(map(rests_on_words_of, passed))
    covered = sum(1 for v in claims if len(v.citations) > sum(r.code is _C.CITATION_UNKNOWN for r in v.reasons))
    return VerificationScores(
        claims=len(claims),
        supported=supported,
        unsupported=len(claims) - supported,
        grounding_score=supported / len(claims) if claims else 1.0,
        citation_coverage=covered / len(claims) if claims else 1.0,
        against_own_words=supported - rests_on[TextOrigin.OUR_SUMMARY] - rests_on[TextOrigin.UNKNOWN_ORIGIN],
        against_summaries=rests_on[TextOrigin.OUR_SUMMARY],
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
        missing = Finding(_C.CITATION_MISSING, "no citation mark in or after the sentence", proof=True)
        return ClaimVerdict(text=text, verdict=Verdict.UNCITED, reasons=_reasons([missing, *advice]))
    cited = [passages[n] for n in citations if n in passages]
    findings = [
        Finding(_C.CITATION_UNKNOWN, f"[{n}] is not in the evidence", proof=True)
        for n in citations
        if n not in passages
    ]
    if not cited:
        reasons = _reasons([*findings, *advice])
        return ClaimVerdict(text=text, citations=citations, verdict=Verdict.UNSUPPORTED, reasons=reasons)
    bare = without_authors(text)
    support = find_support(bare, cited, thresholds)
    findings += [*advice, *_retracted(text, cited)]
    checked, rests_on = _checked(bare, citations, cited, support, thresholds)
    findings += checked
    if not findings:
        findings += check_wording(bare, support, cited, thresholds)
    return ClaimVerdict(
        text=text,
        citations=citations,
        verdict=_verdict(findings),
        reasons=_reasons(findings),
        evidence=_spans(support),
        cells=tuple(result_cell(place) for place in rests_on),
    )


def _checked(
    text: str, citations: tuple[int, ...], cited: Sequence[Passage], support: Support, thresholds: GateThresholds
) -> tuple[list[Finding], tuple[Place, ...]]:
    """What the checks by rule find, each code once, and the cells that the claim's numbers rest on."""
    alignment = align(text, support, thresholds)
    if alignment is not None and alignment.is_verbatim:
        return [], ()
    restated = alignment is not None and alignment.ratio >= thresholds.restated_ratio
    named = check_numbered_names(text, cited)
    numbers = check_numbers(
        text, citations, cited, support, names=named.matched, restates=alignment if restated else None
    )
    findings = [
        *named.findings,
        *numbers.findings,
        *check_names(text, cited, support, thresholds),
        *check_things(text, cited),
        *check_edits(alignment, cited),
        *check_labels(text, cited),
        *check_designs(text, cited),
        *check_quantifiers(text, cited, support),
        *check_recommendations(text, cited),
        *check_certainty(text, support, thresholds),
    ]
    if not restated:  # of a restated sentence the edits tell what was turned; elsewhere what it says is weighed
        findings += [
            *_effects(text, cited, support, numbers, thresholds),
            *check_significance(text, support, numbers.rests_on),
            *check_composites(text, numbers.rests_on),
            *check_scope(text, cited, support),
        ]
    proved = {finding.code for finding in findings if finding.proof}
    kept = [finding for finding in findings if finding.proof or finding.code not in proved]
    return list({(f.code, f.detail): f for f in kept}.values()), numbers.rests_on


def _effects(
    text: str, cited: Sequence[Passage], support: Support, numbers: Numbers, thresholds: GateThresholds
) -> tuple[Finding, ...]:
    """What is wrong with a claim's effects: first of all that nobody measured what they are of."""
    found = check_effects(text, cited, support, thresholds, numbers=numbers)
    return (check_outcomes(text, cited) or found) if found else ()


def _reasons(findings: Sequence[Finding]) -> tuple[VerdictReason, ...]:
    """Proofs first."""
    return tuple(f.reason for f in sorted(findings, key=lambda f: not f.proof))


def _retracted(text: str, cited: Sequence[Passage]) -> list[Finding]:
    if "retract" in text.lower() or "withdrawn" in text.lower():
        return []
    return [
        Finding(_C.RETRACTED_SOURCE, f"[{p.item.n}] is {p.item.status}, which the sentence does not say", proof=True)
        for p in cited
        if is_void(p.item.status)
    ]


def _verdict(findings: Sequence[Finding]) -> Verdict:
    proofs = [finding for finding in findings if finding.proof]
    if any(proof.otherwise for proof in proofs):
        return Verdict.CONTRADICTED
    if proofs:
        return Verdict.UNSUPPORTED
    return Verdict.NOT_CONFIRMED if findings else Verdict.SUPPORTED


def _spans(support: Support) -> tuple[EvidenceSpan, ...]:
    return tuple(s.passage.span(s.sentence.text, s.sentence.start, s.sentence.end) for s in support.sentences)
