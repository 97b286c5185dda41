"""Which row and which sentence is likely to be asked for, and what becomes of an answer by it."""

from __future__ import annotations

import math

import pytest
from openwork_answers.beside import UNLIKELY
from openwork_answers.forms import lines_of
from openwork_answers.likeliest import likeliest_reading
from openwork_answers.likelihood import probabilities
from openwork_answers.likely_rows import WEIGHTS, features_of
from openwork_answers.likely_sentences import WEIGHTS as OF_SENTENCES
from openwork_answers.likely_sentences import sentence_features
from openwork_answers.pack import Pack, pack_of
from openwork_answers.table import table_of
from openwork_contracts.evidence import EvidenceCandidate, Identifiers

from tests.unit.answers.made import asked, concluded, passages, ratio, record, result

ARMS = (("examplivir", 60, 900), ("placebo", 90, 900))
EXAMPLE = record(
    "Examplivir in community-acquired pneumonia",
    "We assigned adults with community-acquired pneumonia to examplivir or placebo. In the Example trial, the drip "
    "stayed in for a median of 4.5 days on examplivir and 7.25 days on placebo.",
    results=(
        result("death from any cause", ratio(0.66, 0.48, 0.91), ARMS),
        result("readmission to hospital", ratio(1.9, 1.2, 3.0), (("examplivir", 80, 900), ("placebo", 42, 900))),
        result("death from any cause, in women", ratio(0.8, 0.6, 1.07)),
    ),
)


def pack(text: str, *documents: EvidenceCandidate) -> Pack:
    analysis, strategy = asked(text)
    return pack_of(analysis, strategy, tuple(passages(documents)), documents)


def test_probabilities_are_of_the_weighted_features_and_add_up() -> None:
    rows = [{"near": 1.0, "far": 5.0}, {"near": 0.0, "far": -5.0}]
    first, second = probabilities(rows, {"near": math.log(3)})  # what has no weight counts for nothing
    assert (first, second) == (pytest.approx(0.75), pytest.approx(0.25))
    assert probabilities([], {"near": 1.0}) == []


def test_scores_far_apart_do_not_overflow() -> None:
    assert probabilities([{"x": 5000.0}, {"x": 0.0}], {"x": 1.0}) == [1.0, 0.0]


def test_every_weight_has_its_feature_and_every_feature_its_weight() -> None:
    of = pack("Does examplivir reduce death in pneumonia?", EXAMPLE)
    assert {name for _, row in features_of(of.held, of.works, of.passages) for name in row} == WEIGHTS.keys()
    sentences = sentence_features(of.held, of.works, of.passages, of.likely, None)
    assert {name for _, row in sentences for name in row} == OF_SENTENCES.keys()


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Does examplivir reduce death in community-acquired pneumonia?", "death from any cause"),
        ("Examplivir for pneumonia: how often are they readmitted to hospital?", "readmission to hospital"),
    ],
)
def test_the_row_that_shares_most_with_the_question_is_the_likeliest(text: str, outcome: str) -> None:
    likely = pack(text, EXAMPLE).likely
    assert likely[0].result.outcome == outcome
    assert likely[0].result.people is None
    assert sum(one.probability for one in likely) == pytest.approx(1)


def test_a_row_that_names_no_arms_is_judged_by_those_of_its_work() -> None:
    of = pack("Does examplivir reduce death in women with community-acquired pneumonia?", EXAMPLE)
    words = {r.people: row["words"] for r, row in features_of(of.held, of.works, of.passages) if "death" in r.outcome}
    assert words["women"] >= words[None] > 0


def test_what_is_likely_stands_in_the_table_beside_what_leads() -> None:
    found = concluded("Examplivir in community-acquired pneumonia: death, or readmission to hospital?", EXAMPLE)
    assert found.lead is not None
    cells = " ".join(cell for row in table_of(found) for cell in row.cells)
    assert "death from any cause" in cells
    assert "readmission to hospital" in cells
    assert "women" not in cells  # a part that nobody asked about


def test_beside_a_lead_that_may_not_be_meant_stands_the_sentence_that_is_likely() -> None:
    text = "Does examplivir reduce death in community-acquired pneumonia, and how many days does the drip stay in?"
    found = concluded(text, EXAMPLE)
    assert found.lead is not None
    assert found.in_words is not None
    assert found.in_words.n in found.sources
    assert "7.25 days on placebo" in " ".join(line.text for line in lines_of(found))


DRIP = record(
    "Drips in community-acquired pneumonia",
    "Adults with community-acquired pneumonia, all on examplivir, were given a drip or none. The drip stayed in on "
    "day 2 in 61% of adults and on day 3 in 35%.",
)


AGAIN = tuple(
    record(
        f"Examplivir in community-acquired pneumonia, trial {name}",
        "We assigned adults with community-acquired pneumonia to examplivir or placebo.",
        results=(result("death from any cause", ratio(estimate, 0.6, 1.3), ARMS),),
    )
    for name, estimate in (("A", 0.9), ("B", 0.95))
)


