"""What guidelines among the sources recommend about the treatment and the people asked about, and whose word it is.

Who asks for one body's word gets no other's. Who asks for a country's gets that country's; where there is none of it,
that is said first, and then what is international stands before what is of another country. A superseded edition
is told only where no current one speaks of it, and then as that. Who names the year of an edition gets that one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.conclusion import Fit, GuidelineStatement
from openwork_contracts.evidence import EvidenceCandidate, Recommendation, StudyDesign
from openwork_contracts.guidance import INTERNATIONAL
from openwork_contracts.question import EntityKind, PopulationKind, PopulationTerm
from openwork_contracts.strategy import SearchStrategy
from openwork_evidence.guidelines.facts import place_of
from openwork_knowledge import mesh
from openwork_knowledge.bodies import bodies_in
from openwork_knowledge.countries import country_name
from openwork_knowledge.tables import words
from openwork_language.asking.people import Told, told_of
from openwork_language.mentions import Idea, idea_tokens, speaks_of
from openwork_language.searching.concepts import people_in
from openwork_language.terms import class_members, find_terms, is_member

from openwork_answers.about import is_who_alone, unsaid
from openwork_answers.asked import Question
from openwork_answers.bodies import bodies_of
from openwork_answers.naming import body_of
from openwork_answers.outcomes import is_kind, read_outcome
from openwork_answers.people import people_fit
from openwork_answers.prevention import is_for_contacts, is_of_prevention_alone
from openwork_answers.special_people import groups_asked
from openwork_answers.stopping import tells_of_stopping
from openwork_answers.studied import studied
from openwork_answers.targets import is_about, is_of
from openwork_answers.treatments import is_named_in, without_dose
from openwork_answers.variants import tells_both
from openwork_answers.young import is_young

MOST_STATEMENTS = 3
_SECOND_CHOICE = re.compile(
    r"\b(?:if|when|where)\b[^,;.]{0,80}\b(?:contraindicated|not tolerated|intoleran\w+|unsuitable|not suitable)\b", re.I
)
"""What opens a recommendation for those who cannot have the first one."""
_NEXT_STEP = re.compile(
    r"\b(?:next|second[- ]line|second|add(?:ed|ing|[- ]on)?|still|despite|inadequate\w*|refractory|fail\w*|"
    r"intoleran\w+|not tolerated|cannot|contraindicated)\b",
    re.I,
)
"""What a question says whose first choice was tried or cannot be given, and a recommendation that is for then."""
_RESISTANT = re.compile(r"\b(?:\w+[- ])?resistant\b|\brefractory\b", re.I)
_SUSCEPTIBLE = re.compile(r"\b(?:drug|rifamp\w+)[- ](?:susceptible|sensitive)\b", re.I)
_AGAINST = re.compile(
    r"\bnot (?:\w+ )?(?:recommend(?:ed)?|indicated|offered?|given?|started?|used?|be)\b|\bagainst\b|\bavoid", re.I
)
_HOW_LONG = re.compile(r"\bhow (?:long|many (?:days|weeks|months|years))\b|\bduration\b", re.IGNORECASE)
_DURATION = re.compile(
    r"\b\d+(?:\s?(?:to|-|\u2013|or)\s?\d+)?[\s-](?:days?|weeks?|months?|years?)\b|\bindefinite|\blifelong",
    re.IGNORECASE,
)
_GOAL = re.compile(r"\b(?:goals?|targets?)\b", re.IGNORECASE)
_AIMS = re.compile(r"\b(?:goals?|targets?|aims?|under|below|less than|lower than)\b[^.;]*\d|<\s?\d", re.IGNORECASE)
_ASKS_FOR_DRUG = re.compile(
    r"\b(?:drugs?|medicines?|medications?|agents?|treat\w*|therap\w+|regimens?|antibiotics?|first[- ]line)\b", re.I
)


def statements_of(
    question: Question, strategy: SearchStrategy, documents: Sequence[tuple[int, EvidenceCandidate]]
) -> tuple[GuidelineStatement, ...]:
    """Statements that name the treatment, or its class, for these people: those asked for, then the newest first.

    Args:
        documents: (citation number, work).
    """
    found = []
    named = bodies_in(question.analysis.question)
    asked = idea_tokens(question.analysis.question) - idea_tokens(" ".join(named))  # whose word it is says not of what
    of_named = [one for one in documents if named & bodies_of(one[1])]
    for n, document in of_named if named else documents:  # whoever asks for one body's word gets no other's
        if document.study_design is not StudyDesign.GUIDELINE:
            continue
        own = [r for r in _recommending(document) if _is_about(r, question, strategy, document)]
        own.sort(key=lambda r: (*_nearness(r, question), -len(asked & idea_tokens(r.text)), not _is_graded(r)))
        found += [_statement(n, document, r, _place(document, question)) for r in _apart(own)[:2]]
    found.sort(key=lambda one: (one.place, -(one.year or 0)))
    nearest = [one for one in found if one.place == found[0].place]
    nearest = [one for one in nearest if str(one.year) in question.analysis.question] or nearest
    nearest = [one for one in nearest if not _n_narrower(one.text, question)] or nearest
    nearest = [one for one in nearest if _names_outcome(one.text, question)] or nearest
    if not question.treatments:
        told = [_n_named(one.text, question) for one in nearest]
        nearest = [one for one, n in zip(nearest, told, strict=True) if n == max(told)]
    current = [one for one in nearest if one.superseded_by is None]
    return tuple((current or nearest)[:MOST_STATEMENTS])


def tells_of_both(statement: GuidelineStatement, question: Question) -> bool:
    """Whether a statement names something that is to be compared with, where two are: advice on one is no comparison.

    Who asks for guidance gets it all the same.
    """
    text = statement.text
    if question.asks_for_guideline:
        return True
    if question.contrast is not None:
        return tells_both(question.contrast, text)
    if question.target is not None and question.target.compared:
        return all(f"{figure:g}" in text for _, figure in question.target.compared)
    if not question.comparators:
        return True
    return any(is_named_in(text, idea) for idea in question.comparators)


def _recommending(document: EvidenceCandidate) -> list[Recommendation]:
    """What a guideline recommends, without the label of the part that says it; not what its other parts tell.

    For whom it is, what it asks and how it was made are no advice.
    """
    kept = []
    for one in document.recommendations:
        part = next((p for p in document.abstract if p.label and one.text.removeprefix(f"{p.label}: ") in p.text), None)
        label = (part.label or "").casefold() if part else ""
        if part is None:
            kept.append(one)
        elif not any(word in label for word in (*words("abstract-labels", "skipped"), "limitation")):
            kept.append(one.model_copy(update={"text": one.text.removeprefix(f"{part.label}: ")}))
    return kept


def asks_how_long(question: Question) -> bool:
    """Whether a question asks how long something is given."""
    return _HOW_LONG.search(question.analysis.question) is not None


def tells_how_long(text: str) -> bool:
    """Whether a statement tells how long something is given."""
    return _DURATION.search(text) is not None


def lacking_guidance(question: Question, statements: Sequence[GuidelineStatement]) -> str | None:
    """Whose guideline was asked for and not found, in words that finish "the evidence found contains no ..."."""
    asked = question.analysis.guidance
    own = [one for one in statements if one.place == 0]
    if asked is None or any(one.superseded_by is None for one in own):
        return None
    if not asked.countries and not question.names_guidance:
        return None  # "on the NIH stroke scale", "approved by the FDA"
    if asked.countries:
        whose = " or ".join(_from(code) for code in asked.countries)
    else:
        whose = f"of {' or '.join(asked.bodies)}"
    current = "current " if own else ""
    international = asked.countries == (INTERNATIONAL,)
    words = f"{current}international guideline" if international else f"{current}guideline {whose}"
    return f"{words} about this"


def _from(code: str) -> str:
    return "of an international body" if code == INTERNATIONAL else f"from {country_name(code)}"


def _place(document: EvidenceCandidate, question: Question) -> int:
    asked = question.analysis.guidance
    return place_of(document.guideline, asked.countries) if asked and not asked.bodies else 0


def _year(document: EvidenceCandidate) -> int | None:
    told = document.guideline.year if document.guideline and document.guideline.organisation else None
    return told or document.year


def _nearness(recommendation: Recommendation, question: Question) -> tuple[int, bool, int, int, int, bool, bool]:
    """What goes first: what is for no other people, tells how long or how low where that is asked, names the groups
    asked about and what was asked in words that no list knows, names the people asked about, is the first choice,
    strongly recommended and not advised against, and names a drug where one is asked for."""
    text = recommendation.text
    asks_goal = question.target is not None and _GOAL.search(question.analysis.question) is not None
    long = asks_how_long(question) and not tells_how_long(text)
    off = long or (asks_goal and _AIMS.search(text) is None)
    drug = not (
        _ASKS_FOR_DRUG.search(question.analysis.question) and any(t.kind is EntityKind.DRUG for t in find_terms(text))
    )
    if question.treatments:  # what is said of a named treatment, and not which treatment to choose
        later = False
    elif _NEXT_STEP.search(question.analysis.question):
        later = _NEXT_STEP.search(text) is None or _AGAINST.search(text) is not None
    else:
        later = any(one.search(text) for one in (_SECOND_CHOICE, _AGAINST)) or _is_weak(recommendation)
    named = _n_people_named(recommendation, question)
    groups = _n_groups(text, question)
    return _n_narrower(text, question), off, -groups, -_n_unread(text, question), -named, later, drug


def _n_narrower(text: str, question: Question) -> int:
    """Groups that a statement is for and nobody asked about: children, pregnancy."""
    asked = {one.name for one in people_in(question.analysis.question)} | groups_asked(question.analysis)
    return len({one.name for one in people_in(text)} - asked)


_NAME = re.compile(r"\b(?=\w*-?\w*\d)[A-Z][\w-]*\b")


def _n_named(text: str, question: Question) -> int:
    """Names with a figure ("TAK-003") that a question and a statement share: who asks for one means no other."""
    return len(set(_NAME.findall(question.analysis.question)) & set(_NAME.findall(text)))


def _names_outcome(text: str, question: Question) -> bool:
    """Whether a statement names what somebody asked of a treatment: "aspirin to prevent preeclampsia"."""
    asked = [thing for one in question.outcomes for atom in one.atoms for thing in atom.things]
    named = {thing for atom in read_outcome(text).atoms for thing in atom.things} if asked else ()
    return any(is_kind(there, one) for there in named for one in asked)


def _n_groups(text: str, question: Question) -> int:
    """Groups that were asked about and a statement is for: pregnancy, children."""
    return len({one.name for one in people_in(text)} & {one.name for one in people_in(question.analysis.question)})


def _n_unread(text: str, question: Question) -> int:
    """Words of the question that no list knows and a statement holds."""
    there = idea_tokens(text)
    return sum(bool(idea_tokens(word) & there) for word in question.unread)


def _is_weak(recommendation: Recommendation) -> bool:
    strength = (recommendation.strength or "").casefold()
    return strength in {"weak", "conditional"} or recommendation.class_of_recommendation in {"IIb", "2b"}


def _is_graded(recommendation: Recommendation) -> bool:
    return any((recommendation.strength, recommendation.class_of_recommendation, recommendation.level_of_evidence))


def _n_people_named(recommendation: Recommendation, question: Question) -> int:
    """Of the people asked about, the terms that a statement names: one for them goes before one for all."""
    return sum(told_of(term, recommendation.text) is Told.SAME for term in question.people)


def _apart(own: Sequence[Recommendation]) -> list[Recommendation]:
    """Each once: the same said in nearly the same words is one recommendation."""
    kept: list[Recommendation] = []
    for one in own:
        tokens = idea_tokens(one.text)
        if not any(len(tokens & idea_tokens(k.text)) >= 0.6 * min(len(tokens), len(idea_tokens(k.text))) for k in kept):
            kept.append(one)
    return kept


def _is_about(
    recommendation: Recommendation, question: Question, strategy: SearchStrategy, document: EvidenceCandidate
) -> bool:
    text = without_dose(recommendation.text)
    if question.stops and not tells_of_stopping(text):
        return False
    if any(told_of(term, text) is Told.OTHER or _is_of_sibling(text, term) for term in question.people):
        return False
    if any(_is_of_adults(text, term, document) for term in question.people):
        return False
    if not question.treatments:
        if _is_of_resistant_form(document.title, text, question):
            return False
        if _ASKS_FOR_DRUG.search(question.analysis.question) and is_of_prevention_alone(text, question):
            return False
        unasked = question.asks_for_knowledge and not question.asks_for_guideline
        if unasked or (_names_other_disease(text, question) and not _is_of_all_treated(text, question)):
            return False
        if not question.asks_for_guideline and unsaid(question, strategy, f"{document.title} {text}"):
            return False
        if question.target is not None and not is_about(question.target, text):
            return False
        if question.target is not None and not question.people:
            return True
        if question.asks_for_guideline and is_for_contacts(text, question):
            return True
        near = {Told.SAME, Told.PART, Told.WIDER} if question.asks_for_guideline else {Told.SAME}
        told = any(told_of(term, text) in near for term in question.people)
        return told and people_fit(question.people, document, text) not in {Fit.OTHER, Fit.NOT_TOLD}
    if people_fit(question.people, document, text) in {Fit.OTHER, Fit.NOT_TOLD}:
        return False
    named_itself = any(speaks_of(text, idea) for idea in question.treatments)
    is_how_long = named_itself and asks_how_long(question) and tells_how_long(text)
    if not question.asks_for_guideline and _is_of_others(text, question):
        return False
    if not (question.asks_for_guideline or is_how_long) and unsaid(question, strategy, f"{document.title} {text}"):
        return False
    if question.comparators and not question.asks_for_guideline and _is_of_both_alike(text, question):
        return False
    named = [
        (speaks_of(text, idea) and not is_who_alone(text, idea)) or _names_class(text, idea)
        for idea in question.treatments
    ]
    return all(named) if question.together else any(named)


def _is_of_both_alike(text: str, question: Question) -> bool:
    """Whether a statement names the class alone that both of two treatments are of: "anticoagulation" says nothing of
    which anticoagulant."""
    both = (*question.treatments, *question.comparators)
    return all(_names_class(text, idea) and not speaks_of(text, idea) for idea in both)


def is_guideline_of_adults(question: Question, document: EvidenceCandidate) -> bool:
    """Whether a work is a guideline for adults first, and children or the pregnant are asked about."""
    return document.study_design is StudyDesign.GUIDELINE and any(
        _is_of_adults("", term, document) for term in question.people
    )


def _is_of_adults(text: str, term: PopulationTerm, document: EvidenceCandidate) -> bool:
    """Whether children or the pregnant are asked about, and a statement that names neither is of a guideline that is
    for adults first: "applies to adults and has first recommendations for children"."""
    if not term.wanted or not (is_young(term) or term.kind is PopulationKind.PREGNANCY):
        return False
    if told_of(term, f"{document.title}. {text}") is not Told.NOT_TOLD:
        return False
    whom = studied(document)
    alike = _ALIKE.search(whom) is not None and _NONE_FOR.search(whom) is None
    return _ADULTS.search(text) is not None or (_ADULTS.search(whom) is not None and not alike)


_ADULTS = re.compile(r"\b(?:adults?|non-?pregnant)\b", re.IGNORECASE)
_OTHERS = r"(?:children|adolescents|young people|infants|newborns|neonates|babies|pregnan\w+|people of any age)"
_ALIKE = re.compile(
    rf"\badults?\b(?:(?!\b(?:has|have|makes?|gives?|no|recommendations?)\b)[^.;]){{0,60}}(?:,|\band\b|\bor\b)\s+(?:[\w-]+\s+){{0,2}}{_OTHERS}"
    rf"|\b{_OTHERS}\b[^.;]{{0,40}}(?:,|\band\b|\bor\b)\s+(?:[\w-]+\s+){{0,2}}adults?\b|\ball ages\b",
    re.IGNORECASE,
)
"""A guideline "for adults and children" is for both."""
_NONE_FOR = re.compile(rf"\bno recommendations?\b[^.;]{{0,60}}\b(?:for|in)\s+(?:[\w-]+\s+)?{_OTHERS}", re.IGNORECASE)


def _is_of_resistant_form(title: str, text: str, question: Question) -> bool:
    """Whether a statement, or its whole guideline, is for the resistant form of a disease, and the question is not."""
    if _RESISTANT.search(question.analysis.question):
        return False
    return any(_RESISTANT.search(one) and not _SUSCEPTIBLE.search(one) for one in (title, text))


def _is_of_sibling(text: str, term: PopulationTerm) -> bool:
    """Whether a statement names, in place of the asked disease, another of the same parent: type 2 for gestational."""
    if not term.wanted or not term.mesh_id or told_of(term, text) is not Told.NOT_TOLD:
        return False
    above = {tree.rpartition(".")[0] for tree in mesh.trees_of(term.mesh_id) if tree.startswith("C") and "." in tree}
    named = (t for t in find_terms(text) if t.kind is EntityKind.DISEASE and t.mesh_id)
    return any(tree.rpartition(".")[0] in above for t in named for tree in mesh.trees_of(t.mesh_id or ""))


_FOR_WHOM = re.compile(
    r"(?:^(?:in|for|among)|[;,.]\s(?:in|among)|\b(?:patients|people|adults|children|persons|those|women|men) with)\s+"
    r"(?:(?!prevent|reduc|risk|without)[\w-]+\s+){0,3}$",
    re.IGNORECASE,
)
"""Before a disease of those for whom a statement is: "In [pneumonia], ...", "people with [pneumonia]"."""


def _is_of_others(text: str, question: Question) -> bool:
    """Whether a statement says for whom it is, and names none of the asked people: its guideline speaks of them too."""
    if not question.people or any(told_of(term, text) is not Told.NOT_TOLD for term in question.people):
        return False
    named = (term for term in find_terms(text) if term.kind is EntityKind.DISEASE)
    return any(_FOR_WHOM.search(text[: term.start]) for term in named)


def _is_of_all_treated(text: str, question: Question) -> bool:
    """Whether the diseases that a statement names are what the asked target is of: hypertension of a blood pressure."""
    if question.target is None:
        return False
    named = [term.name for term in find_terms(text) if term.kind is EntityKind.DISEASE]
    return all(is_of(question.target, name) for name in named)


def _names_other_disease(text: str, question: Question) -> bool:
    """Whether a statement is for another disease, in which the asked one is a companion."""
    return any(
        term.kind is EntityKind.DISEASE and not any(told_of(p, term.text) is not Told.NOT_TOLD for p in question.people)
        for term in find_terms(text)
    )


_MOST_MEMBERS = 60
"""Drugs of a class of which what is said is said of each: of all "antibiotics" nothing is said of amikacin."""


def _names_class(text: str, idea: Idea) -> bool:
    """Whether a statement is of the class of a drug; one that names another of the class is of that one."""
    found = find_terms(text)
    named = [t.name for t in found if t.is_class and any(is_member(drug, t.name) for drug in idea.names)]
    classes = [name for name in named if len(class_members(name)) <= _MOST_MEMBERS]
    return bool(classes) and not any(is_member(t.name, one) for t in found if not t.is_class for one in classes)


def _statement(n: int, document: EvidenceCandidate, recommendation: Recommendation, place: int) -> GuidelineStatement:
    facts = document.guideline
    return GuidelineStatement(
        n=n,
        body=body_of(document),
        year=_year(document),
        text=recommendation.text,
        class_of_recommendation=recommendation.class_of_recommendation,
        level_of_evidence=recommendation.level_of_evidence,
        strength=recommendation.strength,
        country=facts.country if facts else None,
        place=place,
        locator=recommendation.locator,
        page=recommendation.page,
        superseded_by=facts.superseded_by if facts else None,
    )
