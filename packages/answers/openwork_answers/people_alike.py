"""People under other words, as `people-alike.tsv` and `people-within.tsv` have them: "inpatients", "ventilated"."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from openwork_contracts.conclusion import Fit
from openwork_contracts.question import PopulationTerm
from openwork_knowledge.notation import any_of
from openwork_knowledge.tables import table
from openwork_language.asking.figures import figures_in
from openwork_language.asking.intervals import of_intervals
from openwork_language.asking.people import Told, clauses
from openwork_language.searching.information import SOME, information
from openwork_language.searching.polarity import is_absent_at
from openwork_language.terms import find_terms, whole_term

FIT = {
    Told.SAME: Fit.ASKED,
    Told.WIDER: Fit.WIDER,
    Told.PART: Fit.PART,
    Told.OTHER: Fit.OTHER,
    Told.NOT_TOLD: Fit.NOT_TOLD,
}


def is_one_of_alike(text: str) -> bool:
    """Whether a term is such a word and nothing else: "HFrEF"."""
    return any(group.fullmatch(text) for group in alike().values())


@lru_cache(maxsize=16_384)
def in_other_words(term: PopulationTerm, text: str) -> Fit:
    """By another word for the same people ("inpatients", "hospitalized"), or by the figure that a "high" stands for."""
    for name, group in alike().items():
        asked = group.search(term.text)
        if asked is None or term.measure == name or _says_more(term.text, asked.span()):
            continue  # which class of it is told by figures
        wanted = term.wanted or _NEGATIVE.match(asked[0]) is not None  # "unvaccinated" says it by itself
        for clause in clauses(text):
            for match in group.finditer(clause.text):
                absent = clause.excluded or is_absent_at(clause.text, match.start(), match.end())
                return Fit.ASKED if absent is not wanted else Fit.OTHER
        within = _within()
        others = [one for one in within.get(name, ()) if wanted and alike()[one].search(text)]
        if others:
            return Fit.WIDER  # "in hospital" of those in intensive care
        if any(name in above and wanted and alike()[one].search(text) for one, above in within.items()):
            return Fit.PART
        if name in _EJECTION_FRACTIONS and wanted:
            return _by_ejection_fraction(_EJECTION_FRACTIONS[name], text)
    measured = _HIGH.fullmatch(term.text)
    if measured and term.wanted:
        words = r"[- ]".join(map(re.escape, measured["what"].split()))
        long = _LONG.get(measured["what"].casefold(), words)
        if re.search(rf"\b(?:{words}|{long})\b[^.;]{{0,40}}?\d", text, re.IGNORECASE):
            return Fit.ASKED
    return Fit.NOT_TOLD


_NON = re.compile(r"\bnon-", re.IGNORECASE)


def with_absences(text: str) -> str:
    """A text in which "non-valvular" is one word: "valvular" is none that it has."""
    return _NON.sub("non", text)


def told_apart(term: PopulationTerm, own: str) -> bool:
    """Whether a part of a study's people is told by what sets a term apart from its disease: "people without
    ST-segment elevation" of "non-ST-elevation ACS"."""
    for group in alike().values():
        asked = group.search(term.text)
        if asked is None or not (rest := f"{term.text[: asked.start()]} {term.text[asked.end() :]}".strip(" -,")):
            continue
        if term.name is not None and (rest.isupper() or whole_term(rest) is not None):
            return in_other_words(term.model_copy(update={"text": asked[0], "name": None}), own) is Fit.ASKED
    return False


def _says_more(text: str, named: tuple[int, int]) -> bool:
    """Whether a term tells more than the word of a group in it: "bariatric surgery" is not any surgery."""
    rest = f"{text[: named[0]]} {text[named[1] :]}"
    return any(information(word) >= SOME for word in WORDS.findall(rest) if not LITTLE.fullmatch(word))


WORDS = re.compile(r"[^\W\d_][\w-]+")


LITTLE = re.compile(
    r"patients?|people|adults?|wom[ae]n|m[ae]n|mothers?|who|are|is|after|before|during|on|in|with|risk|cardiovascular|heart"
    r"|disease|heavy|heavily|marked|fresh|new|bad|invasive|mechanical|care|units?|hospital|class|failure|reduced|preserved|ejection|fraction"
    r"|supplemental|requirements?|needs?|support|yet",
    re.IGNORECASE,
)
"""Words beside a group's that say nothing of their own."""


def _by_ejection_fraction(asked: tuple[float | None, float | None], text: str) -> Fit:
    """By the figures of those studied, where the kind of heart failure is not named."""
    told = [figure for figure in figures_in(text) if figure.measure == "LVEF" and not figure.in_words]
    relations = {FIT[Told(of_intervals(asked, (figure.low, figure.high)).value)] for figure in told}
    return next((fit for fit in (Fit.ASKED, Fit.PART, Fit.WIDER, Fit.OTHER) if fit in relations), Fit.NOT_TOLD)


_EJECTION_FRACTIONS: dict[str, tuple[float | None, float | None]] = {
    "reduced ejection fraction": (None, 40.0),
    "preserved ejection fraction": (40.0, None),
}
"""In per cent: 40 or less is reduced (2022 AHA/ACC/HFSA guideline, 10.1161/CIR.0000000000001063); trials of preserved
ejection fraction took people above 40 or from 45 on."""
_NEGATIVE = re.compile(r"(?:un|non|not )", re.IGNORECASE)
_HIGH = re.compile(r"(?:high|higher|raised|elevated|increased)\s+(?P<what>\S+(?:\s\S+){0,2})", re.IGNORECASE)
_LONG = {"crp": r"C[- ]reactive[- ]protein", "cholesterol": r"(?:total |LDL )?cholesterol", "bp": r"blood[- ]pressure"}


def never_had(term: PopulationTerm, text: str, title: str = "") -> Fit:
    """Who never had an infection is naive to it, and seronegative; who is seropositive had it.

    Args:
        title: of the source, which tells to what, where the text does not.
    """
    if term.wanted or not term.name or not alike()["never had it"].search(term.text):
        return Fit.NOT_TOLD
    for clause in clauses(text):
        if clause.excluded or not any(t.name == term.name for t in find_terms(f"{clause.text} ; {text} ; {title}")):
            continue
        for group, fit in (("never had it", Fit.ASKED), ("had it", Fit.OTHER)):
            if alike()[group].search(clause.text):
                return fit
    return Fit.NOT_TOLD


@cache
def alike() -> dict[str, re.Pattern[str]]:
    listed = table("people-alike")
    return {name: re.compile(rf"\b{any_of(listed.words(name))}(?!\w)", re.IGNORECASE) for name in listed.groups()}


@cache
def _within() -> dict[str, tuple[str, ...]]:
    listed = table("people-within")
    return {group: tuple(listed.words(group)) for group in listed.groups()}
