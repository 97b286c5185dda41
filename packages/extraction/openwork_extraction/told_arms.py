"""What the text says of headings that say nothing themselves: "Group A received ...", "... (group A)"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations

from openwork_extraction.arms import LEAST_SCORE, SURE, SURE_MARGIN, AskedArms
from openwork_extraction.grid import Figure
from openwork_extraction.labels import LabelKind, is_whole
from openwork_extraction.names import Names, arm_score, arm_words, bare, overlap

_IS_GIVEN = re.compile(
    r"\s*(?:group|arm)?\s*(?:[:=(,]|[^.;]{0,40}?\b(?:receiv\w*|given|took|taking|treated|underwent|assigned|allocated|presented|"
    r"instructed|consist\w*|compris\w*|administered|performed|served|offered|used|trained|followed|continued|injected|fed)\b)",
    re.IGNORECASE,
)
"""Behind the heading of a group: what it was given."""
_OPENS = re.compile(r"[(\[]\s*(?:(?:i\.?e\.?|called|named|termed|denoted|the)[\s,]*)*$", re.IGNORECASE)
"""Before a heading that stands in brackets behind what it is."""
_BRACKETS = re.compile(r"\s*(?:group|arm)?\s*[(\[]([^()\[\]]*)")
_AGAINST = re.compile(r";|\b(?:than|versus|vs|compared|whereas|relative\s+to)\b", re.IGNORECASE)
"""Behind these stands another arm."""
LEAST_TOLD = 1.5
"""Weight of words beside a heading that are one arm's alone."""
LEAST_LEAD = 1.5
"""How often as much as any other heading one has of an arm's words beside it."""
MOST_OPAQUE = 6
_IS_GROUP = re.compile(r"(?:group|arm|cohort)\s+\w{1,4}$|\w{1,4}\s+(?:group|arm|cohort)$", re.IGNORECASE)
_ENTRIES = re.compile(r";\s*(?:and\s+)?|\.\s+|^\s*(?:Notes?|Abbreviations?)\s*:\s*|\.$")
"""Between entries of a note."""
_MOST_ROWS = 6
"""Different headings of rows that may be arms: each stands before several rows."""


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


def told_of_table(
    figures: Sequence[Figure], sentences: Sequence[str], asked: AskedArms, names: Names
) -> dict[str, frozenset[str]]:
    """What the text says of the headings of a table: of all that may be arms together, else of one line alone."""
    told = told_of_headings(headings_of(figures), sentences, asked, names)
    if told:
        return told
    found = [told_of_headings(line, sentences, asked, names) for line in _lines_of(figures)]
    sure = [one for one in found if one]
    return sure[0] if len(sure) == 1 else {}


def defined_below(figures: Sequence[Figure], notes: Sequence[str], names: Names) -> dict[str, frozenset[str]]:
    """What the notes of a table say that its headings are, of two and more: "Group A: 5 mg; Group B: 10 mg"."""
    entries = [entry for note in notes for entry in _ENTRIES.split(note) if entry]
    found: dict[str, frozenset[str]] = {}
    for heading in dict.fromkeys(map(bare, headings_of(figures))):
        called = re.compile(rf"\W*{re.escape(heading)}\s*[:=,–—-]\s*(?P<what>\S.*)", re.IGNORECASE)
        told = {match["what"] for entry in entries if (match := called.fullmatch(entry.strip()))}
        if heading and len(told) == 1:
            found[heading] = arm_words(names, told.pop())
    return found if len(found) > 1 else {}


def _lines_of(figures: Sequence[Figure]) -> Iterator[tuple[str, ...]]:
    """Headings of each line that stand as alternatives to each other, each over or before several figures."""
    lines: dict[tuple[str, str], dict[str, set[tuple[str, ...]]]] = {}
    for figure in figures:
        for label in figure.labels:
            if label.kind is LabelKind.NAME and not is_whole(label.text):
                others = tuple(x.text for x in figure.labels if x.axis == label.axis and x is not label)
                named = lines.setdefault((label.axis, label.level), {})
                named.setdefault(label.text, set()).add((*others, str(figure.row if label.axis == "column" else "")))
    for named in lines.values():
        if 2 <= len(named) <= MOST_OPAQUE and min(len(others) for others in named.values()) > 1:
            yield tuple(named)


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
    scores = _told_scores(opaque, every, sentences, asked, names)
    known = [side for side in (0, 1) if any(_names_side(h, side, asked, names) for h in every if h not in opaque)]
    if len(known) == 1:
        return _told_alone(scores, 1 - known[0], asked)
    if len(opaque) < 2:
        return {}
    pairs = sorted(((scores[a][0] + scores[b][1], a, b) for a, b in permutations(opaque, 2)), key=lambda pair: -pair[0])
    best, first, second = pairs[0]
    told = (scores[first][0], scores[second][1])
    sure = min(told) >= LEAST_TOLD and best > 2 * (scores[first][1] + scores[second][0])
    others = [scores[h] for h in opaque if h not in (first, second)]
    if not sure or any(told[side] < LEAST_LEAD * other[side] for other in others for side in (0, 1)):
        return {}
    return {first: asked.intervention, second: asked.comparator}


def _told_scores(
    opaque: Sequence[str], every: Sequence[str], sentences: Sequence[str], asked: AskedArms, names: Names
) -> dict[str, list[float]]:
    """Heading -> weight of the words beside it in the text that are the first or the second arm's alone."""
    longest_first = sorted(every, key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(h)}(?!\w)" for h in longest_first), re.IGNORECASE)
    lower = {h.lower(): h for h in opaque}  # the others only say where the words beside these end
    only = (asked.intervention - asked.comparator, asked.comparator - asked.intervention)
    scores: dict[str, list[float]] = {h: [0.0, 0.0] for h in opaque}
    for sentence in sentences:
        for heading, beside in _beside(sentence, pattern):
            if heading.lower() not in lower:
                continue
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
    if not sure or (len(ranked) > 1 and best[side] < LEAST_LEAD * scores[ranked[1]][side]):
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
            yield match[0], _AGAINST.split(_in_brackets(behind), maxsplit=1)[0]


def _in_brackets(behind: str) -> str:
    """What stands in the brackets that follow a heading at once; all that follows where none do."""
    opened = _BRACKETS.match(behind)
    return opened[1] if opened and re.search(r"[A-Za-z]{3}", opened[1]) else behind


def _says_nothing(heading: str, asked: AskedArms, names: Names) -> bool:
    words = arm_words(names, heading)
    return max(arm_score(asked.intervention, words), arm_score(asked.comparator, words)) < LEAST_SCORE
