"""What a source is called in a table: its trial's name, else its first author; with the year."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from openwork_contracts.evidence import EvidenceCandidate
from openwork_evidence.text import abstract_text
from openwork_knowledge.bodies import bodies_in
from openwork_knowledge.designs import DIRECTIVES
from openwork_language.terms import find_terms

_NAME = r"(?!ABSTRACT TRUNCATED)[A-Z][A-Za-z]*[A-Z0-9][A-Za-z0-9]*(?:[- ][A-Z0-9][A-Za-z0-9]*)*"
"""PubMed ends long abstracts of before 2000 with "(ABSTRACT TRUNCATED AT 250 WORDS)"."""
_CALLED = (
    re.compile(rf"\bIn (?:the )?({_NAME})(?=,| trial| study| \(\d{{4}}\))"),
    re.compile(rf"\b[Tt]he ({_NAME})(?= (?:trial|study|investigators|collaborative))"),
    re.compile(
        rf"^({_NAME})(?= (?:found|showed|enrolled|compared|tested|included|was|were|did|reported)\b| \(\d{{4}}\))"
    ),
    re.compile(rf"\(({_NAME})\)(?=: | trial|$)"),
)
_BEFORE_A_COLON = re.compile(rf"^({_NAME})(?=:)")
"""Of a title; in an abstract it is a heading: "BACKGROUND: ..."."""
_BODY = re.compile(
    r"(?<![A-Za-z])((?:[A-Z]{2,8})(?:[/-][A-Z][A-Za-z]{1,7})*)"
    r"(?=\s+(?:\w+\s+)?(?:[Gg]uideline|[Rr]ecommendation|[Ss]tatement|[Ss]tandard|[Ee]xpert))"
)
_MOST_BODIES = 4
_SHORT = re.compile(r"\(([A-Z]{2,10})\)")


def study_name(document: EvidenceCandidate) -> str:
    """ "DAPA-HF 2019", "Fu 2024", "J Clin Med 2022"; of a record without author and journal "PMID 10023943"."""
    own = None if document.study_design in DIRECTIVES else _trial(document.title, abstract_text(document))
    name = own or _author(document) or document.journal
    if not name:
        return f"PMID {document.identifiers.pmid}" if document.identifiers.pmid else "source"
    year = str(document.year) if document.year else ""
    return name if not year or name.endswith(year) else f"{name} {year}"


def is_named(document: EvidenceCandidate, question: str) -> bool:
    """Whether a question names the source's trial: "in SEPSISPAM", "GISSI" of GISSI-Prevenzione.

    What an article or "with" stands before is what is given ("an IABP"), and no trial by the first part of its name.
    """
    whole, *short = trial_names(document) or ("",)
    places = [m.start() for name in (whole, *short) if name for m in _places(name, question)]
    return any(not _GIVES.search(question[:at]) for at in places)


def _places(name: str, question: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w]|-[A-Z0-9])", question)  # REDUCE is not REDUCE-IT


_GIVES = re.compile(r"\b(?:an?|with|without|using)\s+$", re.IGNORECASE)


def trial_names(document: EvidenceCandidate) -> tuple[str, ...]:
    """What its trial is called, and the first part of that where it is an acronym by itself."""
    name = None if document.study_design in DIRECTIVES else _trial(document.title, abstract_text(document))
    if name is None:
        return ()
    first = re.split(r"[- ]", name)[0]
    return (name, first) if _ACRONYM.fullmatch(first) and first != name else (name,)


_ACRONYM = re.compile(r"[A-Z]{4,}")


def _author(document: EvidenceCandidate) -> str:
    return document.authors[0].rsplit(" ", 1)[0] if document.authors else document.collective_author or ""


@lru_cache(maxsize=2048)
def _trial(title: str, abstract: str) -> str | None:
    looked_in = [(_BEFORE_A_COLON, title), *((pattern, text) for pattern in _CALLED for text in (title, abstract))]
    for pattern, text in looked_in:
        match = pattern.search(text)
        if match and not find_terms(match[1]) and len(match[1]) > 3:
            return re.sub(r"\s(?:19|20)\d\d$", "", match[1])
    return None


def body_of(document: EvidenceCandidate) -> str:
    """Who issued a guideline or a label: "AHA/ACC/HFSA", the collective author, else the first author."""
    if document.guideline is not None and document.guideline.organisation:
        return document.guideline.organisation
    match = _BODY.search(document.title) or _SHORT.search(document.collective_author or "")
    if match is None:
        named = sorted(bodies_in(document.title))
        return (
            "/".join(named[:_MOST_BODIES])
            or document.collective_author
            or _author(document)
            or document.journal
            or "guideline"
        )
    bodies = match[1].split("/")
    return match[1] if len(bodies) <= _MOST_BODIES else f"{'/'.join(bodies[:2])} and others"
