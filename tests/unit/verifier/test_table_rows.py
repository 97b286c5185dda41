"""Figures of tables: of the row that a claim names, and of the counts of one arm."""

from __future__ import annotations

import pytest
from openwork_contracts.verdict import ReasonCode, Verdict
from verdicts import codes, judged

C = ReasonCode
STUDIES = """Table 2. Deaths in trials of lidocaine after infarction.
Trial | Lidocaine events | Lidocaine total | Control events | Control total
Wilcox | 4 | 66 | 7 | 64
Wilcox 2 | 18 | 156 | 30 | 159
Darby | 6 | 100 | 3 | 103
Hasse | 3 | 50 | 6 | 50"""
POOLED = """Table 3. Pooled effects of nicotine replacement on abstinence.
Measure | Model | Trials | Estimate | 95% CI
risk ratio | Mantel-Haenszel | 136 | 1.55 | 1.49 to 1.61
risk ratio | DerSimonian-Laird | 136 | 1.57 | 1.48 to 1.67
odds ratio | Peto | 136 | 1.68 | 1.60 to 1.76"""


@pytest.mark.parametrize(
    "text",
    [
        "In Wilcox 2, 18 of 156 died with lidocaine and 30 of 159 in the control group.",
        "In Darby, death was recorded in 6% with lidocaine and in 3% in the control group.",
        "In Wilcox, 4/66 died with lidocaine and 7/64 in the control group.",
    ],
)
def test_counts_totals_and_shares_of_the_named_row_are_supported(text: str) -> None:
    assert judged(text, STUDIES).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    "text",
    [
        "In Wilcox, 18 of 156 died with lidocaine and 30 of 159 in the control group.",
        "In Hasse, death was recorded in 6 of 100 with lidocaine and in 3 of 103 in the control group.",
        "In Wilcox 2, 30 of 159 died with lidocaine and 18 of 156 in the control group.",
    ],
)
def test_counts_of_another_row_or_arm_are_doubted(text: str) -> None:
    found = judged(text, STUDIES)
    assert found.verdict is not Verdict.SUPPORTED
    assert codes(found) & {C.NUMBER_NOT_BOUND, C.CELL_DIFFERS}


def test_the_number_in_a_rows_name_counts_nothing() -> None:
    found = judged("In Wilcox 2, 18 of 156 died with lidocaine.", STUDIES)
    assert not any("'2'" in reason.detail for reason in found.reasons)


def test_a_row_is_named_by_all_its_words_and_its_interval_shows_the_direction() -> None:
    right = "By the Peto model, abstinence was higher with nicotine replacement: odds ratio 1.68 (95% CI 1.60 to 1.76)."
    assert judged(right, POOLED).verdict is Verdict.SUPPORTED
    other = "By the Mantel-Haenszel model, abstinence was higher with nicotine replacement: risk ratio 1.57."
    assert C.NUMBER_NOT_BOUND in codes(judged(other, POOLED))
    turned = "By the Peto model, abstinence was lower with nicotine replacement: odds ratio 1.68 (95% CI 1.60 to 1.76)."
    assert judged(turned, POOLED).verdict is not Verdict.SUPPORTED
