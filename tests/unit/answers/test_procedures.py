"""A procedure told by its verb is that procedure."""

from __future__ import annotations

import pytest
from openwork_answers.procedures import procedures_done

from tests.unit.answers.made import question


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Does transplanting kidneys lengthen life?", "Kidney Transplantation"),
        ("Is extracting cataracts early worth it?", "Cataract Extraction"),
        ("Does giving platelets prevent bleeding?", "Platelet Transfusion"),
        ("Are reactions commoner if platelets are transfused early?", "Platelet Transfusion"),
        ("Is bleeding prevented by it?", None),
        ("Does lowering cholesterol help?", None),
        ("Is giving aspirin useful?", None),
        ("Does training help after stroke?", None),
    ],
)
def test_the_noun_of_a_verb_names_a_procedure_only_where_the_lexicon_has_it(text: str, name: str | None) -> None:
    assert next((entity.name for entity in procedures_done(text)), None) == name


def test_what_the_asking_clause_does_is_the_treatment_and_not_the_drug_that_somebody_is_on() -> None:
    read = question("Glaucoma on aspirin: does extracting cataracts lower eye pressure?")
    assert [idea.term for idea in read.treatments] == ["extracting cataracts"]
    assert [idea.term for idea in read.background] == ["aspirin"]
