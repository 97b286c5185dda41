"""Language that advises, diagnoses or doses the reader: never part of an answer, whatever it cites."""

from __future__ import annotations

import re

from openwork_contracts.verdict import ReasonCode
from openwork_knowledge.patterns import pattern

from openwork_verifier.domain.findings import Finding

_ADVICE: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "addresses the reader",
        re.compile(rf"\byour?\s+{pattern('advice', 'told_to_you')}\b|\byou\s+(?:have|suffer|will)\b", re.IGNORECASE),
    ),
    (
        "tells the reader what to take",
        re.compile(
            rf"^\W*(?:please\s+)?{pattern('advice', 'order')}\s+(?:(?:to\s+)?(?:a|an|the|your|this|one|two|\d+)\b"
            r"|[a-z]+\s+\d|taking\b|with\s+your|medical|immediate)",
            re.IGNORECASE,
        ),
    ),
    (
        "recommends in its own voice",
        re.compile(
            rf"\b(?:we|i)\s+{pattern('advice', 'own_voice')}\b"
            r"|\b(?:it\s+is|is\s+it)\s+(?:recommended|advisable|advised)\s+(?:that\s+you|to\s+(?:take|start|stop))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "instructs a dose",
        re.compile(
            rf"\bpatients?\s+(?:should|must|need\s+to)\s+{pattern('advice', 'done_to_patients')}\b", re.IGNORECASE
        ),
    ),
)
# A recommendation that is reported is evidence: "The 2023 guideline recommends that patients should receive ...".
_REPORTED = re.compile(rf"\b{pattern('advice', 'body')}\b", re.IGNORECASE)
_PERSONAL = 2


def check_advice(text: str) -> tuple[Finding, ...]:
    """A finding for each way the sentence advises; advice that is reported of a named body is not advice."""
    findings = []
    for i, (what, advises) in enumerate(_ADVICE):
        match = advises.search(text)
        if match and not (i >= _PERSONAL and _REPORTED.search(text)):
            detail = f"{what}: {match.group().strip()!r}"
            findings.append(Finding(ReasonCode.ADVICE_LANGUAGE, detail, proof=True))
    return tuple(findings)
