"""Shares of two groups told one after the other: "relapse occurred in 21% of people on A and 33% on B".

The last way in which a sentence is read: the outcome stands before its verb, and each share has its group behind it, in
whatever words. Whether those are what was asked about is judged where a result is held against a question. Groups that
are told apart by a disease, an age or a sex are none that were treated apart, and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from openwork_contracts.question import EntityKind
from openwork_knowledge.notation import group
from openwork_language.asking.figures import figures_in
from openwork_language.terms import find_terms

from openwork_answers.found import Found, time_in
from openwork_answers.named_outcomes import tidy
from openwork_answers.reported import Arm

_I = re.IGNORECASE
_PEOPLE = group("arm-words", "people")
_DID = (
    r"(?:(?:has|have|had)\s+)?(?:occurred|developed|happened|ended\s+(?P<ended>treatment|the\s+study\s+drug)"
    r"|(?:was|were)\s+(?:\w+ly\s+)?(?:reported|found|reached|seen|observed|recorded|noted|diagnosed|achieved|detected"
    r"|confirmed|adjudicated|needed|required|present|attained|used|(?P<done>stopped|discontinued|completed|given)))"
)
_WHEN = r"(?:\s+(?:within|by|at|in\s+the\s+first|over|during|after)\s+(?:the\s+)?(?:first\s+)?\d?[^,;()%]{2,24}?)?"
_SHARE = rf"(?:\d[\d,]*\s+(?:of\s+\d[\d,]*\s+)?{_PEOPLE}\s+\()?(?P<{{name}}>\d+(?:\.\d+)?)\s?%\)?"
_OF = rf"(?:\s+of\s+(?:the\s+|all\s+)?(?:\d[\d,]*\s+)?{_PEOPLE})?"
_BY = r"(?:with|on|given|after|assigned\s+to|allocated(?:\s+to)?|receiving|taking|treated\s+with|who\s+received|under)"
_NAME = r"(?:the\s+)?(?P<{name}>[A-Za-z0-9][^,;()%]{{1,60}}?)"
_END = r"(?=\s*(?:[,;.(]|$)|\s+(?:at|within|by|during|over)\s+\d|\s+and\s+[^,;()%]{3,70}?\s+(?:in|to)\s+\d)"
_FIRST = re.compile(
    rf"^(?P<o>[^;()%]{{3,110}}?)\s+{_DID}{_WHEN}\s+(?:in|by|for|to)\s+"
    + _SHARE.format(name="a")
    + _OF
    + rf"\s+{_BY}\s+"
    + _NAME.format(name="one")
    + r"(?:,?\s+(?:and|versus|vs\.?|compared\s+with|against)\s+)(?:in\s+|by\s+)?"
    + _SHARE.format(name="b")
    + _OF
    + rf"\s+(?:(?P<none>without)(?=\s*(?:[,;.(]|$))|{_BY}\s+"
    + _NAME.format(name="other")
    + _END
    + r")",
    _I,
)
_DID_TOO = _DID.replace("P<ended>", ":").replace("P<done>", ":")
_NEXT = re.compile(
    rf"\s*(?:\([^()]*\))?\s*(?:[,;]\s*(?:and\s+)?|\s+and\s+)(?P<o>[^,;()%]{{3,70}}?)(?:\s+{_DID_TOO})?"
    r"\s+(?:in|to)\s+(?P<a>\d+(?:\.\d+)?)\s?%\s+and\s+(?P<b>\d+(?:\.\d+)?)\s?%(?=\s*(?:[,;.(]|$))",
    _I,
)
_IN_TRIAL = re.compile(r"^(?:[^,;%]{0,80},\s+)", _I)
_NO_NAME = re.compile(r"\b(?:which|that|who|whereas|while|they|it|this|these|those)\b|[.:]", _I)
_SIDES_OF_PEOPLE = re.compile(
    r"\b(?:men|women|boys|girls|males?|females?|smokers?|aged?|older|younger|risks?|previous|prior|history|twins?"
    r"|singletons?|baseline|events?)\b",
    _I,
)


def of_two_groups(sentence: str) -> tuple[Found, ...]:
    """Each outcome of which the sentence gives the shares of two named groups; those that follow have the same two."""
    start = lead.end() if (lead := _IN_TRIAL.match(sentence)) and " in " in f" {lead[0].casefold()}" else 0
    match = _FIRST.match(sentence[start:])
    if match is None:
        return ()
    one = match["one"].strip()
    other = f"no {one.removeprefix('the ')}" if match["none"] else match["other"].strip()
    if not (_is_group(one) and _is_group(other)) or one.casefold() == other.casefold():
        return ()
    return tuple(_found(sentence, start, match, (one, other)))


def those_that_follow(sentence: str, found: Sequence[Found]) -> tuple[Found, ...]:
    """What was read, and pairs behind it of the same two groups, which are not named again: "and X in 1% and 4%"."""
    both = [one for one in found if len(one.arms) == len(one.comparison) == 2]
    if len({one.comparison for one in found}) != 1 or len(both) != len(found):
        return tuple(found)
    known = {arm.percent for one in found for arm in one.arms}
    told = [m for m in _PERCENT.finditer(sentence) if m["n"] in known]
    behind = _LAST_GROUP.match(sentence, told[-1].end()) if told else None
    first, second = found[0].comparison
    return (*found, *(_pairs_from(sentence, behind.end(), (first, second)) if behind else ()))


_PERCENT = re.compile(r"(?<![\d.])(?P<n>\d+(?:\.\d+)?)\s?%")
_LAST_GROUP = re.compile(rf"\)?{_OF}(?:\s+{_BY}\s+[^,;()%]{{1,60}}?)?(?=\s*(?:\([^()]*\)\s*)?(?:[,;]|\band\b))", _I)


_LED_TO = re.compile(r"^(?:.*\bled\s+to|resulted\s+in)\s+", _I)


def _found(sentence: str, start: int, match: re.Match[str], sides: tuple[str, str]) -> Iterator[Found]:
    name = tidy(match["o"])
    if match["ended"]:
        name = f"{name} ending {match['ended']}"
    elif match["done"]:
        name = f"{name} {match['done']}"
    yield from _of(sentence, name, sides, match)
    yield from _pairs_from(sentence, start + match.end(), sides)


def _pairs_from(sentence: str, at: int, sides: tuple[str, str]) -> Iterator[Found]:
    """Pairs one behind the other, of groups that are named before them."""
    while (more := _NEXT.match(sentence, at)) is not None:
        yield from _of(sentence, tidy(more["o"]), sides, more)
        at = more.end()


def _of(sentence: str, name: str, sides: tuple[str, str], match: re.Match[str]) -> Iterator[Found]:
    name = _LED_TO.sub("", name)
    if len(name) < 4 or len(name.split()) > _LONGEST or _NO_NAME.search(name):
        return
    arms = (Arm(sides[0], percent=match["a"]), Arm(sides[1], percent=match["b"]))
    yield Found(name, sides, arms, None, time_in(sentence))


_LONGEST = 12
"""Words of an outcome's name."""


def _is_group(name: str) -> bool:
    """Whether a name may be of what people were given: no disease, age or sex sets them apart."""
    if _SIDES_OF_PEOPLE.search(name) or figures_in(name):
        return False
    return not any(term.kind is EntityKind.DISEASE for term in find_terms(name))
