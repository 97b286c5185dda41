"""The two arms that a sentence names change places, or their figures do."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.eval.fidelity.errors.names import DRUGS

_LINK = r"(?:than|versus|vs\.?|(?:as )?compared (?:with|to)|relative to)"
_PREPOSITION = r"(?:in|with|for|among|by|on|after|during|to|of|from)"
# One to four words of a name: no verb, no preposition, no pronoun.
_WORD = (
    r"(?!(?:in|on|at|of|to|for|with|by|from|and|or|than|versus|vs|was|were|is|are|be|been|had|has|have|did|does|do|not|"
    r"no|that|which|who|those|these|this|the|a|an|all|both|either|each|it|its|their|our|we|they|when|while|after|"
    r"before|"
    r"during|within|under|over|baseline|previous|previously|other|others|expected|significantly|higher|lower|more|less|"
    r"compared|as|most|any|alone|only|showed|received|reduced|increased)\b)[A-Za-zα-ωΑ-Ω][\w+/α-ω-]*"
)
_NAME = rf"{_WORD}(?: {_WORD}){{0,3}}"
_GROUP = r"(?:groups?|arm|patients|recipients|users)"
_BARE = rf"(?!{_GROUP}\b){_WORD}(?: (?!{_GROUP}\b){_WORD}){{0,2}}"
_ORDERED = re.compile(
    r"\b(?:lower|higher|reduc\w+|increas\w+|decreas\w+|more|less|better|worse|superior|inferior|fewer|greater|smaller|"
    r"longer|shorter|improv\w+|prolong\w+|elevated|faster|slower|larger|stronger|weaker|earlier|later)\b"
)
# A symmetric sentence stays true when its arms change places.
_SYMMETRIC = re.compile(
    r"\b(?:not?|nor|neither|similar\w*|comparable|equal\w*|equivalent|same|differ\w*|plus|unchanged|whether|"
    r"non\w*inferior\w*)\b",
    re.IGNORECASE,
)
_ACTS = (
    r"(?:reduced|increased|decreased|improved|lowered|prolonged|raised|produced|caused|resulted in|led to|provided|"
    r"induced|suppressed|enhanced|delayed|shortened)"
)
_ADVERB = r"(?:significantly |markedly |effectively |also )?"
# Each with whether the two names must look alike to be sure that they are what is compared.
_A, _B = rf"(?:the )?(?P<a>{_NAME})", rf"(?:the )?(?P<b>{_NAME})(?=[,.;(]| \()"
_COMPARED = (
    # "... in A than in B": the preposition stands twice
    (re.compile(rf"\b(?P<p>{_PREPOSITION}) {_A} {_LINK} (?P=p) {_B}"), False),
    # "... with A compared with B"
    (re.compile(rf"\b{_PREPOSITION} {_A} {_LINK} {_B}"), True),
    # "A reduced X compared with B"
    (re.compile(rf"^(?:The )?{_A} {_ADVERB}{_ACTS}\b[^.;]{{0,120}}? {_LINK} {_B}"), False),
    # "A was superior to B", "A was more effective than B"
    (
        re.compile(
            rf"^(?:The )?{_A} (?:is|was|were|are|had|showed) [^.;]{{0,60}}?(?:{_LINK}|(?:sup|inf)erior to) {_B}"
        ),
        True,
    ),
    # "Compared with B, A reduced"
    (re.compile(rf"^(?:As )?[Cc]ompared (?:with|to) {_B}, {_A} (?={_ADVERB}{_ACTS})"), False),
)
_TREATMENTS = frozenset(
    {*DRUGS, "placebo", "control", "controls", "sham", "surgery", "chemotherapy", "radiotherapy", "standard", "usual"}
)
_PLAIN = r"-?\d+(?:[.·]\d+)?(?:\s?±\s?\d+(?:[.·]\d+)?)?"
_BESIDE = r"(?:in|with|for|among|on)"
_FIGURE = r"-?\d+(?:[.·]\d+)?(?:\s?%|\s?±\s?\d+(?:[.·]\d+)?)?"
# "12% in the A group and 18% in the B group": the figures stay, the names change places.
_PAIRED = (
    re.compile(
        rf"(?P<x>{_FIGURE})[^,;.\d]{{0,20}} {_BESIDE} (?:the )?(?P<a>{_BARE})(?: {_GROUP})?,? "
        rf"(?:and|versus|vs\.?|compared (?:with|to)|but|while) (?P<y>{_FIGURE})[^,;.\d]{{0,20}} {_BESIDE} "
        rf"(?:the )?(?P<b>{_BARE})(?=[,.;(]| \(| {_GROUP})"
    ),
    re.compile(rf"{_BESIDE} (?:the )?(?P<a>{_BARE}) and (?:the )?(?P<b>{_BARE}),? (?:{_GROUP},? )?respectively"),
    re.compile(
        rf"(?<!, )(?<!and )(?<!to )(?<![\d.])(?P<x>{_PLAIN})(?:\s?%)? (?:and|versus|vs\.?) (?P<y>{_PLAIN})(?![\d.])"
        r"[^.;\d]{0,60},? respectively"
    ),
)


def swapped_names(text: str, abstract: str, random: Random) -> str | None:
    """The arms of a comparison with a direction change places."""
    if not _ORDERED.search(text) or _SYMMETRIC.search(text):
        return None
    for pattern, must_be_alike in _COMPARED:
        m = pattern.search(text)
        if m and _distinct(m["a"], m["b"]) and (not must_be_alike or _alike(m["a"], m["b"])):
            return _exchanged(text, m.span("a"), m.span("b"))
    return None


def swapped_figures(text: str, abstract: str, random: Random) -> str | None:
    """The figures of two arms change places: "12% in A and 18% in B"; "12% and 18%, respectively"."""
    for pattern in _PAIRED:
        m = pattern.search(text)
        if m is None:
            continue
        groups = m.groupdict()
        if ("x" in groups and groups["x"] == groups["y"]) or ("a" not in groups and _SYMMETRIC.search(text)):
            continue
        if "a" in groups:
            if _distinct(m["a"], m["b"]):
                return _exchanged(text, m.span("a"), m.span("b"))
        else:
            return _exchanged(text, m.span("x"), m.span("y"))
    return None


KINDS: dict[str, Callable[[str, str, Random], str | None]] = {
    "arms exchanged, by name": swapped_names,
    "arms exchanged, by figure": swapped_figures,
}


def exchange_arms(text: str, first: str, second: str) -> str | None:
    """Two arm names that both stand once in a sentence with a direction change places."""
    if not _ORDERED.search(text) or _SYMMETRIC.search(text):
        return None
    spans = [[m.span() for m in re.finditer(rf"\b{re.escape(name)}(?!\w)", text)] for name in (first, second)]
    if [len(found) for found in spans] != [1, 1]:
        return None
    a, b = sorted((spans[0][0], spans[1][0]))
    if a[1] > b[0] or not re.search(rf"\b{_LINK}|\bsuperior|\binferior", text):
        return None
    return _exchanged(text, a, b)


def _distinct(first: str, second: str) -> bool:
    """Two names, not one and a part of it, and neither a mere "group"."""
    one, other = first.lower(), second.lower()
    vague = {"group", "groups", "patients", "men", "time", "years", "both groups", "there", "treatment", "results"}
    return one not in other and other not in one and one not in vague and other not in vague


def _alike(first: str, second: str) -> bool:
    """Two of one sort: they end with the same word, or both are treatments."""
    one, other = first.lower().split(), second.lower().split()
    same = one[-1].rstrip("s") == other[-1].rstrip("s")
    return same or all(not _TREATMENTS.isdisjoint(words) for words in (one, other))


def _exchanged(text: str, one: tuple[int, int], other: tuple[int, int]) -> str:
    (a, b), (c, d) = sorted((one, other))
    first, second = text[a:b], text[c:d]
    if a == 0 or text[:a] == "The ":  # the beginning of the sentence keeps its capital
        if a == 0 and second[1:2].islower():
            second = second[0].upper() + second[1:]
        if a == 0 and first[1:].islower() and first[1:2]:
            first = first[0].lower() + first[1:]
    return text[:a] + second + text[b:c] + first + text[d:]
