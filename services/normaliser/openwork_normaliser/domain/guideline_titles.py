"""Whether a title is that of a guideline: by the kind of document, by who signs it, and by what it deals with.

A title is read part by part ("Management of X: a clinical practice guideline from the Y Society"). Its words are data:
`guideline-titles.tsv` and `guideline-signatories.tsv` of `openwork_knowledge`. A work about guidelines (adherence to
them, surveys of those who use them, guideline-directed treatment) is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from openwork_knowledge.notation import any_of, group
from openwork_knowledge.tables import words

_TITLES, _BODIES = "guideline-titles", "guideline-signatories"
_HYPHENS = str.maketrans({"‐": "-", "‑": "-", "’": "'", "®": " ", "™": " "})
_PART = re.compile(r"[.:;?!](?=\s|$)|--|\s[-–—]\s|—|[()\[\]]")
_PREPOSITION = r"(?:of|to|with|between|among|in|on|by|from|towards?|for|regarding|about)"
_DETERMINER = re.compile(
    r"\b(?:the|these|those|current|existing|different|various|two|three|our|such)\s+(?:\S+\s+){0,2}$"
)
_SHORT = 4
"""Words after "guidelines for" that may be the name of a disease: "Guidelines on atopic dermatitis"."""


def _flags(pattern: str, *, case: bool = False) -> re.Pattern[str]:
    return re.compile(pattern, 0 if case else re.IGNORECASE)


@cache
def _named() -> re.Pattern[str]:
    """Abbreviations and names, as they are written."""
    return _flags(rf"(?<![\w-]){any_of((*words(_BODIES, 'abbreviation'), *words(_BODIES, 'name')))}(?![\w])", case=True)


@cache
def _body_nouns() -> re.Pattern[str]:
    return _flags(rf"\b{any_of(words(_BODIES, 'noun'))}\b", case=True)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Name of a group of words -> what finds them."""
    people = group(_BODIES, "people")
    after = rf"(?![-\s]{group(_TITLES, 'of its use')}\b)"
    return {
        "panel": _flags(rf"\b{group(_BODIES, 'panel')}\b"),
        "document": _flags(rf"\b{group(_TITLES, 'document')}\b{after}"),
        "may be": _flags(rf"\b{group(_TITLES, 'may be')}\b{after}"),
        "named only": _flags(rf"\b{group(_TITLES, 'named only')}\b"),
        "its use": _flags(rf"\bguidelines?[-\s]{group(_TITLES, 'of its use')}\b"),
        "about": _flags(
            rf"\b(?:{group(_TITLES, 'about')}(?:\s+\S+){{0,3}}?\s+{_PREPOSITION}|{group(_TITLES, 'about at once')})\b"
        ),
        "study": _flags(rf"\b{group(_TITLES, 'study')}\b"),
        "review": _flags(r"\ba (?:\w+ ){0,4}review$"),
        "task": _flags(rf"\b{group(_TITLES, 'task')}\b"),
        "who": _flags(rf"\b{group(_TITLES, 'who')}\b"),
        "not care": _flags(rf"\b{group(_TITLES, 'not care')}\b"),
        "people": _flags(rf"\b{people}\b"),
        "people's consensus": _flags(rf"\b{people}\b(?:\s+\S+){{0,5}}?\s+consensus(?: conference| report| document|$)"),
    }


@lru_cache(maxsize=20_000)
def is_guideline_title(title: str) -> bool:
    """Whether the title alone says that the work is a guideline, a consensus statement or the like."""
    text = " ".join(title.translate(_HYPHENS).split())
    found = _patterns()
    if found["study"].search(text) or found["its use"].search(text):
        return False
    parts = list(_parts(text))
    documents = [(part, match) for part in parts for match in found["may be"].finditer(part)]
    documents += [(part, match) for part in parts for match in found["document"].finditer(part)]
    if any(_is_about(part, match.start()) for part, match in documents):
        return False
    if any(found["document"].search(part) for part in parts):
        return True
    if any(part.endswith("?") for part in parts):
        return False
    signed = _is_signed(text)
    if any(_is_of_guideline(part, match, signed=signed) for part, match in documents):
        return True
    return _named().search(text) is not None and any(_tells_of_report(part) for part in parts)


def _parts(text: str) -> Iterator[str]:
    """What stands between stops, colons, dashes and brackets; a part that asks keeps its question mark."""
    start = 0
    for match in _PART.finditer(text):
        end = match.end() if match[0] == "?" else match.start()
        if part := text[start:end].strip(" ,"):
            yield part
        start = match.end()
    if part := text[start:].strip(" ,"):
        yield part


def _is_about(part: str, at: int) -> bool:
    """Whether the part says something about the guideline that stands in it, or asks."""
    return part.endswith("?") or _patterns()["about"].search(part[:at]) is not None


def _is_signed(text: str) -> bool:
    """Whether a body is named."""
    patterns = (_named(), _body_nouns(), _patterns()["panel"])
    return any(pattern.search(text) for pattern in patterns)


def _is_of_guideline(part: str, match: re.Match[str], *, signed: bool) -> bool:
    """Whether a word that may mean a guideline does: signed, of a country, or of patients' care."""
    before, after = part[: match.start()], part[match.end() :]
    word, found = match[0].casefold(), _patterns()
    if found["not care"].search(" ".join(after.split()[:4])):
        return False
    if word == "consensus":
        return bool(found["people's consensus"].search(part)) or (signed and not after.strip())
    if signed:
        return True
    if word == "statement" or word.endswith("criteria") or word == "recommended":
        return False
    if found["people"].search(before) and not _DETERMINER.search(before):
        return True
    return _is_of_care(word, before, after)


def _is_of_care(word: str, before: str, after: str) -> bool:
    """Whether an unsigned guideline is about the care of people."""
    found = _patterns()
    starts = not re.sub(r"^(?:the|new|updated|revised|practical|joint|official|\d{4}|and|\W)+", "", before.casefold())
    is_for = re.match(r"\s*(?:and recommendations? )?(?:for|on|in|to)\s+(?:the\s+)?", after)
    if starts and is_for:
        rest = after[is_for.end() :]
        is_named = word.startswith("guideline") and len(rest.split()) <= _SHORT
        return is_named or any(found[name].search(rest) for name in ("task", "who"))
    if not word.startswith("guideline"):
        return False
    if starts and not after.strip():
        return True  # "Guideline: ..."
    if _DETERMINER.search(before.casefold()) or not before.strip():
        return False
    if is_for:
        return any(found[name].search(after) for name in ("task", "who"))
    ends = re.fullmatch(r"[\s,]*(?:\d{4}|update|version|edition|[IVX]+|\W)*", after) is not None
    return ends and (word == "guideline" or found["task"].search(before) is not None)


def _tells_of_report(part: str) -> bool:
    """Whether a report, a strategy or a summary is told of that a body known by name gives out."""
    found = _patterns()["named only"].search(part)
    return found is not None and _named().search(part) is not None and not _is_about(part, found.start())
