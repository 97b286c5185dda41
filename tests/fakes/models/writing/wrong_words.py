"""Errors in the words: one run of the written sentence is replaced by what the source does not say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from random import Random

from tests.fakes.models.writing.words import capital, errors, small

Change = Callable[[str, str, Random], str | None]
"""`(written, source, random) -> changed`; `None` where there is nothing to change."""
_FIGURE = re.compile(
    r"(?<![\w.,/-])(?<!\d% )(\d[\d,]*(?:\.\d+)?)(?![\w/]|[.,]\d|-\w|% CI| ?(?:mg|mm|kg|ng|μg|days?|weeks?"
    r"|months?|years?|hours?|minutes?)\b)"
)
_NOT_A_FIGURE = re.compile(
    r"(?:grade|class|type|stage|level|phase|day|week|year|month|group|category|[Pp] ?[=<>≤]|CI(?: of)?|to"
    r"|per|least|aged|score|step|version|part|about 1 in|omega|G|"
    r"UKPDS|TIMI|STEP|SUSTAIN|\b[A-Z][\w-]*) ?$"
)
_TIMES = {
    "at 3 weeks": 21.0,
    "at 18 months": 540.0,
    "at five years": 1825.0,
    "after 9 months": 270.0,
    "by day 45": 45.0,
    "after 2 days": 2.0,
    "at 12 weeks": 84.0,
    "at nine years": 3285.0,
}
"""With their days."""
_TIME = re.compile(
    r"\b(?:at|after|over|within|by|during|for) (?:a |an |the )?(?:(?:median|mean|first|follow-up) )*(?:of )?"
    r"(?:(?:day|week|month|year) \d+|(?:\d+(?:\.\d+)?|one|two|three|four|five|six|ten|twelve)[ -](?:days?"
    r"|weeks?|months?|years?|hours?|h))\b",
    re.IGNORECASE,
)
_INTERVAL = re.compile(r"CI (\d+(?:\.\d+)?) to (\d+(?:\.\d+)?)")
_P = re.compile(r"\bp ([<=>≤]) (0?\.\d+)")


def number(text: str, source: str, random: Random) -> str | None:
    """A figure of the result, off by more than rounding; sometimes one that stands elsewhere in the source."""
    found = [
        m
        for m in _FIGURE.finditer(text)
        if not _NOT_A_FIGURE.search(text[: m.start()]) and not re.fullmatch(r"(?:19|20)\d\d", m[1])
    ]
    if not found:
        return None
    match = random.choice(found)
    value = Decimal(match[1].replace(",", ""))
    if value == 0:
        return None
    places = -int(value.as_tuple().exponent)
    factor = Decimal(random.choice(("0.55", "0.7", "1.35", "1.6", "2.1")))
    changed = (value * factor).quantize(Decimal(1).scaleb(-places))
    if text[match.end() : match.end() + 1] == "%" and changed > 100:
        changed = (value * Decimal("0.6")).quantize(Decimal(1).scaleb(-places))
    if abs(changed - value) <= max(Decimal(1).scaleb(-places), value / 10):
        return None
    return text[: match.start()] + f"{changed:f}" + text[match.end() :]


def interval_or_p(text: str, source: str, random: Random) -> str | None:
    """A bound of the interval, or p."""
    if match := _INTERVAL.search(text):
        high = Decimal(match[2])
        changed = (high * Decimal(random.choice(("0.75", "1.3", "1.5")))).quantize(high)
        if changed > Decimal(match[1]) and changed != high:
            return text[: match.start(2)] + f"{changed}" + text[match.end(2) :]
    if match := _P.search(text):
        value = Decimal(match[2] if match[2].startswith("0") else f"0{match[2]}")
        said = "p < 0.0001" if value > Decimal("0.0001") else "p = 0.04"
        if match[1] in "<≤" or (value < Decimal("0.05") and random.random() < 0.5):
            said = f"p = 0.{random.choice((21, 34, 47))}"
        return text[: match.start()] + said + text[match.end() :]
    return None


_DURATION = re.compile(
    r"\b(\d+(?:\.\d+)?|one|two|three|four|five|six|ten|twelve)[ -]?(days?|d|weeks?|wk|months?|mo"
    r"|years?|yr"
    r"|y)\b|\b(day|week|month|year) (\d+)"
)
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_NUMERALS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "twelve": 12}


def _days(match: re.Match[str]) -> float | None:
    """The length of a stretch of time; `None` for none."""
    count, unit = match[1] or match[4], match[2] or match[3]
    return (_NUMERALS.get(count) or float(count)) * _DAYS[unit[0]] or None


def other_time(text: str, source: str, random: Random) -> str | None:
    """Another time point, which the source has nowhere."""
    match = _TIME.search(text)
    if not match:
        return None
    told = [days for m in _DURATION.finditer(source) if (days := _days(m)) is not None]
    choices = [time for time, days in _TIMES.items() if not any(0.8 < days / other < 1.25 for other in told)]
    if not choices:
        return None
    time = random.choice(choices)
    return text[: match.start()] + (capital(time) if match.start() == 0 else time) + text[match.end() :]


def _swapped(kind: str, text: str, source: str, random: Random, *, absent: bool) -> str | None:
    table = errors(kind)
    found = [
        (m, new)
        for key, news in table.items()
        for m in re.finditer(rf"(?<![\w-])(?<!the )(?<!very ){re.escape(key)}(?![\w-])", text)
        for new in news
        if not (absent and re.search(rf"(?<![\w-]){re.escape(new)}(?![\w-])", source, re.IGNORECASE))
    ]
    if not found:
        return None
    match, new = random.choice(found)
    return re.sub(rf"(?<![\w-]){re.escape(match[0])}(?![\w-])", new, text)


def unit(text: str, source: str, random: Random) -> str | None:
    """Another unit after a number."""
    found = [
        (m, new)
        for key, news in errors("unit").items()
        for m in re.finditer(rf"(?<=\d)( ?){re.escape(key)}(?![\w/])|(?<=% )(){re.escape(key)}\b", text)
        for new in news
    ]
    if not found:
        return None
    match, new = random.choice(found)
    return text[: match.start()] + (match[1] or "") + new + text[match.end() :]


def drug_replaced(text: str, source: str, random: Random) -> str | None:
    """A drug by another, by a word that is none, or by a name that means nothing."""
    names = "|".join(map(re.escape, errors("known")["names"]))
    endings = "|".join(errors("known")["endings"])
    found = [
        m
        for m in re.finditer(rf"(?<![\w-])(?:{names}|[a-z]{{2,}}(?:{endings}))(?![\w-])", text)
        if m[0].lower() in source.lower()
    ]
    if not found:
        return None
    kind = random.choice(("real", "nonsense", "no drug"))
    choices = [d for d in errors("drug")[kind] if d not in source.lower()]
    return re.sub(rf"(?<![\w-]){re.escape(random.choice(found)[0])}(?![\w-])", random.choice(choices), text)


def entity_replaced(text: str, source: str, random: Random) -> str | None:
    """A disease, gene, organism, organ or type by its neighbour, which the source does not name."""
    return _swapped("entity", text, source, random, absent=True)


def population(text: str, source: str, random: Random) -> str | None:
    """Another group of people, which the source does not name."""
    return _swapped("population", text, source, random, absent=True)


_HALVES = {
    "women": "men",
    "men": "women",
    "boys": "girls",
    "girls": "boys",
    "smokers": "nonsmokers",
    "nonsmokers": "smokers",
}
_HALVES |= {"male": "female", "female": "male", "premenopausal": "postmenopausal", "postmenopausal": "premenopausal"}
_HALVES |= {"obese": "lean", "type 2": "type 1", "males": "females", "females": "males"}
_SOME = re.compile(
    rf"\b(in|among) (?:the )?(?:\w+ )?({'|'.join(_HALVES)})(?: (?:patients|people|subjects|participants"
    rf"|adults|cases|mice|rats|group|women|men))?\b(?! (?:than|and|or|but|versus)\b|['’])",
    re.IGNORECASE,
)


def subgroup_as_whole(text: str, source: str, random: Random) -> str | None:
    """What the source says of one half, and it names the other one too, told of all."""
    for match in _SOME.finditer(text):
        half = _HALVES[match[2].lower()]
        if re.search(rf"\b{half}\b", source, re.IGNORECASE) and not re.search(rf"\b{half}\b| than ", text):
            whole = random.choice(errors("whole")["said"])
            return text[: match.start()] + (capital(whole) if match.start() == 0 else whole) + text[match.end() :]
    return None


_COMPOSITE = re.compile(
    r"\b(?:the |a )?(?:\w+ )?composite of ([^.;()]+? or [\w -]+?)(?= compared| was| were| by| with| in | "
    r"given| came| stood|,? and |\.| \()"
)


def composite(text: str, source: str, random: Random) -> str | None:
    """One part in the place of "the composite of A, B or C"."""
    match = _COMPOSITE.search(text)
    parts = [part.strip() for part in re.split(r",| or ", match[1])] if match else []
    whole = [part for part in parts if len(part.split()) > 1 or part in {"death", "stroke"}]
    return text[: match.start()] + random.choice(whole) + text[match.end() :] if match and whole else None


def quantifier(text: str, source: str, random: Random) -> str | None:
    """More of them than the source says."""
    return _swapped("quantifier", text, source, random, absent=False)


def _framed(kind: str, key: str, text: str, random: Random) -> str:
    bare = re.sub(
        r"^(?:According to the study, |The authors found that |As reported by the authors, |The study "
        r"reports that |One study found that |The findings hint that |"
        r"The authors' data suggest that |The authors read their data as suggesting that |On the evidence "
        r"of this study it seems that |The data indicate that |"
        r"As the authors' data indicate, |Judging by these data, |The authors conclude that |The authors' "
        r"conclusion is that |In the authors' view, )",
        "",
        text.rstrip("."),
    )
    return capital(random.choice(errors(kind)[key]).format(c=small(bare))) + "."


_HEDGE = re.compile(r"\b(?:may|might|could)(?: be)?\b|\b(?:hint|suggest|seems)\b")


def certainty(text: str, source: str, random: Random) -> str | None:
    """A careful statement told as proven."""
    if not _HEDGE.search(text):
        return None
    if re.search(r"\b(?:may|might|could) (?!be\b|have\b|also\b|not\b)\w+", text) and random.random() < 0.5:
        return re.sub(r"\b(?:may|might|could) ", "will certainly ", text, count=1)
    firm = re.sub(r"\b(?:may|might|could) ", "will ", text)
    return _framed("certain", "frame", firm, random)


def design(text: str, source: str, random: Random) -> str | None:
    """Another design than the source's."""
    if re.search(
        r"\brandom|\btrial|placebo|systematic review|meta-analy|Cochrane|guideline|recommend", source, re.IGNORECASE
    ):
        pooled = re.search(r"systematic review|meta-analy|pooled|Cochrane|guideline|recommend", source, re.IGNORECASE)
        if pooled or not re.search(r"\brandomi[sz]|random assign", source, re.IGNORECASE):
            return None
        return _framed("design", random.choice(("randomised", "not pooled")), text, random)
    return _framed("design", "not randomised", text, random)


