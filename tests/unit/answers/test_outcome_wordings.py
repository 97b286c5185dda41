"""Outcomes as they are typed beside how trials print them: names, forms of words, short forms, whole phrases."""

from __future__ import annotations

import pytest
from openwork_answers.last_segment import last_segment
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcome_names import in_standard_names, places, standard_name
from openwork_answers.outcomes import read_outcome
from openwork_answers.word_matches import by_words, is_same_word
from openwork_contracts.conclusion import Fit
from openwork_knowledge.tables import table

from tests.unit.answers.made import question


def fit(told: str, asked: str) -> Fit:
    return fit_of(read_outcome(told), read_outcome(asked))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("anaemic", "anaemia"),
        ("perforated", "perforation"),
        ("dilatation", "dilated"),
        ("extubated", "extubation"),
        ("hypertensive", "hypertension"),
    ],
)
def test_forms_of_one_word_are_known_by_their_endings(one: str, other: str) -> None:
    assert is_same_word(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hepatitis", "hepatic"),
        ("thrombosis", "thrombocytopenia"),
        ("neutropenia", "neutrophilia"),
        ("hypotension", "hypothermia"),
        ("infection", "infarction"),
        ("colitis", "colic"),
        ("myoma", "myopathy"),
        ("ventricular", "ventricle"),  # "-ular" and "-le" are no endings of the list
    ],
)
def test_words_that_only_begin_alike_are_two(one: str, other: str) -> None:
    assert not is_same_word(one, other)


@pytest.mark.parametrize(
    ("told", "asked", "expected"),
    [
        ("Time to next treatment", "TTNT", Fit.ASKED),
        ("Bedside shivering assessment", "BSA", Fit.ASKED),
        ("Perforated viscus", "perforation of a viscus", Fit.ASKED),
        ("Perforated viscus within the year", "perforation", Fit.PART),
        ("Perforation", "perforated oesophagus", Fit.WIDER),
        ("Hepatitis B surface antigen loss", "hepatitis C cure", Fit.OTHER),
        ("EGFR mutation", "eGFR slope", Fit.OTHER),
    ],
)
def test_phrases_that_no_list_knows_are_held_together_by_all_their_words(told: str, asked: str, expected: Fit) -> None:
    assert by_words(told, asked) is expected


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("bed sores", "Pressure injury, stage 2 or higher"),
        ("needing a caesarean", "Cesarean delivery"),
        ("rise in haemoglobin", "Change in hemoglobin concentration"),
        ("time on the ventilator", "Duration of mechanical ventilation"),
        ("peak VO2", "Peak oxygen uptake"),
        ("AOM", "Acute otitis media"),
        ("bad hypos", "Severe hypoglycemia"),
        ("serious GI bleeding", "Major gastrointestinal bleeding"),
    ],
)
def test_what_is_typed_is_what_is_printed(asked: str, told: str) -> None:
    assert fit(told, asked) in {Fit.ASKED, Fit.PART}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("weight", "Low birth weight"),
        ("fracture", "Fracture healing"),
        ("urine infections", "Surgical site infection"),
        ("FVC", "Forced expiratory volume in 1 second"),
        ("mouth ulcers from chemo", "Venous leg ulcer healing"),
        ("stillbirth", "Miscarriage"),
        ("PASI 75", "PASI 90"),
        ("hearing loss", "Hair loss"),
    ],
)
def test_another_outcome_is_not_it_however_alike_its_words(asked: str, told: str) -> None:
    assert fit(told, asked) in {Fit.OTHER, Fit.NOT_TOLD}


def test_a_phrase_within_a_text_is_read_under_its_name_and_the_rest_stays() -> None:
    assert in_standard_names("more bed sores at 30 days") == "more pressure ulcer at 30 days"
    assert standard_name("bed sores") == "pressure ulcer"
    assert standard_name("bed sores at 30 days") is None
    assert places("fewer bed sores, and itching") == ((6, 15),)  # one word alone may mean something else


def test_no_phrase_stands_under_two_names() -> None:
    phrases = [row[1] for row in table("outcome-names").rows]
    assert len(phrases) == len(set(phrases))


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Does palivizumab reduce RSV admissions?", "RSV admissions"),
        ("Does denosumab cause osteonecrosis of the jaw?", "osteonecrosis of the jaw"),
        ("Does dexamethasone shorten days on the ventilator?", "days on the ventilator"),
        ("Does methotrexate lower active uveitis in children?", "active uveitis"),
        ("Does aspirin reduce stroke more than placebo?", "stroke"),
        ("Do statins lower mortality in the elderly?", "mortality"),
    ],
)
def test_an_outcome_is_its_whole_phrase_and_no_more(text: str, outcome: str) -> None:
    assert question(text).outcome_texts == (outcome,)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("acupuncture vs sham in chronic migraine: jaw clicking?", ("jaw clicking",)),
        ("Apixaban vs warfarin, AF - clotted stents?", ("clotted stents",)),
        ("ketamine versus etomidate for intubation: first-pass success at 5 min?", ("first-pass success",)),
        ("Apixaban in AF: 5 mg or 2.5 mg?", ()),
        ("Apixaban versus warfarin: patients on dialysis?", ()),
    ],
)
def test_the_last_segment_is_asked_about_where_nothing_else_is(text: str, outcome: tuple[str, ...]) -> None:
    assert question(text).outcome_texts == outcome


def test_a_last_segment_that_sets_two_things_against_each_other_is_no_outcome() -> None:
    assert last_segment("T2DM on metformin: liraglutide or sitagliptin?") is None
    segment = last_segment("apixaban vs warfarin: risk of brain bleeds at 1 year?")
    assert segment is not None
    assert "apixaban vs warfarin: risk of brain bleeds at 1 year?"[segment.start : segment.end] == "brain bleeds"
