"""Posted results read by other means: a registration's JSON walked into flat rows, without a line of the adapter.

Only what the JSON says is here, under the registry's own group titles: which group is which arm is the adapter's
matter, and is checked apart.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Value:
    """One measurement: where it stands and what it says, as strings."""

    outcome: int
    row: int
    group: str
    n: int | None
    value: str | None
    spread: str | None
    low: str | None
    high: str | None
    kind: str
    unit: str
    dispersion: str


@dataclass(frozen=True)
class Effect:
    """One analysis with a value."""

    outcome: int
    kind: str
    value: str
    low: str | None
    high: str | None
    level: str | None
    p: str | None
    hypothesis: str
    comment: str | None
    groups: tuple[str, ...]


def studies_in(path: Path) -> list[Json]:
    """The studies of a recorded file, whatever wraps them."""
    body = json.loads(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())
    for key in ("body", "response"):
        if isinstance(body, dict) and key in body and "protocolSection" not in body:
            body = body[key]
            body = json.loads(body) if isinstance(body, str) else body
    return body.get("studies", [body]) if isinstance(body, dict) else []


def outcomes(study: Json) -> list[Json]:
    return study.get("resultsSection", {}).get("outcomeMeasuresModule", {}).get("outcomeMeasures", [])


def people(where: Json) -> dict[str, int]:
    """Group -> participants of a denominator list."""
    found = {}
    for denominator in where.get("denoms", []):
        if denominator.get("units", "Participants") == "Participants":
            for count in denominator["counts"]:
                if str(count["value"]).isdigit():
                    found[count["groupId"]] = int(count["value"])
    return found


def values(study: Json) -> Iterator[Value]:
    for at, outcome in enumerate(outcomes(study)):
        row = -1
        for group_of_rows in outcome.get("classes", []):
            n_of = {**people(outcome), **people(group_of_rows)}
            for category in group_of_rows.get("categories", []):
                row += bool(category.get("measurements"))
                for one in category.get("measurements", []):
                    yield Value(
                        at,
                        row,
                        one["groupId"],
                        n_of.get(one["groupId"]),
                        one.get("value"),
                        one.get("spread"),
                        one.get("lowerLimit"),
                        one.get("upperLimit"),
                        outcome.get("paramType", ""),
                        outcome.get("unitOfMeasure", ""),
                        outcome.get("dispersionType", ""),
                    )


def effects(study: Json) -> Iterator[Effect]:
    for at, outcome in enumerate(outcomes(study)):
        for one in outcome.get("analyses", []):
            if number(one.get("paramValue")) is not None:
                yield Effect(
                    at,
                    one.get("paramType", "estimate"),
                    one["paramValue"],
                    one.get("ciLowerLimit"),
                    one.get("ciUpperLimit"),
                    one.get("ciPctValue"),
                    one.get("pValue"),
                    one.get("nonInferiorityType", ""),
                    one.get("nonInferiorityComment"),
                    tuple(one.get("groupIds", [])),
                )


def harms(study: Json) -> Iterator[tuple[str, dict[str, tuple[int, int]]]]:
    """(name, group -> (people, at risk)) of deaths, serious and other events in all."""
    module = study.get("resultsSection", {}).get("adverseEventsModule", {})
    for key, name in (
        ("deaths", "All-cause mortality"),
        ("serious", "Serious adverse events"),
        ("other", "Other adverse events"),
    ):
        found = {}
        for group in module.get("eventGroups", []):
            affected, at_risk = group.get(f"{key}NumAffected"), group.get(f"{key}NumAtRisk")
            if affected is not None and at_risk:
                found[group["id"]] = (affected, at_risk)
        if found:
            yield name, found


def single_harms(study: Json) -> Iterator[tuple[str, dict[str, tuple[int, int]]]]:
    """(name with its kind, group -> (people, at risk)) of single adverse events that befell anybody."""
    module = study.get("resultsSection", {}).get("adverseEventsModule", {})
    for key, kind in (("seriousEvents", "serious adverse event"), ("otherEvents", "other adverse event")):
        for event in module.get(key, []):
            found = {
                one["groupId"]: (one["numAffected"], one["numAtRisk"])
                for one in event.get("stats", [])
                if one.get("numAffected") is not None and one.get("numAtRisk")
            }
            if any(affected for affected, _ in found.values()):
                yield f"{event['term']} ({kind})", found


def started(study: Json) -> dict[str, int]:
    """Group title of the participant flow -> people who started the first period."""
    flow = study.get("resultsSection", {}).get("participantFlowModule", {})
    titles = {group["id"]: group["title"] for group in flow.get("groups", [])}
    for milestone in (flow.get("periods") or [{}])[0].get("milestones", []):
        if milestone.get("type") == "STARTED":
            return {
                titles[one["groupId"]]: int(one["numSubjects"])
                for one in milestone["achievements"]
                if str(one.get("numSubjects", "")).isdigit()
            }
    return {}


def caveats(study: Json) -> str | None:
    more = study.get("resultsSection", {}).get("moreInfoModule", {})
    return more.get("limitationsAndCaveats", {}).get("description")


def number(text: str | None) -> float | None:
    """As a person reads it; `None` for NA, "<0.001" and the like."""
    try:
        return float((text or "").replace(",", "").replace("−", "-"))
    except ValueError:
        return None
