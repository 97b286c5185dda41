"""The studies that come closest to a question nothing answers, by how much of the question their records tell.

No slot of the question has to be read for it. A story in lay words, an outcome under a name of its own, people whom no
list knows keep an answer back, and seldom hide which trial is meant. What is found so stands as nearest, beside the
statement that nothing answers and beside the words that it does not tell; no verdict follows from it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from openwork_contracts.conclusion import Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import Entity, EntityKind, PopulationKind, PopulationTerm
from openwork_contracts.ranking import RankedPassage
from openwork_knowledge import mesh
from openwork_language.asking.figures import AGE
from openwork_language.asking.words import asking
from openwork_language.mentions import idea_of, idea_tokens, speaks_of
from openwork_language.searching.information import MUCH, SOME, information
from openwork_language.terms import find_terms

from openwork_answers.asked import Question
from openwork_answers.asked_words import WORD, AskedWords, figures_of, pieces_of, words_apart_from
from openwork_answers.choosing import has_figures, results_about
from openwork_answers.closest_arms import (
    are_in,
    asks_to_stop,
    gives_what_is_asked,
    is_asked_by_figures,
    is_compared,
    lacks_a_drug,
)
from openwork_answers.given import asking_part
from openwork_answers.harms import harms_of
from openwork_answers.in_arms import in_arms
from openwork_answers.naming_people import in_words
from openwork_answers.outcome_fits import closeness, fit_of, holds_it
from openwork_answers.outcomes import NEAR, OF_IT, Outcome, read_outcome
from openwork_answers.people import RESTRICTING, alternatives, is_young, people_fit, studied
from openwork_answers.places import is_within, places_of
from openwork_answers.read_again import is_placed
from openwork_answers.sides_in_words import sides_in_words
from openwork_answers.source_words import SourceWords, all_told, words_of
from openwork_answers.stopping import tells_of_stopping
from openwork_answers.treatments import is_control
from openwork_answers.unread import is_telling

LEAST_SHARE = 0.5
"""Of the telling words of a question, weighted by how much they tell, the share that a record has to tell."""
LEAST_WITHOUT_OUTCOME = 0.9
"""The same where an outcome is asked about that lists know, and no result of the study is of it by them."""
LEAST_OF_THE_REST = 0.6
"""The same again where no study tells as much as that."""
LEAST_OF_OTHER_ARMS = 0.7
"""The same where no arm is called as the question calls it: of 0.65 to 0.85 the least at which no question of another
treatment had a study (questions of tests/eval/answers, 28 November 2026)."""
LEAST_BY_WORDS = 0.75
"""The same where no study has the arms by any of their names, and all are looked at by their words."""
LEAST_OF_AN_ANSWER = 0.8
"""The same of a study that answers, whose people and outcome are those asked about."""
AS_NEAR = 0.05
"""How much less may be told by a study that is shown beside the nearest."""
MOST_STUDIES = 3
MOST_RESULTS = 8
"""Of one study, where none is of the asked outcome as far as lists know."""
MOST_OF_ITS_OUTCOME = 2
MOST_UNTOLD = 4
"""Words of the question that are said not to be told."""
_OF_THE_STORY = 0.5
"""Weight of a word of what is told before the asking."""
_OTHERS = RESTRICTING - {AGE}
_STRICT = frozenset({PopulationKind.PREGNANCY, PopulationKind.PROCEDURE, PopulationKind.DEVICE})
_EVENTS = frozenset({PopulationKind.CONDITION, PopulationKind.OTHER})
_GIVEN = frozenset({PopulationKind.TREATMENT, PopulationKind.PROCEDURE})
_COMES_TO = re.compile(r"\b(?:end\w* up|need\w*|requir\w*|gets?|getting|goes|go|going|put)\s+$", re.IGNORECASE)
""" "Who ends up [on a ventilator]": what somebody may come to."""
_NEEDED = re.compile(r"(?:needing|requiring|getting)\b", re.IGNORECASE)
_WHOSE = re.compile(rf"[\s-]+(?:{asking('head')})\b", re.IGNORECASE)
"""Behind a disease, those who have it."""
_DONE, _SYMPTOMS = "E", "C23.888"
"""MeSH's trees of what is done to people, and of signs and symptoms: who has one may have any disease."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A question, taken apart once, that each study is held against."""

    question: Question
    words: AskedWords
    groups: tuple[tuple[PopulationTerm, ...], ...]
    """Terms for people, but those that are asked about."""
    is_to_stop: bool
    names_outcome: bool
    """Whether an outcome is asked about that lists know."""


