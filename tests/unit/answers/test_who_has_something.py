"""Who is told of in a sentence of his own, and what of a question no slot takes: neither is passed over."""

from __future__ import annotations

import pytest
from openwork_answers.forms import lines_of
from openwork_answers.unaccounted import how_telling, words_unaccounted
from openwork_contracts.conclusion import ConclusionVerdict
from openwork_contracts.evidence import TrialArm

from tests.unit.answers.made import DAPA_HF, concluded, question, ratio, record, result

V = ConclusionVerdict


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("My patient has an ileostomy. Does dapagliflozin reduce heart failure admissions?", {"ileostomy"}),
        ("She has hereditary spherocytosis. Does dapagliflozin reduce death?", {"hereditary spherocytosis"}),
        ("He had a gastric bypass. Does dapagliflozin reduce death?", {"gastric bypass"}),
        ("In a lung transplant, does dapagliflozin reduce death?", {"lung transplant"}),
        ("Does dapagliflozin reduce death in adults with a failing Fontan circulation?",
         {"adults", "failing Fontan circulation"}),
        ("In a failing Fontan circulation, does dapagliflozin reduce death?", {"failing Fontan circulation"}),
        ("Does oxygen reduce death in patients with spirometry-proven COPD?", {"spirometry-proven COPD"}),
        ("Does vasopressin lower the risk of AF if you look only at septic shock trials?", {"septic shock"}),
        ("Is nirmatrelvir safe for a seven year old?", {"7-year-old"}),
    ],
)  # fmt: skip
def test_who_has_something_is_asked_about(text: str, people: set[str]) -> None:
    assert {term.text for term in question(text).people} == people


@pytest.mark.parametrize(
    "text",
    [
        "My patient has had three exacerbations. Does azithromycin prevent exacerbations?",
        "The patient has to take aspirin. Does it prevent stroke?",
        "He had a CT scan yesterday. Does dapagliflozin reduce death?",
    ],
)
def test_what_somebody_has_to_do_and_a_test_that_he_had_restrict_nobody(text: str) -> None:
    assert question(text).people == ()


@pytest.mark.parametrize(
    ("text", "term", "wanted"),
    [
        ("Does apixaban prevent stroke in AF patients who can't have warfarin?", "who can't have warfarin", False),
        ("Does thrombectomy help stroke patients who did not get alteplase?", "who did not get alteplase", False),
        ("Does dexamethasone reduce death in covid patients who do not need oxygen?", "who do not need oxygen", False),
        ("Does azithromycin help a COPD patient who hasn't quit smoking?", "who hasn't quit smoking", False),
        ("Does PCI lower death in STEMI patients who have had bypass surgery?", "who have had bypass surgery", True),
        ("Do stroke patients who had thrombectomy walk on fluoxetine?", "who had thrombectomy", True),
        ("Do lymphoma survivors who had mantle radiotherapy live longer on a statin?", "who had mantle radiotherapy",
         True),
    ],
)  # fmt: skip
def test_a_clause_about_what_people_had_or_could_not_have_is_kept_in_its_own_words(
    text: str, term: str, wanted: bool
) -> None:
    assert (term, wanted) in {(one.text, one.wanted) for one in question(text).people}


def test_a_drug_that_failed_is_still_given_up_and_nobody_has_it() -> None:
    (term,) = question("Does tofacitinib help adults with arthritis failing methotrexate?").people[-1:]
    assert "methotrexate" in term.text


@pytest.mark.parametrize(
    ("text", "comparators", "outcomes"),
    [
        ("How does teprotumumab compare with placebo on hyperglycemia in thyroid eye disease?", [], ("hyperglycemia",)),
        ("How does dabigatran compare to warfarin on stroke?", ["warfarin"], ("stroke",)),
        ("Does apixaban lower the risk of major bleeding in AF, against dabigatran?", ["dabigatran"],
         ("major bleeding",)),
        ("Does apixaban lower major bleeding in AF rather than rivaroxaban?", ["rivaroxaban"], ("major bleeding",)),
        ("Preeclampsia with vitamin C versus placebo in high-risk women", [], ("Preeclampsia",)),
        ("Myocardial infarction with colchicine versus placebo after myocardial infarction?", [],
         ("Myocardial infarction",)),
    ],
)  # fmt: skip
def test_what_is_compared_on_what(text: str, comparators: list[str], outcomes: tuple[str, ...]) -> None:
    read = question(text)
    assert [idea.term for idea in read.comparators] == comparators
    assert read.outcome_texts == outcomes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Wobbly wrestlers with heart failure: does dapagliflozin reduce death?", ("wrestlers",)),
        ("The cardiologist says 10 mg tablets. Does dapagliflozin reduce death in heart failure?", ()),
        ("HFrEF, hsCRP up: does dapagliflozin reduce death?", ()),
        ("Does dapagliflozin reduce death in heart failure with a reduced ejection fraction?", ()),
    ],
)
def test_rare_words_that_no_slot_took_and_no_source_has(text: str, words: tuple[str, ...]) -> None:
    assert words_unaccounted(question(text), DAPA_HF) == words


