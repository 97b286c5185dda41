"""Which two numbers of a sentence may be one result of two arms, and which only stand near each other.

Numbers of a list ("4.1 ± 1, 3.9 ± 2 and 3.0 ± 1 in A, B and C, respectively") belong to the names of a list of the same
length, or to nobody. Numbers of different units are of different things. A part of a sentence that turns to something
else ("but", "except for") tells of what it names itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from openwork_language.quantities.units import UNIT_PATTERN, canonical_unit

from openwork_extraction.arms import LEAST_MARGIN, LEAST_SCORE, AskedArms
from openwork_extraction.names import Names, arm_score, arm_words
from openwork_extraction.order import COMPARED
from openwork_extraction.told import PAIR, ToldNumber

Told = Sequence[ToldNumber]
_LISTED = re.compile(
    r"\s*[)\]]?\s*(?:%|[a-zA-Zμµ°]{1,8}(?:/[a-zA-Z]{1,4})?)?\s*(?:,\s*(?:and|or|versus|vs\.?)?|;|/|\band\b|\bor\b|\bversus\b|\bvs?\b\.?)\s*"
)
"""Between two numbers of a list, and nothing is named."""
_BARE_BEFORE = re.compile(r"(?:^|(?<!\bof)[\s(\[])\d+(?:\.\d+)?\s*(?:,\s*)?(?:and|or|,)\s*$")
"""Before a percentage: another one that leaves out its sign, "35 and 42.5 %"."""
_SPLIT = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|versus|vs\.?)\s+")
_RESPECTIVELY = re.compile(r"^(?P<names>[^.;]{0,200}?)[\s,(]*\brespectively\b")
_LAST_STRETCH = re.compile(r"[^.;:]*$")
_TURNS = re.compile(r"[,;]?\s+\b(?:but|however|although|though|except(?:\s+for)?|apart\s+from)\b|;", re.IGNORECASE)
_UNIT = re.compile(rf"\s*[)\]]?\s*(?P<unit>%|{UNIT_PATTERN})")
LEAST_SHARE = 0.5
"""Of the asked words that a sentence has, what the part with the numbers has to have where the sentence turns."""


def pairs_of(text: str, told: Told) -> Iterator[tuple[int, tuple[ToldNumber, ToldNumber], bool]]:
    """The two numbers of a sentence, or each two neighbours of several that are in no list.

    Yields:
        Where the words about the pair begin, the pair, and whether it is compared: "(1.2 ± 0.3 vs 1.4 ± 0.2)".
    """
    if len(told) == PAIR:
        if not any(_continues(text, one) for one in told) and not _differ_in_unit(text, told):
            yield 0, (told[0], told[1]), True
        return
    compared = [COMPARED.fullmatch(text[one.end : other.start]) is not None for one, other in pairwise(told)]
    listed = {id(one) for run in lists_of(text, told) for one in run}
    last = 0
    for place, pair in enumerate(pairwise(told)):
        if not any(id(one) in listed for one in pair) and not _differ_in_unit(text, pair):
            yield last, pair, compared[place]
        if compared[place]:
            last = pair[1].end


def lists_of(text: str, told: Told) -> list[Told]:
    """Runs of three and more numbers with nothing named between them."""
    runs: list[list[ToldNumber]] = [[]]
    for one in told:
        if runs[-1] and not _LISTED.fullmatch(text[runs[-1][-1].end : one.start]):
            runs.append([])
        runs[-1].append(one)
    return [run for run in runs if len(run) > PAIR]


def listed_pair(text: str, run: Told, arms: AskedArms, names: Names) -> tuple[ToldNumber, ToldNumber] | None:
    """The intervention's and the comparator's number of a list, by a list of as many names that goes with it.

    The names stand behind the numbers ("..., respectively") or before them; each of the asked arms has to be exactly
    one of them.
    """
    behind = _RESPECTIVELY.match(text[run[-1].end :])
    if behind is None:
        return None
    before = _LAST_STRETCH.search(text[: run[0].start])
    for stretch in (behind["names"], before[0] if before else ""):
        items = _SPLIT.split(stretch.strip(" ,()"))
        if len(items) != len(run):
            continue
        found = [_item_of(items, side, arms, names) for side in (0, 1)]
        if found[0] is not None and found[1] is not None and found[0] != found[1]:
            return run[found[0]], run[found[1]]
    return None


def _item_of(items: Sequence[str], side: int, arms: AskedArms, names: Names) -> int | None:
    """Which of the names is the arm: its short form, or clearly the nearest; `None` = none is."""
    asked = (arms.intervention, arms.comparator)[side]
    scores = [
        1.0 if arms.short_forms[side] & set(item.lower().split()) else arm_score(asked, arm_words(names, item))
        for item in items
    ]
    ranked = sorted(range(len(items)), key=lambda place: -scores[place])
    best, next_best = (scores[place] for place in ranked[:2])
    return ranked[0] if best >= LEAST_SCORE and best - next_best >= LEAST_MARGIN else None


def _continues(text: str, one: ToldNumber) -> bool:
    """Whether a percentage goes on with a list of numbers: "35 and 42.5 %"."""
    return one.form == "percent" and _BARE_BEFORE.search(text[: one.start]) is not None


def _differ_in_unit(text: str, pair: Told) -> bool:
    """Whether both numbers have a unit and these differ."""
    units = {canonical_unit(match["unit"]) for one in pair if (match := _UNIT.match(text[one.end :]))}
    return pair[0].form == "mean" and len(units) > 1


def part_of(text: str, pair: Told) -> str:
    """The part of a sentence that holds both numbers, between words that turn to something else; else the sentence."""
    start, end = 0, len(text)
    for match in _TURNS.finditer(text):
        if text.count("(", 0, match.start()) != text.count(")", 0, match.start()):
            continue
        if match.end() <= pair[0].start:
            start = match.end()
        elif match.start() >= pair[1].end:
            end = min(end, match.start())
        else:
            return text
    return text[start:end]
