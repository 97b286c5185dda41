"""Numbers written as words: "twelve", "twofold", "two thirds", "half", "twice daily"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal

from openwork_knowledge.patterns import any_of, pattern
from openwork_knowledge.tables import table

from openwork_language.quantities.quantity import Quantity, QuantityKind
from openwork_language.quantities.units import DURATIONS, UNIT_PATTERN, canonical_unit

_K = QuantityKind
_NUMBERS = table("numbers")
_SMALL = {word: int(value) for word, value in _NUMBERS.values("small").items()}
_TENS = {word: int(value) for word, value in _NUMBERS.values("tens").items()}
_LARGE_VALUES = {word: int(value) for word, value in _NUMBERS.values("large").items()}
_PARTS = {word: int(value) for word, value in _NUMBERS.values("part").items()}
_TIMES = {word: int(value) for word, value in _NUMBERS.values("times").items()}
_MULTIPLES = {beginning: Decimal(value) for beginning, value in _NUMBERS.values("multiple").items()}
_ONES = any_of(list(_SMALL)[1:10])
_ANY_WORD = rf"(?:{any_of(_TENS)}(?:[-\s]{_ONES})?|{any_of(list(_SMALL)[1:])})"
NUMBER_WORDS = (*_TENS, *list(_SMALL)[1:])
"""Number words up to ninety of one word, but for nought."""
_LARGE = (
    rf"(?:(?:[\s-]{any_of(_LARGE_VALUES)})+(?:(?:,\s|\sand\s|[\s-]){_ANY_WORD}(?:[\s-]{any_of(_LARGE_VALUES)})*)*)?"
)
_NUMBER = re.compile(
    rf"\b(?P<word>{_ANY_WORD})(?P<large>{_LARGE})\b(?P<and_half>\sand\sa\shalf\b)?(?![-\s]?fold|[-\s]?(?:third|quarter|"
    rf"half|fifth|tenth)s?\b|-(?:way|sided|tailed|dimensional)\b)"
    rf"(?:[\s-](?:(?P<pct>per\s?cent)\b|(?P<times>times\s(?=higher|lower|more|greater|less|as|the|that\sof|those\sof|those\s))|"
    rf"(?P<unit>{UNIT_PATTERN})))?",
    re.IGNORECASE,
)
_WORD_FRACTION = re.compile(
    rf"(?:\b(?P<whole>every|each|not|all\sbut)\s)?\b(?P<part>{_ANY_WORD})\s(?:out\s)?of\s(?:the\s|these\s|a\stotal\sof\s)?(?P<total>\d{{1,6}}(?![\d.,%])|"
    rf"{_ANY_WORD})\b",
    re.IGNORECASE,
)
# "one" counts only before what can be counted: "one trial", but not "one of the", "no one", "one such".
_COUNTABLE = re.compile(rf"[\s-](?:\w+\s){{0,2}}?{pattern('numbers', 'counted')}s?\b")
_FOLD = re.compile(
    rf"\b(?:(?P<word>{_ANY_WORD})[-\s]?fold|(?P<twice>twice(?=\s(?:as|the|that))|doubl(?:ed|es|ing)(?!-)\b|tripl(?:ed|"
    rf"es|ing)\b|halv(?:ed|es|ing)\b))",
    re.IGNORECASE,
)
_BOUNDS = _NUMBERS.values("bound")
_BOUND = rf"(?:\b(?P<bound>{any_of(_BOUNDS.keys() - {'equal to'})})\s+(?:a\s+|an\s+)?)?"
_PART_NAMES = any_of(_PARTS)
_SHARE = re.compile(
    rf"{_BOUND}\b(?:(?P<count>two|three|four|five)[-\s](?P<parts>{_PART_NAMES})s\b"
    rf"|(?:one|a)[-\s](?P<part>{_PART_NAMES})\b(?=\sof\b(?!\san?\s(?:hour|year|century|day|mile))|\s(?:lower|higher|reduction|had|were|was|died|less|more|"
    rf"fewer)\b|[.,;]|$)"
    r"|(?<!and\s)(?<!and\sa\s)(?P<half>(?:(?:one|a)[-\s])?half)\b(?!\s(?:a|an|year|hour|day|month|way|dose|time|life|"
    r"siblings?)\b|-|\sthe\s(?:dose|time)))",
    re.IGNORECASE,
)
_IN = re.compile(
    rf"{_BOUND}\b(?P<n>{_ANY_WORD}|\d{{1,3}})\s(?P<how>(?:cases?\s|people\s|patients?\s|person\s|wom[ae]n\s|m[ae]n\s|child(?:ren)?\s|adults?\s|participants?\s)?"
    rf"in(?:\severy)?|out\sof(?:\severy)?|of\severy)\s(?P<m>{_ANY_WORD}|"
    rf"\d{{1,6}})\b"
    r"(?!\s?(?:%|mg|weeks?|months?|years?|days?|trials?|studies|centres|centers|countries|hospitals|groups|arms|,\d))",
    re.IGNORECASE,
)
_HAS_A_SHARE = re.compile(rf"{_PART_NAMES}|half|\b(?:in|of)(?:\s+every)?\s(?:{_ANY_WORD}\b|\d)", re.IGNORECASE)
_FREQUENCY = re.compile(
    r"\b(?:(?P<n>once|twice|thrice|(?:two|three|four|five|six|[2-6])[-\s]times|one\stime)[-\s](?:a\s|per\s|each\s|"
    r"every\s)?"
    r"(?P<per>dai?ly|day|weekly|week|monthly|month|yearly|year)\b"
    r"|(?P<latin>b\.?i\.?d|t\.?i\.?d|q\.?i\.?d)\b\.?"
    r"|every\s(?P<every>\d{1,2}|two|three|four|six|eight|twelve|other)\s(?P<span>hours?|days?|weeks?|months?|h)\b)",
    re.IGNORECASE,
)
_HUNDRED = 100
_LATIN = {"b": 2, "t": 3, "q": 4}


def number_of_word(word: str) -> int | None:
    """The value of one number word up to ninety-nine, or None."""
    tens, _, ones = word.lower().replace(" ", "-").partition("-")
    if tens in _TENS:
        return _TENS[tens] + (_SMALL.get(ones, 0) if ones else 0)
    return _SMALL.get(tens) if not ones else None


def _at(match: re.Match[str]) -> tuple[str, int, int]:
    return match.group(), match.start(), match.end()


def find_folds(text: str) -> Iterator[Quantity]:
    """ "twofold", "doubled", "twice as high"."""
    for match in _FOLD.finditer(text):
        if match["word"]:
            value = Decimal(number_of_word(match["word"]) or 0)
        else:
            value = next(v for k, v in _MULTIPLES.items() if match["twice"].lower().startswith(k))
        yield Quantity(_K.FOLD, *_at(match), value=value, unit="fold", operator="~", in_words=True)


def find_shares(text: str) -> Iterator[Quantity]:
    """ "half of", "nearly two thirds", "one in five", "fewer than four in ten", in percent."""
    if not _HAS_A_SHARE.search(text):
        return
    for match in _SHARE.finditer(text):
        if match["half"]:
            value = Decimal(50)
        else:
            parts = (match["parts"] or match["part"]).lower()
            value = Decimal(100 * (_SMALL[match["count"].lower()] if match["count"] else 1)) / _PARTS[parts]
            value = round(value, 2)
        yield _share(match, value)
    for match in _IN.finditer(text):
        part, total = _whole(match["n"]), _whole(match["m"])
        if part is not None and total is not None and 0 < part < total and not _is_exact(match):
            yield _share(match, round(Decimal(100 * part) / total, 2))


def _share(match: re.Match[str], value: Decimal) -> Quantity:
    bound = _BOUNDS.get(" ".join((match["bound"] or "about").lower().split()), "~")
    return Quantity(_K.PERCENT, *_at(match), value=value, unit="%", operator=bound, in_words=True)


def _is_exact(match: re.Match[str]) -> bool:
    """ "36 out of 50" in digits counts heads; "one in five", "1 in 5" and "one in 25" say how many."""
    if match["how"].lower() == "in" and match["n"].lower() in {"one", "1"}:
        return False
    return match["m"].isdigit() and int(match["m"]) not in {5, 10, 100, 1000, 10000} and int(match["m"]) > 12


def _whole(word: str) -> int | None:
    return int(word) if word.isdigit() else number_of_word(word)


def find_frequencies(text: str) -> Iterator[Quantity]:
    """ "twice daily", "b.i.d.", "every 4 weeks"; the unit says per what: "/day", "/week", "every-week"."""
    for match in _FREQUENCY.finditer(text):
        if match["latin"]:
            yield Quantity(_K.FREQUENCY, *_at(match), value=Decimal(_LATIN[match["latin"][0].lower()]), unit="/day")
        elif match["every"]:
            word = match["every"].lower()
            value = 2 if word == "other" else int(word) if word.isdigit() else number_of_word(word) or 0
            span = canonical_unit(match["span"].lower())
            if span == "hour" and value and 24 % value == 0:
                yield Quantity(_K.FREQUENCY, *_at(match), value=Decimal(24 // value), unit="/day")
            else:
                yield Quantity(_K.FREQUENCY, *_at(match), value=Decimal(value), unit=f"every-{span}")
        else:
            first = re.split(r"[-\s]", match["n"].lower())[0]
            times = _TIMES.get(first) or (int(first) if first.isdigit() else number_of_word(first) or 1)
            per = match["per"].lower().removesuffix("ly").replace("dai", "day")
            yield Quantity(_K.FREQUENCY, *_at(match), value=Decimal(times), unit=f"/{per}")


def _composed(words: str) -> Decimal:
    """ "One thousand two hundred forty-eight"."""
    total = current = 0
    for word in re.findall(r"[a-z]+", words.lower()):
        large = _LARGE_VALUES.get(word)
        if large is None:
            current += _SMALL.get(word, 0) or _TENS.get(word, 0)
        elif large == _HUNDRED:
            current *= large
        else:
            total, current = total + current * large, 0
    return Decimal(total + current)


def find_word_numbers(text: str) -> Iterator[Quantity]:
    """ "twelve", "twenty-four weeks", "three hundred"; "one" only where something is counted."""
    for match in _NUMBER.finditer(text):
        value = _composed(f"{match['word']}{match['large']}") + (Decimal("0.5") if match["and_half"] else 0)
        if value == 1 and not match["unit"] and not match["pct"] and not _COUNTABLE.match(text, match.end()):
            continue
        unit = (
            "%"
            if match["pct"]
            else "fold"
            if match["times"]
            else canonical_unit(match["unit"])
            if match["unit"]
            else None
        )
        kind = _K.COUNT
        if unit is not None:
            kind = {"%": _K.PERCENT, "fold": _K.FOLD}.get(unit, _K.DURATION if unit in DURATIONS else _K.MEASUREMENT)
        yield Quantity(kind, *_at(match), value=value, unit=unit, in_words=True)


def find_word_fractions(text: str) -> Iterator[Quantity]:
    """ "twenty-seven of the 37", "three of ten"."""
    for match in _WORD_FRACTION.finditer(text):
        total = int(match["total"]) if match["total"].isdigit() else number_of_word(match["total"])
        part = number_of_word(match["part"])
        if match["whole"] and part is not None and total is not None:
            # "Every one of the 21" is all of them, "not one" none, "all but two" the rest.
            told = match["whole"].lower()
            part = total if told in {"every", "each"} else 0 if told == "not" else total - part
        if part is not None and total is not None and 0 <= part <= total:
            yield Quantity(_K.FRACTION, *_at(match), value=Decimal(part), total=Decimal(total), in_words=True)


WORD_FINDERS: tuple[Callable[[str], Iterator[Quantity]], ...] = (
    find_folds,
    find_word_numbers,
)
