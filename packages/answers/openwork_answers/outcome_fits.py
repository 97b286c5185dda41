"""How a reported outcome stands to the one that was asked for."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache

from openwork_contracts.conclusion import Fit
from openwork_knowledge import mesh
from openwork_knowledge.tables import table
from openwork_language.identity import Mark, is_contradicted, marks_of
from openwork_language.mentions import names_in
from openwork_language.tokens import STOP_WORDS, stem

from openwork_answers.excluded_causes import causes_left_out
from openwork_answers.outcomes import (
    Atom,
    Outcome,
    Thing,
    groups_above,
    is_kind,
    kinds_of_events,
    neutral_words,
    read_outcome,
    trees_of_groups,
)
from openwork_answers.people_states import fit_of_event
from openwork_answers.word_matches import by_words

_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")


def fit_of(told: Outcome, asked: Outcome) -> Fit:
    """How a reported outcome stands to the one asked for."""
    if is_of_another_number(told.text, asked.text):
        return Fit.OTHER
    fit = _fit_of_names(told, asked)
    if fit in {Fit.OTHER, Fit.NOT_TOLD} and not (told.is_composite or asked.is_composite):
        if any(_is_of_those_who_have(t, a) for t in told.atoms for a in asked.atoms):
            return Fit.OTHER
        if (of_state := fit_of_event(told.text, asked.text)) in {Fit.ASKED, Fit.PART}:
            return of_state
        return by_words(told.text, asked.text) if _may_be_by_words(told, asked) else fit
    return fit


def is_of_another_number(told: str, asked: str) -> bool:
    """Whether words for an outcome have another number than those that ask: "serotype 1" of "serotype 2"."""
    return is_contradicted(_numbers_of(asked), told)


@lru_cache(maxsize=4096)
def _numbers_of(text: str) -> tuple[Mark, ...]:
    """Numbers of what an outcome names; a grade may be told as a range."""
    return tuple(replace(mark, about=frozenset()) for mark in marks_of(text) if mark.stem in _NUMBERED)


_NUMBERED = frozenset({"serotype", "genotype", "type", "serogroup"})


def _may_be_by_words(told: Outcome, asked: Outcome) -> bool:
    """Whether lists know too little of one of them to tell them apart."""
    if any(_shut_each_other_out(t, a) for t in told.atoms for a in asked.atoms):
        return False
    unknown = any(not atom.things for atom in (*told.atoms, *asked.atoms))
    return unknown or any(atom.words for atom in asked.atoms)


def _fit_of_names(told: Outcome, asked: Outcome) -> Fit:
    if not told.atoms or not asked.atoms:
        return Fit.NOT_TOLD
    fits = [[_fit(t, a) for a in asked.atoms] for t in told.atoms]
    if not told.is_composite and not asked.is_composite:
        return fits[0][0]
    met = [max((row[i] for row in fits), key=_RANK.__getitem__) for i in range(len(asked.atoms))]
    held = [max(row, key=_RANK.__getitem__) for row in fits]
    covers = {Fit.ASKED, Fit.PART}
    if (of_name := _by_name(told, asked)) in covers:
        return of_name
    if asked.is_composite:
        if all(f is Fit.ASKED for f in met):
            return Fit.ASKED if all(f in covers for f in held) else Fit.WIDER
        return Fit.PART if any(f in covers for f in held) else max(held, key=_RANK.__getitem__)
    if _is_group(asked) and sum(f in covers for f in held) >= min(2, len(held)):
        return Fit.ASKED  # "cardiovascular events" are a composite by nature
    if all(f in covers for f in held):
        return Fit.PART  # of death, "renal or cardiovascular death"
    return Fit.WIDER if any(f in {*covers, Fit.WIDER} for f in held) else Fit.OTHER


def _by_name(told: Outcome, asked: Outcome) -> Fit:
    """Of a composite that has a name before the brackets with its components, the fit of its name."""
    named = read_outcome(told.text)
    if asked.is_composite or named.is_composite or not named.atoms or named.atoms == told.atoms:
        return Fit.OTHER
    return _fit(named.atoms[0], asked.atoms[0])


def closeness(told: Outcome, asked: Outcome) -> float:
    """How near a reported outcome comes to the one asked for, in [0, 1]; orders results that are all about it.

    1 the outcome; 0.9 a composite of one event and death, where a group of events is asked for; 0.8 the same thing with
    a word more ("major bleeding" of "bleeding"); 0.65 deaths of one cause, where any are asked for; 0.6 a composite
    that holds it; 0.5 a kind of it ("haemorrhagic stroke"); 0.4 a composite that holds a part of it, or a wider one.
    """
    fit = fit_of(told, asked)
    if fit is Fit.ASKED:
        events = {atom.things for atom in told.atoms if Thing("death") not in atom.things}  # an admission is one
        return 0.9 if told.is_composite and not asked.is_composite and len(events) < _EVENTS_OF_A_GROUP else 1.0
    if fit is Fit.PART:
        if not (told.is_composite or asked.is_composite or asked.atoms[0].things):
            return 0.8 if told.atoms[0].words <= asked.atoms[0].words and len(told.atoms[0].things) <= 1 else 0.5
        if told.is_composite or asked.is_composite or not _same_things(told.atoms[0], asked.atoms[0]):
            return 0.5
        return 0.65 if asked.atoms[0].things == {Thing("death")} else 0.8
    if fit is not Fit.WIDER:
        return 0.0
    return 0.6 if any(_fit(t, a) is Fit.ASKED for t in told.atoms for a in asked.atoms) else 0.4


HOLDS_IT = 0.6
"""Closeness of a composite that holds an outcome whole."""


def holds_it(told: Outcome, asked: Outcome) -> bool:
    """Whether a reported outcome is the asked one, the same with a word more, or a composite that holds it."""
    return closeness(told, asked) >= HOLDS_IT


def _same_things(told: Atom, asked: Atom) -> bool:
    exact = {a for a in asked.things for t in told.things if is_kind(a, t) and is_kind(t, a)}
    return exact == asked.things and not (told.words & _causes())


_EVENTS_OF_A_GROUP = 2
"""Besides death, a composite that stands for a group ("cardiovascular events") has as many."""


@cache
def _causes() -> frozenset[str]:
    return frozenset(table("outcomes").values("cause").values())


_RANK = {Fit.ASKED: 4, Fit.PART: 3, Fit.WIDER: 2, Fit.NOT_TOLD: 1, Fit.OTHER: 0}


@cache
def _composites() -> frozenset[str]:
    return frozenset(table("outcomes").words("composite"))


def _is_group(outcome: Outcome) -> bool:
    (atom,) = outcome.atoms
    return any(
        thing.name in trees_of_groups() or thing.name in set().union(*groups_above().values()) for thing in atom.things
    )


def _shut_each_other_out(one: Atom, other: Atom) -> bool:
    """Whether one is counted without what the other is of: "not related to surgery", "related to surgery"."""
    return _leaves_out(one, other) or _leaves_out(other, one)


def _leaves_out(one: Atom, other: Atom) -> bool:
    causes = causes_left_out(one.words)
    return bool(causes) and not causes_left_out(other.words) and not causes.isdisjoint(names_in(other.text))


@lru_cache(maxsize=16384)
def _fit(told: Atom, asked: Atom) -> Fit:
    if _shut_each_other_out(told, asked):
        return Fit.OTHER
    if _is_of_those_who_have(told, asked):
        return Fit.OTHER
    if not asked.things and not asked.words:
        return Fit.NOT_TOLD
    if not asked.things and asked.words <= told.words and asked.words - kinds_of_events():
        same = asked.words == told.words and not told.things
        return Fit.ASKED if same else Fit.PART  # "exacerbations" are asked about, of whatever disease
    if not asked.things or not told.things:
        return _fit_of_words(told, asked)
    met = {a: [t for t in told.things | _group_of_death(told) if is_kind(t, a)] for a in asked.things}
    if all(met.values()):
        exact = all(any(is_kind(a, t) for t in ts) for a, ts in met.items())
        more = told.things - {t for ts in met.values() for t in ts}
        by_nature = any(thing.name in _composites() for thing in asked.things)
        own, said = (
            (asked.words - kinds_of_events(), told.words - kinds_of_events())
            if by_nature
            else (asked.words, told.words)
        )
        if own <= told.words | _words_of_procedures(told):
            return Fit.ASKED if exact and not more and said <= own else Fit.PART
        return Fit.WIDER if not (told.words - asked.words) and not more else Fit.OTHER
    as_group = _group_of_death(asked) or asked.things
    wider = all(any(is_kind(a, t) and _is_usual(a, t) for t in told.things) for a in as_group)
    held = all(any(is_kind(t, a) or (is_kind(a, t) and _is_usual(a, t)) for a in asked.things) for t in told.things)
    if (of_procedure := _words_of_procedures(asked)) and not held:
        return Fit.OTHER  # "stent thrombosis" is no revascularisation
    own = asked.words | of_procedure
    return Fit.WIDER if (wider or held) and told.words - _HOW_KNOWN <= own else Fit.OTHER


def _words_of_procedures(told: Atom) -> frozenset[str]:
    """What the names of procedures say by themselves: PCI is a coronary one."""
    named = {thing.name for thing in told.things if thing.mesh_id and thing.name in groups_above()}
    return frozenset(stem(word) for name in named for word in name.split())


def _is_of_those_who_have(told: Atom, asked: Atom) -> bool:
    """Whether a reported event is one of people who have the asked disease: "diabetes-related death" is no diabetes."""
    found = _RELATED.search(told.text)
    if found is None or not asked.things or _RELATED.search(asked.text):
        return False
    return any(asked.things <= atom.things for atom in read_outcome(found["what"]).atoms)


_RELATED = re.compile(r"(?P<what>[^\W_]+(?: [^\W_]+)?)-related\b", re.IGNORECASE)


def _is_usual(one: Thing, group: Thing) -> bool:
    """Whether a disease is one that a composite of a group's events counts, as far as that is known: a subdural
    haematoma is none of "major cardiovascular events"."""
    usual = [row[1] for row in table("outcomes").rows if row[0] == "usual" and row[2] == group.name]
    places = mesh.trees_of(one.mesh_id) if one.mesh_id else ()
    return not usual or not places or any(p == t or p.startswith(f"{t}.") for p in places for t in usual)


_HOW_KNOWN = frozenset({stem("reported")})
"""A wider outcome may be as the people reported it."""


def _group_of_death(atom: Atom) -> frozenset[Thing]:
    """A death of a cause is one of the events of that cause: cardiovascular death of cardiovascular events."""
    of_heart = "cardiovascular" in atom.words and Thing("death") in atom.things
    return frozenset({Thing("cardiovascular events")}) if of_heart else frozenset()


def _fit_of_words(told: Atom, asked: Atom) -> Fit:
    """Where one of them names nothing known: by all telling words of both."""
    a, t = _all_words(asked), _all_words(told)
    if not a or not t:
        return Fit.NOT_TOLD
    if a == t:
        return Fit.ASKED
    return Fit.PART if a < t else Fit.WIDER if t < a else Fit.OTHER


def _all_words(atom: Atom) -> frozenset[str]:
    if not atom.things and atom.words:
        return atom.words
    kept = (m[0] for m in _WORD.finditer(atom.text) if not neutral_words().fullmatch(m[0].casefold()))
    return frozenset(stem(w.casefold()) for w in kept if w.casefold() not in STOP_WORDS)
