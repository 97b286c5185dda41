"""The sentences of the direct answer: the form of every verdict, its figures as the source prints them, yes and no."""

from __future__ import annotations

import re

import pytest
from openwork_answers.directions import asked_direction
from openwork_answers.figures_in_words import effect_in_words, figures_in_words, short_arm, sides_among
from openwork_answers.forms import MOST_WORDS, MOST_WORDS_OF_ALL, lines_of
from openwork_contracts.conclusion import (
    AbsoluteEffect,
    ArmFigures,
    Asked,
    Conclusion,
    ConclusionVerdict,
    Fit,
    GuidelineStatement,
    Regimen,
    StudyResult,
)

from tests.unit.answers.made import DAPA_HF, EMPEROR_PRESERVED, SIX_S, concluded, ratio, record, result

V = ConclusionVerdict
ARMS = (ArmFigures(name="drug A", n=1000, events=60), ArmFigures(name="placebo", n=1000, events=100))
ABSOLUTE = AbsoluteEffect(
    per_1000=-40,
    low=-64,
    high=-16,
    words="40 fewer per 1,000 (16 to 64)",
    number_needed="NNT 25 (16 to 62)",
    method="m",
)


def broken(reason: str) -> pytest.MarkDecorator:
    return pytest.mark.xfail(strict=True, reason=reason)


def study(**changes: object) -> StudyResult:
    """An invented result: stroke, drug A against placebo, in the people asked about."""
    fields: dict[str, object] = {
        "n": 1,
        "study": "Example A 2020",
        "year": 2020,
        "comparison": ("drug A", "placebo"),
        "comparison_fit": Fit.ASKED,
        "outcome": "stroke",
        "outcome_fit": Fit.ASKED,
        "people_fit": Fit.ASKED,
        "time": "2 years",
        "arms": ARMS,
        "effect": ratio(0.60, 0.45, 0.80),
        "absolute": ABSOLUTE,
        "bad": True,
        "verdict": V.BENEFIT,
    }
    return StudyResult.model_validate(fields | changes)


def told(lead: StudyResult | None = None, **changes: object) -> list[str]:
    lead = lead or study()
    fields: dict[str, object] = {
        "verdict": lead.verdict,
        "lead": lead,
        "asked": Asked(yes_or_no=True, direction="lower"),
        "people_told": ("atrial fibrillation",),
        "n_studies": 1,
        "n_people": 2000,
        "n_events": 160,
        "newest_year": 2020,
    }
    return [line.text for line in lines_of(Conclusion.model_validate(fields | changes))]


# Every verdict's line


def test_benefit() -> None:
    assert told()[0] == (
        "Yes, in atrial fibrillation: stroke was less frequent with drug A than with placebo in Example A 2020: 6.0% v "
        "10.0% over 2 years, HR 0.60 (0.45 to 0.80); 40 fewer per 1,000 (16 to 64), NNT 25 (16 to 62)."
    )


def test_harm() -> None:
    absolute = ABSOLUTE.model_copy(
        update={"words": "40 more per 1,000 (14 to 66)", "number_needed": "NNH 25 (16 to 73)"}
    )
    lead = study(verdict=V.HARM, effect=ratio(1.50, 1.15, 1.95), absolute=absolute)
    assert told(lead)[0].startswith("No, harm, in atrial fibrillation: stroke was more frequent with drug A than with")
    assert "NNH 25 (16 to 73)" in told(lead)[0]
    assert "Harms: not reported" not in " ".join(told(lead))


def test_little_or_no_difference_names_its_threshold() -> None:
    lead = study(verdict=V.LITTLE_OR_NO_DIFFERENCE, effect=ratio(1.00, 0.87, 1.15), outcome="death", absolute=None)
    assert told(lead)[0] == (
        "Little or no difference in atrial fibrillation: death with drug A or with placebo in Example A 2020: 6.0% v "
        "10.0% over 2 years, HR 1.00 (0.87 to 1.15); crude counts and the published effect disagree about no "
        "difference (the whole interval lies between 0.85 and 1.18)."
    )
    wider = study(verdict=V.LITTLE_OR_NO_DIFFERENCE, effect=ratio(1.00, 0.87, 1.15))
    assert "(the whole interval lies between 0.75 and 1.25)" in told(wider)[0]


