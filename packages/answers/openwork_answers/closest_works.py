"""A question and a work, each taken apart once, and how much of the one the other tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from openwork_contracts.conclusion import Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import Entity, PopulationTerm
from openwork_language.mentions import idea_of, speaks_of
from openwork_language.searching.information import MUCH, information

from openwork_answers.asked import Question
from openwork_answers.asked_words import WORD, AskedWords, figures_of, words_apart_from
from openwork_answers.choosing import has_figures
from openwork_answers.closest_arms import asks_to_stop, gives_what_is_asked
from openwork_answers.closest_people import are_others, is_asked_about, names_what_ails
from openwork_answers.given import asking_part
from openwork_answers.naming_people import in_words
from openwork_answers.outcome_fits import holds_it
from openwork_answers.outcomes import NEAR, OF_IT, Outcome, read_outcome
from openwork_answers.people import alternatives, people_fit
from openwork_answers.places import is_within, places_of
from openwork_answers.source_words import SourceWords, all_told, words_of
from openwork_answers.studied import studied
from openwork_answers.unread import is_telling

FEWEST_WORDS = 3
"""Telling words from which a question can be told by words alone: "what causes pre-eclampsia" is any work's."""
MOST_UNTOLD = 4
"""Words of the question that are said not to be told."""
_OF_THE_STORY = 0.5
"""Weight of a word of what is told before the asking."""


@dataclass(frozen=True, slots=True)
class Held:
    """A question, taken apart once, that each work is held against."""

    question: Question
    words: AskedWords
    groups: tuple[tuple[PopulationTerm, ...], ...]
    """Terms for people, but those that are asked about."""
    is_to_stop: bool
    names_outcome: bool
    """Whether an outcome is asked about that lists know."""
    telling_words: tuple[str, ...]
    """The words that a work has to tell of, as they stand in it."""

    @property
    def telling(self) -> frozenset[str]:
        """The same, each once, in lower case."""
        return frozenset(map(str.casefold, self.telling_words))


@dataclass(frozen=True, slots=True)
class Work:
    """A work, held against a question."""

    n: int
    document: EvidenceCandidate
    rows: tuple[StudyResult, ...]
    """Its results with figures."""
    results: tuple[StudyResult, ...]
    """Those of two arms that are named."""
    text: str
    """All that it tells."""
    words: SourceWords
    fits: tuple[tuple[tuple[PopulationTerm, ...], Fit], ...]
    """How it is of each group of people."""
    spoken: frozenset[Entity]
    """What the question names and it names too."""

    @property
    def people(self) -> list[tuple[int, int]]:
        """Places in the question of the terms of whom it is."""
        return [(term.start, term.end) for group, fit in self.fits if fit in NEAR for term in group]

    @property
    def missed(self) -> list[tuple[tuple[PopulationTerm, ...], Fit]]:
        """The groups of people of whom it is not, or does not tell."""
        return [(group, fit) for group, fit in self.fits if fit not in NEAR]


def held_of(question: Question) -> Held:
    """A question, taken apart."""
    words = WORD.findall(question.analysis.question)
    return Held(
        question=question,
        words=words_apart_from(question.analysis, ()),
        groups=tuple(group for group in alternatives(question.people) if not is_asked_about(group, question)),
        is_to_stop=asks_to_stop(question),
        names_outcome=any(atom.things for one in question.outcomes for atom in one.atoms),
        telling_words=tuple(filter(is_telling, words)),
    )


def work_of(n: int, document: EvidenceCandidate, results: Iterable[StudyResult], held: Held) -> Work:
    """A work with its place and its results, held against a question."""
    rows = tuple(filter(has_figures, results))
    told = tuple(r for r in rows if len(r.comparison) == 2)
    text = all_told(document, told)
    entities = held.question.analysis.entities
    return Work(
        n=n,
        document=document,
        rows=rows,
        results=told,
        text=text,
        words=words_of(text),
        fits=tuple((group, people_fit(group, document)) for group in held.groups),
        spoken=frozenset(e for e in entities if speaks_of(text, idea_of(e.text, (e.name,)))),
    )


