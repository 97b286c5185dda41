"""Treatment to a target: "systolic below 120 against below 140", "HbA1c driven below 6 %", "a MAP of 80 to 85".

No drug is named, and an arm is told by the measure and its figures. Figures of age or time are none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from openwork_contracts.question import EntityKind, PopulationTerm
from openwork_knowledge.notation import any_of
from openwork_knowledge.tables import table
from openwork_language.terms import find_terms, is_member

_VERSUS = re.compile(r"\s(?:v|vs\.?|versus|rather than|instead of|against|compared (?:with|to)|or)\s", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)")
_RANGE = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?)\s*(?:-|–|to|and)\s*(?:below |less than |under )?(\d+(?:\.\d+)?)(?![\w.]*\d)",
    re.IGNORECASE,
)
_BELOW = re.compile(r"(?:below|under|less than|lower than|up to|at most|<|≤)\s*(?:or equal to\s*)?$", re.IGNORECASE)
_ABOVE = re.compile(r"(?:above|over|more than|greater than|at least|>|≥)\s*(?:or equal to\s*)?$", re.IGNORECASE)
_NEAR_CHARS = 70
Bound = tuple[str, float]
"""("low" | "high" | "at", figure)."""
_PER = re.compile(
    r"\bper\s+\d|\b(?:by|(?:drop|fall|reduction|decrease|difference) of|each|every)\s+(?:about\s+)?"
    r"(?:\d+(?:\.\d+)?|five|ten|twenty)[\s-]*(?:mm\s?Hg|points?|mmol|mg)\b|\bmm\s?Hg\s+(?:off|drop|fall|reduction|lower|lowering|decrease)\b",
    re.IGNORECASE,
)
""" "Per 10 mm Hg", "a drop of 5 mm Hg": an effect for so many units."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is treated to which figures."""

    measure: str
    """A group of `treatment-targets.tsv`."""
    tested: frozenset[Bound]
    """Figures of the target asked about; empty = only that it is intensive."""
    compared: frozenset[Bound]
    per_unit: bool
    """Asked per so many units of the measure."""


def target_of(question: str, people: Sequence[PopulationTerm], named: Sequence[tuple[int, int]] = ()) -> Target | None:
    """The target that a question asks about; `None` = none.

    Args:
        named: where names stand, whose figures are part of them ("type 2 diabetes").
    """
    masked = _without(question, [*((t.start, t.end) for t in people), *named])
    for group, words in _measures().items():
        match = words.search(masked)
        parts = _VERSUS.split(masked, maxsplit=1)
        against = len(parts) > 1 and _bounds(parts[0]) and _bounds(parts[1][:_NEAR_CHARS])
        if match is None or not (against or _PER.search(masked) or _aims().search(masked)):
            continue
        tested = _bounds(parts[0])
        compared = _bounds(parts[1][:_NEAR_CHARS]) if len(parts) > 1 else frozenset()
        return Target(group, tested, compared, _PER.search(masked) is not None)
    return None


def _without(question: str, spans: Iterable[tuple[int, int]]) -> str:
    """The question with blanks for the figures where it says who is meant, names things, and names times."""
    masked = list(question)
    for start, end in spans:
        masked[start:end] = re.sub(r"\d", " ", question[start:end])
    return re.sub(r"\b\d+[- ](?:day|week|month|year)s?\b", " ", "".join(masked), flags=re.IGNORECASE)


def _bounds(text: str) -> frozenset[Bound]:
    """Figures with the side on which they bound: "below 130" from above, "130 to 149" both ways."""
    found: set[Bound] = set()
    taken: list[tuple[int, int]] = []
    for match in _RANGE.finditer(text):
        taken.append(match.span())
        found |= {("low", float(match[1])), ("high", float(match[2]))}
    for match in _NUMBER.finditer(text):
        if any(start <= match.start() < end for start, end in taken):
            continue
        before = text[max(0, match.start() - 20) : match.start()]
        side = "high" if _BELOW.search(before) else "low" if _ABOVE.search(before) else "at"
        found.add((side, float(match[0])))
    return frozenset(found)