def test_where_it_is_open_what_is_asked_for_the_next_likeliest_sentences_stand_in_the_table() -> None:
    text = "Does examplivir reduce death in community-acquired pneumonia, and for how many days does the drip stay in?"
    found = concluded(text, *AGAIN, EXAMPLE, DRIP)
    assert found.lead is not None
    assert pack(text, *AGAIN, EXAMPLE, DRIP).chance_of(found.lead) < UNLIKELY
    rows = {row.n: row for row in table_of(found)}
    told = " ".join((*(line.text for line in lines_of(found)), *(cell for row in rows.values() for cell in row.cells)))
    assert "7.25 days on placebo" in told
    assert rows[4].cells[0] == "Example 2020 [4]"
    assert rows[4].cells[3].startswith("in words: The drip stayed in on day 2 in 61%")
    assert {3, 4} <= found.sources


def test_a_sentence_that_tells_the_result_that_leads_once_more_stands_in_the_table() -> None:
    again = record(
        "Examplivir in community-acquired pneumonia",
        "We assigned adults with community-acquired pneumonia to examplivir or placebo. In the Example trial, adults "
        "given examplivir died less often of pneumonia (HR 0.66, 95% CI 0.48 to 0.91), and the drip stayed in for a "
        "median of 4.5 days on examplivir and 7.25 days on placebo.",
        results=EXAMPLE.results,
    )
    text = "Does examplivir reduce death in community-acquired pneumonia, and how many days does the drip stay in?"
    found = concluded(text, again)
    assert found.lead is not None
    assert found.lead.outcome == "death from any cause"
    assert found.in_words is None
    assert "7.25 days" not in " ".join(line.text for line in lines_of(found))
    assert "in words: In the Example trial" in table_of(found)[0].cells[3]


SURE = record(
    "Examplivir in community-acquired pneumonia",
    "We assigned adults with community-acquired pneumonia to examplivir or placebo. The median stay was 4.5 days on "
    "examplivir and 7.25 days on placebo.",
    results=(
        result("readmission to hospital", ratio(0.66, 0.48, 0.91), ARMS),
        result("nausea", ratio(1.2, 0.9, 1.6), (("examplivir", 80, 900), ("placebo", 70, 900))),
    ),
)


def test_beside_a_lead_that_surely_is_meant_no_sentence_stands() -> None:
    found = concluded("Does examplivir reduce readmission to hospital in community-acquired pneumonia?", SURE)
    assert found.lead is not None
    assert found.in_words is None
    assert found.in_words_besides == ()


DIET = record(
    "Food parcels for families of people with tuberculosis",
    "We assigned household contacts of people with tuberculosis to food rations or to none.",
    results=(
        result("tuberculosis (all forms)", ratio(0.61, 0.43, 0.85), (("food rations", 96, 5600), ("none", 122, 4700))),
        result("death", ratio(0.9, 0.5, 1.6), (("food rations", 20, 5600), ("none", 19, 4700))),
    ),
)


def test_the_row_that_is_all_but_certain_answers_where_what_was_read_ruled_it_out() -> None:
    text = "Do food baskets for the family of a lung TB patient reduce how many of them get TB?"
    found = likeliest_reading(pack(text, DIET))
    assert found is not None
    reading, row = found
    assert row.outcome == "tuberculosis (all forms)"
    assert reading.compared == (("food rations", "none"),)
    assert not reading.yes_or_no


@pytest.mark.parametrize(
    "text",
    [
        "Do food baskets for the family of a patient with acromegaly reduce how many of them get TB?",
        "Do food baskets for lung TB patients with an eGFR of 20 reduce how many of their family get TB?",
        "What do guidelines recommend on food baskets for the family of a lung TB patient?",
    ],
)
def test_it_does_not_answer_for_people_or_for_advice_of_which_its_source_says_nothing(text: str) -> None:
    assert likeliest_reading(pack(text, DIET)) is None


def test_where_wider_people_lead_a_sentence_that_tells_of_those_asked_about_stands_beside_it() -> None:
    said = "In the Example trial, examplivir helped people aged 80 years or more (odds ratio 3.68)."
    work = record(
        "Examplivir in community-acquired pneumonia",
        f"We assigned adults with community-acquired pneumonia to examplivir or placebo. {said}",
        results=(result("death from any cause", ratio(0.66, 0.48, 0.91), ARMS),),
    )
    found = concluded("Does examplivir reduce death in pneumonia in people aged 80 and over?", work)
    assert found.people_wider == ("aged 80 and over",)
    assert found.in_words is not None
    assert found.in_words.text == said
    everybody = concluded("Does examplivir reduce death in pneumonia?", work)
    assert everybody.in_words is None


def test_sentences_of_those_asked_about_are_each_of_another_work() -> None:
    first = "In the Example trial, examplivir helped people aged 80 years or more (odds ratio 3.68)."
    second = "Examplivir lowered death in people aged 80 years or more (odds ratio 0.50)."
    works = [
        record(
            f"Examplivir in {name}",
            f"We assigned adults with community-acquired pneumonia to examplivir or placebo. {said}",
            results=(result("death from any cause", ratio(0.66, 0.48, 0.91), ARMS),) if pmid == "1" else (),
            identifiers=Identifiers(pmid=pmid),
        )
        for name, said, pmid in (
            ("community-acquired pneumonia", f"{first} Death was rarer above 80 years.", "1"),
            ("older people: efficacy in pneumonia", second, "2"),
        )
    ]
    found = concluded("Does examplivir reduce death in pneumonia in people aged 80 and over?", *works)
    told = [found.in_words, *found.in_words_besides]
    assert {one.n for one in told if one is not None} == {1, 2}
    assert len(told) == 2
