"""What was measured in each arm and is no share of people: "a median of 10 days with A and 12 days with B".

A value is told with its unit, as it is printed. Words beside it have to say that something was measured: a mean or a
median, a score, a time, a dose. No verdict follows from two values alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from openwork_answers.brackets import without_brackets
from openwork_answers.found import Found, is_a_side
from openwork_answers.named_outcomes import tidy
from openwork_answers.outcome_before import LEAD
from openwork_answers.reported import Arm
from openwork_answers.shares import opening_of
from openwork_answers.told_beside import Reading

_I = re.IGNORECASE
_NUMBER = r"-?\d[\d,]*(?:\.\d+)?"
_UNIT = (
    r"(?:minutes?|hours?|days?|weeks?|months?|years?|points?|units?"
    r"|(?:mg|g|kg|mcg|micrograms?|µg|mL|ml|L|IU|mmol|µmol|pg|ng|m|cm|mm\s?Hg)(?:/[\w.]+)*(?:\s+a\s+(?:day|week|month))?"
    r"|(?:per|a)\s+(?:patient-)?year)"
)
_BRACKET = r"(?:\s*\([^()]*\))?"
_TO = r"(?:with|on|in|for|after|among|under|at)\s+"
_SET = r"\s*,?\s+(?:and|versus|vs\.?|v|but|compared\s+with|against)\s+"
_AVERAGE = r"(?:an?\s+)?(?:mean|median|average)(?:\s+of)?\s+"
_FIRST, _SECOND = (rf"(?<![\w.])(?P<{one}>{_NUMBER})(?:\s?(?P<{one}u>%|{_UNIT}))?(?![\w.]*\d)" for one in ("a", "b"))
_EACH_NAMED = re.compile(
    rf"{_FIRST}{_BRACKET}\s+{_TO}(?P<one>[^,;()\d]{{2,70}}?){_SET}(?:{_AVERAGE})?{_SECOND}{_BRACKET}"
    rf"(?:\s+{_TO}(?P<other>[^,;()]{{2,70}}?))?(?=\s+(?:at|over|by|within|and|but|while)\s|[,;(]|\.(?:\s|$)|\s*$)",
    _I,
)
""" "A median of 33 hours with A and 38 hours with B"."""
_SIDE_BY_SIDE = re.compile(
    rf"(?<!between )(?<!at )(?<!aged )(?<!during days ){_FIRST}{_SET}{_SECOND}(?=[,;)(]|\.(?:\s|$)|\s*$)", _I
)
""" "A median of 10 versus 12 days", of arms that are named elsewhere."""
_AVERAGED = re.compile(r"\b(?:means?|medians?|average)\s+(?!IQR\b)", _I)
_BY_NAME = re.compile(
    r"\b(?:scores?|levels?|fraction|pressure|weight|HbA1c|A1c|concentrations?|duration|length|stay|doses?|IQ|volume|gain"
    r"|thickness|index)\b",
    _I,
)
_SCORED = re.compile(r"\b(?:scores?|IQ|index)\b", _I)
"""What has no unit."""
_IN_PERCENT = re.compile(r"\b(?:fraction|HbA1c|A1c)\b", _I)
_TIME_UNIT = re.compile(r"(?:minute|hour|day|week|month|year)s?", _I)
_OF_A_PART = re.compile(r"\bsubgroups?\b|\bwhere\s[^,;]{3,60}\s(?:was|were)\s+followed\b", _I)
""" "In subgroups of ...": of all people it tells nothing."""
_OPENS_WITH_WHOM = re.compile(r"(?:among|in|of|for|with)\s", _I)
_NOT_IT = re.compile(r"\b(?:follow-?up|efficacy|of\s+it|aged|between)\b|\b(?:events?|cases|deaths?)\s*$", _I)
_AFTER_SO_LONG = re.compile(
    r"(?:\s+(?:came|occurred|happened))?(?:\s+(?:after|at)(?:\s+an?)?(?:\s+of)?\s*$|\s+(?:sooner|earlier|later)\s*$)",
    _I,
)
""" "Shock resolved [after a median of] 3 days"."""
_LASTED = re.compile(rf"\s+(?:lasted|took)\s+(?:(?:for\s+)?{_AVERAGE})?$", _I)
_WENT = re.compile(
    r"\s+(?P<way>fell|rose|improved|dropped|declined)(?:\s+(?:more|less|further))?(?:\s+by)?(?:\s+.*)?$", _I
)
_CHANGE = {"fell": "fall", "rose": "rise", "improved": "improvement", "dropped": "fall", "declined": "fall"}
_WAS = re.compile(rf"\s+(?:was|were|averaged|stood\s+at|of|had)\s*(?:{_AVERAGE})?$|\s+(?:{_AVERAGE})$", _I)
_GOT = re.compile(r"^.*\b(?:received|needed|used|got|had)\s+(?:more|less|fewer)\s+", _I)
_GIVEN_FOR = re.compile(r"^(?P<what>.{3,40}?)\s+(?:was|were)\s+given\s+for\s+(?:fewer|more)\s+days\b.*$", _I)
_DIFFERENCE = re.compile(r"^(?:the\s+)?difference\s+in\s+|\s+between\s+(?:the\s+)?(?:two\s+)?(?:groups|arms)\b.*$", _I)
_COMPARED = re.compile(
    r"\s+(?:(?:was|were)\s+(?:lower|higher|shorter|longer|less|more|small)|than|with|on|in)\b.*$", _I
)
_PART = re.compile(
    r"[,;]\s+(?:(?:and|while|but)\s+)?|\s+(?:and|while|but)\s+(?=(?:the\s+)?(?:mean|median|average)\b)", _I
)
_MOST_WORDS = 14
_OWN = re.compile(r"\s*(?:mean|median|average)\s+(?P<what>[a-z][a-z ]{2,40}?)\s*$", _I)
""" "(median stay 12 versus 13 days": what is measured stands in the bracket."""
_OF_WHOM = re.compile(r"\s(?P<who>(?:in|among)\s+[a-z].*)$", _I)


def with_measured(reading: Reading, found: Sequence[Found]) -> tuple[Found, ...]:
    """What a sentence was read to tell, and what it tells that was measured in two arms."""
    told = list(found)
    if _OF_A_PART.search(reading.sentence):
        return tuple(told)
    counted = {arm.percent for one in found for arm in one.arms}
    order: tuple[int, int] | None = None
    beside = ((match, None) for match in _SIDE_BY_SIDE.finditer(reading.sentence))
    for match, own in sorted((*_named(reading), *beside), key=lambda pair: pair[0].start()):
        own = own or order or _order(reading, match)
        if own is None:
            continue
        order = own
        if match["a"] in counted and match["b"] in counted:
            continue  # told as shares
        outcome, values = _outcome(reading, match), _values(match)
        if outcome is None or values is None or is_a_side(outcome, reading.arms.names) or _is_dose(reading, match):
            continue
        arms = tuple(Arm(reading.arms.names[i], measured=value) for i, value in zip(own, values, strict=True))
        sides = (arms[0].name, arms[1].name)
        at = _with_effect(reading, match, told, sides)
        if at is not None:
            told[at] = replace(told[at], arms=arms)
        else:
            time = reading.time_around(match.end())
            told.append(Found(outcome, sides, arms, None, time, _people(reading, match)))
    return tuple(told)


def _named(reading: Reading) -> Iterator[tuple[re.Match[str], tuple[int, int] | None]]:
    """Values that have the arms behind them."""
    for match in _EACH_NAMED.finditer(reading.sentence):
        first = reading.arms.only(match["one"])
        second = reading.arms.only(match["other"]) if match["other"] else None
        if first is None and second is not None and len(reading.arms.names) == 2:
            first = 1 - second
        if second is None and first is not None and len(reading.arms.names) == 2:
            second = 1 - first
        if first is not None and second is not None and first != second:
            yield match, (first, second)


def _people(reading: Reading, match: re.Match[str]) -> str | None:
    """Whom two values are of: what the sentence opens with, or what stands behind the second arm."""
    behind = _OF_WHOM.search(match.groupdict().get("other") or "")
    return reading.people_at(match.start()) or (behind["who"] if behind else None)


def _order(reading: Reading, match: re.Match[str]) -> tuple[int, int] | None:
    """The arms of two values side by side: that first which the clause names first, else as the source has them."""
    if len(reading.arms.names) != 2:
        return None
    if not reading.arms.places(LEAD.sub("", reading.sentence)):
        return 0, 1
    return reading.order(match.start())


def _is_dose(reading: Reading, match: re.Match[str]) -> bool:
    """Whether a value is what an arm was given."""
    if _TIME_UNIT.match(match["bu"] or match["au"] or ""):
        return False
    given = [re.findall(_NUMBER, name) for name in reading.arms.names]
    return any(match["a"] in figures or match["b"] in figures for figures in given)


def _values(match: re.Match[str]) -> tuple[str, str] | None:
    """Both as printed, with the unit; `None` = they have different ones."""
    units = match["au"], match["bu"]
    if all(units) and units[0].rstrip("s").casefold() != units[1].rstrip("s").casefold():
        return None
    unit = units[1] or units[0]
    return tuple(_with_unit(match[name], own or unit) for name, own in zip("ab", units, strict=True))  # type: ignore[return-value]


def _with_unit(value: str, unit: str | None) -> str:
    return value if not unit else f"{value}%" if unit == "%" else f"{value} {unit}"


def _outcome(reading: Reading, match: re.Match[str]) -> str | None:
    """What was measured, by the words before it, with the average that was taken in brackets behind."""
    sentence = reading.sentence
    opening = opening_of(sentence, match.start())
    inside = sentence[opening : match.start()].split(";")[-1] if opening else ""
    before = sentence[: opening - 1 if opening else match.start()]
    before = _PART.split(without_brackets(LEAD.sub("", before)).rstrip())[-1]
    beside = f"{before} {inside} "
    unit = match["bu"] or match["au"] or ""
    if not _is_measured(beside, unit) or _NOT_IT.search(beside.rstrip()):
        return None
    name = _name(before, inside, in_bracket=bool(opening), is_time=_TIME_UNIT.match(unit) is not None)
    if (
        not name
        or name in _CHANGE.values()
        or _OPENS_WITH_WHOM.match(name)
        or len(name.split()) > _MOST_WORDS
        or not re.match(r"[A-Za-z]{2}", name)
    ):
        return None
    average = _AVERAGED.search(beside)
    return f"{name} ({average[0].strip().lower()})" if average else name


def _is_measured(beside: str, unit: str) -> bool:
    """Whether the words beside a value say that it was measured, and is no count and no share of people."""
    if unit == "%":
        return _IN_PERCENT.search(beside) is not None
    if _AVERAGED.search(beside):
        return True
    if not unit:
        return _SCORED.search(beside) is not None
    return _TIME_UNIT.match(unit) is not None or _BY_NAME.search(beside) is not None


def _name(before: str, inside: str, *, in_bracket: bool, is_time: bool) -> str:
    own = _OWN.match(inside)
    if own and own["what"].casefold() not in {"change", "difference"}:
        return own["what"].strip() if own["what"].strip() != "stay" else "hospital stay"
    said = _GOT.sub("", _DIFFERENCE.sub("", _AVERAGED.sub("", before).strip()))
    if given := _GIVEN_FOR.match(said):
        return f"days of {given['what']}"
    if (went := _WENT.search(said)) and went.start() and not _OPENS_WITH_WHOM.match(said):
        return f"{_CHANGE[went['way'].casefold()]} in {_inside(said[: went.start()])}"
    if _LASTED.search(f"{said} "):
        return f"length of {_inside(_LASTED.sub('', f'{said} '))}"
    if in_bracket:
        said = _COMPARED.sub("", said)
    if is_time and (after := _AFTER_SO_LONG.search(f"{said} ")) is not None:
        return f"time until {_inside(said[: after.start()])}"
    name = _WAS.sub("", f"{said} ").strip()
    return tidy(name).strip(" ,")


def _inside(name: str) -> str:
    """A name as it stands inside of another: "Shock" as "shock", "FEV1" as it is."""
    bare = tidy(name)
    return bare if bare[1:2].isupper() or bare[1:2].isdigit() else f"{bare[:1].lower()}{bare[1:]}"


def _with_effect(reading: Reading, match: re.Match[str], told: Sequence[Found], sides: tuple[str, str]) -> int | None:
    """The place of what was read of the effect behind two values, where its arms have no figures yet."""
    behind = next((effect for effect in reading.effects if effect.start >= match.end()), None)
    if behind is None or ";" in reading.sentence[match.end() : behind.start]:
        return None
    wanted = (behind.estimate, (), sides)
    return next((i for i, one in enumerate(told) if (one.effect, one.arms, one.comparison) == wanted), None)
