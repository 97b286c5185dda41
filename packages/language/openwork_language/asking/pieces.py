"""A question cut into the phrases that its small words open: "in ...", "with ...", "after ...", "without ..."."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from openwork_knowledge.notation import group

from openwork_language.asking.words import asking, whole
from openwork_language.searching.information import MUCH, information
from openwork_language.searching.spellings import describes

Span = tuple[int, int]
_CUES = ("without", "after", "undergoing", "on", "with", "who", "in", "for", "of")
_TIMED = (
    r"(?:(?:within|more than|less than|at least|up to|over|under|in)\s+(?:the first\s+)?)?"
    r"\d+(?:\.\d+)?(?:(?:[-–]|\s?(?:to|and|or)\s)\d+(?:\.\d+)?)?[\s-]"
    r"(?:hours?|days?|weeks?|months?|years?)\s+(?:of|after|before|following|from|post)"
)
"""A time counted from an event: "within 3 months of surgery", "6 hours after onset"."""
_HARD_STOP = re.compile(r"[?;:!/]\s|,\s+so\s+(?!\w+\s+(?:that|as)\b)|[?;:!]|\.(?:\s|$)|\s[-–—]+\s|--|—")
_PART = re.compile(
    r"\s*(?:,\s*(?:and|or|but|plus)?|;|\band/or\b|\band\b|\bor\b|\bplus\b|\bbut\b|&)\s+|[()]", re.IGNORECASE
)
_LAST_WORD = re.compile(r"([\w-]+)\W*$")


_PREDICATE = re.compile(r"(?<! of)(?<! after)(?<! with)\s(?:an?|the)\s.*$|(?:\s\w+ly)?\s\w{3,}[ai]ble$|\s\w+ly$")
"""What "Is X in Y ..." says of X: "a risk factor", "economically viable"."""


_OPENS_NOTHING_BEHIND = re.compile(r"\b(?:look(?:s|ed|ing)?|an?|the|his|her|their)\s+$", re.IGNORECASE)
"""Who looks after a patient tells no time, and what stands behind an article opens nothing: "a [failing] graft"."""
_COMPARED = re.compile(r"\bcompar(?:e[ds]?|ing|ison)\s+$", re.IGNORECASE)
"""What something is compared with is nobody's: "compared [with no beta-blocker]"."""
_HAS = r"(?:has|had)(?:\s+(?:also|already|both|got|now|previously|recently|since))*"


@dataclass(frozen=True, slots=True)
class Piece:
    """A phrase of the question: the words that open it are [cue, start), the phrase is [start, end)."""

    kind: str
    """without, after, undergoing, on, with, has, who, in, for, of."""
    cue: int
    start: int
    end: int


def pieces_of(question: str, names: Sequence[Span]) -> tuple[Piece, ...]:
    """Every phrase in order; words inside a name or a figure (`names`) open none."""
    cues = [
        m
        for m in _cue_pattern().finditer(question)
        if not is_inside(names, m.start(), m.end())
        and not _OPENS_NOTHING_BEHIND.search(question, 0, m.start())
        and not (m[0].casefold().startswith("with") and _is_compared_with(question, m))
        and (m.lastgroup != "has" or _somebody_has(question, m, names))
    ]
    cues = [m for i, m in enumerate(cues) if i == 0 or not _describes_what_follows(cues[i - 1], m)]
    found: list[Piece] = []
    for i, match in enumerate(cues):
        end = cues[i + 1].start() if i + 1 < len(cues) else len(question)
        for stop in (_HARD_STOP, _stops()):
            for hit in stop.finditer(question, match.end(), end):
                inside = is_inside(names, hit.start(), hit.end())
                if not (inside or _describes(question, match.end(), hit) or _is_of_a_place(question, hit)):
                    end = min(end, hit.start())
                    break
        kind = match.lastgroup or "with"
        kind = _KINDS.get(kind, kind)
        goes_on = kind in ("of", "for") and not _restricts_nobody().fullmatch(question, match.end(), end)
        if goes_on and found and _may_go_on(found[-1], match.start(), question):
            last = found.pop()
            found.append(Piece(last.kind, last.cue, last.start, end))
        else:
            found.append(Piece(kind, match.start(), match.end(), end))
    return tuple(found)


def _describes(question: str, start: int, verb: re.Match[str]) -> bool:
    """Whether a word for an effect says how something of the people is: "after MI with a mildly [reduced] EF"."""
    return verb[0].casefold().endswith("ed") and _OPENS_A_NOUN.search(question[start : verb.start()]) is not None


def _is_of_a_place(question: str, stop: re.Match[str]) -> bool:
    """Whether a word that ends phrases is part of a name here: "[lower] GI bleeding", "moderate [to] severe"."""
    if stop[0].casefold() == "to":
        return _BETWEEN_DEGREES.search(question, 0, stop.end()) is not None
    return stop[0].casefold() == "lower" and _lower_part().match(question, stop.end()) is not None


