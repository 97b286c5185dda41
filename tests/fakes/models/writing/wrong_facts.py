"""Errors in the fact: one slot is changed, and the same words tell it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from tests.fakes.models.writing.facts import Fact, Family
from tests.fakes.models.writing.figures import Figures
from tests.fakes.models.writing.words import own

_MEASURED = frozenset({Family.PAIR, Family.COMPARISON, Family.EFFECT, Family.LEVEL})
_UP = re.compile(r"\b(higher|increased|increase|greater|elevated|raised|longer|more)\b")
_DOWN = re.compile(r"\b(lower|reduced|reduction|decreased|decrease|smaller|shorter|less|fewer)\b")
_TURN = {
    "higher": "lower",
    "increased": "reduced",
    "increase": "decrease",
    "greater": "smaller",
    "elevated": "lowered",
    "raised": "lowered",
    "longer": "shorter",
    "more": "less",
    "lower": "higher",
    "reduced": "increased",
    "reduction": "increase",
    "decreased": "increased",
    "decrease": "increase",
    "smaller": "greater",
    "shorter": "longer",
    "less": "more",
    "fewer": "more",
}


def direction(fact: Fact, others: Sequence[Fact], random: Random) -> Fact | None:
    """Up for down, better for worse."""
    if fact.family is Family.COMPARISON:
        return replace(fact, word=own("reverse")[fact.word][0], figures=Figures(p=fact.figures.p))
    if fact.family is Family.EFFECT:
        return replace(fact, word=own("opposite")[fact.word][0])
    if fact.family is Family.LINK:
        if fact.word in {"inversely", "negatively", "positively"}:
            return replace(fact, word="inversely" if fact.word == "positively" else "positively")
        found = [*_UP.findall(fact.outcome), *_DOWN.findall(fact.outcome)]
        if len(found) == 1:
            return replace(fact, outcome=re.sub(rf"\b{found[0]}\b", _TURN[found[0]], fact.outcome))
    return None


def null_as_effect(fact: Fact, others: Sequence[Fact], random: Random) -> Fact | None:
    """No difference told as an effect, with whatever figures it had."""
    if fact.family is Family.NO_EFFECT:
        return replace(fact, family=Family.EFFECT, word=fact.word or random.choice(("lower", "raise")), present=False)
    if fact.family is Family.NO_DIFFERENCE and fact.subject:
        arms = (f"in {fact.subject}", f"in {fact.other}")
        word = random.choice(("higher", "lower"))
        return replace(fact, family=Family.COMPARISON, subject=arms[0], other=arms[1], word=word)
    if fact.family is Family.NO_LINK:
        return replace(fact, family=Family.LINK, word="")
    return None


def effect_as_null(fact: Fact, others: Sequence[Fact], random: Random) -> Fact | None:
    """An effect told as none; its figures would give it away and are mostly left out."""
    figures = fact.figures if random.random() < 0.3 else Figures()
    clearly = random.random() < 0.6
    if fact.family is Family.EFFECT and not fact.modal:
        word = fact.word if random.random() < 0.5 else ""
        return replace(
            fact, family=Family.NO_EFFECT, word=word, by="", significant=clearly and figures.is_shown, figures=figures
        )
    if fact.family is Family.COMPARISON:
        one, two = (
            re.sub(r"^(?:in|with|among|for|on|after|under|at|given|receiving) ", "", arm)
            for arm in (fact.subject, fact.other)
        )
        kind = {"subject": one, "other": two, "word": "", "alike": random.random() < 0.4}
        return replace(fact, family=Family.NO_DIFFERENCE, figures=figures, **kind)  # type: ignore[arg-type]
    if fact.family is Family.LINK:
        return replace(fact, family=Family.NO_LINK, figures=figures)
    return None


def arms_exchanged(fact: Fact, others: Sequence[Fact], random: Random) -> Fact | None:
    """Each arm in the other's place; the figures stay."""
    pair = fact.figures.pair
    if fact.family is Family.PAIR and pair and pair[0] != pair[1]:
        return replace(fact, subject=fact.other, other=fact.subject)
    if fact.family is Family.COMPARISON or (fact.family is Family.EFFECT and fact.other):
        return replace(fact, subject=fact.other, other=fact.subject)
    return None


def other_outcome(fact: Fact, others: Sequence[Fact], random: Random) -> Fact | None:
    """The figures, or the finding, of one outcome given to another of the same source."""
    if fact.family not in _MEASURED:
        return None
    words = set(fact.outcome.lower().split())
    choices = [
        other
        for other in others
        if other.family in _MEASURED | {Family.NO_EFFECT, Family.NO_DIFFERENCE}
        and len(words & set(other.outcome.lower().split())) <= len(words) // 2
        and len(other.outcome.split()) <= 10
        and _differs(fact, other)
    ]
    return replace(fact, outcome=random.choice(choices).outcome) if choices else None


def _differs(fact: Fact, other: Fact) -> bool:
    """Whether the finding on the one outcome is false of the other."""
    mine, its = fact.figures, other.figures
    if mine.pair or mine.ratio:
        return (mine.pair, mine.ratio) != (its.pair, its.ratio)
    if other.family in {Family.NO_EFFECT, Family.NO_DIFFERENCE}:
        return True
    return fact.family is other.family is Family.EFFECT and own("opposite")[fact.word][0] == other.word


def composite(fact: Fact, others: Sequence[Fact], random: Random) -> Fact | None:
    """The finding on "A, B or C" told of one of them."""
    told = fact.figures.pair or fact.figures.ratio or fact.by or re.search(r"composite|combined|death", fact.outcome)
    if fact.family not in _MEASURED or not told or " or " not in fact.outcome:
        return None  # of a null finding on "A or B" each half is true
    bare = re.sub(
        r"^(?:the )?(?:primary )?(?:composite|combined|risk|rates?|total) (?:\w+ )?of |^(?:the )?composite of ",
        "",
        fact.outcome,
    )
    parts = [part.strip() for part in re.split(r",| or ", bare) if len(part.split()) >= 1 and part.strip()]
    parts = [
        p
        for p in parts
        if p not in {"major", "recurrent", "nonfatal", "fatal", "clinically relevant"} and not p.startswith("other ")
    ]
    return replace(fact, outcome=random.choice(parts)) if len(parts) > 1 else None


def noninferiority(fact: Fact, others: Sequence[Fact], random: Random) -> Fact | None:
    """No difference told as noninferiority or proven equality."""
    arms = fact.subject and fact.other
    if fact.family is Family.NO_DIFFERENCE and arms and not fact.alike:
        said = random.choice(("was shown to be noninferior to", "was proven equivalent to", "was superior to"))
        return replace(
            fact,
            family=Family.PLAIN,
            outcome=f"{fact.subject} {said} {fact.other} for {fact.outcome}",
            place="",
            time="",
        )
    if fact.family is Family.PLAIN and re.search(r"\bnon-?inferior\b", fact.outcome):
        outcome = re.sub(r"\bnon-?inferior\b", random.choice(("superior", "equivalent")), fact.outcome)
        return replace(fact, outcome=outcome)
    return None


SLOTS: dict[str, Callable[[Fact, Sequence[Fact], Random], Fact | None]] = {
    "direction": direction,
    "null_as_effect": null_as_effect,
    "effect_as_null": effect_as_null,
    "arms_exchanged": arms_exchanged,
    "other_outcome": other_outcome,
    "composite": composite,
    "noninferiority": noninferiority,
}
