"""Figures that say who is meant: ages, measures ("eGFR 30-50", "LVEF of 40% or less") and stages ("NYHA class III").

Every figure is an interval of its measure; a single value is an interval of one point. Ages are in years, whatever the
text counts in. Of eGFR and creatinine clearance each keeps its name: they are near each other, not the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from openwork_contracts.question import PopulationKind
from openwork_knowledge import mesh
from openwork_knowledge.notation import any_of
from openwork_knowledge.tables import table, words

from openwork_language.numbered_names import find_numbered_names
from openwork_language.quantities.units import UNIT_PATTERN, canonical_unit

AGE = "age"
_YEARS = {"year": 1.0, "yr": 1.0, "yo": 1.0, "month": 1 / 12, "mo": 1 / 12, "week": 7 / 365.25, "day": 1 / 365.25}
_N = r"(?:\d{1,3}(?:,\d{3})+|\d+(?:[.·]\d+)?)"
_TIME = r"(?P<unit>years?|yrs?|months?|weeks?|days?)"
_NO_TIME = r"(?!\s?-?(?i:hours?|days?|weeks?|months?|years?)\b)"
""" "ALT over 72 weeks" has no value of ALT."""
_DASH = r"(?:\s?[-–—]\s?|\s+to\s+|\s+and\s+)"
_STAGES = frozenset({"stage", "grade", "class"})
_LETTERED = re.compile(
    r"\b(?P<name>Child[-–](?:Turcotte[-–])?Pugh|Killip|Rutherford|Fontaine|Hurley|Tanner|BCLC|Barcelona)\s+"
    r"(?:(?:class|score|stage|type)\s+)?(?P<low>[A-D])(?:\s?(?:-|–|or|and|to|/)\s?(?P<high>[A-D]))?\b"
)
_FUNCTIONAL = re.compile(
    r"\b(?P<name>NYHA|New York Heart Association|ASA|CCS|WHO|Killip|GOLD|KDIGO|AJCC|Hoehn and Yahr|ISUP)\s+"
    r"(?:functional\s+)?(?:(?:physical status|class|classes|stage|stages|grade|grades|group)\s+)?"
    r"(?P<low>\d|IV|I{1,3})(?:\s?(?:-|–|or|and|to|/)\s?(?P<high>\d|IV|V|I{1,3}))?\b(?!\.\d|-\w)"
)
_SHORT = {"New York Heart Association": "NYHA"}
_OF_HARM = re.compile(
    r"(?:\s+or\s+(?:higher|more|above|worse|greater))?\s+(?:\w+\s+){0,2}?(?:adverse|toxic\w*|side|events?|reactions?|\w+penia"
    r"|bleed\w*|ha?emorrhag\w*|mucositis|diarrh\w*|infections?|hepatotoxicity)\b",
    re.IGNORECASE,
)
_HARM_OF = re.compile(r"\b(?:events?|reactions?|toxicit\w+|effects?|\w+penia|bleed\w*)\s+(?:of\s+)?$", re.IGNORECASE)
""" "Adverse events of grade 3" are harms of that grade, and people of none."""
_ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5}


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a text; `text` is exactly [start, end)."""

    kind: PopulationKind
    measure: str
    low: float | None
    """`None` = no lower bound."""
    high: float | None
    """`None` = no upper bound."""
    unit: str | None
    start: int
    end: int
    text: str
    in_words: bool = False
    """An age named by a word: children, older adults."""


@lru_cache(maxsize=4096)
def figures_in(text: str) -> tuple[Figure, ...]:
    """Every figure in order of place; none overlaps another. A target ("to an LDL below 70") is none."""
    found: list[Figure] = []
    for reader in (_gestation, _measures, _ages, _stages, _age_words, _unlisted):
        for figure in reader(text):
            if not any(figure.start < other.end and other.start < figure.end for other in found):
                found.append(figure)
    return tuple(sorted(found, key=lambda figure: figure.start))


def _word(group: str) -> str:
    return any_of(words("measures", f"word: {group}"))


