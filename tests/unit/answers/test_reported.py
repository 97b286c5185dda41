"""A source's name for an outcome: the outcome, and what the name tells besides of arms, people and analysis."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator

import pytest
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import read_outcome
from openwork_answers.reported import Named, parted, people_of_arms, results_of
from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import ArmResult, EffectEstimate, Measured, OutcomeResult, TrialArm

from tests.unit.answers.made import DATA, record


def broken(reason: str) -> pytest.MarkDecorator:
    return pytest.mark.xfail(strict=True, reason=reason)


NAMES = [
    ("death from any cause", Named("death from any cause")),
    ("death from any cause (per protocol)", Named("death from any cause", analysis="per protocol")),
    ("death (intention to treat)", Named("death", analysis="intention to treat")),
    ("stroke or systemic embolism: apixaban versus warfarin",
     Named("stroke or systemic embolism", ("apixaban", "warfarin"))),
    ("hospitalisation for heart failure; empagliflozin 10 mg versus placebo",
     Named("hospitalisation for heart failure", ("empagliflozin 10 mg", "placebo"))),
    ("major bleeding, rivaroxaban versus apixaban, CKD stage 4-5",
     Named("major bleeding", ("rivaroxaban", "apixaban"), "CKD stage 4-5")),
    ("major bleeding, people with eGFR below 30 mL/min",
     Named("major bleeding", people="people with eGFR below 30 mL/min")),
    ("cardiovascular death, myocardial infarction, or stroke, with diabetes at baseline",
     Named("cardiovascular death, myocardial infarction, or stroke", people="with diabetes at baseline")),
    ("death from any cause in patients receiving invasive mechanical ventilation",
     Named("death from any cause", people="patients receiving invasive mechanical ventilation")),
    ("stroke per 1 mmol/L reduction in LDL cholesterol", Named("stroke", per_unit=True)),
    ("cardiovascular death, per 10 mm Hg lower systolic blood pressure", Named("cardiovascular death", per_unit=True)),
    ("death from any cause, matched cohort, adjusted",
     Named("death from any cause", analysis="matched cohort; adjusted")),
    ("ulceration of the toes, feet or legs", Named("ulceration of the toes, feet or legs")),
    ("kidney failure, doubling of serum creatinine, or renal or cardiovascular death",
     Named("kidney failure, doubling of serum creatinine, or renal or cardiovascular death")),
    ("MACE (cardiovascular death, nonfatal myocardial infarction or nonfatal stroke)",
     Named("MACE (cardiovascular death, nonfatal myocardial infarction or nonfatal stroke)")),
    ("recurrent stroke, five trials", Named("recurrent stroke")),
    ("Hospitalization for Heart Failure, Adults With Diabetes",
     Named("Hospitalization for Heart Failure", people="Adults With Diabetes")),
    ("Overall Survival in Participants With PD-L1 TPS ≥50%",
     Named("Overall Survival", people="Participants With PD-L1 TPS ≥50%")),
    ("Annualized Event Rate of Adjudicated Major Bleeding (Modified Intention-to-Treat)",
     Named("Annualized Event Rate of Adjudicated Major Bleeding", analysis="Modified Intention-to-Treat")),
    ("death, among patients receiving oxygen alone", Named("death", people="patients receiving oxygen alone")),
    ("doubling of bilirubin, end-stage liver disease or death (composite)",
     Named("doubling of bilirubin, end-stage liver disease or death (composite)")),
    ("40% fall in FEV1, end-stage lung disease or transplantation",
     Named("40% fall in FEV1, end-stage lung disease or transplantation")),
    ("lung events: transplantation, FEV1 decline of 50% or more, or death (composite)",
     Named("lung events: transplantation, FEV1 decline of 50% or more, or death (composite)")),
    ("death from major haemorrhage, haemorrhagic stroke included",
     Named("death from major haemorrhage (haemorrhagic stroke included)")),
    pytest.param("28-day mortality, women", Named("28-day mortality", people="women")),
    pytest.param("fracture, hip", Named("fracture, hip")),
    ("Major Adverse Cardiovascular Events (MACE): Cardiovascular Death, Nonfatal Myocardial Infarction, "
     "or Nonfatal Stroke",
     Named("Major Adverse Cardiovascular Events (MACE): Cardiovascular Death, Nonfatal Myocardial "
           "Infarction, or Nonfatal Stroke")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "named"), NAMES)
def test_a_name_tells_the_outcome_and_what_else_it_holds(name: str, named: Named) -> None:
    assert parted(name) == named


AS_REGISTERED = [
    ("mortality", "14-day Participant Mortality", {Fit.ASKED, Fit.PART}),
    ("mortality", "All-Cause Mortality at Day 28", {Fit.ASKED}),
    ("death", "Number of Deaths From Any Cause", {Fit.ASKED}),
    ("survival", "Overall Survival (OS)", {Fit.ASKED}),
    ("progression-free survival", "Progression-Free Survival (PFS)", {Fit.ASKED}),
    ("recovery", "Time to Recovery", {Fit.ASKED}),
    ("hospitalisation for heart failure", "Time to First Hospitalization for Heart Failure", {Fit.ASKED}),
    ("cardiovascular death", "Time to Cardiovascular Death", {Fit.ASKED}),
    ("major bleeding", "Number of Participants With Major Bleeding", {Fit.ASKED, Fit.PART}),
    ("adverse events", "Percentage of Participants Reporting Serious Adverse Events (SAEs)", {Fit.PART}),
    ("HbA1c", "Change From Baseline in HbA1c at Week 26", {Fit.ASKED, Fit.PART}),
    ("weight", "Percent Change in Body Weight From Baseline to Week 68", {Fit.ASKED, Fit.PART}),
    ("stroke", "Incidence Rate of Adjudicated Stroke/SE (ITT Population)", {Fit.WIDER, Fit.PART}),
    ("death", "Number of Participants Who Died, Had a Stroke, or Had a Myocardial Infarction", {Fit.WIDER}),
    ("stroke", "Number of Participants With Major Bleeding", {Fit.OTHER}),
    ("death", "Change From Baseline in HbA1c at Week 26", {Fit.OTHER}),
    ("death", "Duration of Hospitalization", {Fit.OTHER}),
    ("length of stay", "14-day Participant Mortality", {Fit.OTHER}),
    ("mechanical ventilation", "Number of Participants Requiring Invasive Mechanical Ventilation",
     {Fit.ASKED, Fit.PART}),
    pytest.param("cardiovascular death", "Time to First Occurrence of Any of the Components of the Composite: "
                 "CV Death, Hospitalization for Heart Failure or Urgent Heart Failure Visit",
                 {Fit.WIDER}),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "name", "fits"), AS_REGISTERED)
def test_outcomes_as_a_registry_names_them_are_held_against_the_question(asked: str, name: str, fits: set[Fit]) -> None:
    assert fit_of(read_outcome(parted(name).outcome), read_outcome(asked)) in fits


def registered() -> Iterator[str]:
    """Titles of outcome measures of recorded trials with results."""
    folder = DATA / "recorded" / "clinicaltrials"
    if not folder.is_dir():
        pytest.skip("the recorded data set is not there (set OPENWORK_DATA to its folder)")

    def titles(node: object) -> Iterator[str]:
        if isinstance(node, dict):
            measures = node.get("outcomeMeasures", ())
            yield from (one["title"] for one in measures if isinstance(one, dict) and one.get("title"))
            for value in node.values():
                yield from titles(value)
        elif isinstance(node, list):
            for value in node:
                yield from titles(value)

    for path in sorted(folder.rglob("*.json.gz")):
        yield from titles(json.loads(gzip.decompress(path.read_bytes())))


def test_every_title_of_recorded_trials_keeps_an_outcome_and_names_no_arm_that_is_not_in_it() -> None:
    read = {title: parted(title) for title in registered()}
    assert len(read) > 50
    for title, named in read.items():
        assert named.outcome
        assert named.outcome.split()[0] == title.split()[0]
        assert all(side in title for side in named.comparison)
        assert named.people is None or named.people.split(",")[0] in title


def test_results_of_a_table_have_their_arms_or_those_of_the_trial() -> None:
    effect = EffectEstimate(measure="HR", estimate=0.83, ci_low=0.71, ci_high=0.97)
    table = (
        OutcomeResult(
            outcome="death from any cause",
            time_point="18 months",
            arms=(ArmResult(arm="dapagliflozin", n=2373, events=276), ArmResult(arm="placebo", n=2371, events=329)),
            effect=effect,
        ),
        OutcomeResult(outcome="cardiovascular death", effect=effect),
        OutcomeResult(outcome="stroke: ticagrelor versus clopidogrel", effect=effect),
    )
    trial = record(results=table, arms=(TrialArm(name="dapagliflozin 10 mg"), TrialArm(name="placebo")))
    first, second, third = results_of(4, trial)
    assert [r.place for r in (first, second, third)] == [0, 1, 2]
    assert {first.n, second.n, third.n} == {4}
    assert first.comparison == ("dapagliflozin", "placebo")
    assert [(a.events, a.n) for a in first.arms] == [(276, 2373), (329, 2371)]
    assert first.time == "18 months"
    assert second.comparison == ("dapagliflozin 10 mg", "placebo")
    assert second.arms == ()
    assert (third.outcome, third.comparison) == ("stroke", ("ticagrelor", "clopidogrel"))


def measured(value: float, kind: str | None, **changes: object) -> ArmResult:
    told = Measured.model_validate({"value": value, "kind": kind, "unit": "%"} | changes)
    return ArmResult(arm="drug A", measured=told)


@pytest.mark.parametrize(
    ("arm", "percent"),
    [
        (measured(63.6, "percentage"), "63.6"),
        (measured(4.0, "share of women"), "4"),
        (measured(63.6, "mean"), None),
        (measured(63.6, None), None),
        (measured(63.6, "percentage", unit="points"), None),
        (ArmResult(arm="drug A", n=100, events=64), None),
    ],
)
def test_a_share_of_people_without_counts_is_told_and_no_other_measure(arm: ArmResult, percent: str | None) -> None:
    (one,) = results_of(1, record(results=(OutcomeResult(outcome="remission", arms=(arm,)),)))
    assert one.arms[0].percent == percent


def test_people_randomised_stand_for_those_of_a_result_that_counts_none_but_not_of_a_part_of_them() -> None:
    effect = EffectEstimate(measure="RR", estimate=0.83, ci_low=0.71, ci_high=0.97)
    names = ("remission", "remission, women")
    trial = record(
        results=tuple(OutcomeResult(outcome=name, effect=effect) for name in names),
        arms=(TrialArm(name="drug A", n=187), TrialArm(name="drug B", n=182)),
    )
    whole, part = results_of(1, trial)
    assert [arm.n for arm in people_of_arms(whole)] == [187, 182]
    assert people_of_arms(part) == ()
