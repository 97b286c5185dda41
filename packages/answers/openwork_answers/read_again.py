"""A second reading of a question, in the words of what was found.

The first reading takes a question apart by lists, before anything was found: what no list holds ("staged complete
revascularisation") is no treatment to it, and nothing answers. Where that is so, each result that was found is held
against the question's own words: the words that set its two arms apart, those of its outcome, and those of its people
have to stand in the question, and whatever the question names besides has to be told of in the source.

It never turns a role round that the question gives: a disease that is read as who is meant stays so. What follows from
it is said as found, never as yes or no.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from openwork_contracts.conclusion import Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import Entity, EntityKind, PopulationKind, PopulationTerm
from openwork_evidence.text import abstract_text
from openwork_language.abbreviations import meanings_of
from openwork_language.asking.figures import AGE, figures_in
from openwork_language.mentions import idea_of, idea_tokens, names_in, speaks_of
from openwork_language.searching.information import LITTLE as LITTLE_TOLD
from openwork_language.searching.information import MUCH, SOME, information
from openwork_language.terms import find_terms
from openwork_language.tokens import STOP_WORDS

from openwork_answers.another_patient import tells_a_state
from openwork_answers.asked import Question
from openwork_answers.asked_targets import SET_AGAINST
from openwork_answers.asked_treatments import LITTLE
from openwork_answers.given import asking_part, is_had
from openwork_answers.naming_people import in_words
from openwork_answers.outcome_fits import closeness, fit_of
from openwork_answers.outcome_names import in_standard_names
from openwork_answers.outcomes import NEAR, OF_IT, Outcome, is_neutral, read_outcome
from openwork_answers.people import alternatives, is_young, people_fit, studied
from openwork_answers.people_states import states_in
from openwork_answers.roles import unsure_terms
from openwork_answers.treatments import is_control, named_by, without_dose
from openwork_answers.unread import is_telling
from openwork_answers.variants import strategy
from openwork_answers.word_matches import is_same_word

_WORD = re.compile(r"[^\W\d_](?:[\w'-]*\w)?")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_MOST_UNTOLD = 0.25
"""Of the telling words of a question, the share of which a source may say nothing, where no list knows them."""
_HALF = 0.5
_HOLDS_IT = 0.6
"""`closeness` of a composite that holds the very outcome."""
_PREFIX = 4
"""Letters of a drug's name that stand for it where a source has it: "pred", "dexa"."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The words of a question, with the names and the long forms of what it names."""

    text: str
    words: tuple[str, ...]
    """Telling ones, folded."""
    tokens: frozenset[str]
    numbers: frozenset[str]
    strategies: frozenset[str]
    """Ways of treating that it names, each under one word: "straight away" and "immediate"."""
    cuts: tuple[str, ...]
    """Words that no list knows, which may be the first letters of a drug's name."""

    def has(self, word: str) -> bool:
        """Whether a word of a source stands in the question, in this form or another."""
        own, folded = idea_tokens(word), word.casefold()
        if own and own <= self.tokens:
            return True
        if any(is_same_word(folded, other) for other in self.words) or strategy(word) in self.strategies:
            return True
        return information(word) >= MUCH and any(folded.startswith(cut) for cut in self.cuts)


@lru_cache(maxsize=64)
def _asked(text: str, names: tuple[str, ...]) -> _Asked:
    written = [match[0] for match in _WORD.finditer(text)]
    long = [meaning for word in written if not word.islower() for meaning in meanings_of(word)]
    full = " ; ".join((text, *names, *long))
    return _Asked(
        text=text,
        words=tuple(word.casefold() for word in _WORD.findall(full)),
        tokens=idea_tokens(full),
        numbers=_numbers(text),
        strategies=frozenset(way for word in written if (way := strategy(word)) is not None),
        cuts=tuple(w for w in map(str.casefold, written) if len(w) >= _PREFIX and not find_terms(w) and is_telling(w)),
    )


def _numbers(text: str) -> frozenset[str]:
    """The figures of a text, "7.0" as "7"."""
    return frozenset(f"{float(number):g}" for number in _NUMBER.findall(_THOUSANDS.sub("", text)))