@cache
def _names() -> dict[str, tuple[str, str | None]]:
    """Spelling in small letters -> measure and the unit that goes without saying."""
    rows = [row for row in table("measures").rows if not row[0].startswith("word:")]
    named = {}
    for name, spelling, unit in rows:
        for form in {spelling.removesuffix("s?"), f"{spelling.removesuffix('s?')}s"}:
            named[form.casefold()] = (name, None if unit == "-" else unit)
    return named


@cache
def listed_measures() -> frozenset[str]:
    """The measures that `measures.tsv` has; a figure of another is known by its words alone."""
    return frozenset(name for name, _ in _names().values())


@cache
def _measure_pattern() -> re.Pattern[str]:
    names = any_of(row[1] for row in table("measures").rows if not row[0].startswith("word:"))
    unit = rf"%|{UNIT_PATTERN}|/[µμ]L"
    first, second = (
        rf"(?P<{letter}>{_N}){_NO_TIME}(?:\s?[x×]\s?10\s?\^?(?:9|⁹)\s?/\s?L)?(?:\s?(?P<unit{n}>{unit}))?"
        for letter, n in (("a", 1), ("b", 2))
    )
    more, less = _word("more"), _word("less")
    return re.compile(
        rf"(?<![\w-])(?P<name>(?i:{names}))(?![\w-])\)?(?:[\s:=,(]+(?i:{_word('between')})(?=[\s:]))*"
        rf"(?:\s+(?i:is|are|was|were|only|just|about|around|roughly|down to|up at|still|currently|now))*[\s:=,(]*"
        rf"(?:(?P<more>(?i:{more}))|(?P<less>(?i:{less})))?\s*(?<![\d.]){first}(?!\d)"
        rf"(?:/\d{{2,3}})?(?:{_DASH}(?i:{less}\s*)?{second})?"
        rf"(?:\s?(?:mm\s?Hg))?"
        rf"(?:\s*(?:(?P<ormore>(?i:{_word('or more')})\b|\+)|(?P<orless>(?i:{_word('or less')})\b)))?"
    )


@cache
def _plain_pattern() -> re.Pattern[str]:
    more, less = _word("more"), _word("less")
    return re.compile(
        rf"(?P<name>[A-Za-z][\w/-]*(?:\s[A-Za-z][\w-]*){{0,3}}?)(?:\s(?:of|is|was))?\s?"
        rf"(?:(?P<more>(?i:{more}))|(?P<less>(?i:{less})))\s?(?P<a>{_N})\s?(?P<unit>%|{UNIT_PATTERN})?"
    )


def plain_figure(phrase: str) -> Figure | None:
    """A phrase that is wholly a figure of a measure that no list has: "ascitic protein below 15 g/L"."""
    match = _plain_pattern().fullmatch(phrase.strip())
    if match is None:
        return None
    return _of_no_list(match, match["name"], 0, phrase)


def _of_no_list(match: re.Match[str], measure: str, start: int, text: str) -> Figure:
    low, high = _bounds(match)
    unit = canonical_unit(match["unit"]) if match["unit"] else None
    return Figure(PopulationKind.MEASURE, measure, low, high, unit, start, start + len(text), text)


@cache
def _unlisted_pattern() -> re.Pattern[str]:
    more, less = _word("more"), _word("less")
    return re.compile(
        rf"\bwhose\s+(?P<all>(?P<name>[A-Za-z][\w-]*(?:\s[A-Za-z][\w-]*){{0,3}}?)\s(?:is|are|was|were)\s"
        rf"(?:(?:only|just|about|around|still|now|already)\s)?(?:(?P<more>(?i:{more}))|(?P<less>(?i:{less})))?\s?"
        rf"(?P<a>{_N})(?!\d)(?:\s?(?P<unit>%|{UNIT_PATTERN}))?)"
    )


_RELATIVES = re.compile(
    r"(?:mother|father|parent|wi[fv]e|husband|sister|brother|son|daughter|child|baby|partner|spouse|famil[yi]e?)s?",
    re.IGNORECASE,
)