_BETWEEN_DEGREES = re.compile(r"\b(?:mild|moderate|moderately|intermediate|high|low|lean|normal)\s+to$", re.IGNORECASE)


@cache
def _lower_part() -> re.Pattern[str]:
    return re.compile(rf"\s+{group('outcome-phrases', 'lower')}", re.IGNORECASE)


_OPENS_A_NOUN = re.compile(r"(?:^|\b(?:and|or|with))\s*(?:(?:an?|the|his|her|their)\s+)?(?:\w+ly\s+)?$", re.IGNORECASE)
_KINDS = {"timed": "after", "post": "after"}


def _may_go_on(piece: Piece, end: int, question: str) -> bool:
    """Whether what stands right behind a phrase may be part of it; "usual care" has nobody to go on with."""
    if piece.kind not in _GOES_ON or piece.end != end:
        return False
    return _restricts_nobody().fullmatch(question, piece.start, piece.end) is None


def _is_compared_with(question: str, cue: re.Match[str]) -> bool:
    """Whether "with" opens what something is compared with; not where that is the lack of another drug than is given,
    of which a source would have to speak."""
    if _COMPARED.search(question, 0, cue.start()) is None:
        return False
    lacking = _NO.match(question, cue.start())
    return lacking is None or lacking["what"].casefold().rstrip("s") in question[: cue.start()].casefold()


_NO = re.compile(r"with\s+no\s+(?P<what>[\w-]+)", re.IGNORECASE)


def _describes_what_follows(before: re.Match[str], cue: re.Match[str]) -> bool:
    """Whether a participle stands right behind words that open a phrase, and opens none: "with [failing] grafts"."""
    opens = before.lastgroup in {"with", "after", "in", "has"} and before.end() + 1 >= cue.start()
    return opens and cue.lastgroup == "with" and _PARTICIPLE.fullmatch(cue[0]) is not None


_PARTICIPLE = re.compile(r"(?!having\b)\w+ing", re.IGNORECASE)


@cache
def _has_done() -> re.Pattern[str]:
    """ "She has been", "he has to": nothing that somebody has."""
    return re.compile(rf"\s+(?:{asking('has done')}\b|\w+ed\s+(?:an?|the|his|her|from|to|with|for)\b)", re.IGNORECASE)


_OTHER_PHRASE = r"(?:about|for|with|on|in|to|from)\s"
"""Behind it stands what is had no more: "has a question [about] warfarin"."""


def _somebody_has(question: str, has: re.Match[str], names: Sequence[Span]) -> bool:
    """Whether people stand before "has", and behind it what they have: "My patient [has] an ileostomy".

    What somebody "had" is told of many things that restrict nobody; it has to be one that has a name.
    """
    if not somebody_before(question, has.start()) or _has_done().match(question, has.end()):
        return False
    if any(_FEW.fullmatch(question, has.end(), start) for start, _ in names):
        return True
    behind = _NEXT_WORDS.match(question, has.end())
    words = behind[0].split() if behind else []
    return has[0].casefold().startswith("has") and any(information(word) >= MUCH for word in words)


_NEXT_WORDS = re.compile(rf"(?:\s+(?!{_OTHER_PHRASE})[\w'-]+){{1,4}}")
_FEW = re.compile(rf"\s+(?:(?!{_OTHER_PHRASE})[\w-]+\s+){{0,3}}")


def is_how_found(question: str, end: int) -> bool:
    """Whether a name that ends at a place tells how a disease was found: "[spirometry]-proven COPD"."""
    return _FOUND_BY.match(question, end) is not None


_FOUND_BY = re.compile(r"-(?:proven|confirmed|diagnosed|verified|documented|defined|detected)\b", re.IGNORECASE)


def somebody_before(question: str, end: int) -> bool:
    """Whether a word for people stands right before a place."""
    return _somebody().search(question, 0, end) is not None


@cache
def _somebody() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){asking('head', 'somebody')}[\s,]*$", re.IGNORECASE)


_GOES_ON = frozenset({"without", "with", "has", "undergoing", "after"})
"""Phrases that "of" and "for" carry on: "without an indication for anticoagulation"."""


@cache
def _restricts_nobody() -> re.Pattern[str]:
    """ "With COPD for longer" goes on with nobody."""
    return re.compile(rf"\s*{asking('never a population')}\W*", re.IGNORECASE)


def is_inside(names: Sequence[Span], start: int, end: int) -> bool:
    """Whether [start, end) overlaps a name beyond its first word."""
    return any(s < end and start < e and s < start for s, e in names)


