"""The two sides of a comparison as a sentence names them: "lower with A than with B", "A versus B", "between A and B".

The first side is the one that is tested or named first, the second what it is compared with; figures in brackets stand
in this order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from openwork_knowledge.patterns import pattern

from openwork_language.cells.cell import ACTIVE, AFTER, BEFORE, CONTROL, WITH, WITHOUT
from openwork_language.effects.words import CUE
from openwork_language.wording import concepts

_WORD = r"(?:[^\s,;:()\[\]]+)"
_TO = (
    r"(?:with|in|for|among|on|by|after|receiving|taking|given|under|from|of|to|using|"
    r"who\s+(?:received|took|had|were\s+given))"
)
_WITH = r"(?:with|in|for|among|after|receiving|taking|given|under|using|on)"
_THAN_SIDE = re.compile(rf"(?:.*\b){_WITH}\s+((?:{_WORD}\s+){{0,11}}{_WORD})$", re.IGNORECASE | re.DOTALL)
_SIDE = re.compile(rf"(?:.*\b){_TO}\s+((?:{_WORD}\s+){{0,11}}{_WORD})$", re.IGNORECASE | re.DOTALL)
"""The last phrase before "than" or "versus"."""
_NAMED_BEHIND = re.compile(
    r"[^,;.()]{0,60}?\b(?:with|in|for|among|after|on|by)\s+(?P<side>[^;.()]{3,90})", re.IGNORECASE
)
_THERE = re.compile(
    rf"^\W*there\s+(?:was|were)\b.*\b(?:with|after|receiving|taking|given|using)\s+(?P<side>(?:{_WORD}\s+){{0,11}}{_WORD})$",
    re.IGNORECASE | re.DOTALL,
)
_COUNTED_GROUPS = re.compile(
    r"(?:the\s+)?(?:two|three|four|both|all|study|treatment|these)?\s*(?:groups?|arms?)?", re.IGNORECASE
)
_ASSOCIATED = re.compile(r"(?:associat|relat|link|correlat|predict)", re.IGNORECASE)
_IS_LIKE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|as|more|less|no|not)\s\S*$|(?:er|more|less|similar|comparable|same|differen\w*|better|worse|superior\w*|inferior\w*|likely)$",
    re.IGNORECASE,
)
"""Of a cue: it says how something is ("was lower with A"), not what something does ("A lowered ...")."""
_OBJECT = re.compile(r"\s+(?!with\b|in\b|among\b|for\b|than\b|when\b)\w+", re.IGNORECASE)
_LEAD = re.compile(
    rf"^(?:{_TO}\s+)?(?:(?:the|those|that|patients|people|participants|women|men|children|who|a|an)\s+)*"
    rf"(?:(?:had|have|were|are|took|received)\s+(?:an?\s+|the\s+)?)?(?:{_TO}\s+)?",
    re.I,
)
_END = re.compile(
    r"[,;:()\[\]]|\.(?:\s|$)|\b(?:and(?=\s+(?:was|were|did|had|showed|the\s+(?:rate|risk|difference)))|but|whereas|while|although|"
    r"was|were|is|are|had|has|have|did|does|at(?=\s+(?:\d|the|\w+\s+(?:weeks?|months?|years?|days?)))|by(?=\s+\d)|during|"
    r"over(?=\s+(?:a|the|\d))|with\s+respect|regarding|in\s+terms|for(?=\s+the\s+(?:primary|treatment|prevention))|"
    r"in(?=\s+(?:patients|people|adults|children|women|men|reducing|preventing|the\s+(?:treatment|prevention|rate|risk))))\b",
    re.IGNORECASE,
)
_VERSUS = re.compile(
    r"\b(?:versus|vs?\.?(?=\s)|(?:as\s+)?compared\s+(?:with|to)|in\s+comparison\s+(?:with|to)|relative\s+to|rather\s+than|"
    r"instead\s+of|as\s+opposed\s+to|(?:set|weighed|measured|judged)\s+against|over(?=\s+(?:placebo|usual|standard|control))|than)\s*",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf"\b(?:between|comparing|compared(?!\s+(?:with|to)\b)|either)\s+(?P<a>(?:{_WORD}\s+){{0,7}}?{_WORD})\s+(?:and|with|to|or|versus|vs\.?)\s+"
    rf"(?P<b>(?:{_WORD}\s+){{0,6}}{_WORD})",
    re.IGNORECASE,
)
_BOTH = re.compile(
    rf"\b{_TO}\s+(?:the\s+)?(?P<a>(?:{_WORD}\s+){{0,4}}?{_WORD})\s+and\s+(?:in\s+|with\s+|for\s+)?(?:the\s+)?"
    rf"(?P<b>(?:{_WORD}\s+){{0,4}}?{_WORD})\s+(?:groups?|arms?|cohorts?|recipients)\b",
    re.IGNORECASE,
)
_GROUP = re.compile(
    r"\b(?:groups?|arms?|patients|recipients|users|participants|cohorts?|respectively|subjects|people|those|alone|treatment|therapy)\b",
    re.IGNORECASE,
)
_SIDE_WORDS = 7
_CONTROL = re.compile(rf"\b{pattern('arm-roles', 'control')}\b", re.IGNORECASE)
_ACTIVE = re.compile(rf"\b{pattern('arm-roles', 'tested')}\b", re.IGNORECASE)
_BEFORE = re.compile(
    r"^\W*(?:(?:in|at|the|period|value|values|level|levels)\s+)*(?:before|pre|prior|baseline|initial|t0|admission)\b|\bbaseline\b|\bpre-?(?:treatment|intervention|test|op\w*)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^\W*(?:(?:in|at|the)\s+)*(?:after|post|following|end|final|follow-?up|later)\b|\bpost-?(?:treatment|intervention|test|op\w*)|\bafter\s+(?:treatment|the\s+(?:treatment|intervention|training|programme|program))|\bat\s+follow-?up",
    re.IGNORECASE,
)
_WITHOUT = re.compile(r"\b(?:without|no|non|not|never|un\w+|free)\b|\bnon-?", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
_FIGURES = re.compile(r"\s*[(<>=~]?\s*[-−]?\d")
_FIGURE = re.compile(r"[(%]|\d[\d.,·]*\s*(?:%|$|\)|per\b|versus\b|vs\b|and\b|\(|±|patients|of\b|/)")


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two sides with their words; the places are those of the text."""

    first: str
    second: str
    start: int
    end: int

    @property
    def sides(self) -> tuple[frozenset[str], frozenset[str]]:
        """Concepts of each side without what both have, with their roles."""
        return arms_of(self.first, self.second)


