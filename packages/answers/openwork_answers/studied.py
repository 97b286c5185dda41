"""What a source says of whom it studied."""

from __future__ import annotations

import re
from functools import lru_cache

from openwork_contracts.evidence import EvidenceCandidate
from openwork_evidence.text import abstract_text
from openwork_language.asking.people import whom

_IN_WHOM = re.compile(r"\bin (?:people|patients|adults|children|women|men|those)\b[^.;]*", re.IGNORECASE)
"""Of what a source asked: in whom."""
_WHO = re.compile(
    r"\b(?:population|patients|participants|people|methods?|design|setting|subjects|inclusion)\b", re.IGNORECASE
)


@lru_cache(maxsize=2048)
def studied(document: EvidenceCandidate) -> str:
    """What a source says of whom it studied: the parts of its summary with such a label, else the clauses that tell."""
    labelled = [part.text for part in document.abstract if part.label and _WHO.search(part.label)]
    labelled += [m[0] for part in document.abstract if part.label == "Question" for m in _IN_WHOM.finditer(part.text)]
    if labelled:
        return _DOSE_FOR_SOME.sub("", " ".join(labelled))
    text = abstract_text(document)
    return _DOSE_FOR_SOME.sub("", " ".join(text[clause.start : clause.end] for clause in whom(text)))


_DOSE_FOR_SOME = re.compile(
    r"\s*\((?=[^()]*\d\s?(?:mg|micrograms?|g|units?|IU)\b)"
    r"[^()]*\b(?:when|if|halved|reduced|where|for (?:those|people|patients))\b[^()]*\)",
    re.IGNORECASE,
)
"""A dose for some, and not who was studied: "20 mg (15 mg when creatinine clearance was 30 to 49 mL/min)"."""


def of_whom(document: EvidenceCandidate, own: str | None) -> str:
    """A source's title, whom it says that it studied, and what a result says of its own people."""
    return f"{document.title}. {studied(document)} {own or ''}"