def test_not_shown_says_what_the_interval_holds_and_neither_yes_nor_no() -> None:
    lead = study(verdict=V.NOT_SHOWN, effect=ratio(0.90, 0.60, 1.35))
    assert told(lead)[0].startswith("Not shown in atrial fibrillation: stroke with drug A or with placebo in Example A")
    assert told(lead)[0].endswith("; the interval holds no difference and a worthwhile one.")


def test_differs_takes_no_side() -> None:
    lead = study(verdict=V.DIFFERS, bad=None, outcome="gait speed", effect=ratio(1.3, 1.1, 1.5, "RR"), absolute=None)
    first = told(lead)[0]
    assert first.startswith("Found in atrial fibrillation: gait speed was more frequent with drug A than with placebo")
    assert not re.search(r"\b(?:Yes|No|harm|benefit)\b", first)


def test_conflicting_results_stand_side_by_side() -> None:
    other = study(n=2, study="Example B 2021", verdict=V.HARM, effect=ratio(1.5, 1.15, 1.95), absolute=None, arms=())
    lines = lines_of(
        Conclusion(
            verdict=V.CONFLICTING,
            lead=study(),
            conflicts=(other,),
            people_told=("atrial fibrillation",),
            asked=Asked(yes_or_no=True, direction="lower"),
        )
    )
    assert lines[0].text.startswith(
        "Results conflict in atrial fibrillation: stroke was less frequent with drug A than"
    )
    assert lines[1].text == (
        "By contrast, stroke was more frequent with drug A than with placebo in Example B 2021: HR 1.50 (1.15 to 1.95) "
        "over 2 years; counts not published."
    )
    assert [line.citations for line in lines[:2]] == [(1,), (2,)]


def test_a_recommendation_has_its_body_year_class_and_level() -> None:
    statement = GuidelineStatement(
        n=3, body="Example Society", year=2023, text="Drug A is recommended.", class_of_recommendation="1",
        level_of_evidence="A",
    )  # fmt: skip
    (line,) = lines_of(Conclusion(verdict=V.RECOMMENDATION, guidelines=(statement,)))
    assert (line.text, line.citations) == (
        "Example Society 2023: Drug A is recommended (class 1, level A).", (3,)
    )  # fmt: skip


def test_a_recommendation_without_a_grade_says_so() -> None:
    statement = GuidelineStatement(n=3, body="Example Society", text="Drug A may be used.")
    (line,) = lines_of(Conclusion(verdict=V.RECOMMENDATION, guidelines=(statement,)))
    assert line.text == "Example Society: Drug A may be used (no grade in what was found)."


@pytest.mark.parametrize(
    ("text", "grades", "end"),
    [
        ("Zinc is advised (strong recommendation).", {"strength": "strong"}, "advised (strong recommendation)."),
        ("Zinc is advised (moderate certainty).", {"level_of_evidence": "moderate certainty", "strength": "weak"},
         "advised (moderate certainty) (weak recommendation)."),
        ("Zinc is advised (grade 2C).", {"level_of_evidence": "C", "strength": "weak"}, "advised (grade 2C)."),
        ("Zinc is advised.", {"level_of_evidence": "low certainty", "strength": "weak"},
         "advised (weak recommendation, low certainty)."),
        ("Zinc is advised (10 mg).", {"class_of_recommendation": "2a", "level_of_evidence": "B"},
         "advised (10 mg) (class 2a, level B)."),
    ],
)  # fmt: skip
def test_a_grade_that_a_sentence_has_is_not_told_again(text: str, grades: dict[str, str], end: str) -> None:
    statement = GuidelineStatement.model_validate({"n": 3, "body": "Example Society", "text": text} | grades)
    (line,) = lines_of(Conclusion(verdict=V.RECOMMENDATION, guidelines=(statement,)))
    assert line.text.endswith(end)