def is_about_it(held: Held, work: Work) -> bool:
    """Whether a work gives what is asked about, to people with the disease asked about, none of whom are others."""
    return (
        not any(are_others(group, fit) for group, fit in work.fits)
        and gives_what_is_asked(held.question, work.words, work.text)
        and names_what_ails(held.question, work.spoken, work.people)
    )


_LIMITS = re.compile(
    r"\b(?:exclud\w+|(?:did|does|do) not (?:include|cover|apply|enrol\w*)|(?:was|were) not (?:included|studied)"
    r"|ineligible|few (?:people|patients|women|men|children))\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[^.;]+")


def without_limits(work: Work) -> Work:
    """A work without what it says of whom it left out: those are spoken of, and nothing is known of them."""
    text = _CLAUSE.sub(lambda clause: " " if _LIMITS.search(clause[0]) else clause[0], work.text)
    spoken = frozenset(e for e in work.spoken if speaks_of(text, idea_of(e.text, (e.name,))))
    return replace(work, text=text, words=words_of(text), spoken=spoken)


def share_of(held: Held, work: Work, results: Sequence[StudyResult]) -> tuple[float, list[tuple[str, int]]]:
    """How much of the telling words of a question a work tells, weighted by how much they tell; and those that it does
    not, each with its place.

    Args:
        results: those of its results that count.
    """
    text = held.question.analysis.question
    spoken = ((e.start, e.end) for e in work.spoken)
    places = [*work.people, *_places_told(held.question, results), *spoken]
    start = asking_part(text)
    met = of_all = 0.0
    untold = []
    for match in WORD.finditer(text):
        word, at = match[0], match.start()
        if not is_telling(word):
            continue
        weight = information(word) * (1.0 if at >= start else _OF_THE_STORY)
        of_all += weight
        if is_within(at, places) or work.words.tells(word):
            met += weight
        else:
            untold.append((word, at))
    return (met / of_all if of_all else 0.0), untold


def not_told(held: Held, work: Work, untold: Sequence[tuple[str, int]], *, said_from: int = MUCH) -> tuple[str, ...]:
    """What is said not to be told: ways that are set against each other, people in words that do not all stand where a
    source says who was studied, then the other telling words.

    Args:
        untold: words, each with its place (`share_of`).
        said_from: how much a word has to tell (`information`) to be said.
    """
    missed = [group for group, _ in work.missed]
    who = words_of(f"{work.document.title}. {studied(work.document)}")
    people = [in_words(group) for group in missed if not all(map(who.has, WORD.findall(in_words(group))))]
    places = [(term.start, term.end) for group in missed for term in group]
    rest = [word for word, at in untold if information(word) >= said_from and not is_within(at, places)]
    ways = _ways_untold(held.question, work.text)
    return tuple(dict.fromkeys((*ways, *people, *sorted(rest, key=information, reverse=True))))


def _ways_untold(question: Question, text: str) -> tuple[str, ...]:
    """Two doses or ways that a question sets against each other, where a source lacks the figures of one."""
    contrast = question.contrast
    if contrast is None:
        return ()
    said = question.analysis.question[contrast.start : contrast.end]
    return () if figures_of(said) and figures_of(said) <= figures_of(text) else (said,)


def _places_told(question: Question, results: Sequence[StudyResult]) -> list[tuple[int, int]]:
    """Where the question names what the results are of: outcomes, and the treatments that they compare."""
    text = question.analysis.question
    places = places_of((one.text for one in question.outcomes if any(_is_of(r, one) for r in results)), text)
    if any(r.comparison_fit in OF_IT for r in results):
        places += places_of((idea.term for idea in (*question.treatments, *question.comparators)), text)
    return places


def _is_of(result: StudyResult, outcome: Outcome) -> bool:
    return holds_it(read_outcome(result.outcome), outcome)
