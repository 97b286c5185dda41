"""Whether a result is of the people asked about: its own words first, then those of its source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from math import inf

from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import EvidenceCandidate, StudyDesign
from openwork_contracts.question import PopulationKind, PopulationTerm
from openwork_evidence.text import abstract_text
from openwork_knowledge import mesh
from openwork_knowledge.classes import classes_of
from openwork_language.asking.being_on import is_on, is_told_of_people
from openwork_language.asking.figures import AGE, figures_in
from openwork_language.asking.groups import is_country
from openwork_language.asking.people import Told, told_of
from openwork_language.mentions import idea_of, idea_tokens, speaks_of
from openwork_language.ranges import agreement, ranges_in
from openwork_language.searching.concepts import people_in
from openwork_language.searching.information import SOME, information
from openwork_language.searching.polarity import is_absent_at
from openwork_language.sentences import split_sentences
from openwork_language.terms import find_terms

from openwork_answers.degrees import degrees_of, fit_of_degree
from openwork_answers.outcomes import NEAR, OF_IT
from openwork_answers.people_alike import (
    FIT,
    LITTLE,
    WORDS,
    alike,
    in_other_words,
    is_one_of_alike,
    never_had,
    told_apart,
    with_absences,
)
from openwork_answers.people_by_state import by_state
from openwork_answers.people_states import fit_of_state
from openwork_answers.reported import is_of_all_ages
from openwork_answers.some_of_them import have_some, is_either_way
from openwork_answers.studied import of_whom, studied
from openwork_answers.time_windows import fit_of_window
from openwork_answers.young import CHILD_BELOW, TEENAGE_FROM, is_young

_ANYBODY = re.compile(
    r"(?:(?:older|elderly|middle-aged)\s+)?(?:wom[ae]n|m[ae]n|females?|males?|adults?|pensioners?|seniors|retirees|elderly)",
    re.IGNORECASE,
)
"""Who is in nearly every study of adults."""
RESTRICTING = frozenset({"age", "gestational age", "eGFR", "creatinine clearance", "LVEF"})
"""Measures that make somebody another patient: of one whose figure a source does not tell, it is not known to be."""
_ORDER = (Fit.OTHER, Fit.NOT_TOLD, Fit.PART, Fit.WIDER, Fit.ASKED)
_TEENAGE = re.compile(r"adolescen|teen|youth|young people", re.IGNORECASE)


def people_fit(terms: Sequence[PopulationTerm], document: EvidenceCandidate, own: str | None = None) -> Fit:
    """How the people of a result stand to those asked about; the worst of the terms, which all hold together.

    Args:
        own: what the result itself says of its people ("CrCl below 30 mL/min"), or the sentence that tells it.
    """
    if not terms:
        return Fit.ASKED
    if _none_is_pregnant(terms) and _of_pregnancy(document.title):
        return Fit.OTHER
    return min(_fits(terms, document, own), key=_ORDER.index)


def holds_others(terms: Sequence[PopulationTerm], document: EvidenceCandidate, own: str | None = None) -> bool:
    """Whether some of the terms are not told apart: women of 45 or older, where adults over 70 are asked about."""
    return Fit.WIDER in _fits(terms, document, own)


def _fits(terms: Sequence[PopulationTerm], document: EvidenceCandidate, own: str | None) -> list[Fit]:
    return [_fit_of_any(group, document, own) for group in alternatives(terms)]


_MEN = re.compile(r"(?:m[ae]n|males?|boys?|fathers?|post-?menopausal(?: women)?)", re.IGNORECASE)
_PAST_BEARING = 56.0
"""Years; later nobody is pregnant without donated eggs."""
_BORN, _BEFORE_BEARING = 1.0, 12.0
"""Years: no newborn any more, and no mother."""


def _none_is_pregnant(terms: Sequence[PopulationTerm]) -> bool:
    """Whether the asked sex or age rules pregnancy out."""
    return any(
        term.wanted
        and (
            (term.kind is PopulationKind.AGE and term.low is not None and term.low >= _PAST_BEARING)
            or (term.kind is PopulationKind.AGE and (term.low or 0) >= _BORN and (term.high or inf) < _BEFORE_BEARING)
            or (term.kind is PopulationKind.PEOPLE and _MEN.fullmatch(term.text) is not None)
        )
        for term in terms
    )


def _of_pregnancy(title: str) -> bool:
    """Whether a title says that a source is of pregnant women or newborns."""
    return not {one.name for one in people_in(title)}.isdisjoint({"pregnancy", "newborns"})


def alternatives(terms: Sequence[PopulationTerm]) -> list[tuple[PopulationTerm, ...]]:
    """Terms of which any is meant in one group, in order of place; one that has to hold is a group of its own."""
    groups: dict[int, list[PopulationTerm]] = {}
    for term in terms:
        groups.setdefault(term.start if term.alternative_to is None else term.alternative_to, []).append(term)
    return [tuple(group) for group in groups.values()]


def _fit_of_any(group: Sequence[PopulationTerm], document: EvidenceCandidate, own: str | None) -> Fit:
    """Of alternatives: those of one of them are a part of those asked about."""
    fits = [_term_fit(term, document, own) for term in group]
    if all(term.is_detail for term in group):
        fits = [Fit.WIDER if fit is Fit.NOT_TOLD else fit for fit in fits]
    if len(set(fits)) > 1 and Fit.ASKED in fits:
        return Fit.PART
    return max(fits, key=(Fit.OTHER, Fit.NOT_TOLD, Fit.WIDER, Fit.PART, Fit.ASKED).index)


def is_told(term: PopulationTerm, own: str) -> bool:
    """Whether a result's own words for its people name those of a term, the disease of all of them aside."""
    if told_of(term, own) is Told.SAME:
        return True
    return term.wanted and (told_apart(term, own) or fit_of_state(term, own) is Fit.ASKED)


