"""Which headings of a table are the arms that were asked.

A heading is an arm by its words, by its role ("placebo", "control"), by what the text says of it ("Group A received
..."), or as the only one left of two. Where two headings fit about as well, or one fits both arms, the table says
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from openwork_language.cells.cell import ACTIVE, BEFORE, CONTROL
from openwork_language.cells.contrasts import phase_of

from openwork_extraction.grid import Figure, Label
from openwork_extraction.labels import LabelKind, is_whole, people_in
from openwork_extraction.names import Names, arm_score, arm_words, bare
from openwork_extraction.study import Asked

LEAST_SCORE = 0.3
"""Of an arm's heading: about half of what it says was asked."""
LEAST_MARGIN = 0.12
"""By which the chosen pair of headings must fit better than any other pair."""
SURE = 0.5
SURE_MARGIN = 0.25
"""Of a heading that lets the other one of two be known."""
_CAPITALS = re.compile(r"(?<![\w-])(?=\S*[A-Z]\S*[A-Z])[A-Za-z][\w+/-]*\w(?![\w-])")
"""A word with two capitals: a short form."""
_SEVERAL = re.compile(r"\bor\b|\band/or\b", re.IGNORECASE)
_EXPLAINED = re.compile(r"\s[-–—]\s|:\s")
_ENUMERATED = re.compile(r"\b(?:[Gg]roup|[Aa]rm|[Cc]ohort)\s+(?:[A-Z]{1,3}\d?|\d|I{1,3}V?)\b")
"""A name that only tells groups apart."""
_MOST_HEADINGS = 40
_MOST_WORDS_OF_START = 6
"""Of a comparator that is a time: "before the weight loss programme"."""
_NOT = re.compile(r"\b(?:no(?!\.)|not|without|non|never|nothing)\b", re.IGNORECASE)
_CONTRAST = re.compile(r"\b(?:versus|vs)\b|\w\s?[—–]\s?\w|\w\s+-\s+\w", re.IGNORECASE)
"""Of a heading that compares arms and is none."""
_NAMED = (LabelKind.NAME,)

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
    is_one_group: bool = False
    """There is no other group: headings are no arms, whatever words they share with what was given."""
    short_forms: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    """Short forms of each arm alone, in small letters: those that are asked, and those that the text gives it."""
    called: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    """Enumerated names of each arm alone, in small letters: "group n" of "Group N: needle without guidance"."""
    is_several: tuple[bool, bool] = (False, False)
    """Whether a side is asked as one arm or another, "1 or 2 mg": where a table has both, neither is it alone."""

    @classmethod
    def of(cls, asked: Asked, names: Names) -> AskedArms:
        """Words of both arms; those of a role alone ("placebo") among them."""
        is_start = phase_of(asked.comparator) == BEFORE and len(asked.comparator.split()) <= _MOST_WORDS_OF_START
        first, second = (arm_words(names, text, asked=True) for text in (asked.intervention, asked.comparator))
        if CONTROL not in second and _is_without(asked, first, second):
            second |= {CONTROL}
        if CONTROL in second and CONTROL not in first:
            first |= {ACTIVE}
        elif ACTIVE in first and ACTIVE not in second:
            second |= {CONTROL}
        called = [frozenset(_enumerated(text)) for text in (asked.intervention, asked.comparator)]
        own = (called[0] - called[1], called[1] - called[0])
        several = (_is_several(asked.intervention), _is_several(asked.comparator))
        return cls(first, second, is_start, asked.one_group, _short_forms(asked, names), own, several)


def _is_several(text: str) -> bool:
    """Whether an arm is asked as one or another; what explains a name is not asked: "ACV - metal or bone"."""
    return _SEVERAL.search(_EXPLAINED.split(text, maxsplit=1)[0]) is not None


def _enumerated(text: str) -> list[str]:
    return [" ".join(match[0].casefold().split()) for match in _ENUMERATED.finditer(text)]


def _short_forms(asked: Asked, names: Names) -> tuple[frozenset[str], frozenset[str]]:
    """What each side is called short: "(WBC)", and short forms that stand for all that is asked of it."""
    found: list[set[str]] = []
    for text in (asked.intervention, asked.comparator):
        own = {match[0].lower() for match in _CAPITALS.finditer(text)}
        words = names.as_printed().words(text)
        for short, long in names.long_of.items():
            if words and names.as_printed().words(long) == words:
                own.add(short.lower())
        found.append(own)
    return frozenset(found[0] - found[1]), frozenset(found[1] - found[0])


def _is_without(asked: Asked, first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether the comparator is that the intervention was not given: "no skin-to-skin contact"."""
    denies = _NOT.search(asked.comparator) is not None and _NOT.search(asked.intervention) is None
    return denies and len(second - first) <= len(second) / 2


def is_at_start(figure: Figure) -> bool:
    """Whether a heading of a figure is the start of the study."""
    return any(time.is_baseline for time in figure.times)


def is_later(figure: Figure) -> bool:
    """Whether a heading of a figure is a time after the start."""
    return any(not time.is_baseline for time in figure.times)


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
    if asked.is_one_group:
        return _before_and_after_of_all(figures)
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
    if not best and asked.comparator_is_start:
        return _only_arm(figures, names)
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
    for scores, called in zip((first, second), asked.called, strict=True):
        _take_by_name(scores, called)
    arms = _arms_among(keys, figures, axis, levels)
    _take_the_other(arms, words, first, second)
    pairs = sorted(((first[a] + second[b], a, b) for a, b in permutations(keys, 2)), key=lambda p: -p[0])
    if not pairs or min(first[pairs[0][1]], second[pairs[0][2]]) < LEAST_SCORE:
        return None
    if len(pairs) > 1 and pairs[0][0] - pairs[1][0] < LEAST_MARGIN:
        return None
    chosen = pairs[0][1:]
    for scores, is_several in zip((first, second), asked.is_several, strict=True):
        if is_several and any(scores[key] >= LEAST_SCORE for key in keys if key not in chosen):
            return None
    return Sides(axis, levels, *chosen, score=pairs[0][0])


def _take_by_name(scores: dict[Key, float], called: frozenset[str]) -> None:
    """Where one heading, and one only, has the very name that was asked ("Group N"), it is the arm and no other is."""
    named = [key for key in scores if called & set(_enumerated(" ".join(key)))]
    if len(named) == 1:
        scores.update(dict.fromkeys(scores, 0.0) | {named[0]: 1.0})


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


def _only_arm(figures: Sequence[Figure], names: Names) -> Sides | None:
    """Before and after of the arm that was treated, where headings do not name the treatment.

    Of two headings of which one is the control, the other; all figures, where no heading is one arm among others.
    """
    whole = _before_and_after_of_all(figures)
    if whole is None:
        return None
    for axis in ("column", "row"):
        for level, labels in _labels(figures, axis).items():
            named = [text for text, label in labels.items() if label.kind in _NAMED and not is_whole(text)]
            controls = [text for text in named if CONTROL in arm_words(names, text)]
            if controls and len(named) == 2 and len(controls) == 1:
                key = (next(text for text in named if text not in controls),)
                return Sides(axis, (level,), key, key, baseline_second=True, score=LEAST_SCORE)
            if controls:
                return None
    return whole


def _before_and_after_of_all(figures: Sequence[Figure]) -> Sides | None:
    """All figures of the start and all later ones; `None` where the table does not have both."""
    if not any(map(is_at_start, figures)) or not any(map(is_later, figures)):
        return None
    return Sides("column", (), (), (), baseline_second=True, score=LEAST_SCORE)


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
