"""The references of a run in a style, by citeproc-py; and what of the style's demands it misses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from io import BytesIO
from threading import Lock
from typing import Any

from openwork_contracts.answer import AnswerDocument, Reference

from openwork_report.bibliography.csl_json import Json
from openwork_report.extras import not_installed
from openwork_report.markdown import escaped, link
from openwork_report.styles.entries import ET_AL, StyleName, entries
from openwork_report.words import STATUS_WORDS

_FILES = {StyleName.VANCOUVER: "nlm-citation-sequence.csl", StyleName.APA: "apa.csl"}
_BEGIN, _END = "\ue000", "\ue001"
"""Around what is italic; characters of no script, which are taken out of every text first."""
_ONE_AT_A_TIME = Lock()
"""A style is read once and keeps, while it prints, what it has printed: two threads would mix it up."""
_MARKERS = re.compile(f"[{_BEGIN}{_END}]")
_NUMBER = re.compile(r"^\d+\.\s*")
_TWICE = re.compile(r"(?P<title>.+?)\. (?P<date>\([^()]*\))\. (?P=title)(?P<kind> \[[^\]]*\])?", re.DOTALL)


def references(document: AnswerDocument, style: StyleName = StyleName.VANCOUVER) -> str:
    """The list as plain text, a line each: numbered in Vancouver style, by author in APA style; empty without any.

    Raises:
        UsageError: citeproc-py is not installed.
    """
    warnings = {r.n: STATUS_WORDS.get(r.status) for r in document.references}
    lines = []
    for n, text in _styled(document, style, in_its_order=True):
        number = f"{n}. " if style is StyleName.VANCOUVER else ""
        warning = f" [{warnings[n]}]" if warnings[n] else ""
        lines.append(f"{number}{_MARKERS.sub('', text)}{warning}\n")
    return "".join(lines)


def styled(document: AnswerDocument, style: StyleName) -> dict[int, str]:
    """Each reference by its number, as inline Markdown with its links.

    Raises:
        UsageError: citeproc-py is not installed.
    """
    by_number = {reference.n: reference for reference in document.references}
    return {n: _as_markdown(text, by_number[n]) for n, text in _styled(document, style)}


def _styled(document: AnswerDocument, style: StyleName, *, in_its_order: bool = False) -> Iterator[tuple[int, str]]:
    """Numbers and texts; in the style's own order, or as they are numbered."""
    try:
        from citeproc import Citation, CitationItem, CitationStylesBibliography  # type: ignore[import-untyped]
    except ImportError as error:
        raise not_installed("a list of references in a style", "citeproc-py", "styles") from error
    made = entries(document, style)
    by_id = {entry["id"]: entry for entry in made}
    with _ONE_AT_A_TIME:
        found = CitationStylesBibliography(_style(style), _source(made), _Italics)
        for entry in made:
            found.register(Citation([CitationItem(entry["id"])]))
        if in_its_order:
            found.sort()
        printed = [(key, str(text)) for key, text in zip(found.keys, found.bibliography(), strict=True)]
    for key, text in printed:
        yield int(key), _mended(_NUMBER.sub("", text, count=1), by_id[key])


def _mended(text: str, entry: dict[str, Json]) -> str:
    """Three things that the processor, citeproc-py 0.11, leaves undone."""
    if "author" not in entry and (twice := _TWICE.match(text)):  # it prints a title in the author's place once more
        text = f"{twice['title']}{twice['kind'] or ''}. {twice['date']}" + text[twice.end() :]
    title = str(entry["title"])
    if title.endswith(("?", "!")):  # it drops a stop after a stop alone
        text = text.replace(f"{title}.", title, 1).replace(f"{title}{_END}.", f"{title}{_END}", 1)
    return text.replace(f", & {ET_AL}", f", {ET_AL}", 1)


def _as_markdown(text: str, reference: Reference) -> str:
    addresses = dict(_addresses(reference))
    if not addresses:
        return _slanted(text)
    known = "|".join(re.escape(words) for words in sorted(addresses, key=len, reverse=True))
    pieces = re.split(f"({known})", text)
    return "".join(link(one, addresses[one]) if one in addresses else _slanted(one) for one in pieces)


def _addresses(reference: Reference) -> Iterator[tuple[str, str]]:
    """What of a printed reference leads where."""
    if reference.doi:
        address = f"https://doi.org/{reference.doi}"
        yield from ((f"doi:{reference.doi}", address), (address, address))
    if reference.pmid:
        yield f"PMID: {reference.pmid}", f"https://pubmed.ncbi.nlm.nih.gov/{reference.pmid}/"
    if reference.pmcid:
        yield f"PMCID: {reference.pmcid}", f"https://pmc.ncbi.nlm.nih.gov/articles/{reference.pmcid}/"
    if reference.url and re.fullmatch(r"https?://[^\s<>\"\\{}]+", reference.url, re.IGNORECASE):
        yield reference.url, reference.url


def _slanted(text: str) -> str:
    """Escaped, with the blanks at its ends; what stands between the markers in asterisks."""
    made, slanted = "", False
    for piece in re.split(f"([{_BEGIN}{_END}])", text):
        if piece in (_BEGIN, _END):
            slanted = piece == _BEGIN
        elif words := escaped(piece):
            before, after = " " * piece[:1].isspace(), " " * piece[-1:].isspace()
            made += f"{before}*{words}*{after}" if slanted else f"{before}{words}{after}"
        else:
            made += " " * bool(piece)
    return made


@cache
def _style(style: StyleName) -> Any:
    from citeproc import CitationStylesStyle

    text = files("openwork_report").joinpath("styles", _FILES[style]).read_bytes()
    return CitationStylesStyle(BytesIO(text), validate=False)


def _source(made: Sequence[dict[str, Json]]) -> Any:
    """The entries, with texts that keep their letters: a style may change the case of our own words alone."""
    from citeproc.source.json import CiteProcJSON  # type: ignore[import-untyped]
    from citeproc.string import MixedString, NoCase, String  # type: ignore[import-untyped]

    class Source(CiteProcJSON):  # type: ignore[misc]
        def parse_string(self, string: object) -> Any:
            text = _MARKERS.sub("", str(string))
            return MixedString([String(text) if text in _OUR_WORDS else NoCase(text)])

    return Source(made)


_OUR_WORDS = frozenset({"Guideline", "Drug label", "Clinical trial registration", "Preprint"})


class _Italics:
    """What citeproc-py calls a formatter: letters as they are, italic ones between markers."""

    @staticmethod
    def preformat(text: object) -> str:
        return str(text)

    @staticmethod
    def Italic(text: object) -> str:  # noqa: N802 - citeproc-py's names
        return f"{_BEGIN}{text}{_END}"

    Oblique = Bold = Light = Underline = Superscript = Subscript = SmallCaps = preformat
