"""Where in a question an outcome's words begin and end: neighbours that are one, and what it is of behind it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from openwork_knowledge.notation import any_of, group
from openwork_knowledge.tables import words
from openwork_language.asking.words import asking
from openwork_language.searching.information import MUCH, SOME, information
from openwork_language.terms import whole_term
from openwork_language.tokens import STOP_WORDS

from openwork_answers.outcome_names import standard_name
from openwork_answers.outcomes import event_names, is_neutral, kinds_before, read_outcome

_BECAUSE_OF = re.compile(
    r"\s+(?:for|from|due to|because of|(?:not |un)?related to|caused by|attributed to)\s+", re.IGNORECASE
)
"""What an event is from: "hospitalisation for heart failure"."""
_KINDS = "non-?fatal|fatal|major|recurrent|CV|cardiovascular"
"""Words that make a kind of the event behind them in a list."""
_LISTED = re.compile(rf"\s*(?:,\s*(?:and|or)?|\bor\b|/)\s*(?:(?:{_KINDS}|first|new)\s+)*", re.IGNORECASE)
_LISTED_TOGETHER = re.compile(rf"\s*(?:,\s*(?:and|or)?|\b(?:and|or|plus)\b|/)\s*(?:(?:{_KINDS})\s+)*", re.IGNORECASE)
_TOGETHER = re.compile(r"\b(?:(?:taken|counted|lumped|added|put) together|combined|composite|as one)\b", re.IGNORECASE)
"""Says that what "and" joins is one outcome."""
_COMMA = re.compile(r",\s")


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a question: [start, end)."""

    start: int
    end: int


def meet(a: Span, b: Span) -> bool:
    """Whether two places overlap."""
    return a.start < b.end and b.start < a.end


def widest(spans: Iterable[Span]) -> list[Span]:
    """Of places that overlap the widest."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda s: s.start - s.end):
        if not any(meet(span, other) for other in kept):
            kept.append(span)
    return kept


_NOUNS = (
    r"(?:(?!(?:in|with|among|when|if|by|at|over|within|versus|vs|compared|than|on|after|during|as|is|are|and|or|go|goes"
    r"|went|rise|rises|fall|falls|drop|drops|up|down|does|do|did|be|been|get|gets|will|would|can|could|has|have"
    r"|more|less|fewer)\b)"
    r"[\w'-]+(?:\s+|(?=\W|$))){1,5}"
)
_CAUSE = re.compile(
    r"\s+(?:from|due to|(?:not |un)?related to|caused by|because of|attributed to|attributable to|requiring|needing"
    r"|leading to)\s+" + _NOUNS,
    re.IGNORECASE,
)
_DIES = re.compile(r"(?:die[sd]?|dying|dead|killed)", re.IGNORECASE)
_DIES_OF = re.compile(r"\s+(?:of|by|from)\s+(?:(?:an?|the|his|her|their|another)\s+)?", re.IGNORECASE)
"""What somebody dies of: "dying of a stroke", "killed by a heart attack"."""
_IS_DIED_OF = re.compile(rf"\b{_DIES.pattern}{_DIES_OF.pattern}$", re.IGNORECASE)
_DIED_OF = re.compile(_DIES_OF.pattern + r"(?!any\b|all\b)" + _NOUNS, re.IGNORECASE)
_NEEDED = re.compile(r"(?<=need|eeds|ment) for\s+" + _NOUNS, re.IGNORECASE)
_ELSEWHERE = re.compile(
    rf"\s+in\s+(?:another|an?\s+(?:different|new|second|other))\s+(?!{asking('head')}\b){_NOUNS}", re.IGNORECASE
)
"""Where an event is, and nobody: "a stroke [in another vascular territory]"."""
_OR_LAST = re.compile(
    r"\s+or\s+(?P<word>[a-z][\w-]+)(?=\s*(?:$|[?.,;)]|\s(?:in|at|after|within|by|over|compared|versus|vs|than|when|among)\b))"
)
"""The last of a list that ends there, in no list of names: "death [or dependence]"."""
_COUNTED_AS = re.compile(
    r"\s+(?:events?|episodes?|endpoints?|outcomes?|complications?|attacks?|exacerbations?|status)\b", re.IGNORECASE
)


def completed(span: Span, question: str, taken: Sequence[Span]) -> Span:
    """With what it is of behind it: "death [from cardiovascular causes]", "kidney disease [events]"."""
    of_death = (_DIED_OF,) if _DIES.fullmatch(question[span.start : span.end]) else ()
    for behind in (_COUNTED_AS, _CAUSE, _NEEDED, *of_death, _ELSEWHERE, _OR_LAST):
        if match := behind.match(question, span.end):
            if behind is _OR_LAST and (_ends_phrase(match["word"]) or information(match["word"]) < SOME):
                continue
            longer = Span(span.start, match.start() + len(match[0].rstrip()))
            if not any(meet(longer, other) and not meet(span, other) for other in taken):
                span = longer
    return span


_LEADS = "(?:needing|requiring|leading to|resulting in)"
_LED_TO = re.compile(rf"(?P<event>[^\W\d_][\w'-]*)\s+{_LEADS}\s+(?:an?\s+|the\s+)?$", re.IGNORECASE)
_LEADS_TO = re.compile(rf"\b{_LEADS}\b", re.IGNORECASE)


@cache
def _event_of() -> re.Pattern[str]:
    return re.compile(rf"{event_names().pattern}\s+of\s+(?:an?\s+|the\s+)?(?:[\w-]+\s+)?$", re.IGNORECASE)


def is_died_of(before: str) -> bool:
    """Whether the words before a disease say that somebody dies of it."""
    return _IS_DIED_OF.search(before) is not None


def tells_what_it_led_to(outcome: str) -> bool:
    """Whether an outcome is told with what it led to: "bleeding requiring transfusion", which nobody is given."""
    return _LEADS_TO.search(outcome) is not None


def with_event(span: Span, question: str, taken: Sequence[Span]) -> Span:
    """With the event before it that led to it, or that is of it: "[exacerbations needing] admission", "[attacks of]
    asthma"."""
    if (of := _event_of().search(question, 0, span.start)) and not _meets(of.start(), span.start, taken):
        return Span(kinds_before(question, of.start()), span.end)
    match = _LED_TO.search(question, 0, span.start)
    if match is None or _ends_phrase(match["event"]) or _is_whom().fullmatch(match["event"]):
        return span
    return span if _meets(match.start(), span.start, taken) else Span(match.start(), span.end)


