"""The one rendering of an abstract."""

from __future__ import annotations

from openwork_contracts.evidence import AbstractPart
from openwork_evidence.text import parts_labelled, render_parts

PARTS = (
    AbstractPart(label="INDICATIONS AND USAGE:", text=" For stroke prevention. "),
    AbstractPart(label="WARNINGS", text=""),
    AbstractPart(text="Unlabelled words."),
)


def test_each_part_is_a_block_with_its_label() -> None:
    assert render_parts(PARTS) == "INDICATIONS AND USAGE: For stroke prevention.\nUnlabelled words."


def test_nothing_gives_empty_text() -> None:
    assert render_parts(()) == ""


def test_parts_are_chosen_by_words_of_their_label() -> None:
    assert parts_labelled(PARTS, ("indications",)) == PARTS[:1]


def test_all_parts_serve_when_no_label_fits() -> None:
    assert parts_labelled(PARTS, ("dosage",)) == PARTS
