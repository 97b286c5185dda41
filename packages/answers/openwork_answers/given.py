"""Of the treatments that a question names, which are asked about and which are there already: beside them or instead.

Who asks tells of somebody first and then asks: "Aged 78, on enalapril. Would he live longer on sacubitril-valsartan?"
What only the telling names is there already. Of two of one class people take one: the one that is there is what the
other is compared with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openwork_contracts.question import EntityKind, PopulationTerm, QuestionAnalysis
from openwork_knowledge.classes import classes_of
from openwork_language.sentences import split_sentences
from openwork_language.terms import find_terms

_GOES_ON = re.compile(r"\s+(?:is|are)\s+(?:still|already)\b|\s+on\s+board\b", re.IGNORECASE)
_AMOUNT = (
    r"(?:(?:an?|the|their|his|her|any|[a-z]+-(?:dose|intensity|potency)|oral|inhaled|existing"
    r"|usual|daily|long-term|open-label|background|maintenance|chronic|maximal|maximum|max|optimal|standard|other|every|each"
    r"|full|lots? of|a lot of|plenty of|(?:high|low) doses? of|escalating|increasing|stable|two|three|several)\s+){0,3}"
)
_BEHIND = re.compile(
    r"\b(?:already (?:on|taking|given|receiving|treated with)|on top of|add\w* to|added onto|addition to|despite"
    r"|add\w*\s+(?:(?:an?|the)\s+)?(?:[\w-]+\s+){1,4}?to"
    r"|background(?: of)?|once on|while (?:on|taking)|with (?=(?:his|her|their)\s)"
    r"|(?:^|[,.;:]\s*)on|on every|on each|still on)\s+"
    rf"{_AMOUNT}$",
    re.IGNORECASE,
)
"""What opens a treatment that is there already."""
_LISTED = r"(?:[\w-]+(?:\s\d[\w.]*(?:\s?m?c?g)?)?(?:,\s*(?:and\s+)?|\s+and\s+)){0,4}"
_ON_LAST = re.compile(rf"\bon\s+{_AMOUNT}{_LISTED}$", re.IGNORECASE)
_STARTED = re.compile(
    rf"\b(?:(?:re)?starting|started on|taking|receiving|getting|treated with|given)\s+{_AMOUNT}$", re.IGNORECASE
)
"""Before the colon of "TB, starting antiretrovirals: does prednisone ...?"."""
_COMPARES = re.compile(
    r"\b(?:than|versus|vs?|compared|against|or|rather|instead|between|more|less|fewer)\b", re.IGNORECASE
)
_INTENDED = re.compile(
    r"\b(?:thinking (?:of|about)|consider\w*|contemplat\w*|want\w* to|about to|going to|plan\w* to"
    r"|tempted to|ask\w* about|wonder\w* about"
    r"|switch\w*|chang\w*|mov\w*|start\w*|add\w*|try\w*|put (?:him|her|them) on|giv\w+|gave|offer\w*"
    r"|prescrib\w*|use|using)"
    r"(?:\s+[\w-]+){0,4}?\s*$",
    re.IGNORECASE,
)
"""What opens a treatment that somebody means to give."""
_AGAINST = re.compile(
    r"\b(?:than|versus|vs?\.?|relative to|compared (?:with|to)|against|instead of|rather than|over)"
    r"\s+(?:an?\s+|the\s+)?$",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"\b(?:switch|chang|swap|mov|convert|transition)\w*\s+(?:[\w-]+\s+){0,4}?from\s+(?:(?!to\b)[\w-]+\s+){0,2}?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Given:
    """Names of treatments as the question has them."""

    asked: tuple[str, ...]
    beside: tuple[str, ...] = ()
    """There already, and going on: "added to a statin", "on dialysis. Does aspirin ...?"."""
    instead: tuple[str, ...] = ()
    """There already, and given up for what is asked about: "switched from warfarin to ...", of the same class."""


def is_only_given(term: PopulationTerm, analysis: QuestionAnalysis) -> bool:
    """Whether a term is a drug's name alone behind a comma: which iron is meant, and nobody."""
    drug = any((e.start, e.end) == (term.start, term.end) and e.kind is EntityKind.DRUG for e in analysis.entities)
    return drug and term.wanted and analysis.question[: term.start].rstrip().endswith((",", ":", "-"))


def without_whom(name: str, people: Iterable[PopulationTerm], question: str) -> str:
    """What is given without those who stand right behind it: "BP treatment [over 80]", "rate control [AF]"."""
    start = question.find(name)
    ends = (term.start - start for term in people if start < term.start < term.end == start + len(name))
    end = next(ends, None) if start >= 0 else None
    return name if end is None else name[:end].rstrip()


def given_in(terms: Sequence[str], analysis: QuestionAnalysis) -> Given:
    """The terms of a question's treatments in their roles.

    Args:
        terms: names as the question has them, each a treatment that no comparison holds.
    """
    question = analysis.question
    behind = [t for t in terms if _is_behind(t, question)]
    if len(behind) == len(terms):
        behind = []
    told = _told_before(terms, question)
    left = [t for t in terms if _FROM.search(question[: _place(t, question)])]
    opening = _opening(terms, analysis)
    trailing = [] if told or behind else _trailing(terms, question)
    there = [t for t in terms if any(t in some for some in (behind, told, left, trailing, opening))]
    asked = tuple(t for t in terms if t not in there)
    if not asked:
        return Given(tuple(terms))
    others = _named_before(analysis, asked) if len(asked) == 1 else []
    instead = tuple(t for t in (*there, *others) if t in left or (t not in behind and is_alike(t, asked)))
    return Given(asked, tuple(t for t in there if t not in instead), tuple(dict.fromkeys(instead)))


