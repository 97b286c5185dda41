"""Whether a result is of the people asked about: its own words first, then those of its source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import PopulationKind, PopulationTerm
from openwork_evidence.text import abstract_text
from openwork_knowledge.classes import classes_of
from openwork_knowledge.notation import any_of
from openwork_knowledge.tables import table
from openwork_language.asking.people import Told, told_of, whom
from openwork_language.mentions import idea_of, speaks_of
from openwork_language.ranges import agreement, ranges_in
from openwork_language.searching.polarity import is_absent_at
from openwork_language.sentences import split_sentences

_FIT = {
    Told.SAME: Fit.ASKED,
    Told.WIDER: Fit.WIDER,
    Told.PART: Fit.PART,
    Told.OTHER: Fit.OTHER,
    Told.NOT_TOLD: Fit.NOT_TOLD,
}
_INCLUDED_UNSAID = frozenset({PopulationKind.PEOPLE, PopulationKind.AGE})
"""Adults of any sex are in a trial that does not say otherwise: not being named, they are a part of its people."""
_WHO = re.compile(
    r"\b(?:population|patients|participants|people|methods?|design|setting|subjects|inclusion)\b", re.IGNORECASE
)
_ORDER = (Fit.OTHER, Fit.NOT_TOLD, Fit.PART, Fit.WIDER, Fit.ASKED)
_CHILD_BELOW = 18.0


def people_fit(terms: Sequence[PopulationTerm], document: EvidenceCandidate, own: str | None = None) -> Fit:
    """How the people of a result stand to those asked about; the worst of the terms, which all hold together.

    Args:
        own: what the result itself says of its people ("CrCl below 30 mL/min"), or the sentence that tells it.
    """
    if not terms:
        return Fit.ASKED
    fits = [_term_fit(term, document, own) for term in terms]
    return min(fits, key=_ORDER.index)


def unmet(terms: Sequence[PopulationTerm], documents: Sequence[EvidenceCandidate]) -> tuple[PopulationTerm, ...]:
    """The terms that none of the sources is about."""
    return tuple(
        term for term in terms if all(_term_fit(term, d, None) in {Fit.OTHER, Fit.NOT_TOLD} for d in documents)
    )


_DEGREES = frozenset({PopulationKind.MEASURE, PopulationKind.STAGE, PopulationKind.AGE})


def is_degree(term: PopulationTerm) -> bool:
    """Whether a term says how much of something adults have: kidney function, a stage, an age. Children are others."""
    return term.kind in _DEGREES and term.wanted and not _is_young(term)


def _term_fit(term: PopulationTerm, document: EvidenceCandidate, own: str | None) -> Fit:
    if _other_figures(term, own or "") or _other_figures(term, document.title):
        return Fit.OTHER
    if own and (told := _FIT[told_of(term, own)]) is not Fit.NOT_TOLD:
        return told
    who = studied(document)
    headings = "" if document.abstract else " ; ".join(document.mesh_terms)  # of an abstract, they name outcomes too
    fit = _of_source(term, document.title, who, headings)
    if fit is Fit.NOT_TOLD or (fit is Fit.WIDER and _is_one_of_alike(term.text)):
        other = _in_other_words(term, f"{document.title}. {who}")
        fit = fit if other is Fit.NOT_TOLD else other
    if fit is Fit.NOT_TOLD and not term.wanted and _is_either_way(term, f"{document.title}. {abstract_text(document)}"):
        fit = Fit.WIDER
    if fit is Fit.NOT_TOLD and _cannot_take(term, f"{document.title}. {who}"):
        fit = Fit.ASKED
    if fit is Fit.NOT_TOLD and term.wanted and term.kind in _INCLUDED_UNSAID and not _is_young(term):
        return Fit.WIDER
    return fit


def _other_figures(term: PopulationTerm, text: str) -> bool:
    """Whether figures of the text shut out those of the term: a preserved ejection fraction where it is to be low."""
    asked = ranges_in(term.text)
    return term.wanted and bool(asked) and bool(text) and agreement(asked, ranges_in(text)) < 0


@lru_cache(maxsize=16_384)
def _of_source(term: PopulationTerm, title: str, abstract: str, headings: str) -> Fit:
    """By the title, then by the clauses that say who was studied, then by the headings."""
    for text in (title, abstract, headings):
        if text and (told := _FIT[told_of(term, text)]) is not Fit.NOT_TOLD:
            return told
    return Fit.NOT_TOLD


@lru_cache(maxsize=2048)
def studied(document: EvidenceCandidate) -> str:
    """What a source says of whom it studied: the parts of its summary with such a label, else the clauses that tell."""
    labelled = [part.text for part in document.abstract if part.label and _WHO.search(part.label)]
    if labelled:
        return " ".join(labelled)
    text = abstract_text(document)
    return " ".join(text[clause.start : clause.end] for clause in whom(text))


def _is_one_of_alike(text: str) -> bool:
    """Whether a term is such a word and nothing else: "HFrEF"."""
    return any(group.fullmatch(text) for group in _alike())


@lru_cache(maxsize=16_384)
def _in_other_words(term: PopulationTerm, text: str) -> Fit:
    """By another word for the same people ("inpatients", "hospitalized"), or by the figure that a "high" stands for."""
    for group in _alike():
        asked = group.search(term.text)
        if asked is None:
            continue
        wanted = term.wanted or _NEGATIVE.match(asked[0]) is not None  # "unvaccinated" says it by itself
        for match in group.finditer(text):
            absent = is_absent_at(text, match.start(), match.end())
            return Fit.ASKED if absent is not wanted else Fit.OTHER
    measured = _HIGH.fullmatch(term.text)
    if measured and term.wanted:
        words = r"[- ]".join(map(re.escape, measured["what"].split()))
        long = _LONG.get(measured["what"].casefold(), words)
        if re.search(rf"\b(?:{words}|{long})\b[^.;]{{0,40}}?\d", text, re.IGNORECASE):
            return Fit.ASKED
    return Fit.NOT_TOLD


_NEGATIVE = re.compile(r"(?:un|non|not )", re.IGNORECASE)
_EITHER_WAY = (
    r"\b(?:regardless of|irrespective of|with or without|independent(?:ly)? of|whether or not)\b[^.;]{0,60}?\b"
)


def _is_either_way(term: PopulationTerm, text: str) -> bool:
    """ "Regardless of the presence of diabetes" is of people without it too; of people with it, who else tells."""
    return bool(term.name) and re.search(rf"{_EITHER_WAY}{re.escape(_plain(term))}", text, re.IGNORECASE) is not None


def _plain(term: PopulationTerm) -> str:
    """The last word of what a term names: "diabetes" of "who do not have diabetes"."""
    return term.text.split()[-1]


def _cannot_take(term: PopulationTerm, text: str) -> bool:
    """People for whom the named drug, or its class, is said not to be suitable."""
    if term.kind is not PopulationKind.TREATMENT or not term.name or not _UNSUITABLE.search(term.text):
        return False
    names = (term.name, *classes_of(term.name, searching=False))
    sentences = [s.text for s in split_sentences(text) if _UNSUITABLE.search(s.text)]
    return any(speaks_of(sentence, idea_of(name)) for sentence in sentences for name in names)


_UNSUITABLE = re.compile(
    r"\b(?:unsuitable|not suitable|cannot|can't|unable to|intoleran\w+|contraindicat\w+|ineligible)\b", re.IGNORECASE
)
_HIGH = re.compile(
    r"(?:high|higher|raised|elevated|increased|low|reduced)\s+(?P<what>\S+(?:\s\S+){0,2})", re.IGNORECASE
)
_LONG = {"crp": r"C[- ]reactive[- ]protein", "cholesterol": r"(?:total |LDL )?cholesterol", "bp": r"blood[- ]pressure"}


@cache
def _alike() -> tuple[re.Pattern[str], ...]:
    listed = table("people-alike")
    return tuple(re.compile(rf"\b{any_of(listed.words(group))}(?!\w)", re.IGNORECASE) for group in listed.groups())


def _is_young(term: PopulationTerm) -> bool:
    """Children are in no trial that does not name them."""
    if term.kind is PopulationKind.AGE:
        return term.high is not None and term.high < _CHILD_BELOW
    return any(
        word in term.text.casefold()
        for word in ("child", "infant", "neonat", "newborn", "adolescen", "paediatric", "pediatric")
    )
