"""How people are named in a sentence of an answer: those asked about in the asker's words, a source's in its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import PopulationKind, PopulationTerm
from openwork_knowledge.tables import table
from openwork_language.asking.kinds_in import kind_in
from openwork_language.asking.words import asking, disease_of
from openwork_language.searching.information import MOST, information
from openwork_language.terms import find_terms

from openwork_answers.people import people_fit
from openwork_answers.studied import studied

_OPENS = re.compile(
    r"(?:at|after|post|before|during|without|on|not|no|with|following|aged|over|under|within|beyond|between"
    r"|(?:more|less) than)\b|\d[\w.\s\u2013-]*\b(?:hours?|hrs?|h)\s+(?:after|of|from)\b",
    re.IGNORECASE,
)
_HOURS = re.compile(r"\d[\w.\s\u2013-]*\b(?:hours?|hrs?|h)", re.IGNORECASE)
_SAYS_NO = re.compile(
    r"\b(?:no|not|non|none|never|cannot|neither|without|free|off|except|unable|refus\w+|unwilling|other than|outside"
    r"|excluding|absence|ineligible|unsuitable|intoleran\w+|allergic)\b|n['’]t\b|\bnon-?[a-z]{4}|\bun[a-z]{3,}ed\b"
    r"|[ -](?:free|na[iï]ve|negative)\b",
    re.IGNORECASE,
)
"""Words with which a term itself says that somebody does not have it."""
_CAPITAL = re.compile(r"[A-Z][a-z]+(?![\w'’])")


def in_people(told: Sequence[str]) -> str:
    """ " in atrial fibrillation", " after stroke", " in these people (aged 80; on dialysis)"; empty of nobody."""
    if len(told) > 1:
        return f" in these people ({'; '.join(told)})"
    return "".join(map(_in_one, told))


def _in_one(text: str) -> str:
    if _OPENS.match(text) and not _DECADE.search(text):
        return f" {text}"
    if _HOURS.fullmatch(text):
        return f" at {text}"
    if _SAYS_HOW.match(text):
        return f" in people {text}"
    if _VALUE.fullmatch(text):
        return f" with {text}"
    return f" in {text} people" if _STATE.fullmatch(text) else f" in {text}"


_DECADE = re.compile(r"\b(?:over|under)\s+\d{2}s$", re.IGNORECASE)
""" "[In] over 65s"."""
_SAYS_HOW = re.compile(
    r"(?:who|whose|that|free\s+of|listed\s+for|unable|intolerant|allergic|ineligible|unsuitable|awaiting|taking|undergoing|receiving|using)\b",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(?:[Aa]n?\s+)?(?:[Mm]ildly\s+)?(?:(?:[Nn]ormal|[Rr]aised|[Ee]levated|[Rr]educed|[Pp]reserved)"
    r"(?:\s(?!people|patients|adults|children|women|men|group|individuals|weight)[\w-]+)+"
    r"|(?:[Hh]igh|[Ll]ow)\s(?:[\w-]+\s)*(?:risk|[\w-]*[A-Z]{2,}[\w-]*))"
)
""" "Normal free T4"."""
_STATE = re.compile(r"[a-z-]{4,}(?<!e)ed", re.IGNORECASE)
""" "Hospitalised", "stented": of people, who are not named."""


def in_group(told: str) -> str:
    """ " in men", " at seasonal sites": a group as a result names it, which may open with such a word itself."""
    return f" {told}" if _OPENED.match(told) else f" in {told}"


_OPENED = re.compile(r"(?:in|at|among|with|without|after|during|before)\s", re.IGNORECASE)


def in_words(group: Sequence[PopulationTerm]) -> str:
    """ "after a DVT or PE", "without septic shock"."""
    return " or ".join(map(_in_words, group))


def _in_words(term: PopulationTerm) -> str:
    """The asker's words with their polarity, which may stand before the term ("no septic shock"), and as in the middle
    of a sentence."""
    text = _LEFT_OPEN.sub("", _IS.sub("", _small(term.text)))
    text = _ONE.sub(r"\g<who>en", _ONE_PATIENT.sub("patients", text))
    if _is_adjective(term):
        text = f"{text} people"
    if term.wanted or _SAYS_NO.search(text) or _is_why(term):
        return text
    return f"without {text}"


_IS = re.compile(
    r"(?<=\w )(?:is|was|are|were)\s+(?=(?:above|below|over|under|at|about|around|between|more|less|only)\b|\d|[<>])",
    re.IGNORECASE,
)
""" "CRP is above 200" is a CRP above 200."""
_ONE_PATIENT = re.compile(r"(?<=\w )patient\b(?![-'\u2019])", re.IGNORECASE)
_ONE = re.compile(r"\b(?P<who>wom|m)an$", re.IGNORECASE)
_LEFT_OPEN = re.compile(r"(?<=\w)\s+(?:for|of|with|to|in|at|by|from)$", re.IGNORECASE)


def _is_adjective(term: PopulationTerm) -> bool:
    """Whether a term only describes people: "healthy", "pregnant", "diabetic"; "diabetics" names them."""
    last = term.text.split()[-1]
    if term.kind is PopulationKind.CONDITION:
        return not last.endswith("s") and not find_terms(term.text) and disease_of(last) is not None
    return term.kind in {PopulationKind.PEOPLE, PopulationKind.PREGNANCY} and _describes().fullmatch(last) is not None


def _is_why(term: PopulationTerm) -> bool:
    """Whether a treatment that somebody cannot have stands in words of its harm: "aching muscles on two statins"."""
    found = find_terms(term.text) if term.kind is PopulationKind.TREATMENT else ()
    return bool(found) and found[0].end < len(term.text) and found[-1].end == len(term.text) and len(found) > 1


def _small(text: str) -> str:
    """Without the capital of a sentence's first word; a name keeps its own."""
    first = _CAPITAL.match(text)
    if first is None or first[0].casefold() in proper_names() or information(first[0].casefold()) >= MOST:
        return text
    return f"{first[0].casefold()}{text[first.end() :]}"


