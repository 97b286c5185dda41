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


_WORDED = re.compile(
    r"\b(?:we|panel|group|committee|society|task force|association|college|organi[sz]ation|guidelines?|[A-Z]{2,8})\s+"
    r"(?:\w+ly\s+|also\s+)?(?:recommends?|suggests?|advises?)\b"
    r"|\b(?:is|are|be)\s+(?:\w+ly\s+|not\s+)*(?:recommended|suggested|indicated|contraindicated|advised|preferred)\b"
    r"|\bmay be (?:considered|reasonable)\b|\b(?:is|are) reasonable\b|\b(?:first|second|third)[- ]line\b",
    re.IGNORECASE,
)
"""A sentence that is worded as a recommendation; "should" alone is said of many things."""
_OF_ITSELF = re.compile(
    r"^(?:\W*(?:the|these|this|all|our|each|such|some|other|both|key|in any use of this)\s+)*(?:\w+\s+){0,2}"
    r"(?:recommendations?|guidelines?|good practice statements?|statements?|documents?|publications?|manual|work)\b"
    r"(?!\s+(?:\w+ly\s+|also\s+)?(?:recommends?|suggests?|advises?))"
    r"|\bimpl(?:y|ies)\b|\bendorse|\bcopyright|\bdisclaimer|\b(?:GRADE|PICO|GDG)\b"
    r"|\bthis (?:guideline|document|work|recommendation)\b",
    re.IGNORECASE,
)
"""What a document says about itself and how it was made."""
_GRADING = re.compile(
    r"[(\[]?\s*(?:strong|weak|conditional|class|grade|level|cor|moderate|low|very low|high)\b[^.]{3,100}[)\]]?\.?", re.I
)
_ENOUGH_WORDED = 3
"""Recommendations worded as such from which on a document is taken to word all of its own so."""


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
    n_only_should: int = 0
    """Sentences that say what should be done, of a document that words its recommendations otherwise: left out."""
    n_tables: int = 0
    """Tables that have a column of recommendations."""
    n_tables_not_read: int = 0
    """Tables that name a class or a level and no column of recommendations: look at them yourself."""


def find_recommendations(blocks: Sequence[Block]) -> Findings:
    """Every recommendation in order, each once; what was left out is counted."""
    found = Findings([])
    seen: set[str] = set()
    taken: list[tuple[Recommendation, bool]] = []
    for block in blocks:
        if taken and _GRADING.fullmatch(" ".join(block.text.split())):
            taken[-1] = (_graded(taken[-1][0], block.text), True)
            continue
        for one, worded in _of_table(block, found) if block.rows else _of_paragraph(block):
            key = re.sub(r"\W+", " ", one.text).casefold().strip()
            if len(one.text) > MOST_CHARS:
                found.n_too_long += 1
            elif len(one.text) < FEWEST_CHARS:
                continue
            elif key in seen:
                found.n_repeated += 1
            else:
                seen.add(key)
                taken.append((one, worded))
    only_worded = sum(worded for _, worded in taken) >= _ENOUGH_WORDED
    found.recommendations += [one for one, worded in taken if worded or not only_worded]
    found.n_only_should = len(taken) - len(found.recommendations)
    return found


def _graded(one: Recommendation, grading: str) -> Recommendation:
    """A recommendation with the grading that stands below it in a paragraph of its own."""
    (found,) = extract_recommendations(f"It is recommended {grading.strip()}")[:1] or (one,)
    given = {name: getattr(found, name) for name in ("strength", "class_of_recommendation", "level_of_evidence")}
    return one.model_copy(update={name: value for name, value in given.items() if value and not getattr(one, name)})


def _of_paragraph(block: Block) -> Iterator[tuple[Recommendation, bool]]:
    """Recommendations of a paragraph, and whether each is worded or numbered as one."""
    text = " ".join(clean(block.text).split())
    numbered = _NUMBERED.match(text)
    if numbered is None:
        for one in extract_recommendations(text):
            if not _OF_ITSELF.search(one.text):
                yield _placed(one, block), _WORDED.search(one.text) is not None
        return
    number, body = next(filter(None, numbered.group("word", "letter", "bare"))), numbered["text"]
    graded = extract_recommendations(body)
    if graded:
        yield from ((_placed(one, block, number), True) for one in graded if not _OF_ITSELF.search(one.text))
    elif numbered["bare"] is None or _OFFERS.match(body):
        yield _placed(Recommendation(text=body), block, number), True


def _of_table(block: Block, found: Findings) -> Iterator[tuple[Recommendation, bool]]:
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
        yield _placed(graded.model_copy(update=changes), block, cells.get("number") or None), True


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
