"""What the gate says of a text, as a colleague's remarks on the page: sentence, verdict in words, words to look at.

Proofs come before what is only to be looked at. The codes stand in the JSON; docs/verdicts.md explains both.
"""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from openwork.models import FindingKind, ReasonCode, TextOrigin, Verdict

from openwork_cli.output import one_line

if TYPE_CHECKING:
    from openwork.models import ClaimVerdict, EvidenceSpan, VerdictReason, VerificationReport, VerificationScores

_C = ReasonCode
VERDICTS = {
    Verdict.SUPPORTED: "Supported",
    Verdict.NOT_CONFIRMED: "Not confirmed",
    Verdict.PARTLY_SUPPORTED: "Not confirmed",
    Verdict.UNSUPPORTED: "Not in the source",
    Verdict.CONTRADICTED: "Contradicted",
    Verdict.UNCITED: "No citation",
    Verdict.NOT_A_CLAIM: "Nothing to check",
}
"""How a verdict is called where people read it."""
COUNTED = {Verdict.UNSUPPORTED: "not borne out", Verdict.UNCITED: "without a citation"}
"""Where the others are counted by their names."""
NOT_BORNE_OUT = {
    _C.CITATION_UNKNOWN: "Cites what is not there",
    _C.ADVICE_LANGUAGE: "Advice, not evidence",
    _C.RETRACTED_SOURCE: "Rests on a retracted source",
}
"""Of `unsupported`, what is proved where it is not that the source lacks something."""
LOOK_AT = {
    _C.CITATION_MISSING: "what it is to cite",
    _C.CITATION_UNKNOWN: "the number in brackets",
    _C.NUMBER_NOT_FOUND: "the number",
    _C.NUMBER_NOT_BOUND: "which arm, outcome and time the number belongs to",
    _C.UNIT_MISMATCH: "the unit",
    _C.INTERVAL_MISMATCH: "the interval",
    _C.CELL_DIFFERS: "the value",
    _C.DRUG_NOT_FOUND: "the drug",
    _C.DISEASE_NOT_FOUND: "the disease",
    _C.ENTITY_NOT_FOUND: "the name",
    _C.INTERVENTION_NOT_FOUND: "what was given",
    _C.WORD_REPLACED: "the word that differs",
    _C.POPULATION_NOT_FOUND: "who was studied",
    _C.OUTCOME_NOT_FOUND: "the outcome",
    _C.ARMS_SWAPPED: "which arm did better",
    _C.DIRECTION_REVERSED: "which way the effect goes",
    _C.DIRECTION_NOT_FOUND: "whether there is such an effect",
    _C.NULL_RESULT: "whether a difference was shown at all",
    _C.CERTAINTY_OVERSTATED: "how sure the source is",
    _C.SCOPE_CHANGED: "who is excluded",
    _C.SUBGROUP_AS_WHOLE: "whether it holds of all or of a subgroup",
    _C.COMPOSITE_AS_COMPONENT: "whether it is the composite or a part of it",
    _C.NONINFERIORITY_OVERSTATED: "whether noninferior, equivalent or better was shown",
    _C.QUANTIFIER_CHANGED: "how many are meant",
    _C.DESIGN_DIFFERS: "how the study was made",
    _C.RECOMMENDATION_DIFFERS: "what is recommended, and how strongly",
    _C.EVIDENCE_SET_DIFFERS: "the sources as a set",
    _C.CONTENT_NOT_FOUND: "whether the source says this",
    _C.ADVICE_LANGUAGE: "the advice",
    _C.RETRACTED_SOURCE: "the status of the source",
    _C.NOT_ENTAILED: "how another reader understood it",
}
"""What a person lays beside the source, for each code; of a code newer than this file its own words."""
_OF_A_NUMBER = {_C.NUMBER_NOT_FOUND, _C.NUMBER_NOT_BOUND, _C.UNIT_MISMATCH, _C.INTERVAL_MISMATCH, _C.CELL_DIFFERS}
_MOST_REMARKS = 4
"""On one sentence, unless more is proved: who reads on has begun to look."""
_MOST_QUOTED = 200
"""Characters of the source under a remark."""
_QUOTED = re.compile(r"(?<!\w)'((?:[^'\\]|\\.)+)'(?!\w)|\"((?:[^\"\\]|\\.)+)\"")
_STOP = re.compile(r"[.!?:]['\")\]]*$")
_NARROWEST = 30


def page(report: VerificationReport) -> str:
    """The remarks, a paragraph for each sentence, and what they come to."""
    paragraphs = ["\n".join(_paragraph(claim)) for claim in report.claims]
    return "\n\n".join([*paragraphs, _wrapped(summary(report), "")]) + "\n"


def summary(report: VerificationReport) -> str:
    """How many sentences passed, and what became of the others."""
    scores = report.scores
    if not scores.claims:
        return "No sentence claims anything that a source could bear out."
    counts: dict[str, int] = {}
    for claim in report.claims:
        counts[claim.verdict] = counts.get(claim.verdict, 0) + 1
    order = [*VERDICTS, *counts]
    found = {verdict: counts[verdict] for verdict in order if verdict in counts and verdict != Verdict.NOT_A_CLAIM}
    parts = [f"{n} {COUNTED.get(verdict) or verdict_in_words(verdict).lower()}" for verdict, n in found.items()]
    rates = f"Grounding {scores.grounding_score:.2f}, citation coverage {scores.citation_coverage:.2f}."
    something = f"{scores.claims} {'sentence claims' if scores.claims == 1 else 'sentences claim'} something"
    return f"{something}: {', '.join(parts)}.{_against(scores)} {rates}"


