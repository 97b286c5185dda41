"""ClinicalTrials.gov API v2: /studies with query.cond, query.intr, query.term, filter.ids, pages; /studies/{nctId}."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tests.fakes.upstream.corpus import Corpus, JsonObject, Part, Work
from tests.fakes.upstream.messages import Reply, Request, json_reply
from tests.fakes.upstream.search import parse

_QUERIES = ("query.cond", "query.intr", "query.term", "query.titles", "query.id")


class ClinicalTrials:
    """The calls."""

    def __init__(self, corpus: Corpus) -> None:
        self._studies: dict[str, tuple[Work, JsonObject]] = {}
        for work in corpus.works:
            if work.nct_id:
                self._studies.setdefault(work.nct_id, (work, study_of(work)))
        for study in corpus.studies:
            number = study["protocolSection"]["identificationModule"]["nctId"]
            self._studies[number] = (_searchable(number, study), study)

    def reply(self, request: Request, path: str) -> Reply:
        if path == "studies":
            return self._search(request)
        if match := re.fullmatch(r"studies/(NCT\d{8})", path):
            held = self._studies.get(match[1])
            if held:
                return json_reply(held[1])
            return Reply(f"NCT number {match[1]} not found".encode(), 404, "text/plain")
        return json_reply({"error": "not found"}, 404)

    def _search(self, request: Request) -> Reply:
        works = [work for work, _ in self._studies.values()]
        if numbers := request.get("filter.ids"):
            wanted = re.split("[|,]", numbers)
            if wrong := next((n for n in wanted if not re.fullmatch(r"NCT\d{8}", n)), None):
                said = f"Item {wanted.index(wrong) + 1} in parameter `filter.ids` has incorrect format"
                return Reply(said.encode(), 400, "text/plain")
            works = [work for work in works if work.nct_id in wanted]
        for name in _QUERIES:
            if text := request.get(name):
                works = parse(text).find(works)
        size = max(1, min(request.number("pageSize", 10), 1000))
        start = (
            int(request.get("pageToken", "0"), 16) if re.fullmatch("[0-9a-f]+", request.get("pageToken", "0")) else 0
        )
        page = works[start : start + size]
        answer: dict[str, object] = {"studies": [self._studies[work.nct_id or ""][1] for work in page]}
        if request.get("countTotal") == "true":
            answer["totalCount"] = len(works)
        if start + size < len(works):
            answer["nextPageToken"] = f"{start + size:x}"
        return json_reply(answer)


def _searchable(number: str, study: JsonObject) -> Work:
    """A recorded study as something to search in: all of its protocol's words."""
    protocol = study["protocolSection"]
    title = protocol["identificationModule"].get("briefTitle", number)
    return replace(_EMPTY, key=number, title=title, nct_id=number, parts=(Part(None, json.dumps(protocol)),))


_EMPTY = Work(key="", title="", year=None)


def study_of(work: Work) -> JsonObject:
    """A registration with posted results, out of what the library says of the trial."""
    label = {part.label: part.text for part in work.parts}
    protocol: JsonObject = {
        "identificationModule": {"nctId": work.nct_id, "briefTitle": work.title},
        "statusModule": {"overallStatus": "COMPLETED", "lastUpdatePostDateStruct": {"date": f"{work.year}-12-31"}},
        "descriptionModule": {"briefSummary": label.get("Question") or work.title},
        "conditionsModule": {"conditions": [], "keywords": list(work.mesh)},
        "designModule": {
            "studyType": "INTERVENTIONAL",
            "enrollmentInfo": {"count": sum(arm.get("n") or 0 for arm in work.arms), "type": "ACTUAL"},
        },
        "armsInterventionsModule": {
            "armGroups": [{"label": arm["name"], "type": _arm_type(arm["name"])} for arm in work.arms],
        },
        "eligibilityModule": {"eligibilityCriteria": label.get("Population") or ""},
        "referencesModule": {"references": [{"pmid": work.pmid, "type": "RESULT"}] if work.pmid else []},
    }
    results = [_outcome(result, index) for index, result in enumerate(work.results)]
    study: JsonObject = {"protocolSection": protocol, "derivedSection": {}, "hasResults": bool(results)}
    if results:
        study["resultsSection"] = {"outcomeMeasuresModule": {"outcomeMeasures": results}}
    return study


def _arm_type(name: str) -> str:
    return "PLACEBO_COMPARATOR" if "placebo" in name.lower() else "EXPERIMENTAL"


def _outcome(result: Mapping[str, Any], index: int) -> JsonObject:
    """One posted outcome: counts of people per arm, and the analysis."""
    arms = [arm for arm in result.get("arms") or [] if arm.get("n") and arm.get("events") is not None]
    ids = [f"OG{number:03d}" for number in range(len(arms))]
    outcome: JsonObject = {
        "type": "PRIMARY" if index == 0 else "SECONDARY",
        "title": result["outcome"],
        "timeFrame": result.get("time_point") or "",
        "paramType": "COUNT_OF_PARTICIPANTS",
        "unitOfMeasure": "Participants",
        "groups": [{"id": i, "title": arm["arm"]} for i, arm in zip(ids, arms, strict=True)],
        "denoms": [
            {"units": "Participants", "counts": [_count(i, arm["n"]) for i, arm in zip(ids, arms, strict=True)]}
        ],
        "classes": [
            {"categories": [{"measurements": [_count(i, arm["events"]) for i, arm in zip(ids, arms, strict=True)]}]}
        ],
    }
    effect = result.get("effect")
    if effect and effect.get("estimate") is not None:
        outcome["analyses"] = [_analysis(effect, ids)]
    return outcome


def _count(group: str, value: int) -> JsonObject:
    return {"groupId": group, "value": str(value)}


def _analysis(effect: Mapping[str, Any], ids: list[str]) -> JsonObject:
    names = {"HR": "Hazard Ratio (HR)", "RR": "Risk Ratio (RR)", "OR": "Odds Ratio (OR)"}
    analysis = {
        "groupIds": ids,
        "paramType": names.get(effect["measure"], effect["measure"]),
        "paramValue": str(effect["estimate"]),
        "ciPctValue": f"{100 * effect['ci_level']:g}" if effect.get("ci_level") else None,
        "ciNumSides": "TWO_SIDED",
        "ciLowerLimit": None if effect.get("ci_low") is None else str(effect["ci_low"]),
        "ciUpperLimit": None if effect.get("ci_high") is None else str(effect["ci_high"]),
        "pValue": effect.get("p_value"),
    }
    return {name: value for name, value in analysis.items() if value is not None}
