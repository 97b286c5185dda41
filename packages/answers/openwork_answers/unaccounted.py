"""What of a question no slot of it has and of which the source that answers does not speak: drugs, rare words.

A slot that is misread may lose a drug: "against aspirin" behind an outcome. A sentence that no form fits may lose who
is meant: "she is GAD-antibody-positive". An answer is then no answer about it, and says so.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from openwork_contracts.conclusion import StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import Entity, EntityKind
from openwork_knowledge import mesh
from openwork_knowledge.bodies import bodies_placed
from openwork_knowledge.notation import group
from openwork_knowledge.tables import table
from openwork_language.asking.words import disease_of
from openwork_language.effects.words import CUE
from openwork_language.mentions import Idea, idea_of, speaks_of
from openwork_language.searching.information import MUCH, information
from openwork_language.searching.polarity import absent_entities
from openwork_language.terms import class_members, find_terms

from openwork_answers.asked import Question
from openwork_answers.asked_words import WORD
from openwork_answers.how_given import schedules_untold
from openwork_answers.places import is_within, places_of
from openwork_answers.source_words import all_told, words_of
from openwork_answers.treatments import is_one_drug
from openwork_answers.unread import is_telling


def drugs_unaccounted(question: Question, result: StudyResult, document: EvidenceCandidate) -> tuple[str, ...]:
    """The drugs in the asker's words, classes left out: a source names what it gave, and seldom all that it is."""
    named = [entity for entity in _drugs_left_over(question) if not class_members(entity.name)]
    if not named:
        return ()
    text = all_told(document, (result,))
    return tuple(entity.text for entity in named if not speaks_of(text, idea_of(entity.text, (entity.name,))))


def treatments_unaccounted(question: Question, result: StudyResult, document: EvidenceCandidate) -> tuple[str, ...]:
    """Of several drugs that are asked about those of which the source does not speak, and doses, rhythms and durations
    that it does not give: a trial of one of two tells nothing of the other, and one of 150 mg nothing of 75 mg."""
    text = all_told(document, (result,))
    named = [idea for idea in question.treatments if len(question.treatments) > 1 and _is_of_one_drug(idea)]
    drugs = [idea.term for idea in named if not speaks_of(text, idea)]
    words = words_of(text)
    others = [idea for idea in question.treatments if len(question.treatments) > 1 and not idea.names]
    drugs += [idea.term for idea in others if not any(map(words.tells, WORD.findall(idea.term)))]
    given = [m for dose in question.doses for m in _dose(dose).finditer(question.analysis.question)][:_MOST_DOSES]
    schedules = schedules_untold(question, text)
    doses = [m[0] for m in given if not re.search(rf"(?<![\d.]){re.escape(m['figure'])}(?:\.0+)?(?![\d.]*\d)", text)]
    return (*drugs, *dict.fromkeys(doses), *schedules)


def diseases_unaccounted(question: Question, document: EvidenceCandidate) -> tuple[str, ...]:
    """Of a list by commas alone the diseases of which a source does not speak at all, though they were read as what is
    asked about: they are who is meant ("artesunate, deaths, visceral leishmaniasis?")."""
    listed = [outcome.text for outcome in question.outcomes if "," in outcome.text and not _JOINED.search(outcome.text)]
    if not listed:
        return ()
    places = places_of(listed, question.analysis.question)
    diseases = [e for e in question.analysis.entities if e.kind is EntityKind.DISEASE and is_within(e.start, places)]
    told = all_told(document, ())
    return tuple(e.text for e in diseases if not speaks_of(told, idea_of(e.text, (e.name,))))


_JOINED = re.compile(r"\b(?:and|or|nor|plus)\b|[/&+]", re.IGNORECASE)
_MOST_DOSES = 2
_DOSE_UNIT = r"(?:mg|g|mcg|\u00b5g|micrograms?|IU|units?)"


@lru_cache(maxsize=256)
def _dose(figure: str) -> re.Pattern[str]:
    """A dose in the asker's words, by its figure."""
    own = re.escape(figure.strip())
    return re.compile(rf"(?<![\d.])(?P<figure>{own})\s?{_DOSE_UNIT}(?:/kg)?\b", re.IGNORECASE)


def _is_of_one_drug(idea: Idea) -> bool:
    found = [term for term in find_terms(idea.term) if term.kind is EntityKind.DRUG]
    return len(found) == 1 and is_one_drug(found[0])


