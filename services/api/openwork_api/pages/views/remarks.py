"""What the gate says of a pasted text, sentence by sentence, beside the words of its sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from openwork_contracts.evidence import TextOrigin
from openwork_contracts.verdict import (
    OPEN_VERDICTS,
    ClaimVerdict,
    EvidenceSpan,
    FindingKind,
    ReasonCode,
    Verdict,
    VerdictReason,
    VerificationReport,
)
from openwork_report.words import whose_words

from openwork_api.pages.views.verdicts import LOOK_AT, NOT_BORNE_OUT, SIGNS, spoken, verdict_words

_COUNTED = {Verdict.UNSUPPORTED: "not borne out", Verdict.UNCITED: "without a citation"}
MOST_QUOTED = 700
"""Characters of a source beside a remark."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words of a source."""

    n: int
    text: str
    whose: str
    ours: bool


@dataclass(frozen=True, slots=True)
class Remark:
    """One reason."""

    look_at: str
    """What to look at; empty where the finding decides by itself."""
    detail: str
    proved: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence and what the gate says of it."""

    text: str
    citations: tuple[int, ...]
    verdict: str
    sign: str
    remarks: tuple[Remark, ...]
    words: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class ReportView:
    """The remarks on a text."""

    sentences: tuple[Judged, ...]
    counted: str
    n_open: int
    """Sentences that claim something and did not pass."""


def report_view(report: VerificationReport) -> ReportView:
    """Every sentence in the order of the text; headings and what claims nothing are among them."""
    return ReportView(tuple(map(_judged, report.claims)), _counted(report), report.scores.unsupported)


def _judged(claim: ClaimVerdict) -> Judged:
    verdict = verdict_words(claim.verdict)
    first = claim.reasons[0] if claim.reasons else None
    if claim.verdict is Verdict.UNSUPPORTED and first and is_final(first, claim):
        verdict = NOT_BORNE_OUT.get(first.code, verdict)
    return Judged(
        text=claim.text,
        citations=claim.citations,
        verdict=verdict,
        sign=SIGNS.get(claim.verdict, "open"),
        remarks=tuple(_remark(reason, claim) for reason in claim.reasons),
        words=tuple(_words(claim)),
    )


def _remark(reason: VerdictReason, claim: ClaimVerdict) -> Remark:
    final = is_final(reason, claim)
    missing = reason.code is ReasonCode.CITATION_MISSING
    detail = "there is nothing to lay it beside" if missing else reason.detail.rstrip(". ")
    return Remark("" if final else LOOK_AT.get(reason.code) or spoken(reason.code.value).lower(), detail, final)


def is_final(reason: VerdictReason, claim: ClaimVerdict) -> bool:
    """Whether a finding decides by itself; before findings had kinds the verdict told."""
    if reason.kind is None:
        return claim.verdict not in OPEN_VERDICTS
    return reason.kind is not FindingKind.SUSPICION


def _words(claim: ClaimVerdict) -> Iterator[Words]:
    spans: dict[tuple[int, str], EvidenceSpan] = {}
    for span in (*(reason.look_at for reason in claim.reasons), *claim.evidence):
        if span is not None:
            spans.setdefault((span.n, span.quote), span)
    for span in list(spans.values())[:4]:
        text = span.quote if len(span.quote) <= MOST_QUOTED else f"{span.quote[:MOST_QUOTED].rstrip()} ..."
        whose = "" if span.text_origin is TextOrigin.UNKNOWN_ORIGIN else whose_words(span.text_origin)
        yield Words(span.n, text, whose, span.text_origin is TextOrigin.OUR_SUMMARY)


def _counted(report: VerificationReport) -> str:
    """ "3 sentences claim something: 1 supported, 2 not confirmed."."""
    scores = report.scores
    if not scores.claims:
        return "No sentence claims anything that a source could bear out."
    counts: dict[Verdict, int] = {}
    for claim in report.claims:
        if claim.verdict is not Verdict.NOT_A_CLAIM:
            counts[claim.verdict] = counts.get(claim.verdict, 0) + 1
    parts = (f"{n} {_COUNTED.get(verdict) or verdict_words(verdict).lower()}" for verdict, n in counts.items())
    something = f"{scores.claims} {'sentence claims' if scores.claims == 1 else 'sentences claim'} something"
    return f"{something}: {', '.join(parts)}."
