"""Is a source, is a sentence about the question asked? What nothing found is about is not answered.

A source has to be about the treatment or exposure, the outcome or its class, and the people. Of a question without a
treatment it has to hold all that a strict search requires (`SearchStrategy`): near misses (the drug in another disease,
the disease and another drug) hold some of it. A sentence has to carry the question's own matter, not just stand in
such a source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import EvidenceCandidate, StudyDesign
from openwork_contracts.question import EntityKind, PopulationKind
from openwork_contracts.strategy import BlockRole, SearchBlock, SearchStrategy
from openwork_evidence.text import abstract_text
from openwork_knowledge import mesh
from openwork_knowledge.bodies import bodies_in, bodies_placed
from openwork_knowledge.countries import countries_in
from openwork_knowledge.tables import words
from openwork_language.abbreviations import meanings_of
from openwork_language.asking.guidance import guideline_cue
from openwork_language.asking.people import Told, is_counted, told_of
from openwork_language.mentions import Idea, speaks_of
from openwork_language.quantities.compare import find_quantities
from openwork_language.quantities.quantity import QuantityKind
from openwork_language.searching.information import NOTHING, information
from openwork_language.searching.matching import Searchable, meets_block, searchable
from openwork_language.searching.polarity import is_absent_at
from openwork_language.sentences import split_sentences
from openwork_language.terms import find_terms
from openwork_language.tokens import COMMON_TOKENS, token_set

from openwork_answers.asked import Question
from openwork_answers.bodies import bodies_of
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import NEAR, OF_IT, Outcome, read_outcome
from openwork_answers.people import people_fit
from openwork_answers.prevention import is_for_contacts
from openwork_answers.reported import parted
from openwork_answers.stopping import tells_of_stopping
from openwork_answers.targets import is_named
from openwork_answers.treatments import doses_of, is_named_in, is_one_drug, named_by, share_a_dose
from openwork_answers.unread import holds
from openwork_answers.variants import tells_both

_WORD = re.compile(r"[^\W_](?:[\w'-]*\w)?")
_OF_PEOPLE = re.compile(
    r"\b(?:in|among|for|of)\s+(?:\S+\s+){0,4}?(?:people|patients|participants|adults|children|women|men|those|individuals|subgroup)\b"
    r"|\b(?:with|when)\s+(?:an?\s+)?(?:estimated|creatinine|HbA1c|eGFR|GFR)\b",
    re.IGNORECASE,
)


def is_source_about(
    question: Question, strategy: SearchStrategy, document: EvidenceCandidate, texts: Iterable[str] = ()
) -> bool:
    """Whether a source holds everything that the question is about.

    Args:
        texts: passages of its full text.
    """
    if not _has_people(question, document, tuple(texts)):
        return False
    if question.compared:
        return True  # each of its results was held against the question's words
    if not question.asks_for_effect and not question.treatments and not _studied_in_title(question, document):
        return False
    directives = " ".join(one.text for one in document.recommendations)
    text = f"{document.title}. {abstract_text(document)} {directives}"
    if question.treatments and not _has_treatment(question, document, text, directives):
        return False
    if question.asks_for_guideline and not question.treatments:
        own = bodies_in(question.analysis.question) & bodies_of(document)
        if not own and not _speaks_of_most(question, strategy, text):
            return False
    record = _record(document.title, abstract_text(document), tuple(texts), document.mesh_terms)
    return all(
        any(meets_block(record, strategy.blocks[n], broad=False) for n in group)
        for group in _required(question, strategy)
    )


def _has_treatment(question: Question, document: EvidenceCandidate, text: str, directives: str) -> bool:
    """Whether a source names a treatment that is asked about, or a drug of the class; its class only where that is what
    the source is of, and no drug stands beside it: "vasopressin added to open-label vasopressors" tells of no other.
    """
    fits = [named_by(idea, text) for idea in question.treatments]
    if not any(fit in NEAR for fit in fits):
        return False
    if any(fit in OF_IT for fit in fits) or any(speaks_of(text, idea) for idea in question.treatments):
        return True
    arms = (arm.name for arm in document.arms)
    named = (result.outcome for result in document.results)
    classes = [told for told in (document.title, *arms, *named) if not any(map(is_one_drug, find_terms(told)))]
    of = " ; ".join((*classes, directives))
    return any(named_by(idea, of) in NEAR for idea in question.treatments)


def _speaks_of_most(question: Question, strategy: SearchStrategy, text: str) -> bool:
    """Whether a text has most of what a question says besides people: of a matter that it does not know, nothing."""
    told = unsaid(question, strategy, "")
    missing = unsaid(question, strategy, text) - _meant(question.analysis.question, token_set(text))
    return 2 * len(missing) <= len(told)


def _meant(question: str, there: frozenset[str]) -> frozenset[str]:
    """Tokens of short forms in a question whose long form a text has."""
    short = (m[0] for m in _WORD.finditer(question) if m[0].isupper())
    return frozenset(t for s in short for t in token_set(s) if any(token_set(long) <= there for long in meanings_of(s)))


def _has_people(question: Question, document: EvidenceCandidate, texts: tuple[str, ...]) -> bool:
    """Whether a source, a result of it or a sentence of it is of the people asked about."""
    if people_fit(question.people, document) in NEAR:
        return True
    owned = (parted(result.outcome).people for result in document.results)
    if any(own and people_fit(question.people, document, own) in NEAR for own in owned):
        return True
    directives = [one.text for one in document.recommendations]
    if any(people_fit(question.people, document, directive) in NEAR for directive in directives):
        return True
    if any(is_for_contacts(directive, question) for directive in directives):
        return True
    # Only sentences that say of whom they speak: "diarrhoea was more common" is of nobody with diarrhoea.
    sentences = (s.text for text in (abstract_text(document), *texts) for s in split_sentences(text))
    told = (sentence for sentence in sentences if _OF_PEOPLE.search(sentence))
    return any(people_fit(question.people, document, sentence) in NEAR for sentence in told)


def _studied_in_title(question: Question, document: EvidenceCandidate) -> bool:
    """Without a treatment asked, the source is of the asked condition itself, not of people who have it besides."""
    if question.asks_for_guideline and document.study_design is StudyDesign.GUIDELINE:
        return True
    conditions = [t for t in question.people if t.kind is PopulationKind.CONDITION and t.wanted]
    near = {Told.SAME, Told.PART}
    headings = " ; ".join(document.mesh_terms)
    return all(told_of(t, document.title) in near or told_of(t, headings) is Told.SAME for t in conditions)


def _required(question: Question, strategy: SearchStrategy) -> list[tuple[int, ...]]:
    """Groups of the strict rung that are left when people, treatments and outcomes are judged by what they are."""
    judged = {BlockRole.OUTCOME} if question.outcomes else set()
    if question.people:
        judged.add(BlockRole.POPULATION)
    if any(term.kind is PopulationKind.SETTING for term in question.people) or question.analysis.guidance is not None:
        judged.add(BlockRole.SETTING)  # whose guideline it is, is judged where guidelines are chosen
    if question.treatments or question.target is not None or question.treated:
        judged |= {BlockRole.INTERVENTION, BlockRole.COMPARISON}
    told = question.asks_for_effect and (question.outcomes or question.target is not None)
    if told or question.asks_for_dose or (question.asks_for_guideline and (question.treatments or question.people)):
        judged.add(BlockRole.TOPIC)  # treatment, outcome and people say it all
    blocks = strategy.blocks
    who = token_set(" ".join(term.text for term in question.people))
    what = token_set(" ".join(question.outcome_texts))
    left = [
        (b.role not in judged or _is_of_none(b, question))
        and not (_is_people(b, who) or _is_dosing(b) or _is_outcome(b, what))
        for b in blocks
    ]
    return [group for group in strategy.rungs[0].numbers if any(left[n] for n in group)]


def _is_of_none(block: SearchBlock, question: Question) -> bool:
    """Whether a disease that the search asks for is in no term of the question, so that nothing else judges it."""
    diseases = all(concept.kind is EntityKind.DISEASE for concept in block.concepts)
    if block.role is not BlockRole.POPULATION or question.target is not None or not diseases:
        return False
    told = token_set(" ".join(f"{t.text} {t.name or ''}" for t in question.analysis.pico.people))
    told |= token_set(" ".join((*question.outcome_texts, *(idea.term for idea in question.treatments))))
    names = [name for concept in block.concepts for name in (concept.spoken, concept.name)]
    return not any(token_set(name) & told for name in names)


def _is_outcome(block: SearchBlock, what: frozenset[str]) -> bool:
    """Of a condition that the search took for who is meant, and that is read as what is asked about."""
    return block.role is BlockRole.POPULATION and all(token_set(concept.spoken) <= what for concept in block.concepts)


def _is_dosing(block: SearchBlock) -> bool:
    """Words of prescribing ("capsules", "b.d.") are in no title."""
    asked = {name.casefold() for concept in block.concepts for name in (concept.name, *concept.names()[:1])}
    return block.role is BlockRole.TOPIC and bool(asked & set(words("dosing-words")))


def _is_people(block: SearchBlock, who: frozenset[str] = frozenset()) -> bool:
    """Groups of people, and words that say who is meant, are judged by `people_fit`, which knows who was studied."""
    if block.role is BlockRole.TOPIC:
        return all(token_set(concept.name) <= who for concept in block.concepts)
    return block.role is BlockRole.POPULATION and all(concept.kind is None for concept in block.concepts)


@lru_cache(maxsize=4096)
def _record(title: str, abstract: str, texts: tuple[str, ...], headings: tuple[str, ...]) -> Searchable:
    return searchable((title, abstract, *texts), headings)


def is_sentence_about(question: Question, strategy: SearchStrategy, document: EvidenceCandidate, sentence: str) -> bool:
    """Whether a sentence tells of the question's matter: its treatment and outcome, or all but one of its concepts.

    The title tells what the sentence need not repeat, but for the outcome, which a source reports among others.
    """
    if people_fit(question.people, document, sentence) in {Fit.OTHER, Fit.NOT_TOLD}:
        return False
    if _gave_another_dose(question, document):
        return False
    directive = {StudyDesign.DRUG_LABEL, StudyDesign.GUIDELINE}
    if question.asks_for_indication and document.study_design not in directive:
        return False
    if question.treatments:
        named = [_names(idea, sentence) for idea in question.treatments]
        if not any(named) or (_JOINED.search(question.analysis.question) is not None and not all(named)):
            return False
        if document.study_design in directive and all(is_who_alone(sentence, idea) for idea in question.treatments):
            return False
        if question.comparators and not any(speaks_of(sentence, idea) for idea in question.comparators):
            return False
    if question.contrast is not None and not tells_both(question.contrast, sentence):
        return False
    if question.stops and not tells_of_stopping(sentence):
        return False
    if question.target is not None and not is_named(question.target, sentence):
        return False
    if question.asks_for_dose:
        return any(q.kind is QuantityKind.DOSE for q in find_quantities(sentence))
    if question.outcomes and (question.treatments or question.target is not None) and not question.asks_for_knowledge:
        return any(names_outcome(sentence, outcome) for outcome in question.outcomes)
    return _tells_everything(question, strategy, document, sentence)


_JOINED = re.compile(r"\bplus\b|\+|\bcombined with\b|\btogether with\b", re.IGNORECASE)


def _gave_another_dose(question: Question, document: EvidenceCandidate) -> bool:
    """Whether the arms of a source give the treatment asked about, and in other doses alone."""
    if not question.doses:
        return False
    given = [doses_of(arm.name, question.treatments) for arm in document.arms]
    told = frozenset().union(*given)
    return bool(told) and not share_a_dose(told, question.doses)


def is_who_alone(text: str, idea: Idea) -> bool:
    """Whether a text names a procedure only to say for whom it is: iron "on peritoneal dialysis"."""
    names = {name.casefold() for name in (*idea.names, idea.term)}
    mentions = [
        t
        for t in find_terms(text)
        if t.kind is EntityKind.PROCEDURE and ({t.name.casefold(), t.text.casefold()} & names)
    ]
    return bool(mentions) and all(_BEING_ON.search(text[: t.start]) for t in mentions)


_BEING_ON = re.compile(r"\bon\s+(?:[\w-]+\s+)?$", re.IGNORECASE)


def _names(idea: Idea, sentence: str) -> bool:
    """Whether a sentence names the treatment as given: "not on dialysis" does not."""
    if not is_named_in(sentence, idea):
        return False
    own = [t for t in find_terms(sentence) if t.name.casefold() in idea.names]
    return not own or not all(is_absent_at(sentence, t.start, t.end) for t in own)


def _tells_everything(question: Question, strategy: SearchStrategy, document: EvidenceCandidate, sentence: str) -> bool:
    """Whether sentence and title hold every concept and every telling word of the question, most of them the sentence.

    What something is, what causes it or how it is found is answered by no sentence about its treatment.
    """
    given = any(term.kind is EntityKind.DRUG for idea in question.treatments for term in find_terms(idea.term))
    if given and not question.people and not question.unread:
        given = False  # what a drug is, is told by no trial of it
    if not holds(f"{document.title} {sentence}", question.unread):
        return False
    if not question.treatments and question.target is None:
        sentence = _BESIDES.sub("", sentence)
        if _sets_durations_apart(sentence) and not _sets_durations_apart(question.analysis.question):
            return False  # how long something is given tells of no treatment what it is
    if not given and question.asks_for_knowledge and _is_of_treatment(sentence, document):
        return False
    here, whole = searchable((sentence,)), searchable((document.title, sentence))
    blocks = [b for b in strategy.blocks if not b.negated and not _is_people(b) and not _is_dosing(b)]
    if not any(concept.kind or concept.headings for block in blocks for concept in block.concepts):
        return False  # nothing that any list knows is asked about
    told = sum(meets_block(here, block, broad=False) for block in blocks)
    if told < max(1, len(blocks) - 1) or not all(meets_block(whole, block, broad=False) for block in blocks):
        return False
    return unsaid(question, strategy, f"{document.title} {sentence}") == frozenset()


_BESIDES = re.compile(
    r"\b(?:together with|in addition to|besides|along with|alongside|on top of|added to|an? adjunct to|combined with)\b"
    r"[^,;.]*(?:,[^,;.]*\b(?:and|or)\s[^,;.]*)?",
    re.IGNORECASE,
)
"""What is named beside what a sentence is about: of it the sentence tells nothing."""


_HOW_LONG = re.compile(r"\b(?:how long|duration|days|weeks|months|short\w*|long\w*)\b", re.IGNORECASE)


_COURSE = re.compile(
    r"\b(?:with|after|of|than|for)\s+(?:only\s+)?\d+[ -](?:days?|weeks?|months?)\s+of\s+(?:\w+\s+){0,2}"
    r"(?:antibiotics?|treatment|therapy|drugs?|course)\b",
    re.IGNORECASE,
)


def _sets_durations_apart(text: str) -> bool:
    """Whether a text compares how long something is given; a question, whether it asks how long."""
    if text.rstrip().endswith("?"):
        return _HOW_LONG.search(text) is not None
    if _COURSE.search(text):
        return True
    given = [q for q in find_quantities(text) if q.kind is QuantityKind.DURATION]
    return any(
        a.value != b.value and re.search(r"\b(?:than|versus|vs|to|or|against)\b", text[a.end : b.start])
        for a, b in pairwise(given)
    )


def _is_of_treatment(sentence: str, document: EvidenceCandidate) -> bool:
    drugs = any(term.kind is EntityKind.DRUG for term in find_terms(sentence))
    return drugs or document.study_design in {StudyDesign.RCT, StudyDesign.CLINICAL_TRIAL, StudyDesign.GUIDELINE}


def unsaid(question: Question, strategy: SearchStrategy, text: str) -> frozenset[str]:
    """Tokens of the question's words that no slot or block took, that say something, and that a text does not have."""
    who = token_set(" ".join(term.text for term in question.people))
    names = token_set(" ".join(idea.term for idea in (*question.treatments, *question.comparators)))
    blocks = tuple(b for b in strategy.blocks if not b.negated)
    whose = _of_guidance(question.analysis.question) if question.asks_for_guideline else frozenset()
    return _telling_words(question.analysis.question, blocks) - who - names - whose - token_set(text)