def _unlisted(text: str) -> Iterator[Figure]:
    """Figures of what MeSH names and no list of measures has: "patients whose [ammonia is 90]"."""
    for match in _unlisted_pattern().finditer(text) if "whose" in text else ():
        if mesh.subject(match["name"]) is None or _RELATIVES.fullmatch(match["name"]):
            continue  # "whose mother was 60"
        yield _of_no_list(match, match["name"].casefold(), match.start("all"), match["all"])


@cache
def _gestation_pattern() -> re.Pattern[str]:
    side = rf"(?:(?P<more>{_word('more')}|after)|(?P<less>{_word('less')}|before))"
    side2 = side.replace("<more>", "<more2>").replace("<less>", "<less2>")
    weeks = rf"(?P<a>{_N})(?:{_DASH}(?P<b>{_N}))?[\s-]weeks?(?:['’])?"
    return re.compile(
        rf"(?<![\w-])(?:(?:born|delivered)\s+(?:at\s+)?{side}?\s*{weeks}(?:\s+(?:of\s+)?gestation(?:al age)?)?"
        rf"|(?:at\s+)?{side2}?\s*{weeks.replace('<a>', '<a2>').replace('<b>', '<b2>')}"
        rf"\s+(?:of\s+)?(?:gestation(?:al age)?|pregnan(?:cy|t)))\b",
        re.IGNORECASE,
    )


def _gestation(text: str) -> Iterator[Figure]:
    """Weeks of gestation: "born before 32 weeks", "at 28 weeks of gestation"."""
    for match in _gestation_pattern().finditer(text) if "week" in text else ():
        groups = match.groupdict()
        first, second = groups["a"] or groups["a2"], groups["b"] or groups["b2"]
        low = high = _number(first)
        if second:
            low, high = sorted((low, _number(second)))
        is_more, is_less = groups["more"] or groups["more2"], groups["less"] or groups["less2"]
        start, end = match.span()
        yield Figure(
            PopulationKind.MEASURE,
            "gestational age",
            None if is_less else low,
            None if is_more else high,
            "week",
            start,
            end,
            text[start:end],
        )


@cache
def _target() -> re.Pattern[str]:
    return re.compile(rf"\b{_word('target')}(?:\s+(?:an?|the|of|for|level|below|under|serum|mean))*\s*$", re.IGNORECASE)


_HAS_DIGIT = re.compile(r"\d")


def _measures(text: str) -> Iterator[Figure]:
    if not _HAS_DIGIT.search(text):
        return
    for match in _measure_pattern().finditer(text):
        if _target().search(text, max(0, match.start() - 40), match.start()) or _is_target(text, match):
            continue
        measure, usual = _names().get(" ".join(match["name"].casefold().split()), (match["name"], None))
        printed = match["unit2"] or match["unit1"]
        unit = canonical_unit(printed) if printed and printed != "%" else printed or usual
        low, high = _bounds(match)
        words_ = match[0].rstrip()
        start = match.start()
        yield Figure(PopulationKind.MEASURE, measure, low, high, unit, start, start + len(words_), words_)


def _is_target(text: str, match: re.Match[str]) -> bool:
    """ "blood pressure target below 130": the words behind the name tell."""
    return bool(re.search(rf"\b{_word('target')}\b", text[match.end("name") : match.start("a")], re.IGNORECASE))


def _number(text: str) -> float:
    return float(text.replace(",", "").replace("·", "."))


def _bounds(match: re.Match[str]) -> tuple[float | None, float | None]:
    """The ends of the interval that a match of an age or a measure prints."""
    groups = match.groupdict()
    first = _number(groups["a"])
    if groups.get("b"):
        second = _number(groups["b"])
        return min(first, second), max(first, second)
    if groups.get("more") or groups.get("ormore"):
        return first, None
    if groups.get("less") or groups.get("orless"):
        return None, first
    return first, first