_WORD_BEFORE = re.compile(r"(?P<word>[^\W_][\w'-]*)(?P<gap>\s+)$")
_WORD_BEHIND = re.compile(r"(?P<gap>\s+)(?P<word>[^\W_][\w'-]*)")
_OF = re.compile(r"\s+of\s+(?:the\s+|an?\s+)?(?P<what>[^\W\d_][\w'-]*(?:\s+[^\W\d_][\w'-]*)?)(?=\s*(?:$|[?.,;:)]))")
_IN = re.compile(
    r"\s+(?:of|in)\s+(?:the\s+|an?\s+)?(?P<what>[^\W\d_][\w'’-]*(?:\s+(?!(?:in|with|at|over|than|after|among|compared"
    r"|versus|vs)\b)[^\W\d_][\w'’-]*){0,5})(?=\s*(?:$|[?.,;:)]|\s(?:in|with|at|over|than|after|among|compared|versus|vs)\b))"
)
_MOST_OF_SLOT = 5
_MOST = 2
"""Words on either side that may be part of the phrase."""


def whole_phrase(span: Span, question: str, taken: Sequence[Span]) -> Span:
    """With the words that stand with it in one phrase: "[RSV] admissions", "ICD [shocks]", "fracture [of the wrist]".

    Only where the phrase ends within two words at a word that belongs to no noun: of an unknown verb nothing is taken.
    """
    span = Span(_phrase_start(span, question, taken), span.end)
    span = Span(span.start, _phrase_end(span, question, taken))
    of = (_IN if _changes().fullmatch(question[span.start : span.end]) else _OF).match(question, span.end)
    if of is not None and not _ends_phrase(of["what"].split()[0]) and not _is_whom().match(of["what"]):
        longer = Span(span.start, of.end("what"))
        if not any(meet(longer, other) and not meet(span, other) for other in taken):
            return longer
    return span


def within_slot(span: Span, slots: Iterable[str], question: str, taken: Sequence[Span]) -> Span:
    """The whole phrase of the slot that holds it: "days off the [ventilator]"."""
    for text in slots:
        at = question.find(text)
        whole = Span(at, at + len(text))
        said = text.split()
        if len(said) > _MOST_OF_SLOT or _ends_phrase(said[0]) or any(map(_no_noun().fullmatch, said)):
            continue  # "to below 120 mm Hg reduce cardiovascular events"
        if 0 <= at <= span.start and span.end <= whole.end and not any(meet(whole, other) for other in taken):
            return whole
    return span


def _phrase_start(span: Span, question: str, taken: Sequence[Span]) -> int:
    """Where the phrase begins: behind a mark or a word that is of none; too far before it, the span's own start."""
    at = span.start
    for n in range(_MOST + 1):
        match = _WORD_BEFORE.search(question, 0, at)
        if match is None:
            return at if n < _MOST and question[:at].strip() else span.start
        if _ends_phrase(match["word"]) or _changes().fullmatch(match["word"]):
            return at  # "would A rather than B [change] mortality"
        if n == _MOST:
            break
        if _meets(match.start(), match.end(), taken):  # "semaglutide [retinopathy] worsening"
            return at if information(question[at : span.start].split(" ")[0]) >= MUCH else span.start
        at = match.start()
    return span.start


