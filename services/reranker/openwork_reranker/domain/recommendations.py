"""What a guideline's text recommends, with its own grading kept: "first-line", "instead of", class, level, strength."""

from __future__ import annotations

import re

from openwork_contracts.evidence import Recommendation
from openwork_language.sentences import split_sentences

_RECOMMENDS = re.compile(
    r"\b(?=[racfgimpstw])(?:recommend(?:s|ed|ing|ations?)?"
    r"|(?:we|panel|group|committee|society|guidelines?)\s+(?:also\s+)?(?:suggests?|advises?)"
    r"|suggest(?:s|ed)?\s+(?:using|against|offering|adding|not)|should\s+(?:not\s+)?(?:be|receive|undergo|consider)"
    r"|(?:is|are)\s+(?:not\s+)?(?:indicated|contraindicated|reasonable|preferred)"
    r"|may be (?:considered|reasonable)"
    r"|(?:first|second|third)[- ]line)\b",
    re.IGNORECASE,
)
"""The first letters stand in front once more: most words are turned away by them, in half of the time."""
_ABOUT_RESEARCH = re.compile(r"\b(?:further|future|more)\s+(?:\w+\s+){0,3}(?:research|studies|trials)\b", re.IGNORECASE)
"""What authors recommend to other authors is not a recommendation for care."""

_STRENGTH = re.compile(
    r"\b(?P<word>strong(?:ly)?|weak(?:ly)?|conditional(?:ly)?)\s+(?:recommend\w*|for\b|against\b)"
    r"|[(\[]\s*(?P<bracket>strong|weak|conditional)\s*[,;)\]]"
    r"|\b(?:strength(?: of(?: the)? recommendation)?|recommendation)\s*[:=,(]\s*(?P<field>strong|weak|conditional)\b",
    re.IGNORECASE,
)
_GRADE_CODE = re.compile(
    r"\bgrade\s+(?P<number>[12])(?P<letter>[ABCD])\b|[(\[](?P<n>[12])(?P<l>[ABCD])[)\]]", re.IGNORECASE
)
# ACCP form of GRADE: 1 = strong, 2 = weak; A, B, C = certainty (Guyatt 2006, DOI 10.1378/chest.129.1.174).
_GRADE_WORDING = re.compile(r"\bwe (?:strongly )?(?P<verb>recommend|suggest)\b", re.IGNORECASE)
# GRADE's wording: "we recommend" = strong, "we suggest" = weak (Andrews 2013, DOI 10.1016/j.jclinepi.2012.03.003).

_CLASS = re.compile(
    r"(?<!nyha )(?<!functional )(?<!killip )(?<!pugh )(?<!asa )(?<!who )(?<!drug )(?<!mhc )(?<!hla )"
    r"\b(?:class(?: of recommendation)?|COR)[\s:=,]*(?P<class>III|IIa|IIb|II|I|[123][ab]?)"
    r"(?P<note>[:,]?\s*(?:no benefit|harm))?\b"
    r"(?!\s*(?:anti|obes|heart|symptom|device|agent|drug|molecul|nephritis|lupus|hdac|[-–]))",
    re.IGNORECASE,
)
"""Not the classes of NYHA, Killip or Child-Pugh, of antiarrhythmics, obesity or lupus nephritis."""
_CLASS_NAMES = {"1": "I", "i": "I", "2": "II", "ii": "II", "2a": "IIa", "iia": "IIa", "2b": "IIb", "iib": "IIb"}
_LEVEL = re.compile(
    r"\b(?:level(?:s)?(?: of evidence)?|LOE|evidence level)[\s:=,]*"
    r"(?P<level>B-NR|B-R|C-LD|C-EO|[ABC]|I{1,3}|IV|V|[1-5][abc]?(?:[+-]{1,2})?)(?![\w-])",
    re.IGNORECASE,
)
_CERTAINTY = re.compile(
    r"\b(?P<before>very[- ]low|low|moderate|high)(?:[- ]to[- ]\w+)?"
    r"[- ](?:certainty|quality)(?:\s+of)?(?:\s+the)?\s*(?:evidence)?\b"
    r"|\b(?:certainty|quality)(?: of(?: the)? evidence)?\s*(?:[:=,(]|was|is|rated as)\s*"
    r"(?P<after>very[- ]low|low|moderate|high)\b",
    re.IGNORECASE,
)
_SYMBOLS = re.compile(r"[⊕⨁]{1,4}[○◯⊝⊖]{0,3}")
_CERTAINTY_OF_SYMBOLS = {1: "very low", 2: "low", 3: "moderate", 4: "high"}

