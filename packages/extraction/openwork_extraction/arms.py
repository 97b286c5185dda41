"""Which headings of a table are the arms that were asked.

A heading is an arm by its words, by its role ("placebo", "control"), by what the text says of it ("Group A received
..."), or as the only one left of two. Where two headings fit about as well, or one fits both arms, the table says
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from openwork_language.cells.cell import ACTIVE, BEFORE, CONTROL
from openwork_language.cells.contrasts import phase_of

from openwork_extraction.grid import Figure, Label
from openwork_extraction.labels import LabelKind, is_whole, people_in, time_in
from openwork_extraction.names import Names, arm_score, arm_words, bare, overlap
from openwork_extraction.study import Asked

LEAST_SCORE = 0.3
"""Of an arm's heading: about half of what it says was asked."""
LEAST_MARGIN = 0.12
"""By which the chosen pair of headings must fit better than any other pair."""
SURE = 0.5
SURE_MARGIN = 0.25
"""Of a heading that lets the other one of two be known."""
_IS_GIVEN = re.compile(
    r"\s*(?:group|arm)?\s*(?:[:=(,]|[^.;]{0,40}?\b(?:receiv\w*|given|took|taking|treated|underwent|assigned|allocated|presented|"
    r"instructed|consist\w*|compris\w*|administered|performed|served|offered|used|trained|followed|continued|injected|fed)\b)",
    re.IGNORECASE,
)
"""Behind the heading of a group: what it was given."""
_OPENS = re.compile(r"[(\[]\s*(?:(?:i\.?e\.?|called|named|termed|denoted|the)[\s,]*)*$", re.IGNORECASE)
"""Before a heading that stands in brackets behind what it is."""
LEAST_TOLD = 1.5
"""Weight of words beside a heading that are one arm's alone."""
MOST_OPAQUE = 6
_MOST_HEADINGS = 40
_NOT = re.compile(r"\b(?:no(?!\.)|not|without|non|never|nothing)\b", re.IGNORECASE)
_CONTRAST = re.compile(r"\b(?:versus|vs)\b|\w\s?[—–]\s?\w|\w\s+-\s+\w", re.IGNORECASE)
"""Of a heading that compares arms and is none."""
_NAMED = (LabelKind.NAME,)
_IS_GROUP = re.compile(r"(?:group|arm|cohort)\s+\w{1,4}$|\w{1,4}\s+(?:group|arm|cohort)$", re.IGNORECASE)
_MOST_ROWS = 6
"""Different headings of rows that may be arms: each stands before several rows."""

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sides:
    """Which figures are of which arm."""

    axis: str
    levels: tuple[str, ...]
    """The lines of headings that tell the arms apart, of `axis`."""
    first: Key
    second: Key
    baseline_second: bool = False
    """The comparator is the same arm at the start."""
    score: float = 0.0

    def of(self, figure: Figure) -> int | None:
        """0 = the intervention, 1 = the comparator, `None` = neither."""
        key = key_of(figure, self.axis, self.levels)
        if self.baseline_second:
            return None if key != self.first else int(is_at_start(figure))
        return 0 if key == self.first else 1 if key == self.second else None


@dataclass(frozen=True, slots=True)
class AskedArms:
    """The two arms as words."""

    intervention: frozenset[str]
    comparator: frozenset[str]
    comparator_is_start: bool
    """What is compared with is the time before: "baseline"."""

    @classmethod
    def of(cls, asked: Asked, names: Names) -> AskedArms:
        """Words of both arms; those of a role alone ("placebo") among them."""
        is_start = phase_of(asked.comparator) == BEFORE and len(asked.comparator.split()) <= 4
        first, second = (arm_words(names, text, asked=True) for text in (asked.intervention, asked.comparator))
        if CONTROL not in second and _is_without(asked, first, second):
            second |= {CONTROL}
        if CONTROL in second and CONTROL not in first:
            first |= {ACTIVE}
        elif ACTIVE in first and ACTIVE not in second:
            second |= {CONTROL}
        return cls(first, second, is_start)