def _small_words(text: str) -> str:
    """As in the middle of a sentence, of a title that begins every word with a capital."""
    return _CAPITAL.sub(lambda word: word[0] if word[0].casefold() in proper_names() else word[0].casefold(), text)


@cache
def proper_names() -> frozenset[str]:
    """Names that keep their capital, folded."""
    return frozenset(row[1] for row in table("proper_names").rows)


@cache
def _describes() -> re.Pattern[str]:
    """Words of groups that describe people and name none: "healthy", "frail"."""
    return re.compile(asking("describes people"), re.IGNORECASE)


def told_in_words(
    group: Sequence[PopulationTerm], document: EvidenceCandidate, own: str | None, people: str | None
) -> str:
    """Whom a result is of, where it is of the asked people or of some of them: of some, in the source's own words.

    Args:
        group: alternatives, of which the result is ASKED or PART.
        own: what the result says of its people, or the sentence that tells it.
        people: the former alone: the sentence names events too.
    """
    fits = [people_fit((term,), document, own) for term in group]
    exact = [term for term, fit in zip(group, fits, strict=True) if fit is Fit.ASKED]
    if exact:
        return in_words(exact)
    parts = [term for term, fit in zip(group, fits, strict=True) if fit is Fit.PART]
    texts = (people or "", document.title, studied(document))
    named = next((kind for text in texts for term in parts if (kind := kind_in(term, text))), None)
    asked = in_words(group)
    return f"{_small_words(named)} (asked: {asked})" if named else f'some of those asked about ("{asked}")'


_ASKED = re.compile(r"(?P<told>.+) \(asked: (?P<asked>[^()]+)\)")


def each_once(told: Sequence[str]) -> tuple[str, ...]:
    """Two terms that the source tells by one name are told by it once: "tuberculous pericarditis (asked: TB, ...)"."""
    asked: dict[str, list[str]] = {}
    for text in told:
        match = _ASKED.fullmatch(text)
        asked.setdefault(match["told"] if match else text, []).extend([match["asked"]] if match else [])
    return tuple(f"{name} (asked: {', '.join(terms)})" if terms else name for name, terms in asked.items())
