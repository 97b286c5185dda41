"""A fit of people by words and figures, held against what lists know of states: their names and definitions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import EvidenceCandidate, StudyDesign
from openwork_contracts.question import PopulationKind, PopulationTerm
from openwork_language.asking.of_others import is_of_another
from openwork_language.identity import is_contradicted, marks_of

from openwork_answers.degrees import degrees_of, fit_of_degree
from openwork_answers.outcomes import OF_IT
from openwork_answers.people_states import fit_of_state, is_of_figure, names_who_cannot, says_more_than_its_name
from openwork_answers.some_of_them import is_either_way
from openwork_answers.studied import studied


def by_state(fit: Fit, term: PopulationTerm, document: EvidenceCandidate, own: str | None) -> Fit:
    """The fit by words and figures, or a nearer one by what lists know of states: their names and definitions.

    Of another state nothing is concluded but where both are two of which nobody has both.
    """
    if is_of_another(term.text):
        return fit  # what a relative has says nothing of who is meant
    cannot = term.kind is PopulationKind.TREATMENT and not term.wanted and names_who_cannot(term.text)
    if not cannot and (term.kind in _BY_THEMSELVES or not term.wanted):
        return fit
    alone = own is not None and document.study_design is StudyDesign.GUIDELINE  # each statement says for whom it is
    texts = (own or "",) if alone else (own or "", document.title, studied(document))
    if _has_another_number(term, texts):
        return Fit.OTHER
    for text in texts:
        told = fit_of_state(term, text) if text else Fit.NOT_TOLD
        if fit is Fit.WIDER and told in OF_IT and is_either_way(term, text):
            continue  # "with pulmonary embolism, with or without deep vein thrombosis"
        if told in OF_IT and (fit is not Fit.OTHER or " " in term.text):
            is_own = fit is Fit.PART and told is Fit.ASKED and text == own
            return fit if fit in OF_IT and not is_own else told
        if told is Fit.OTHER and (alone or text in {own, document.title}):
            return told
        if fit is Fit.NOT_TOLD and text and is_of_figure(term, text):
            return Fit.WIDER
    return _as_state(fit, term, texts) if fit in OF_IT or fit is Fit.NOT_TOLD else fit


def _as_state(fit: Fit, term: PopulationTerm, texts: Sequence[str]) -> Fit:
    """The fit of those who have what a term names, where the state that it names is told by none of the texts.

    "Acute heart failure" of heart failure is of wider people; "at low cardiovascular risk" of high risk of others.
    """
    says_more = says_more_than_its_name(term)
    if not says_more and term.name is not None:
        return fit
    if says_more and degrees_of(term) and fit_of_degree(term, " ; ".join(texts)) is Fit.ASKED:
        return fit  # "moderate or severe"
    if any(fit_of_state(term, text) is Fit.OTHER for text in texts if text):
        return Fit.OTHER
    return Fit.WIDER if says_more and fit in OF_IT else fit


def _has_another_number(term: PopulationTerm, texts: Sequence[str]) -> bool:
    """Whether a source is of people with another number: "type 1 diabetic nephropathy" of a trial in type 2.

    Of diabetes the first of the texts that names a type decides: who was left out may be named later.
    """
    if not (marks := marks_of(term.text)):
        return False
    if not _DIABETES.search(term.text):
        return is_contradicted(marks, " ; ".join(texts))
    typed = (" ; ".join(match[0] for match in _TYPED.finditer(text)) for text in texts)
    told = next((types for types in typed if types), "")
    types_asked = tuple(replace(mark, about=frozenset()) for mark in marks if mark.stem == "type")
    return bool(told) and is_contradicted(types_asked, told)


_DIABETES = re.compile(r"\bdiabet", re.IGNORECASE)
_TYPED = re.compile(r"\btype\s[12]\s(?:\w+\s)?diabet\w+", re.IGNORECASE)
_BY_THEMSELVES = frozenset({PopulationKind.AGE, PopulationKind.PEOPLE, PopulationKind.TREATMENT})
