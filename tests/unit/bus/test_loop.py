"""An interrupt before the first step of the work says nothing about coroutines."""

from __future__ import annotations

import gc
import warnings

import pytest
import uvloop
from openwork_bus import loop


def interrupted() -> None:
    raise KeyboardInterrupt


async def work() -> int:
    return 1


def test_the_result_is_that_of_the_work() -> None:
    assert loop.run(work()) == 1


def test_an_interrupt_before_the_first_step_leaves_no_coroutine_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uvloop, "new_event_loop", interrupted)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(KeyboardInterrupt):
            loop.run(work())
        gc.collect()
    assert [str(warning.message) for warning in told] == []