def _is_without(asked: Asked, first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether the comparator is that the intervention was not given: "no skin-to-skin contact"."""
    denies = _NOT.search(asked.comparator) is not None and _NOT.search(asked.intervention) is None
    return denies and len(second - first) <= len(second) / 2


def is_at_start(figure: Figure) -> bool:
    """Whether a heading of a figure is the start of the study."""
    times = (time_in(label.text, label.above) for label in figure.labels if label.kind is LabelKind.TIME)
    return any(time is not None and time.is_baseline for time in times)


def is_later(figure: Figure) -> bool:
    """Whether a heading of a figure is a time after the start."""
    times = (time_in(label.text, label.above) for label in figure.labels if label.kind is LabelKind.TIME)
    return any(time is not None and not time.is_baseline for time in times)


def key_of(figure: Figure, axis: str, levels: Sequence[str]) -> Key:
    """The headings of a figure in these lines of one axis; "" where it has none."""
    at = {label.level: bare(label.text) for label in figure.labels if label.axis == axis}
    return tuple(at.get(level, "") for level in levels)


def find_sides(
    figures: Sequence[Figure], asked: AskedArms, names: Names, told: Mapping[str, frozenset[str]]
) -> Sides | None:
    """The headings of the two arms; `None` where the table does not say which they are.

    Args:
        told: heading -> words that the text uses of it, for headings that say nothing themselves.
    """
    best: list[Sides] = []
    for axis in ("column", "row"):
        levels = _levels_that_name_arms(figures, axis, asked, names, told)
        found = _assigned(figures, axis, levels, asked, names, told) if levels else None
        if found is None and len(levels) > 1:
            alone = [_assigned(figures, axis, (level,), asked, names, told) for level in levels]
            sure = [sides for sides in alone if sides is not None]
            found = sure[0] if len(sure) == 1 else None
        if found is not None:
            best.append(found)
    best.sort(key=lambda sides: -sides.score)
    if len(best) == 2 and best[0].score - best[1].score < LEAST_MARGIN:
        return None
    return best[0] if best else None


def _labels(figures: Iterable[Figure], axis: str) -> dict[str, dict[str, Label]]:
    """Line of headings -> its different headings."""
    found: dict[str, dict[str, Label]] = {}
    for figure in figures:
        for label in figure.labels:
            if label.axis == axis:
                found.setdefault(label.level, {}).setdefault(bare(label.text), label)
    return found


def _heading_words(text: str, names: Names, told: Mapping[str, frozenset[str]]) -> frozenset[str]:
    words = told.get(text) or arm_words(names, text)
    return words | {CONTROL} if _NOT.search(text) else words


def _levels_that_name_arms(
    figures: Sequence[Figure], axis: str, asked: AskedArms, names: Names, told: Mapping[str, frozenset[str]]
) -> tuple[str, ...]:
    found = []
    for level, labels in _labels(figures, axis).items():
        named = [text for text, label in labels.items() if label.kind in _NAMED]
        if len(named) < 2 and not (asked.comparator_is_start and named):
            continue
        scores = [
            max(arm_score(asked.intervention, w), arm_score(asked.comparator, w))
            for w in (_heading_words(text, names, told) for text in named)
        ]
        if max(scores, default=0) >= LEAST_SCORE:
            found.append(level)
    return tuple(found)


def _assigned(
    figures: Sequence[Figure],
    axis: str,
    levels: tuple[str, ...],
    asked: AskedArms,
    names: Names,
    told: Mapping[str, frozenset[str]],
) -> Sides | None:
    kinds = {(label.level, bare(label.text)): label.kind for f in figures for label in f.labels if label.axis == axis}
    keys = list(dict.fromkeys(key_of(figure, axis, levels) for figure in figures))
    keys = [
        k
        for k in keys
        if any(k) and all(kinds.get((lv, t), LabelKind.NAME) in _NAMED for lv, t in zip(levels, k, strict=True) if t)
    ]
    keys = [k for k in keys if not _is_contrast(k, keys)]
    if not keys or len(keys) > _MOST_HEADINGS:
        return None
    words = {k: frozenset().union(*(_heading_words(t, names, told) for t in k if t)) for k in keys}
    first = {k: arm_score(asked.intervention, w) for k, w in words.items()}
    if asked.comparator_is_start:
        return _before_and_after(axis, levels, first)
    second = {k: arm_score(asked.comparator, w) for k, w in words.items()}
    arms = _arms_among(keys, figures, axis, levels)
    _take_the_other(arms, words, first, second)
    pairs = sorted(((first[a] + second[b], a, b) for a, b in permutations(keys, 2)), key=lambda p: -p[0])
    if not pairs or min(first[pairs[0][1]], second[pairs[0][2]]) < LEAST_SCORE:
        return None
    if len(pairs) > 1 and pairs[0][0] - pairs[1][0] < LEAST_MARGIN:
        return None
    return Sides(axis, levels, pairs[0][1], pairs[0][2], score=pairs[0][0])


def _is_contrast(key: Key, keys: Sequence[Key]) -> bool:
    """Whether a heading compares two others: "Intervention - control"."""
    text = " ".join(key).casefold()
    if not _CONTRAST.search(text):
        return False
    others = [" ".join(other).casefold() for other in keys if other != key]
    return sum(bool(other) and other in text for other in others) >= 2


def _before_and_after(axis: str, levels: tuple[str, ...], first: Mapping[Key, float]) -> Sides | None:
    ranked = sorted(first.items(), key=lambda item: -item[1])
    if not ranked or ranked[0][1] < LEAST_SCORE:
        return None
    if len(ranked) > 1 and ranked[0][1] - ranked[1][1] < LEAST_MARGIN:
        return None
    key = ranked[0][0]
    return Sides(axis, levels, key, key, baseline_second=True, score=ranked[0][1])


def _take_the_other(
    arms: Sequence[Key], words: Mapping[Key, frozenset[str]], first: dict[Key, float], second: dict[Key, float]
) -> None:
    """Of two arms, where one heading is surely one of them and the other names neither: it is the other arm."""
    if len(arms) != 2:
        return
    for known, unknown in ((first, second), (second, first)):
        for one, other in (arms, arms[::-1]):
            is_sure = known[one] >= SURE and known[one] - max(known[other], unknown[one]) >= SURE_MARGIN
            names_neither = max(unknown[other], known[other]) < LEAST_SCORE
            if is_sure and names_neither and not (CONTROL in words[other] and unknown is first):
                unknown[other] = LEAST_SCORE


def _arms_among(keys: Sequence[Key], figures: Sequence[Figure], axis: str, levels: tuple[str, ...]) -> list[Key]:
    """The headings that may be arms: those with people, where some have; never the whole."""
    named = [key for key in keys if not any(is_whole(text) for text in key if text)]
    with_people = {
        key_of(figure, axis, levels)
        for figure in figures
        if any(people_in(label.text) is not None for label in figure.labels if label.axis == axis)
    }
    return [key for key in named if key in with_people] or named


def headings_of(figures: Sequence[Figure]) -> tuple[str, ...]:
    """Headings that may be arms: those of columns, of rows that are called a group, or that come back in each row."""
    found: dict[str, None] = {}
    rows: dict[str, dict[str, set[tuple[str, ...]]]] = {}
    for figure in figures:
        for label in figure.labels:
            if label.kind not in (LabelKind.NAME, LabelKind.TIME):
                continue
            if label.axis == "column" or _IS_GROUP.match(bare(label.text)):
                found[label.text] = None
            else:
                others = tuple(x.text for x in figure.labels if x.axis == "row" and x is not label)
                rows.setdefault(label.level, {}).setdefault(label.text, set()).add(others)
    for named in rows.values():
        if 2 <= len(named) <= _MOST_ROWS and min(len(others) for others in named.values()) > 1:
            found |= dict.fromkeys(named)
    return tuple(found)


def told_of_headings(
    headings: Iterable[str], sentences: Sequence[str], asked: AskedArms, names: Names
) -> dict[str, frozenset[str]]:
    """What the text says of headings that say nothing themselves: "Group A received ...", "... (group A)".

    A heading is an arm where the words next to it, in all sentences together, are mostly those of that arm alone; of
    two such headings each is one arm. Where another heading names one arm itself, the other arm is told alone.
    """
    every = list(dict.fromkeys(map(bare, headings)))
    opaque = [h for h in every if 1 <= len(h) <= 40 and _says_nothing(h, asked, names)]
    if not opaque or len(opaque) > MOST_OPAQUE:
        return {}
    scores = _told_scores(opaque, sentences, asked, names)
    known = [side for side in (0, 1) if any(_names_side(h, side, asked, names) for h in every if h not in opaque)]
    if len(known) == 1:
        return _told_alone(scores, 1 - known[0], asked)
    if len(opaque) < 2:
        return {}
    pairs = sorted(((scores[a][0] + scores[b][1], a, b) for a, b in permutations(opaque, 2)), key=lambda pair: -pair[0])
    best, first, second = pairs[0]
    sure = min(scores[first][0], scores[second][1]) >= LEAST_TOLD and best > 2 * (scores[first][1] + scores[second][0])
    if not sure or (
        len(pairs) > 2 and best < 1.5 * max(score for score, a, b in pairs[1:] if (a, b) != (second, first))
    ):
        return {}
    return {first: asked.intervention, second: asked.comparator}


def _told_scores(
    opaque: Sequence[str], sentences: Sequence[str], asked: AskedArms, names: Names
) -> dict[str, list[float]]:
    """Heading -> weight of the words beside it in the text that are the first or the second arm's alone."""
    longest_first = sorted(opaque, key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(h)}(?!\w)" for h in longest_first), re.IGNORECASE)
    lower = {h.lower(): h for h in opaque}
    only = (asked.intervention - asked.comparator, asked.comparator - asked.intervention)
    scores: dict[str, list[float]] = {h: [0.0, 0.0] for h in opaque}
    for sentence in sentences:
        for heading, beside in _beside(sentence, pattern):
            words = names.words(beside) | arm_words(names, beside)
            for side in (0, 1):
                scores[lower[heading.lower()]][side] += overlap(words, only[side])
    return scores


def _names_side(heading: str, side: int, asked: AskedArms, names: Names) -> bool:
    words = arm_words(names, heading)
    scores = (arm_score(asked.intervention, words), arm_score(asked.comparator, words))
    return scores[side] >= SURE and scores[side] - scores[1 - side] >= SURE_MARGIN


def _told_alone(scores: Mapping[str, Sequence[float]], side: int, asked: AskedArms) -> dict[str, frozenset[str]]:
    """The one heading that the text tells to be this arm; none where two are told about as much."""
    ranked = sorted(scores, key=lambda heading: -scores[heading][side])
    best = scores[ranked[0]]
    sure = best[side] >= LEAST_TOLD and best[side] > 2 * best[1 - side]
    if not sure or (len(ranked) > 1 and best[side] < 1.5 * scores[ranked[1]][side]):
        return {}
    return {ranked[0]: (asked.intervention, asked.comparator)[side]}


def _beside(sentence: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Each heading in a sentence with the words that belong to it: behind it, or before it if it stands in brackets."""
    found = list(pattern.finditer(sentence))
    for place, match in enumerate(found):
        before = sentence[found[place - 1].end() if place else 0 : match.start()]
        behind = sentence[match.end() : found[place + 1].start() if place + 1 < len(found) else len(sentence)]
        if _OPENS.search(before):
            yield match[0], before
        elif _IS_GIVEN.match(behind):
            yield match[0], behind.split(";")[0]


def _says_nothing(heading: str, asked: AskedArms, names: Names) -> bool:
    words = arm_words(names, heading)
    return max(arm_score(asked.intervention, words), arm_score(asked.comparator, words)) < LEAST_SCORE
