"""Arms of a registered trial: one arm has another id, and often another title, in every module."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from openwork_contracts.evidence import TrialArm
from openwork_http.jsonbody import JsonObject, count_at, objects_at, text_at

# armGroups[].type; experimental first, as the contract wants arms, and what it is compared with last.
_ORDER = {
    "EXPERIMENTAL": 0,
    "OTHER": 1,
    "ACTIVE_COMPARATOR": 2,
    "SHAM_COMPARATOR": 3,
    "PLACEBO_COMPARATOR": 3,
    "NO_INTERVENTION": 3,
}
_CONTROL = re.compile(
    r"\b(?:placebo|sham|control|no (?:treatment|intervention)|usual care|standard (?:of )?care|vehicle)\b"
)
_FILLER = frozenset({"arm", "group", "cohort", "the", "and", "of", "with", "in", "patients", "participants", "who",
                     "received", "receiving", "treatment", "treated", "subjects", "randomized", "to"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Arms:
    """The arms as registered, in order: experimental first."""

    names: tuple[str, ...]
    sizes: dict[str, int]
    """People who started, by name; an arm without a count is missing."""
    order: dict[str, int]
    """Place of a name, 0 = first."""

    def trial_arms(self) -> tuple[TrialArm, ...]:
        return tuple(TrialArm(name=name, n=self.sizes.get(name)) for name in self.names)

    def place(self, name: str) -> tuple[int, int]:
        """Where an arm stands among others: as registered; under a title of its own, controls last."""
        return self.order.get(name, len(self.order)), arm_rank(name, None)

    def named(self, groups: Iterable[JsonObject]) -> dict[str, str]:
        """Group id -> the registered arm that the group's title means, for the groups of one table.

        Each arm is given once, to the group that fits it best. Where two fit it equally well ("Examplol, women" and
        "Examplol, men"), and where none fits (a "Total"), groups keep their own titles.
        """
        return one_to_one({text_at(g, "id") or "": text_at(g, "title") or "" for g in groups}, self.names)


def one_to_one(titles: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """Id -> name, no name for two ids; a title that two groups have is told apart by their ids."""
    meant = {key: best_match(title, names) for key, title in titles.items()}
    fits = {key: _overlap(_words(titles[key]), _words(name)) for key, name in meant.items() if name is not None}
    often = Counter(titles.values())
    found = {}
    for key, title in titles.items():
        rivals = [fits[other] for other in fits if other != key and meant[other] == meant[key]]
        name = meant[key]
        if name is None or any(rival >= fits[key] for rival in rivals):
            name = title if often[title] == 1 and title else " ".join(filter(None, (title, f"({key})")))
        found[key] = name
    return found


def read_arms(study: JsonObject) -> Arms:
    """The arms of a study; without `armGroups` those of the participant flow, or of the first posted outcome."""
    protocol = study.get("protocolSection")
    results = study.get("resultsSection")
    registered = list(objects_at(protocol, "armsInterventionsModule", "armGroups"))
    kinds = {text_at(arm, "label") or "": text_at(arm, "type") for arm in registered}
    names = [name for name in kinds if name]
    flow = {text_at(g, "id"): text_at(g, "title") for g in objects_at(results, "participantFlowModule", "groups")}
    if not names:
        names = [title for title in flow.values() if title]
    if not names:
        first = next(objects_at(results, "outcomeMeasuresModule", "outcomeMeasures"), {})
        names = [title for g in objects_at(first, "groups") if (title := text_at(g, "title"))]
    names = list(dict.fromkeys(names))
    names.sort(key=lambda name: arm_rank(name, kinds.get(name)))
    return Arms(tuple(names), _sizes(results, flow, names), {name: place for place, name in enumerate(names)})


def arm_rank(name: str, kind: str | None) -> int:
    """0 for what is tried, 3 for what it is compared with. A placebo registered as EXPERIMENTAL is still a control."""
    rank = _ORDER.get(kind or "", 1)
    return (
        3
        if rank < 3 and _CONTROL.search(name.lower()) and not re.search(r"\bplus\b|\+|\band\b", name.lower())
        else rank
    )


def _sizes(results: object, flow: dict[str | None, str | None], names: list[str]) -> dict[str, int]:
    """People who started the first period, else the baseline's count, per arm; people, not eyes or teeth."""
    sizes: dict[str, int] = {}
    started = one_to_one({key or "": title or "" for key, title in flow.items()}, tuple(names))
    period = next(objects_at(results, "participantFlowModule", "periods"), {})
    for milestone in objects_at(period, "milestones"):
        if text_at(milestone, "type") == "STARTED":
            for entry in objects_at(milestone, "achievements"):
                _put(sizes, started.get(text_at(entry, "groupId") or ""), names, count_at(entry, "numSubjects"))
    if not sizes:
        groups = objects_at(results, "baselineCharacteristicsModule", "groups")
        baseline = one_to_one({text_at(g, "id") or "": text_at(g, "title") or "" for g in groups}, tuple(names))
        for denominator in objects_at(results, "baselineCharacteristicsModule", "denoms"):
            if (text_at(denominator, "units") or "").lower() == "participants":
                for entry in objects_at(denominator, "counts"):
                    _put(sizes, baseline.get(text_at(entry, "groupId") or ""), names, count_at(entry, "value"))
    return sizes


def _put(sizes: dict[str, int], name: str | None, names: list[str], count: int | None) -> None:
    if name in names and count is not None:
        sizes.setdefault(name, count)


def best_match(title: str, names: tuple[str, ...]) -> str | None:
    """The name that a title means: the same words, else one inside the other, else most words in common.

    "2. Repaglinide" and "Patients Who Received Repaglinide" mean the same arm. `None` where two fit equally well:
    a result is rather left under its own title than put under the wrong arm.
    """
    wanted = _words(title)
    if not wanted or title.strip().lower() == "total":
        return None
    scored = sorted(((_overlap(wanted, _words(name)), name) for name in names), reverse=True)
    if not scored or scored[0][0] < 0.5 or (len(scored) > 1 and scored[1][0] == scored[0][0]):
        return None
    return scored[0][1]


def _words(title: str) -> frozenset[str]:
    plain = re.sub(
        r"^\s*(?:\(?\d{1,2}[.):]|\d{1,2}\s+(?=[A-Z])|(?:arm|group|cohort)\s+[a-z0-9]{1,2}\s*[:.)-])\s*",
        "",
        title,
        flags=re.IGNORECASE,
    )
    return frozenset(re.findall(r"[a-z0-9.]+", plain.lower())) - _FILLER


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard index of the words."""
    return len(one & other) / len(one | other) if one | other else 0.0
