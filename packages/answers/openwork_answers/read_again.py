"""A second reading of a question, in the words of what was found.

The first reading takes a question apart by lists, before anything was found: what no list holds ("staged complete
revascularisation") is no treatment to it, and nothing answers. Where that is so, each result that was found is held
against the question's own words: the words that set its two arms apart (`sides_in_words`), those of its outcome, and
its people have to be those of the question; of the other words of the part that asks, the source may lack a few.

It never turns a role round that the question gives: a disease that is read as who is meant stays so. What follows from
it is never said as yes or no.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from openwork_contracts.conclusion import Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import Entity, EntityKind, PopulationKind, PopulationTerm
from openwork_language.asking.figures import AGE, figures_in, listed_measures
from openwork_language.mentions import idea_of, speaks_of
from openwork_language.searching.information import SOME, information
from openwork_language.tokens import STOP_WORDS

from openwork_answers.asked import Question
from openwork_answers.asked_words import WORD, AskedWords, figures_of, pieces_of, words_apart_from
from openwork_answers.brackets import without_brackets
from openwork_answers.choosing import has_figures
from openwork_answers.given import asking_part
from openwork_answers.in_arms import in_arms
from openwork_answers.naming_people import in_words
from openwork_answers.outcome_fits import fit_of, holds_it
from openwork_answers.outcome_names import in_standard_names
from openwork_answers.outcomes import NEAR, OF_IT, Outcome, is_neutral, read_outcome
from openwork_answers.people import RESTRICTING, alternatives, people_fit
from openwork_answers.people_states import states_in
from openwork_answers.places import is_within, places_of
from openwork_answers.sides_in_words import sides_in_words
from openwork_answers.source_words import all_told, words_of
from openwork_answers.studied import studied
from openwork_answers.terms_asked_about import unsure_terms
from openwork_answers.treatments import without_dose
from openwork_answers.unread import is_telling
from openwork_answers.young import is_young

_MOST_UNTOLD = 0.25
"""Of the telling words of the part that asks, the share of which a source may say nothing."""
_MOST_UNTOLD_OF_NAMED = 0.5
"""The same where the outcome is known by its name."""
_WEIGHT_OF_LEFT_OUT = 0.5
"""Of a word of people who are said not to be told apart."""
_HAD_BY = re.compile(
    r"\b(?:in|with|after|among|who (?:have|has|had)|(?:treatment|management|therapy) (?:of|for))\s+(?:[\w-]+\s+){0,2}$",
    re.IGNORECASE,
)
"""Before a disease that somebody has."""
_HAS = re.compile(r"(?:in|with|after|among|following)\s+", re.IGNORECASE)
"""The same as the first word of a term."""
_DIED_OF = re.compile(r"\b(?:die[sd]?|dying|deaths?|mortality)\s+(?:of|from|due to)\s+(?:[\w-]+\s+)?$", re.IGNORECASE)
"""Before a disease that somebody dies of, which is what is asked about."""
_ADMITTED = re.compile(r"\b(?:hospital\w*|admi\w+|ward|in-?patients?)\s+with\s+$", re.IGNORECASE)
"""Before a disease for which somebody is admitted, which is what is counted."""
_NEEDED = re.compile(r"^(?:on|needing|having|getting)\s+(?:an?\s+|the\s+)?", re.IGNORECASE)
_HISTORY = re.compile(r"\b(?:prior|previous|past|earlier|history|old|ago|known)\b", re.IGNORECASE)
"""Of what somebody had: what ails him now may be something else."""
_STRICT = frozenset({PopulationKind.PREGNANCY, PopulationKind.STAGE, PopulationKind.AGE, PopulationKind.DEVICE})


@dataclass(frozen=True, slots=True)
class _Held:
    """A question, taken apart once, that each result is held against."""

    question: Question
    start: int
    """Where the part begins that asks."""
    words: AskedWords
    of_arms: AskedWords
    """Its words but those of its people."""
    of_outcome: AskedWords
    """Its words but those that a word before them gives to the people: "... in acute stroke"."""
    unsure: tuple[PopulationTerm, ...]


def readings_by(
    question: Question, results: Sequence[StudyResult], documents: Sequence[EvidenceCandidate]
) -> list[Question]:
    """Readings that the results suggest, the one that takes in most of the question first.

    Args:
        question: the first reading, which nothing answers.
        results: of the sources found, each with its fits to that reading; `n` is a place (from 1) in `documents`.
    """
    analysis = question.analysis
    held = _Held(
        question=question,
        start=asking_part(analysis.question),
        words=words_apart_from(analysis, ()),
        of_arms=words_apart_from(analysis, question.people),
        of_outcome=words_apart_from(analysis, [t for t in question.people if is_placed(t, analysis.question)]),
        unsure=unsure_terms(analysis),
    )
    found = (_suggested(held, r, documents[r.n - 1]) for r in results if len(r.comparison) == 2 and has_figures(r))
    ordered = sorted((one for one in found if one is not None), key=lambda one: -one[0])
    return [reading for _, reading in ordered]


def _suggested(held: _Held, result: StudyResult, document: EvidenceCandidate) -> tuple[float, Question] | None:
    """How much of the question a result takes in, and the reading that it suggests; `None` = it is of another one."""
    source = all_told(document, (result,))
    sides = sides_in_words(result, held.question, held.of_arms, document.title, source)
    outcomes = _outcomes(held, result, document)
    if sides is None or outcomes is None:
        return None
    people = _people(held, result, document, outcomes)
    if people is None:
        return None
    kept, left_out = people
    if result.comparison_fit not in OF_IT and not any(term.kind is PopulationKind.CONDITION for term in kept):
        return None  # two ways of treating whom it does not tell
    share = _told(held, result, source, left_out)
    if share is None:
        return None
    reading = in_arms(held.question, sides, outcomes)
    return share, replace(reading, people=kept, left_out=tuple(in_words((term,)) for term in left_out))


def _outcomes(held: _Held, result: StudyResult, document: EvidenceCandidate) -> tuple[Outcome, ...] | None:
    """What is asked about, where a result is of it: by its name, or by all its telling words; `None` = it is not.

    Whatever the question is read to ask about has to be it, so that no other event answers; what it tells before it
    asks, and the source's title names, is who is meant.
    """
    told = read_outcome(result.outcome)
    asking = held.words.text[held.start :]
    outcomes = tuple(
        one for one in held.question.outcomes if one.text in asking or not speaks_of(document.title, idea_of(one.text))
    )
    if outcomes and any(fit_of(told, one) in OF_IT or holds_it(told, one) for one in outcomes):
        return outcomes
    if any(atom.things for one in outcomes for atom in one.atoms):
        return None  # it asks about what a list knows, and this is another thing
    bare = without_brackets(result.outcome).strip()
    apart = held.of_outcome
    if in_standard_names(bare).casefold() in in_standard_names(apart.text[asking_part(apart.text) :]).casefold():
        return (told,)
    named = [word for word in pieces_of(bare) if word.casefold() not in STOP_WORDS and not is_neutral(word.casefold())]
    telling = [word for word in named if information(word) >= SOME]
    return (told,) if telling and all(apart.has(word) for word in telling) else None


def _people(
    held: _Held, result: StudyResult, document: EvidenceCandidate, outcomes: Sequence[Outcome]
) -> tuple[tuple[PopulationTerm, ...], tuple[PopulationTerm, ...]] | None:
    """The terms that the source is about, and those of which it says nothing; `None` = it is of others.

    What it may say nothing of is a figure of an examination, told beside a disease or an age that it is about: words
    for people are who is meant, and of others the nearest is told, as no answer.
    """
    question = held.question
    asks = question.analysis.question
    kept: list[PopulationTerm] = []
    left_out: list[PopulationTerm] = []
    for group in alternatives(question.people):
        if any(_is_given(term, result) for term in group):
            continue
        asked = [t for t in group if t in held.unsure or (not question.outcomes and t.start >= held.start)]
        if any(_is_the_outcome(t, outcomes) for t in asked if not is_placed(t, asks)):
            continue
        if any(_DIED_OF.search(asks[: term.start]) for term in group):
            if not all(speaks_of(result.outcome, idea_of(term.text)) for term in group):
                return None
            continue
        fit = people_fit(group, document, result.people)
        if fit in NEAR:
            kept += group
        elif fit is Fit.OTHER or not all(map(_may_be_untold, group)):
            return None
        else:
            left_out += group
    if left_out and not any(_anchors(term, document) for term in kept):
        return None
    return tuple(kept), tuple(left_out)


def is_placed(term: PopulationTerm, question: str) -> bool:
    """Whether a word says that somebody has what a term names: "after gallstones", "in acute stroke"."""
    opening = _HAS.match(term.text)
    before = question[: term.start] + (opening[0] if opening else "")
    return _HAD_BY.search(before) is not None and _ADMITTED.search(before) is None


def _is_the_outcome(term: PopulationTerm, outcomes: Sequence[Outcome]) -> bool:
    """Whether a disease is what is asked about: "fish oil and atrial fibrillation in athletes" has it in nobody."""
    asked = read_outcome(_NEEDED.sub("", term.text))
    return any(fit_of(one, asked) is Fit.ASKED and fit_of(asked, one) is Fit.ASKED for one in outcomes)


def _is_given(term: PopulationTerm, result: StudyResult) -> bool:
    """Whether a figure is what an arm is treated to, and nobody's own: "MAP goal 80-85"."""
    if term.measure in RESTRICTING or term.kind is PopulationKind.CONDITION:
        return False
    figures = figures_of(term.text)
    return bool(figures) and figures <= figures_of(" ; ".join(map(without_dose, result.comparison)))


