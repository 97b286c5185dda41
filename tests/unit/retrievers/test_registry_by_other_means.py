"""Registrations field by field: the adapter's reading beside another one that shares no line with it."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
from openwork_contracts.evidence import ArmResult, EvidenceRecord, OutcomeResult
from openwork_retrievers.adapters.ctgov.harms import MOST_EVENTS
from openwork_retrievers.adapters.ctgov.studies import parse_studies

from tests.unit.retrievers import registry_walk as walk
from tests.unit.retrievers.test_library_import_real_files import DATA

AT = datetime(2026, 1, 1, tzinfo=UTC)
FILES = sorted((DATA / "recorded" / "clinicaltrials").glob("*/*.json*"))
_DISPERSION = {"Standard Deviation": "SD", "Standard Error": "SE"}
_TEST_STATISTIC = re.compile(r"statistic|chi|test", re.IGNORECASE)
_ESCAPES = re.compile(r"\\(?=[<>\[\]*_~^#])")
_HARMS = re.compile(r" \((?:serious|other) adverse event\)$")
_IN_ALL = ("All-cause mortality", "Serious adverse events", "Other adverse events")


@cache
def registrations() -> tuple[tuple[dict[str, Any], EvidenceRecord], ...]:
    """Every recorded study once: its JSON, and our record of it."""
    found = {}
    for path in FILES:
        for study in walk.studies_in(path):
            number = study.get("protocolSection", {}).get("identificationModule", {}).get("nctId")
            if number:
                ((record,), _, _) = parse_studies("clinicaltrials", json.dumps(study).encode(), AT)
                found[number] = (study, record)
    return tuple(found.values())


with_results = pytest.mark.parametrize(
    ("study", "record"),
    [pytest.param(s, r, id=r.source_id) for s, r in registrations() if "resultsSection" in s] if FILES else [],
)


def outcome_results(record: EvidenceRecord) -> list[OutcomeResult]:
    """Ours, without harms."""
    return [r for r in record.results if r.outcome not in _IN_ALL and not _HARMS.search(r.outcome)]


def rows_of(record: EvidenceRecord) -> list[OutcomeResult]:
    """Ours that are rows of a table: the others are effects of several rows, whose arms have no value."""
    return [
        r
        for r in outcome_results(record)
        if any(a.events is not None or a.measured or r.effect is None for a in r.arms)
    ]


def cell(value: walk.Value) -> tuple[object, ...]:
    """What an arm's cell should say: people, events or the measured value with its dispersion."""
    counted = (
        value.kind == "COUNT_OF_PARTICIPANTS"
        and (value.value or "").isdigit()
        and (value.n is None or int(value.value or 0) <= value.n)
    )
    if counted:
        return value.n, int(value.value or 0), None
    found = walk.number(value.value)
    if found is None or value.kind == "COUNT_OF_PARTICIPANTS":
        return value.n, None, None
    limits = tuple(map(walk.number, (value.spread, value.low, value.high)))
    dispersion = _DISPERSION.get(value.dispersion, value.dispersion.replace("Confidence Interval", "CI"))
    return value.n, None, (found, limits, dispersion if any(x is not None for x in limits) and dispersion else None)


def ours(arm: ArmResult) -> tuple[object, ...]:
    if arm.measured is None:
        return arm.n, arm.events, None
    m = arm.measured
    return arm.n, arm.events, (m.value, (m.spread, m.low, m.high), m.dispersion)


@with_results
def test_every_value_of_every_row_is_there_with_its_people_and_its_dispersion(
    study: dict[str, Any], record: EvidenceRecord
) -> None:
    printed: dict[tuple[int, int], list[walk.Value]] = {}
    for value in walk.values(study):
        printed.setdefault((value.outcome, value.row), []).append(value)
    found = rows_of(record)
    assert len(found) == len(printed)
    for (key, values), result in zip(sorted(printed.items()), found, strict=True):
        title = walk.outcomes(study)[key[0]]["title"]
        assert result.outcome.startswith(title)
        assert len({arm.arm for arm in result.arms}) == len(values), f"{title}: an arm twice"
        wanted = Counter(map(cell, values))
        given = Counter(map(ours, result.arms))
        # Where a plain number is a count of people by its unit, we give it as events: the same figure, known as people.
        as_people = {c: (c[0], int(c[2][0]), None) for c in wanted if c[2] and float(c[2][0]).is_integer()}  # type: ignore[index]
        for counted, people in as_people.items():
            if given[counted] < wanted[counted] and given[people]:
                assert re.search(
                    r"participant|patient|subject|people|women|men|child|infant|person", values[0].unit, re.I
                )
                assert not re.search(r"percent|%|proportion|rate", values[0].unit, re.I)
                given[counted] += given.pop(people)
        assert given == wanted, f"{title}, row {key[1]}"