@lru_cache(maxsize=8192)
def arms_of(first: str, second: str) -> tuple[frozenset[str], frozenset[str]]:
    """Concepts of two arms, each without what both share, and which of them is the control, where exactly one is."""
    a, b = concepts(_GROUP.sub(" ", first)), concepts(_GROUP.sub(" ", second))
    roles = role_of(first), role_of(second)
    if CONTROL in roles and roles[0] != roles[1]:
        roles = (CONTROL, ACTIVE) if roles[0] == CONTROL else (ACTIVE, CONTROL)
    elif ACTIVE in roles and roles[0] != roles[1]:
        roles = (ACTIVE, CONTROL) if roles[0] == ACTIVE else (CONTROL, ACTIVE)
    else:
        roles = ("", "")
    marks = [marks_of(first, second), marks_of(second, first)]
    return (a - b) | ({roles[0]} - {""}) | marks[0], (b - a) | ({roles[1]} - {""}) | marks[1]


@lru_cache(maxsize=16384)
def role_of(words: str) -> str:
    """`CONTROL` for "placebo", "usual care", "the control group"; `ACTIVE` for "the intervention group"; else ""."""
    if _CONTROL.search(words):
        return CONTROL
    return ACTIVE if _ACTIVE.search(words) else ""


def marks_of(side: str, other: str) -> frozenset[str]:
    """What tells two sides apart whose words are the same: before and after, with and without, first numbers."""
    found: set[str] = set()
    if phase_of(side) != phase_of(other):
        found.add(phase_of(side))
    if bool(_WITHOUT.search(side)) != bool(_WITHOUT.search(other)):
        found.add(WITHOUT if _WITHOUT.search(side) else WITH)
    numbers = set(_NUMBER.findall(side)) - set(_NUMBER.findall(other))
    return frozenset(found | {f"#{n}" for n in numbers}) - {""}