def _phrase_end(span: Span, question: str, taken: Sequence[Span]) -> int:
    at = span.end
    for _ in range(_MOST + 1):
        match = _WORD_BEHIND.match(question, at)
        if match is None or _says_nothing(match["word"]) or _meets(match.start(), match.end(), taken):
            return at
        at = match.end()
    return span.end


def _meets(start: int, end: int, taken: Sequence[Span]) -> bool:
    return any(meet(Span(start, end), other) for other in taken)


def _ends_phrase(word: str) -> bool:
    folded = word.casefold()
    return folded in STOP_WORDS or folded.endswith("ly") or _no_noun().fullmatch(folded) is not None


def _says_nothing(word: str) -> bool:
    """Whether a word behind an outcome is none of it: "stroke [risk]", "myocardial infarction [HR]"."""
    return (
        _ends_phrase(word)
        or word.casefold() in _BEHIND_IT
        or _measures().fullmatch(word) is not None
        or is_neutral(word)
    )


_BEHIND_IT = frozenset(
    {"more", "less", "most", "least", "better", "best", "worse", "fewer", "longer", "sooner"}
    | {"diagnosed", "found", "seen", "reported"}
)
""" "Which slows the renal decline [more]?", "is diabetes [diagnosed] more often"."""


@cache
def _measures() -> re.Pattern[str]:
    """How results are counted and told, as they are written: "HR", "95% [CI]"."""
    return re.compile(group("outcome-words", "measure"))


@cache
def _no_noun() -> re.Pattern[str]:
    """Words that belong to no phrase of an outcome: verbs, words of asking, of comparing, of time and of people."""
    listed = (w for name in ("finite verb", "stop", "head") for w in words("asking", name))
    effects = (w for w in words("question_slots", "effect") if " " not in w)
    return re.compile(any_of((*listed, *effects, *words("outcome-words", "of no phrase"))), re.IGNORECASE)


@cache
def _changes() -> re.Pattern[str]:
    """What says only that something changes, which is named behind it: "drop in ...", "improvement of ..."."""
    return re.compile(group("outcomes", "change"), re.IGNORECASE)


@cache
def _is_whom() -> re.Pattern[str]:
    return re.compile(rf"{group('asking', 'head')}\b", re.IGNORECASE)


def _is_one_event(between: str, text: str) -> bool:
    """ "HF hospitalisation": what somebody is admitted for, or dies of, before it."""
    return not between.strip() and _EVENT_OF.match(text) is not None


_EVENT_OF = re.compile(r"(?:hospitali[sz]|re-?admission|admission|death|visit|event)", re.IGNORECASE)


def is_one_name(text: str) -> bool:
    """Whether words in a row are the name of one outcome."""
    return standard_name(text) is not None or whole_term(text) is not None


def _is_usual(listed: Span, last: Span, question: str) -> bool:
    """Whether a list with a comma and what "and" adds to it are what trials count as one: death, infarction, stroke."""
    if not _COMMA.search(question, listed.start, listed.end):
        return False
    atoms = read_outcome(question[listed.start : last.end].replace(" and ", ", ")).atoms
    return all(any(thing.name in _USUAL for thing in atom.things) for atom in atoms)


_USUAL = frozenset({"death", "stroke", "ischemic stroke", "myocardial infarction"})


_MIDDLE = re.compile(rf",\s+(?P<word>[a-z][\w-]+)(?:\s*,)?\s+or\s+(?:(?:{_KINDS}|first|new)\s+)*")


def _is_unknown_of_list(between: str) -> bool:
    """Whether a word that is known as no outcome is one by its place: "death, [reinfarction] or heart failure"."""
    middle = _MIDDLE.fullmatch(between)
    return middle is not None and not _ends_phrase(middle["word"]) and information(middle["word"]) >= SOME


def in_lists(spans: list[Span], question: str) -> list[Span]:
    """Neighbours in one list are a composite: "CV death, MI or stroke", "MI, stroke and death"; what "and" alone joins
    are two outcomes.
    """
    joined: list[Span] = []
    together = _TOGETHER.search(question) is not None
    for span in spans:
        between = question[joined[-1].end : span.start] if joined else ""
        link = _LISTED_TOGETHER if together or (joined and _is_usual(joined[-1], span, question)) else _LISTED
        if (
            joined
            and (
                (between.isspace() and is_one_name(question[joined[-1].start : span.end]))  # "stent thrombosis"
                or _is_one_event(between, question[span.start : span.end])
                or link.fullmatch(between)
                or _is_unknown_of_list(between)
                or _BECAUSE_OF.fullmatch(between)
                or (_DIES.fullmatch(question[joined[-1].start : joined[-1].end]) and _DIES_OF.fullmatch(between))
            )
        ):
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return joined
