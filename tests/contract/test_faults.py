"""The table of faults fits the code: each can be put in, and the tests that are to notice it are there."""

from __future__ import annotations

import ast

import pytest

from tests.conftest import ROOT
from tests.faults import FAULTS, Fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_can_be_put_in_and_leaves_python_that_can_be_read(fault: Fault) -> None:
    path, changed = fault.put_into(ROOT)
    assert changed != path.read_text()
    ast.parse(changed)
    assert all((ROOT / test).is_file() for test in fault.tests)


def test_every_fault_has_a_name_of_its_own() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
