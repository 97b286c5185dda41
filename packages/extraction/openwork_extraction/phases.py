"""Headings that are times since another of their line says the same of the time after; the pair that is compared.

"Before the course in May" and "After the course in July" are a time each, whatever else they say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from openwork_knowledge.tables import words
from openwork_language.cells.cell import AFTER, BEFORE
from openwork_language.cells.contrasts import phase_of

from openwork_extraction.grid import Figure, Label
from openwork_extraction.labels import LabelKind
from openwork_extraction.names import bare
from openwork_extraction.records import Record

_SAYS = {BEFORE: "before", AFTER: "after"}
_PHASE_WORDS = frozenset(words("one-group", "phase"))
_MONTHS = frozenset(word.casefold() for word in words("months"))
_PREFIX = re.compile(r"\b(?:pre|post)(?=[a-z]{4})")


def subject_of_phase(text: str) -> frozenset[str]:
    """What a heading is before or after: its words without those of the phase, of months and numbers."""
    found = re.findall(r"[a-z]+", _PREFIX.sub("", bare(text).casefold()))
    return frozenset(found) - _PHASE_WORDS - _MONTHS


def with_phases(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """The figures, with headings "before ..." and "after ..." of one line and the same thing read as times."""
    says = _paired(label for figure in figures for label in figure.labels)
    if not says:
        return tuple(figures)
    return tuple(replace(figure, labels=tuple(_as_time(x, says) for x in figure.labels)) for figure in figures)


def _paired(labels: Iterable[Label]) -> dict[tuple[str, str, str], str]:
    """(axis, line, words) -> "before" or "after", of the headings that have their counterpart."""
    of_subject: dict[tuple[str, str, frozenset[str]], dict[str, set[str]]] = {}
    for label in labels:
        phase = phase_of(bare(label.text)) if label.kind is LabelKind.NAME else ""
        if phase:
            key = (label.axis, label.level, subject_of_phase(label.text))
            of_subject.setdefault(key, {}).setdefault(phase, set()).add(label.text)
    return {
        (axis, level, text): _SAYS[phase]
        for (axis, level, _), phases in of_subject.items()
        if len(phases) == len(_SAYS)
        for phase, texts in phases.items()
        for text in texts
    }


def _as_time(label: Label, says: dict[tuple[str, str, str], str]) -> Label:
    said = says.get((label.axis, label.level, label.text))
    return replace(label, kind=LabelKind.TIME, says=said) if said else label


def keep_pair(record: Record) -> None:
    """Of one arm before and after, the two times and the kinds of number that are compared.

    "Post-test" is what "pre-test" is compared with, where a follow-up comes behind it; else the last time is.
    A kind of number that only one of the two times has, "change" say, is none of both.
    """
    after, before = record.figures
    subjects = {subject_of_phase(text) for figure in before for text in _phases_of(figure, BEFORE)}
    named = [f for f in after if any(subject_of_phase(text) in subjects for text in _phases_of(f, AFTER))]
    last = max((_days(f) for f in after), default=0)
    after[:] = named or [f for f in after if _days(f) == last]
    kinds = set(map(_kinds_of, after)) & set(map(_kinds_of, before))
    if kinds:
        after[:] = [f for f in after if _kinds_of(f) in kinds]
        before[:] = [f for f in before if _kinds_of(f) in kinds]


def _phases_of(figure: Figure, phase: str) -> list[str]:
    """The headings of a figure that name a phase and what it is before or after: "pre-test", never "12 weeks"."""
    times = [label.text for label in figure.labels if label.kind is LabelKind.TIME]
    return [text for text in times if phase_of(bare(text)) == phase and subject_of_phase(text)]


def _kinds_of(figure: Figure) -> tuple[str, ...]:
    return tuple(label.text for label in figure.labels if label.kind is LabelKind.STATISTIC)


def _days(figure: Figure) -> float:
    return max((t.days if t.days is not None else 0.5 for t in figure.times), default=0.5)