@with_results
def test_every_effect_is_there_once_with_its_interval_hypothesis_and_margin(
    study: dict[str, Any], record: EvidenceRecord
) -> None:
    wanted = Counter()
    for one in walk.effects(study):
        if _TEST_STATISTIC.search(one.kind):
            continue
        low, high, level = walk.number(one.low), walk.number(one.high), walk.number(one.level)
        has_interval = low is not None or high is not None
        tested = {
            "SUPERIORITY": "superiority",
            "NON_INFERIORITY": "non-inferiority",
            "EQUIVALENCE": "equivalence",
        }.get(one.hypothesis)
        if one.hypothesis.startswith("NON_INFERIORITY_OR_EQUIVALENCE"):
            tested = "non-inferiority or equivalence"
        margin = (
            _ESCAPES.sub("", " ".join(one.comment.split()))
            if one.comment and tested not in (None, "superiority")
            else None
        )
        percent = level / 100 if has_interval and level else None
        wanted[walk.number(one.value), low, high, percent, one.p, tested, margin] += 1
    given = Counter(
        (e.estimate, e.ci_low, e.ci_high, e.ci_level, e.p_value, e.tested, e.margin)
        for e in (r.effect for r in outcome_results(record))
        if e
    )
    assert given == wanted


@with_results
def test_deaths_and_adverse_events_in_all_are_those_of_the_groups(
    study: dict[str, Any], record: EvidenceRecord
) -> None:
    given = {r.outcome: Counter((a.events, a.n) for a in r.arms) for r in record.results if r.outcome in _IN_ALL}
    assert given == {name: Counter(groups.values()) for name, groups in walk.harms(study)}


@with_results
def test_single_adverse_events_are_the_most_frequent_with_the_people_of_each_arm(
    study: dict[str, Any], record: EvidenceRecord
) -> None:
    given = [(r.outcome, Counter((a.events, a.n) for a in r.arms)) for r in record.results if _HARMS.search(r.outcome)]
    for kind in ("serious", "other"):
        ending = f"({kind} adverse event)"
        all_of_them = [(name, groups) for name, groups in walk.single_harms(study) if name.endswith(ending)]
        kept = [one for one in given if one[0].endswith(ending)]
        assert len(kept) == min(MOST_EVENTS, len(all_of_them))
        printed = [(name, Counter(groups.values())) for name, groups in all_of_them]
        assert all(one in printed for one in kept)
        shares = sorted((max(a / n for a, n in groups.values()) for _, groups in all_of_them), reverse=True)
        least = min((max((events or 0) / (n or 1) for events, n in cells) for _, cells in kept), default=0)
        assert least >= (shares[: len(kept)] or [0])[-1]


@with_results
def test_arms_have_the_people_who_started_and_caveats_are_told(study: dict[str, Any], record: EvidenceRecord) -> None:
    sizes = walk.started(study)
    if len(record.arms) == len(sizes):
        assert sum(arm.n or 0 for arm in record.arms) == sum(sizes.values())
    for arm in record.arms:
        assert arm.n in (*sizes.values(), None)
    told = [part.text for part in record.abstract if part.label == "Limitations and caveats"]
    words = walk.caveats(study)
    assert told == ([_ESCAPES.sub("", " ".join(words.split()))] if words else [])


@with_results
def test_a_group_whose_title_is_an_arms_name_is_that_arm(study: dict[str, Any], record: EvidenceRecord) -> None:
    names = {arm.name for arm in record.arms}
    for at, outcome in enumerate(walk.outcomes(study)):
        titles = [group["title"] for group in outcome.get("groups", [])]
        exact = {title for title in titles if title in names}
        rows = [r for r in rows_of(record) if r.outcome.startswith(outcome["title"]) and len(r.arms) == len(titles)]
        for row in rows[:1]:
            assert exact <= {arm.arm for arm in row.arms}, f"outcome {at}"


def test_registrations_without_results_give_none() -> None:
    for study, record in registrations():
        if "resultsSection" not in study:
            assert record.results == ()
