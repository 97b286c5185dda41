"""What an arm gives, held against a treatment that is asked about: it, one of its class, it with others, a control."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from openwork_contracts.conclusion import Fit
from openwork_contracts.question import (
    EntityKind,
)
from openwork_knowledge.classes import classes_of, wider
from openwork_knowledge.lexicon import brand_table
from openwork_knowledge.patterns import pattern
from openwork_language.mentions import Idea, names_in, speaks_of
from openwork_language.terms import Term, class_members, find_terms, is_member

from openwork_answers.outcomes import NEAR

_IN_BRACKETS = re.compile(r"\s*\([^()]*\d[^()]*\)")
"""Behind an arm's name a target or a dose, no name: "warfarin (INR 2.0-3.0)"."""
NO_DRUG = (
    "kilogram|gram|lit[er]|decilit|millilit|square|hour|minute|second|week|month|daily|dose|based|taper|load|bolus|infus"
    "|maint|releas|every|twice|three|night|morning|single"
)
"""How words begin that stand behind a dose and name no drug: "40 mg-tapered"."""
_DOSE_WITHIN = re.compile(
    r"\s\d[\d.,]*\s?(?:micrograms?|mcg|ug|µg|mg|g|units?|IU)(?=[-/+](?!"
    rf"{NO_DRUG})[a-z]{{5}})",
    re.IGNORECASE,
)
""" "Budesonide[ 320 micrograms]-glycopyrrolate-formoterol"."""
_DOSE_WORD = re.compile(r"\b(?:low|high|standard|full|reduced|usual|moderate)(?:er)?[- ]dose\s+", re.IGNORECASE)
_ABSENT = re.compile(r"\s*(?:no|without|not|non|off)\b", re.IGNORECASE)
"""An arm that goes without: "no aspirin"."""
_EITHER = re.compile(r"\bor\b(?!\s+(?:placebo|more|less|higher|lower|until|twice)\b)", re.IGNORECASE)
_ANY = re.compile(
    rf"(?:the )?{pattern('comparators', 'unnamed_kind')}(?: available| medical)? "
    rf"{pattern('comparators', 'unnamed_treatment')}|{pattern('comparators', 'unnamed')}",
    re.IGNORECASE,
)
_CONTROL = re.compile(rf"\b{pattern('arm-roles', 'control')}\b", re.IGNORECASE)


_PARTS = re.compile(r"\s*(?:[-/+]|, | plus | and )\s*")
_DOSE = re.compile(
    r"\s*\d[\d.,]*(?:\s?[-–]\s?\d[\d.,]*)?"
    r"(?![\d.,]*[\s-]*(?:days?|weeks?|months?|years?|hours?|h|%|to|or|times)\b)",
    re.IGNORECASE,
)
_WITHOUT = re.compile(r"\s*(?:no|without)\s+\w", re.IGNORECASE)
"""An arm that is told by what it lacks: "no releases", "no beta-blocker"."""
_LACKS = re.compile(
    r"\s*(?:no|without)\s+(?:(?:routine|long-term|early|further|additional|prophylactic|regular|daily|any)\s+)*",
    re.IGNORECASE,
)
_LACKED = re.compile(r"\s*(?:therapy|treatment|use|prophylaxis)?\s*(?:\([^()]*\))?\s*", re.IGNORECASE)
_PLACEBO = re.compile(r"(?:matching |identical )?placebo\b(?!\s+(?:plus|and|with|added)\b)", re.IGNORECASE)


def is_either(side: str) -> bool:
    """Whether an arm is of one of several drugs: "lisinopril or amlodipine"."""
    parts = _EITHER.split(side)
    drugs = [{t.name for t in find_terms(part) if t.kind is EntityKind.DRUG} for part in parts]
    return len(parts) > 1 and any(a and b and a != b for a, b in pairwise(drugs))


def is_one_alone(side: str) -> bool:
    """Whether an arm says that it is given by itself: "vaccine alone"."""
    return _ONE_ALONE.search(side) is not None


def is_any(term: str) -> bool:
    """ "Conventional therapy" is whatever a study compared with."""
    return _ANY.search(term) is not None and not any(t.kind is EntityKind.DRUG for t in find_terms(term))


