"""Recommendations in a guideline's text: by its own words, by numbers, in tables of class and level.

What says that something is recommended: the words of recommending in a sentence ("we suggest", "is indicated"), a
number of recommendation before it ("Recommendation 4", "1.2.3 Offer"), or a row of a table that has a column of
recommendations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openwork_contracts.evidence import Recommendation, TextOrigin
from openwork_contracts.text import clean
from openwork_reranker.domain.recommendations import extract_recommendations

FEWEST_CHARS, MOST_CHARS = 25, 1200
"""Of one recommendation: less is a heading or a cross-reference, more is a page that was read as one sentence."""
_NUMBERED = re.compile(
    r"^\s*(?:(?:key\s+)?recommendations?\s+(?P<word>[A-Z]?\d+(?:\.\d+)*[a-z]?)|(?P<letter>R\d+(?:\.\d+)*)"
    r"|(?P<bare>\d+(?:\.\d+){1,3}))[.:)]?\s+(?P<text>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_OFFERS = re.compile(
    r"^(?:(?:do\s+not|don't)\s+)?(?:offer|consider|use|give|start|stop|prescribe|refer|measure|assess|advise|discuss"
    r"|monitor|review|ensure|treat|avoid|screen|test|perform|provide|encourage|add|switch|continue|withhold)\b",
    re.IGNORECASE,
)
"""How NICE and others word what to do: the verb alone."""
_COLUMN = {
    "text": re.compile(r"recommendations?|statements?|guidance", re.IGNORECASE),
    "class": re.compile(r"class(?:\s*[a-d])?|cor|class of recommendation|grade(?: of recommendation)?", re.IGNORECASE),
    "level": re.compile(
        r"levels?(?:\s*[a-d])?|loe|level of evidence|evidence|certainty.*|quality of (?:the )?evidence", re.IGNORECASE
    ),
    "strength": re.compile(r"strength.*", re.IGNORECASE),
    "number": re.compile(r"no\.?|number|#", re.IGNORECASE),
}
"""Headings of columns, whole."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, or the rows of a table, with where it stands."""

    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    page: int | None = None
    locator: str | None = None


@dataclass(slots=True)
class Findings:
    """What a document gave. n_recommending = sentences that recommend and were taken or left out."""

    recommendations: list[Recommendation]
    n_repeated: int = 0
    """Said again in the same words: counted, not kept twice."""
    n_too_long: int = 0
    n_tables: int = 0
    """Tables that have a column of recommendations."""
    n_tables_not_read: int = 0
    """Tables that name a class or a level and no column of recommendations: look at them yourself."""


def find_recommendations(blocks: Sequence[Block]) -> Findings:
    """Every recommendation in order, each once; what was left out is counted."""
    found = Findings([])
    seen: set[str] = set()
    for block in blocks:
        for one in _of_table(block, found) if block.rows else _of_paragraph(block):
            key = re.sub(r"\W+", " ", one.text).casefold().strip()
            if len(one.text) > MOST_CHARS:
                found.n_too_long += 1
            elif len(one.text) < FEWEST_CHARS:
                continue
            elif key in seen:
                found.n_repeated += 1
            else:
                seen.add(key)
                found.recommendations.append(one)
    return found


def _of_paragraph(block: Block) -> Iterator[Recommendation]:
    text = " ".join(clean(block.text).split())
    numbered = _NUMBERED.match(text)
    if numbered is None:
        yield from (_placed(one, block) for one in extract_recommendations(text))
        return
    number, body = next(filter(None, numbered.group("word", "letter", "bare"))), numbered["text"]
    graded = extract_recommendations(body)
    if graded:
        yield from (_placed(one, block, number) for one in graded)
    elif numbered["bare"] is None or _OFFERS.match(body):
        yield _placed(Recommendation(text=body), block, number)


def _of_table(block: Block, found: Findings) -> Iterator[Recommendation]:
    header, columns = _header(block.rows)
    if "text" not in columns:
        found.n_tables_not_read += bool({"class", "level"} & columns.keys())
        return
    found.n_tables += 1
    for row in block.rows[header + 1 :]:
        cells = {name: " ".join(clean(row[place]).split()) for name, place in columns.items() if place < len(row)}
        text = cells.get("text", "")
        if not text or len(set(row)) == 1:  # a heading over the whole row
            continue
        (graded,) = extract_recommendations(text)[:1] or (Recommendation(text=text),)
        changes = {
            "text": text,
            "class_of_recommendation": cells.get("class") or graded.class_of_recommendation,
            "level_of_evidence": cells.get("level") or graded.level_of_evidence,
            "strength": cells.get("strength") or graded.strength,
        }
        yield _placed(graded.model_copy(update=changes), block, cells.get("number") or None)


def _header(rows: Sequence[Sequence[str]]) -> tuple[int, dict[str, int]]:
    """Place of the row of headings, among the first three, and the column of each thing."""
    for place, row in enumerate(rows[:3]):
        columns: dict[str, int] = {}
        for name, pattern in _COLUMN.items():
            at = next((i for i, cell in enumerate(row) if pattern.fullmatch(cell.strip(" :*†‡"))), None)
            if at is not None and at not in columns.values():
                columns[name] = at
        if {"class", "level", "strength"} & columns.keys():
            return place, columns
    return 0, {}


def _placed(one: Recommendation, block: Block, number: str | None = None) -> Recommendation:
    return one.model_copy(
        update={
            "text": " ".join(one.text.split()),
            "number": number,
            "page": block.page,
            "locator": block.locator,
            "text_origin": TextOrigin.USER_DOCUMENT,
        }
    )
