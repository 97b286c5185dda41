"""A number that stands in the cited sentence, but for something else there."""

from __future__ import annotations

import pytest
from openwork_contracts.verdict import EvidenceItem, ReasonCode, Verdict
from openwork_verifier.domain.gate import verify_claim

TWO_RATES = EvidenceItem(
    n=1,
    title="Trial",
    text=(
        "In the apixaban group stroke occurred in 1.27% of patients per year and in the warfarin group major bleeding "
        "requiring transfusion occurred in 3.09% of patients per year."
    ),
)


@pytest.mark.parametrize(
    "text",
    [
        "Major bleeding occurred in 1.27% of patients per year with warfarin.",
        "Warfarin bleeding occurred in 1.27% of patients per year.",
    ],
)
def test_a_rate_whose_neighbour_fits_the_claim_better_is_not_bound(text: str) -> None:
    """Two or three of the words around the other rate are the claim's; all of them need not be."""
    found = verify_claim(text, (1,), [TWO_RATES])
    assert found.verdict is Verdict.NOT_CONFIRMED
    assert [reason.code for reason in found.reasons] == [ReasonCode.NUMBER_NOT_BOUND]


@pytest.mark.parametrize(
    "text",
    [
        "Stroke occurred in 1.27% of patients per year with apixaban.",
        "Major bleeding requiring transfusion occurred in 3.09% of patients per year with warfarin.",
    ],
)
def test_each_rate_is_bound_to_its_own_words(text: str) -> None:
    assert verify_claim(text, (1,), [TWO_RATES]).verdict is Verdict.SUPPORTED