@dataclass(frozen=True, slots=True)
class Closest:
    """A study, how much of the question it tells, and what it does not."""

    n: int
    share: float
    """In [0, 1]; `LEAST_SHARE` or more."""
    results: tuple[StudyResult, ...]
    is_of_outcome: bool
    """Whether the results are of an outcome that is asked about; else they are what the study found."""
    without: tuple[str, ...]
    """What of the question it does not tell: people first, then words, the most telling first."""
    is_of_people: bool
    """Whether it is of the people asked about, or of wider ones where no figure makes them others."""
    harms: tuple[StudyResult, ...]
    """What it reports of harms besides."""

    def as_asked(self, question: Question) -> Question | None:
        """The question as one about its arms; `None` = it is too far from it to answer it."""
        if not (self.is_of_people and self.is_of_outcome and self.share >= LEAST_OF_AN_ANSWER):
            return None
        first, second = self.results[0].comparison
        if question.contrast is not None or not are_in(question, (first, second)):
            return None  # two ways of giving it, or a comparator that no arm has
        if question.control_asked and not any(map(is_control, (first, second))):
            return None  # "compared with no warfarin" is answered by nothing against warfarin
        outcomes = tuple(_without_arms(one, f"{first} v {second}") for one in question.outcomes)
        return in_arms(question, (first, second), outcomes)


def closest_studies(
    question: Question, sources: Sequence[tuple[int, EvidenceCandidate]], passages: Sequence[RankedPassage]
) -> tuple[Closest, ...]:
    """The studies that tell most of a question, the nearest first; empty where none tells enough of it.

    Args:
        question: the first reading, which nothing answers.
        sources: works that may be cited, each with its place.
    """
    held = _Held(
        question=question,
        words=words_apart_from(question.analysis, ()),
        groups=tuple(group for group in alternatives(question.people) if not _is_asked_about(group, question)),
        is_to_stop=asks_to_stop(question),
        names_outcome=any(atom.things for one in question.outcomes for atom in one.atoms),
    )
    results = {n: results_about(n, d, passages, question) for n, d in sources}
    judged = (_judged(held, n, d, results[n]) for n, d in sources)
    found = [one for one in judged if one is not None]
    if not found:
        by_words = (_judged(held, n, d, results[n], by_words=True) for n, d in sources)
        found = [one for one in by_words if one is not None]
    certain = [
        one for one in found if one.is_of_outcome or not held.names_outcome or one.share >= LEAST_WITHOUT_OUTCOME
    ]
    near = sorted(certain or found, key=lambda one: (-one.share, one.n))
    return tuple(one for one in near if one.share >= near[0].share - AS_NEAR)[:MOST_STUDIES]


