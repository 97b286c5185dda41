"""What a writer may compute from the figures of one source, and what not."""

from __future__ import annotations

import pytest
from openwork_contracts.verdict import EvidenceItem, ReasonCode
from openwork_language.cells.read import read_cells
from openwork_verifier.domain.arithmetic import is_computed
from openwork_verifier.domain.passages import read_passage
from verdicts import codes, judged


def computed(text: str, source: str) -> bool:
    """Whether the first figure of a claim follows from a source."""
    passage = read_passage(EvidenceItem(n=1, text=source))
    cells = [cell for sentence in passage.sentences for cell in sentence.cells]
    return is_computed(read_cells(text)[0], text, cells, [passage])


TABLE = (
    "Outcome | Drug, events | Drug, total | Placebo, events | Placebo, total\n"
    "Nausea | 30 | 200 | 5 | 100\nDeath | 12 | 200 | 8 | 100"
)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Nausea occurred in 24%.", "Nausea occurred in 12 of 50 patients."),
        ("Nausea occurred in 12 of 50 patients.", "We treated 50 patients, of whom 24% had nausea."),
        ("The other 76% had none.", "Nausea occurred in 12 of 50 patients."),
        ("The other 76% had none.", "Nausea occurred in 24% of patients."),
        ("The remaining 38 had no nausea.", "Nausea occurred in 12 of 50 patients."),
        ("The risk was 21% lower.", "Death was rarer (hazard ratio 0.79)."),
        ("The risk was 40% higher.", "Death was commoner (hazard ratio 1.40)."),
        ("The rate was 3 percentage points lower.", "Death occurred in 12% with drug and 15% with placebo."),
        ("The rate was 20% lower.", "Death occurred in 12% with drug and 15% with placebo."),
        ("Death was twice as frequent.", "Death occurred in 10% with drug and 20% with placebo."),
        ("Nausea occurred in 15% with the drug.", TABLE),
        ("Nausea occurred in 5% with placebo.", TABLE),
    ],
)
def test_one_step_from_the_figures_of_one_source_is_computed(text: str, source: str) -> None:
    assert computed(text, source)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Nausea occurred in 25%.", "Nausea occurred in 12 of 50 patients."),
        ("Nausea occurred in 13 of 50 patients.", "We treated 50 patients, of whom 24% had nausea."),
        ("Nausea was seen in 76%.", "Nausea occurred in 12 of 50 patients."),
        ("The risk was 21% higher.", "Death was rarer (hazard ratio 0.79)."),
        ("The risk was 31% lower.", "Death was rarer (hazard ratio 0.79)."),
        ("The rate was 4 percentage points lower.", "Death occurred in 12% with drug and 15% with placebo."),
        ("The rate was 3%.", "Death occurred in 12% with drug and 15% with placebo."),
        ("Death was three times as frequent.", "Death occurred in 10% with drug and 20% with placebo."),
        ("The P value was P=0.02.", "Death occurred in 1% with drug (P=0.01) and 3% with placebo (P=0.03)."),
        ("The hazard ratio was between 0.7-0.9.", "The hazard ratios were 0.5 and 0.6."),
        ("Nausea occurred in 7% with the drug.", TABLE),
        ("Nausea occurred in 30% with the drug.", TABLE),
    ],
)
def test_another_result_or_another_step_is_not(text: str, source: str) -> None:
    assert not computed(text, source)


def test_fractions_of_two_arms_are_never_put_together() -> None:
    source = "Death occurred in 12 of 50 patients with drug and in 18 of 60 patients with placebo."
    assert computed("Death occurred in 24% with the drug.", source)
    assert not computed("Death occurred in 27% of all patients.", source)


def test_a_computed_figure_may_be_rounded_as_it_is_printed() -> None:
    source = "Nausea occurred in 49 of 615 patients."
    assert computed("Nausea occurred in 8%.", source)
    assert computed("Nausea occurred in 7.97%.", source)
    assert not computed("Nausea occurred in 7.9%.", source)


SCANNED = "Fourteen of the patients had a finding; 400 patients were scanned."
RARER = "Death was rarer with ice (HR 0.82, 95% CI 0.73 to 0.92)."
SPORADIC = "Five cases were familial, seven sporadic cases."


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Of 152 episodes, 66 (about 43%) began at night.", "Of 152 episodes, 66 began at night."),
        ("The benefit was 18% in relative terms (HR 0.82).", RARER),
        (
            "Nothing was found in 386 of 400 patients.",
            SCANNED,
        ),
        (
            "Twelve cases were found, five familial and seven sporadic.",
            SPORADIC,
        ),
        (
            "Recovery came five days sooner.",
            "Recovery took 10 days (95% CI 9 to 11) with ice and 15 days (95% CI 13 to 18) without.",
        ),
    ],
)
def test_a_claim_may_compute_from_its_own_numbers_and_what_is_left(text: str, source: str) -> None:
    assert ReasonCode.NUMBER_NOT_FOUND not in codes(judged(text, source))


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Of 152 episodes, 66 (about 53%) began at night.", "Of 152 episodes, 66 began at night."),
        ("The benefit was 28% in relative terms (HR 0.82).", RARER),
        (
            "Nothing was found in 376 of 400 patients.",
            SCANNED,
        ),
        (
            "Thirteen cases were found, five familial and seven sporadic.",
            SPORADIC,
        ),
        (
            "Recovery came six days sooner.",
            "Recovery took 10 days (95% CI 9 to 11) with ice and 15 days (95% CI 13 to 18) without.",
        ),
    ],
)
def test_a_wrong_sum_or_share_is_not_found(text: str, source: str) -> None:
    assert ReasonCode.NUMBER_NOT_FOUND in codes(judged(text, source))
