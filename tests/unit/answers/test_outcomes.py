"""Whether a reported outcome is the one asked for: pairs of both, composites, kinds, causes, synonyms, harms."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openwork_answers.outcome_fits import closeness, fit_of
from openwork_answers.outcomes import groups_in, is_harm, kinds_before, read_outcome
from openwork_contracts.conclusion import Fit

ROWS = [
    line.split("\t")
    for line in (Path(__file__).parent / "outcome_fits.tsv").read_text().splitlines()
    if not line.startswith("#")
]
EVENTS = ("stroke", "myocardial infarction", "cardiovascular death", "systemic embolism", "hospitalisation", "fracture")


def pairs() -> list[object]:
    """(asked, told, fit); a row with a fifth column is expected to fail, for the reason in it."""
    return [
        pytest.param(
            *row[:3],
            id=f"{row[0]} - {row[1]}",
            marks=[pytest.mark.xfail(strict=True, reason=row[4])] if len(row) > 4 else [],
        )
        for row in ROWS
    ]


@pytest.mark.parametrize(("asked", "told", "fit"), pairs())
def test_a_reported_outcome_is_the_one_asked_for_a_part_of_it_wider_or_another(asked: str, told: str, fit: str) -> None:
    assert fit_of(read_outcome(told), read_outcome(asked)).value == fit


def test_the_pairs_hold_enough_of_each_side() -> None:
    sides = Counter(row[2] for row in ROWS)
    assert min(sides[fit] for fit in ("asked", "part", "wider", "other")) >= 25
    assert len({(row[0], row[1]) for row in ROWS}) == len(ROWS)


def test_most_of_what_is_another_outcome_is_known_to_be_and_so_is_most_of_what_is_the_same() -> None:
    """Both sides: an outcome too wide loses nothing, one taken for another's answers a question nobody asked."""
    right: Counter[str] = Counter()
    for asked, told, fit, *_ in ROWS:
        right[fit] += fit_of(read_outcome(told), read_outcome(asked)).value == fit
    sides = Counter(row[2] for row in ROWS)
    assert right["other"] >= 0.85 * sides["other"]
    assert right["asked"] >= 0.75 * sides["asked"]


@pytest.mark.parametrize(
    ("text", "components"),
    [
        ("stroke or systemic embolism", ("stroke", "systemic embolism")),
        (
            "cardiovascular death, myocardial infarction, or stroke",
            ("cardiovascular death", "myocardial infarction", "stroke"),
        ),
        (
            "MACE (cardiovascular death, nonfatal myocardial infarction or nonfatal stroke)",
            ("cardiovascular death", "nonfatal myocardial infarction", "nonfatal stroke"),
        ),
        ("worsening heart failure or cardiovascular death", ("worsening heart failure", "cardiovascular death")),
        ("death from any cause", ()),
        ("fatal or nonfatal stroke", ()),
        ("ulceration of the toes, feet or legs", ()),
        pytest.param(
            "major or clinically relevant nonmajor bleeding",
            ("major bleeding", "clinically relevant nonmajor bleeding"),
            marks=pytest.mark.xfail(strict=True, reason="the first kind gets the words of the second too"),
        ),
        ("stroke/systemic embolism", ("stroke", "systemic embolism")),
        ("death; hospitalisation for heart failure", ("death", "hospitalisation for heart failure")),
        ("renal or cardiovascular death", ("renal death", "cardiovascular death")),
        pytest.param("death or MI", ("death", "MI")),
        pytest.param("death or dependency", ("death", "dependency")),
    ],
)
def test_a_composite_is_told_with_its_components(text: str, components: tuple[str, ...]) -> None:
    assert read_outcome(text).components == components


