"""How a question is read whose words do not say which of them are who is meant, what is given, what is asked about."""

from __future__ import annotations

import pytest
from openwork_answers.about import is_source_about
from openwork_answers.asked import readings_of
from openwork_contracts.conclusion import ConclusionVerdict, Fit
from openwork_contracts.evidence import Identifiers, Recommendation, StudyDesign, TrialArm
from openwork_knowledge.bodies import bodies_in

from tests.unit.answers.made import ARISTOTLE, asked, concluded, passages, question, ratio, record, result

V = ConclusionVerdict
GALLSTONES = record(
    "Liraglutide and cardiovascular outcomes in type 2 diabetes",
    "We assigned 9340 patients with type 2 diabetes to liraglutide or placebo.",
    results=(result("gallstones", ratio(1.6, 1.2, 2.1), (("liraglutide", 145, 4668), ("placebo", 90, 4672))),),
)
ADDED = record(
    "Ezetimibe added to statin therapy after acute coronary syndromes",
    "We compared simvastatin plus ezetimibe with simvastatin plus placebo in 18,144 patients after an acute coronary "
    "syndrome.",
    results=(
        result(
            "cardiovascular death, myocardial infarction or stroke",
            ratio(0.90, 0.84, 0.96),
            (("simvastatin plus ezetimibe", 1313, 9067), ("simvastatin plus placebo", 1442, 9077)),
        ),
    ),
)
TWO_DOSES = record(
    "Dabigatran versus warfarin in patients with atrial fibrillation",
    "We compared dabigatran 110 mg and dabigatran 150 mg twice daily with warfarin in atrial fibrillation.",
    results=(
        result("stroke, dabigatran 150 mg versus warfarin", ratio(0.66, 0.53, 0.82, "RR")),
        result("stroke, dabigatran 110 mg versus warfarin", ratio(0.91, 0.74, 1.11, "RR")),
    ),
)
EXAMPLE_S = record(
    "EXAMPLES: high versus low pressure in septic shock",
    "In EXAMPLES, we compared a high with a low pressure target in patients with septic shock.",
    arms=(TrialArm(name="mean arterial pressure 80 to 85 mm Hg", n=388), TrialArm(name="65 to 70 mm Hg", n=388)),
    results=(result("death", ratio(1.07, 0.84, 1.38), (("high", 142, 388), ("low", 132, 388)), "28 days"),),
    identifiers=Identifiers(pmid="10000009"),
)


def guideline(title: str, body: str, *directives: str, pmid: str = "10000020") -> object:
    return record(
        title,
        f"This guideline of the {body} is about heart failure.",
        study_design=StudyDesign.GUIDELINE,
        collective_author=body,
        recommendations=tuple(Recommendation(text=text) for text in directives),
        identifiers=Identifiers(pmid=pmid),
    )


def test_a_condition_that_no_word_places_is_tried_as_what_is_asked_about() -> None:
    found = concluded("gallstones on liraglutide, more than on placebo?", GALLSTONES)
    assert found.lead is not None
    assert (found.lead.outcome, found.lead.outcome_fit) == ("gallstones", Fit.ASKED)


@pytest.mark.parametrize(
    "text",
    [
        "Does liraglutide help in people with gallstones?",
        "Is liraglutide safe after gallstones?",
        "What is the best treatment of gallstones with liraglutide?",
    ],
)
def test_a_condition_that_a_word_places_is_who_is_meant(text: str) -> None:
    assert concluded(text, GALLSTONES).lead is None


def test_no_more_than_three_terms_are_tried_both_ways() -> None:
    analysis, strategy = asked("aspirin: stroke, myocardial infarction, dementia, cancer, gout, asthma?")
    assert len(list(readings_of(analysis, strategy))) <= 8


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Is stroke prevented by apixaban in atrial fibrillation?", "stroke"),
        ("How much are heart attacks reduced by statins?", "heart attacks"),
        ("Are fractures made any rarer by zoledronate in osteoporosis?", "fractures"),
        ("Does apixaban cause less bleeding than warfarin in atrial fibrillation?", "bleeding"),
        ("In septic shock, more deaths with dopamine than noradrenaline?", "deaths"),
        ("fewer stays in hospital for heart failure with empagliflozin?", "stays in hospital for heart failure"),
        ("Is he less likely to be admitted with heart failure on canagliflozin?", "admitted with heart failure"),
    ],
)
def test_what_is_asked_about_is_read_in_many_words(text: str, outcome: str) -> None:
    assert question(text).outcome_texts == (outcome,)


@pytest.mark.parametrize(
    ("text", "given", "there"),
    [
        ("Post-ACS, already on simvastatin: does adding ezetimibe reduce strokes?", ["ezetimibe"], ["simvastatin"]),
        ("Does ezetimibe added to simvastatin reduce strokes?", ["ezetimibe"], ["simvastatin"]),
        ("Does simvastatin reduce strokes?", ["simvastatin"], []),
        ("simvastatin or pravastatin for stroke prevention?", ["simvastatin"], []),
    ],
)
def test_what_people_have_already_is_not_what_is_asked_about(text: str, given: list[str], there: list[str]) -> None:
    read = question(text)
    assert ([i.term for i in read.treatments], [i.term for i in read.background]) == (given, there)


