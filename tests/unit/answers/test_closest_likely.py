"""What stands near where nothing answers because it is likely to be asked for: of no other drug, disease or people."""

from __future__ import annotations

import pytest
from openwork_answers.closest_likely import likely_rows_near
from openwork_answers.conclude import conclude
from openwork_answers.forms import lines_of
from openwork_answers.pack import pack_of
from openwork_answers.table import table_of
from openwork_answers.too_little import too_little
from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, NearestSentence
from openwork_contracts.evidence import EvidenceCandidate

from tests.unit.answers.made import asked, passages, ratio, record, result

V = ConclusionVerdict
SAID = "In the Example trial, yawning stopped in 61% on lofexidine and in 35% on placebo, and 12% had a dry mouth."
WORK = record(
    "Lofexidine for opioid withdrawal",
    f"We assigned adults with opioid withdrawal to lofexidine or placebo. {SAID}",
    results=(result("insomnia", ratio(0.8, 0.7, 0.9), (("lofexidine", 80, 1000), ("placebo", 100, 1000))),),
)


def ended(text: str, *documents: EvidenceCandidate) -> Conclusion:
    """The answer object of a run that ends as too little evidence."""
    analysis, strategy = asked(text)
    found = conclude(analysis, strategy, passages(documents), documents)
    return too_little(found, analysis, strategy, passages(documents), documents)


def test_a_sentence_that_tells_of_it_stands_near_as_it_is() -> None:
    found = ended("What share of adults in opioid withdrawal get a dry mouth on lofexidine, and how many yawn?", WORK)
    assert (found.verdict, found.lead) == (V.NOT_FOUND, None)
    assert SAID in [sentence.text for sentence in found.sentences_told]
    assert found.tells_nearest


def test_what_its_source_does_not_tell_is_said_once() -> None:
    found = ended("Lofexidine for opioid withdrawal in shift workers: how often a dry mouth, and yawning?", WORK)
    assert found.nearest_without == found.sentences_told[0].without == ("shift workers",)
    texts = [line.text for line in lines_of(found)]
    assert texts[0].startswith("Example 2020 compared")
    assert 'where "shift workers" is not told' in texts[0]
    assert texts[1] == SAID
    alone = found.model_copy(update={"nearest": ()})
    assert [line.text for line in lines_of(alone)] == [f'Where "shift workers" is not told: {SAID}']


@pytest.mark.parametrize(
    "text",
    [
        "What share of adults in opioid withdrawal get a dry mouth on clonidine, and how many yawn?",  # another drug
        "What share of adults with narcolepsy get a dry mouth on lofexidine, and how many yawn?",  # another disease
        "What share of children in opioid withdrawal get a dry mouth on lofexidine, and how many yawn?",
        "What share of pregnant women in opioid withdrawal get a dry mouth on lofexidine, and how many yawn?",
        "How long do swallows sleep?",
    ],
)
def test_of_another_drug_disease_or_people_no_sentence_stands_near(text: str) -> None:
    assert ended(text, WORK).sentences_told == ()


def test_beside_an_answer_no_sentence_stands_near() -> None:
    found = ended("Does lofexidine reduce insomnia in opioid withdrawal?", WORK)
    assert found.sentences_told == ()


TWO = record(
    "Lofexidine for opioid withdrawal",
    f"We assigned adults with opioid withdrawal to lofexidine or placebo. {SAID}",
    results=(
        result("insomnia", ratio(0.8, 0.7, 0.9), (("lofexidine", 80, 1000), ("placebo", 100, 1000))),
        result("yawning stopped", ratio(1.7, 1.4, 2.0), (("lofexidine", 610, 1000), ("placebo", 350, 1000))),
    ),
)


def test_an_answer_in_words_has_the_likeliest_sentence_and_a_run_without_an_answer_shows_it_too() -> None:
    text = "Lofexidine for opioid withdrawal: how often do people get a dry mouth, or yawn?"
    analysis, strategy = asked(text)
    found = conclude(analysis, strategy, passages((TWO,)), (TWO,))
    assert found.verdict is V.DESCRIPTION
    assert found.in_words is not None
    assert found.in_words.text == SAID
    near = ended(text, TWO)
    assert near.in_words is None
    assert [sentence.text for sentence in near.sentences_told] == [SAID]


FOOD = record(
    "Food rations for families of people with tuberculosis",
    "We assigned household contacts of people with tuberculosis to food rations or to none.",
    results=(
        result("tuberculosis (all forms)", ratio(0.61, 0.43, 0.85), (("food rations", 96, 5600), ("none", 122, 4700))),
        result("death, in men", ratio(0.9, 0.5, 1.6), (("food rations", 20, 5600), ("none", 19, 4700))),
    ),
)


def test_rows_that_are_likely_stand_in_the_table_and_tell_no_verdict() -> None:
    found = ended("Food rations for household contacts with acromegaly: death or tuberculosis?", FOOD)
    assert (found.verdict, found.lead, found.nearest) == (V.NOT_FOUND, None, ())
    assert [row.outcome for row in found.likely] == ["tuberculosis (all forms)"]  # men were not asked about
    assert "122 of 4,700" in " ".join(cell for row in table_of(found) for cell in row.cells)
    alone = found.model_copy(update={"nearest_sentences": ()})
    assert (alone.sources, alone.sources_read) == ({1}, frozenset())


GRAFTS = record(
    "Off-pump and on-pump bypass",
    "We assigned adults with coronary disease to off-pump or on-pump bypass. A graft was open in 82% and 88%.",
    results=(
        result("graft patency", ratio(0.9, 0.8, 0.99), (("off-pump bypass", 82, 100), ("on-pump bypass", 88, 100))),
    ),
)


def test_a_row_whose_arm_is_off_something_is_not_about_stopping() -> None:
    analysis, strategy = asked("Off-pump versus on-pump bypass in coronary disease: what is graft patency?")
    pack = pack_of(analysis, strategy, tuple(passages((GRAFTS,))), (GRAFTS,))
    assert [row.outcome for row in likely_rows_near(pack, ())] == ["graft patency"]


def test_a_run_without_an_answer_keeps_nothing_that_stood_beside_one() -> None:
    analysis, strategy = asked("Lofexidine for opioid withdrawal: insomnia?")
    found = conclude(analysis, strategy, passages([WORK]), [WORK])
    beside = NearestSentence(n=1, passage_id="p1", text=SAID, study="Example 2020")
    answer = found.model_copy(update={"in_words": beside, "in_words_besides": (beside,), "untold": ("yawning",)})
    near = too_little(answer, analysis, strategy, passages([WORK]), [WORK])
    assert found.lead is not None
    assert near.verdict is V.NOT_FOUND
    assert (near.sentences_beside, near.untold) == ((), ())