@pytest.mark.parametrize("verdict", [V.NOT_FOUND, V.TOO_LITTLE, V.DESCRIPTION])
def test_without_a_result_there_is_no_form(verdict: ConclusionVerdict) -> None:
    assert lines_of(Conclusion(verdict=verdict, missing=("evidence about drug A",))) == ()


def test_a_missing_result_is_the_first_sentence() -> None:
    lead = study(
        outcome="stroke or systemic embolism", outcome_fit=Fit.WIDER, components=("stroke", "systemic embolism")
    )
    lines = told(lead, missing=("result for stroke alone",))
    assert lines[0] == "The evidence found contains no result for stroke alone."
    assert lines[1].startswith("Found in atrial fibrillation: stroke or systemic embolism was less frequent")


def test_per_protocol_is_said() -> None:
    assert "(per protocol analysis)." in told(study(analysis="per protocol"))[0]


@pytest.mark.xfail(strict=True, reason="a noninferior result has no form: neither margin nor analysis is told")
def test_noninferior_is_named_with_its_analysis() -> None:
    lead = study(verdict=V.NONINFERIOR, effect=ratio(1.02, 0.90, 1.15), analysis="intention to treat", absolute=None)
    assert told(lead)[0].startswith("Noninferior")


# Yes and no


@pytest.mark.parametrize(
    ("direction", "verdict", "effect", "opening"),
    [
        ("lower", V.BENEFIT, ratio(0.60, 0.45, 0.80), "Yes,"),
        ("higher", V.BENEFIT, ratio(0.60, 0.45, 0.80), "No,"),
        ("lower", V.HARM, ratio(1.50, 1.15, 1.95), "No, harm,"),
        ("higher", V.HARM, ratio(1.50, 1.15, 1.95), "Yes, harm,"),
        ("better", V.BENEFIT, ratio(0.60, 0.45, 0.80), "Yes,"),
        ("better", V.HARM, ratio(1.50, 1.15, 1.95), "No, harm,"),
        ("worse", V.HARM, ratio(1.50, 1.15, 1.95), "Yes, harm,"),
        (None, V.BENEFIT, ratio(0.60, 0.45, 0.80), "Found in"),
    ],
)
def test_yes_and_no_follow_the_event_and_the_direction_that_was_asked(
    direction: str | None, verdict: ConclusionVerdict, effect: object, opening: str
) -> None:
    lead = study(verdict=verdict, effect=effect, absolute=None)
    assert told(lead, asked=Asked(yes_or_no=True, direction=direction))[0].startswith(opening)


@pytest.mark.parametrize("verdict", [V.BENEFIT, V.HARM, V.NOT_SHOWN, V.LITTLE_OR_NO_DIFFERENCE])
def test_neither_is_said_where_nobody_asked_for_it(verdict: ConclusionVerdict) -> None:
    first = told(study(verdict=verdict), asked=Asked(yes_or_no=False, direction="lower"))[0]
    assert not first.startswith(("Yes", "No,"))


def test_neither_is_said_of_a_composite_that_only_holds_the_outcome() -> None:
    assert not told(study(outcome_fit=Fit.WIDER))[0].startswith(("Yes", "No,"))


def test_no_yes_is_said_of_the_outcome_by_a_kind_of_it() -> None:
    """A drug may lower haemorrhagic stroke and not stroke."""
    assert not told(study(outcome="haemorrhagic stroke", outcome_fit=Fit.PART))[0].startswith("Yes")


@pytest.mark.parametrize("fit", [Fit.WIDER, Fit.PART])
def test_no_yes_is_said_of_people_who_were_not_told_apart(fit: Fit) -> None:
    assert not told(study(people_fit=fit), people_told=(), people_wider=("dialysis",))[0].startswith("Yes")


