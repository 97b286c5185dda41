"""The forms of what guidelines say, with their own grading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from openwork_contracts.conclusion import GuidelineStatement
from openwork_knowledge.countries import country_name

from openwork_answers.lines import Line

_LABEL = re.compile(r"^[A-Z][a-z]+:\s+")


def recommended(statements: Sequence[GuidelineStatement]) -> Iterator[Line]:
    """ "AHA/ACC/HFSA 2022: ... (class 1, level A)."."""
    for one in statements:
        issued = f"{one.body} {one.year}" if one.year else one.body
        notes = [_of_whom(one), f"superseded by {one.superseded_by}" if one.superseded_by else ""]
        told = ", ".join(note for note in notes if note)
        text = _LABEL.sub("", one.text).rstrip(".")
        if not told and _says_whose(text, one):
            yield Line(f"{text}{_graded(one, text)}.", (one.n,))
        else:
            yield Line(f"{issued}{f' ({told})' if told else ''}: {text}{_graded(one, text)}.", (one.n,))


def _says_whose(text: str, one: GuidelineStatement) -> bool:
    """Whether a statement opens with its body and its year: "The 2021 CHEST guideline recommends ..."."""
    opening = text[: len(one.body) + _AS_FAR]
    return one.year is not None and one.body in opening and str(one.year) in opening


_AS_FAR = 25


_OWN_GRADE = re.compile(r"\([^()]*\)\s*$")
_CERTAINTY = re.compile(r"\b(?:certainty|quality|level|grade\s+\d\s*[A-D])\b", re.IGNORECASE)
_STRENGTH = re.compile(r"\b(?:recommendation|class|grade)\b", re.IGNORECASE)


def _graded(one: GuidelineStatement, text: str) -> str:
    """ " (class 1, level A)", without what the text's own last brackets say already."""
    match = _OWN_GRADE.search(text)
    own = match[0] if match else ""
    level = one.level_of_evidence
    grades = []
    if not _STRENGTH.search(own):
        strength = one.strength or ""
        strength = f"{strength} recommendation" if strength and not strength.endswith("recommendation") else strength
        grades.append(f"class {one.class_of_recommendation}" if one.class_of_recommendation else strength)
    if level and not _CERTAINTY.search(own):
        grades.insert(1, level if _CERTAINTY.search(level) else f"level {level}")
    graded = ", ".join(grade for grade in grades if grade)
    if not graded and not (_STRENGTH.search(own) or _CERTAINTY.search(own)):
        graded = "no grade in what was found"
    return f" ({graded})" if graded else ""


def _of_whom(one: GuidelineStatement) -> str:
    """Of what country a guideline is, where another's was asked for."""
    if one.place == 0:
        return ""
    return country_name(one.country) if one.country else "country not told"
