"""BibTeX in UTF-8, for biber and for every BibTeX that reads Unicode. Fields besides the classical ones are biblatex's.

Braces of a text become commands, since BibTeX counts a `\\{` as an opening brace; so no text can end its field. Titles
stand in double braces: they keep their capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from openwork_contracts.answer import AnswerDocument

from openwork_report.bibliography.item import Author, Item, Kind, items

_TYPES = {
    Kind.ARTICLE: "article",
    Kind.GUIDELINE: "techreport",
    Kind.DRUG_LABEL: "techreport",
    Kind.TRIAL_REGISTRATION: "techreport",
    Kind.PREPRINT: "unpublished",
    Kind.WEB_PAGE: "misc",
    Kind.OTHER: "misc",
}
_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "$&#%_"},
}
_ACTIVE = re.compile(r"[\\{}~^$&#%_]")


def bibtex(document: AnswerDocument) -> str:
    """The references as BibTeX; empty without any."""
    return "\n".join(_entry(item) for item in items(document))


def escaped(text: str) -> str:
    """A text that TeX prints as it is, with balanced braces."""
    return _ACTIVE.sub(lambda found: _TEX[found[0]], text)


def _entry(item: Item) -> str:
    fields = "".join(f"  {name} = {{{value}}},\n" for name, value in _fields(item) if value)
    return f"@{_TYPES[item.kind]}{{{item.key},\n{fields}}}\n"


def _fields(item: Item) -> Iterator[tuple[str, str | None]]:
    reference = item.reference
    yield "title", f"{{{escaped(item.title)}}}" if item.title else None
    yield "author", " and ".join(map(_name, item.authors))
    yield "journal", escaped(item.journal) if item.journal else None
    yield "year", str(reference.year) if reference.year else None
    yield "doi", _verbatim(reference.doi)
    yield "pmid", reference.pmid
    yield "pmcid", reference.pmcid
    yield "url", item.url
    yield "institution", item.publisher
    yield "number", escaped(item.number) if item.number else None
    yield "type", None if item.kind in (Kind.ARTICLE, Kind.OTHER, Kind.WEB_PAGE) else item.kind.value
    yield "note", escaped(item.warning) if item.warning else None
    yield "annote", escaped(". ".join(item.notes))


def _name(author: Author) -> str:
    """A name that is not taken apart stands in braces, so that "and" or a comma in it parts nothing."""
    if author.family is None:
        return f"{{{escaped(author.literal)}}}"
    parts = (author.family, author.suffix, author.given)
    return ", ".join(_part(part) for part in parts if part)


def _part(text: str) -> str:
    """A family name with the word "and" in it is one name all the same."""
    return f"{{{escaped(text)}}}" if " and " in f" {text.lower()} " else escaped(text)


def _verbatim(doi: str | None) -> str | None:
    """DOIs are read as they are, but for what BibTeX itself counts."""
    return doi.replace("\\", "%5C").replace("{", "%7B").replace("}", "%7D") if doi else None