def is_within(terms: Sequence[PopulationTerm], own: str) -> bool:
    """Whether a result's own words give a bound that holds a figure asked about: "CRP above 204" of 290."""
    figures = (term for term in terms if term.measure is not None and term.wanted)
    return any(told_of(term, own) in {Told.SAME, Told.WIDER} for term in figures)


def unmet(
    terms: Sequence[PopulationTerm], documents: Sequence[EvidenceCandidate]
) -> tuple[tuple[PopulationTerm, ...], ...]:
    """The groups of alternatives that none of the sources is about."""
    return tuple(
        group
        for group in alternatives(terms)
        if all(_fit_of_any(group, d, None) in {Fit.OTHER, Fit.NOT_TOLD} for d in documents)
    )


_DEGREES = frozenset({PopulationKind.MEASURE, PopulationKind.STAGE, PopulationKind.AGE})


def is_degree(term: PopulationTerm) -> bool:
    """Whether a term says how much of something adults have: kidney function, a stage, an age. Children are others."""
    return term.kind in _DEGREES and term.wanted and not is_young(term)


_NOT = re.compile(r"(?<=\w)n['\N{RIGHT SINGLE QUOTATION MARK}]t\b")
""" "Doesn't need oxygen"."""
_CANNOT = re.compile(r"\bcan['\N{RIGHT SINGLE QUOTATION MARK}]t\b", re.IGNORECASE)


def _term_fit(term: PopulationTerm, document: EvidenceCandidate, own: str | None) -> Fit:
    if _NOT.search(term.text):
        term = term.model_copy(update={"text": _NOT.sub(" not", _CANNOT.sub("cannot", term.text))})
    if own and term.kind is PopulationKind.AGE and is_of_all_ages(own):
        return Fit.WIDER
    fit = by_state(_fit_of_term(term, document, own), term, document, own)
    if fit is Fit.WIDER and own and term.measure is None and document.study_design is not StudyDesign.GUIDELINE:
        # Whom a source left out no wider result of it is of: "end-stage renal disease occurred in ..."
        fit = Fit.OTHER if _fit_of_all(term, document) is Fit.OTHER else fit
    if term.kind is PopulationKind.TIME_COURSE:
        fit = _as_timed(fit, term, _said(document, own))
    if fit in NEAR and degrees_of(term) and (degree := fit_of_degree(term, _said(document, own))) is not Fit.ASKED:
        fit = degree if degree is Fit.OTHER else Fit.WIDER
    if fit is not Fit.WIDER or not term.wanted:
        return fit
    if is_young(term) and not _takes_the_young(term, document, own):
        return Fit.NOT_TOLD
    if _is_very_old(term) and not _takes_the_very_old(document, own):
        return Fit.NOT_TOLD
    return fit