@cache
def _age_patterns() -> tuple[re.Pattern[str], ...]:
    """Each way to print an age, the most telling first."""
    more, less = _word("more"), _word("less")
    or_more, or_less = rf"(?P<ormore>{_word('or more')}\b|\+)", rf"(?P<orless>{_word('or less')}\b)"
    side = rf"(?:(?P<more>{more})|(?P<less>{less}))"
    of_age = r"(?:\s+(?:old|of age))"
    behind = rf"(?:\s*{_TIME}{of_age}?)?(?:\s*(?:{or_more}|{or_less}))?(?:\s*(?:years{of_age}?|of age))?"
    between = rf"(?P<a>{_N})(?:\s?(?:years?|months?))?{_DASH}(?P<b>{_N})"
    aged = r"(?<![\w-])(?:aged?|ages|(?:over|under|above|below) the age of|years of age)"
    ways = (
        rf"{aged}(?:\s+(?:of|is|was|between|from|range))*\s*{between}(?:\s*{_TIME}{of_age}?)?(?![\w%])",
        rf"(?<![\w-])(?:(?P<more>over|above)|(?P<less>under|below)) the age of\s*(?P<a>{_N})(?:\s*{_TIME})?",
        rf"{aged}(?:\s+(?:of|is|was))*\s*{side}?\s*(?P<a>{_N}){behind}(?![\w%])",
        rf"(?<![\w.-]){between}[\s-]{_TIME}[\s-](?:old|of age)s?\b",
        rf"(?<![\w.-])(?P<a>{_N})[\s-]{_TIME}[\s-](?:olds?|of age)\b(?:\s*(?:{or_more}|{or_less}))?",
        rf"(?<![\w-]){side}\s*(?P<a>{_N})\s*{_TIME}{of_age}",
        rf"(?<![\w.-])(?P<a>\d{{2,3}})\s*{_TIME}?\s*(?:(?P<ormore>(?:or|and) (?:older|over)\b)|"
        rf"(?P<orless>(?:or|and) (?:younger|under)\b))(?!\s+\d)",
        rf"(?<![\w.-])(?P<a>\d{{2}})(?P<ormore>\+)(?:[\s-]{_TIME})?(?![\w%])",
        rf"(?<!\w)(?:(?P<more>>|≥|>=|⩾)|(?P<less><|≤|<=|⩽))\s*(?P<a>\d{{2,3}})\s*{_TIME}\b(?!\s+(?:of )?follow)",
        r"(?<![\w-])(?:(?P<more>over|above)|(?P<less>under|below))[\s-](?P<a>\d{1,3})s\b",
        r"(?<!the )\b(?P<more>past)\s(?P<a>[4-9]\d)(?=\s*(?:$|[?.,;:)])|\s(?:with|without|who|and|or|in|on|is|are)\b)",
        rf"\b(?:adults?|people|patients|persons|men|women|those|individuals|children|infants|boys|girls|anyone|smokers)\s+"
        rf"(?:who are\s+)?(?:(?P<more>over|above|older than|>|≥|>=|at least)|(?P<less>under|below|younger than|<|≤|<=))"
        rf"\s*(?P<a>\d{{1,3}})(?:\s*{_TIME}(?:\s+(?:old|of age))?)?(?![\d.]|\s?(?:%|m[lmg]|kg|g/|x10|/))",
        rf"\bbetween\s+{between}\s+{_TIME}{of_age}?\b(?!\s+of\s)",
        rf"\bat\s+(?P<a>[1-9]\d){_DASH}(?P<b>[4-9]\d)\s+years\b(?!\s+of\s)",  # of who is meant: no follow-up is as long
        rf"(?<![\w-])(?:(?P<more>older than)|(?P<less>younger than))\s*(?P<a>\d{{1,3}})"
        rf"(?:\s*{_TIME}(?:{of_age})?)?(?![\w.%])",
    )
    return tuple(re.compile(way, re.IGNORECASE) for way in ways)


_DECADE = re.compile(r"\bin (?:their|his|her) (?:(?:early|mid|late)[- ])?(?P<a>[2-9]0)s\b", re.IGNORECASE)
_AVERAGE = re.compile(r"\b(?:mean|median|average)\W+$", re.IGNORECASE)
"""An average is not whom a study took."""


_MAY_SAY_AGE = re.compile(
    r"\b(?:aged?|ages|years?|months?|weeks?|days?|old\w*|young\w*|over|under|above|below|past)\b|[<>≥≤⩾⩽]|\d\+",
    re.IGNORECASE,
)


