"""BibTeX and BibLaTeX as reference managers write it. bibtexparser takes the file apart, pylatexenc reads the TeX.

What is left to us: entries that break off or have no key, since each has to be accounted for; values put together with
`#`, which bibtexparser leaves as they are (2.1); and per cent signs, which databases write bare and TeX takes for the
beginning of a comment: "95% CI 0.6-0.8" must not end at "95".
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from functools import lru_cache

from bibtexparser.entrypoint import parse_string
from bibtexparser.library import Library
from bibtexparser.model import Block, DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, ParsingFailedBlock
from bibtexparser.model import Entry as Parsed
from pylatexenc.latex2text import (  # type: ignore[import-untyped, unused-ignore]  # ships no type hints
    LatexNodes2Text,
    MacroTextSpec,
    get_default_latex_context_db,
)

from openwork_laptop.library_import.fields import Entry

logging.getLogger("bibtexparser").setLevel(logging.ERROR)  # what it skips is told by the importer, entry by entry
logging.getLogger("pylatexenc").setLevel(logging.ERROR)

_WITHOUT_KEY = re.compile(r"(@(?!string|comment|preamble)[A-Za-z]+\s*[{(])(?=\s*[A-Za-z]\w*\s*=)", re.IGNORECASE)
_BARE_PER_CENT = re.compile(r"(?<!\\)%")
_TEX = re.compile(r"[\\{}$~]|--|``|''")
_COMMANDS = {
    "textgreater": "> ",
    "textless": "< ",
    "textasciicircum": "^",
    "textbraceleft": "{",
    "textbraceright": "}",
    "micro": "µ",
    "textsuperscript": "^",
    "textsubscript": "",
} | dict.fromkeys(("mkbibquote", "mkbibemph", "mkbibbold", "mkbibitalic", "nocase", "href", "hyphen"), "")
"""Commands that pylatexenc does not know and reference managers write; the last ones only dress what follows them."""
_TYPES = {
    "article": "Journal Article", "inbook": "Book Chapter", "incollection": "Book Chapter", "book": "Book",
    "inproceedings": "Conference Paper", "conference": "Conference Paper", "phdthesis": "Thesis",
    "mastersthesis": "Thesis", "techreport": "Report", "report": "Report", "unpublished": "Unpublished",
}  # fmt: skip


def read_bibtex(text: str) -> Iterator[Entry]:
    """The entries of a file, in order; @string is applied, @comment and @preamble are passed over.

    An entry that cannot be read, even when what it lacks at its end is added, comes as one without a title.
    """
    library = _taken_apart(_WITHOUT_KEY.sub(r"\1-,", text))
    strings: dict[str, str] = {}
    for string in library.strings:
        strings[string.key.lower()] = _joined(str(string.value), strings)
    number = 0
    for block in library.blocks:
        parsed = _parsed(block)
        if parsed is not None:
            number += 1
            yield _entry(parsed, strings, f"entry {number} ({parsed.key.strip()[:40]})")
        elif isinstance(block, ParsingFailedBlock):
            number += 1
            yield Entry(f"entry {number}", abstract=(block.raw or "").strip())


def _taken_apart(text: str) -> Library:
    return parse_string(text, parse_stack=())


def _joined(value: str, strings: dict[str, str]) -> str:
    """A value without what encloses it: pieces in braces, in quotation marks or by name, with `#` between them."""
    pieces, depth, quoted = [""], 0, False
    for before, character in zip(f" {value}", value, strict=False):
        depth += {"{": 1, "}": -1}.get(character, 0) if before != "\\" else 0
        quoted ^= character == '"' and depth == 0 and before != "\\"
        if character == "#" and depth == 0 and not quoted:
            pieces.append("")
        else:
            pieces[-1] += character
    return "".join(_bare(piece.strip(), strings) for piece in pieces)


def _bare(piece: str, strings: dict[str, str]) -> str:
    if len(piece) > 1 and (piece[0], piece[-1]) in (("{", "}"), ('"', '"')):
        return piece[1:-1]
    return strings.get(piece.lower(), piece)


def _parsed(block: Block) -> Parsed | None:
    if isinstance(block, Parsed):
        return block
    if isinstance(block, DuplicateFieldKeyBlock | DuplicateBlockKeyBlock):
        # Read all the same: a key names nothing here.
        inside = block.ignore_error_block
        return inside if isinstance(inside, Parsed) else None
    if isinstance(block, ParsingFailedBlock) and (raw := (block.raw or "").strip()):
        for end in ("}", "}}", '"}'):
            if mended := _taken_apart(f"{raw}{end}").entries:
                return mended[0]
    return None


def _entry(parsed: Parsed, strings: dict[str, str], place: str) -> Entry:
    fields = {field.key.lower(): _joined(str(field.value), strings) for field in reversed(parsed.fields)}
    kind = parsed.entry_type.lower()

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


@lru_cache(maxsize=1)
def _decoder() -> LatexNodes2Text:
    """As pylatexenc, but that no command vanishes with what it means: "p \\textless 0.05", "10\\textsuperscript{6}"."""
    context = get_default_latex_context_db()
    known = [MacroTextSpec(name, printed) for name, printed in _COMMANDS.items()]
    context.add_context_category("open-work", macros=known, prepend=True)
    context.set_unknown_macro_spec(MacroTextSpec("", simplify_repl=lambda node: f"\\{node.macroname} "))
    return LatexNodes2Text(math_mode="text", latex_context=context)


def plain_tex(text: str) -> str:
    """TeX as plain text: accents composed, commands replaced by what they print, braces and dollar signs taken off."""
    if _TEX.search(text):
        text = _decoder().latex_to_text(_BARE_PER_CENT.sub(r"\%", text))
    return " ".join(text.split())