def _judged(
    held: _Held, n: int, document: EvidenceCandidate, results: Sequence[StudyResult], *, by_words: bool = False
) -> Closest | None:
    """How a study stands to the question; `None` = it is not near.

    Args:
        by_words: whatever its arms are called, where it speaks of every drug and of nearly all else.
    """
    question, asked = held.question, held.words
    told = [r for r in results if has_figures(r) and len(r.comparison) == 2]
    text = all_told(document, told)
    own = [r for r in told if is_asked_by_figures(r, asked) or _is_own(r, held, document, text)]
    are_its_arms = bool(own)
    if not own and not held.is_to_stop and _speaks_of_all_given(question, text):
        own = [r for r in told if _may_be_own(r, question)]
    if not own and by_words and not held.is_to_stop and _speaks_of_all_drugs(question, text):
        own = [r for r in told if not lacks_a_drug(r, question) and not _is_in_both(r, question)]
    fits = [(group, people_fit(group, document)) for group in held.groups]
    if not own or any(_are_others(group, fit) for group, fit in fits):
        return None
    words = words_of(text)
    people = [(term.start, term.end) for group, fit in fits if fit in NEAR for term in group]
    spoken = {e for e in question.analysis.entities if speaks_of(text, idea_of(e.text, (e.name,)))}
    if not gives_what_is_asked(question, words, text) or not _names_what_ails(question, spoken, people):
        return None
    chosen, is_of_outcome = _chosen(question, asked, own)
    places = [*people, *_places_told(question, own), *((e.start, e.end) for e in spoken)]
    share, untold = _share(question, places, words)
    least = LEAST_SHARE if is_of_outcome or not held.names_outcome else LEAST_OF_THE_REST
    if share < (least if are_its_arms else LEAST_BY_WORDS if by_words else LEAST_OF_OTHER_ARMS):
        return None
    is_of_people = are_its_arms and all(fit in NEAR and not _is_wider(group, fit) for group, fit in fits)
    is_of_people = is_of_people and all(speaks_of(text, idea) for idea in question.background)
    missed = [group for group, fit in fits if fit not in NEAR]
    who = words_of(f"{document.title}. {studied(document)}")
    ways = _ways_untold(question, text)
    told_already = {result.outcome for result in chosen}
    return Closest(
        n=n,
        share=share,
        results=chosen,
        is_of_outcome=is_of_outcome,
        without=(*ways, *_without(missed, untold, who))[:MOST_UNTOLD],
        is_of_people=is_of_people,
        harms=tuple(r for r in harms_of(question, own, chosen[0]) if r.outcome not in told_already),
    )


def _speaks_of_all_drugs(question: Question, text: str) -> bool:
    """Whether a drug is asked about, and a source speaks of each that the question names, in whatever role: where none
    is, words alone may be of anything that is done for the disease."""
    drugs = [e for e in question.analysis.entities if e.kind is EntityKind.DRUG]
    asked = any(e.text == idea.term for e in drugs for idea in question.treatments)
    return asked and all(speaks_of(text, idea_of(e.text, (e.name,))) for e in drugs)


def _speaks_of_all_given(question: Question, text: str) -> bool:
    """Whether a source speaks of every treatment of a question that has a name: then its arms may be called by what
    they are, "a short regimen", and the drugs be told besides."""
    named = [idea for idea in (*question.treatments, *question.comparators) if idea.names]
    return bool(named) and all(speaks_of(text, idea) for idea in named)


def _may_be_own(result: StudyResult, question: Question) -> bool:
    """Whether its arms may be what is asked about: one that both have is not compared, and where an arm is called by a
    drug, the asked one would be."""
    return not _is_in_both(result, question) and not (lacks_a_drug(result, question) and _names_a_drug(result))


def _is_in_both(result: StudyResult, question: Question) -> bool:
    """Whether both arms got a treatment that is asked about, so that it was not compared."""
    given = [idea for idea in question.treatments if idea.names]
    return any(all(speaks_of(side, idea) for side in result.comparison) for idea in given)


def _names_a_drug(result: StudyResult) -> bool:
    """Whether an arm is called by a drug: then the drug that is asked about would be named."""
    return any(term.kind is EntityKind.DRUG for side in result.comparison for term in find_terms(side))


def _is_own(result: StudyResult, held: _Held, document: EvidenceCandidate, text: str) -> bool:
    """Whether its arms are what the question speaks of, given or stopped as there."""
    question, asked = held.question, held.words
    stopped = tells_of_stopping(" v ".join(result.comparison))
    if lacks_a_drug(result, question) or held.is_to_stop is not stopped:
        return False
    if is_compared(result, question, asked):
        return True
    return sides_in_words(result, question, asked, document.title, text) is not None


