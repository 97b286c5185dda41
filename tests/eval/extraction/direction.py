"""Evidence Inference: the direction of an outcome, as most annotators marked it, against what code reads in the text.

The set has the articles' text without its structure; the abstract is told by its headings, the rest is one section.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from openwork_contracts.ranking import TextSection
from openwork_extraction.direction import Direction, direction_of
from openwork_extraction.one_group import has_one_group
from openwork_extraction.study import Asked, StudyText

from tests.eval.extraction.rows import PARTS, part_of

DATA = Path(os.environ.get("OPENWORK_DATA", "../shared/data")) / "benchmarks" / "evidence-inference"
_LABELS = {-1: Direction.DECREASED, 0: Direction.NO_DIFFERENCE, 1: Direction.INCREASED}
_HEADING = re.compile(r"^(?P<head>[A-Z][A-Z0-9 .,&/()'-]{3,150}):[^\S\n]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question with the direction most annotators gave."""

    pmcid: str
    asked: Asked
    wanted: Direction


def prompts() -> Iterator[tuple[StudyText, Prompt]]:
    """Every prompt that has a majority, with its article."""
    for line in gzip.decompress((DATA / "articles_v2.jsonl.gz").read_bytes()).decode().split("\n"):
        if not line:
            continue
        article = json.loads(line)
        pmcid = f"PMC{article['pmcid']}"
        study = StudyText(pmcid, sections=tuple(_sections(article["text"])))
        for prompt in article["prompts"]:
            counts = Counter(a["label_code"] for a in prompt["annotations"] if a["valid_label"])
            ranked = counts.most_common()
            if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]) or ranked[0][0] not in _LABELS:
                continue
            asked = Asked(prompt["intervention"], prompt["comparator"], prompt["outcome"])
            yield study, Prompt(pmcid, asked, _LABELS[ranked[0][0]])


def _sections(text: str) -> Iterator[TextSection]:
    """Stretches of a text between its lines of headings: "ABSTRACT.RESULTS:", "BODY.METHODS.STATISTICS:"."""
    heads = [(m.start(), m.end(), m["head"]) for m in _HEADING.finditer(text)]
    for (_, start, head), end in zip(heads, [*(start for start, _, _ in heads[1:]), len(text)], strict=True):
        if text[start:end].strip():
            path = tuple(part.strip().capitalize() for part in head.split(".") if part.strip() and part != "BODY")
            kind = "abstract" if head.startswith("ABSTRACT") else "text"
            yield TextSection(path=path, text=text[start:end], start=start, end=end, kind=kind)


def one_group() -> dict[str, dict[str, bool]]:
    """Part -> PMCID -> whether the article is said to have one group: all of them are trials that compare two."""
    told: dict[str, dict[str, bool]] = {part: {} for part in PARTS}
    for article, _ in prompts():
        if article.study not in told[part_of(article.study)]:
            told[part_of(article.study)][article.study] = has_one_group(article)
    return told


def scorecard(part: str) -> str:
    """Right, wrong and none of one part, and the share right of those given, by the direction that was wanted."""
    counts: Counter[tuple[str, str]] = Counter()
    for study, prompt in prompts():
        if part_of(prompt.pmcid) != part:
            continue
        told = direction_of(study, prompt.asked)
        verdict = "none" if told is None else "right" if told.direction is prompt.wanted else "wrong"
        counts[prompt.wanted.value, verdict] += 1
        counts["all", verdict] += 1
    lines = [f"== Evidence Inference, {part}", f"{'':16}{'right':>7}{'wrong':>7}{'none':>7}  right of those given"]
    for name in (*(d.value for d in Direction), "all"):
        right, wrong, none = (counts[name, verdict] for verdict in ("right", "wrong", "none"))
        share = f"{100 * right / (right + wrong):.1f} %" if right + wrong else "-"
        lines.append(f"{name:16}{right:7}{wrong:7}{none:7}  {share}")
    return "\n".join(lines)
