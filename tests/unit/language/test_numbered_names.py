"""Names that a number is part of."""

from __future__ import annotations

import pytest
from openwork_language.numbered_names import find_numbered_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("COVID-19 and IL-6", [("covid", {"19"}), ("il", {"6"})]),
        ("omega-3 or n-3 fatty acids", [("omega", {"3"}), ("n", {"3"})]),
        ("type 2 diabetes and type II error", [("type", {"2"}), ("type", {"2"})]),
        ("CKD stages 2-4", [("stage", {"2", "3", "4"})]),
        ("stages 3 and 4", [("stage", {"3", "4"})]),
        ("grade 3 or 4 events", [("grade", {"3", "4"})]),
        ("type 9.4 diabetes", [("type", {"9.4"})]),
        ("in the 28-day follow-up, HR 0.79 (95% CI 0.66-0.95), n = 120 at week-12", []),
        ("at grade 3 12% fewer", [("grade", {"3"})]),
        ("in COVID-19, 28-day mortality", [("covid", {"19"})]),
        ("a phase 3, 1,245-patient trial", [("phase", {"3"})]),
        ("grade 3 to 12 weeks", [("grade", {"3"})]),
        ("type 2 and 30 patients", [("type", {"2"})]),
        ("stage II and III colon cancer", [("stage", {"2", "3"})]),
        ("NYHA class II, III or IV", [("class", {"2", "3", "4"})]),
        ("factors II, VII, IX and X", [("factor", {"2", "7", "9", "10"})]),
        ("stage IIIA-IIIB", [("stage", {"3a", "3b"})]),
        ("phase IIb", [("phase", {"2b"})]),
        ("HER2-positive, HbA1c, T4", [("her", {"2"})]),
    ],
)
def test_names_with_their_numbers(text: str, names: list[tuple[str, set[str]]]) -> None:
    assert [(name.stem, set(name.numbers)) for name in find_numbered_names(text)] == names