def is_control(term: str) -> bool:
    if _PLACEBO.match(term):  # "placebo (mineral oil)"
        return True
    named = [t for t in find_terms(term) if t.kind is EntityKind.DRUG]
    if _WITHOUT.match(term):
        return not named or (len(named) == 1 and _is_all_that_lacks(term, named[0].start, named[0].end))
    return _CONTROL.search(term) is not None and not named


def _is_all_that_lacks(term: str, start: int, end: int) -> bool:
    """ "No beta-blocker", but neither "no aspirin, warfarin" nor "no interruption of warfarin"."""
    return _LACKS.fullmatch(term, 0, start) is not None and _LACKED.fullmatch(term, end) is not None


def best_fit(ideas: Sequence[Idea], side: str, beside: frozenset[str] = frozenset()) -> Fit:
    fits = [named_by(idea, side, beside) for idea in ideas]
    for wanted in NEAR:
        if wanted in fits:
            return wanted
    return Fit.OTHER


def without_dose(text: str) -> str:
    """ "Low-dose aspirin" as aspirin: a dose in words is no other drug, nor is one within a name of several."""
    return _DOSE_WORD.sub("", _DOSE_WITHIN.sub("", text))


def generic(idea: Idea) -> str:
    """The asker's word for a drug; a brand with its generic name: "apixaban (Eliquis)"."""
    name = brand_table().get(idea.term.casefold())
    return f"{name} ({idea.term})" if name else idea.term


def named_by(idea: Idea, side: str, beside: frozenset[str] = frozenset()) -> Fit:
    """How an arm stands to a treatment: it is it, a member of the class, the class of it, it with others, another.

    Args:
        beside: drugs that both arms get, which make no combination of either.
    """
    side = without_dose(_IN_BRACKETS.sub("", side) or side)
    if (number := how_many(idea.term)) is not None:
        return Fit.ASKED if _drugs_in(side) == number else Fit.OTHER
    fit = _fit_of_arm(idea, side, beside)
    if fit in NEAR or not any(len(_HYPHENS.split(name)) > 1 for name in idea.names):
        return fit
    return _fit_of_arm(idea, by_parts(side), beside)  # of a combination under another order of its drugs


def is_named_in(text: str, idea: Idea) -> bool:
    """Whether a text names a treatment, one of its class or its class, by a name or as an arm would."""
    return speaks_of(text, idea) or named_by(idea, text) in NEAR


_HOW_MANY = {"dual": 2, "double": 2, "two-drug": 2, "triple": 3, "three-drug": 3, "quadruple": 4, "four-drug": 4}
_BY_NUMBER = re.compile(
    rf"(?P<number>{'|'.join(_HOW_MANY)})(?:[\s-](?:drug|therapy|treatment|regimen|combination|inhaler|inhaled))*",
    re.IGNORECASE,
)


def how_many(term: str) -> int | None:
    """How many drugs words ask for that name none: three of "triple therapy"; `None` = they are other words."""
    match = _BY_NUMBER.fullmatch(term.strip())
    return _HOW_MANY[match["number"].casefold()] if match is not None else None


def is_one_drug(term: Term) -> bool:
    """Whether a name is that of a drug, and of no class."""
    return term.kind is EntityKind.DRUG and not class_members(term.name)


def _drugs_in(side: str) -> int:
    """How many drugs an arm gives, those of a fixed combination each."""
    return len({term.name for term in find_terms(by_parts(side)) if is_one_drug(term)})


def _fit_of_arm(idea: Idea, side: str, beside: frozenset[str]) -> Fit:
    """As `named_by`, of an arm without doses, as it is named: a fixed combination is one thing, or its drugs."""
    if (combined := _as_combination(idea, side, beside)) is not None:
        return combined
    if is_one_alone(side) and _BOTH.search(idea.term):
        return Fit.OTHER  # "vaccine alone" of "vaccine plus chemoprevention"
    if _ABSENT.match(side) or not speaks_of(side, idea):
        nothing = _ABSENT.match(side) or (_ONE_VACCINE.search(side) and _names_one_vaccine(idea))
        own = set() if nothing else set(names_in(side)) - beside
        above = {wide.casefold() for name in idea.names for wide in (*classes_of(name, searching=False), *wider(name))}
        return Fit.WIDER if own & above else Fit.OTHER
    drugs = {t.name.casefold() for t in find_terms(side) if t.kind is EntityKind.DRUG}
    exact = idea.names & drugs
    members = {d for d in drugs if any(is_member(d, name) for name in idea.names)}
    others = drugs - exact - members - beside
    either = {d for d in others if not any(is_member(name, d) for name in idea.names)}
    if either and (exact or members) and _EITHER.search(side):
        return Fit.WIDER  # "a sulphonylurea or insulin": some got the other
    if others and (exact or members) and re.search(r"\b(?:plus|and|with|combined|followed)\b|[+/]", side):
        return Fit.WIDER
    done = names_in(side)
    if idea.names and done and not drugs and not idea.names & done:
        return Fit.PART  # haemodiafiltration, of haemodialysis
    return Fit.PART if members and not exact else Fit.ASKED


