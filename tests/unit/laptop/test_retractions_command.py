"""`openwork library import-retractions`: what it says, and that a laptop's normaliser reads what it wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from openwork_evidence.retractions import Retractions
from openwork_laptop.commands.library import app
from openwork_laptop.home import Home
from typer.testing import CliRunner

from tests.unit.evidence.test_retractions import file_of, row


def test_the_file_is_kept_and_what_it_holds_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENWORK_HOME", str(tmp_path / "home"))
    file = file_of(tmp_path, row("Retraction", "7/12/2023 0:00"), row("Retraction", "1/2/2020", doi="unavailable"))
    told = CliRunner().invoke(app, ["import-retractions", str(file)])
    assert told.stdout.splitlines() == [
        "2 notices about 1 works, the newest of 2023-07-12",
        "  note: 1 rows without a DOI or PMID of the work, or with a notice of an unknown kind, were left out",
    ]
    (known,) = Retractions(Home().library).of([("10.1000/a", None)])
    assert known is not None