@pytest.mark.parametrize(
    ("question", "direction"),
    [
        ("Does drug A reduce stroke?", "lower"),
        ("Does drug A prevent stroke?", "lower"),
        ("Does drug A increase bleeding?", "higher"),
        ("Does drug A cause cough?", "higher"),
        ("Does drug A work in gout?", "better"),
        ("Is drug A effective against migraine?", "better"),
        ("Is drug A harmful in sepsis?", "worse"),
        ("What does drug A do in gout?", None),
        ("Does holding back red cells raise mortality?", "higher"),  # what is done is not what it does
        ("She takes it just to be safe. How much does that raise her bleeding?", "higher"),
        ("Was death from all causes lower than on warfarin?", "lower"),  # causes are no verb there
        ("Has all-cause mortality been compared between drug A and drug B?", None),
        ("Does the use of drug A cause bleeding?", "higher"),
        ("Does extended treatment reduce recurrence?", "lower"),  # how it is given is not what it does
        ("Do lower targets increase falls?", "higher"),
        ("Is a lower target better for stroke?", "better"),
        ("Do people on a reduced dose bleed more?", "higher"),
        ("Is extended treatment worth it?", None),
        ("Was lower mortality seen with drug A?", "lower"),
        ("Is prolonged survival seen with drug A?", "higher"),
        ("Is it true that drug A does not raise deaths?", None),
        ("Does drug A fail to reduce deaths?", None),
        ("Does a target of 80 instead of 65 cause more arrhythmia?", "higher"),
        ("Does drug A lead to reduced treatment failure?", "lower"),
        ("Does drug A lead to lower opioid use?", "lower"),
        ("Is it true that drug A can lower stroke even though it increases diarrhoea?", "lower"),
        ("Does withdrawal from opioids cause seizures?", "higher"),
    ],
)
def test_what_is_asked_whether_a_treatment_does(question: str, direction: str | None) -> None:
    assert asked_direction(question) == direction


# Figures


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        (ratio(0.6, 0.45, 0.8), "HR 0.60 (0.45 to 0.80)"),
        (ratio(0.6, 0.45, 0.8, ci_level=0.99), "HR 0.60 (99% CI 0.45 to 0.80)"),
        (ratio(0.6, 0.45, 0.8, ci_level=0.9), "HR 0.60 (90% CI 0.45 to 0.80)"),
        (ratio(0.605, 0.45, 0.8), "HR 0.605 (0.45 to 0.80)"),
        (ratio(0.6, 0.45, 0.8, ci_low=None, ci_high=None), "HR 0.60"),
        (ratio(-0.034, -0.06, -0.008, "RD"), "risk difference -3.4 percentage points (-6 to -0.8)"),
        (ratio(-1.2, -1.4, -1.0, "MD"), "MD -1.20 (-1.40 to -1.00)"),
        pytest.param(ratio(0.6, 0.45, 0.8, ci_level=0.975), "HR 0.60 (97.5% CI 0.45 to 0.80)"),
        pytest.param(ratio(0.6, 0.45, 0.8, ci_level=None), "HR 0.60 (level of the interval not given: 0.45 to 0.80)"),
        pytest.param(ratio(-0.034, -0.06, -0.008, "RD", ci_level=0.99),
                     "risk difference -3.4 percentage points (99% CI -6 to -0.8)"),
    ],
)  # fmt: skip
def test_an_interval_is_told_with_its_level_where_it_is_not_95_percent(effect: object, words: str) -> None:
    assert effect_in_words(effect) == words  # type: ignore[arg-type]


def test_arms_that_say_nothing_keep_their_brackets() -> None:
    arms = ("intensive treatment (systolic target below 120 mm Hg)", "standard treatment (target below 140 mm Hg)")
    assert sides_among(study(comparison=arms), ()) == arms
    assert sides_among(study(comparison=("aspirin (100 mg)", "placebo (sugar)")), ()) == ("aspirin", "placebo")


