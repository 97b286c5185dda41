"""Labels of structured abstracts that tell who was studied."""

from __future__ import annotations

import pytest
from openwork_knowledge.abstracts import tells_of_people

PEOPLE = ("PARTICIPANTS", "Population", "SETTING AND PARTICIPANTS", "Design, setting, and participants", "PATIENTS:")
OTHERS = (
    "PATIENTS AND METHODS",
    "RESULTS",
    "DESIGN",
    "SETTING",
    "PATIENT OUTCOMES",
    "Patient summary",
    "",
    "SUBJECT HEADING",
)


@pytest.mark.parametrize(("label", "wanted"), [*((p, True) for p in PEOPLE), *((o, False) for o in OTHERS)])
def test_a_label_tells_of_people_when_it_says_nothing_else(label: str, wanted: bool) -> None:
    assert tells_of_people(label) is wanted
