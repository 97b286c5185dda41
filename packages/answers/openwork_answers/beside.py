"""What stands beside an answer because the question is likely to ask for it, whatever was read of the question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import islice

from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, Fit, NearestSentence, StudyResult
from openwork_contracts.question import PopulationTerm

from openwork_answers.about import names_outcome
from openwork_answers.asked import Question
from openwork_answers.asked_words import figures_of
from openwork_answers.closest_arms import speaks_of_what_is_given
from openwork_answers.closest_likely import likely_rows_near, may_stand, sentences_near
from openwork_answers.forms import lines_of
from openwork_answers.likely_rows import row_key
from openwork_answers.naming import study_name
from openwork_answers.outcomes import NEAR, OF_IT
from openwork_answers.pack import Pack
from openwork_answers.people import is_told, people_fit
from openwork_answers.retold import tells_again
from openwork_answers.source_words import all_told
from openwork_answers.table import table_of
from openwork_answers.targets import is_about
from openwork_answers.treatments import is_named_in

_P_VALUE = re.compile(r"\bP\s?[<=>]\s?[\d.]+\d", re.IGNORECASE)
MOST_ROWS, LEAST_OF_A_ROW = 3, 0.1
"""Of the likeliest rows as many are looked at, and none that is less likely."""
CERTAIN = 0.95
"""A row that is likelier stands alone: where such a row leads, in 19 of 20 answers it is the one asked for."""
LEAST_OF_A_SENTENCE, FEWEST_FIGURES = 0.3, 2
"""How likely a sentence has to be, and how many figures it has to tell that do not stand there already."""
UNLIKELY, MOST_BESIDES, LEAST_BESIDES = 0.5, 2, 0.03
"""Where what leads is less likely to be asked for, as many sentences more stand beside it, and none less likely."""


def with_likely(conclusion: Conclusion, pack: Pack) -> Conclusion:
    """An answer object with the rows that are likely to be asked for, and where none leads or the one that does is not
    certain to be, with the sentence that is."""
    if conclusion.lead is not None or conclusion.verdict is ConclusionVerdict.RECOMMENDATION:
        conclusion = _with_rows(conclusion, pack)
    elif _is_in_words_alone(conclusion) and _asks_for_one(pack.question):
        conclusion = conclusion.model_copy(update={"likely": likely_rows_near(pack, conclusion.results)})
    else:
        return conclusion
    of_them = tuple(islice(_of_these_people(conclusion, pack), MOST_BESIDES))
    sentence = of_them[0] if of_them else _sentence(conclusion, pack)
    conclusion = conclusion.model_copy(update={"in_words_besides": of_them[1:]})
    if sentence is not None and not _tells_lead(sentence, conclusion):
        conclusion = conclusion.model_copy(update={"in_words": sentence})
    elif sentence is not None:  # beside the result that it tells once more it stands for what else it tells
        conclusion = conclusion.model_copy(update={"in_words_besides": (sentence, *conclusion.in_words_besides)})
    besides = islice(_besides(conclusion, pack), MOST_BESIDES - len(conclusion.in_words_besides))
    return conclusion.model_copy(update={"in_words_besides": (*conclusion.in_words_besides, *besides)})


def _of_these_people(conclusion: Conclusion, pack: Pack) -> Iterator[NearestSentence]:
    """Where a result of wider people leads, the likeliest sentences that tell of those asked about, each of another
    work."""
    lead, question = conclusion.lead, pack.question
    terms = [term for term in question.people if term.text in conclusion.people_wider]
    if lead is None or not terms:
        return
    told: set[int] = set()
    for likely in pack.likely_sentences(lead.n):
        sentence = likely.sentence
        if sentence.n in told or not any(_names(term, sentence, pack) for term in terms):
            continue
        names_it = any(names_outcome(sentence.text, outcome) for outcome in question.outcomes)
        if (names_it or likely.probability >= LEAST_BESIDES) and _may_stand(sentence, conclusion, pack):
            told.add(sentence.n)
            yield _named(sentence, pack)


def _names(term: PopulationTerm, sentence: NearestSentence, pack: Pack) -> bool:
    """Whether a sentence tells of those people by their name, or by the figure that they are known by."""
    figures = figures_of(term.text) if term.measure is not None else frozenset()
    by_figure = figures and figures <= figures_of(sentence.text)
    fits = people_fit((term,), pack.documents[sentence.n - 1], sentence.text) in OF_IT
    return fits and bool(by_figure or is_told(term, sentence.text))


def _tells_lead(sentence: NearestSentence, conclusion: Conclusion) -> bool:
    lead = conclusion.lead
    return lead is not None and sentence.n == lead.n and tells_again(sentence.text, lead)


def _besides(conclusion: Conclusion, pack: Pack) -> Iterator[NearestSentence]:
    """The next likeliest sentences, each with figures that stand nowhere yet, where it is open what is asked for."""
    lead = conclusion.lead
    is_open = _is_in_words_alone(conclusion) if lead is None else pack.chance_of(lead) < UNLIKELY
    if not is_open or not _asks_for_one(pack.question):
        return
    shown = figures_shown(conclusion, pack)
    for likely in sentences_near(pack, lead.n if lead else None):
        if likely.probability < LEAST_BESIDES:
            return
        if (
            _may_stand(likely.sentence, conclusion, pack)
            and len(new_figures(likely.sentence, shown, pack)) >= FEWEST_FIGURES
        ):
            shown |= figures_of(likely.sentence.text)
            yield _named(likely.sentence, pack)


def _may_stand(sentence: NearestSentence, conclusion: Conclusion, pack: Pack) -> bool:
    """Whether a sentence is of nobody else, of a work on what is given, and, where it is to be the answer, names an
    outcome that is asked for."""
    question, document = pack.question, pack.documents[sentence.n - 1]
    told = all_told(document, ())
    if not speaks_of_what_is_given(question, told) or (question.target and not is_about(question.target, told)):
        return False
    if people_fit(question.people, document, sentence.text) is Fit.OTHER:
        return False
    if not _is_in_words_alone(conclusion):
        return True
    if question.comparators and not _names_both(sentence.text, question):
        return False
    return not pack.held.names_outcome or any(names_outcome(sentence.text, one) for one in question.outcomes)


def _names_both(text: str, question: Question) -> bool:
    """Whether a sentence names something of each side of a comparison that is asked about."""
    sides = (question.treatments, question.comparators)
    return all(any(is_named_in(text, idea) for idea in side) for side in sides)


def _named(sentence: NearestSentence, pack: Pack) -> NearestSentence:
    return sentence.model_copy(update={"study": study_name(pack.documents[sentence.n - 1])})


def _is_in_words_alone(conclusion: Conclusion) -> bool:
    """Whether sentences of sources are all that it is answered with."""
    return conclusion.verdict is ConclusionVerdict.DESCRIPTION and not (conclusion.regimens or conclusion.others)


def _asks_for_one(question: Question) -> bool:
    """Whether a question names what it asks for, be it understood or not: of "does it help" any sentence is as near."""
    return bool(question.outcomes or question.unread)


def _with_rows(conclusion: Conclusion, pack: Pack) -> Conclusion:
    told = set(map(row_key, conclusion.results))
    rows = [one.result for one in pack.likely[:MOST_ROWS] if one.probability >= LEAST_OF_A_ROW]
    more = [
        row for row in rows if row_key(row) not in told and may_stand(row, pack) and _is_of_the_treatment(row, pack)
    ]
    return conclusion.model_copy(update={"others": (*conclusion.others, *more)}) if more else conclusion


def _is_of_the_treatment(row: StudyResult, pack: Pack) -> bool:
    """Whether a row is of what is given, as far as that was read: of another drug nothing stands beside an answer."""
    return row.comparison_fit in NEAR or speaks_of_what_is_given(pack.question, " v ".join(row.comparison))


def _sentence(conclusion: Conclusion, pack: Pack) -> NearestSentence | None:
    """The likeliest sentence; beside a result, where that is not certain and the sentence tells more."""
    lead = conclusion.lead
    if lead is not None and (pack.chance_of(lead) >= CERTAIN or not _asks_for_one(pack.question)):
        return None
    found = next(iter(pack.likely_sentences(lead.n if lead else None)), None)
    if found is None or found.probability < LEAST_OF_A_SENTENCE or not _may_stand(found.sentence, conclusion, pack):
        return None
    if not _is_in_words_alone(conclusion):
        shown = figures_shown(conclusion, pack)
        if len(new_figures(found.sentence, shown, pack)) < FEWEST_FIGURES:
            return None
    return _named(found.sentence, pack)


def figures_shown(conclusion: Conclusion, pack: Pack) -> frozenset[str]:
    """The figures that stand in an answer, its table among it, or in the question."""
    cells = (cell for row in table_of(conclusion) for cell in row.cells)
    beside = (one.text for one in conclusion.sentences_beside)
    told = (*(line.text for line in lines_of(conclusion)), *cells, *beside, pack.question.analysis.question)
    return figures_of(" ; ".join(told))


def new_figures(sentence: NearestSentence, shown: AbstractSet[str], pack: Pack) -> frozenset[str]:
    """The figures of a sentence that neither are shown nor stand in the title of its work; no P values."""
    return figures_of(_P_VALUE.sub("", sentence.text)) - shown - figures_of(pack.documents[sentence.n - 1].title)