def test_a_rate_is_told_per_its_time_and_never_as_a_share() -> None:
    arms = (
        ArmFigures(name="drug A", percent="1.27", per="100 person-year"),
        ArmFigures(name="placebo", percent="1.60", per="100 person-year"),
    )
    words = figures_in_words(study(arms=arms, absolute=None, time=None))
    assert words == "1.27 v 1.60 per 100 person-years, HR 0.60 (0.45 to 0.80)"
    assert "%" not in told(study(arms=arms, absolute=None))[0]


def test_thousands_of_person_years_have_their_comma() -> None:
    arms = tuple(ArmFigures(name=name, percent="7.4", per="1000 person-year") for name in ("drug A", "placebo"))
    assert "per 1,000 person-years" in figures_in_words(study(arms=arms))


def test_a_printed_share_is_told_as_it_is_printed() -> None:
    arms = (
        ArmFigures(name="drug A", n=398, events=201, percent="51"),
        ArmFigures(name="placebo", n=400, events=172, percent="43"),
    )
    assert figures_in_words(study(arms=arms, time="90 days")).startswith("51% v 43% at 90 days, HR")
    assert "201 of 398 (51%) v 172 of 400 (43%)" in figures_in_words(study(arms=arms), counts=True)


def test_a_figure_that_one_arm_lacks_is_told_of_neither() -> None:
    arms = (ArmFigures(name="drug A", percent="6.0"), ArmFigures(name="placebo"))
    assert figures_in_words(study(arms=arms, time=None)) == "HR 0.60 (0.45 to 0.80)"


@broken("figures of a rate and of a share stand side by side, the rate with a sign of percent or without its unit")
def test_a_rate_and_a_share_are_not_compared() -> None:
    arms = (
        ArmFigures(name="drug A", percent="1.27", per="100 person-year"),
        ArmFigures(name="placebo", percent="1.60"),
    )
    assert figures_in_words(study(arms=arms, time=None)) == "HR 0.60 (0.45 to 0.80)"


def test_a_disagreement_is_told_only_of_two_figures() -> None:
    assert "disagree" not in told(study(effect=None, absolute=None))[0]


@pytest.mark.parametrize(
    ("time", "words"),
    [
        ("90 days", "at 90 days"),
        ("28-day", "at 28-day"),
        ("day 28", "at day 28"),
        ("2 years", "over 2 years"),
        ("median 18.2 months", "over a median 18.2 months"),
        ("end of treatment", "(end of treatment)"),
    ],
)
def test_a_time_has_its_preposition(time: str, words: str) -> None:
    assert f"10.0% {words}," in figures_in_words(study(time=time))


@pytest.mark.parametrize(
    ("arm", "words"),
    [
        ("apixaban 5 mg twice daily", "apixaban"),
        ("empagliflozin 10 mg", "empagliflozin"),
        ("intensive treatment (systolic below 120 mm Hg)", "intensive treatment"),
        ("warfarin (INR 2 to 3)", "warfarin (INR 2 to 3)"),
        ("placebo", "placebo"),
        ("vancomycin 15 mg/kilogram every 12 hours", "vancomycin"),
        ("prednisone 40 mg-tapered over 5 days", "prednisone"),
        ("indapamide 1.5 mg-perindopril 4 mg once daily", "indapamide-perindopril"),
        ("candesartan 16 mg/hydrochlorothiazide 12.5 mg", "candesartan/hydrochlorothiazide"),
        (
            "amoxicillin 875 mg twice daily plus clavulanate 125 mg twice daily for 10 days",
            "amoxicillin plus clavulanate",
        ),
        ("aspirin 25 mg and dipyridamole 200 mg twice daily", "aspirin and dipyridamole"),
        ("lamivudine 300 mg with dolutegravir 50 mg", "lamivudine with dolutegravir"),
        ("ramipril 10 mg or telmisartan 80 mg", "ramipril or telmisartan"),
        ("heparin 5000 units followed by edoxaban 60 mg", "heparin followed by edoxaban"),
        ("semaglutide up to 2.4 mg weekly, added to usual care", "semaglutide, added to usual care"),
        ("metformin 850 mg twice or more daily with food", "metformin"),
        ("heparin 80 units/kg, then 18 units/kg/h", "heparin"),
    ],
)
def test_an_arm_is_called_by_its_name(arm: str, words: str) -> None:
    assert short_arm(arm) == words


