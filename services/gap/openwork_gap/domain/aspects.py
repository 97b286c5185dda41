"""What the question asks about, aspect by aspect, and which documents speak of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from openwork_contracts.evidence import EvidenceCandidate, StudyDesign
from openwork_contracts.question import Entity, EntityKind, QuestionAnalysis
from openwork_contracts.ranking import RankedPassage
from openwork_evidence.text import abstract_text
from openwork_knowledge.patterns import any_of, pattern
from openwork_knowledge.tables import table
from openwork_language.mentions import Idea, idea_of, idea_tokens, names_in, speaks_of
from openwork_language.ranges import agreement, ranges_in
from openwork_language.searching.polarity import absent_entities
from openwork_language.sentences import split_sentences
from openwork_language.terms import is_member
from openwork_language.tokens import COMMON_TOKENS

POPULATION, INTERVENTION, COMPARISON, OUTCOME = "population", "intervention", "comparison", "outcome"
PAIR, SETTING = "comparison_pair", "setting"

_NOT_COMPARED = re.compile(
    r"\b(?:(?:did|does|do|was|were|has|have|had|is|are)\s*n[o']t|no|not|without|never|lack\w*)\b[^.;]{0,60}"
    r"\b(?:compar\w+|head-to-head|name[sd]?|tested|assess\w*|directly)\b",
    re.IGNORECASE,
)
"""A sentence that names two drugs to say that they were not compared."""

_ANY_COMPARATOR = re.compile(
    rf"(?:the )?{pattern('comparators', 'unnamed_kind')}(?: available| medical)? "
    rf"{pattern('comparators', 'unnamed_treatment')}|{pattern('comparators', 'unnamed')}",
    re.IGNORECASE,
)


def _place(name: str, uses: frozenset[str]) -> re.Pattern[str]:
    """How a country or a guideline body is named; acronyms only in capitals."""
    listed: dict[str, list[str]] = defaultdict(list)
    for group, word, use, never_before in table("places").rows:
        if group == name and use in uses:
            listed[never_before].append(word)
    ways = (any_of(found) + ("" if after == "-" else rf"(?![- ]{after})") for after, found in listed.items())
    return re.compile(rf"\b(?:{'|'.join(ways)})\b")


@cache
def _places() -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
    """Name for the reader; how a question names it; how a document does."""
    asked, told = frozenset({"question"}), frozenset({"question", "document"})
    return tuple((name, _place(name, asked), _place(name, told)) for name in table("places").groups())


@dataclass(frozen=True, slots=True)
class Aspect:
    """One thing the evidence should speak of."""

    slot: str
    term: str
    ideas: tuple[Idea, ...]
    """All of them must be spoken of; a comparison pair has two."""
    tells: re.Pattern[str] | None = None
    """For a setting: how a document names it."""


@dataclass(frozen=True, slots=True)
class DocumentText:
    """All that is known of one document, for matching."""

    n: int
    document: EvidenceCandidate
    text: str
    """Title, abstract and passages, one block each."""
    statements: tuple[str, ...]
    """Title and sentences of it."""


def read_documents(documents: Sequence[EvidenceCandidate], passages: Sequence[RankedPassage]) -> list[DocumentText]:
    """The documents with their passages; the n-th from 1 has citation number n."""
    by_n: dict[int, list[str]] = defaultdict(list)
    for passage in passages:
        by_n[passage.n].append(passage.text)
    read = []
    for n, document in enumerate(documents, start=1):
        abstract = abstract_text(document)
        texts = [t for t in by_n[n] if t not in abstract]
        headings = "\n".join(f"{term}." for term in document.mesh_terms)
        text = "\n".join([document.title, abstract, *texts, headings])
        statements = (document.title, *(s.text for block in (abstract, *texts) for s in split_sentences(block)))
        read.append(DocumentText(n, document, text, statements))
    return read


def aspects_of(analysis: QuestionAnalysis) -> tuple[Aspect, ...]:
    """Every slot's terms, each pair of compared arms, and the settings that the question names.

    A question without a filled slot is judged by its entities: diseases as population, the others as intervention. What
    the question wants absent ("without prior carbapenem use") no document need speak of.
    """
    pico, absent = analysis.pico, _absent(analysis)
    slots = {
        POPULATION: list(pico.population),
        INTERVENTION: list(pico.intervention),
        # "Conventional therapy" is whatever a trial compared with: no document need use the words.
        COMPARISON: [term for term in pico.comparison if not _ANY_COMPARATOR.fullmatch(term.strip())],
        OUTCOME: list(pico.outcome),
    }
    slots = {slot: [term for term in terms if term.casefold() not in absent] for slot, terms in slots.items()}
    named = frozenset(name for terms in slots.values() for term in terms for name in names_in(term))
    for entity in analysis.entities:
        if not _is_named(entity, named) and entity.text.casefold() not in absent:
            slots[POPULATION if entity.kind is EntityKind.DISEASE else INTERVENTION].append(entity.text)
    aspects: list[Aspect] = []
    for slot, terms in slots.items():
        aspects += _distinct([Aspect(slot, term, (_idea(term, analysis.entities),)) for term in terms])
    return (*aspects, *_pairs(aspects), *settings_of(analysis.question))


def _absent(analysis: QuestionAnalysis) -> frozenset[str]:
    return frozenset(entity.text.casefold() for entity in absent_entities(analysis))


def _is_named(entity: Entity, named: frozenset[str]) -> bool:
    """Whether a slot names the entity already, or a member of it: "norepinephrine as first vasopressor"."""
    names = names_in(entity.text)
    return bool(names) and all(name in named or any(is_member(other, name) for other in named) for name in names)


def _idea(term: str, entities: Sequence[Entity]) -> Idea:
    synonyms = [s for e in entities if e.text.casefold() in term.casefold() for s in (e.name, *e.synonyms)]
    return idea_of(term, synonyms)


def _distinct(aspects: Sequence[Aspect]) -> list[Aspect]:
    """One aspect per idea: "AF" and "atrial fibrillation" in one slot are one."""
    seen: set[frozenset[str]] = set()
    kept = []
    for aspect in aspects:
        (idea,) = aspect.ideas
        key = idea.names or frozenset().union(*idea.forms)
        if key and key not in seen:
            seen.add(key)
            kept.append(aspect)
    return kept


def _pairs(aspects: Sequence[Aspect]) -> list[Aspect]:
    arms = [a for a in aspects if a.slot == INTERVENTION]
    others = [a for a in aspects if a.slot == COMPARISON]
    return [Aspect(PAIR, f"{a.term} and {b.term}", (*a.ideas, *b.ideas)) for a in arms for b in others]


def settings_of(question: str) -> tuple[Aspect, ...]:
    """Countries and organisations that the question names."""
    return tuple(Aspect(SETTING, name, (), tells) for name, asks, tells in _places() if asks.search(question))


def covers(document: DocumentText, aspect: Aspect) -> bool:
    """Whether the document speaks of the aspect; of a pair, whether it sets both arms against each other."""
    if aspect.tells is not None:
        place = " ".join((document.document.journal or "", document.document.collective_author or ""))
        return aspect.tells.search(f"{document.text}\n{place}") is not None
    if aspect.slot == PAIR:
        return any(
            all(speaks_of(statement, idea) for idea in aspect.ideas) and not _NOT_COMPARED.search(statement)
            for statement in document.statements
        )
    asked = ranges_in(aspect.term) if aspect.slot == POPULATION else {}
    if asked and any(agreement(asked, ranges_in(statement)) > 0 for statement in document.statements):
        return True
    return all(speaks_of(document.text, idea) for idea in aspect.ideas)


def is_on_topic(
    document: DocumentText, aspects: Sequence[Aspect], question: str, *, min_free_text_share: float
) -> bool:
    """Whether a document speaks of what the question is about.

    It must name one of the question's diseases (if it has any that a lexicon knows), one of its drugs or procedures (if
    any), more than half of all these, and hold a share of the question's other words: that "hypertension" occurs in it
    does not make a trial of drugs speak of sublingual varices.
    """
    named = [a for a in aspects if a.ideas and a.slot != PAIR and a.ideas[0].names]
    covered = [a for a in named if covers(document, a)]
    asked_kinds, covered_kinds = ({a.slot == POPULATION for a in group} for group in (named, covered))
    if asked_kinds - covered_kinds or (len(named) > 1 and len(covered) * 2 <= len(named)):
        return False
    # A country is an aspect of its own; what makes a document foreign does not make it off topic.
    places = idea_tokens(" ".join(match[0] for a in aspects if a.tells for match in a.tells.finditer(question)))
    asked = {token for token in idea_tokens(question) - COMMON_TOKENS - places if not token[0].isdigit()}
    spoken = idea_tokens(document.text).union(*(idea_tokens(a.term) for a in aspects if covers(document, a)))
    if document.document.study_design is StudyDesign.GUIDELINE:
        spoken |= idea_tokens("guideline")
    return len(asked & spoken) >= min_free_text_share * len(asked) if asked else True