@pytest.mark.parametrize(
    ("word", "level"), [("hsCRP", 0), ("A1c", 0), ("MR-based", 0), ("GAD-antibody-positive", 3), ("wrestlers", 3)]
)
def test_a_compound_tells_what_its_plain_parts_tell(word: str, level: int) -> None:
    assert how_telling(word) == level


def test_an_answer_says_which_word_it_does_not_account_for() -> None:
    found = concluded("Wrestlers. Heart failure, dapagliflozin: fewer deaths or worsening heart failure?", DAPA_HF)
    assert found.lead is not None
    assert "Wrestlers not told apart" in lines_of(found)[0].text


def test_a_word_of_medicine_that_no_slot_took_keeps_the_answer_back() -> None:
    asked = "Heart failure does not leave my Fontan girl. Does dapagliflozin reduce worsening heart failure?"
    found = concluded(asked, DAPA_HF)
    assert (found.verdict, found.lead) == (V.NOT_FOUND, None)
    assert found.nearest
    assert "Fontan" in found.nearest_without


COUNTED = record(
    "Metformin in overweight people with type 2 diabetes",
    "Overweight people with type 2 diabetes were assigned to metformin or to diet. Metformin lowered death from any "
    "cause by 36% compared with diet (14.6% versus 21.7% of people; P=0.011).",
    arms=(),
    results=(
        result("death from any cause, metformin versus diet", ratio(0.64, 0.45, 0.91, "RR"), time="median 10.7 years"),
    ),
)


def test_shares_that_a_sentence_tells_alone_are_of_the_arms_behind_the_tables_ratio() -> None:
    found = concluded("Does metformin reduce death from any cause in overweight people with type 2 diabetes?", COUNTED)
    assert found.lead is not None
    assert found.lead.effect is not None
    assert [arm.percent for arm in found.lead.arms] == ["14.6", "21.7"]


COUNTS = record(
    "Empagliflozin in heart failure",
    "People with heart failure were assigned to empagliflozin or placebo.",
    results=(
        result("first hospitalization for heart failure", ratio(0.69, 0.59, 0.81),
               (("empagliflozin", 246, 1863), ("placebo", 342, 1867))),
        result("total hospitalizations for heart failure", ratio(0.73, 0.61, 0.88)),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "led"),
    [
        ("total hospitalizations for heart failure", "total hospitalizations for heart failure"),
        ("hospitalization for heart failure", "first hospitalization for heart failure"),
    ],
)
def test_what_is_counted_in_a_way_of_its_own_answers_who_asks_for_that(asked: str, led: str) -> None:
    found = concluded(f"Does empagliflozin reduce {asked} in heart failure?", COUNTS)
    assert found.lead is not None
    assert found.lead.outcome == led


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("How does apixaban compare with warfarin for bleeding in people on dialysis?", {"on dialysis"}),
        ("My patient has a question about dapagliflozin. Does it reduce death in HFrEF?", {"HFrEF"}),
        ("My patient has suffered a stroke. Does clopidogrel prevent another?", {"stroke"}),
        ("He has a family history of heart failure. Does aspirin prevent MI?", {"family history of heart failure"}),
        ("The cancer is confined to the breast. Does tamoxifen reduce death?", {"cancer"}),
        ("A wound seven days old: does honey help?", set()),
    ],
)
def test_what_somebody_is_on_or_does_is_no_outcome_and_nobody(text: str, people: set[str]) -> None:
    assert {term.text for term in question(text).people} == people


def test_what_a_question_opens_against_is_the_comparator() -> None:
    read = question("In atrial fibrillation, against warfarin, does apixaban reduce stroke?")
    assert [idea.term for idea in read.treatments] == ["apixaban"]
    assert [idea.term for idea in read.comparators] == ["warfarin"]


@pytest.mark.parametrize("who", ["who do not need oxygen", "who don't need oxygen", "not needing oxygen"])
def test_a_part_of_a_trial_is_known_however_a_question_says_not(who: str) -> None:
    recovery = record(
        "Dexamethasone in hospitalized patients with Covid-19",
        "We assigned patients with Covid-19 to dexamethasone or usual care.",
        results=(
            result("death from any cause", ratio(0.83, 0.75, 0.93, "RR")),
            result("death from any cause, no respiratory support at randomization", ratio(1.19, 0.92, 1.55, "RR")),
        ),
        arms=(TrialArm(name="dexamethasone", n=2104), TrialArm(name="usual care", n=4321)),
    )
    found = concluded(f"Does dexamethasone reduce death in Covid patients {who}?", recovery)
    assert found.lead is not None
    assert found.lead.people == "no respiratory support at randomization"
