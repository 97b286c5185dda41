"""What a study reports of a comparison and an outcome, each number with its place; what code is not sure of is not given."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_extraction.from_tables import results_of_tables
from openwork_extraction.labels import time_in
from openwork_extraction.names import names_of
from openwork_extraction.results import StudyResult, StudyResults
from openwork_extraction.study import Asked, StudyText


def extract(study: StudyText, asked: Asked) -> StudyResults:
    """The results of a study for what is asked.

    Returns:
        The asked time first, else the last follow-up; complete results (counts or means of both arms) before others.
    """
    names = names_of(study.sections)
    tables = results_of_tables(study, asked, names)
    return StudyResults(_ordered(tables.results, asked), tables.refused)


def _ordered(results: Sequence[StudyResult], asked: Asked) -> tuple[StudyResult, ...]:
    wanted = time_in(asked.time) if asked.time else None

    def key(result: StudyResult) -> tuple[bool, bool, float]:
        time = time_in(result.time) if result.time else None
        days = time.days if time is not None and time.days is not None else 0.5
        is_asked = wanted is not None and wanted.days is not None and days == wanted.days
        return (not result.is_complete, not is_asked, -days)

    return tuple(sorted(results, key=key))