def readings_by(
    question: Question, results: Sequence[StudyResult], documents: Sequence[EvidenceCandidate]
) -> list[Question]:
    """Readings that the results suggest, the one that takes in most of the question first.

    Args:
        question: the first reading, which nothing answers.
        results: of the sources found, each with its fits to that reading; `n` is a place (from 1) in `documents`.
    """
    analysis = question.analysis
    asked = _asked(analysis.question, tuple(e.name for e in analysis.entities if e.name))
    found: list[tuple[float, Question]] = []
    given = _apart_from(question, question.people)
    for result in results:
        if len(result.comparison) != 2 or (result.effect is None and not result.arms):
            continue
        document = documents[result.n - 1]
        sides = _sides(result, question, given, document)
        outcomes = _outcomes(result, question, asked, document)
        if sides is None or outcomes is None:
            continue
        people = _people(question, result, document, outcomes)
        if people is None:
            continue
        kept, left_out = people
        if result.comparison_fit not in OF_IT and not any(term.kind is PopulationKind.CONDITION for term in kept):
            continue  # two ways of treating whom it does not tell
        share = _told(question, asked, result, document, left_out)
        if share is None:
            continue
        reading = replace(
            question,
            treatments=(),
            comparators=(),
            contrast=None,
            target=None,
            treated=False,
            stops=False,
            together=False,
            background=(),
            heads=frozenset(),
            outcomes=outcomes,
            unread=(),
            people=kept,
            left_out=tuple(in_words((term,)) for term in left_out),
            compared=(sides,),
            yes_or_no=False,
            asks_for_effect=True,
        )
        found.append((share, reading))
    found.sort(key=lambda one: -one[0])
    return [reading for _, reading in found]


def _sides(
    result: StudyResult, question: Question, asked: _Asked, document: EvidenceCandidate
) -> tuple[str, str] | None:
    """The two arms, the one asked about first, where they are what the question compares."""
    first, second = result.comparison
    if question.stops:
        return None
    if result.comparison_fit in OF_IT:
        return first, second
    if not _has_all_treatments(question, document, result):
        return None
    if not _are_named(question, f"{first} v {second}"):
        return None
    own, other = _words_apart(first, second)
    compares = SET_AGAINST.search(asked.text) is not None
    if is_control(second) and (not compares or any(asked.has(word) for word in _arm_words(second))):
        telling = [word for word in own if information(word) >= SOME]
        met = [word for word in telling if asked.has(word)]
        if any(information(word) >= MUCH for word in met) and len(met) >= _HALF * len(telling):
            return first, second
    met_first, met_second = ([word for word in apart if asked.has(word)] for apart in (own, other))
    if not met_first and not met_second:
        figures = _figures_apart(first, second)
        if not all(some & asked.numbers for some in figures):
            return None
    elif not met_second or not met_first:
        return None
    if not _is_its_subject(first, second, document.title, asked):
        return None
    if met_first and met_second and _place(met_second, asked.text) < _place(met_first, asked.text):
        return second, first
    return first, second


def _are_named(question: Question, arms: str) -> bool:
    """Whether two arms name what a question compares by names: each comparator, and one of the treatments."""
    if any(idea.names and named_by(idea, arms) not in NEAR for idea in question.comparators):
        return False
    text = question.analysis.question
    drugs = [idea for idea in question.treatments if idea.names]
    if any(named_by(idea, arms) in NEAR for idea in drugs):
        return True
    return all(is_had(text[: max(0, text.find(idea.term))]) for idea in drugs)


def _place(words: Sequence[str], text: str) -> int:
    """Where the first of some words stands, by its first letters: in the part that asks, else before it."""
    folded, start = text.casefold(), asking_part(text)
    cut = [word.casefold()[:_PREFIX] for word in words]
    places = [at for word in cut if (at := folded.find(word, start)) >= 0 or (at := folded.find(word)) >= 0]
    return min(places, default=len(text))


def _plain(side: str) -> str:
    return _BRACKETS.sub("", without_dose(side))


def _words_apart(first: str, second: str) -> tuple[list[str], list[str]]:
    """Words that one arm alone has; those of both, of giving in general and of grammar are left out."""
    one, other = (_arm_words(side) for side in (first, second))
    return (
        [word for word in one if not any(_are_alike(word, o) for o in other)],
        [word for word in other if not any(_are_alike(word, o) for o in one)],
    )