def degrees_unaccounted(question: Question, document: EvidenceCandidate) -> tuple[str, ...]:
    """Of what somebody has in words that no list knows how much of it, where a source does not tell it so: a trial of
    those with many eosinophils tells nothing of "low eosinophils"."""
    asked = question.analysis.question
    found = (m for word in question.unread for m in _degree_of(word).finditer(asked))
    phrases = [(m[0], m["degree"].casefold(), m["what"]) for m in found]
    text = all_told(document, ()) if phrases else ""
    return tuple(
        phrase
        for phrase, degree, what in phrases
        if re.search(rf"\b{degree}\w*\s+(?:[\w-]+\s+){{0,2}}{re.escape(what[:-1])}", text, re.IGNORECASE) is None
    )


@lru_cache(maxsize=256)
def _degree_of(word: str) -> re.Pattern[str]:
    degree = r"low|high|normal|raised|elevated|reduced|increased|few|many|absent|negative|positive"
    return re.compile(rf"\b(?P<degree>{degree})\s+(?P<what>{re.escape(word)})\b", re.IGNORECASE)


def words_unaccounted(question: Question, document: EvidenceCandidate) -> tuple[str, ...]:
    """The telling words in the asker's words, in their order: no abbreviation, which a source may well spell out, and
    no word for what treatments do.

    They are rare words or words of medicine (`information.MUCH`). What the places of a question and its names hold is
    judged as what it is.
    """
    left = _words_left_over(question)
    if not left:
        return ()
    rest = (*(one.text for one in document.recommendations), *(one.outcome for one in document.results))
    told = f"{all_told(document, ())} {' '.join(rest)}"
    words = words_of(told)
    return tuple(word for word in left if not (words.tells(word) or _speaks_of_disease(told, word)))


def _speaks_of_disease(text: str, word: str) -> bool:
    """Whether a text speaks of the disease that a word is of: hypertension of "hypertensive"."""
    known = disease_of(word)
    return known is not None and speaks_of(text, idea_of(word, (known.heading,)))


def _words_left_over(question: Question) -> list[str]:
    text = question.analysis.question
    places = [*_taken(question), *((one.start, one.end) for one in question.analysis.entities)]
    places += [(one.start, one.end) for one in bodies_placed(text)]
    return [
        match[0]
        for match in WORD.finditer(text)
        if how_telling(match[0]) >= MUCH
        and is_telling(match[0])
        and not is_within(match.start(), places)
        and match[0] not in question.unread
        and match[0].casefold() not in _days()
        and not _forms().fullmatch(match[0])
        and CUE.fullmatch(match[0]) is None
        and not _is_chemical(match[0])
    ]


@lru_cache(maxsize=8192)
def _is_chemical(word: str) -> bool:
    """Whether it names a substance that is no drug of the question: "her creatinine" says nothing of who is meant."""
    subject = mesh.subject(word)
    trees = mesh.trees_of(subject.mesh_id) if subject else ()
    return bool(trees) and all(tree.startswith("D") for tree in trees)


@cache
def _days() -> frozenset[str]:
    return frozenset(word for kind, word in table("proper_names").rows if kind in {"month", "weekday"})


@cache
def _forms() -> re.Pattern[str]:
    return re.compile(group("asking-in-general", "form"), re.IGNORECASE)


@lru_cache(maxsize=8192)
def how_telling(word: str) -> int:
    """`information` of a word, of a compound that of its plain parts: 0 where it holds nothing but abbreviations and
    figures ("hsCRP", "A1c")."""
    parts = [part for part in re.split(r"[-/]", word) if _PLAIN.fullmatch(part) and is_telling(part)]
    return max(map(information, parts), default=0)


_PLAIN = re.compile(r"[^\W\d_][^\W\d_A-Z]{3,}(?:['’]s)?")


def _taken(question: Question) -> list[tuple[int, int]]:
    """Places of what a question was read as."""
    ideas = (*question.treatments, *question.comparators, *question.background)
    terms = (*(idea.term for idea in ideas), *question.outcome_texts)
    places = places_of(terms, question.analysis.question) + [(term.start, term.end) for term in question.people]
    if question.contrast is not None:
        places.append((question.contrast.start, question.contrast.end))
    return places


def _drugs_left_over(question: Question) -> list[Entity]:
    analysis = question.analysis
    drugs = [entity for entity in analysis.entities if entity.kind is EntityKind.DRUG]
    ideas = (*question.treatments, *question.comparators, *question.background)
    taken = {term.casefold() for term in (*(idea.term for idea in ideas), *question.outcome_texts)}
    places = _taken(question)
    left = [drug for drug in drugs if not is_within(drug.start, places) and drug.text.casefold() not in taken]
    return [drug for drug in left if drug not in absent_entities(analysis)] if left else []