def _ages(text: str) -> Iterator[Figure]:
    if not (_HAS_DIGIT.search(text) and _MAY_SAY_AGE.search(text)):
        return
    taken: list[tuple[int, int]] = []
    for pattern in _age_patterns():
        for match in pattern.finditer(text):
            low, high = _bounds(match)
            unit = (match.groupdict().get("unit") or "year").lower().rstrip("s")
            factor = _YEARS.get(unit, 1.0)
            if max(low or 0, high or 0) * factor > 120 or any(s < match.end() and match.start() < e for s, e in taken):
                continue
            if _AVERAGE.search(text, max(0, match.start() - 12), match.start()):
                continue
            taken.append(match.span())
            start = match.start() if not pattern.pattern.startswith(r"\b(?:adults") else match.start(_side_of(match))
            yield _age(low, high, factor, text, start, match.end())
    for match in _DECADE.finditer(text):
        first = float(match["a"])
        yield _age(first, first + 9, 1.0, text, match.start(), match.end())


def _side_of(match: re.Match[str]) -> str:
    return "more" if match["more"] else "less"


def _age(low: float | None, high: float | None, factor: float, text: str, start: int, end: int) -> Figure:
    low, high = ((None if bound is None else round(bound * factor, 3)) for bound in (low, high))
    words_ = text[start:end].rstrip()
    return Figure(PopulationKind.AGE, AGE, low, high, "years", start, start + len(words_), words_)


@cache
def _age_word_pattern() -> tuple[re.Pattern[str], tuple[tuple[float | None, float | None], ...]]:
    """Words for ages, those of one interval in one group, longest words first; and the interval of each group."""
    by_interval: dict[tuple[str, str], list[str]] = {}
    for _, word, low, high in table("ages").rows:
        by_interval.setdefault((low, high), []).append(word)
    ordered = sorted(by_interval.items(), key=lambda item: -max(map(len, item[1])))
    ways = "|".join(f"({any_of(listed)})" for _, listed in ordered)
    bounds = tuple((_bound(low), _bound(high)) for (low, high), _ in ordered)
    return re.compile(rf"(?<![\w-])(?:{ways})(?!\w|-\w)", re.IGNORECASE), bounds


def _bound(cell: str) -> float | None:
    return None if cell == "-" else float(cell)


def _age_words(text: str) -> Iterator[Figure]:
    """Children, older adults: the longest word where one is in another."""
    pattern, bounds = _age_word_pattern()
    for match in pattern.finditer(text):
        low, high = bounds[(match.lastindex or 1) - 1]
        yield Figure(PopulationKind.AGE, AGE, low or None, high, "years", *match.span(), match[0], in_words=True)


def _stages(text: str) -> Iterator[Figure]:
    for pattern in (_LETTERED, _FUNCTIONAL):
        for match in pattern.finditer(text):
            low = _place(match["low"])
            high = _place(match["high"]) if match["high"] else low
            start, end = match.span()
            scale = _SHORT.get(match["name"], match["name"])
            yield Figure(PopulationKind.STAGE, scale, low, high, None, start, end, text[start:end])
    for name in find_numbered_names(text):
        numbers = [float(re.sub(r"[a-d]$", "", number)) for number in name.ends]
        if name.stem in _STAGES and numbers:
            start, end = name.start, name.end
            if name.stem == "grade" and (_OF_HARM.match(text, end) or _HARM_OF.search(text, 0, start)):
                continue
            yield Figure(PopulationKind.STAGE, name.stem, min(numbers), max(numbers), None, start, end, text[start:end])


def _place(mark: str) -> float:
    """A letter by its place in the alphabet, a Roman number by its value."""
    if mark in _ROMAN:
        return float(_ROMAN[mark])
    return float(mark) if mark.isdigit() else float(ord(mark) - ord("A") + 1)


@lru_cache(maxsize=4096)
def same_age(words_: str) -> tuple[str, ...]:
    """Other words for the age that a word names: elderly, geriatric for "older adults"; none where it names no age."""
    rows = table("ages").rows
    names = {row[0] for row in rows if re.fullmatch(any_of([row[1]]), words_.strip(), re.IGNORECASE)}
    return tuple(row[1].replace("s?", "s") for row in rows if row[0] in names)
