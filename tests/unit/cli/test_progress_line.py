"""The line that a person sees while a run goes on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from openwork.models import Progress, SourceProgress
from openwork_cli.output import progress_line

TOLD = Progress(run_id="r", service="test", step="search pubmed", at=datetime(2026, 1, 1, tzinfo=UTC))
SOURCES = (SourceProgress(name="library", state="completed", found=0), SourceProgress(name="pubmed", state="searching"))


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "search pubmed"),
        ({"done": 1, "total": 3}, "search pubmed (1 of 3)"),
        ({"sources": SOURCES}, "search pubmed: library 0, pubmed searching"),
        (
            {"sources": SOURCES, "counts": {"screened": 39, "shortlisted": 20, "duplicates": 4}},
            "search pubmed: 39 works, 20 shortlisted",
        ),
        ({"note": "A title\nof two lines"}, "A title of two lines"),
    ],
)
def test_a_step_is_one_line_with_what_is_known(changes: dict[str, object], line: str) -> None:
    assert progress_line(Progress(**{**vars(TOLD), **changes})) == line