@lru_cache(maxsize=16_384)
def _fit_of_all(term: PopulationTerm, document: EvidenceCandidate) -> Fit:
    """The fit of everybody whom a source studied."""
    return by_state(_fit_of_term(term, document, None), term, document, None)


def _as_timed(fit: Fit, term: PopulationTerm, text: str) -> Fit:
    """The fit of those with a disease, or with nothing but a time, by when after its onset they were treated."""
    within = fit_of_window(term, text) if fit is not Fit.OTHER else None
    if within is None:
        return fit
    if within in {Fit.ASKED, Fit.OTHER} or term.name is None:
        return within
    return Fit.WIDER if fit in OF_IT else fit


def _said(document: EvidenceCandidate, own: str | None) -> str:
    """Of whom a source says that it is; each statement of a guideline says it for itself."""
    return own if own and document.study_design is StudyDesign.GUIDELINE else of_whom(document, own)


def _takes_the_young(term: PopulationTerm, document: EvidenceCandidate, own: str | None) -> bool:
    """Whether a source says that such young people were among those it studied, in words or by an age from which on:
    of "16 years or older" nobody is a child."""
    text = of_whom(document, own)
    ages = [figure for figure in figures_in(text) if figure.measure in {AGE, _WEEKS}]
    is_older = _TEENAGE.search(term.text) is not None or any(map(str.isdigit, term.text))
    below = CHILD_BELOW if is_older else TEENAGE_FROM
    young = [one for one in ages if (one.low or 0.0) < below and (one.in_words or one.low is not None)]
    return bool(young) or _ALL_AGES.search(text) is not None


_VERY_OLD, _OLD = 90.0, 80.0
"""Years. In trials of "75 years or older" those past 90 are so few that nothing is known of them; trials from 80 on are
of the oldest."""


def _is_very_old(term: PopulationTerm) -> bool:
    return term.measure == AGE and term.low is not None and term.low >= _VERY_OLD


def _takes_the_very_old(document: EvidenceCandidate, own: str | None) -> bool:
    """Whether a source is of the oldest: of an age from 80 on, or of some part of it."""
    ages = figures_in(of_whom(document, own))
    return any(figure.measure == AGE and figure.low is not None and figure.low >= _OLD for figure in ages)


_ALL_AGES = re.compile(r"\b(?:(?:all|any) ages?|any age|families|households?|schools?)\b", re.IGNORECASE)


_BY_ITS_CLASS = re.compile(
    r"\bNYHA\b|\bNew York Heart Association\b|\bcardiomyopath\w+|ventricular systolic dysfunction", re.I
)
"""What tells of heart failure without its name."""

_HEART_FAILURE = "D006333"
"""MeSH: heart failure. Its classes are told by an ejection fraction, which others have as well."""


@lru_cache(maxsize=16_384)
def _is_of_no_heart_failure(term: PopulationTerm, document: EvidenceCandidate) -> bool:
    """Whether a class of heart failure is asked about, and a source speaks of none: a preserved ejection fraction after
    an infarction is another matter."""
    if term.mesh_id is None or not mesh.is_same_or_kind(term.mesh_id, _HEART_FAILURE):
        return False
    heart_failure = term.model_copy(
        update={"text": "heart failure", "name": "Heart Failure", "mesh_id": _HEART_FAILURE}
    )
    texts = (document.title, " ; ".join(document.mesh_terms), studied(document), abstract_text(document))
    if any(_BY_ITS_CLASS.search(text) for text in texts):
        return False
    return all(told_of(heart_failure, text) in {Told.NOT_TOLD, Told.OTHER} for text in texts)


