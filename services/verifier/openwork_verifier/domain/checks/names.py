"""Drugs, diseases and populations that a claim names must be in the cited passages, by name or recognised synonym."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from openwork_contracts.question import EntityKind
from openwork_contracts.verdict import ReasonCode
from openwork_knowledge.inn import inn_words
from openwork_knowledge.patterns import pattern
from openwork_knowledge.tables import table, words
from openwork_language.effects.find import Direction, find_effects
from openwork_language.terms import find_terms
from openwork_language.tokens import fold, stem
from openwork_language.wording import concept_of, concepts, is_common, is_writers_word, near_match

from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.naming import as_printed, is_named_in, passage_terms
from openwork_verifier.domain.passages import Passage
from openwork_verifier.domain.support import Support
from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds

_SIGNED = frozenset({Direction.LOWER, Direction.HIGHER, Direction.BETTER, Direction.WORSE})
"""Of these the outcome is told apart well enough; not of "as effective as"."""
_CODES = {
    EntityKind.DRUG: ReasonCode.DRUG_NOT_FOUND,
    EntityKind.DISEASE: ReasonCode.DISEASE_NOT_FOUND,
}
_HUMANS_BY_ANY_WORD = "humans, by any word"
_HUMANS = re.compile(rf"\b{pattern('populations', _HUMANS_BY_ANY_WORD)}\b", re.IGNORECASE)
_POPULATIONS = {
    name: re.compile(rf"\b{pattern('populations', name)}\b", re.IGNORECASE)
    for name in table("populations").groups()
    if name != _HUMANS_BY_ANY_WORD
}
_RELATIONS = table("population-relations").rows
_IMPLIED = {
    name: {other for one, other, how in _RELATIONS if one == name and how == "implies"} for name in _POPULATIONS
}
_EXCLUSIVE = tuple((one, other) for one, other, how in _RELATIONS if how == "excludes")
# Outcomes that matter to patients, each with the words that say the same; diseases among them are found as diseases.
_OUTCOMES = tuple(
    tuple(concept_of(stem(word)) for word in words("patient-outcomes", group))
    for group in table("patient-outcomes").groups()
)
_NO_OUTCOME = re.compile(
    r"\bhospitals?\b(?!\s+(?:stays?|admissions?|days|length))|\bsurviv\w+(?=\s+(?:adjust|the\s+adjust|correct|multivar))",
    re.IGNORECASE,
)
"""A place; a link that an adjustment leaves."""
_OF_MEN = re.compile(r"\b(?:prostat|testic|erectile|penile|sperm)\w*", re.IGNORECASE)
_OF_WOMEN = re.compile(
    r"\b(?:pregnan|ovarian|cervical\s+(?:cancer|screening|smear)|endometri|uter(?:us|ine)|gyn(?:a?e)colog|lactat)\w*",
    re.IGNORECASE,
)
_SHORT = 2
_GENERIC = frozenset(concept_of(word) for word in words("empty-words", "outcome"))


def check_names(
    text: str, passages: Sequence[Passage], support: Support, thresholds: GateThresholds = THRESHOLDS
) -> tuple[Finding, ...]:
    """Findings for names of the claim that no cited passage holds."""
    cited = ", ".join(f"[{p.item.n}]" for p in passages)
    restated = bool(support.sentences) and support.sentences[0].share >= thresholds.same_sentence_share
    missing: dict[tuple[ReasonCode, str], None] = {}
    for term in find_terms(text):
        code = _CODES.get(term.kind)
        if code is None or is_named_in(term, passages):
            continue
        if term.kind is EntityKind.DRUG or restated or _names_another_disease(text, passages):
            missing.setdefault((code, term.text.lower()))
    present = frozenset().union(*(p.words for p in passages)) if passages else frozenset()
    for match in inn_words(fold(text)):
        if concept_of(stem(match.group())) not in present and not any(
            term.text.lower() == match.group() for term in find_terms(text)
        ):
            missing.setdefault((ReasonCode.DRUG_NOT_FOUND, match.group()))
    reasons = [Finding(code, f"{name!r} is not in {cited}") for code, name in missing]
    claimed = concepts(_NO_OUTCOME.sub(" ", text))
    reasons += [
        Finding(ReasonCode.OUTCOME_NOT_FOUND, f"{as_printed(claimed & set(group), text)!r} is not in {cited}")
        for group in _OUTCOMES
        if claimed & set(group) and not present & set(group)
    ]
    reasons += [
        Finding(ReasonCode.POPULATION_NOT_FOUND, f"{name!r} is not in {where}")
        for name, where in _missing_populations(text, passages, support, cited, thresholds)
    ]
    return tuple(reasons)


def check_outcomes(text: str, passages: Sequence[Passage]) -> tuple[Finding, ...]:
    """A finding for effects of whose outcomes no cited passage speaks: the same drugs, something else measured.

    A matter of wording, since outcomes have many names: one word of one of them in a passage, or a name for it, is
    enough.
    """
    terms = find_terms(text)
    arms = frozenset().union(*(concepts(t.text) for t in terms if t.kind is not EntityKind.DISEASE))
    effects = (e for e in find_effects(text) if e.net in _SIGNED)
    outcomes = [outcome for effect in effects if (outcome := _meanings(effect.outcome) - arms)]
    present = frozenset().union(*(p.words for p in passages))
    named = frozenset().union(*(concepts(t.text) for t in terms if is_named_in(t, passages)))
    measured = frozenset(w for w in frozenset().union(*outcomes) if _can_be_measured(w))
    if not measured or any(word in present or word in named or near_match(word, present) for word in measured):
        return ()
    where = ", ".join(f"[{p.item.n}]" for p in passages)
    detail = f"nothing of the outcome ({as_printed(measured, text)}) is in {where}"
    return (Finding(ReasonCode.CONTENT_NOT_FOUND, detail),)


def _can_be_measured(word: str) -> bool:
    """ "Good", "third", "figure" and numbers tell no outcome."""
    return not (any(c.isdigit() for c in word) or is_common(word) or is_writers_word(word)) and len(word) > _SHORT


def _meanings(tokens: frozenset[str]) -> frozenset[str]:
    """Concepts of tokens, without those that fit every outcome."""
    return frozenset(concept_of(t) for t in tokens) - _GENERIC


def _names_another_disease(text: str, passages: Sequence[Passage]) -> bool:
    """Whether a passage is about a disease that the claim does not name.

    A passage without one ("Most recovered within two weeks") leaves the disease to its context; that words are
    missing there weighs in the wording, not here.
    """
    mine = {term.name for term in find_terms(text)}
    return any(
        term.kind is EntityKind.DISEASE and term.name not in mine
        for passage in passages
        for term in passage_terms(passage.item.title, passage.item.text)
    )


def _missing_populations(
    text: str, passages: Sequence[Passage], support: Support, cited: str, thresholds: GateThresholds
) -> list[tuple[str, str]]:
    """Groups the claim is about and its source is not: nowhere in it, or the opposite group in the very sentence."""
    claimed = _groups(text)
    if not claimed:
        return []
    sources = " ".join(f"{p.item.title} {p.item.text}" for p in passages)
    present = set(_groups(sources, implied=True)) | ({"men"} if _OF_MEN.search(sources) else set())
    present |= {"women"} if _OF_WOMEN.search(sources) else set()
    if not present & {"children", "infants", "adolescents", "animals"}:
        # Patients of whom nothing is said are adults.
        present.add("adults")
    if "animals" not in present or _HUMANS.search(sources):
        present.add("patients")
    missing = [(name, cited) for name in sorted(claimed) if name not in present]
    if missing or not support.sentences or support.sentences[0].share < thresholds.same_sentence_share:
        return missing
    best = support.sentences[0]
    here = _groups(best.sentence.text, implied=True)
    for one, other in (*_EXCLUSIVE, *(pair[::-1] for pair in _EXCLUSIVE)):
        if one in claimed and one not in here and other in here and other not in claimed:
            missing.append((one, f"the sentence of [{best.passage.item.n}] about {other}"))
    return missing


@lru_cache(maxsize=2048)
def _groups(text: str, *, implied: bool = False) -> frozenset[str]:
    found = {name for name, named in _POPULATIONS.items() if named.search(text)}
    return frozenset(found.union(*(_IMPLIED[name] for name in found)) if implied else found)
