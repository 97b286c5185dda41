"""Who a client says it is: a seed that is none is told before anybody is asked, and is in no message."""

from __future__ import annotations

import openwork
import pytest
from openwork_laptop.accounts.keys import new_key


@pytest.mark.parametrize("seed", ["abc", "SUAAAA", "é", "U" + "A" * 55])
async def test_what_is_no_seed_is_refused_without_showing_it(seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENWORK_NATS_NKEY_SEED", seed)
    with pytest.raises(openwork.UsageError) as refused:
        async with openwork.connect("nats://127.0.0.1:1"):
            pass
    assert seed not in str(refused.value)


async def test_a_seed_may_have_white_space_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a file that is read into the environment has."""
    monkeypatch.setenv("OPENWORK_NATS_NKEY_SEED", f" {new_key()[0]}\n")
    with pytest.raises(openwork.BusUnavailable, match="OPENWORK_NATS_NKEY_SEED"):
        async with openwork.connect("nats://127.0.0.1:1"):
            pass