def _place(term: str, question: str) -> int:
    return max(0, question.find(term))


def _is_behind(term: str, question: str) -> bool:
    at = _place(term, question)
    return _BEHIND.search(question[:at]) is not None or _GOES_ON.match(question, at + len(term)) is not None


def _told_before(terms: Sequence[str], question: str) -> list[str]:
    """Terms that only the telling names, where another is asked about, or is meant to be given.

    Within one sentence ("Septic shock on noradrenaline: does hydrocortisone ...?") only what somebody is on.
    """
    start, sentence = asking_from(question), _asking_sentence(question)
    compared = [t for t in terms if _AGAINST.search(question[: max(0, question.find(t, start))])]
    before = [t for t in terms if _place(t, question) < start and question.find(t, start) < 0]
    before = [t for t in before if (at := _place(t, question)) < sentence or is_had(question[:at])]
    if not before:
        return []
    if any(t not in before and t not in compared for t in terms):
        return before
    intended = [t for t in before if _INTENDED.search(question[: _place(t, question)])]
    return [t for t in before if t not in intended] if intended else []


def is_had(before: str) -> bool:
    """Whether what stands before a drug's name says that somebody is on it, or was started on it."""
    return _ON_LAST.search(before) is not None or _STARTED.search(before) is not None


_ASKING_WORD = (
    r"(?:do|does|did|is|are|was|were|will|would|can|could|should|may|might|has|have|which|what|how|who|when|why)\b"
)
_ASKS = re.compile(rf"(?:[:;]|\s[-\u2013\u2014])\s+(?=(?:and |but |so )?{_ASKING_WORD})", re.IGNORECASE)
"""A colon, semicolon or dash behind which the asking begins."""


def asking_from(question: str) -> int:
    """Where the clause begins that asks: of the first sentence with a question mark, without one of the last."""
    start = _asking_sentence(question)
    found = [match.end() for match in _ASKS.finditer(question, start)]
    return found[-1] if found else start


def _asking_sentence(question: str) -> int:
    sentences = split_sentences(question)
    asking = [s for s in sentences if s.text.rstrip().endswith("?")] or sentences[-1:]
    return asking[0].start if asking else 0


_LAST_PART = re.compile(r"(?:[:;]|\s[-\u2013\u2014])\s+(?=[^:;]*\?\W*$)")
"""Behind it a question asks, whatever word it begins with: "...: any survival gain?"."""


def asking_part(text: str) -> int:
    """Where the part begins that asks: behind the last colon or dash of a question, else by its asking word."""
    last = [match.end() for match in _LAST_PART.finditer(text)]
    return max((asking_from(text), *last[-1:]))


_FIRST_CLAUSE = re.compile(r"[^:;?]*?(?:[:;]|\s[-\u2013\u2014]|\?)\s")
_STILL = re.compile(r"(?:\s+(?:who|is|are|still|already|now))*\s+on\s", re.IGNORECASE)


def _opening(terms: Sequence[str], analysis: QuestionAnalysis) -> list[str]:
    """ "T2DM on [metformin]: liraglutide or sitagliptin?": of a telling without a verb, what who is told of is on."""
    question = analysis.question
    clause = _FIRST_CLAUSE.match(question)
    if clause is None or len(terms) < 2 or re.match(_ASKING_WORD, question, re.IGNORECASE):
        return []
    people = [t.end for t in analysis.pico.people if _STILL.match(question, t.end)]
    told = [t for t in terms if _place(t, question) < clause.end() and _ON_LAST.search(question[: _place(t, question)])]
    told = [t for t in told if any(end < _place(t, question) for end in people)]
    return told if len(told) < len(terms) else []


def _trailing(terms: Sequence[str], question: str) -> list[str]:
    """ "[icosapent ethyl] cardiovascular death ... on statin": last, behind what is asked about, nothing compared."""
    if len(terms) < 2 or _COMPARES.search(question):
        return []
    last = max(terms, key=lambda t: _place(t, question))
    at = _place(last, question)
    is_last = not question[at + len(last) :].strip(" ?.!")
    return [last] if is_last and _ON_LAST.search(question[:at]) else []


def _named_before(analysis: QuestionAnalysis, asked: Sequence[str]) -> list[str]:
    """Drugs that the telling names and no slot holds: "takes rivaroxaban. Would she bleed less on apixaban?"."""
    start = asking_from(analysis.question)
    held = {*analysis.pico.intervention, *analysis.pico.comparison, *asked}
    return [e.text for e in analysis.entities if e.kind is EntityKind.DRUG and e.start < start and e.text not in held]


def is_alike(term: str, others: Sequence[str]) -> bool:
    """Whether two drugs share a class in the strict sense."""
    own = _classes(term)
    return any(own & _classes(other) for other in others)


def _classes(term: str) -> set[str]:
    """The narrowest class of each drug: of a wide one ("lipid-lowering") people take several."""
    drugs = [t for t in find_terms(term) if t.kind is EntityKind.DRUG and not t.is_class]
    return {name for drug in drugs for name in classes_of(drug.name)[:1]}
