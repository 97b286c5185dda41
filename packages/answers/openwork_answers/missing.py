"""What of a question nothing found is about, in words that finish "the evidence found contains no ..."."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from operator import itemgetter

from openwork_contracts.conclusion import Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_evidence.text import abstract_text
from openwork_knowledge import mesh
from openwork_language.mentions import Idea, speaks_of
from openwork_language.searching.information import LITTLE, information
from openwork_language.sentences import split_sentences
from openwork_language.terms import find_terms
from openwork_language.tokens import tokenise

from openwork_answers.asked import Question
from openwork_answers.asked_words import WORD
from openwork_answers.naming_people import in_people, in_words
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import NEAR, Outcome, Thing, is_kind, kinds_and_causes, read_outcome
from openwork_answers.people import unmet
from openwork_answers.sides import comparators_in_words
from openwork_answers.treatments import generic


def missing_of(
    question: Question,
    usable: Sequence[tuple[int, EvidenceCandidate]],
    about: Sequence[tuple[int, EvidenceCandidate]],
) -> tuple[str, ...]:
    """What of the question nothing found is about, in words that finish "the evidence found contains no ..."."""
    treatment = " and ".join(map(generic, question.treatments))
    others = comparators_in_words(question)
    treated = [d for _, d in usable if any(any_names(d, idea) for idea in question.treatments)]
    unknown = [in_words(group) for group in unmet(question.people, treated or [d for _, d in usable])]
    if unknown:
        return (f"evidence on {treatment or 'this'}{in_people(unknown)}",)
    if (ways := question.contrast) is not None:
        both = f"{ways.tested.term} and {ways.other.term}"
        of = f" of {treatment}" if treatment and treatment.casefold() not in both.casefold() else ""
        return (f"direct comparison of {both}{of}",)
    if others and not any(_compares(question, d) for _, d in usable):
        return (f"direct comparison of {treatment} and {others}",)
    if question.outcomes:
        return (f"result of {treatment} for {_named(question)}" if treatment else f"evidence on {_named(question)}",)
    if question.unread and treatment and question.asks_for_effect:
        return (f'result of {treatment} that tells of "{", ".join(question.unread)}"',)
    return (f"evidence about {treatment}",) if treatment else ("evidence about the question",)


def missing_alone(
    lead: StudyResult, others: Sequence[StudyResult], question: Question, document: EvidenceCandidate
) -> tuple[str, ...]:
    """Where a composite leads, or an event of any cause; where the class has a result of the outcome, what is missing
    is one of the drug. What differs by how, when or where it was counted alone is not missing.

    Args:
        document: the source of the lead.
    """
    if not question.outcomes or lead.outcome_fit is not Fit.WIDER:
        return ()
    told = read_outcome(lead.outcome)
    held = [asked for asked in question.outcomes if fit_of(told, asked) is Fit.WIDER] or list(question.outcomes)
    alone = [asked for asked in held if _is_of_more(told, asked, document)]
    if not alone:
        return ()
    elsewhere = any(r.outcome_fit in {Fit.ASKED, Fit.PART} for r in others) and question.treatments
    of = f" with {' and '.join(map(generic, question.treatments))}" if elsewhere else ""
    return (f"result for {' or '.join(asked.text.removesuffix(_ALONE) for asked in alone)} alone{of}",)


_ALONE = " alone"
_RECURS, _DISCHARGE = Thing("recurrence"), Thing("hospital discharge")
"""They tell when an event is counted."""


def _is_of_more(told: Outcome, asked: Outcome, document: EvidenceCandidate) -> bool:
    """Whether a wider outcome counts other events than the one asked about: of several, of any cause or degree."""
    if len([atom for atom in told.atoms if atom.things]) > 1 or not any(atom.things for atom in told.atoms):
        return True
    events = {thing for atom in told.atoms for thing in atom.things}
    words = {word for atom in told.atoms for word in atom.words}
    asked_events = {thing for atom in asked.atoms for thing in atom.things} - {_DISCHARGE}
    if _RECURS in asked_events and _had_it(document, asked_events):
        asked_events -= {_RECURS}
    if any(not any(is_kind(event, thing) for event in events) for thing in asked_events):
        return True
    if any(is_kind(thing, event) and not is_kind(event, thing) for thing in asked_events for event in events):
        return True
    untold = {word for atom in asked.atoms for word in atom.words} - words
    if untold & (kinds_and_causes() - _WHERE):
        return True
    return any(information(word) > LITTLE for word in WORD.findall(asked.text) if untold & set(tokenise(word)))


def _had_it(document: EvidenceCandidate, events: AbstractSet[Thing]) -> bool:
    """Whether a source is of people who had the event, by its title: of them every further one recurs."""
    had = [term.mesh_id for term in find_terms(document.title) if term.mesh_id]
    return any(thing.mesh_id and mesh.is_same_or_kind(one, thing.mesh_id) for thing in events for one in had)


_WHERE = frozenset({"in hospital", "perioperative", "postoperative"})


def untold_beside(lead: StudyResult, others: Sequence[StudyResult], question: Question) -> tuple[str, ...]:
    """The outcomes asked about in one breath with the one that leads of which nothing stands beside it.

    Whatever else was taken for an outcome may be who is meant, or how they are treated: of that nothing is denied.
    """
    text = question.analysis.question
    places = [(at, at + len(o.text), o) for o in question.outcomes if (at := text.find(o.text)) >= 0]
    told = [read_outcome(r.outcome) for r in (lead, *others)]
    groups: list[list[Outcome]] = []
    end = 0
    for start, stop, outcome in sorted(places, key=itemgetter(0, 1)):
        if groups and text[end:start].strip() and _JOINS.fullmatch(text[end:start]):
            groups[-1].append(outcome)
        else:
            groups.append([outcome])
        end = stop
    led = next((g for g in groups if any(fit_of(told[0], one) in NEAR for one in g)), [])
    return tuple(one.text for one in led if all(fit_of(result, one) not in NEAR for result in told))


_SMALL = r"(?:[\s,]*\b(?:the|a|an|of|in|on|for|any|also|fewer|less|more|lower|higher)\b)*"
_JOINS = re.compile(
    rf"\s*(?:[,;/&+]{_SMALL}\s*)?(?:\b(?:and|or|nor|plus|as well as)\b{_SMALL}(?:\s+(?:reduces?|prevents?|lowers?))?"
    rf"{_SMALL}\s*)?",
    re.IGNORECASE,
)
"""Between two outcomes that are asked about together."""


def _compares(question: Question, document: EvidenceCandidate) -> bool:
    return all(any_names(document, idea) for idea in (*question.treatments, *question.comparators))


def _named(question: Question) -> str:
    return " or ".join(o.text for o in question.outcomes)


def any_names(document: EvidenceCandidate, idea: Idea) -> bool:
    """Whether any sentence of a source speaks of something."""
    text = f"{document.title}. {abstract_text(document)}"
    return any(speaks_of(sentence.text, idea) for sentence in split_sentences(text))
