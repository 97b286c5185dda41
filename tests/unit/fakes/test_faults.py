"""Each fault of the mutations can still be put in, and its tests are there: seen before the slow stage runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import FAULTS, Fault

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(" ", "-"))
def test_a_fault_changes_its_file_and_its_tests_exist(fault: Fault) -> None:
    path, text = fault.put_into(ROOT)
    assert text != path.read_text(encoding="utf-8")
    assert all(any(ROOT.glob(name)) for name in fault.tests)