_ONE_VACCINE = re.compile(r"\b[A-Z][\w,]*(?:[/-]\w+)*\s+vaccine\b")
""" "RTS,S/AS01E vaccine" is one of them, and not the class."""


def _names_one_vaccine(idea: Idea) -> bool:
    return idea.term[:1].isupper() or any(letter.isdigit() for letter in idea.term)


_BOTH = re.compile(r"\bplus\b|\s\+\s|\bcombined with\b", re.IGNORECASE)
_ONE_ALONE = re.compile(r"\balone\b", re.IGNORECASE)


def _as_combination(idea: Idea, side: str, beside: frozenset[str]) -> Fit | None:
    """A fixed combination by its drugs: "nirmatrelvir 300 mg plus ritonavir 100 mg"; with more of them it is wider.

    `None` = it is none, or the arm has not all of its drugs.
    """
    there = {term.name for term in find_terms(side) if term.kind is EntityKind.DRUG}
    written = [_PARTS.split(name) for name in (idea.term, *idea.names)]
    parts = [[_drug(word) for word in words] for words in written if len(words) > 1]
    held = [drugs for drugs in parts if all(name in there for name in drugs)]
    if not held:
        return None
    more = {name.casefold() for name in there if name is not None} - beside
    return Fit.WIDER if all(more - {str(name).casefold() for name in drugs} for drugs in held) else Fit.ASKED


@lru_cache(maxsize=4096)
def by_parts(side: str) -> str:
    """An arm with its fixed combinations drug by drug: "budesonide-formoterol" as "budesonide plus formoterol"."""
    for term in reversed(find_terms(side)):
        parts = _HYPHENS.split(term.name) if term.kind is EntityKind.DRUG else []
        if len(parts) > 1 and all(_drug(part) == part for part in parts):
            side = f"{side[: term.start]}{' plus '.join(parts)}{side[term.end :]}"
    return side


_HYPHENS = re.compile(r"[-/]")


@lru_cache(maxsize=4096)
def _drug(word: str) -> str | None:
    """The drug that a word names: of "salbutamol" albuterol."""
    return next((term.name for term in find_terms(word) if term.kind is EntityKind.DRUG), None)


def differ_in_dose(one: str, other: str, ideas: Sequence[Idea]) -> bool:
    """Whether the asked drug itself is given in different doses: "300 mg against 75 mg"."""
    doses = [doses_of(side, ideas) for side in (one, other)]
    return bool(doses[0] and doses[1]) and doses[0] != doses[1]


def doses_of(side: str, ideas: Sequence[Idea]) -> frozenset[str]:
    own = (t for t in find_terms(side) if any(t.name.casefold() in idea.names for idea in ideas))
    return frozenset(m[0] for t in own if (m := _DOSE.match(side[t.end :])))


def share_a_dose(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether a figure of one is one of the other, or in its range: 1 mg is 1.0 mg, 1 g 1000 mg, 100 mg of 75-100."""
    asked = [_range(other) for other in others]
    return any(
        low <= factor * most and factor * least <= high
        for low, high in map(_range, some)
        for least, most in asked
        for factor in _GRAMS
    )


def _range(dose: str) -> tuple[float, float]:
    figures = [float(figure) for figure in _FIGURE.findall(dose.replace(",", ""))] or [0.0]
    return figures[0], max(figures[0], figures[-1])


_GRAMS = (1, 1000, 0.001)
"""A gram is a thousand milligrams; nothing is given at a thousand times its dose."""
_FIGURE = re.compile(r"\d+(?:\.\d+)?")


def weaker(a: Fit, b: Fit) -> Fit:
    order = (*NEAR, Fit.NOT_TOLD, Fit.OTHER)
    return max((a, b), key=order.index)
