"""Every number of a claim stands in the source, in the arm, outcome and time that the claim gives it."""

from __future__ import annotations

import pytest
from openwork_contracts.verdict import EvidenceItem, FindingKind, ReasonCode, Verdict
from openwork_verifier.domain.gate import verify_claim
from verdicts import codes, judged

C = ReasonCode
TRIAL = EvidenceItem(
    n=1,
    text=(
        "At 12 weeks, remission was reached by 41% of patients with adalimumab and 19% with placebo. "
        "At 52 weeks, remission was reached by 36% with adalimumab and 12% with placebo. "
        "Serious infection occurred in 2.4% with adalimumab (odds ratio 1.31; 95% CI 0.70 to 2.45). "
        "The starting dose was 160 mg."
    ),
)
TABLE = EvidenceItem(
    n=1,
    text=(
        "Table 2. Adverse events\nEvent | Adalimumab, n (%) | Placebo, n (%)\n"
        "Serious infection | 12 (2.4) | 9 (1.9)\nHeadache | 40 (8.1) | 35 (7.3)"
    ),
)


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("Remission at 12 weeks was reached by 41% of patients with adalimumab.", TRIAL),
        ("Remission at 52 weeks was reached by 36% of patients with adalimumab.", TRIAL),
        ("Serious infection occurred in 2.4% with adalimumab.", TRIAL),
        ("Serious infection had an odds ratio of 1.31 (95% CI 0.70 to 2.45) with adalimumab.", TRIAL),
        ("The starting dose of adalimumab was 160 mg.", TRIAL),
        ("The starting dose of adalimumab was 0.16 g.", TRIAL),
        ("Headache occurred in 8.1% with adalimumab.", TABLE),
        ("Serious infection occurred in 2.4% with adalimumab and 1.9% with placebo.", TABLE),
    ],
)
def test_numbers_in_their_own_cell_are_supported(text: str, item: EvidenceItem) -> None:
    found = judged(text, item)
    assert found.verdict is Verdict.SUPPORTED, found.reasons


@pytest.mark.parametrize(
    ("text", "item", "code"),
    [
        ("Remission at 12 weeks was reached by 44% of patients with adalimumab.", TRIAL, C.NUMBER_NOT_FOUND),
        ("Headache occurred in 9.1% with adalimumab.", TABLE, C.NUMBER_NOT_FOUND),
        (
            "Serious infection had an odds ratio of 1.31 (95% CI 0.80 to 2.45) with adalimumab.",
            TRIAL,
            C.INTERVAL_MISMATCH,
        ),
        ("Serious infection had a hazard ratio of 1.31 with adalimumab.", TRIAL, C.UNIT_MISMATCH),
        ("The starting dose of adalimumab was 160 mL.", TRIAL, C.UNIT_MISMATCH),
        (
            "Remission at 12 weeks was 25 percentage points higher with adalimumab than with placebo.",
            TRIAL,
            C.NUMBER_NOT_FOUND,
        ),
    ],
)
def test_a_number_that_stands_nowhere_is_contradicted_by_what_does(
    text: str, item: EvidenceItem, code: ReasonCode
) -> None:
    found = judged(text, item)
    assert code in {reason.code for reason in found.reasons if reason.kind is FindingKind.PROOF}
    assert found.verdict is Verdict.CONTRADICTED


def test_a_number_with_nothing_in_its_place_is_unsupported() -> None:
    found = judged(
        "Remission was reached after 17 infusions of adalimumab.",
        EvidenceItem(n=1, text="Adalimumab brought remission."),
    )
    assert C.NUMBER_NOT_FOUND in codes(found)
    assert found.verdict is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("Remission at 52 weeks was reached by 41% of patients with adalimumab.", TRIAL),
        ("Remission at 12 weeks was reached by 19% of patients with adalimumab.", TRIAL),
        ("Remission at 12 weeks was reached by 19% with adalimumab and 41% with placebo.", TRIAL),
        ("Serious infection occurred in 41% with adalimumab.", TRIAL),
        ("Headache occurred in 2.4% with adalimumab.", TABLE),
        ("Headache occurred in 7.3% with adalimumab.", TABLE),
        ("Serious infection occurred in 1.9% with adalimumab and 2.4% with placebo.", TABLE),
    ],
)
def test_a_number_of_another_arm_outcome_or_time_is_doubted(text: str, item: EvidenceItem) -> None:
    found = judged(text, item)
    assert C.NUMBER_NOT_BOUND in codes(found), found.reasons
    assert found.verdict is Verdict.NOT_CONFIRMED


def test_a_time_that_stands_nowhere_is_a_doubt_and_no_proof() -> None:
    found = judged("Remission at 26 weeks was reached by 41% of patients with adalimumab.", TRIAL)
    assert C.NUMBER_NOT_FOUND in codes(found)
    assert all(reason.kind is FindingKind.SUSPICION for reason in found.reasons)


def test_the_numbers_of_a_supported_claim_are_told_with_their_cells() -> None:
    found = judged("Headache occurred in 8.1% with adalimumab.", TABLE)
    (cell,) = found.cells
    assert (cell.value, cell.unit, cell.arm, cell.outcome) == ("8.1", "%", "Adalimumab, n (%)", "Headache")
    assert cell.place is not None
    assert TABLE.text[cell.place.start : cell.place.end] == "40 (8.1)"


def test_the_cell_of_a_ratio_has_its_interval() -> None:
    found = judged("Serious infection had an odds ratio of 1.31 with adalimumab.", TRIAL)
    (cell,) = found.cells
    assert (cell.measure, cell.value, cell.arm) == ("OR", "1.31", None)
    assert cell.interval is not None
    assert (cell.interval.low, cell.interval.high, cell.interval.level) == ("0.70", "2.45", "95")


WORKS = [EvidenceItem(n=n, text="Adalimumab brought remission.", year=2014) for n in (1, 2)]


@pytest.mark.parametrize(
    "text", ["Two studies found that adalimumab brought remission.", "In a 2014 trial, adalimumab brought remission."]
)
def test_a_claim_may_count_and_date_the_works_that_it_cites(text: str) -> None:
    assert C.NUMBER_NOT_FOUND not in codes(verify_claim(text, (1, 2), WORKS))


@pytest.mark.parametrize(
    "text", ["Three studies found that adalimumab brought remission.", "In a 2015 trial, adalimumab brought remission."]
)
def test_another_number_or_year_of_works_is_not_found(text: str) -> None:
    assert C.NUMBER_NOT_FOUND in codes(verify_claim(text, (1, 2), WORKS))