_LINE = re.compile(r"\b(?P<ordinal>first|second|third|1st|2nd|3rd)[- ]line\b", re.IGNORECASE)
_LINES = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3}
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|in place of|in preference to|preferred (?:over|to)"
    r"|(?:recommend\w*|suggest\w*)[^.;,]{0,80}?\bover)\s+"
    r"(?P<other>[^.;,()\[]{2,120})",
    re.IGNORECASE,
)


def extract_recommendations(passage_text: str) -> tuple[Recommendation, ...]:
    """The recommending sentences of a passage in order, each with the grading that it or its brackets state.

    `text` is the sentence itself, so that "instead of" and "if not tolerated" stay in it. A grading that stands alone
    right behind a recommendation ("(Class I, Level B-R)") belongs to the sentence before. Nothing is inferred beyond
    GRADE's own wording, "we recommend" and "we suggest".
    """
    found: list[Recommendation] = []
    for sentence in split_sentences(passage_text):
        text = sentence.text
        if _RECOMMENDS.search(text) and not _ABOUT_RESEARCH.search(text):
            grading = _graded(text)
            found.append(grading if len(text) > 40 or not found else _joined(found.pop(), grading))
        elif found and len(text) <= 120 and _is_grading(text):
            found.append(_joined(found.pop(), _graded(text)))
    return tuple(found)


def line_of_therapy(text: str) -> int | None:
    """1, 2 or 3 for "first-line", "second-line", "third-line"; `None` = not said. The first one named counts."""
    match = _LINE.search(text)
    return _LINES[match["ordinal"].lower()] if match else None


def replaced_option(text: str) -> str | None:
    """What a recommendation sets aside: the words after "instead of", "rather than", "in preference to", "over"."""
    match = _INSTEAD.search(text)
    return match["other"].strip() if match else None


def _is_grading(text: str) -> bool:
    return any(pattern.search(text) for pattern in (_STRENGTH, _CLASS, _LEVEL, _CERTAINTY, _SYMBOLS))


def _graded(text: str) -> Recommendation:
    return Recommendation(
        text=text, strength=_strength(text), class_of_recommendation=_class(text), level_of_evidence=_level(text)
    )


def _joined(first: Recommendation, second: Recommendation) -> Recommendation:
    """The first recommendation with what the second adds to its grading."""
    return Recommendation(
        text=f"{first.text} {second.text}",
        strength=_stated_strength(second.text) or first.strength,
        class_of_recommendation=first.class_of_recommendation or second.class_of_recommendation,
        level_of_evidence=first.level_of_evidence or second.level_of_evidence,
    )


def _strength(text: str) -> str | None:
    stated = _stated_strength(text)
    if stated:
        return stated
    wording = _GRADE_WORDING.search(text)
    if not wording:
        return None
    return "strong" if wording["verb"].lower() == "recommend" else "weak"


def _stated_strength(text: str) -> str | None:
    match = _STRENGTH.search(text)
    if match:
        word = match["word"] or match["bracket"] or match["field"]
        return word.lower().removesuffix("ly")
    code = _GRADE_CODE.search(text)
    return {"1": "strong", "2": "weak"}[code["number"] or code["n"]] if code else None


def _class(text: str) -> str | None:
    match = _CLASS.search(text)
    if not match:
        return None
    name = _CLASS_NAMES.get(match["class"].lower(), "III")
    note = (match["note"] or "").strip(" :,").lower()
    return f"{name}: {note}" if note else name


def _level(text: str) -> str | None:
    match = _LEVEL.search(text)
    if match:
        return match["level"].upper()
    code = _GRADE_CODE.search(text)
    if code:
        return (code["letter"] or code["l"]).upper()
    certainty = _CERTAINTY.search(text)
    if certainty:
        return f"{(certainty['before'] or certainty['after']).lower().replace('-', ' ')} certainty"
    symbols = _SYMBOLS.search(text)
    return f"{_CERTAINTY_OF_SYMBOLS[sum(c in '⊕⨁' for c in symbols[0])]} certainty" if symbols else None
