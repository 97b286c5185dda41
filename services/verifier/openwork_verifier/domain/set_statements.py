"""Statements about the set of sources, read: "none of the cited studies was randomised" as what can be counted.

Only a sentence that is nothing but such a statement is read: one word more ("only two trials compared A with B") and
the records cannot say whether it holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TypedDict

from openwork_knowledge.notation import expression, group
from openwork_knowledge.tables import table

ANY = "any"
"""The kind of every source."""
_MOST_CHARS = 300
"""Of a statement that is nothing else."""


class Quantity(StrEnum):
    """How many sources it is said of."""

    NONE = "none"
    ALL = "all"
    MOST = "most"
    EXACTLY = "exactly"
    AT_LEAST = "at least"
    NEWEST = "newest"
    OLDEST = "oldest"


@dataclass(frozen=True, slots=True)
class Years:
    """Publication years that are meant; both bounds belong to them."""

    first: int = 0
    last: int = 9999


@dataclass(frozen=True, slots=True)
class SetStatement:
    """How many of the sources are of which kind and from which years."""

    quantity: Quantity
    kind: str = ANY
    among: str = ANY
    """Of which of the sources it is said: "none of the trials was ..."."""
    years: Years | None = None
    n: int = 0
    """Of `EXACTLY` and `AT_LEAST`; of `NEWEST` and `OLDEST` the year."""
    n_all: int | None = None
    """How many sources there are in all, where that is said: "two of the five"."""


class _What(TypedDict):
    kind: str
    among: str
    years: Years | None


_TABLE = table("evidence-set")
_SMALL = {word: int(value) for word, value in table("numbers").values("small").items()}
_KINDS = {
    group_: [
        (re.compile(expression(word), re.IGNORECASE), kind)
        for name, word, kind in (row[:3] for row in _TABLE.rows if len(row) > 2)
        if name == group_
    ]
    for group_ in ("kind", "adjective")
}
_K = group("evidence-set", "kind")
_ADJECTIVE = group("evidence-set", "adjective")
_N = rf"(?:\d{{1,3}}|{'|'.join(sorted(_SMALL, key=len, reverse=True))})"
_YEAR = r"(?:19|20)\d\d"
_WHEN = (
    r"(?:(?:that\s+(?:is|are|was|were)\s+)?(?:published|dated|printed|dating|that\s+appeared)\s+)?"
    r"(?:after|since|before|until|in|from|of|later\s+than|newer\s+than|more\s+recent\s+than|older\s+than|"
    rf"earlier\s+than|up\s+to)\s+(?:the\s+year\s+)?{_YEAR}(?:\s+(?:or\s+(?:later|earlier|before|after)|onwards?))?"
)
_IS = r"(?:is|are|was|were|has\s+been|have\s+been)"
_BEFORE, _AFTER = group("evidence-set", "mark before"), group("evidence-set", "mark after")
_OF = r"(?:(?:any\s+of\s+)?(?:the|these|those|this|our|my|its)\s+)?"
_SET = rf"{_OF}(?:{_BEFORE}\s+)?{_K}(?:\s+(?:that\s+(?:was|were)\s+)?{_AFTER})?"
_AMONG = rf"{_OF}(?:{_BEFORE}\s+)?(?P<among>{_K})(?:\s+(?:that\s+(?:was|were)\s+)?{_AFTER})?"
_IN_SET = rf"(?:\s+(?:in|among|amongst|within|of)\s+{_SET})?"
_FOUND = rf"(?:\s+{_IS}\s+(?:found|retrieved|identified|available|included|cited|present|used|listed|provided))?"
_HAS = r"(?:contains?|includes?|has|have|holds?|comprises?|lists?|cites?)"
_CONSISTS = (
    r"(?:consists?\s+(?:only\s+|entirely\s+|exclusively\s+)?of|(?:is|are)\s+limited\s+to|rests?\s+on|draws?\s+on)"
)
_PREDICATE = rf"(?:published\s+|an?\s+)?(?P<what>{_K}|{_ADJECTIVE})(?:\s+(?P<when>{_WHEN}))?|(?P<only_when>{_WHEN})"
_OPENING = re.compile(
    r"^(?:however|overall|also|in addition|moreover|finally|in (?:short|sum|summary)|of note|notably|note that)\b,?\s+",
    re.IGNORECASE,
)
_PUBLISHED = re.compile(rf"(?P<how>[a-z ]+?)\s+(?:the\s+year\s+)?(?P<year>{_YEAR})(?:\s+(?P<more>[a-z ]+))?$")


def read_statement(text: str) -> SetStatement | None:
    """What a sentence says of its sources as a set; `None` where it says something else, or something more."""
    if len(text) > _MOST_CHARS:
        return None
    return _read(_OPENING.sub("", " ".join(text.split()).strip().rstrip(".!; ")).casefold())


@lru_cache(maxsize=2048)
def _read(bare: str) -> SetStatement | None:
    for form, made in _FORMS:
        if match := form.fullmatch(bare):
            said = made(match)
            # "No evidence was found": of what, it does not say.
            return None if said == SetStatement(Quantity.NONE) else said
    return None


def _none(match: re.Match[str]) -> SetStatement:
    return SetStatement(Quantity.NONE, **_what(match))


def _all(match: re.Match[str]) -> SetStatement:
    return SetStatement(Quantity.ALL, **_what(match))


def _most(match: re.Match[str]) -> SetStatement:
    return SetStatement(Quantity.MOST, **_what(match))


def _counted(match: re.Match[str]) -> SetStatement:
    only = "only" not in match.groupdict() or match["only"]
    n_all = match.groupdict().get("of_all")
    quantity = Quantity.EXACTLY if only else Quantity.AT_LEAST
    return SetStatement(quantity, n=_number(match["n"]), n_all=_number(n_all) if n_all else None, **_what(match))


def _extreme(match: re.Match[str]) -> SetStatement:
    newest = not match["which"].startswith(("old", "ear"))
    quantity = Quantity.NEWEST if newest else Quantity.OLDEST
    return SetStatement(quantity, kind=_kind(match["what"]), n=int(match["year"]))


def _what(match: re.Match[str]) -> _What:
    found = match.groupdict()
    when = found.get("when") or found.get("only_when")
    kind, among = (_kind(found[name]) if found.get(name) else ANY for name in ("what", "among"))
    return _What(kind=kind, among=among, years=_years(when) if when else None)


def _kind(words: str) -> str:
    return next(kind for known in _KINDS.values() for pattern, kind in known if pattern.fullmatch(words))


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _SMALL[word]


def _years(when: str) -> Years:
    match = _PUBLISHED.match(when)
    assert match is not None
    year, how, more = int(match["year"]), match["how"].split()[-1], match["more"] or ""
    if how == "than":
        how = "before" if re.search(r"\b(?:older|earlier)\b", match["how"]) else "after"
    if more.startswith(("or later", "or after", "onward")) or how == "since":
        return Years(first=year)
    if more.startswith("or") or how in {"until", "to"}:
        return Years(last=year)
    match how:
        case "after":
            return Years(first=year + 1)
        case "before":
            return Years(last=year - 1)
        case _:
            return Years(year, year)


def _forms() -> Iterator[tuple[str, Callable[[re.Match[str]], SetStatement]]]:
    """Ways to say it, without opening words and the final stop."""
    what = rf"(?:{_BEFORE}\s+)?(?P<what>{_K})(?:\s+(?P<when>{_WHEN}))?"
    there = rf"(?:there\s+{_IS}\s+)?"
    no = r"(?:no|not\s+a\s+single|not\s+one)"
    yield rf"{there}{no}\s+{what}{_FOUND}{_IN_SET}", _none
    yield (
        rf"{_SET}\s+(?:{_HAS}\s+{no}|(?:does|do|did)\s+not\s+(?:contain|include|have)(?:\s+an?|\s+any)?)\s+{what}",
        _none,
    )
    yield rf"{no}\s+(?:{_BEFORE}\s+)?(?P<among>{_K})(?:\s+{_AFTER})?\s+{_IS}\s+(?:{_PREDICATE})", _none
    yield rf"(?:none|not\s+one|neither)\s+of\s+{_AMONG}\s+{_IS}\s+(?:{_PREDICATE})", _none
    yield rf"(?:all|each|every\s+one|both)(?:\s+of)?\s+{_AMONG}\s+(?:{_IS}|dates?)\s+(?:{_PREDICATE})", _all
    yield rf"every\s+{_AMONG}\s+(?:{_IS}|dates?)\s+(?:{_PREDICATE})", _all
    yield rf"{_AMONG}\s+(?:{_IS}|dates?)\s+(?:all|exclusively|only|entirely)\s+(?:{_PREDICATE})", _all
    yield rf"only\s+{what}(?:\s+{_IS}\s+(?:found|retrieved|identified|available|included|cited))", _all
    yield rf"{_SET}\s+(?:{_CONSISTS}|{_HAS}\s+only)\s+(?!{_N}\b){what}", _all
    yield rf"(?:most|the\s+majority)(?:\s+of)?\s+{_AMONG}\s+{_IS}\s+(?:{_PREDICATE})", _most
    only = r"(?P<only>only|just|exactly|a\s+total\s+of)"
    yield rf"{there}{only}\s+(?P<n>{_N})\s+{what}{_FOUND}{_IN_SET}", _counted
    yield rf"(?P<n>{_N})\s+{what}\s+{_IS}\s+(?:found|retrieved|identified|cited){_IN_SET}", _counted
    yield rf"{_SET}\s+{_HAS}\s+(?:{only}\s+)?(?P<n>{_N})\s+{what}", _counted
    yield rf"{_SET}\s+{_CONSISTS}\s+(?:only\s+|just\s+)?(?P<n>{_N})\s+{what}", _counted
    yield (
        rf"(?:only\s+)?(?P<n>{_N})\s+(?:out\s+)?of\s+(?:the\s+|these\s+)?(?:(?P<of_all>{_N})\s+)?{_AMONG}\s+{_IS}\s+(?:{_PREDICATE})",
        _counted,
    )
    which = r"(?P<which>newest|latest|most\s+recent|oldest|earliest)"
    dated = rf"(?:{_IS}|dates)\s+(?:published\s+)?(?:from|in|of)\s+(?P<year>{_YEAR})"
    yield rf"the\s+{which}\s+(?:{_BEFORE}\s+)?(?P<what>{_K})(?:\s+{_AFTER})?\s+{dated}", _extreme
    yield rf"the\s+{which}\s+of\s+(?:the|these)\s+(?P<what>{_K})\s+{dated}", _extreme


_FORMS = tuple((re.compile(form), made) for form, made in _forms())
