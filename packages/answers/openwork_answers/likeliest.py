"""The one row that a question all but certainly asks for, where by what was read of the question nothing answers it.

A trial's arms under names of a doctor's own, a word for people that no list knows: what was read rules the row out, and
what the question shares with it does not leave another. It answers, without yes or no, where the source lacks nothing
of the question but words that tell little, and those are said not to be told apart.
"""

from __future__ import annotations

from dataclasses import replace

from openwork_contracts.conclusion import StudyResult
from openwork_contracts.question import PopulationTerm
from openwork_language.effects.words import NEGATION
from openwork_language.searching.information import LITTLE, information

from openwork_answers.asked import Question
from openwork_answers.asked_words import WORD, pieces_of, words_apart_from
from openwork_answers.closest_arms import is_given_as_asked, is_in_both
from openwork_answers.closest_people import are_others
from openwork_answers.closest_works import Work, share_of, without_limits
from openwork_answers.in_arms import in_arms
from openwork_answers.naming_people import in_words
from openwork_answers.outcomes import NEAR, read_outcome
from openwork_answers.pack import Pack
from openwork_answers.sides import asks_for_it_alone
from openwork_answers.source_words import words_of
from openwork_answers.treatments import is_named_in

LEAST = 0.9
"""How likely the row has to be. With it and `LITTLE` as what may be untold, of the halves that were looked at 21
covered questions of which nothing had been found are answered by the row asked for, one by another, and none that no
work covers; of the halves kept apart 17, one and one (docs/evaluation.md)."""


def likeliest_reading(pack: Pack) -> tuple[Question, StudyResult] | None:
    """The question as one about the arms and the outcome of that row, and the row; `None` = there is none."""
    top = next(iter(pack.likely), None)
    if top is None or top.probability < LEAST or not _may_answer(top.result, pack):
        return None
    row = top.result
    work = without_limits(next(work for work in pack.works if work.n == row.n))
    if not _tells_of_what_is_given(row, work, pack.question):
        return None
    if any(are_others(group, fit) or not all(map(_may_be_untold, group)) for group, fit in work.missed):
        return None
    if any(information(word) > LITTLE for word in _words_untold(work, pack)):
        return None
    left_out = tuple(in_words(group) for group, _ in work.missed)
    people = tuple(term for term in pack.question.people if all(term not in group for group, _ in work.missed))
    question = replace(pack.question, people=people, left_out=left_out)
    first, second = row.comparison
    return in_arms(question, (first, second), (read_outcome(row.outcome),)), row


def _may_answer(row: StudyResult, pack: Pack) -> bool:
    """Whether a row may answer at all: of arms that differ in what is asked about, given or stopped as there, and of an
    outcome that has a word of the question besides those for people. In a pack of few rows one is always likely."""
    question = pack.question
    if len(row.comparison) != 2 or question.asks_for_words or question.treated:
        return False
    if question.contrast is not None or asks_for_it_alone(question):
        return False
    if is_in_both(row, question) or not is_given_as_asked(row, question, is_to_stop=pack.held.is_to_stop):
        return False
    asked = words_apart_from(question.analysis, question.people)
    return row.outcome_fit in NEAR or bool(asked.met_in(row.outcome))


def _tells_of_what_is_given(row: StudyResult, work: Work, question: Question) -> bool:
    """Whether the arms have a word of what is given, as far as the question says what: of "prone positioning" and
    "cooling" those of a drug have none."""
    told = " v ".join((work.document.title, *row.comparison))
    if any(is_named_in(told, idea) for idea in question.treatments if idea.names):
        return True
    given = [idea.term for idea in question.treatments] or question.analysis.pico.intervention
    arms = words_of(" v ".join(row.comparison))
    return not given or any(map(arms.tells, (piece for name in given for piece in pieces_of(name))))


def _may_be_untold(term: PopulationTerm) -> bool:
    """Whether a source may be silent of such people: of a figure, and of who does not have something, it may not."""
    return term.measure is None and term.wanted and not NEGATION.search(term.text)


def _words_untold(work: Work, pack: Pack) -> list[str]:
    """The telling words of a question that a work does not tell, those for people among them."""
    _, untold = share_of(pack.held, work, work.results)
    people = (word for group, _ in work.missed for word in WORD.findall(in_words(group)))
    return [*(word for word, _ in untold), *(word for word in people if not work.words.tells(word))]
