"""What MeSH files below a disease and what comes of it is no kind of it."""

from __future__ import annotations

import pytest
from openwork_knowledge import mesh

COVID, LONG_COVID = "D000086382", "D000094024"
INFARCTION, CARDIOGENIC_SHOCK, SHOCK = "D009203", "D012770", "D012769"
SEPSIS, SEPTIC_SHOCK = "D018805", "D012772"
DIABETES, TYPE_2 = "D003920", "D003924"
TUBERCULOSIS, OF_LUNG = "D014376", "D014397"
ASTHMA, LUNG_DISEASES = "D001249", "D008171"


@pytest.mark.parametrize(("below", "above"), [(LONG_COVID, COVID), (CARDIOGENIC_SHOCK, INFARCTION)])
def test_what_comes_of_a_disease_is_no_kind_of_it(below: str, above: str) -> None:
    assert mesh.is_kind(below, above)
    assert mesh.is_sequel(below, above)


@pytest.mark.parametrize(
    ("below", "above"),
    [
        (CARDIOGENIC_SHOCK, SHOCK),
        (SEPTIC_SHOCK, SEPSIS),
        (TYPE_2, DIABETES),
        (OF_LUNG, TUBERCULOSIS),
        (ASTHMA, LUNG_DISEASES),
    ],
)
def test_a_kind_of_a_disease_stays_one(below: str, above: str) -> None:
    assert mesh.is_kind(below, above)
    assert not mesh.is_sequel(below, above)


def test_what_does_not_stand_below_a_disease_is_no_sequel_of_it() -> None:
    assert not mesh.is_sequel(COVID, LONG_COVID)
