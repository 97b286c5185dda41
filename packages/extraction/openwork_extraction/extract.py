"""What a study reports of a comparison and an outcome, each number with its place; what is not sure is not given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from openwork_language.cells.times import read_times

from openwork_extraction.arms import AskedArms
from openwork_extraction.checks import checked, compared, sizes_fit
from openwork_extraction.doubts import doubt
from openwork_extraction.from_prose import results_of_prose
from openwork_extraction.from_registry import results_of_registry
from openwork_extraction.from_tables import results_of_tables, size_of, spread_of, worked_out
from openwork_extraction.labels import plain_times, time_in
from openwork_extraction.names import Names, names_of
from openwork_extraction.one_group import has_one_group, is_plain_control
from openwork_extraction.outcomes import is_time_asked
from openwork_extraction.results import Mark, MarkKind, Source, StudyResult, StudyResults
from openwork_extraction.study import Asked, StudyText
from openwork_extraction.unlike import unlike
from openwork_extraction.variables import people_of

_UNKNOWN_DAYS = 0.5
"""Of "after" and the like: after the start, and before any time that is told in days."""
_SAME_TIME = 0.02
"""Share by which two spellings of one time may differ: 12 weeks are 84 days, "3 months" 90 or 91."""
_START = "baseline"
_BEFORE = Mark(MarkKind.BEFORE, "compared with the time before: the paper has no other group")
_SOURCES = (Source.TABLE, Source.PROSE, Source.ABSTRACT, Source.REGISTRY)
"""In this order where several give a complete result."""


def extract(study: StudyText, asked: Asked) -> StudyResults:
    """The results of a study for what is asked.

    Returns:
        Complete results (counts or means of both arms) before others, tables before sentences; the asked time first,
        else the last follow-up.
    """
    names = names_of(study.sections)
    if is_plain_control(asked.comparator) and has_one_group(study):
        return _against_before(study, asked, names)
    arms = AskedArms.of(asked, names)
    sides = (arms.intervention, arms.comparator)
    tables = results_of_tables(study, asked, names)
    prose = results_of_prose(
        study,
        asked,
        names,
        lambda side: size_of(study, sides[side], sides[1 - side], names, (asked.intervention, asked.comparator)[side]),
        spread_of(study),
    )
    prose = tuple(result for result in prose if not _is_one_of(result, tables.alike))
    prose, contradict = _told_once(prose, asked)
    registry = results_of_registry(study, asked, names)
    people = people_of(study)
    read, refused = _of_what_was_asked((*tables.results, *map(worked_out, (*prose, *registry))), asked, names)
    found = [sizes_fit(checked(result), people) for result in read]
    return StudyResults(_ordered(compared(found), asked, names), (*tables.refused, *contradict, *refused))


def _of_what_was_asked(
    results: Sequence[StudyResult], asked: Asked, names: Names
) -> tuple[list[StudyResult], tuple[str, ...]]:
    """The results without those of another kind or of other people than was asked, and why these are not given."""
    days = _asked_days(asked)
    told = [(result, unlike(result, asked, days, names) or doubt(result)) for result in results]
    return [result for result, why in told if why is None], tuple(dict.fromkeys(why for _, why in told if why))


def _against_before(study: StudyText, asked: Asked, names: Names) -> StudyResults:
    """The tables of a study with one group, before and after, each result marked so.

    Sentences are not read: there is no control whose numbers they could tell. People before and after are the same
    ones, so that both together may be more than the study has.
    """
    tables = results_of_tables(study, replace(asked, comparator=_START, one_group=True), names)
    read, refused = _of_what_was_asked(tables.results, asked, names)
    found = [checked(result.marked(_BEFORE)) for result in read]
    return StudyResults(_ordered(found, asked, names), (*tables.refused, *refused))


def _is_one_of(result: StudyResult, cells: Sequence[str]) -> bool:
    """Whether a result has the numbers of rows that were refused, since several fit."""
    own = {cell.value for arm in result.arms for cell in (arm.events, arm.mean) if cell is not None}
    return any(own & set(re.findall(r"\d+(?:\.\d+)?", text)) for text in cells)


def _told_once(prose: tuple[StudyResult, ...], asked: Asked) -> tuple[tuple[StudyResult, ...], tuple[str, ...]]:
    """The results of sentences without those that contradict each other, and why these are not given.

    Two sentences with other numbers tell of other people or of another time: that is known only where each tells its
    own time. A sentence without a time does not answer where a time is asked and another sentence has one.
    """
    complete = [result for result in prose if result.is_complete]
    values = set(map(_values_of, complete))
    times = {result.time for result in complete}
    if len(values) <= 1 or (None not in times and len(times) >= len(values)):
        return prose, ()
    phrase = re.sub(r"^(?:the|an?)\s+", "", asked.outcome.casefold().strip())
    literal = [result for result in complete if phrase in result.outcome.casefold()]
    if len({_values_of(result) for result in literal}) == 1:  # words in another order are of something like it
        return tuple(result for result in prose if result in literal or not result.is_complete), ()
    at = [result for result in complete if result.time and _is_at(_days_of(result), _asked_days(asked))]
    if len(at) == 1:
        return tuple(result for result in prose if result in at or not result.is_complete), ()
    why = f"{len(values)} sentences give other numbers for it"
    return tuple(result for result in prose if not result.is_complete), (why,)


def _values_of(result: StudyResult) -> tuple[str, ...]:
    return tuple(cell.value for arm in result.arms for cell in arm.cells)


def _days_of(result: StudyResult) -> float:
    time = time_in(result.time) if result.time else None
    return time.days if time is not None and time.days is not None else _UNKNOWN_DAYS


def _ordered(results: Sequence[StudyResult], asked: Asked, names: Names) -> tuple[StudyResult, ...]:
    """Complete ones first, then by source, the asked time, the latest; of unknown times the last in its table."""
    wanted = _asked_days(asked)

    def key(item: tuple[int, StudyResult]) -> tuple[bool, int, bool, bool, float, int]:
        place, result = item
        days = _days_of(result)
        order = -place if result.time else place
        source = _SOURCES.index(result.source)
        in_words = is_time_asked(result.time, asked.time or asked.outcome, names)
        return (not result.is_complete, source, not _is_at(days, wanted), not in_words, -days, order)

    return tuple(result for _, result in sorted(enumerate(results), key=key))


def _is_at(days: float, wanted: float | None) -> bool:
    return wanted is not None and abs(days - wanted) <= _SAME_TIME * wanted


def _asked_days(asked: Asked) -> float | None:
    """The one time that is asked, or that the outcome's own name has: "mortality at 28 days"."""
    if asked.time:
        time = time_in(asked.time)
        return time.days if time else None
    times = {time for _, time in read_times(plain_times(asked.outcome))}
    return float(times.pop().split()[0]) if len(times) == 1 else None
