"""One reference as every format has it: what kind of thing it is, who wrote it, a key, and what to say of it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from openwork_contracts.answer import AnswerDocument, Reference
from openwork_contracts.evidence import StudyDesign, TextOrigin

from openwork_report.words import STATUS_WORDS, one_line, whose_words

_SUFFIX = re.compile(r"(?:Jr|Sr|2nd|3rd|[4-9]th)\.?")
MOST_INITIALS = 4


class Kind(Enum):
    """What a reference is, by its design and its identifiers."""

    ARTICLE = "article"
    GUIDELINE = "Guideline"
    """One that no journal printed."""
    DRUG_LABEL = "Drug label"
    TRIAL_REGISTRATION = "Clinical trial registration"
    PREPRINT = "Preprint"
    WEB_PAGE = "Web page"
    OTHER = "Document"


_BY_DESIGN = {
    StudyDesign.PREPRINT: Kind.PREPRINT,
    StudyDesign.DRUG_LABEL: Kind.DRUG_LABEL,
    StudyDesign.TRIAL_REGISTRATION: Kind.TRIAL_REGISTRATION,
}
_BY_ORIGIN = {TextOrigin.PREPRINT: Kind.PREPRINT, TextOrigin.LABEL: Kind.DRUG_LABEL}


@dataclass(frozen=True, slots=True)
class Author:
    """A name in its parts, or, where it is not in PubMed's form or is a body's, as it was given."""

    literal: str
    family: str | None = None
    given: str | None = None
    """Initials: "J. J. V."."""
    suffix: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """A reference with its texts on one line each; `None` where the reference has nothing."""

    key: str
    """The same for the same work in every export: family name, year and identifier, ASCII."""
    kind: Kind
    reference: Reference
    title: str
    authors: tuple[Author, ...]
    journal: str | None
    url: str | None
    publisher: str | None
    """The registry of a registration, DailyMed of a label with a set id; nothing else has one."""
    number: str | None
    """Its number there."""
    warning: str | None
    """Retracted and the like: what has to be printed with it."""
    notes: tuple[str, ...]
    """Whose words were cited, registration, remarks."""


def items(document: AnswerDocument) -> tuple[Item, ...]:
    """An item per reference, in their order; keys are unique."""
    found, seen = [], set[str]()
    for reference in document.references:
        key = base = _key(reference)
        again = 1
        while key in seen:
            again += 1
            key = f"{base}-{again}"
        seen.add(key)
        found.append(_item(reference, key))
    return tuple(found)


def _item(reference: Reference, key: str) -> Item:
    kind = _kind(reference)
    authors = [author(name) for name in reference.authors if one_line(name)]
    if body := one_line(reference.collective_author):
        authors.append(Author(body))
    return Item(
        key=key,
        kind=kind,
        reference=reference,
        title=one_line(reference.title),
        authors=tuple(authors),
        journal=one_line(reference.journal) or None,
        url=_address(reference.url),
        publisher=_publisher(reference, kind),
        number={Kind.TRIAL_REGISTRATION: reference.nct_id, Kind.DRUG_LABEL: reference.set_id}.get(kind),
        warning=STATUS_WORDS.get(reference.status),
        notes=tuple(_notes(reference, kind)),
    )


def _kind(reference: Reference) -> Kind:
    special = _BY_DESIGN.get(reference.study_design) or _BY_ORIGIN.get(reference.text_origin)
    if special is not None:
        return special
    if reference.journal or reference.pmid or reference.pmcid:
        return Kind.ARTICLE
    if reference.study_design is StudyDesign.GUIDELINE:
        return Kind.GUIDELINE
    on_the_web = StudyDesign.WEB_PAGE is reference.study_design or reference.text_origin is TextOrigin.WEB_PAGE
    if on_the_web or (reference.url and not reference.doi and reference.text_origin is not TextOrigin.USER_DOCUMENT):
        return Kind.WEB_PAGE
    return Kind.ARTICLE if reference.doi else Kind.OTHER


def _publisher(reference: Reference, kind: Kind) -> str | None:
    if kind is Kind.TRIAL_REGISTRATION and reference.nct_id:
        return "ClinicalTrials.gov"  # every NCT number is its
    if kind is Kind.DRUG_LABEL and reference.set_id:
        return "DailyMed"  # every set id is its
    return None


def _notes(reference: Reference, kind: Kind) -> Iterator[str]:
    if reference.note:
        yield one_line(reference.note)
    if reference.nct_id and kind is not Kind.TRIAL_REGISTRATION:
        yield f"Trial registration: {reference.nct_id}"
    yield f"Words cited: {whose_words(reference.text_origin)}"


def author(name: str) -> Author:
    """A name in PubMed's form, "Family II" or "Family II Jr", in its parts; any other as it is."""
    literal = one_line(name)
    words = literal.split()
    suffix = words.pop() if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else None
    letters = words[-1].replace("-", "").replace(".", "") if len(words) > 1 else ""
    if not (letters.isalpha() and letters.isupper() and len(letters) <= MOST_INITIALS) or "," in literal:
        return Author(literal)
    given = " ".join(f"{letter}." for letter in letters)
    return Author(literal, " ".join(words[:-1]), given, suffix)


def _address(url: str | None) -> str | None:
    """An http address without what could end a field: blanks, braces and backslashes."""
    if not url or not re.fullmatch(r"https?://[^\s<>\"]+", url, re.IGNORECASE):
        return None
    return url.replace("\\", "%5C").replace("{", "%7B").replace("}", "%7D")


def _key(reference: Reference) -> str:
    first = reference.authors[0] if reference.authors else reference.collective_author or reference.source
    name = _plain(author(first).family or one_line(first).partition(" ")[0])[:24] or "work"
    known = reference.pmid or reference.nct_id or ""
    ident = known or hashlib.sha256(reference.id.encode("utf-8", "replace")).hexdigest()[:10]
    return f"{name}{reference.year or ''}_{ident}"


def _plain(text: str) -> str:
    """Its ASCII letters, without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if c.isascii() and c.isalpha())
