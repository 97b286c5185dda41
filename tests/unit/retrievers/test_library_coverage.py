"""What the starter library says of itself: counts by topic and kind, shares, what was left out."""

from __future__ import annotations

from datetime import date

import pytest
from openwork_contracts.evidence import ArmResult, EffectEstimate, TrialArm
from openwork_evidence.library.check import check_records
from openwork_evidence.library.coverage import Kind, coverage, kind_of, unconfirmed
from openwork_evidence.library.record import LibraryRecord, LibraryResult, Rate, SecondReading, load_shipped
from openwork_laptop.commands.library import app
from pydantic import ValidationError
from typer.testing import CliRunner

RECORDS = load_shipped()
TRIAL = next(record for record in RECORDS if record.key == "aspree-cvd-bleeding-2018")
GUIDELINE = next(record for record in RECORDS if record.recommendations)
SUMMARY = tuple(part for part in TRIAL.summary if part.label != "Harms")
BARE = TRIAL.model_copy(update={"summary": SUMMARY, "funding": None, "unconfirmed": (), "second_reading": None})


def with_results(*results: LibraryResult) -> LibraryRecord:
    return BARE.model_copy(update={"results": results, "arms": (TrialArm(name="a", n=10), TrialArm(name="b", n=10))})


def counted(harm: bool = False) -> LibraryResult:
    arms = (ArmResult(arm="a", n=10, events=4), ArmResult(arm="b", n=10, events=4))
    return LibraryResult(outcome="death", arms=arms, harm=harm)


@pytest.mark.parametrize(
    ("types", "kind"),
    [
        (("Practice Guideline", "Systematic Review"), Kind.GUIDELINE),
        (("Consensus Statement",), Kind.GUIDELINE),
        (("Meta-Analysis", "Randomized Controlled Trial"), Kind.REVIEW),
        (("Clinical Trial, Phase III", "Journal Article"), Kind.TRIAL),
        (("Observational Study",), Kind.OTHER),
    ],
)
def test_a_record_is_of_the_first_kind_that_its_types_name(types: tuple[str, ...], kind: Kind) -> None:
    assert kind_of(BARE.model_copy(update={"publication_types": types, "recommendations": ()})) is kind


def test_what_recommends_is_a_guideline_whatever_its_types() -> None:
    assert kind_of(BARE.model_copy(update={"recommendations": GUIDELINE.recommendations})) is Kind.GUIDELINE


def test_shares_are_of_results_of_studies_and_of_records() -> None:
    read = SecondReading(on=date(2026, 11, 24), references=("PubMed 1",))
    records = [
        with_results(counted(), counted(harm=True)),
        with_results(LibraryResult(outcome="stroke")).model_copy(
            update={"funding": "a foundation", "second_reading": read}
        ),
        GUIDELINE.model_copy(
            update={"topic": BARE.topic, "results": (), "second_reading": None, "unconfirmed": ("x",)}
        ),
    ]
    (topic, everything) = coverage(records)
    assert (topic.topic, everything.topic) == (BARE.topic, "all")
    assert (topic.records, topic.studies, topic.results) == (3, 2, 3)
    assert (topic.with_counts, topic.with_harms, topic.with_funding) == (2, 1, 1)
    assert (topic.read_twice, topic.unconfirmed) == (1, 1)
    assert topic.kinds == (1, 0, 2, 0)


def test_counts_of_one_arm_are_no_counts() -> None:
    arms = (ArmResult(arm="a", n=10, events=4), ArmResult(arm="b", n=10))
    (row, _) = coverage([with_results(LibraryResult(outcome="death", arms=arms))])
    assert row.with_counts == 0


def test_what_was_left_out_is_named_with_its_record() -> None:
    record = BARE.model_copy(update={"unconfirmed": ("funding", "harms")})
    assert unconfirmed([record]) == ((BARE.key, "funding"), (BARE.key, "harms"))


@pytest.mark.parametrize("per", ["year", "100", "100 people", "0 person-years", "person-years"])
def test_a_rate_says_the_person_time_it_is_for(per: str) -> None:
    with pytest.raises(ValidationError):
        Rate(arm="a", rate=1.2, per=per)


@pytest.mark.parametrize("per", ["100 person-years", "1,000 patient-years", "10000 woman-years", "30 person-days"])
def test_person_time_of_any_size(per: str) -> None:
    assert Rate(arm="a", rate=1.2, per=per).per == per


def test_a_rate_stays_in_the_library_and_never_becomes_a_share_of_people() -> None:
    """Evidence has counts of people alone: a rate of 3 per 100 person-years is not 3 %."""
    result = LibraryResult(outcome="bleeding", rates=(Rate(arm="a", rate=3.0, per="100 person-years"),), harm=True)
    (shared,) = with_results(result).to_evidence().results
    assert shared.arms == ()
    assert "rate" not in shared.model_dump_json()


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (
            LibraryResult(outcome="death", rates=(Rate(arm="c", rate=1, per="100 person-years"),)),
            "no arm of the record",
        ),
        (LibraryResult(outcome="death", effect=EffectEstimate(measure="RD", estimate=-6.3)), "no share of one"),
        (
            LibraryResult(
                outcome="death",
                effect=EffectEstimate(measure="HR", estimate=0.9, ci_low=0.8, ci_high=1.0, ci_level=None),
            ),
            "an interval without its level",
        ),
    ],
)
def test_what_is_stored_as_something_else_is_found(result: LibraryResult, words: str) -> None:
    assert any(words in finding for finding in check_records([with_results(result)]))


def test_a_registration_of_another_register_is_not_put_where_an_nct_number_belongs() -> None:
    (finding,) = check_records([BARE.model_copy(update={"nct_id": "ISRCTN35739639"})])
    assert "no ClinicalTrials.gov number" in finding


def test_the_command_prints_a_row_for_every_topic_and_what_was_left_out() -> None:
    told = CliRunner().invoke(app, ["check"])
    assert told.exit_code == 0
    for topic in {record.topic for record in RECORDS}:
        assert topic in told.stdout
    assert f"{len(RECORDS)} records" in told.stdout
    everything = CliRunner().invoke(app, ["check", "--unconfirmed"]).stdout
    key, fact = unconfirmed(RECORDS)[0]
    assert f"{key}: {fact}" in everything
    assert fact not in told.stdout
