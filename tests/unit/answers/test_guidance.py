"""Whose guideline an answer tells: the asked country's, then international ones; what is lacking is said first."""

from __future__ import annotations

import pytest
from openwork_answers.forms import lines_of
from openwork_contracts.conclusion import Conclusion
from openwork_contracts.evidence import AbstractPart, EvidenceCandidate, Identifiers, Recommendation, StudyDesign
from openwork_contracts.guidance import INTERNATIONAL, GuidelineFacts

from tests.unit.answers.made import concluded, record

FIRST = "Norepinephrine is the first-line vasopressor for adults with septic shock."


def guideline(
    body: str, country: str | None, year: int, *recommendations: Recommendation | str, superseded: str | None = None
) -> EvidenceCandidate:
    told = tuple(one if isinstance(one, Recommendation) else Recommendation(text=one) for one in recommendations)
    return record(
        f"{body} guideline on septic shock {year}",
        " ".join(one.text for one in told),
        candidate_id=f"hash:{body}{year}",
        identifiers=Identifiers(doi=f"10.1234/{body}.{year}".lower()),
        year=year,
        study_design=StudyDesign.GUIDELINE,
        recommendations=told,
        guideline=GuidelineFacts(
            organisation=body, bodies=(body,), country=country, year=year, superseded_by=superseded
        ),
    )


def on_gout(whom: str, *recommendations: str) -> EvidenceCandidate:
    return record(
        "Example guideline on gout",
        "",
        study_design=StudyDesign.GUIDELINE,
        abstract=(AbstractPart(label="Population", text=whom),),
        recommendations=tuple(Recommendation(text=one) for one in recommendations),
    )


def words_of(answer: Conclusion) -> str:
    return " ".join(line.text for line in lines_of(answer))


ASKED = "Which first-line vasopressor do guidelines in {} recommend for septic shock?"


def test_the_asked_country_alone_is_told_where_there_is_one() -> None:
    answer = concluded(ASKED.format("India"), guideline("AAA", "US", 2024, FIRST), guideline("CCC", "IN", 2019, FIRST))
    assert [(one.body, one.year, one.place) for one in answer.guidelines] == [("CCC", 2019, 0)]
    assert not any("guideline" in words for words in answer.missing)


def test_without_one_that_is_said_first_and_the_international_one_follows_marked() -> None:
    question = ASKED.format("Brazil")
    answer = concluded(question, guideline("AAA", "US", 2024, FIRST), guideline("BBB", INTERNATIONAL, 2021, FIRST))
    assert answer.missing[0] == "guideline from Brazil about this"
    assert [(one.body, one.place) for one in answer.guidelines] == [("BBB", 1)]
    text = words_of(answer)
    assert text.startswith("The evidence found contains no guideline from Brazil about this.")
    assert "BBB 2021 (international)" in text


def test_a_superseded_edition_is_no_current_guideline() -> None:
    old = guideline("CCC", "IN", 2016, FIRST, superseded="CCC 2024")
    question = ASKED.format("India")
    answer = concluded(question, old)
    assert answer.missing[0] == "current guideline from India about this"
    assert answer.guidelines[0].superseded_by == "CCC 2024"
    assert "CCC 2016 (superseded by CCC 2024)" in words_of(answer)
    newer = concluded(question, old, guideline("CCC", "IN", 2024, FIRST))
    assert [one.year for one in newer.guidelines] == [2024]


def test_who_asks_for_one_body_gets_no_other() -> None:
    question = "What does NICE recommend as vasopressor in septic shock?"
    answer = concluded(question, guideline("SSC", INTERNATIONAL, 2021, FIRST))
    assert answer.guidelines == ()
    assert answer.missing[0] == "guideline of NICE about this"


def test_a_weak_recommendation_stands_behind_unless_the_next_step_is_asked_for() -> None:
    later = "Vasopressin is added when mean arterial pressure stays inadequate on norepinephrine in septic shock."
    one = guideline("SSC", INTERNATIONAL, 2021, Recommendation(text=later, strength="weak"), FIRST)
    first = concluded("Which vasopressor do guidelines recommend in septic shock?", one)
    assert first.guidelines[0].text == FIRST
    following = concluded("Septic shock, pressure still low on noradrenaline: what do guidelines suggest next?", one)
    assert following.guidelines[0].text == later