def _are_alike(one: str, other: str) -> bool:
    """Whether two words are forms of one."""
    return idea_tokens(one) == idea_tokens(other) or is_same_word(one.casefold(), other.casefold())


@lru_cache(maxsize=4096)
def _arm_words(side: str) -> tuple[str, ...]:
    parts = (word for match in _WORD.finditer(_plain(side)) for word in re.split(r"[-']", match[0]))
    kept = (w for w in parts if len(w) > 1 and w.casefold() not in STOP_WORDS and not idea_tokens(w) <= LITTLE)
    return tuple(dict.fromkeys(kept))


def _figures_apart(first: str, second: str) -> tuple[frozenset[str], frozenset[str]]:
    one, other = _numbers(first), _numbers(second)
    return one - other, other - one


def _is_its_subject(first: str, second: str, title: str, asked: _Asked) -> bool:
    """Whether the question names what both arms are ways of: a telling word that both have, or one of the title."""
    both = [word for word in _arm_words(first) if any(_are_alike(word, o) for o in _arm_words(second))]
    telling = [word for word in both if information(word) >= SOME]
    if telling:
        return any(asked.has(word) for word in telling)
    named = [w for match in _WORD.finditer(title) for w in re.split(r"[-']", match[0]) if information(w) >= SOME]
    return sum(asked.has(word) for word in dict.fromkeys(named)) >= min(2, len(named))


def _has_all_treatments(question: Question, document: EvidenceCandidate, result: StudyResult) -> bool:
    """Whether the source speaks of every drug that the asking clause names: of another nothing is known."""
    text = _text(document, result)
    start = asking_part(question.analysis.question)
    named = [e for e in question.analysis.entities if e.kind is EntityKind.DRUG and e.start >= start]
    return all(speaks_of(text, idea_of(e.text, (e.name,))) for e in named)


@lru_cache(maxsize=512)
def _whole(document: EvidenceCandidate) -> str:
    return f"{document.title}. {abstract_text(document)} {' ; '.join(document.mesh_terms)}"


def _text(document: EvidenceCandidate, result: StudyResult) -> str:
    return f"{_whole(document)} ; {' v '.join(result.comparison)} ; {result.outcome} ; {result.people or ''}"


def _outcomes(
    result: StudyResult, question: Question, asked: _Asked, document: EvidenceCandidate
) -> tuple[Outcome, ...] | None:
    """What is asked about, where a result is of it: by its name, or by all its telling words; `None` = it is not.

    Whatever the question is read to ask about has to be it, so that no other event answers; what it tells before it
    asks, and the source's title names, is who is meant.
    """
    told = read_outcome(result.outcome)
    asking = asked.text[asking_part(asked.text) :]
    outcomes = tuple(
        one for one in question.outcomes if one.text in asking or not speaks_of(document.title, idea_of(one.text))
    )
    if outcomes and any(fit_of(told, one) in OF_IT or closeness(told, one) >= _HOLDS_IT for one in outcomes):
        return outcomes
    if any(atom.things for one in outcomes for atom in one.atoms):
        return None  # it asks about what a list knows, and this is another thing
    bare = _BRACKETS.sub("", result.outcome).strip()
    apart = _without_people(question)
    if in_standard_names(bare).casefold() in in_standard_names(apart.text[asking_part(apart.text) :]).casefold():
        return (told,)
    named = [w for w in _outcome_words(bare) if not is_neutral(w.casefold())]
    telling = [word for word in named if information(word) >= SOME]
    return (told,) if telling and all(apart.has(word) for word in telling) else None


def _without_people(question: Question) -> _Asked:
    """The words of a question but those that a word before them gives to the people: "... in acute stroke"."""
    return _apart_from(question, [t for t in question.people if _is_placed(t, question.analysis.question)])


def _apart_from(question: Question, terms: Sequence[PopulationTerm]) -> _Asked:
    """The words of a question but those of some terms."""
    text = question.analysis.question
    for term in terms:
        text = text[: term.start] + " " * (term.end - term.start) + text[term.end :]
    names = (e.name for e in question.analysis.entities if e.name and text[e.start : e.end].strip())
    return _asked(text, tuple(names))