def phase_of(words: str) -> str:
    """`BEFORE` for "before the intervention", "baseline"; `AFTER` for "after", "post-treatment"; else ""."""
    if _BEFORE.search(words):
        return BEFORE
    return AFTER if _AFTER.search(words) else ""


@lru_cache(maxsize=8192)
def find_contrasts(text: str) -> tuple[Contrast, ...]:
    """Every comparison of two sides in a sentence, in order of place; figures are no sides."""
    found: list[Contrast] = []
    for match in _BETWEEN.finditer(text):
        _add(found, match["a"], _cut(match["b"]), *match.span())
    for match in _BOTH.finditer(text):
        _add(found, match["a"], match["b"], *match.span())
    for match in _VERSUS.finditer(text):
        if _FIGURES.match(text[match.end() :]) and re.search(r"\d", " ".join(text[: match.start()].split()[-2:])):
            continue  # "28.7 pg/mL versus 4.5 pg/mL": two figures, not two sides
        second = _cut(text[match.end() : match.end() + 90])
        first, start = _before(text, match.start(), than=match[0].lower().startswith("than"))
        _add(found, first, second, start, match.end() + len(second))
    return tuple(sorted(found, key=lambda contrast: contrast.start))


def _add(found: list[Contrast], first: str, second: str, start: int, end: int) -> None:
    first, second = _bare(first), _bare(second)
    overlaps = any(start < other.end and other.start < end for other in found)
    if (
        first
        and second
        and not overlaps
        and not _COUNTED_GROUPS.fullmatch(first)
        and not _FIGURE.match(second)
        and concepts(second)
    ):
        found.append(Contrast(first, second, start, end))


def _bare(side: str) -> str:
    return _LEAD.sub("", side.strip(), count=1).strip()


def _cut(words: str) -> str:
    """One side: up to the end of its phrase, at most seven words."""
    bare = _LEAD.match(words)
    offset = bare.end() if bare else 0
    end = _END.search(words, offset)
    return " ".join(words[: end.start() if end else len(words)].split()[:_SIDE_WORDS])


def _before(text: str, at: int, *, than: bool) -> tuple[str, int]:
    """The first side of "A than B", "A versus B": what stands before, after a preposition, or the subject."""
    before = text[:at].rstrip(" ,(")
    clause_start = max(
        (m.end() for m in re.finditer(r"[;:]|\((?=[^)]*$)|\.\s|,\s(?:and|but|whereas|while)\s", before)), default=0
    )
    clause = re.sub(r"\s*\([^()]*\)", "", before[clause_start:]).rstrip()
    if not clause.strip():
        # "Compared with B, A lowered ...": the tested side is the subject that follows.
        after = text[at:]
        comma = after.find(", ")
        cue = CUE.search(after, comma + 1) if comma > 0 else None
        if cue is None:
            return "", at
        # "Compared with B, O was lower with A": the side is named behind.
        tells = _IS_LIKE.search(after[: cue.start()][-14:] + cue.group()) and not _ASSOCIATED.match(cue.group())
        named = _NAMED_BEHIND.match(after, cue.end()) if tells else None
        return (_cut(named["side"]), at) if named else (after[comma + 1 : cue.start()].strip(), at)
    there = _THERE.search(clause)
    if there:  # "there was an increase in O with A compared with B"
        return there["side"], clause_start + there.start("side")
    cues = list(CUE.finditer(clause))
    acts = bool(cues) and not _IS_LIKE.search(clause[: cues[-1].start()][-14:] + cues[-1].group())
    side = (_THAN_SIDE if than else _SIDE).search(clause)
    if side and not CUE.search(side[1]) and (not acts or (than and not _OBJECT.match(clause[cues[-1].end() :]))):
        return side[1], clause_start + side.start(1)
    cue = CUE.search(clause)
    if cue and cue.start() > 0 and clause[: cue.start()].strip():
        return clause[: cue.start()].strip(), clause_start
    return " ".join(clause.split()[-_SIDE_WORDS:]), clause_start