def test_a_trial_of_what_was_added_answers_and_one_without_the_background_is_wider() -> None:
    text = "already on simvastatin: does adding ezetimibe reduce cardiovascular events?"
    found = concluded(text, ADDED)
    assert found.lead is not None
    assert found.lead.comparison_fit is Fit.ASKED
    bare = ADDED.model_copy(
        update={
            "title": "Ezetimibe or placebo",
            "abstract": (),
            "results": (
                result("cardiovascular events", ratio(0.90, 0.84, 0.96), (("ezetimibe", 10, 99), ("placebo", 12, 98))),
            ),
        }
    )
    wider = concluded(text, bare)
    assert wider.lead is not None
    assert wider.lead.comparison_fit is Fit.WIDER
    assert wider.people_wider == ("on simvastatin",)


@pytest.mark.parametrize(("dose", "estimate"), [("110", 0.91), ("150", 0.66)])
def test_of_two_doses_the_one_asked_about_leads(dose: str, estimate: float) -> None:
    found = concluded(f"Does dabigatran {dose} mg prevent stroke in atrial fibrillation?", TWO_DOSES)
    assert found.lead is not None
    assert found.lead.effect is not None
    assert found.lead.effect.estimate == estimate


@pytest.mark.parametrize(
    "text",
    ["What exactly was compared with what in EXAMPLES?", "How long were the EXAMPLES participants observed?"],
)
def test_a_trial_that_is_named_says_what_it_compared_in_how_many_and_for_how_long(text: str) -> None:
    found = concluded(text, EXAMPLE_S, ARISTOTLE)
    assert found.verdict is V.DESCRIPTION
    (regimen,) = found.regimens
    assert (regimen.n, len(regimen.arms), regimen.people, regimen.time) == (1, 2, 776, "28 days")


def test_an_outcome_of_a_named_trial_is_that_trials_whatever_it_gave() -> None:
    found = concluded("Deaths in EXAMPLES?", ARISTOTLE, EXAMPLE_S)
    assert found.lead is not None
    assert (found.lead.n, found.lead.outcome) == (2, "death")


def test_a_question_for_a_dose_is_answered_by_arms_that_state_one() -> None:
    dosed = EXAMPLE_S.model_copy(
        update={
            "title": "Dexamethasone in COVID-19",
            "abstract": (),
            "arms": (TrialArm(name="dexamethasone 6 mg once daily", n=2104), TrialArm(name="usual care", n=4321)),
        }
    )
    found = concluded("At what dose is dexamethasone given in COVID-19?", dosed)
    assert [r.arms[0] for r in found.regimens] == ["dexamethasone 6 mg once daily"]
    plain = dosed.model_copy(update={"arms": (TrialArm(name="dexamethasone"), TrialArm(name="usual care"))})
    assert concluded("At what dose is dexamethasone given in COVID-19?", plain).regimens == ()


@pytest.mark.parametrize(
    ("text", "bodies"),
    [
        ("What does KDIGO say?", {"KDIGO"}),
        ("uspstf aspirin", {"USPSTF"}),
        ("who is at risk", set()),
        ("the American Society of Hematology", {"ASH"}),
        ("a chest infection", set()),
        ("according to CHEST", {"CHEST"}),
    ],
)
def test_bodies_are_read_by_short_and_long_names_and_never_out_of_words(text: str, bodies: set[str]) -> None:
    assert bodies_in(text) == bodies


def test_whoever_asks_for_one_bodys_word_gets_no_other_bodys() -> None:
    directive = "In heart failure with reduced ejection fraction, beta-blockers are recommended."
    esc = guideline("ESC guideline on heart failure", "European Society of Cardiology", directive)
    text = "Does the {} recommend beta-blockers in heart failure with reduced ejection fraction?"
    assert [g.n for g in concluded(text.format("ESC"), esc).guidelines] == [1]  # type: ignore[arg-type]
    assert concluded(text.format("NICE guideline"), esc).guidelines == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("people", "told"),
    [
        ("women", Fit.WIDER),
        ("British adults", Fit.WIDER),
        ("people on dialysis", Fit.NOT_TOLD),
        ("children", Fit.NOT_TOLD),
        ("people already on haemodialysis", Fit.NOT_TOLD),
    ],
)
def test_who_is_in_a_study_that_does_not_name_them(people: str, told: Fit) -> None:
    found = concluded(f"Does apixaban prevent stroke or systemic embolism in {people}?", ARISTOTLE)
    assert (found.lead.people_fit if found.lead else Fit.NOT_TOLD) is told


def test_passages_are_of_the_works_that_were_made() -> None:
    assert [p.n for p in passages([GALLSTONES, ADDED])] == [1, 2]


