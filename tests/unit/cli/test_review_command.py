"""`openwork review`: what is no command is the question; progress in five phases; files of a stored review."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from openwork.errors import UsageError
from openwork.models import Progress, SourceProgress
from openwork_cli.main import app
from openwork_cli.phases import PHASES, review_line
from openwork_laptop.plugin import stack
from typer.testing import CliRunner

from tests.exports import full
from tests.reviews import reviewed

TOLD = Progress(run_id="r", service="test", step="screen records", at=datetime(2026, 1, 1, tzinfo=UTC))
SOURCES = (
    SourceProgress(name="library", state="completed", found=60),
    SourceProgress(name="pubmed", state="searching"),
)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"step": "analyse the question"}, "search strategy"),
        ({"step": "search pubmed", "sources": SOURCES}, "wide net search: library 60, pubmed searching"),
        (
            {"step": "join what was found", "track": "falsification", "counts": {"identified": 1200, "studies": 3}},
            "wide net search (for what speaks against it): 1,200 records found",
        ),
        (
            {"track": "affirmative", "counts": {"screened": 60, "excluded": 41, "included": 18, "unsure": 1}},
            "screening (for an effect): 60 screened, 41 excluded, 18 included, 1 unsure",
        ),
        ({"step": "extract studies", "done": 3, "total": 19}, "reading and extraction (3 of 19)"),
        ({"step": "compute effects", "counts": {"outcomes": 20, "pooled": 16}}, "effects: 20 outcomes, 16 pooled"),
        ({"step": "grade certainty"}, "grade certainty"),
    ],
)
def test_a_step_is_told_as_its_phase_with_its_counts(changes: dict[str, object], line: str) -> None:
    assert review_line(Progress(**{**vars(TOLD), **changes})) == line


def test_a_step_belongs_to_one_phase() -> None:
    steps = [step for _, own, _ in PHASES for step in own]
    assert len(steps) == len(set(steps))


@pytest.mark.parametrize("args", [["--max-studies", "0", "a question"], ["a question", "--max-studies", "201"]])
def test_options_before_or_after_a_question_are_the_reviews_own(args: list[str]) -> None:
    found = CliRunner().invoke(app, ["review", *args])
    assert found.exit_code != 0
    assert "--max-studies" in found.output


def test_show_is_a_command_and_no_question() -> None:
    found = CliRunner().invoke(app, ["review", "show", "not-a-run"])
    assert isinstance(found.exception, UsageError)
    assert "not-a-run" in str(found.exception)


def test_without_anything_it_says_what_it_is() -> None:
    found = CliRunner().invoke(app, ["review"])
    assert 'openwork review "QUESTION"' in " ".join(found.output.split())


def test_a_stored_review_is_written_as_its_files(tmp_path: Path) -> None:
    paths = stack.write_review(reviewed().model_dump(mode="json"), tmp_path / "out")
    assert {path.name for path in paths} >= {"deep_research_lead.md", "cells.csv", "flow.svg", "review.html"}
    assert "Death from any cause" in (tmp_path / "out" / "deep_research_math.md").read_text(encoding="utf-8")


def test_what_is_no_review_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no deep review"):
        stack.write_review(full().model_dump(mode="json"), tmp_path / "out")
    assert not (tmp_path / "out").exists()
