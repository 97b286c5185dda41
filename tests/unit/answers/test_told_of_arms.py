"""What sentences tell of the arms of their source, named in short, in part or not again; and what they do not tell."""

from __future__ import annotations

import pytest
from openwork_answers.source_arms import SourceArms, arms_of_source
from openwork_answers.told import told_results
from openwork_contracts.evidence import AbstractPart, ArmResult, OutcomeResult, TrialArm

from tests.unit.answers.made import record
from tests.unit.answers.test_told_results import effect, figures, rows


def cases() -> list[object]:
    return [
        pytest.param(arms.split("; "), sentence, [cell for cell in cells if cell], id=sentence[:60])
        for arms, sentence, *cells in rows("told_of_arms.tsv")
    ]


@pytest.mark.parametrize(("arms", "sentence", "expected"), cases())
def test_a_sentence_tells_of_the_arms_of_its_source(arms: list[str], sentence: str, expected: list[str]) -> None:
    work = record(
        "A randomized trial", abstract=(AbstractPart(text=sentence),), arms=tuple(TrialArm(name=arm) for arm in arms)
    )
    found = [
        " | ".join(
            (
                r.outcome,
                " v ".join(r.comparison),
                " v ".join(filter(None, map(figures, r.arms))),
                effect(r.effect),
                r.time or "",
            )
        )
        for r in told_results(1, work, ())
    ]
    assert [_bare(one) for one in found] == [_bare(one) for one in expected]


def _bare(cell: str) -> str:
    return " ".join(cell.replace("|  |", "| |").split())


@pytest.mark.parametrize(
    ("arms", "text", "named"),
    [
        (("apixaban 5 mg", "warfarin"), "of people on Eliquis", 0),
        (("apixaban 5 mg", "usual care"), "with standard care", 1),
        (("statin plus ezetimibe", "statin"), "on the statin", 1),
        (("statin plus ezetimibe", "statin"), "on statin and ezetimibe", 0),
        (("beta-blocker", "no beta-blocker"), "on a beta-blocker", 0),
        (("beta-blocker", "no beta-blocker"), "without", 1),
        (("beta-blocker", "no beta-blocker"), "of people without diabetes", None),
        (("drug 10 mg", "drug 20 mg"), "on 20 mg", 1),
        (("apixaban", "placebo"), "in a placebo-controlled trial", None),
        (("apixaban", "warfarin"), "with apixaban than with warfarin", None),
    ],
)
def test_an_arm_is_known_by_what_sets_it_apart(arms: tuple[str, ...], text: str, named: int | None) -> None:
    assert SourceArms(arms).only(text) == named


def test_a_factorial_trial_has_no_two_arms() -> None:
    arms = (TrialArm(name="streptokinase and aspirin"), TrialArm(name="neither"))
    result = OutcomeResult(outcome="death", arms=(ArmResult(arm="aspirin", n=10, events=1),))
    assert arms_of_source(record("A factorial trial", arms=arms, results=(result,))) is None
    assert arms_of_source(record("A factorial trial", arms=arms)) is not None


@pytest.mark.parametrize(
    ("sentence", "people"),
    [
        ("Among women, stroke was less frequent with aspirin (1% versus 2%).", "women"),
        (
            "In the EXAMPLE trial, death was less frequent with aspirin in the 63 people with asthma (6% versus 13%).",
            "the 63 people with asthma",
        ),
        ("In the EXAMPLE trial, death occurred in 34 people (6%) on aspirin and 70 people (13%) on placebo.", None),
        ("In people with gout, stroke was less frequent with aspirin (1% versus 2%).", None),
    ],
)
def test_a_part_of_the_people_is_said_of_its_figures_and_all_of_them_are_no_part(
    sentence: str, people: str | None
) -> None:
    arms = (TrialArm(name="aspirin"), TrialArm(name="placebo"))
    whom = AbstractPart(label="Population", text="EXAMPLE randomised people with gout.")
    work = record("Aspirin in gout", abstract=(whom, AbstractPart(text=sentence)), arms=arms)
    assert [found.people for found in told_results(1, work, ())] == [people]