def test_two_doses_of_one_drug_keep_their_doses() -> None:
    lead = study(comparison=("dabigatran 110 mg", "dabigatran 150 mg"))
    assert "with dabigatran 110 mg than with dabigatran 150 mg" in told(lead)[0]


# What stands beside it


def test_the_composite_of_the_same_source_is_told_behind_the_outcome() -> None:
    composite = study(
        outcome="stroke or systemic embolism", components=("stroke", "systemic embolism"), outcome_fit=Fit.WIDER
    )
    assert told(others=(composite,))[1].startswith("Its composite of stroke or systemic embolism: 6.0% v 10.0%")
    elsewhere = composite.model_copy(update={"n": 2})
    assert not any("Its composite" in line for line in told(others=(elsewhere,)))


def test_a_harm_is_told_with_its_figures_or_in_words_or_as_not_reported() -> None:
    harm = study(outcome="Major bleeding", verdict=V.NOT_SHOWN, effect=ratio(1.1, 0.8, 1.5), absolute=None, arms=())
    assert told(harms=(harm,))[1] == (
        "Of harms: major bleeding with drug A v placebo: HR 1.10 (0.80 to 1.50) over 2 years; counts not published, "
        "not shown to differ."
    )
    elsewhere = harm.model_copy(update={"n": 2, "study": "Example B 2021"})
    assert " in Example B 2021: " in told(harms=(elsewhere,))[1]
    assert told(harm_words="Cough was more frequent with drug A.", harm_n=1)[1] == (
        "Harm: cough was more frequent with drug A."
    )
    assert told()[1] == "Harms: not reported in what was found."


def test_a_harm_that_is_less_frequent_is_not_announced_as_harm() -> None:
    less = study(outcome="major bleeding", verdict=V.BENEFIT)
    assert not told(harms=(less,))[1].startswith("Harm: ")


def test_another_outcome_asked_about_is_told_once_though_two_of_its_words_name_it() -> None:
    renal = study(outcome="kidney failure or death from renal causes", n=1)
    lines = told(asked=Asked(outcome=("stroke", "kidney failure", "renal death")), others=(renal,))
    assert sum("kidney failure or death" in line.casefold() for line in lines) == 1


def test_what_the_table_tells_gives_way_where_the_answer_is_too_long_and_the_first_sentence_and_the_harm_stay() -> None:
    long = " with a long definition of what was counted"
    short = {"absolute": None, "arms": (), "time": None, "verdict": V.BENEFIT}
    others = tuple(study(outcome=name, **short) for name in ("myocardial infarction", "kidney failure"))
    asked = Asked(outcome=("stroke", "myocardial infarction", "kidney failure"))
    lines = told(asked=asked, others=others, harms=(study(outcome=f"major bleeding{long}", verdict=V.HARM),))
    assert sum(len(line.split()) for line in lines) <= MOST_WORDS
    assert "stroke was less frequent" in lines[0]
    assert any("myocardial infarction" in line.casefold() for line in lines)
    assert not any("kidney failure" in line.casefold() for line in lines)
    assert any(line.startswith("Harm: major bleeding") for line in lines)


def test_certainty_is_not_rated_and_its_facts_are_told() -> None:
    assert told()[-1] == (
        "Certainty not rated: it would rest on 1 source of this comparison and outcome, 2,000 people and 160 events; "
        "the newest source is from 2020."
    )
    assert "people" not in told(n_people=None, n_events=None)[-1]