def _ways_untold(question: Question, text: str) -> tuple[str, ...]:
    """Two doses or ways that a question sets against each other, where a source lacks the figures of one."""
    contrast = question.contrast
    if contrast is None:
        return ()
    said = question.analysis.question[contrast.start : contrast.end]
    return () if figures_of(said) and figures_of(said) <= figures_of(text) else (said,)


def _without(
    missed: Sequence[Sequence[PopulationTerm]], untold: Sequence[tuple[str, int]], who: SourceWords
) -> tuple[str, ...]:
    """What is said not to be told: people in words that do not all stand where a source says who was studied, then
    the other telling words.

    Args:
        missed: groups of terms of which the source says nothing.
        untold: words, each with its place.
        who: words of its title and of whom it studied.
    """
    people = [in_words(group) for group in missed if not all(map(who.has, WORD.findall(in_words(group))))]
    places = [(term.start, term.end) for group in missed for term in group]
    rest = [word for word, at in untold if information(word) >= MUCH and not is_within(at, places)]
    return tuple(dict.fromkeys((*people, *sorted(rest, key=information, reverse=True))))


def _is_asked_about(group: Sequence[PopulationTerm], question: Question) -> bool:
    """Whether terms behind what is given are what may happen, and nobody's: "who ends up [on a ventilator]"."""
    text = question.analysis.question
    given = [at for idea in question.treatments if (at := text.find(idea.term)) >= 0]
    start = max(asking_part(text), min(given, default=len(text)))
    return not question.outcomes and all(
        term.start >= start
        and term.wanted
        and (term.kind in _EVENTS or (term.kind in _GIVEN and _may_come(term, text)))
        and not is_young(term)
        and not is_placed(term, text)
        and not _WHOSE.match(text, term.end)
        for term in group
    )


def _may_come(term: PopulationTerm, text: str) -> bool:
    return _COMES_TO.search(text[: term.start]) is not None or _NEEDED.match(term.text) is not None


def _are_others(group: Sequence[PopulationTerm], fit: Fit) -> bool:
    """Whether a source is of other people, or says nothing of a state of which what is known of others tells little."""
    return fit is Fit.OTHER or (fit not in NEAR and any(map(_matters, group)))


def _is_wider(group: Sequence[PopulationTerm], fit: Fit) -> bool:
    """Whether a source holds people with such a figure among others: a kidney function, an ejection fraction."""
    return fit is Fit.WIDER and any(term.measure in _OTHERS for term in group)


def _matters(term: PopulationTerm) -> bool:
    """Pregnancy, childhood, figures of another patient, what was done to somebody; what else is not told is said.

    Of diseases `_names_what_ails` judges.
    """
    if term.kind in _STRICT or is_young(term) or term.measure in _OTHERS:
        return True
    ids = (term.mesh_id, *(one.mesh_id for one in find_terms(term.text)))
    trees = [tree for one in ids if one is not None for tree in mesh.trees_of(one)]
    return any(tree.startswith(_DONE) for tree in trees)


def _names_what_ails(question: Question, spoken: Set[Entity], people: Sequence[tuple[int, int]]) -> bool:
    """Whether a source speaks of a disease of the question, and of each that the part names which asks.

    Symptoms are of any disease, and an event that is asked about is told by the outcomes.

    Args:
        spoken: what the source names.
        people: places of the terms of whom the source is.
    """
    text = question.analysis.question
    outcomes = places_of((one.text for one in question.outcomes), text)
    diseases = [e for e in question.analysis.entities if e.kind is EntityKind.DISEASE and not _is_symptom(e)]
    named = [e for e in diseases if not is_within(e.start, outcomes)]
    told = [e for e in named if e in spoken or is_within(e.start, people)]
    return (not named or bool(told)) and all(e in told for e in named if e.start >= asking_part(text))