def _fit_of_term(term: PopulationTerm, document: EvidenceCandidate, own: str | None) -> Fit:
    if term.wanted and term.measure is None and _is_of_no_heart_failure(term, document):
        return Fit.NOT_TOLD
    if term.kind is PopulationKind.PREGNANCY or (term.measure == _WEEKS and alike()["pregnancy"].search(term.text)):
        return _fit_of_pregnancy(term, document, own)
    if _other_figures(term, own or "") or _other_figures(term, document.title):
        return Fit.OTHER
    told = _as_described(term, _of_own_words(term, own, document), document, own) if own else Fit.NOT_TOLD
    within = told is Fit.PART and term.kind is PopulationKind.SETTING  # the ventilated of a trial in hospital
    if (told not in {Fit.NOT_TOLD, Fit.WIDER} and not within) or (
        told is Fit.WIDER and document.study_design is StudyDesign.GUIDELINE
    ):
        return told  # each statement of a guideline says for whom it is
    if told is Fit.WIDER and term.measure is not None:
        return told  # a result's own figure: "eGFR 50 or less" of somebody with 42
    by_source = _as_described(term, _fit_of_source(term, document), document, own)
    if within:
        return by_source if by_source in OF_IT else told
    # "In people with heart failure" of a source about those with a reduced ejection fraction is of the latter.
    return told if told is Fit.WIDER and by_source is Fit.NOT_TOLD else by_source


_MOST_OF_LABEL = 14
"""Words; what is longer is a sentence."""


def _of_own_words(term: PopulationTerm, own: str, document: EvidenceCandidate) -> Fit:
    """By what a result says of its people; a label of them ("no respiratory support") has no word for people in it."""
    fit = FIT[told_of(term, own)]
    is_sentence = len(own.split()) > _MOST_OF_LABEL or own.rstrip().endswith(".")
    if fit is not Fit.NOT_TOLD or (is_sentence and document.study_design is not StudyDesign.GUIDELINE):
        return fit
    if is_on(term):
        term = term.model_copy(update={"kind": PopulationKind.PROCEDURE})
        fit = FIT[told_of(term, own)]
    fit = in_other_words(term, own) if fit is Fit.NOT_TOLD else fit
    return never_had(term, own, document.title) if fit is Fit.NOT_TOLD else fit


_WEEKS = "gestational age"


def _fit_of_pregnancy(term: PopulationTerm, document: EvidenceCandidate, own: str | None) -> Fit:
    """ "Women" are no pregnant women, and "all adults" of a guideline's statement none either; weeks have to agree."""
    alone = own is not None and document.study_design is StudyDesign.GUIDELINE  # each statement says for whom it is
    for text in (own or "",) if alone else (own or "", f"{document.title}. {studied(document)}"):
        fit = in_other_words(term.model_copy(update={"text": "pregnant"}) if term.measure else term, text)
        if fit is Fit.ASKED and term.measure:
            told = FIT[told_of(term, text)]
            return Fit.WIDER if told is Fit.NOT_TOLD else told
        if fit is not Fit.NOT_TOLD:
            return fit
    return Fit.NOT_TOLD


def _as_described(term: PopulationTerm, fit: Fit, document: EvidenceCandidate, own: str | None) -> Fit:
    """A name with a word beside it is a kind: what says nothing of that word is of all kinds, or of another one.

    "Portal vein thrombosis" in a text about thrombosis, and in one about venous thromboembolism.
    """
    words = _describing(term) if fit in OF_IT else frozenset()
    if not words:
        return fit
    told = of_whom(document, own)
    untold = words - idea_tokens(with_absences(told))
    if not untold:
        return fit
    if any(_opposite(word).search(told) for word in untold):
        return Fit.OTHER
    return Fit.WIDER if fit is Fit.ASKED else Fit.NOT_TOLD