def test_every_line_with_a_figure_of_a_study_cites_it() -> None:
    harm = study(n=2, outcome="major bleeding", verdict=V.HARM)
    lines = lines_of(Conclusion(verdict=V.BENEFIT, lead=study(), harms=(harm,), n_studies=1))
    assert [line.citations for line in lines] == [(1,), (2,), ()]
    assert all(line.citations or line.text.startswith("Certainty not rated") for line in lines)


@pytest.mark.parametrize(
    ("question", "work"),
    [
        ("Does dapagliflozin reduce death in people with heart failure?", DAPA_HF),
        (
            "Does empagliflozin reduce mortality in people with heart failure with preserved ejection fraction?",
            EMPEROR_PRESERVED,
        ),
        ("Does hydroxyethyl starch lower mortality in people with severe sepsis?", SIX_S),
    ],
)
def test_before_the_table_an_answer_has_at_most_150_words_and_ends_its_sentences_once(
    question: str, work: object
) -> None:
    texts = [line.text for line in lines_of(concluded(question, work))]  # type: ignore[arg-type]
    assert texts
    assert sum(len(text.split()) for text in texts) <= 150
    assert all(re.search(r"[^.]\.$", text) for text in texts)
    assert not any("  " in text or " ," in text or "()" in text for text in texts)


# Beside it


def test_a_part_of_the_people_has_all_of_them_beside_it() -> None:
    part = study(is_subgroup=True, people="aged 75 or older", people_fit=Fit.ASKED)
    lines = told(part, others=(study(effect=ratio(0.9, 0.8, 1.01)), study(n=2)))
    assert lines[1] == "In all of its people: 6.0% v 10.0% over 2 years, HR 0.90 (0.80 to 1.01)."
    assert not any(line.startswith("In all of its people") for line in told(others=(study(n=2),)))


@pytest.mark.parametrize(
    ("people", "wider", "opening"),
    [
        (("atrial fibrillation",), (), "Not shown in atrial fibrillation: "),
        ((), ("cardiogenic shock",), "Not shown in wider people (cardiogenic shock not told apart): "),
        ((), ("bedtime",), "Not shown (bedtime not told apart): "),
        (("atrial fibrillation",), ("women",), "Not shown in atrial fibrillation (women not told apart): "),
        (("atrial fibrillation",), ("adults",), "Not shown in atrial fibrillation: "),
    ],
)
def test_the_first_sentence_says_who_is_not_told_apart(
    people: tuple[str, ...], wider: tuple[str, ...], opening: str
) -> None:
    lead = study(verdict=V.NOT_SHOWN, people_fit=Fit.WIDER if wider else Fit.ASKED)
    asked = Asked(people=("atrial fibrillation", "cardiogenic shock", "women", "adults"))
    assert told(lead, asked=asked, people_told=people, people_wider=wider)[0].startswith(opening)


def test_what_is_not_told_apart_gets_neither_yes_nor_no() -> None:
    assert told(people_wider=("weekly",))[0].startswith("Found in atrial fibrillation (weekly not told apart): ")
    assert told(people_wider=("adults",))[0].startswith("Yes, in atrial fibrillation: ")


def test_what_is_missing_of_the_drug_has_the_result_of_its_class_beside_it() -> None:
    composite = study(outcome="stroke or death", outcome_fit=Fit.WIDER, components=("stroke", "death"))
    of_class = study(n=2, study="Example C 2021", comparison=(), comparison_fit=Fit.WIDER, arms=(), absolute=None)
    lines = told(composite, others=(of_class,), missing=("result for stroke alone with drug A",))
    assert lines[0] == "The evidence found contains no result for stroke alone with drug A."
    assert any(
        line.startswith("Wider, not of this drug alone: stroke was less frequent in Example C") for line in lines
    )


