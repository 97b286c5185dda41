"""Whom a question asks about, and whether a text is about them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.question import PopulationKind, PopulationTerm
from openwork_language.asking.figures import figures_in
from openwork_language.asking.people import Told, told_of, told_of_all, whom
from openwork_language.asking.read import people_of
from openwork_language.asking.times import doses_of, times_of
from openwork_query.domain.analysis import Rejection, analyse, entities_of
from openwork_query.domain.pico import pico_of

from tests.eval.reading.__main__ import measure, pairs_right

HERE = Path(__file__).parent
READING = HERE.parents[1] / "eval" / "reading"
TOLD = [line.split("\t") for line in (HERE / "told.tsv").read_text().splitlines() if not line.startswith("#")]


def people(question: str) -> tuple[PopulationTerm, ...]:
    return pico_of(question, entities_of(question)).people


@pytest.mark.parametrize(("expected", "question", "text"), TOLD)
def test_a_text_is_told_to_be_about_these_people_or_others(expected: str, question: str, text: str) -> None:
    assert told_of_all(people(question), text) == expected


def test_a_test_that_was_negative_says_that_somebody_does_not_have_it() -> None:
    (_, flu) = people("Pneumonia, influenza swab negative. Do steroids help?")
    assert (flu.name, flu.wanted) == ("Influenza, Human", False)


def test_how_somebody_is_now_is_no_state_that_a_study_has_to_tell() -> None:
    read = people("After a hip fracture, now stable. Does zoledronate lower death?")
    assert [term.text for term in read] == ["After a hip fracture"]


def test_an_exclusion_goes_on_behind_as_were() -> None:
    """Who were left out besides are none of those who were studied."""
    (man,) = people("Do steroids help men?")
    text = "We enrolled 800 adults; people with asthma were excluded, as were pregnant or breastfeeding women."
    assert told_of(man, text) is Told.NOT_TOLD


def test_labelled_questions_are_read_with_their_polarity_figures_and_own_words() -> None:
    """The open part; the third kept apart is measured by hand."""
    score = measure(READING / "open.tsv", misses=False)
    assert score.found.total() >= 0.95 * score.labelled.total()
    assert score.right.total() >= 0.87 * score.read.total()


def test_names_that_differ_by_a_number_or_a_modifier_never_meet_and_those_of_one_thing_do() -> None:
    wrong = [row for row, right in pairs_right(READING / "pairs.tsv") if not right]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("aged 82", ("age", 82, 82, "years")),
        ("a 3-month-old infant", ("age", 0.25, 0.25, "years")),
        ("infants 6 to 23 months of age", ("age", 0.5, 1.917, "years")),
        ("women over 50", ("age", 50, None, "years")),
        ("under 5s", ("age", None, 5, "years")),
        ("a CrCl of 25 mL/min", ("creatinine clearance", 25, 25, "mL/min")),
        ("eGFR 30-50", ("eGFR", 30, 50, "mL/min/1.73m2")),
        ("a CHA2DS2-VASc score of 2 or more", ("CHA2DS2-VASc", 2, None, None)),
        ("NYHA class II-IV", ("NYHA", 2, 4, None)),
        ("Child-Pugh B", ("Child-Pugh", 2, 2, None)),
        ("blood eosinophils below 150", ("eosinophil count", None, 150, None)),
        ("when LVEF is below 40", ("LVEF", None, 40, "%")),
        ("born before 32 weeks", ("gestational age", None, 32, "week")),
        ("blood pressure above 140/90 mm Hg", ("systolic blood pressure", 140, None, "mmHg")),
    ],
)
def test_figures_of_people_are_intervals(text: str, figure: tuple[str, float | None, float | None, str | None]) -> None:
    named = [f for f in figures_in(text) if not f.in_words]
    assert [(f.measure, f.low, f.high, f.unit) for f in named] == [figure]


@pytest.mark.parametrize(
    "text",
    [
        "a target LDL below 70 mg/dL",
        "to a systolic blood pressure of less than 120",
        "for 12 months",
        "mean age 72 years",
        "improves ALT over 72 weeks",
    ],
)
def test_targets_durations_and_averages_are_no_figures_of_people(text: str) -> None:
    assert figures_in(text) == ()


def test_what_no_list_knows_stays_in_the_askers_words() -> None:
    terms = people("Does warfarin help people with a Florbix occluder who work night shifts?")
    assert [t.text for t in terms] == ["Florbix occluder", "night shifts"] or "Florbix occluder" in [
        t.text for t in terms
    ]
    assert terms[0].kind is PopulationKind.CONDITION
    assert terms[0].name is None


@pytest.mark.parametrize(
    ("question", "outcome"),
    [("Does apixaban reduce bleeding in AF?", "bleeding"), ("Is death from stroke less common with statins?", "death")],
)
def test_an_outcome_is_no_population(question: str, outcome: str) -> None:
    assert outcome not in [t.text for t in people(question)]


def test_absence_goes_on_through_a_list() -> None:
    terms = people("Are statins useful in adults without diabetes or hypertension?")
    assert [(t.name, t.wanted) for t in terms if t.name] == [("Diabetes Mellitus", False), ("Hypertension", False)]


def test_with_or_without_wants_neither_absent() -> None:
    assert all(t.wanted for t in people("Empagliflozin in heart failure with or without diabetes"))


def test_times_and_doses_are_kept_in_the_askers_words() -> None:
    question = "Does low-dose aspirin or rosuvastatin 20 mg daily reduce death at 90 days in people aged 70 years?"
    assert times_of(question) == ("at 90 days",)
    assert doses_of(question, entities_of(question)) == ("low-dose aspirin", "20 mg daily")


def test_who_was_left_out_is_told_apart_from_who_was_studied() -> None:
    text = "Apixaban in AF. We enrolled 100 adults. Patients with mechanical valves were excluded. Bleeding was rare."
    assert [(c.text.strip(), c.excluded) for c in whom(text)] == [
        ("Apixaban in AF.", False),
        ("We enrolled 100 adults.", False),
        ("Patients with mechanical valves were excluded", True),
    ]


def test_no_term_is_told_by_every_text() -> None:
    assert told_of_all((), "Anything at all.") is Told.SAME


@given(st.text(max_size=200))
def test_any_question_gives_terms_in_order_with_their_own_words(question: str) -> None:
    terms = people_of(question, entities_of(question))
    assert all(question[t.start : t.end] == t.text for t in terms)
    assert [t.start for t in terms] == sorted(t.start for t in terms)


@given(st.text(max_size=200))
def test_any_text_can_be_asked_about_any_people(text: str) -> None:
    for term in people("in women over 80 with type 2 diabetes, CrCl 25 and a Florbix occluder, not on aspirin"):
        assert told_of(term, text) in Told


@pytest.mark.parametrize(
    ("question", "people"),
    [
        ("Are SGLT2 inhibitors safe on dialysis?", ["on dialysis"]),
        ("Can apixaban be used on haemodialysis?", ["on haemodialysis"]),
        ("Do statins work on maintenance haemodialysis?", ["on maintenance haemodialysis"]),
        ("Does dexamethasone reduce death on mechanical ventilation?", ["on mechanical ventilation"]),
        ("What is the effect of exercise on dialysis?", []),
        ("Does furosemide change the effect on dialysis adequacy?", []),
        ("Does amiodarone have an effect on warfarin?", []),
    ],
)
def test_a_procedure_that_people_are_on_says_who_is_meant_without_a_word_for_people(
    question: str, people: list[str]
) -> None:
    analysis = analyse(question, available_sources=("library",), current_year=2026)
    assert not isinstance(analysis, Rejection)
    assert [term.text for term in analysis.pico.people] == people
    assert not any("dialysis" in slot for slot in (*analysis.pico.intervention, *analysis.pico.outcome)) or not people


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("512 people on dialysis were randomised.", Told.SAME),
        ("Hemodialysis patients were randomised.", Told.SAME),
        ("People undergoing hemodialysis.", Told.SAME),
        ("No participant was on dialysis.", Told.OTHER),
        ("None of the participants was on dialysis.", Told.OTHER),
        ("Nobody in the trials was on dialysis.", Told.OTHER),
        ("53 studies were included; none treated children or people on dialysis.", Told.OTHER),
        ("The trials did not enroll people on dialysis.", Told.OTHER),
        ("No trial enrolled people on dialysis.", Told.OTHER),
        ("Neither trial included people on dialysis.", Told.OTHER),
        ("The review found no studies in people on dialysis.", Told.OTHER),
        ("There was no difference in people on dialysis.", Told.SAME),
        ("No benefit was seen in patients on dialysis.", Told.SAME),
        ("The trial took adults and left out people with shock, on dialysis or with cancer.", Told.OTHER),
        ("Death or dialysis occurred in 3%.", Told.NOT_TOLD),
        ("It lowered progression to dialysis.", Told.NOT_TOLD),
    ],
)
def test_who_was_on_something_is_told_from_who_was_not_and_from_who_came_to_it(text: str, told: Told) -> None:
    analysis = analyse("Are statins safe in people on dialysis?", available_sources=("library",), current_year=2026)
    assert not isinstance(analysis, Rejection)
    (term,) = analysis.pico.people
    assert told_of(term, text) is told


@pytest.mark.parametrize(
    ("question", "read"),
    [
        # what a treatment is for, people have besides
        ("Does aspirin after surgery for colorectal cancer reduce death?", ["after surgery", "colorectal cancer"]),
        ("Is echocardiography needed during anthracycline therapy for childhood leukaemia?",
         ["during anthracycline therapy", "leukaemia"]),
        ("Does colchicine after myocardial infarction reduce stroke?", ["after myocardial infarction"]),
        # a phrase ends before a finite verb
        ("Does nimodipine within 4 days of subarachnoid haemorrhage give better outcomes?",
         ["within 4 days of subarachnoid haemorrhage"]),
        ("Does methotrexate in psoriasis leave patients tired?", ["psoriasis"]),
        ("Does chelation in lead poisoning help?", ["lead poisoning"]),
        ("Does physiotherapy after turned ankle sprain help?", ["after turned ankle sprain"]),
    ],
)  # fmt: skip
def test_what_a_treatment_is_for_is_a_condition_and_a_phrase_ends_before_a_verb(question: str, read: list[str]) -> None:
    assert [term.text for term in people(question) if term.kind is not PopulationKind.AGE] == read