def _outcome_words(text: str) -> list[str]:
    parts = (word for match in _WORD.finditer(text) for word in re.split(r"[-']", match[0]))
    return [word for word in parts if word.casefold() not in STOP_WORDS]


_STRICT = frozenset({PopulationKind.PREGNANCY, PopulationKind.STAGE, PopulationKind.AGE, PopulationKind.DEVICE})


def _people(
    question: Question, result: StudyResult, document: EvidenceCandidate, outcomes: Sequence[Outcome]
) -> tuple[tuple[PopulationTerm, ...], tuple[PopulationTerm, ...]] | None:
    """The terms that the source is about, and those of which it says nothing; `None` = it is of others.

    What it may say nothing of is what no list knows, told beside a disease that it is about.
    """
    kept: list[PopulationTerm] = []
    left_out: list[PopulationTerm] = []
    who = f"{document.title}. {studied(document)} ; {result.people or ''}"
    start = asking_part(question.analysis.question)
    unsure = unsure_terms(question.analysis)
    for group in alternatives(question.people):
        if any(_is_given(term, result) for term in group):
            continue
        asked = [t for t in group if t in unsure or (not question.outcomes and t.start >= start)]
        if any(_is_the_outcome(t, outcomes) for t in asked if not _is_placed(t, question.analysis.question)):
            continue
        if any(_DIED_OF.search(question.analysis.question[: term.start]) for term in group):
            if not all(speaks_of(result.outcome, idea_of(term.text)) for term in group):
                return None
            continue
        fit = people_fit(group, document, result.people)
        if fit in NEAR:
            kept += group
        elif fit is Fit.OTHER or not all(_may_be_untold(term, who, start) for term in group):
            return None
        else:
            left_out += group
    if any(term.measure is None for term in left_out):
        return None  # words for people are who is meant: of others the nearest is told, as no answer
    if left_out and not any(_anchors(term, document, result) for term in kept):
        return None
    return tuple(kept), tuple(left_out)


_OF_WHOM = re.compile(
    r"\b(?:in|with|after|among|who (?:have|has|had)|(?:treatment|management|therapy) (?:of|for))\s+(?:[\w-]+\s+){0,2}$",
    re.IGNORECASE,
)
"""Before a disease that somebody has."""
_DIED_OF = re.compile(r"\b(?:die[sd]?|dying|deaths?|mortality)\s+(?:of|from|due to)\s+(?:[\w-]+\s+)?$", re.IGNORECASE)
"""Before a disease that somebody dies of, which is what is asked about."""
_ADMITTED = re.compile(r"\b(?:hospital\w*|admi\w+|ward|in-?patients?)\s+with\s+$", re.IGNORECASE)
"""Before a disease for which somebody is admitted, which is what is counted."""


def _is_placed(term: PopulationTerm, question: str) -> bool:
    """Whether a word says that somebody has what a term names: "after gallstones", "in acute stroke"."""
    opening = _HAS.match(term.text)
    before = question[: term.start] + (opening[0] if opening else "")
    return _OF_WHOM.search(before) is not None and _ADMITTED.search(before) is None


_HAS = re.compile(r"(?:in|with|after|among|following)\s+", re.IGNORECASE)


def _is_the_outcome(term: PopulationTerm, outcomes: Sequence[Outcome]) -> bool:
    """Whether a disease is what is asked about: "fish oil and atrial fibrillation in athletes" has it in nobody."""
    asked = read_outcome(_CUE.sub("", term.text))
    return any(fit_of(one, asked) is Fit.ASKED and fit_of(asked, one) is Fit.ASKED for one in outcomes)


_CUE = re.compile(r"^(?:on|needing|having|getting)\s+(?:an?\s+|the\s+)?", re.IGNORECASE)
_PLAIN = re.compile(r"(?:normal|stable|unremarkable|negative)\b", re.IGNORECASE)
"""Findings that make nobody another patient."""


def _is_given(term: PopulationTerm, result: StudyResult) -> bool:
    """Whether a figure is what an arm is treated to, and nobody's own: "MAP goal 80-85"."""
    if term.measure in _RESTRICTING or term.kind is PopulationKind.CONDITION:
        return False
    figures = _numbers(term.text)
    return bool(figures) and figures <= _numbers(" ; ".join(map(without_dose, result.comparison)))