def _against(scores: VerificationScores) -> str:
    """Of the supported sentences those that were laid beside the sources' own words, and those beside summaries."""
    if not scores.against_summaries:
        return ""  # the words of the evidence are the source's, or whoever gave them has not said whose they are
    own = f"{scores.against_own_words} by the sources' own words, " if scores.against_own_words else ""
    return f" Supported {own}{scores.against_summaries} by our summaries, not the papers' words."


def verdict_in_words(verdict: str) -> str:
    """A verdict for people; one that this file does not know in its own words."""
    return VERDICTS.get(verdict) or verdict.replace("_", " ").capitalize()


def _paragraph(claim: ClaimVerdict) -> Iterator[str]:
    marks = "".join(f"[{n}]" for n in claim.citations)
    yield _wrapped(f"{one_line(claim.text)} {marks}".rstrip(), "")
    if claim.verdict == Verdict.NOT_A_CLAIM and not claim.reasons:
        if _STOP.search(claim.text):  # of a heading nothing is said
            yield _wrapped(f"{VERDICTS[Verdict.NOT_A_CLAIM]}.", "  ")
        return
    reasons, n_more = _worth_saying(claim)
    if not reasons:
        yield _wrapped(f"{verdict_in_words(claim.verdict)}.", "  ")
    shown: set[tuple[int, str]] = set()
    for place, reason in enumerate(reasons):
        yield _wrapped(_remark(reason, claim, is_first=place == 0), "  ")
        at = reason.look_at
        if at is not None and (at.n, at.quote) not in shown:
            shown.add((at.n, at.quote))
            yield _wrapped(_quoted(at, reason.detail), "    ")
    if claim.evidence and not shown:
        yield _wrapped(_quoted(claim.evidence[0], " ".join(reason.detail for reason in reasons)), "    ")
    if n_more:
        yield _wrapped(f"{n_more} more in --json.", "  ")


def _worth_saying(claim: ClaimVerdict) -> tuple[list[VerdictReason], int]:
    """Every proof, then one suspicion of each code; how many others there are. A number is wrong once."""
    proofs = [reason for reason in claim.reasons if _is_final(reason, claim)]
    told = {code for proof in proofs for code in (_OF_A_NUMBER if proof.code in _OF_A_NUMBER else {proof.code})}
    open_: dict[str, VerdictReason] = {}
    for reason in claim.reasons:
        if not _is_final(reason, claim) and reason.code not in told:
            open_.setdefault(reason.code, reason)
    room = max(1, _MOST_REMARKS - len(proofs))
    said = [*proofs, *list(open_.values())[:room]]
    return said, len(proofs) + len(open_) - len(said)


def _remark(reason: VerdictReason, claim: ClaimVerdict, *, is_first: bool) -> str:
    missing = reason.code == _C.CITATION_MISSING
    detail = "there is nothing to lay it beside" if missing else one_line(reason.detail).rstrip(". ")
    verdict = verdict_in_words(claim.verdict)
    if claim.verdict == Verdict.UNSUPPORTED and _is_final(reason, claim):
        verdict = NOT_BORNE_OUT.get(reason.code, verdict)
    if _is_final(reason, claim):
        return f"{verdict}: {detail}." if is_first else f"Also: {detail}."
    what = LOOK_AT.get(reason.code) or reason.code.replace("_", " ")
    return f"{verdict}. Look at {what}: {detail}." if is_first else f"Look also at {what}: {detail}."


def _is_final(reason: VerdictReason, claim: ClaimVerdict) -> bool:
    """Whether a finding decides by itself; before findings had kinds the verdict told."""
    if reason.kind is None:
        return claim.verdict not in {Verdict.NOT_CONFIRMED, Verdict.PARTLY_SUPPORTED}
    return reason.kind != FindingKind.SUSPICION


def _quoted(span: EvidenceSpan, detail: str) -> str:
    """The words of the evidence, those around what the remark speaks of where they are too many.

    A summary of ours is no quotation: it is named and stands without quotation marks.
    """
    words = shortened(one_line(span.quote), _named(detail))
    if span.text_origin == TextOrigin.OUR_SUMMARY:
        return f"[{span.n}] our summary, not the paper's words: {words}"
    return f'[{span.n}] "{words}"'


def _named(detail: str) -> Sequence[str]:
    return sorted((one or other for one, other in _QUOTED.findall(one_line(detail))), key=len, reverse=True)


def shortened(text: str, around: Sequence[str] = (), most: int = _MOST_QUOTED) -> str:
    """At most so many characters of a text, whole words, with one of some words in the middle where it holds one."""
    if len(text) <= most:
        return text
    at = next((place for words in around if (place := text.find(words)) >= 0), 0)
    start = max(0, min(at - most // 3, len(text) - most))
    end = start + most
    if start > 0:
        start = text.find(" ", start) + 1 or start
    if end < len(text):
        end = max(text.rfind(" ", start, end), start + most // 2)
    return f"{'... ' if start else ''}{text[start:end]}{' ...' if end < len(text) else ''}"


def _wrapped(text: str, indent: str) -> str:
    """As wide as a terminal; a file or a pipe gets whole lines."""
    if not sys.stdout.isatty():
        return indent + text
    width = max(shutil.get_terminal_size().columns, _NARROWEST)
    lines = textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines)
