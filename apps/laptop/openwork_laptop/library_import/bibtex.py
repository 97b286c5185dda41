"""BibTeX and BibLaTeX as reference managers write it: braces, quotes, `#`, @string, and accents in TeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from openwork_laptop.library_import.fields import Entry

_ENTRY = re.compile(r"@\s*([A-Za-z]+)\s*[{(]")
_BRACE = re.compile(r"(?<!\\)[{}]")
_NEXT_ENTRY = re.compile(r"^@\w+\s*\{", re.MULTILINE)
_FIELD = re.compile(r"\s*([A-Za-z][\w:.-]*)\s*=\s*")
_BARE = re.compile(r"[^\s,#{}\"]+")
_MONTHS = {
    m: m.capitalize() for m in ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
}
_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "c": "\u0327", "k": "\u0328", "d": "\u0323",
}  # fmt: skip
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
    "i": "ı", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "kappa": "κ", "mu": "μ", "omega": "ω", "pm": "±",
    "times": "×", "leq": "≤", "geq": "≥", "le": "≤", "ge": "≥", "textless": "<", "textgreater": ">", "textendash": "–",
    "textemdash": "—", "textregistered": "®", "texttrademark": "™", "textdegree": "°", "copyright": "©",
}  # fmt: skip
_ACCENT = re.compile(
    r"\\([`'^~=.\"])\s*\{?\s*(\\?[A-Za-z])\s*\}?|\\([uvHckdr])(?:\s*\{\s*(\\?[A-Za-z])\s*\}|\s+([A-Za-z]))"
)
_LETTER = re.compile(r"\\([A-Za-z]+)(?:\s+|\{\}|(?![A-Za-z]))")
_STYLE = re.compile(r"\\(?:emph|textit|textbf|textrm|textsc|mathrm|mathit|text|url|href|it|bf|em|rm)\b\s*")
_TYPES = {
    "article": "Journal Article", "inbook": "Book Chapter", "incollection": "Book Chapter", "book": "Book",
    "inproceedings": "Conference Paper", "conference": "Conference Paper", "phdthesis": "Thesis",
    "mastersthesis": "Thesis", "techreport": "Report", "report": "Report", "unpublished": "Unpublished",
}  # fmt: skip


def read_bibtex(text: str) -> Iterator[Entry]:
    """The entries of a file, in order; @string is applied, @comment and @preamble are passed over."""
    strings = dict(_MONTHS)
    place, number = 0, 0
    while (match := _ENTRY.search(text, place)) is not None:
        kind = match[1].lower()
        end = _closing(text, match.end())
        body = text[match.end() : end]
        place = max(end, match.end())
        if kind == "string":
            strings.update(_fields(body, dict(strings)))
        elif kind not in ("comment", "preamble"):
            number += 1
            fields = dict(_fields(body.partition(",")[2], strings))
            yield _entry(kind, fields, f"entry {number} ({body.partition(',')[0].strip()[:40]})")


def _closing(text: str, start: int) -> int:
    """The place of the brace that closes an entry; where none does, the next entry's beginning, or the end."""
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    following = _NEXT_ENTRY.search(text, start)
    return following.start() if following else len(text)


def _fields(body: str, strings: dict[str, str]) -> Iterator[tuple[str, str]]:
    place = 0
    while (match := _FIELD.match(body, place)) is not None:
        value, place = _value(body, match.end(), strings)
        yield match[1].lower(), value
        comma = body.find(",", place)
        if comma < 0:
            return
        place = comma + 1


def _value(body: str, place: int, strings: dict[str, str]) -> tuple[str, int]:
    """A value that may be put together of several pieces with `#`, and the place behind it."""
    pieces: list[str] = []
    while place < len(body):
        character = body[place]
        if character.isspace() or character == "#":
            place += 1
        elif character == "{":
            end = _closing(body, place + 1)
            pieces.append(body[place + 1 : end])
            place = end + 1
        elif character == '"':
            end = _quote_end(body, place + 1)
            pieces.append(body[place + 1 : end])
            place = end + 1
        elif match := _BARE.match(body, place):
            pieces.append(strings.get(match[0].lower(), match[0]))
            place = match.end()
        else:
            break
    return "".join(pieces), place


def _quote_end(body: str, place: int) -> int:
    depth = 0
    for end in range(place, len(body)):
        depth += {"{": 1, "}": -1}.get(body[end], 0)
        if body[end] == '"' and depth == 0 and body[end - 1] != "\\":
            return end
    return len(body)


def _entry(kind: str, fields: dict[str, str], place: str) -> Entry:
    def get(*names: str) -> str:
        return next((plain for name in names if (plain := plain_tex(fields.get(name, "")))), "")

    note = get("note", "annote", "extra")
    return Entry(
        place=place,
        title=" ".join(filter(None, (get("title"), get("subtitle")))),
        abstract=get("abstract"),
        authors=[plain_tex(name) for name in re.split(r"\s+and\s+", fields.get("author", "")) if name.strip()],
        journal=get("journal", "journaltitle", "booktitle", "fjournal", "shortjournal"),
        years=[get("year"), get("date"), get("issued")],
        doi=get("doi"),
        pmid=get("pmid") or (get("eprint") if get("eprinttype", "archiveprefix").lower() == "pubmed" else ""),
        pmcid=get("pmcid", "pmc"),
        urls=[
            fields.get("url", "").replace("\\", ""),
            fields.get("howpublished", "").replace("\\url", "").strip("{} "),
        ],
        isbn=get("isbn"),
        keywords=[word.strip() for word in re.split(r"[;,]", get("keywords", "keyword")) if word.strip()],
        types=[_TYPES.get(kind, kind)],
        language=get("language", "langid"),
        notes=[note],
    )


def plain_tex(text: str) -> str:
    """TeX as plain text: accents composed, commands for letters replaced, braces and dollar signs taken off."""
    text = _ACCENT.sub(_accented, text)
    text = _STYLE.sub("", text)
    text = _LETTER.sub(lambda m: _LETTERS.get(m[1], m[0]), text)
    text = re.sub(r"\\([&%$#_{}\s])", r"\1", text).replace("\\-", "").replace("~", " ").replace("---", "—")
    text = re.sub(r"(?<!\\)\$", "", text).replace("--", "–")
    return " ".join(re.sub(r"[{}]", "", text).split())


def _accented(match: re.Match[str]) -> str:
    mark = match[1] or match[3]
    letter = (match[2] or match[4] or match[5]).lstrip("\\")
    return unicodedata.normalize("NFC", letter + _ACCENTS[mark])