@lru_cache(maxsize=4096)
def _opposite(word: str) -> re.Pattern[str]:
    """What says the contrary of a word: "afebrile" of "febrile", "uncomplicated" of "complicated", "non-severe"."""
    return re.compile(rf"\b(?:(?:a|an|un|in|non-?)|(?:not|without|non)\s){re.escape(word)}", re.IGNORECASE)


@lru_cache(maxsize=4096)
def _describing(term: PopulationTerm) -> frozenset[str]:
    """Telling words of a term beside the name in it: before it a kind ("portal vein ..."), behind it what it is of
    ("bleeding trauma" is trauma)."""
    named = [t for t in find_terms(term.text) if t.name == term.name or (t.mesh_id and t.mesh_id == term.mesh_id)]
    if not named or not term.wanted:
        return frozenset()
    first, last = min(t.start for t in named), max(t.end for t in named)
    beside = WORDS.findall(f"{term.text[:first]} {term.text[last:]}")
    return idea_tokens(" ".join(w for w in beside if information(w) >= SOME and not LITTLE.fullmatch(w)))


def _fit_of_source(term: PopulationTerm, document: EvidenceCandidate) -> Fit:
    who = studied(document)
    headings = "" if document.abstract else " ; ".join(document.mesh_terms)  # of an abstract, they name outcomes too
    fit = _of_source(term, document.title, who, headings)
    # "Death or dialysis" has the words of people on dialysis, who are told of by the reader of people alone.
    if not is_on(term) and (fit is Fit.NOT_TOLD or (fit is Fit.WIDER and is_one_of_alike(term.text))):
        other = in_other_words(term, f"{document.title}. {who}")
        fit = fit if other is Fit.NOT_TOLD else other
    if fit is Fit.NOT_TOLD and not term.wanted and is_either_way(term, f"{document.title}. {abstract_text(document)}"):
        fit = Fit.WIDER
    if (
        fit is Fit.ASKED
        and term.wanted
        and is_either_way(term, who)
        and FIT[told_of(term, document.title)] not in OF_IT
    ):
        fit = Fit.WIDER  # "with pulmonary embolism, with or without deep vein thrombosis"
    if fit is Fit.OTHER and not term.wanted and have_some(term, who):
        fit = Fit.WIDER
    if fit is Fit.NOT_TOLD and not term.wanted and _has_no_disease(term, document, who):
        fit = Fit.ASKED
    if fit is Fit.NOT_TOLD:
        fit = never_had(term, f"{document.title}. {who}")
    if fit is Fit.NOT_TOLD and _takes_class_of(term, f"{document.title}. {who}"):
        fit = Fit.WIDER
    if fit is Fit.NOT_TOLD and _cannot_take(term, f"{document.title}. {who}"):
        fit = Fit.ASKED
    if fit is Fit.NOT_TOLD and term.wanted and (_is_included_unsaid(term) or _are_treated_there(term, document, who)):
        return Fit.WIDER
    return fit


def _are_treated_there(term: PopulationTerm, document: EvidenceCandidate, who: str) -> bool:
    """Whether people so ill are in intensive care as a rule, where that is what a term says."""
    is_there = term.kind is PopulationKind.SETTING and _INTENSIVE_CARE.fullmatch(term.text.strip()) is not None
    return is_there and _CRITICALLY_ILL.search(f"{document.title}. {who}") is not None


_INTENSIVE_CARE = re.compile(r"(?:the )?(?:ICU|ITU|intensive care(?: unit)?|critical care(?: unit)?)", re.IGNORECASE)
_CRITICALLY_ILL = re.compile(
    r"\b(?:(?:septic|cardiogenic|vasodilatory|distributive) shock|mechanical(?:ly)? ventilat\w+|critically ill"
    r"|vasopressors?|acute respiratory distress syndrome|ARDS|cardiac arrest)\b",
    re.IGNORECASE,
)


