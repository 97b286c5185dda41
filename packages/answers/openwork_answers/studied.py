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


@lru_cache(maxsize=2048)
def n_studied(document: EvidenceCandidate) -> int | None:
    """How many people a source studied: the first number of people that it says of them, else those of its arms (whom a
    factorial trial counts twice); `None` = it does not tell."""
    if (told := _N_PEOPLE.search(studied(document))) is not None:
        return int(told["n"].replace(",", ""))
    arms = [arm.n for arm in document.arms]
    return sum(n or 0 for n in arms) if arms and all(arms) else None


_TOOK_IN = (
    r"enrol\w+|entered|randomi[sz]\w+|randomly assigned|assigned|analy[sz]ed|included|includes|pooled|recruited|treated"
    r"|followed|studied|covered|covers|comprised|with|on|in|of"
)
_OTHER_THINGS = r"(?:years?|weeks?|months?|days?|studies|trials|cent(?:er|re)s?|sites|hospitals|countries)"
_N_PEOPLE = re.compile(
    rf"\b(?:{_TOOK_IN})\s+(?:(?!than\b)[a-z]+\s+){{0,2}}(?P<n>\d{{1,3}}(?:,\d{{3}})+|(?!(?:19|20)\d\d\b)\d{{2,6}})"
    r"(?!\s*(?:mg|k?g|mcg|micrograms?|IU|units?|ml)\b)"  # a dose
    rf"\s+(?:(?!{_OTHER_THINGS}\b|and\s+\d)[\w-]+\s+){{0,4}}?"
    r"(?:people|patients|participants|adults|children|infants|newborns|women|men|adolescents|pregnancies|persons"
    r"|individuals|contacts)\b(?!\s+to\s|\s+\(\d+(?:\.\d+)?%\)"  # of an arm, or a share of them
    r"|[^.;,]*\b(?:screened|assessed|eligible)\b|\s+and\s+\d)",  # more than were studied, or half of them
    re.IGNORECASE,
)
_DOSE_FOR_SOME = re.compile(
    r"\s*\((?=[^()]*\d\s?(?:mg|micrograms?|g|units?|IU)\b)"
    r"[^()]*\b(?:when|if|halved|reduced|where|for (?:those|people|patients))\b[^()]*\)",
    re.IGNORECASE,
)
"""A dose for some, and not who was studied: "20 mg (15 mg when creatinine clearance was 30 to 49 mL/min)"."""


def of_whom(document: EvidenceCandidate, own: str | None) -> str:
    """A source's title, whom it says that it studied, and what a result says of its own people."""
    return f"{document.title}. {studied(document)} {own or ''}"