def test_a_word_for_the_cause_belongs_to_its_own_component() -> None:
    outcome = read_outcome("cardiovascular death or hospitalisation for heart failure")
    assert fit_of(read_outcome("death from any cause"), outcome) is Fit.WIDER
    assert fit_of(outcome, read_outcome("hospitalisation for heart failure")) is Fit.WIDER
    assert fit_of(outcome, read_outcome("cancer death")) is Fit.OTHER


def test_nothing_told_is_not_another_outcome() -> None:
    assert fit_of(read_outcome(""), read_outcome("stroke")) is Fit.NOT_TOLD
    assert fit_of(read_outcome("stroke"), read_outcome("outcomes")) is Fit.NOT_TOLD


@settings(deadline=None)
@given(st.permutations(EVENTS), st.integers(2, 4))
def test_the_order_of_components_changes_no_fit(order: list[str], n: int) -> None:
    straight, back = read_outcome(" or ".join(order[:n])), read_outcome(" or ".join(reversed(order[:n])))
    assert fit_of(back, straight) is fit_of(straight, back) is Fit.ASKED
    assert {fit_of(straight, read_outcome(one)) for one in order[:n]} == {Fit.WIDER}
    assert {fit_of(straight, read_outcome(one)) for one in order[n:]} == {Fit.OTHER}
    assert {fit_of(read_outcome(one), straight) for one in order[:n]} == {Fit.PART}


@settings(deadline=None)
@given(st.sampled_from([row[0] for row in ROWS] + [row[1] for row in ROWS]))
def test_an_outcome_is_itself(text: str) -> None:
    assert fit_of(read_outcome(text), read_outcome(text)) in {Fit.ASKED, Fit.NOT_TOLD}
    assert closeness(read_outcome(text), read_outcome(text.upper())) in {0.0, 1.0}


@pytest.mark.parametrize(
    ("asked", "nearer", "farther"),
    [
        ("stroke", "stroke", "stroke or systemic embolism"),
        ("stroke", "stroke or systemic embolism", "ischaemic stroke"),
        ("death", "death from any cause", "cardiovascular death"),
        ("death", "death or myocardial infarction", "cardiovascular death"),
        ("death", "cardiovascular death", "cardiovascular death or hospitalisation for heart failure"),
        ("hospitalisation for heart failure", "heart failure hospitalisation", "hospitalisation"),
        ("stroke", "haemorrhagic stroke", "myocardial infarction"),
        ("bleeding", "gastrointestinal bleeding", "stroke"),
        ("bleeding", "bleeding", "minor bleeding"),
        ("bleeding", "bleeding", "intracranial haemorrhage"),
        ("MACE", "cardiovascular death, MI or stroke", "cardiovascular death or hospitalisation for heart failure"),
    ],
)
def test_of_two_results_the_nearer_outcome_leads(asked: str, nearer: str, farther: str) -> None:
    wanted = read_outcome(asked)
    assert closeness(read_outcome(nearer), wanted) > closeness(read_outcome(farther), wanted)


@pytest.mark.parametrize(
    ("outcome", "harm"),
    [
        ("major bleeding", True),
        ("severe hypoglycaemia", True),
        ("diabetic ketoacidosis", True),
        ("lower-limb amputation", True),
        ("hyperkalaemia", True),
        ("discontinuation because of adverse events", True),
        ("new-onset diabetes", True),
        ("injection-site reactions", True),
        ("death from any cause", False),
        ("stroke", False),
        ("hospitalisation for heart failure", False),
        ("quality of life", False),
        ("LDL cholesterol", False),
        ("time to recovery", False),
    ],
)
def test_a_harm_is_what_treatments_cause_unwanted(outcome: str, harm: bool) -> None:
    assert is_harm(outcome) is harm


def test_words_that_make_a_kind_belong_to_the_outcome() -> None:
    text = "Does it prevent new-onset renal death?"
    start, end = groups_in(text)[-1]
    assert text[start:end] == "death"
    assert text[kinds_before(text, start) : end] == "new-onset renal death"
    assert groups_in("Is it safe in pregnancy?") == []