def test_preventive_advice_of_the_country_is_no_answer_to_what_treats() -> None:
    contacts = "Household contacts of people with pulmonary tuberculosis receive preventive treatment with isoniazid."
    regimen = "New patients with pulmonary tuberculosis should receive a regimen with 6 months of rifampicin."
    resistant = guideline("DRTB", "IN", 2024, "Multidrug-resistant tuberculosis is treated with 6 months of BPaLM.")
    own, international = guideline("NTEP", "IN", 2021, contacts), guideline("WHO", INTERNATIONAL, 2022, regimen)
    treats = concluded("What is the first-line treatment of tuberculosis in India?", own, international, resistant)
    assert [one.body for one in treats.guidelines] == ["WHO"]
    assert treats.missing[0] == "guideline from India about this"
    prevents = concluded("Which preventive treatment of tuberculosis is recommended in India?", own, international)
    assert [one.body for one in prevents.guidelines] == ["NTEP"]


def test_a_guideline_for_a_group_that_nobody_asked_about_does_not_hide_the_one_for_all() -> None:
    question = "What does NICE recommend for hypertension?"
    general = guideline(
        "NICE", "GB", 2011, "People with hypertension are offered an ACE inhibitor.", superseded="NG136"
    )
    pregnant = guideline("NICE", "GB", 2019, "Labetalol is offered for hypertension in pregnancy.")
    answer = concluded(question, general, pregnant)
    assert [one.year for one in answer.guidelines] == [2011]
    assert answer.missing[0] == "current guideline of NICE about this"
    asked = concluded("What does NICE recommend for hypertension in pregnancy?", general, pregnant)
    assert [one.year for one in asked.guidelines] == [2019]


def test_who_names_an_edition_s_year_gets_that_one() -> None:
    old, new = guideline("SSC", INTERNATIONAL, 2021, FIRST), guideline("AAA", INTERNATIONAL, 2026, FIRST)
    answer = concluded("Which vasopressor does the 2021 guideline recommend in septic shock?", new, old)
    assert [one.year for one in answer.guidelines] == [2021]


def test_a_statement_is_cut_from_the_label_of_its_part_and_for_whom_a_guideline_is_is_no_advice() -> None:
    document = record(
        "Example guideline on gout",
        "",
        study_design=StudyDesign.GUIDELINE,
        abstract=(
            AbstractPart(label="Population", text="Allopurinol in gout is the matter of this guideline for adults."),
            AbstractPart(label="Results", text="Allopurinol is recommended for people with gout."),
        ),
        recommendations=(
            Recommendation(text="Population: Allopurinol in gout is the matter of this guideline for adults."),
            Recommendation(text="Results: Allopurinol is recommended for people with gout."),
        ),
    )
    found = concluded("Is allopurinol recommended in gout?", document)
    assert [one.text for one in found.guidelines] == ["Allopurinol is recommended for people with gout."]


def test_who_asks_of_pregnancy_gets_the_statement_for_it_first() -> None:
    document = guideline(
        "ESICM",
        None,
        2024,
        "In septic shock, vasopressors are started early.",
        "In pregnancy, vasopressors are not recommended before fluids in septic shock.",
    )
    text = words_of(concluded("What does the ESICM guideline say of a pregnant vegan with septic shock?", document))
    assert "In pregnancy" in text.partition("].")[0][:120]


def test_a_procedure_that_says_for_whom_a_statement_is_is_not_what_it_recommends() -> None:
    document = guideline("ESICM", None, 2024, "In septic shock on plasmapheresis, vancomycin is dosed by its level.")
    assert "vancomycin" not in words_of(concluded("Is plasmapheresis the best option for septic shock?", document))


def test_who_asks_to_prevent_one_thing_gets_no_statement_about_another() -> None:
    stroke = "Aspirin is not recommended to prevent stroke in adults of 60 years or older."
    own = "Aspirin is recommended to prevent pre-eclampsia in pregnant women at high risk."
    one, other = guideline("AAA", "US", 2022, stroke), guideline("AAA", "US", 2021, own)
    answer = concluded("What do guidelines recommend about aspirin to prevent preeclampsia?", one, other)
    assert [told.text for told in answer.guidelines] == [own]