@lru_cache(maxsize=512)
def _of_guidance(question: str) -> frozenset[str]:
    """Tokens of the words that ask for guidance, and of those that say whose: "according to Nigerian guidelines"."""
    asking = (match[0] for match in guideline_cue().finditer(question))
    named = (question[one.start : one.end] for one in (*countries_in(question), *bodies_placed(question)))
    return token_set(" ".join((*asking, *named)))


@lru_cache(maxsize=512)
def _telling_words(question: str, blocks: tuple[SearchBlock, ...]) -> frozenset[str]:
    """Tokens of words that no block covers and that are not everyday words of abstracts."""
    covered = token_set(" ".join(name for b in blocks for c in b.concepts for name in (c.name, *c.names()[:3])))
    words_ = (m[0] for m in _WORD.finditer(question))
    told = token_set(" ".join(word for word in words_ if information(word) > NOTHING))
    return told - covered - COMMON_TOKENS


def names_outcome(sentence: str, asked: Outcome) -> bool:
    """Whether a sentence names the outcome, or one that is it, a kind of it, or a composite with it."""
    if _is_had(sentence, asked):
        return False
    told = read_outcome(sentence)
    if fit_of(told, asked) in NEAR:
        return True
    things = {thing for atom in told.atoms for thing in atom.things}
    said = token_set(sentence).union(*(atom.words for atom in told.atoms))
    # Of an outcome that no list knows, its words have to be there: nothing that it names is no sign that it is named.
    return all(atom.things <= things if atom.things else atom.words and atom.words <= said for atom in asked.atoms)


def _is_had(sentence: str, asked: Outcome) -> bool:
    """Whether a sentence names a disease that is asked about only as one that people have: "first-line treatment for
    type 2 diabetes" tells of nobody who gets it."""
    ids = {thing.mesh_id for atom in asked.atoms for thing in atom.things if thing.mesh_id is not None}
    diseases = [t for t in find_terms(sentence) if t.kind is EntityKind.DISEASE]
    mentions = [t for t in diseases if any(mesh.is_same_or_kind(t.mesh_id, one) for one in ids)]
    return bool(mentions) and all(
        _HAD.search(sentence[: t.start]) and not is_counted(sentence, t.start, t.end) for t in mentions
    )


_HAD = re.compile(r"\b(?:with|(?:treatment|therapy|management|drug)s? (?:for|of))\s+(?:[\w-]+\s+){0,2}$", re.IGNORECASE)
