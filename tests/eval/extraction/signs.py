"""Results against the direction that annotators marked: no label of a number, on articles that no rule was made from.

The texts and marks of Evidence Inference are no part of the data here: the folder that OPENWORK_EVIDENCE_INFERENCE
names holds `xml/PMC....nxml`, `prompts_merged.csv` and `v2_annotations.csv` of github.com/jayded/evidence-inference
(its folder annotations, where the texts are in xml_files). Articles that other measures use are left out; the rest are
halved by a hash of the PMCID: of one half
rows may be looked at, of the other only totals are printed.

A complete result *agrees* where the sign of the difference of its arms is the one that was marked, *contradicts* where
it is the other or none. Beside it, what the arms' own numbers say of chance: *too near* = a significant difference was
marked and p is over 0.3; *too far* = none was marked and p is under 0.001 (a test by the normal distribution: trials
use others, so some of both are right).
"""

from __future__ import annotations

import hashlib
import math
import os
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from openwork_extraction.extract import extract
from openwork_extraction.printed import number
from openwork_extraction.results import StudyResult
from openwork_extraction.study import Asked, StudyText

from tests.eval.extraction import direction, rows

TEXTS = Path(os.environ.get("OPENWORK_EVIDENCE_INFERENCE", "../evidence-inference"))
LOOKED_AT, COUNTED = "looked at", "counted only"
TOO_NEAR, TOO_FAR = 0.3, 0.001
_DRAWS, _SEED = 10_000, 0


@dataclass(frozen=True, slots=True)
class Marked:
    """One question with the direction that most annotators marked, and what they marked it by."""

    pmcid: str
    asked: Asked
    sign: int
    """-1 significantly decreased, 1 increased, 0 no significant difference."""
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """A question and what extraction gives for it."""

    marked: Marked
    result: StudyResult | None
    sign: int = 0
    p: float = 1.0

    @property
    def agrees(self) -> bool | None:
        """Whether the sign is the marked one; `None` = no result, or no difference was marked."""
        return None if self.result is None or not self.marked.sign else self.sign == self.marked.sign

    @property
    def is_too_near(self) -> bool:
        """Whether a significant difference was marked where the arms' numbers are far from one."""
        return self.result is not None and self.marked.sign != 0 and self.p > TOO_NEAR

    @property
    def is_too_far(self) -> bool:
        """Whether no difference was marked where the arms' numbers are far apart."""
        return self.result is not None and self.marked.sign == 0 and self.p < TOO_FAR


def part_of(pmcid: str) -> str:
    """Which half an article belongs to."""
    return LOOKED_AT if hashlib.sha256(f"signs {pmcid}".encode()).digest()[0] % 2 == 0 else COUNTED


def marked(part: str) -> Iterator[Marked]:
    """The questions of a half, in the order of their articles' hash; those without a majority are left out."""
    asked = {one["PromptID"]: one for one in _lines("prompts_merged.csv")}
    told: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for one in _lines("v2_annotations.csv"):
        if one["Valid Label"] == "True":
            told[one["PromptID"]].append((int(one["Label Code"]), one["Annotations"]))
    used = _used()
    found = []
    for prompt, marks in told.items():
        one = asked[prompt]
        pmcid = f"PMC{one['PMCID']}"
        ranked = Counter(code for code, _ in marks).most_common()
        clear = len(ranked) == 1 or ranked[0][1] > ranked[1][1]
        if clear and pmcid not in used and part_of(pmcid) == part:
            question = Asked(one["Intervention"], one["Comparator"], one["Outcome"])
            found.append(Marked(pmcid, question, ranked[0][0], tuple(text for _, text in marks)))
    yield from sorted(found, key=lambda m: hashlib.sha256(m.pmcid.encode()).digest())


def _used() -> set[str]:
    """Articles that another measure of extraction uses."""
    further = {one["pmcid"] for one in rows.lines_of(rows.FURTHER, "\t")}
    return {row.pmcid for row in rows.rows()} | further | {prompt.pmcid for _, prompt in direction.prompts()}


def _lines(name: str) -> list[dict[str, str]]:
    return rows.lines_of(TEXTS / name, ",")


def compared(part: str, most: int | None = None) -> Iterator[Compared]:
    """What extraction gives for the questions of a half, or of its first `most` articles."""
    study: StudyText | None = None
    seen: list[str] = []
    for one in marked(part):
        if one.pmcid not in seen:
            if len(seen) == most:
                return
            seen.append(one.pmcid)
            path = TEXTS / "xml" / f"{one.pmcid}.nxml"
            study = rows.study_in(path, one.pmcid) if path.exists() else None
        if study is not None:
            first = extract(study, one.asked).first
            yield compare(one, first if first is not None and first.is_complete else None)