def test_a_statement_about_another_kind_of_the_same_disease_is_not_about_these_people() -> None:
    of_type_2 = guideline(
        "Recommendations of the Example Society for the Study of Diabetes",
        "Example Society for the Study of Diabetes",
        "Metformin is recommended as the first drug in type 2 diabetes.",
    )
    assert concluded("Is metformin recommended in type 2 diabetes?", of_type_2).guidelines
    assert not concluded("Is metformin recommended in gestational diabetes?", of_type_2).guidelines


def test_a_dose_is_of_the_disease_asked_about_and_the_larger_trial_tells_it_first() -> None:
    def trial(title: str, n: int, pmid: str) -> object:
        return record(
            title,
            f"{title}. We counted stroke or systemic embolism with apixaban 5 mg twice daily or warfarin.",
            arms=(TrialArm(name="apixaban 5 mg twice daily", n=n), TrialArm(name="warfarin", n=n)),
            identifiers=Identifiers(pmid=pmid),
        )

    small = trial("Apixaban in patients with atrial fibrillation on hemodialysis", 77, "10000031")
    large = trial("Apixaban versus warfarin in patients with atrial fibrillation", 9000, "10000032")
    assert [r.people for r in concluded("What dose of apixaban in atrial fibrillation?", small, large).regimens] == [
        18000,
        154,
    ]
    assert concluded("What dose of apixaban in pulmonary embolism?", small, large).regimens == ()


@pytest.mark.parametrize(
    ("text", "comparators", "is_control"),
    [
        ("Does apixaban reduce major bleeding against aspirin in AF?", ["aspirin"], False),
        ("Is apixaban safer over warfarin in AF?", ["warfarin"], False),
        ("Does dapagliflozin, against placebo, lower mortality in heart failure?", [], True),
        ("Does rituximab raise antibodies against rituximab in lymphoma?", [], False),
        ("Does the RTS,S vaccine protect against malaria over 4 years?", [], False),
    ],
)
def test_what_stands_behind_against_or_over_is_what_it_is_compared_with(
    text: str, comparators: list[str], is_control: bool
) -> None:
    read = question(text)
    assert [idea.term for idea in read.comparators] == comparators
    assert read.control_asked is is_control


def test_a_drug_that_no_slot_has_and_the_source_does_not_name_is_said_not_to_be_told_apart() -> None:
    text = "Does apixaban reduce major bleeding in AF, ticagrelor apart?"
    assert "ticagrelor" in concluded(text, ARISTOTLE).people_wider
    assert "warfarin" not in concluded(text.replace("ticagrelor", "warfarin"), ARISTOTLE).people_wider


def test_in_a_terse_list_what_follows_an_absence_is_no_part_of_it() -> None:
    read = question("warfarin vs apixaban AF, not on dialysis intracranial haemorrhage")
    assert read.outcome_texts == ("intracranial haemorrhage",)
    assert [(t.text, t.wanted) for t in read.people if t.name == "Renal Dialysis"] == [("not on dialysis", False)]


def test_an_outcome_in_the_asking_part_is_read_though_a_disease_is_told_before_it() -> None:
    read = question("A man with HIV has tuberculous pericarditis. Does prednisolone lower his chance of constriction?")
    assert read.outcome_texts == ("his chance of constriction",)


def test_of_two_durations_first_line_treatment_is_what_is_given_and_no_guidance_is_asked_for() -> None:
    read = question("A 4-year-old has TB. Can she have four months of first-line treatment instead of six?")
    assert not read.asks_for_words
    assert (read.treatments, read.comparators) == ((), ())
    assert read.contrast is not None


@pytest.mark.parametrize(
    ("arms", "is_about"),
    [(("vasopressin added to open-label vasopressors", "norepinephrine"), False), (("vasopressors", "fluids"), True)],
)
def test_a_class_beside_one_drug_of_it_tells_of_no_other_drug(arms: tuple[str, str], is_about: bool) -> None:
    work = record(
        "Vasoconstriction in septic shock",
        "We assigned people with septic shock, all on vasopressors, to one of two treatments.",
        arms=tuple({"name": arm} for arm in arms),
    )
    text = "Does methylene blue lower mortality in septic shock?"
    assert is_source_about(question(text), asked(text)[1], work) is is_about


def test_the_very_composite_that_a_bracket_names_says_what_was_meant_by_the_disease_before_it() -> None:
    kidneys = record(
        "Irbesartan in patients with nephropathy due to type 2 diabetes",
        "We assigned 1148 patients with nephropathy due to type 2 diabetes to irbesartan or placebo.",
        results=(
            result("doubling of serum creatinine", ratio(0.67, 0.52, 0.87, "RR")),
            result("doubling of serum creatinine, end-stage renal disease or death", ratio(0.8, 0.66, 0.97, "RR")),
        ),
        arms=(TrialArm(name="irbesartan", n=579), TrialArm(name="placebo", n=569)),
    )
    found = concluded(
        "Does irbesartan slow diabetic nephropathy compared with placebo (creatinine doubling, ESRD or death)?", kidneys
    )
    assert found.lead is not None
    assert found.lead.outcome == "doubling of serum creatinine, end-stage renal disease or death"