def _is_symptom(entity: Entity) -> bool:
    return any(tree.startswith(_SYMPTOMS) for tree in mesh.trees_of(entity.mesh_id or ""))


def _places_told(question: Question, results: Sequence[StudyResult]) -> list[tuple[int, int]]:
    """Where the question names what the results are of: outcomes, and the treatments that they compare."""
    text = question.analysis.question
    places = places_of((one.text for one in question.outcomes if any(_is_of(r, one) for r in results)), text)
    if any(r.comparison_fit in OF_IT for r in results):
        places += places_of((idea.term for idea in (*question.treatments, *question.comparators)), text)
    return places


def _share(
    question: Question, places: Sequence[tuple[int, int]], words: SourceWords
) -> tuple[float, list[tuple[str, int]]]:
    """How much of the telling words a source tells, weighted by how much they tell; and those that it does not."""
    text = question.analysis.question
    start = asking_part(text)
    met = of_all = 0.0
    untold = []
    for match in WORD.finditer(text):
        word, at = match[0], match.start()
        if not is_telling(word):
            continue
        weight = information(word) * (1.0 if at >= start else _OF_THE_STORY)
        of_all += weight
        if is_within(at, places) or words.has(word) or words.begins(word):
            met += weight
        else:
            untold.append((word, at))
    return (met / of_all if of_all else 0.0), untold


def _is_of(result: StudyResult, outcome: Outcome) -> bool:
    return holds_it(read_outcome(result.outcome), outcome)


def _without_arms(outcome: Outcome, arms: str) -> Outcome:
    """Of "corn oil new AF" what stands behind the arm, as far as something does."""
    words = outcome.text.split()
    n = next((i for i, word in enumerate(words) if not idea_tokens(word) <= idea_tokens(arms)), 0)
    return read_outcome(" ".join(words[n:])) if n else outcome


def _chosen(
    question: Question, asked: AskedWords, results: Sequence[StudyResult]
) -> tuple[tuple[StudyResult, ...], bool]:
    """Of a study's results those nearest to an asked outcome, and that they are.

    Else, as of another, those whose outcomes have most of the question's words; the first ones where none has any.
    """
    whole = [r for r in results if not r.is_subgroup or _is_of_asked_part(r, question)] or list(results)
    whole.sort(key=lambda r: (r.comparison_fit not in OF_IT, r.is_subgroup and not question.people))
    near = [(_nearness(r, question, asked), r) for r in whole if _is_any(r, question)]
    if not near:
        whole.sort(key=lambda r: -_words_asked(r, asked))
        return tuple(r.model_copy(update={"outcome_fit": Fit.OTHER}) for r in whole[:MOST_RESULTS]), False
    best = max(how for how, _ in near)
    return tuple(r for how, r in near if how == best)[:MOST_OF_ITS_OUTCOME], True


def _is_of_asked_part(result: StudyResult, question: Question) -> bool:
    """Whether a part of a study's people are those asked about; where nobody is asked about, any part."""
    return not question.people or result.people_fit in {Fit.ASKED, Fit.PART}


def _words_asked(result: StudyResult, asked: AskedWords) -> int:
    """How many telling words of its outcome the question has."""
    return sum(information(word) >= SOME and asked.has(word) for word in set(pieces_of(result.outcome)))


def _nearness(result: StudyResult, question: Question, asked: AskedWords) -> tuple[int, float]:
    """How many words of an outcome are asked for, where all are; then how near it comes to what is asked about."""
    told = read_outcome(result.outcome)
    words = [word for word in pieces_of(result.outcome) if information(word) >= SOME]
    n_met = len(words) if all(map(asked.has, words)) else 0
    return n_met, max(closeness(told, one) for one in question.outcomes)


def _is_any(result: StudyResult, question: Question) -> bool:
    """Whether a result is of an outcome that is asked about, or of a kind of it."""
    told = read_outcome(result.outcome)
    return any(holds_it(told, one) or fit_of(told, one) in NEAR for one in question.outcomes)
