"""The studies that come closest to a question nothing answers, by how much of the question their records tell.

No slot of the question has to be read for it. A story in lay words, an outcome under a name of its own, people whom no
list knows keep an answer back, and seldom hide which trial is meant. What is found so stands as nearest, beside the
statement that nothing answers and beside the words that it does not tell; no verdict follows from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from openwork_contracts.conclusion import StudyResult
from openwork_contracts.question import PopulationKind, PopulationTerm
from openwork_language.mentions import idea_tokens, speaks_of
from openwork_language.searching.information import LITTLE, MUCH

from openwork_answers.asked import Question
from openwork_answers.closest_arms import (
    are_in,
    asks_of_a_drug,
    is_asked_by_figures,
    is_compared,
    is_given_as_asked,
    is_in_both,
    lacks_a_drug,
    may_be_own,
    speaks_of_all_drugs,
    speaks_of_all_given,
)
from openwork_answers.closest_people import is_wider
from openwork_answers.closest_rows import chosen_rows
from openwork_answers.closest_works import (
    FEWEST_WORDS,
    MOST_UNTOLD,
    Held,
    Work,
    is_about_it,
    not_told,
    share_of,
    without_limits,
)
from openwork_answers.harms import harms_of
from openwork_answers.in_arms import in_arms
from openwork_answers.naming_people import in_words
from openwork_answers.outcomes import NEAR, Outcome, read_outcome
from openwork_answers.people import alternatives
from openwork_answers.sides_in_words import sides_in_words
from openwork_answers.treatments import is_control

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
LEAST_OF_ALL, AHEAD = 0.7, 0.1
"""The same of one study that tells more of the question than any other, and how much more: of 0.6 to 0.9 and 0 to 0.25
those by which most of what is shown was asked about (questions of tests/eval/answers, 29 November 2026)."""
LEAST_OF_AN_ANSWER = 0.8
"""The same of a study that answers, whose people and outcome are those asked about."""
AS_NEAR = 0.05
"""How much less may be told by a study that is shown beside the nearest."""
MOST_STUDIES = 3


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
    untold: tuple[PopulationTerm, ...]
    """Of whom it does not say that they are among those it studied."""
    tells_every_word: bool
    """Whether it tells every telling word of the question, though maybe not of whom it studied."""
    harms: tuple[StudyResult, ...]
    """What it reports of harms besides."""

    def as_asked(self, question: Question) -> Question | None:
        """The question as one about its arms; `None` = it is too far from it to answer it."""
        if not (self.is_of_outcome and self.share >= LEAST_OF_AN_ANSWER):
            return None
        first, second = self.results[0].comparison
        if not self.is_of_people:
            told = idea_tokens(question.analysis.question)
            if not self.tells_every_word or not idea_tokens(first) & told:
                return None  # every word is told of these people, and the arm is called as the question calls it
            people = tuple(term for term in question.people if term not in self.untold)
            question = replace(question, people=people, left_out=tuple(map(in_words, alternatives(self.untold))))
        if question.contrast is not None or not are_in(question, (first, second)):
            return None  # two ways of giving it, or a comparator that no arm has
        if question.control_asked and not any(map(is_control, (first, second))):
            return None  # "compared with no warfarin" is answered by nothing against warfarin
        outcomes = tuple(_without_arms(one, f"{first} v {second}") for one in question.outcomes)
        return in_arms(question, (first, second), outcomes)


def closest_studies(held: Held, works: Sequence[Work]) -> tuple[Closest, ...]:
    """The studies that tell most of a question, the nearest first; empty where none tells enough of it.

    Args:
        held: the first reading, which nothing answers.
        works: those that may be cited.
    """
    works = [work for work in works if work.results]
    ways = (_by_arms, _by_words, _foremost)
    found = next((found for way in ways if (found := way(held, works))), [])
    certain = [
        one for one in found if one.is_of_outcome or not held.names_outcome or one.share >= LEAST_WITHOUT_OUTCOME
    ]
    near = sorted(certain or found, key=lambda one: (-one.share, one.n))
    return tuple(one for one in near if one.share >= near[0].share - AS_NEAR)[:MOST_STUDIES]


def _by_arms(held: Held, works: Sequence[Work]) -> list[Closest]:
    """Works whose arms are what the question speaks of; or may be, called by what they are."""
    found = []
    for work in works:
        own = [r for r in work.results if is_asked_by_figures(r, held.words) or _is_own(r, held, work)]
        is_named = bool(own)
        if not own and not held.is_to_stop and speaks_of_all_given(held.question, work.text):
            own = [r for r in work.results if may_be_own(r, held.question)]
        found.append(_judged(held, work, own, None if is_named else LEAST_OF_OTHER_ARMS))
    return [one for one in found if one is not None]


def _by_words(held: Held, works: Sequence[Work]) -> list[Closest]:
    """Works that speak of every drug and of nearly all else, whatever their arms are called: where no drug is asked
    about, words alone may be of anything that is done for the disease."""
    if held.is_to_stop or not asks_of_a_drug(held.question):
        return []
    found = []
    for work in works:
        if speaks_of_all_drugs(held.question, work.text):
            own = [r for r in work.results if not lacks_a_drug(r, held.question) and not is_in_both(r, held.question)]
            found.append(_judged(held, work, own, LEAST_BY_WORDS))
    return [one for one in found if one is not None]


def _foremost(held: Held, works: Sequence[Work]) -> list[Closest]:
    """The one work that tells more of the question than any other does, of whatever its arms are."""
    if held.is_to_stop or len(held.telling) < FEWEST_WORDS:
        return []
    works = tuple(map(without_limits, works))
    shares = sorted(((share_of(held, work, work.results)[0], work.n, work) for work in works), key=lambda one: -one[0])
    if not shares or shares[0][0] < LEAST_OF_ALL or any(share > shares[0][0] - AHEAD for share, _, _ in shares[1:]):
        return []
    work = shares[0][2]
    own = [r for r in work.results if not is_in_both(r, held.question)]
    if not own or not speaks_of_all_drugs(held.question, work.text) or not is_about_it(held, work):
        return []
    found = _closest(held, work, own, is_of_people=False, said_from=LITTLE)
    if held.names_outcome and not found.is_of_outcome and found.share < LEAST_WITHOUT_OUTCOME:
        return []
    return [found]


def _judged(held: Held, work: Work, own: Sequence[StudyResult], least: float | None) -> Closest | None:
    """How a work stands to the question; `None` = it is not near.

    Args:
        own: those of its results whose arms are, or may be, what is asked about.
        least: the share that it has to tell; `None` = its arms are what is asked about, by their names.
    """
    if not own or not is_about_it(held, work):
        return None
    is_of_people = least is None and all(fit in NEAR and not is_wider(group, fit) for group, fit in work.fits)
    is_of_people = is_of_people and all(speaks_of(work.text, idea) for idea in held.question.background)
    found = _closest(held, work, own, is_of_people=is_of_people)
    if least is None:
        least = LEAST_SHARE if found.is_of_outcome or not held.names_outcome else LEAST_OF_THE_REST
    return found if found.share >= least else None


def _closest(
    held: Held, work: Work, own: Sequence[StudyResult], *, is_of_people: bool, said_from: int = MUCH
) -> Closest:
    """What is told of a work, its results that count given; `said_from` as in `not_told`."""
    chosen, is_of_outcome = chosen_rows(held.question, held.words, own)
    share, untold = share_of(held, work, own)
    without = not_told(held, work, untold, said_from=said_from)[:MOST_UNTOLD]
    told_already = {result.outcome for result in chosen}
    return Closest(
        n=work.n,
        share=share,
        results=chosen,
        is_of_outcome=is_of_outcome,
        without=without,
        is_of_people=is_of_people,
        untold=tuple(term for group, _ in work.missed for term in group),
        tells_every_word=not without or _tells_every_word(held, work, own),
        harms=tuple(r for r in harms_of(held.question, own, chosen[0]) if r.outcome not in told_already),
    )


def _tells_every_word(held: Held, work: Work, own: Sequence[StudyResult]) -> bool:
    """Whether a work has every telling word of the question, and those of whom it left out are none of them.

    Where, when and after what somebody is met words tell; who somebody is, what he has, takes or lacks they do not.
    """
    missed = [term for group, _ in work.missed for term in group]
    if not all(term.wanted and term.measure is None and term.kind in _BY_WORDS for term in missed):
        return False
    return share_of(held, without_limits(work), own)[0] >= _EVERY_WORD


_BY_WORDS = frozenset(
    {PopulationKind.SETTING, PopulationKind.TIME_COURSE, PopulationKind.PROCEDURE, PopulationKind.OTHER}
)
_EVERY_WORD = 0.999


def _is_own(result: StudyResult, held: Held, work: Work) -> bool:
    """Whether its arms are what the question speaks of, given or stopped as there."""
    if not is_given_as_asked(result, held.question, is_to_stop=held.is_to_stop):
        return False
    if is_compared(result, held.question, held.words):
        return True
    return sides_in_words(result, held.question, held.words, work.document.title, work.text) is not None


def _without_arms(outcome: Outcome, arms: str) -> Outcome:
    """Of "corn oil new AF" what stands behind the arm, as far as something does."""
    words = outcome.text.split()
    n = next((i for i, word in enumerate(words) if not idea_tokens(word) <= idea_tokens(arms)), 0)
    return read_outcome(" ".join(words[n:])) if n else outcome
