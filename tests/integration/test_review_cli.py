"""`openwork review` on services that it starts: asked once, shown again, the same files both times."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.command_machine import Machine

pytestmark = [pytest.mark.nats, pytest.mark.slow]

QUESTION = "Do SGLT2 inhibitors reduce cardiovascular death in heart failure?"


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_review_is_asked_for_shown_and_written_as_files(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    asked = machine.run("review", QUESTION, "--source", "library", "--max-studies", "14", "--json", "--out", "first")
    assert asked.code == 0, asked.err
    document = asked.json
    assert document["pipeline"] == "review"
    assert len(document["review"]["studies"]) == 14
    shown = machine.run("review", "show", document["run_id"], "--out", "second")
    assert shown.code == 0, shown.err
    assert "14 studies read" in shown.out
    assert {"deep_research_lead.md", "cells.csv", "references.ris", "flow.svg", "review.html"} <= _names(
        tmp_path / "first"
    )
    for name in _names(tmp_path / "first"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes(), name
    table = machine.run("export", document["run_id"], "--format", "csv", "--table", "screening")
    assert table.out.startswith("record,title,year")
