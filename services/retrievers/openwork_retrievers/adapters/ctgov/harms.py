"""Posted harms: deaths, serious and other adverse events per arm, in all and one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from openwork_contracts.evidence import ArmResult, OutcomeResult
from openwork_http.jsonbody import JsonObject, count_at, objects_at, text_at

from openwork_retrievers.adapters.ctgov.arms import Arms

MOST_EVENTS = 20
"""Single adverse events of a kind that are kept, those that befell most people; registrations post up to a thousand."""
_KINDS = (("deaths", "All-cause mortality"), ("serious", "Serious adverse events"), ("other", "Other adverse events"))
_SINGLE = (("seriousEvents", "serious adverse event"), ("otherEvents", "other adverse event"))


def read_harms(section: object, arms: Arms) -> tuple[list[OutcomeResult], str]:
    """Harms as structures and as sentences; older records have no deaths. People, each once, never events."""
    module = list(objects_at(section, "adverseEventsModule", "eventGroups"))
    names = arms.named(module)
    time_frame = text_at(section, "adverseEventsModule", "timeFrame")
    results, sentences = [], []
    for key, name in _KINDS:
        cells = _of_groups(module, key, names, arms)
        if cells:
            results.append(OutcomeResult(outcome=name, time_point=time_frame, arms=cells))
            sentences.append(f"{name} - {_in_words(cells)}.")
    threshold = text_at(section, "adverseEventsModule", "frequencyThreshold")
    if sentences and threshold:
        sentences.append(f"Other adverse events are those above a frequency of {threshold}%.")
    for key, name in _SINGLE:
        rows = list(_single(list(objects_at(section, "adverseEventsModule", key)), names, arms))
        rows.sort(key=lambda row: -max(_share(cell) for cell in row[1]))
        for term, cells in rows[:MOST_EVENTS]:
            results.append(OutcomeResult(outcome=f"{term} ({name})", time_point=time_frame, arms=cells))
            sentences.append(f"{term} ({name}) - {_in_words(cells)}.")
        if len(rows) > MOST_EVENTS:
            sentences.append(f"{len(rows) - MOST_EVENTS} {name}s that befell fewer people are not listed here.")
    return results, " ".join(sentences)


def _of_groups(groups: Sequence[JsonObject], key: str, names: Mapping[str, str], arms: Arms) -> tuple[ArmResult, ...]:
    counts = (
        (text_at(g, "id") or "", count_at(g, f"{key}NumAffected"), count_at(g, f"{key}NumAtRisk")) for g in groups
    )
    return _cells(counts, names, arms)


def _single(
    events: Sequence[JsonObject], names: Mapping[str, str], arms: Arms
) -> Iterator[tuple[str, tuple[ArmResult, ...]]]:
    """Term and people per arm, of terms that befell anybody."""
    for event in events:
        term = text_at(event, "term")
        counts = (
            (text_at(one, "groupId") or "", count_at(one, "numAffected"), count_at(one, "numAtRisk"))
            for one in objects_at(event, "stats")
        )
        cells = _cells(counts, names, arms)
        if term and any(cell.events for cell in cells):
            yield term, cells


def _cells(
    counts: Iterator[tuple[str, int | None, int | None]], names: Mapping[str, str], arms: Arms
) -> tuple[ArmResult, ...]:
    """Arms in order; without a number of people, or with more than were at risk, an arm is left out."""
    cells = [
        ArmResult(arm=names.get(group, group), n=n, events=events)
        for group, events, n in counts
        if events is not None and n and events <= n
    ]
    return tuple(sorted(cells, key=lambda cell: arms.place(cell.arm)))


def _share(cell: ArmResult) -> float:
    return (cell.events or 0) / (cell.n or 1)


def _in_words(cells: Sequence[ArmResult]) -> str:
    return "; ".join(f"{cell.arm}: {cell.events} of {cell.n} participants" for cell in cells)
