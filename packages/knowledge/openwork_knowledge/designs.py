"""Study designs: one table of their names, kinds and weights, and of the words by which sources tell them.

`data/words/study_designs.tsv` is the only place where a design's words stand; how a record's design is decided from
them is the normaliser's matter.
"""

from __future__ import annotations

import re
from functools import cache

from openwork_contracts.evidence import StudyDesign

from openwork_knowledge.notation import any_of
from openwork_knowledge.tables import table


def _of_kind(group: str) -> frozenset[StudyDesign]:
    return frozenset(StudyDesign(name) for name in table("study_designs").words(group))


SYNTHESES = _of_kind("synthesis")
"""Meta-analyses and systematic reviews."""
RANDOMISED = _of_kind("randomised")
"""Randomised trials, and syntheses, which usually pool them."""
HIGH_QUALITY = _of_kind("high quality")
"""`RANDOMISED` and guidelines."""
SUMMARIES = _of_kind("summary")
"""Syntheses and guidelines: they weigh the single studies."""
OBSERVATIONAL = _of_kind("observational")
TRIALS = _of_kind("trial")
"""Trials, randomised or not, and their registrations."""
DIRECTIVES = _of_kind("directive")
"""Guidelines and drug labels: they say what to do."""
PRIMARY = _of_kind("primary")
"""Designs of single studies, which have a registration of their own; "other" and preprints may be one."""
SAYS_LITTLE = _of_kind("says little")
"""What a source may say of all its records; anything learned about the work itself is better."""


@cache
def _cells(group: str) -> dict[str, str]:
    return {row[1]: row[2] for row in table("study_designs").rows if row[0] == group and len(row) > 2}


def label(design: StudyDesign) -> str | None:
    """A design for a reader, e.g. "randomised trial"; `None` for those that say nothing ("other", "notice")."""
    return _cells("label").get(design)


def nouns(design: StudyDesign) -> tuple[str, ...]:
    """Words that a sentence may call such a work, the best first; none where there is none."""
    listed = _cells("noun").get(design)
    return tuple(listed.split("|")) if listed else ()


def weight(design: StudyDesign, default: float) -> float:
    """Place in the usual hierarchy of evidence for questions of treatment, in [0, 1]; `default` where it has none.

    Weights order works; they are no measure of certainty.
    """
    return float(_cells("weight").get(design, default))


@cache
def designs_of(group: str) -> tuple[tuple[str, StudyDesign], ...]:
    """(word, design) of a group such as "publication type" or "mesh heading", in the order in which they decide.

    Raises:
        KeyError: there is no such group.
    """
    table("study_designs").words(group)
    return tuple((word, StudyDesign(design)) for word, design in _cells(group).items())


@cache
def title_patterns() -> dict[StudyDesign, re.Pattern[str]]:
    """Design -> what finds its words in a title; a hyphen of a word may also be a space."""
    by_design: dict[StudyDesign, list[str]] = {}
    for word, design in designs_of("title"):
        by_design.setdefault(design, []).append(word)
    return {d: re.compile(rf"\b{any_of(words)}\b", re.IGNORECASE) for d, words in by_design.items()}
