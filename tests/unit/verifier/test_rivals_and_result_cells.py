"""Cells of a source that compete for a number of a claim, and cells as the contract tells them."""

from __future__ import annotations

import pytest
from openwork_contracts.verdict import EvidenceItem
from openwork_language.cells.cell import Cell
from openwork_language.cells.read import read_cells
from openwork_verifier.domain.passages import read_passage
from openwork_verifier.domain.result_cells import result_cell
from openwork_verifier.domain.rivals import Place, fit, is_identical, rival_of
from openwork_verifier.domain.support import find_support

LISTED = "Nausea occurred in 12% and 15% of patients in the ketamine and propofol groups, respectively."
TWO_TIMES = "Remission was 20% at 6 weeks with lithium. Remission was 35% at 12 months with lithium."


def places_of(source: str, **names: str) -> list[Place]:
    passage = read_passage(EvidenceItem(n=3, text=source, **names))
    return [Place(passage, sentence, cell) for sentence in passage.sentences for cell in sentence.cells]


def place_of(source: str, shown: str, **names: str) -> Place:
    return next(place for place in places_of(source, **names) if place.cell.quantity.text == shown)


def claimed(text: str) -> list[Cell]:
    return list(read_cells(text))


def rival(text: str, source: str) -> str | None:
    """What the source has in the place that the claim gives to its first number."""
    places = places_of(source)
    cell, *others = claimed(text)
    own = next(place for place in places if place.cell.quantity.value == cell.quantity.value)
    support = find_support(text, [own.passage])
    found = rival_of(cell, own, places, others, {id(s.sentence): s.share for s in support.ranked})
    return found.cell.quantity.text if found else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nausea occurred in 12% of patients with ketamine.", None),
        ("Nausea occurred in 15% of patients with propofol.", None),
        ("Nausea occurred in 12% of patients with propofol.", "15%"),
        ("Nausea occurred in 15% of patients with ketamine.", "12%"),
    ],
)
def test_the_cell_of_the_arm_that_is_meant_rivals_the_other(text: str, expected: str | None) -> None:
    assert rival(text, LISTED) == expected


def test_a_cell_of_another_kind_is_no_rival() -> None:
    source = "Nausea occurred in 12% with ketamine; the stay was 15 days with propofol."
    assert rival("Propofol was followed by 12% nausea.", source) is None


def test_two_numbers_of_a_claim_are_compared_as_a_pair() -> None:
    assert rival("Nausea occurred in 12% with ketamine and 15% with propofol.", LISTED) is None
    assert rival("Nausea occurred in 15% with ketamine and 12% with propofol.", LISTED) == "12%"


def test_a_common_time_fits_better_than_another() -> None:
    (claim, *_) = claimed("Remission at 12 months was 35% with lithium.")[1:]
    early, late = place_of(TWO_TIMES, "20%"), place_of(TWO_TIMES, "35%")
    assert fit(claim, late.cell) > fit(claim, early.cell)


def test_rare_words_fit_better_than_frequent_ones() -> None:
    (rare,) = claimed("Pheochromocytoma: 12%.")
    (frequent,) = claimed("Treatment: 12%.")
    assert fit(rare, rare) > fit(frequent, frequent)


def test_cells_that_share_no_word_do_not_fit() -> None:
    assert fit(claimed("Nausea: 12%.")[0], claimed("Remission: 12%.")[0]) == 0


SAME = "Nausea was commoner with ketamine than with propofol (12% versus 15%)."


@pytest.mark.parametrize(
    ("text", "shown", "identical"),
    [
        (SAME, "12%", True),
        (SAME, "15%", False),
        ("Vomiting was commoner with ketamine than with propofol (12% versus 15%).", "12%", False),
        ("At 6 weeks nausea was commoner with ketamine than with propofol (12% versus 15%).", "12%", False),
        ("Nausea was seen in 12%.", "12%", False),
    ],
)
def test_cells_are_identical_only_where_arm_outcome_and_time_are_read_and_the_same(
    text: str, shown: str, identical: bool
) -> None:
    cell = next(cell for cell in claimed(text) if cell.quantity.text == "12%")
    assert is_identical(cell, place_of(SAME, shown).cell) is identical


def test_a_result_cell_tells_what_was_read_in_the_words_of_the_source() -> None:
    source = "At 12 weeks, stroke was lower with apixaban than with warfarin (12% versus 15%)."
    found = result_cell(place_of(source, "12%", pmid="123"))
    assert (found.study, found.arm, found.value, found.unit, found.measure) == ("123", "apixaban", "12", "%", "percent")
    assert found.time == "84 day"
    assert found.place is not None
    assert (found.place.n, source[found.place.start : found.place.end]) == (3, "12%")


def test_a_result_cell_leaves_out_what_was_not_read() -> None:
    found = result_cell(place_of("Stroke: 12%.", "12%"))
    assert (found.study, found.arm, found.time, found.total, found.interval, found.p_value) == (None,) * 6


def test_a_ratio_is_told_with_its_interval_and_p_value() -> None:
    found = result_cell(place_of("Stroke: hazard ratio 0.70 (95% CI 0.60 to 0.80; P<0.001).", "0.70"))
    assert (found.measure, found.value, found.p_value) == ("HR", "0.70", "<0.001")
    assert found.interval is not None
    assert (found.interval.low, found.interval.high, found.interval.level) == ("0.60", "0.80", "95")


def test_a_rate_is_told_per_what() -> None:
    found = result_cell(place_of("Stroke occurred at 2.13 per 100 person-years.", "2.13 per 100 person-years"))
    assert (found.value, found.per) == ("2.13", "100 person-year")


def test_a_registered_trial_is_named_by_its_number_first() -> None:
    found = result_cell(place_of("Stroke: 12%.", "12%", pmid="123", nct_id="NCT00412984"))
    assert found.study == "NCT00412984"


def test_places_count_in_the_whole_text() -> None:
    source = "Nausea was rare. Stroke occurred in 12% of men."
    found = result_cell(place_of(source, "12%"))
    assert found.place is not None
    assert source[found.place.start : found.place.end] == "12%"