_HISTORY = re.compile(r"\b(?:prior|previous|past|earlier|history|old|ago|known)\b", re.IGNORECASE)
"""Of what somebody had: what ails him now may be something else."""


def _anchors(term: PopulationTerm, document: EvidenceCandidate, result: StudyResult) -> bool:
    """Whether a term is a disease by its name, or an age that the source is of, whatever else is told of somebody."""
    if term.kind is PopulationKind.CONDITION:
        return term.wanted and not _HISTORY.search(term.text) and (term.name is not None or bool(states_in(term.text)))
    aged = term.kind is PopulationKind.AGE and _NUMBER.search(term.text) is not None
    return aged and any(one.measure == AGE for one in figures_in(f"{document.title}. {studied(document)}"))


_RESTRICTING = frozenset({"age", "gestational age", "eGFR", "creatinine clearance", "LVEF"})
"""Measures that make somebody another patient: of one whose figure a source does not tell, it is not known to be."""


def _may_be_untold(term: PopulationTerm, who: str, start: int) -> bool:
    """Whether a source that is silent on a term may be of its people all the same, which is said: a figure of an
    examination, what somebody does not have, and what no list knows where it is told before the asking.

    Args:
        who: what the source says of whom it studied, in which every disease of the term has to stand.
        start: where the part begins that asks.
    """
    if term.kind in _STRICT or is_young(term) or term.measure in _RESTRICTING:
        return False
    if term.measure is not None:
        return True
    if term.name is not None or names_in(term.text):
        return not term.wanted and not names_in(term.text) & names_in(who)
    told_first = term.start < start or term.kind is PopulationKind.SETTING or _PLAIN.match(term.text) is not None
    if not (told_first or all(information(word) <= LITTLE_TOLD for word in _WORD.findall(term.text))):
        return False
    return all(_has(who, word) for word in _WORD.findall(term.text) if tells_a_state(word))


def _has(text: str, word: str) -> bool:
    return idea_tokens(word) <= idea_tokens(text) or any(is_same_word(word, one) for one in _WORD.findall(text))


def _told(
    question: Question,
    asked: _Asked,
    result: StudyResult,
    document: EvidenceCandidate,
    left_out: Sequence[PopulationTerm],
) -> float | None:
    """Of the telling words of the clause that asks, the share that the source has; `None` = it lacks much, or a thing
    that is named. Words of people who are told not to be told apart count half.
    """
    text = _text(document, result)
    start = asking_part(asked.text)
    places = [(term.start, term.end) for term in question.people]  # each was judged for itself
    named = [e for e in question.analysis.entities if not any(a <= e.start < b for a, b in places)]
    found = [(at, at + len(one.text)) for one in question.outcomes if (at := asked.text.find(one.text)) >= 0]
    if any(not speaks_of(text, idea_of(e.text, (e.name,))) for e in named if _counts(e, start)):
        return None
    certain = result.outcome_fit in OF_IT  # what is asked about is told in so many words
    tokens = idea_tokens(text)
    written = frozenset(word.casefold() for word in _WORD.findall(text))
    met = untold = 0.0
    for match in _WORD.finditer(asked.text):
        if match.start() < start or not is_telling(match[0]) or match[0][0].isdigit():
            continue
        word = match[0].casefold()
        if any(term.start <= match.start() < term.end for term in left_out):
            met += _HALF
            continue
        if certain and any(a <= match.start() < b for a, b in found):
            met += 1
            continue
        forms = (idea_tokens(word), *(idea_tokens(meaning) for meaning in meanings_of(match[0])))
        known = any(form and form <= tokens for form in forms) or any(is_same_word(word, one) for one in written)
        known = known or any(
            e.start <= match.start() < e.end and speaks_of(text, idea_of(e.text, (e.name,)))
            for e in question.analysis.entities
        )
        met, untold = (met + 1, untold) if known else (met, untold + 1)
    if not (met or untold):
        return 1.0 if certain else None
    if not met or untold > (_HALF if certain else _MOST_UNTOLD) * (met + untold):
        return None
    return met / (met + untold)


def _counts(entity: Entity, start: int) -> bool:
    """Whether a source has to speak of what is named: each disease, and what is given in the clause that asks."""
    return entity.kind is EntityKind.DISEASE or (entity.kind is EntityKind.DRUG and entity.start >= start)