def overreach(text: str, source: str, random: Random) -> str | None:
    """From a link to a cause, from animals to people, from a result to a practice."""
    cause = re.search(
        r"\b(?:was|were|is|are) (?:linked|tied|related) to\b|\b(?:goes|go|went) (?:together|hand in hand) with\b", text
    )
    if cause and "not" not in text and random.random() < 0.7:
        return text.replace(cause[0], random.choice(("causes", "directly brings about", "is the cause of")))
    animals = re.search(r"\b(?:mice|rats|mouse|murine|zebrafish|in vitro|cell lines?|yeast|Drosophila)\b", source)
    if animals and not re.search(r"\b(?:patients?|human|humans|people|women|men|clinical)\b", source):
        return _framed("overreach", "animals", text, random)
    return text.rstrip(".") + random.choice(errors("overreach")["tail"]) + "."


def invented(text: str, source: str, random: Random) -> str | None:
    """A further finding that the source has nowhere."""
    return text.rstrip(".") + random.choice(errors("invented")["tail"]) + "."


WORDS: Mapping[str, Change] = {
    "number": number,
    "interval_or_p": interval_or_p,
    "other_time": other_time,
    "unit": unit,
    "drug_replaced": drug_replaced,
    "entity_replaced": entity_replaced,
    "population": population,
    "composite": composite,
    "subgroup_as_whole": subgroup_as_whole,
    "quantifier": quantifier,
    "certainty": certainty,
    "design": design,
    "overreach": overreach,
    "invented": invented,
}
