"""Runs in a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from openwork_contracts.requests import RunSummary

from openwork_api.pages.views.verdicts import Mark, mark_of


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in one line."""

    run_id: str
    question: str
    mark: Mark
    at: str
    """ISO."""
    time: str
    running: bool


@dataclass(frozen=True, slots=True)
class Day:
    """The runs of one day."""

    name: str
    runs: tuple[RunLine, ...]


def run_line(run: RunSummary) -> RunLine:
    """One run."""
    return RunLine(
        run_id=run.run_id,
        question=run.question or "(no words)",
        mark=mark_of(run.status, run.verdict),
        at=run.submitted_at.isoformat(),
        time=f"{run.submitted_at:%H:%M}",
        running=run.status == "running",
    )


def days(runs: Iterable[RunSummary]) -> Iterator[Day]:
    """Runs by the day on which they were asked, in UTC; newest first, as they come."""
    for day, of_day in groupby(runs, key=lambda run: run.submitted_at.date()):
        yield Day(day_in_words(day.toordinal()), tuple(map(run_line, of_day)))


def day_in_words(ordinal: int) -> str:
    """ "23 November 2026"."""
    day = datetime.fromordinal(ordinal)
    return f"{day.day} {day:%B %Y}"