def _meet(some: frozenset[Bound], others: frozenset[Bound]) -> bool:
    """Whether they share a figure that bounds on the same side; a bare figure may bound on either."""
    return any(a[1] == b[1] and (a[0] == b[0] or "at" in {a[0], b[0]}) for a in some for b in others)


def is_tested(target: Target, side: str, other: str, title: str) -> bool:
    """Whether an arm is the target asked about, and the other one what it is compared with."""
    if not _measures()[target.measure].search(f"{side} {title}"):
        return False
    own, against = _bounds(side), _bounds(other)
    if target.measure == _THRESHOLD:
        own, against, target = _as_thresholds(own), _as_thresholds(against), _of_thresholds(target)
    if target.tested:
        fits = _meet(own, target.tested) and not _meet(against, target.tested)
    else:
        fits = _further().search(side) is not None and _further().search(other) is None
    return fits and (not target.compared or not against or _meet(against, target.compared))


_THRESHOLD = "haemoglobin"
"""Who is transfused below 10 is kept above 10: one threshold, whichever side a text names."""


def _as_thresholds(bounds: frozenset[Bound]) -> frozenset[Bound]:
    return frozenset(("at", figure) for _, figure in bounds)


def _of_thresholds(target: Target) -> Target:
    return replace(target, tested=_as_thresholds(target.tested), compared=_as_thresholds(target.compared))


def is_what_is_done(target: Target, given: Sequence[str]) -> bool:
    """Whether what a question says is given is treatment to the target, where it names no figure: "does a visit lower
    HbA1c" asks about the visit."""
    if target.tested or target.compared or target.per_unit or not given:
        return True
    return any(names_measure(text) or _further().search(text) or _aims().search(text) for text in given)


def is_lowered(target: Target, side: str) -> bool:
    """Whether an arm is given a drug that lowers the measure, where no figure of it is asked about: "lowering BP"."""
    drugs = table("treatment-targets").values("lowered by").get(target.measure)
    if drugs is None or target.tested or target.compared or target.per_unit:
        return False
    return any(term.kind is EntityKind.DRUG and is_member(term.name, drugs) for term in find_terms(side))


def is_named(target: Target, sentence: str) -> bool:
    """Whether a sentence names the measure, or the arm that goes further ("the intensive target")."""
    return is_measure(target, sentence) or _further().search(sentence) is not None


def is_about(target: Target, title: str) -> bool:
    """Whether a pooled result is of the measure."""
    return _measures()[target.measure].search(title) is not None


def is_measure(target: Target, text: str) -> bool:
    """Whether words name what is treated, which is then no outcome."""
    return _measures()[target.measure].search(text) is not None


def names_measure(text: str) -> bool:
    """Whether words name anything that is treated to a target."""
    return any(named.search(text) for named in _measures().values())


def is_implied(target: Target, term: PopulationTerm) -> bool:
    """Whether all who are treated to the target are meant: "hypertensive adults" of a blood pressure."""
    by_adjective = term.text.split()[-1].rstrip("s").endswith("ive")
    return by_adjective and table("treatment-targets").values("implied").get(term.name or "") == target.measure


def is_of(target: Target, disease: str) -> bool:
    """Whether a disease is what is treated to the target: hypertension of a blood pressure."""
    return table("treatment-targets").values("implied").get(disease) == target.measure


def is_aimed_at(text: str) -> bool:
    """Whether words tell a target and not who is meant: "aiming below 120"."""
    return _AIMING.match(text) is not None


_AIMING = re.compile(r"(?:aim|target|goal|push|driv|going for)\w*\b", re.IGNORECASE)


@cache
def _measures() -> dict[str, re.Pattern[str]]:
    listed = table("treatment-targets")
    groups = (group for group in listed.groups() if group not in {"aims", "further", "implied", "lowered by"})
    return {g: re.compile(rf"\b{any_of(listed.words(g))}(?!\w)", re.IGNORECASE) for g in groups}


@cache
def _aims() -> re.Pattern[str]:
    return re.compile(rf"\b{any_of(table('treatment-targets').words('aims'))}(?!\w)|[<≤]", re.IGNORECASE)


@cache
def _further() -> re.Pattern[str]:
    return re.compile(rf"\b{any_of(table('treatment-targets').words('further'))}(?!\w)", re.IGNORECASE)
