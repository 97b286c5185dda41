"""Where a server with accounts and one without look for the same streams: the folder is renamed, there and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from openwork_contracts.accounts import SERVICES_ACCOUNT
from openwork_laptop.embedded import EmbeddedServer


@pytest.fixture
def accounts(tmp_path: Path) -> Path:
    """The folder of all accounts."""
    found = tmp_path / "jetstream" / "jetstream"
    found.mkdir(parents=True)
    return found


def test_the_former_store_becomes_the_services_and_goes_back(tmp_path: Path, accounts: Path) -> None:
    (accounts / "$G" / "streams" / "OPENWORK").mkdir(parents=True)
    server = EmbeddedServer(tmp_path)
    server._keep_former_store()
    assert [path.name for path in accounts.iterdir()] == [SERVICES_ACCOUNT]
    server.give_back_former_store()
    assert [path.name for path in accounts.iterdir()] == ["$G"]
    assert (accounts / "$G" / "streams" / "OPENWORK").is_dir()


@pytest.mark.parametrize("there", [[], ["$G", SERVICES_ACCOUNT]])
def test_a_store_is_never_put_over_another(tmp_path: Path, accounts: Path, there: list[str]) -> None:
    for name in there:
        (accounts / name / "streams").mkdir(parents=True)
    server = EmbeddedServer(tmp_path)
    server._keep_former_store()
    server.give_back_former_store()
    assert sorted(path.name for path in accounts.iterdir()) == sorted(there)