def _has_no_disease(term: PopulationTerm, document: EvidenceCandidate, who: str) -> bool:
    """Healthy people have none; those of primary prevention no cardiovascular one."""
    text = f"{document.title}. {who}"
    trees = mesh.trees_of(term.mesh_id) if term.kind is PopulationKind.CONDITION and term.mesh_id else ()
    if not any(tree.startswith("C") for tree in trees):
        return False
    prevented = any(tree.startswith("C14") for tree in trees) and _PRIMARY_PREVENTION.search(text) is not None
    return prevented or alike()["healthy people"].search(text) is not None


def _takes_class_of(term: PopulationTerm, text: str) -> bool:
    """Whether people take a drug of the asked one's class: "on aspirin" in "people taking antiplatelet therapy"."""
    if term.kind is not PopulationKind.TREATMENT or not term.wanted or not term.name:
        return False
    classes = {name.casefold() for name in classes_of(term.name, searching=False)}
    return any(
        t.name.casefold() in classes
        and is_told_of_people(text, t.start, t.end)
        and not is_absent_at(text, t.start, t.end)
        for t in find_terms(text)
    )


_PRIMARY_PREVENTION = re.compile(r"\bprimary[- ]prevention\b(?! and secondary| or secondary)", re.IGNORECASE)


def _is_included_unsaid(term: PopulationTerm) -> bool:
    """Adults of any sex and country, on whatever else they take, are in a study that does not say otherwise."""
    if term.kind is PopulationKind.SETTING:
        return is_country(term.text)
    if term.kind is PopulationKind.TREATMENT:
        done = any(tree.startswith("E") for tree in mesh.trees_of(term.mesh_id or ""))
        return not done and _BESIDE.match(term.text) is not None  # who is on dialysis is no other patient's equal
    if term.kind is PopulationKind.PEOPLE:
        return _ANYBODY.fullmatch(term.text.strip()) is not None
    return term.kind is PopulationKind.AGE and not is_young(term)


_BESIDE = re.compile(r"(?:already|on top of|background|currently|once|while|still)\b", re.IGNORECASE)
"""What opens a treatment that people have besides the one asked about: "already on a statin"."""


def _other_figures(term: PopulationTerm, text: str) -> bool:
    """Whether figures of the text shut out those of the term: a preserved ejection fraction where it is to be low."""
    asked = ranges_in(term.text)
    return term.wanted and bool(asked) and bool(text) and agreement(asked, ranges_in(text)) < 0


@lru_cache(maxsize=16_384)
def _of_source(term: PopulationTerm, title: str, abstract: str, headings: str) -> Fit:
    """By the title, then by the clauses that say who was studied, then by the headings.

    Of a title that is wider ("in adults") the clauses say how old they were.
    """
    for text in (title, abstract, headings):
        if not text or (told := FIT[told_of(term, text)]) is Fit.NOT_TOLD:
            continue
        return _closer(term, abstract) or told if text is title and told is Fit.WIDER and abstract else told
    return Fit.NOT_TOLD


def _closer(term: PopulationTerm, abstract: str) -> Fit | None:
    """How the clauses that say who was studied stand to a term, where they say more of it than a wider title."""
    told = FIT[told_of(term, abstract)]
    if term.measure is None:
        of_some = is_either_way(term, abstract) or have_some(term, abstract)
        return told if told is Fit.ASKED and not of_some else None
    return told if told in OF_IT or (told is Fit.OTHER and term.measure == AGE) else None


def _cannot_take(term: PopulationTerm, text: str) -> bool:
    """People for whom the named drug, or its class, is said not to be suitable."""
    if term.kind is not PopulationKind.TREATMENT or not term.name or not _UNSUITABLE.search(term.text):
        return False
    names = (term.name, *classes_of(term.name, searching=False))
    sentences = [s.text for s in split_sentences(text) if _UNSUITABLE.search(s.text)]
    return any(speaks_of(sentence, idea_of(name)) for sentence in sentences for name in names)


_UNSUITABLE = re.compile(
    r"\b(?:unsuitable|not suitable|cannot|can't|unable to|intoleran\w+|not tolerated|isn't tolerated|contraindicat\w+"
    r"|ineligible|not an option|no option|an option|ruled out|out of the question|not possible)\b",
    re.IGNORECASE,
)