def parts_of(question: str, start: int, end: int, names: Sequence[Span]) -> Iterator[Span]:
    """A phrase cut at "and", "or" and commas outside names; "relapsed or refractory lymphoma" stays whole."""
    left = start
    for match in _PART.finditer(question, start, end):
        before = question[left : match.start()].split()
        describes_what_follows = len(before) == 1 and (describes(before[0]) or before[0].endswith("-"))
        if is_inside(names, match.start(), match.end()) or describes_what_follows:
            continue
        yield left, match.start()
        left = match.end()
    yield left, end


def word_before(question: str, end: int) -> str:
    """The last word before a place; empty at the beginning."""
    found = _LAST_WORD.search(question[:end])
    return found[1] if found else ""


def trimmed(question: str, start: int, end: int) -> Span | None:
    """A phrase without determiners before it and words for people behind it; `None` when nothing is left."""
    lead = _lead().match(question, start, end)
    left = lead.end() if lead else start
    tail = _tail().search(question[left:end])
    right = left + tail.start() if tail else end
    if predicate := _PREDICATE.search(question, left, right):
        right = predicate.start()
    return (left, right) if right > left else None


def before_people(question: str, walls: Sequence[Span]) -> Iterator[Span]:
    """What describes people right before the word for them: "nondiabetic [patients]"; never across `walls`."""
    for match in whole("head").finditer(question):
        if _PART_OF_A_NOUN.match(question, match.start()) and not _opens_or_stops().match(question, match.end()):
            continue
        left = match.start()
        drawn = (s for s, e in walls if e <= left and question[e:left].removesuffix(" ") in _DRAWS_IN)
        if (wall := next(drawn, None)) is not None:
            yield wall, match.start()
            continue
        while word := _WORD_BEFORE.search(question[:left]):
            if word[1].casefold() in _SUBJECTS:
                left = match.start()
                break
            if _IS_DONE.search(question, 0, word.end(1)):
                break
            if _ends_description().fullmatch(word[1]) or any(s < left and word.start() < e for s, e in walls):
                break
            left = word.start()
        if left < match.start():
            yield left, match.start()


_DRAWS_IN = frozenset(
    {"", "-naive", " naive", "-naïve", " naïve", "-intolerant", " intolerant", "-treated", "-dependent"}
)
"""Between a treatment and people: then it is theirs, and not what is asked about: "dialysis patients"."""
_SUBJECTS = frozenset({"i", "we", "you", "he", "she", "they"})
"""What stands behind one is a verb: in "I usually tell [people]" nobody is described."""
_IS_DONE = re.compile(
    r"\b(?:giv|treat|offer|putt|start|keep|lett|switch|random(?:is|iz)|mak|allow|tell|advis|screen|mov|send|plac|expos"
    r"|vaccinat|immuni[sz]|transfus|admitt|discharg)ing$",
    re.IGNORECASE,
)
"""What is done to people, and no word for them: "does [giving] septic patients ..."."""
_PART_OF_A_NOUN = re.compile(r"(?:patient|person|subject|participant|case|user|group|population)\s[a-z]", re.IGNORECASE)
"""In "patient safety" nobody is described."""
_WORD_BEFORE = re.compile(r"([^\W_][\w'’/+-]*)\s*$")


@cache
def _opens_or_stops() -> re.Pattern[str]:
    cues = asking("stop", *(f"cue {name}" for name in _CUES))
    return re.compile(rf"\s(?:{cues}|{group('question_slots', 'effect')})(?![\w-])", re.IGNORECASE)


@cache
def _lead() -> re.Pattern[str]:
    return re.compile(rf"(?:[\s,]*\b{asking('determiner', 'head')}\b(?!-))*[\s,'\"“”]*", re.IGNORECASE)


@cache
def _tail() -> re.Pattern[str]:
    return re.compile(rf"(?:[\s,]*\b(?:{asking('head')}|{asking('determiner')})\b)*[\s,'’\"“”.-]*$", re.IGNORECASE)


@cache
def _ends_description() -> re.Pattern[str]:
    cues = asking("determiner", "stop", "finite verb", *(f"cue {name}" for name in _CUES))
    return re.compile(rf"{cues}|{group('question_slots', 'effect')}|\d+", re.IGNORECASE)


@cache
def _cue_pattern() -> re.Pattern[str]:
    """Each cue under its name; where several begin at one place the kind named first wins."""
    ways = "|".join(rf"(?P<{name}>{asking(f'cue {name}')})" for name in _CUES)
    return re.compile(
        rf"(?<![\w-])(?:(?:(?P<timed>{_TIMED})|{ways}|(?P<has>{_HAS}))(?![\w-])|(?-i:(?P<post>[Pp]ost-(?=[A-Z]))))",
        re.IGNORECASE,
    )


@cache
def _stops() -> re.Pattern[str]:
    verb = rf"{asking('finite verb')}(?=\s+{asking('behind verb')}(?![\w-]))"
    return re.compile(
        rf"(?<![\w-])(?:{asking('stop')}|{group('question_slots', 'effect')}|{verb})(?![\w-])", re.IGNORECASE
    )