def _may_be_untold(term: PopulationTerm) -> bool:
    """Whether a term is a figure of an examination, of which a source that is silent may be all the same; of one that
    no list has it is not known what it makes of somebody."""
    is_examined = term.measure in listed_measures() - RESTRICTING
    return is_examined and term.kind not in _STRICT and not is_young(term)


def _anchors(term: PopulationTerm, document: EvidenceCandidate) -> bool:
    """Whether a term is a disease by its name, or an age that the source is of, whatever else is told of somebody."""
    if term.kind is PopulationKind.CONDITION:
        return term.wanted and not _HISTORY.search(term.text) and (term.name is not None or bool(states_in(term.text)))
    aged = term.kind is PopulationKind.AGE and bool(figures_of(term.text))
    return aged and any(one.measure == AGE for one in figures_in(f"{document.title}. {studied(document)}"))


def _told(held: _Held, result: StudyResult, source: str, left_out: Sequence[PopulationTerm]) -> float | None:
    """Of the telling words of the part that asks, the share that the source has; `None` = it lacks much, or a thing
    that is named.
    """
    question, entities = held.question, held.question.analysis.entities
    spoken = {e: speaks_of(source, idea_of(e.text, (e.name,))) for e in entities}
    judged = [(term.start, term.end) for term in question.people]  # each for itself
    named = (e for e in entities if not is_within(e.start, judged))
    if any(not spoken[e] for e in named if _counts(e, held.start)):
        return None
    certain = result.outcome_fit in OF_IT  # what is asked about is told in so many words
    found = places_of((one.text for one in question.outcomes), held.words.text) if certain else []
    untold_people = [(term.start, term.end) for term in left_out]
    words = words_of(source)
    met = untold = 0.0
    for match in WORD.finditer(held.words.text, held.start):
        word, at = match[0], match.start()
        if not is_telling(word):
            continue
        if is_within(at, untold_people):
            met += _WEIGHT_OF_LEFT_OUT
        elif is_within(at, found) or words.has(word) or any(spoken[e] for e in entities if e.start <= at < e.end):
            met += 1
        else:
            untold += 1
    if not (met or untold):
        return 1.0 if certain else None
    most = _MOST_UNTOLD_OF_NAMED if certain else _MOST_UNTOLD
    return met / (met + untold) if met and untold <= most * (met + untold) else None


def _counts(entity: Entity, start: int) -> bool:
    """Whether a source has to speak of what is named: each disease, and what is given in the clause that asks."""
    return entity.kind is EntityKind.DISEASE or (entity.kind is EntityKind.DRUG and entity.start >= start)