def compare(one: Marked, result: StudyResult | None) -> Compared:
    """A question beside the numbers of its result."""
    if result is None:
        return Compared(one, None)
    difference, error = _difference(result)
    sign = (difference > 0) - (difference < 0)
    p = math.erfc(abs(difference) / error / math.sqrt(2)) if error > 0 else float(difference == 0)
    return Compared(one, result, sign, p)


def _difference(result: StudyResult) -> tuple[float, float]:
    """Of both arms, and its standard error: of two means, or of two shares of people with half an event more."""
    values, variances = [], []
    for arm in result.arms:
        assert arm.n is not None  # the result is complete
        n = float(number(arm.n.value))
        if arm.events is not None and result.is_counted:
            share = float(number(arm.events.value)) / n
            near = (share * n + 0.5) / (n + 1)
            values.append(share)
            variances.append(near * (1 - near) / n)
        elif arm.mean is not None and arm.deviation is not None:
            values.append(float(number(arm.mean.value)))
            variances.append(float(number(arm.deviation.value)) ** 2 / n)
    return values[0] - values[1], math.sqrt(sum(variances))


def quoted(one: Compared) -> int | None:
    """How many of the two arms' values the annotators' own marks print; `None` where these print no two figures."""
    if one.result is None:
        return None
    shown = [set(re.findall(r"\d+(?:\.\d+)?", text.replace("·", "."))) for text in one.marked.evidence]
    if not any(len(numbers) >= 4 for numbers in shown):
        return None
    cells = [[c for c in (arm.events, arm.percent, arm.mean, arm.median) if c is not None] for arm in one.result.arms]
    values = [{f"{abs(number(cell.value))}" for cell in of_arm} for of_arm in cells]
    return max(sum(bool(own & numbers) for own in values) for numbers in shown)


def scorecard(part: str, found: Sequence[Compared]) -> str:
    """Given, agreeing and contradicting, with the interval of the share by bootstrap over the articles."""
    given = [one for one in found if one.result is not None]
    told = [one for one in given if one.agrees is not None]
    against = [one for one in told if not one.agrees]
    places = Counter(one.result.source.value for one in given if one.result)
    wrong = Counter(one.result.source.value for one in against if one.result)
    marks = Counter(n for one in given if (n := quoted(one)) is not None)
    none = [one for one in given if one.marked.sign == 0]
    return "\n".join(
        (
            f"== Evidence Inference, {part}: {len(found)} questions of {len({o.marked.pmcid for o in found})} articles",
            f"  given: {len(given)} ({100 * len(given) / max(1, len(found)):.1f} %), by place {dict(places)}",
            f"  a difference was marked: {len(told)}; agree {len(told) - len(against)}, contradict {len(against)} "
            f"{_share(told)}, by place {dict(wrong)}; too near {sum(o.is_too_near for o in told)}",
            f"  no difference was marked: {len(none)}; too far {sum(o.is_too_far for o in none)}",
            f"  of the two values, the annotators' marks print: {dict(sorted(marks.items()))}",
        )
    )


def _share(told: Sequence[Compared]) -> str:
    """Share that contradicts: articles drawn with replacement."""
    by_article: dict[str, list[bool]] = defaultdict(list)
    for one in told:
        by_article[one.marked.pmcid].append(not one.agrees)
    totals = [(sum(against), len(against)) for against in by_article.values()]
    if not totals:
        return "-"
    draw = random.Random(_SEED)
    shares = sorted(
        sum(a for a, _ in chosen) / sum(n for _, n in chosen)
        for chosen in (draw.choices(totals, k=len(totals)) for _ in range(_DRAWS))
    )
    whole = sum(a for a, _ in totals) / sum(n for _, n in totals)
    return f"{100 * whole:.1f} % [{100 * shares[int(0.025 * _DRAWS)]:.1f}, {100 * shares[int(0.975 * _DRAWS)]:.1f}]"


def shown(one: Compared) -> str:
    """A question for the developer: what is asked, what is marked, what is given and where it stands."""
    asked = one.marked.asked
    told = f"{one.marked.pmcid} {asked.intervention} | {asked.comparator} | {asked.outcome}: marked {one.marked.sign}"
    if one.result is None:
        return f"{told}, none given"
    cells = [
        f"{c.value}" for arm in one.result.arms for c in (arm.events, arm.percent, arm.mean, arm.deviation, arm.n) if c
    ]
    return (
        f"{told}, given {one.result.source} {one.result.outcome[:200]} at {one.result.time}: {cells} "
        f"{[arm.arm for arm in one.result.arms]}\n     marks: {[text[:200] for text in one.marked.evidence[:2]]}"
    )