def test_of_one_guideline_the_graded_recommendation_goes_before_the_sentence_about_it() -> None:
    graded = Recommendation(
        text="Norepinephrine (0.1 micrograms) is recommended in septic shock.", strength="B recommendation"
    )
    one = guideline(
        "SSC", INTERNATIONAL, 2021, "The SSC 2021 statement gives norepinephrine in septic shock a B.", graded
    )
    answer = concluded("What does SSC say about norepinephrine in septic shock?", one)
    assert answer.guidelines[0].text == graded.text
    assert "(B recommendation)" in words_of(answer)


def test_who_is_pregnant_by_what_was_asked_is_no_narrower_group() -> None:
    own = Recommendation(
        text="In pregnant women, magnesium sulfate is recommended to prevent eclampsia.", strength="strong"
    )
    one = guideline("WHO", INTERNATIONAL, 2011, "Magnesium sulfate prevents eclampsia and is advised.", own)
    answer = concluded("What does WHO recommend about magnesium sulfate to prevent eclampsia?", one)
    assert answer.guidelines[0].text == own.text


def test_a_statement_for_others_is_no_answer_though_its_guideline_speaks_of_the_asked_people() -> None:
    others = "In pneumonia with septic shock, rivaroxaban is recommended over warfarin."
    one = guideline("KKK", INTERNATIONAL, 2024, others)
    one = one.model_copy(update={"title": "KKK 2024 guideline on pneumonia in adults and children"})
    assert concluded("Is rivaroxaban as good as warfarin in children?", one).guidelines == ()
    told = concluded("Is rivaroxaban as good as warfarin in pneumonia?", one)
    assert [statement.text for statement in told.guidelines] == [others]


def test_a_statement_that_names_what_is_prevented_or_feared_is_for_the_asked_people_still() -> None:
    told = "Apixaban is recommended over warfarin to prevent stroke and thromboembolism."
    one = guideline("KKK", INTERNATIONAL, 2024, told)
    one = one.model_copy(update={"title": "KKK 2024 guideline on atrial fibrillation"})
    answer = concluded("Is apixaban better than warfarin in atrial fibrillation?", one)
    assert [statement.text for statement in answer.guidelines] == [told]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Is allopurinol recommended for a child with gout?", False),
        ("Is allopurinol recommended in gout in pregnancy?", False),
        ("Is allopurinol recommended for people with gout?", True),
        ("Is colchicine recommended for a child with gout?", True),
    ],
)
def test_a_statement_of_a_guideline_for_adults_first_is_of_no_children_unless_it_says_so(text: str, told: bool) -> None:
    document = on_gout(
        "The guideline applies to adults with gout and has first recommendations for children and in pregnancy.",
        "Allopurinol is recommended for people with gout.",
        "In children with gout, colchicine is recommended.",
    )
    assert bool(concluded(text, document).guidelines) is told


@pytest.mark.parametrize(
    ("whom", "told"),
    [
        ("The guideline is for adults and children with gout.", True),
        ("The guideline was made for adults and children; it makes no recommendation for children.", False),
        ("The guideline is for adults with gout.", False),
    ],
)
def test_a_guideline_for_adults_and_children_alike_is_for_both(whom: str, told: bool) -> None:
    document = on_gout(whom, "Allopurinol is recommended for people with gout.")
    assert bool(concluded("Is allopurinol recommended for a child with gout?", document).guidelines) is told


def test_of_two_drugs_of_one_class_a_statement_on_the_class_says_nothing() -> None:
    said = "Anticoagulation for at least 3 months is recommended in gout."
    compared = concluded("Is edoxaban safer than warfarin in gout?", on_gout("Adults with gout.", said))
    assert compared.guidelines == ()
    alone = concluded("Should anticoagulants be given in gout, by guidelines?", on_gout("Adults with gout.", said))
    assert len(alone.guidelines) == 1
