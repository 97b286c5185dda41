"""The one reader of cells: each number of a sentence with the arm, outcome and time it belongs to.

Numbers that stand together ("12.1% versus 15.3%", "2.1%, 3.4% and 5.0%") are a run. A run takes its arms from the list
that stands beside it ("in the A, B and C groups, respectively"), from the words around each number ("2.1% with A and
3.4% with B"), or, in order, from the comparison that the sentence states ("lower with A than with B (12.1% versus
15.3%)"). Used for claims and for sources alike, so that both are read with the same eyes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from openwork_language.cells.cell import AFTER, BEFORE, Cell
from openwork_language.cells.contrasts import Contrast, arms_of, find_contrasts
from openwork_language.cells.nearness import words_near
from openwork_language.cells.times import HARD_BREAK, read_times, times_of
from openwork_language.numbered_names import find_numbered_names
from openwork_language.quantities.compare import Quantity, QuantityKind, find_quantities
from openwork_language.quantities.find import kind_of_unit
from openwork_language.wording import concepts

_K = QuantityKind
# These belong to the number before them ("HR 0.79 (0.66-0.95; P=0.01)") and do not separate two figures.
_ATTACHED = frozenset({_K.INTERVAL, _K.P_VALUE, _K.RANGE})
_DEVIATION = re.compile(r"(?:±|\+/-?|\bS[DE]M?\b\.?)[\s=:,(]*$")
_NAMED_SIDE = re.compile(
    r".*\b(?:with|in|for|among|on|after|receiving|given)\s+(?:the\s+)?(?P<side>(?:[\w+/-]+\s+){0,4}?(?:groups?|arms?|[\w+/-]+))(?=\W|$)",
    re.IGNORECASE | re.DOTALL,
)
_WHOLE = 0.6
"""Nearness of every word of a sentence to its only ratio: \"bleeding was 2% with A and 3% with B (HR 0.69)\"."""
_PERIOD_CHARS = 60
_SIDE_WORDS = 9
_SIDE_CHARS = 160
"""In which a side is looked for before its figures."""
_JOIN = re.compile(
    r"\s*[)\]]?\s*,?\s*(?:and|to|versus|vs?\.?|or|(?:as\s+)?compared\s+(?:with|to)|,|/|against|than)?\s*[(\[]?\s*",
    re.IGNORECASE,
)
_SUMMED_UP = re.compile(
    r"\s*(?:relative\s+|absolute\s+)?(?:lower|higher|fewer|less|more|greater|reduc\w+|decreas\w+|increas\w+|drop|fall|rise)\b"
    r"[^.;()\[\]]{0,60}[(\[]\s*",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:was|were|is|are|had|has|have|did|does|do|occurred|occurs|went|rose|fell|showed|reported|received|remained|reached|developed|died|experienced|averaged|ranged|amounted|measured|totalled|totaled|equalled)\b",
    re.IGNORECASE,
)
_NEW_PEOPLE = re.compile(
    r";\s*(?:and\s+)?(?:the\s+)?(?:patients|people|women|men|children|adults|those|participants|subjects|infants)\s+"
    r"(?:with|in|on|who|given|taking|receiving)\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:reduc|increas|lower|decreas|improv|declin|worsen|elevat|rais)\w*(?:ed|es)\b", re.IGNORECASE
)
_VERB_OR_CHANGE = re.compile(rf"{_VERB.pattern}|{_CHANGED.pattern}", re.IGNORECASE)
_GOES_ON = re.compile(
    r"[\s,]*(?:(?:and|or|but|versus|vs\.?|compared)\s+)?(?:(?:with|to|by|only|about|around|nearly|just)\s+)?"
    r"(?:in|with|among|for|at|on|after|during|without)\b",
    re.IGNORECASE,
)
"""Behind a figure: who or when, and no other subject."""
_PARTS = re.compile(r"\b(?:and|versus|vs|compared|than|or)\b", re.IGNORECASE)
_ITEM = r"(?:[\w+/&'-]+(?:\s[\w+/&'-]+){0,5}?)"
_ITEMS = re.compile(
    r"(?:\b(?:the|of|in|with|for|by|on|to|among|between|receiving|taking|given|at|after)\s+)?"
    rf"(?P<items>(?:{_ITEM},\s+)*{_ITEM},?\s+(?:and|versus|vs\.?|or)\s+(?:the\s+|in\s+|with\s+|for\s+|at\s+)*{_ITEM})(?=\W|$)",
    re.IGNORECASE,
)
_SPLIT_ITEMS = re.compile(r",?\s+(?:and|versus|vs\.?|or)\s+|,\s+", re.IGNORECASE)
_TO = re.compile(r"\s*(?:\bto\b|[-\u2013\u2014])\s*", re.IGNORECASE)
_CHANGES = re.compile(
    r"\b(?:increas|decreas|r[io]se|fell|fall|drop|declin|improv|worsen|chang|reduc|grew|trend|went|gain|lower|rais|climb|shorten|lengthen|up|down)\w*",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def read_cells(text: str) -> tuple[Cell, ...]:
    """The numbers of a sentence in order of place, intervals and p values as fields of what they belong to as well."""
    names = [(name.start, name.end) for name in find_numbered_names(text)]
    quantities = _parted(
        text, [q for q in find_quantities(text) if not any(a <= q.start and q.end <= b for a, b in names)]
    )
    quantities = _with_periods(text, quantities)
    if not quantities:
        return ()
    figures = [q for q in quantities if q.kind not in _ATTACHED and not _is_deviation(text, q)]
    bound = {cell.quantity.start: cell for series in _series(text, figures) for cell in _read(text, series, figures)}
    for one, other in pairwise(figures):
        if _says_the_same(text, one, other):
            bound[other.start] = replace(bound[one.start], quantity=other, told_twice=True)
    _mark_changes(text, figures, bound)
    times = read_times(text)
    cells: list[Cell] = []
    owner: int | None = None
    for quantity in quantities:
        if quantity.start in bound and quantity.kind not in _ATTACHED:
            owner = owner if quantity.start in {place for place, _ in times} else len(cells)
            cells.append(replace(bound[quantity.start], times=times_of(text, quantity, times, figures)))
            continue
        own = cells[owner] if owner is not None else _read(text, [quantity], figures)[0]
        cells.append(replace(own, quantity=quantity, interval=None, p_value=None, attached=True))
        if owner is not None and quantity.kind is _K.INTERVAL and own.interval is None:
            cells[owner] = replace(own, interval=quantity)
        elif owner is not None and quantity.kind is _K.P_VALUE and own.p_value is None:
            cells[owner] = replace(own, p_value=quantity)
    return tuple(cells)


def _parted(text: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """ "Rose from 11.5% to 13.6%" is two numbers, "took 3 to 5 days" one range."""
    parted: list[Quantity] = []
    for quantity in quantities:
        between = _TO.search(text, quantity.start, quantity.end)
        if (
            quantity.high is None
            or quantity.kind is _K.INTERVAL
            or between is None
            or not _is_change(text, quantity.start)
        ):
            parted.append(quantity)
            continue
        kind = kind_of_unit(quantity.unit) if quantity.kind is _K.RANGE else quantity.kind
        first = replace(
            quantity, kind=kind, high=None, text=text[quantity.start : between.start()], end=between.start()
        )
        second = replace(
            quantity,
            kind=kind,
            value=quantity.high,
            high=None,
            text=text[between.end() : quantity.end],
            start=between.end(),
        )
        parted += [first, second]
    return parted


def _with_periods(text: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """ "3.09% per year with A and 2.13% with B", "2.13% and 3.09% per year": the period is said once."""
    found = list(quantities)
    percents = [
        i for i, q in enumerate(found) if q.unit == "%" or (q.kind is _K.RATE and (q.unit or "").startswith("%/"))
    ]
    for i, j in (*pairwise(percents), *(pair[::-1] for pair in pairwise(percents))):
        one, other = found[i], found[j]
        between = text[min(one.end, other.end) : max(one.start, other.start)]
        near = len(between) <= _PERIOD_CHARS and not re.search(r"[;.]\s|\(", between)
        if one.kind is _K.RATE and other.kind is _K.PERCENT and other.high is None and near:
            found[j] = replace(other, kind=_K.RATE, unit=one.unit)
    return found


def _is_change(text: str, start: int) -> bool:
    """Whether a number is the first of "changed from ... to ..."."""
    before = text[:start].rstrip()
    return before.lower().endswith("from") and _CHANGES.search(before[-70:]) is not None


def _mark_changes(text: str, figures: Sequence[Quantity], bound: dict[int, Cell]) -> None:
    """Before and after for the numbers of "from 63% (CI) to 96% (CI) at A, 58% to 93% at B"."""
    opened = False
    for one, other in pairwise(figures):
        opened = opened or _is_change(text, one.start)
        if opened and _same_kind(one, other) and re.fullmatch(r"\s*to\s+(?:about\s+)?", _stripped(text, one, other)):
            for quantity, phase in ((one, BEFORE), (other, AFTER)):
                cell = bound[quantity.start]
                bound[quantity.start] = replace(cell, words={**cell.words, phase: 1.0}, arm=cell.arm | {phase})


def _series(text: str, figures: Sequence[Quantity]) -> list[list[Quantity]]:
    """Numbers of one kind that are told beside each other: joined, or with no more than their arms between them.

    Joined ones are a series of their own: "ICU admission (2% versus 40%), death (2% versus 15%)" are two.
    """
    runs: list[list[Quantity]] = []
    for quantity in figures:
        own = next((run for run in reversed(runs) if _same_kind(run[-1], quantity)), None)
        if own is not None and _is_joined(text, [own[-1], quantity]):
            own.append(quantity)
        else:
            runs.append([quantity])
    series: list[list[Quantity]] = []
    for run in runs:
        beside = (
            own
            for own in series
            if _same_kind(own[-1], run[0])
            and (len(own) == 1 or not _is_joined(text, own))
            and _beside(text[own[-1].end : run[0].start])
        )
        own = next(beside, None) if len(run) == 1 else None
        if own is None:
            series.append(list(run))
        else:
            own += run
    return series


def _same_kind(one: Quantity, other: Quantity) -> bool:
    return one.kind is other.kind and one.unit == other.unit and one.measure == other.measure


def _beside(between: str) -> bool:
    """Whether nothing but connectors, brackets and the words of one side stand between two numbers."""
    bare = re.sub(r"(?:±|\+/-)\s?[\d.]+|\([^()]*\)|\[[^\[\]]*\]", " ", between)
    if re.search(r";|(?<!\bvs)\.\s", bare) or _VERB.search(bare):
        return False
    return len(re.findall(r"[A-Za-z]+", bare)) <= _SIDE_WORDS and not _CHANGED.search(bare)


def _is_deviation(text: str, quantity: Quantity) -> bool:
    """ "4.4 ± 2.8", "62.4, SE 2.4", "77.4% (26.3)": the second number belongs to the first."""
    if _DEVIATION.search(text, max(0, quantity.start - 8), quantity.start):
        return True
    alone = quantity.kind is _K.COUNT and text[quantity.end : quantity.end + 1] in {")", "]"}
    return alone and re.search(r"\d\s?%?\s?[(\[]$", text[max(0, quantity.start - 6) : quantity.start]) is not None


def _says_the_same(text: str, one: Quantity, other: Quantity) -> bool:
    """ "17 of the 58 patients (29.3%)", "29.3% (17/58)": one fact told twice."""
    kinds = {one.kind, other.kind}
    if _K.PERCENT not in kinds or not kinds & {_K.FRACTION, _K.COUNT} or len(kinds) != 2:
        return False
    between = text[one.end : other.start]
    return bool(re.fullmatch(r"[^()\[\];,.]{0,60}[(\[]\s*", between)) and not _PARTS.search(between)


def _read(text: str, series: list[Quantity], figures: Sequence[Quantity]) -> list[Cell]:
    """Cells of numbers that are told beside each other; their sides from a list, a comparison, or the words nearest."""
    sides = _sides(text, series)
    clause = _clause(text, series[0])
    outcome = concepts(clause)
    others_of_kind = [
        q for q in figures if q not in series and _same_kind(q, series[0]) and not _sums_up(text, q, series[0])
    ]
    joined = len(series) > 1 and _is_joined(text, series)
    inline = [_inline(text, i, series) for i in range(len(series))]
    shared = _shared_words(text, series, others_of_kind) if len(series) > 1 else {}
    subject = _subject_carried_on(text, series, figures)
    cells = []
    for i, quantity in enumerate(series):
        if joined:  # "(2% versus 40%)": what stands before and behind is said of both
            whole = replace(series[0], end=series[-1].end)
            words = words_near(text, whole, others_of_kind)
        else:
            words = words_near(text, quantity, [*others_of_kind, *(q for q in series if q is not quantity)])
        if quantity.kind is _K.EFFECT and len(series) == 1 and not others_of_kind:
            words = {word: max(near, _WHOLE) for word, near in words.items()}
        arm: frozenset[str] = frozenset()
        if sides is not None:
            arm = arms_of(sides[i], " ".join(s for j, s in enumerate(sides) if j != i))[0]
            others = frozenset().union(*(concepts(s) for j, s in enumerate(sides) if j != i)) - arm
            words = {word: kept for word, kept in words.items() if word not in others} | dict.fromkeys(arm, 1.0)
        if sides is None and len(series) > 1:
            words |= dict.fromkeys(_marks(inline, i), 1.0)
        words = _with_shared(_with_shared(words, shared), subject)
        cells.append(
            Cell(quantity, words, arm, outcome - arm, frozenset(), sides[i] if sides else None, clause or None)
        )
    return cells


def _sums_up(text: str, one: Quantity, first: Quantity) -> bool:
    """ "23% lower (3.7% versus 4.8%)": the first is what the others come to, and no result beside them."""
    return one.end <= first.start and _SUMMED_UP.fullmatch(text, one.end, first.start) is not None


def _inline(text: str, place: int, series: Sequence[Quantity]) -> str:
    """The phrase behind a number, up to the next number or the end of the phrase."""
    until = series[place + 1].start if place + 1 < len(series) else len(text)
    behind = re.sub(r"^\s*(?:±\s?[\d.]+)?\s*(?:\([^()]*\))?", "", text[series[place].end : until])
    return re.split(r"[,;()]|\b(?:and|versus|vs\.?|compared|whereas|while|but|than)\b|\.(?:\s|$)", behind, maxsplit=1)[
        0
    ].strip()


def _marks(inline: Sequence[str], place: int) -> frozenset[str]:
    """Role and marks of one number's phrase beside the phrases of the others."""
    others = " ".join(words for i, words in enumerate(inline) if i != place)
    if not inline[place] or not others.strip():
        return frozenset()
    side, _ = arms_of(inline[place], others)
    return frozenset(word for word in side if word[0] in "@#")


def _shared_words(text: str, series: Sequence[Quantity], others: Sequence[Quantity]) -> dict[str, float]:
    """What is said of all numbers of a series: before the verb of the first, behind that of the last."""
    whole = replace(series[0], end=series[-1].end)
    verbs = [m.start() for m in _VERB.finditer(text, 0, series[0].start)]
    behind = _VERB.search(text, series[-1].end)
    until, since = verbs[-1] if verbs else 0, behind.start() if behind else len(text)
    outside = f"{text[:until]}{' ' * (since - until)}{text[since:]}"
    return words_near(outside, whole, others)


def _subject_carried_on(text: str, series: Sequence[Quantity], figures: Sequence[Quantity]) -> dict[str, float]:
    """The subject of the first figures of a clause, for later ones that name none.

    "The end point was lower in A (9% v 10%) and in B (12% v 17%)", "B lowered stroke (HR 0.6) and death (HR 0.7)".
    """
    before = [q for q in figures if q.end <= series[0].start]
    if not before:
        return {}
    in_brackets = all(re.search(r"[(\[][^()\[\]]*$", text[: q.start]) for q in (before[-1], series[0]))
    if not in_brackets and not _GOES_ON.match(_stripped_of_brackets(text[before[-1].end : series[0].start])):
        return {}
    clause = [m.end() for m in HARD_BREAK.finditer(text, 0, series[0].start)][-1:] or [0]
    first = next((q for q in figures if q.start >= clause[0] and q.kind is series[0].kind), series[0])
    verbs = [m.start() for m in _VERB_OR_CHANGE.finditer(text, clause[0], first.start)]
    if not verbs or first in series:
        return {}
    return words_near(
        f"{text[: verbs[-1]]} {text[first.start :]}", replace(first, start=verbs[-1] + 1, end=verbs[-1] + 2), ()
    )


def _stripped_of_brackets(between: str) -> str:
    return re.sub(r"^[^()\[\]]*[)\]]|\([^()]*\)|\[[^\[\]]*\]", " ", between)


def _with_shared(words: dict[str, float], shared: dict[str, float]) -> dict[str, float]:
    return words | {word: max(kept, words.get(word, 0.0)) for word, kept in shared.items()}


def _is_joined(text: str, series: Sequence[Quantity]) -> bool:
    return all(_JOIN.fullmatch(_bare_between(text, a, b)) for a, b in pairwise(series))


def _sides(text: str, series: Sequence[Quantity]) -> Sequence[str] | None:
    """What each number of a series belongs to where the sentence says so by order: a list, or a comparison."""
    if len(series) < 2:
        return None
    joined = _is_joined(text, series)
    if (
        len(series) == 2
        and re.search(r"\bfrom\s+\W?$", text[: series[0].start], re.IGNORECASE)
        and re.match(r"\s*(?:±\s?[\d.]+)?\s*(?:\([^()]*\))?\s*to\b", text[series[0].end :])
    ):
        return ("before", "after")
    if joined and (listed := _listed(text, series)):
        return listed
    contrasts = [c for c in find_contrasts(text) if not any(q.text in f"{c.first} {c.second}" for q in series)]
    contrast = _contrast_of(text, series, contrasts) if len(series) == 2 and joined else None
    if contrast is not None:
        return (contrast.first, contrast.second)
    # "More patients in the intervention group went on (86/125 v 78/133)": the first figure is that side's.
    bracketed = joined and len(series) == 2 and re.search(r"[(\[][^()\[\]]*$", text[: series[0].start])
    named = _NAMED_SIDE.search(text[max(0, bracketed.start() - _SIDE_CHARS) : bracketed.start()]) if bracketed else None
    return (named["side"], "") if named else None


def _contrast_of(text: str, series: Sequence[Quantity], contrasts: Sequence[Contrast]) -> Contrast | None:
    """The comparison whose sides two numbers are: the last before them, else the first after.

    A clause that begins with people of its own ("; and patients with X were ...") takes none from the clause before.
    """
    before = [c for c in contrasts if c.start < series[0].start]
    if before and _NEW_PEOPLE.search(text, before[-1].end, series[0].start):
        return None
    return before[-1] if before else next(iter(contrasts), None)


def _clause(text: str, first: Quantity) -> str:
    """The words before a series in its clause: what was measured."""
    before = text[: first.start]
    breaks = [m.end() for m in HARD_BREAK.finditer(before)]
    return " ".join(re.sub(r"\([^()]*\)|^[^()]*\)|[(\[]", " ", before[breaks[-1] :] if breaks else before).split())


def _listed(text: str, series: Sequence[Quantity]) -> list[str] | None:
    """The items of the list that stands beside a run of numbers, in the same order: "respectively", or "in A and B"."""
    text = re.sub(r"\([^()]*\)", lambda m: " " * len(m[0]), text)
    explicit = "respectively" in text.lower()
    behind = re.sub(r"^\s*(?:±|\+/-)\s?[\d.·]+\s*[A-Za-z/%]*", "", text[series[-1].end :]).lstrip(" ,)")
    after = _ITEMS.match(" ".join(behind.split()))
    candidates = [after] if after else []
    if explicit:
        candidates += list(_ITEMS.finditer(" ".join(text[: series[0].start].split())))
    for match in candidates:
        items = _SPLIT_ITEMS.split(match["items"])
        if len(items) == len(series) and all(re.search("[A-Za-z]", i) for i in items):
            return items
    return None


def _bare_between(text: str, one: Quantity, other: Quantity) -> str:
    """What stands between two numbers without brackets, deviations, and the unit that both name."""
    bare = _stripped(text, one, other)
    unit = re.match(r"\s*(?:±\s?[\d.·]+\s*)?(?P<word>[A-Za-zµ²³/%]+)", text[other.end :])
    if unit and re.match(rf"\s*{re.escape(unit['word'])}\s", bare):
        return bare.replace(unit["word"], "", 1)
    return bare


def _stripped(text: str, one: Quantity, other: Quantity) -> str:
    return re.sub(r"\s*\([^()]*\)|\s*\[[^\[\]]*\]|\s?(?:±|\+/-)\s?[\d.·]+", "", text[one.end : other.start])
