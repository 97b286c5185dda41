"""Language that advises, diagnoses or doses the reader: never part of an answer, whatever it cites."""

from __future__ import annotations

import re

from openwork_contracts.verdict import ReasonCode, VerdictReason

_ADVICE: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "addresses the reader",
        re.compile(
            r"\byou(?:r)?\s+(?:should|must|need\s+to|ought|can|could|may|have\s+to|are\s+(?:likely|at)|probably|doctor|physician|dose|symptoms?|condition|diagnosis|treatment)\b"
            r"|\byou\s+(?:have|suffer|will)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "tells the reader what to take",
        re.compile(
            r"^\W*(?:please\s+)?(?:take|start|stop|use|avoid|increase|decrease|double|reduce|switch|continue|discontinue|begin|consult|seek|ask|talk|see|call|"
            r"inject|swallow|apply|do\s+not\s+(?:take|use|stop))\s+(?:(?:to\s+)?(?:a|an|the|your|this|one|two|\d+)\b|[a-z]+\s+\d|taking\b|with\s+your|medical|immediate)",
            re.IGNORECASE,
        ),
    ),
    (
        "recommends in its own voice",
        re.compile(
            r"\b(?:we|i)\s+(?:recommend|advise|suggest\s+(?:that\s+)?(?:you|patients|starting|taking|using)|prescribe|would\s+(?:recommend|advise|use))\b"
            r"|\b(?:it\s+is|is\s+it)\s+(?:recommended|advisable|advised)\s+(?:that\s+you|to\s+(?:take|start|stop))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "instructs a dose",
        re.compile(
            r"\bpatients?\s+(?:should|must|need\s+to)\s+(?:take|receive|be\s+(?:given|started\s+on|prescribed)|start|stop|use|switch|avoid)\b",
            re.IGNORECASE,
        ),
    ),
)
# A recommendation that is reported is evidence: "The 2023 guideline recommends that patients should receive ...".
_REPORTED = re.compile(
    r"\b(?:guidelines?|guidance|label(?:ling|ing)?|NICE|WHO|ESC|AHA|ACC|ACCP|KDIGO|ADA|EASD|GOLD|GINA|USPSTF|society|association|statement|panel|committee|consensus|"
    r"prescribing\s+information|authors|recommendations?|task\s+force)\b",
    re.IGNORECASE,
)
_PERSONAL = 2


def check_advice(text: str) -> tuple[VerdictReason, ...]:
    """A finding for each way the sentence advises; advice that is reported of a named body is not advice."""
    findings = []
    for i, (what, pattern) in enumerate(_ADVICE):
        match = pattern.search(text)
        if match and not (i >= _PERSONAL and _REPORTED.search(text)):
            detail = f"{what}: {match.group().strip()!r}"
            findings.append(VerdictReason(code=ReasonCode.ADVICE_LANGUAGE, detail=detail))
    return tuple(findings)