def test_the_direct_answer_is_read_in_150_words_and_the_verdict_is_never_left_out() -> None:
    long = "worsening heart failure, hospitalisation, unscheduled visit, stroke, infarction, revascularisation or death"
    parts = tuple(study(is_subgroup=True, people=f"people of the group number {n} of the trial " * 3) for n in range(3))
    lines = told(study(components=("a", "b")), others=(*parts, study(outcome=long, outcome_fit=Fit.WIDER)))
    assert sum(len(line.split()) for line in lines) <= MOST_WORDS
    assert lines[0].startswith("Yes, in atrial fibrillation: stroke was less frequent")
    assert lines[-1].startswith("Certainty not rated")


def test_what_studies_gave_is_told_with_their_people_and_time() -> None:
    given = Regimen(
        n=1, study="Example A 2020", arms=("drug A 5 mg once daily", "placebo"), people=2000, time="28 days"
    )
    (line,) = lines_of(Conclusion(verdict=V.DESCRIPTION, regimens=(given,)))
    assert line.text == "Example A 2020 compared drug A 5 mg once daily with placebo, in 2,000 people at 28 days."
    assert line.citations == (1,)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Does dapagliflozin help people with heart failure to live longer?", "Yes"),
        ("Does dapagliflozin increase survival in heart failure?", "Yes"),
        ("Does dapagliflozin reduce death in heart failure?", "Yes"),
        ("Does dapagliflozin increase death in heart failure?", "No"),
    ],
)
def test_fewer_deaths_are_longer_lives(question: str, word: str) -> None:
    assert lines_of(concluded(question, DAPA_HF))[0].text.startswith(word)


def test_a_dose_that_was_asked_about_is_named() -> None:
    events = (("dabigatran 110 mg twice daily", 322, 6015), ("warfarin", 397, 6022))
    document = record(
        "Dabigatran versus warfarin in atrial fibrillation",
        "In this trial, 12037 people with atrial fibrillation received dabigatran or warfarin.",
        results=(result("major bleeding", ratio(0.80, 0.69, 0.93, "RR"), events),),
    )
    asked = "Does dabigatran 110 mg reduce major bleeding compared with warfarin in atrial fibrillation?"
    named = lines_of(concluded(asked, document))[0].text
    bare = lines_of(concluded(asked.replace(" 110 mg", ""), document))[0].text
    assert "with dabigatran 110 mg twice daily than with warfarin" in named
    other = lines_of(concluded(asked.replace("110", "150"), document))[0].text
    assert "with dabigatran than with warfarin" in bare
    assert "dabigatran 110 mg twice daily" in other  # the dose of the trial, which is not the one asked about


def test_of_several_conflicting_results_as_many_are_told_as_there_is_room_for() -> None:
    group = " who had a long history of what was counted in the trial and were seen in one of its many centres"
    against = tuple(study(n=n, study=f"Example {n} 2020", people=f"people{group}") for n in (2, 3, 4, 5))
    lines = told(verdict=V.CONFLICTING, conflicts=against)
    assert sum(len(line.split()) for line in lines) <= MOST_WORDS_OF_ALL
    assert sum(line.startswith("By contrast") for line in lines) < len(against)
    assert "Example 2 2020" in lines[1]


def test_a_composite_that_was_asked_about_is_told_once() -> None:
    renal = study(outcome="kidney failure or death", components=("kidney failure", "death"), outcome_fit=Fit.WIDER)
    lines = told(asked=Asked(outcome=("stroke", "kidney failure")), others=(renal,))
    assert sum("kidney failure or death" in line.casefold() for line in lines) == 1


def test_a_harm_that_was_asked_about_beside_the_lead_is_told_once() -> None:
    harm = study(outcome="hypoglycemia", verdict=V.HARM, effect=ratio(1.5, 1.1, 2.0), absolute=None)
    lines = told(asked=Asked(outcome=("stroke", "hypoglycemia")), others=(harm,), harms=(harm,))
    assert sum("hypoglycemia" in line for line in lines) == 1
    assert not any("not reported" in line for line in lines)
