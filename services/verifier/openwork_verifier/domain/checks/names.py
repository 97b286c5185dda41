"""Drugs, diseases and populations that a claim names must be in the cited passages, by name or recognised synonym."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from openwork_contracts.question import EntityKind
from openwork_contracts.verdict import ReasonCode, VerdictReason
from openwork_knowledge.inn import inn_words
from openwork_language.effects.find import Direction, find_effects
from openwork_language.terms import find_terms
from openwork_language.tokens import fold, stem

from openwork_verifier.domain.alignment import meanings
from openwork_verifier.domain.naming import is_held, passage_terms
from openwork_verifier.domain.passages import Passage
from openwork_verifier.domain.support import Support
from openwork_verifier.domain.wording import concept_of, concepts, near_match

_SIGNED = frozenset({Direction.LOWER, Direction.HIGHER, Direction.BETTER, Direction.WORSE})
"""Of these the outcome is told apart well enough; not of "as effective as"."""
_CODES = {
    EntityKind.DRUG: ReasonCode.DRUG_NOT_FOUND,
    EntityKind.DISEASE: ReasonCode.DISEASE_NOT_FOUND,
}
_POPULATIONS: dict[str, tuple[re.Pattern[str], frozenset[str]]] = {
    name: (re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), frozenset({name, *implied}))
    for name, pattern, implied in (
        ("children", r"child(?:ren|hood)?|pa?ediatrics?|schoolchildren|boys?|girls?|kids", ()),
        ("adolescents", r"adolescen(?:ts?|ce)|teen(?:agers?|s)?|youths?", ("children",)),
        ("infants", r"infants?|infancy|neonat(?:es?|al)|newborns?|bab(?:y|ies)|preterm", ("children",)),
        (
            "older people",
            r"elderly|older (?:adults|people|patients|persons|women|men|individuals)|aged (?:6[05]|7\d|8\d)|geriatric",
            ("adults",),
        ),
        ("adults", r"adults?", ()),
        ("women", r"wom[ae]n|females?|girls?|mothers?|postmenopausal|maternal", ()),
        ("men", r"m[ae]n|males?|boys?|fathers?", ()),
        ("pregnant women", r"pregnan(?:t|cy|cies)|gestation(?:al)?|antenatal|prenatal", ("women",)),
        (
            "animals",
            r"mice|mouse|murine|rats?|animals?|rodents?|rabbits?|pigs?|porcine|canine|dogs?|primates?|monkeys?|zebrafish",
            (),
        ),
        ("healthy people", r"healthy (?:volunteers?|adults?|people|subjects|participants|individuals|controls?)", ()),
        ("patients", r"patients?", ("humans",)),
    )
}  # fmt: skip
_EXCLUSIVE = (
    ("women", "men"),
    ("children", "adults"),
    ("children", "older people"),
    ("patients", "animals"),
    ("infants", "adults"),
)
_HUMANS = re.compile(
    r"\b(?:patients?|people|persons?|participants?|adults?|m[ae]n|wom[ae]n|child(?:ren)?|infants?|individuals?|volunteers?|humans?|cases|"
    r"subjects?|residents?|users?|clinical|population|cohort|cancer|women's)\b",
    re.IGNORECASE,
)
# Outcomes that matter to patients, each with the words that say the same; diseases among them are found as diseases.
_OUTCOMES = tuple(
    tuple(concept_of(stem(word)) for word in group.split())
    for group in (
        "mortality survival",
        "hospitalization readmission",
        "fracture",
        "relapse remission",
        "disability independence",
        "transplantation",
        "amputation",
    )
)
# How much of a claim one sentence must hold for its population to be the claim's, as a share of the claim's content.
_SAME_SENTENCE_SHARE = 0.7


def check_names(text: str, passages: Sequence[Passage], support: Support) -> tuple[VerdictReason, ...]:
    """Findings for names of the claim that no cited passage holds."""
    cited = ", ".join(f"[{p.item.n}]" for p in passages)
    restated = bool(support.rest) and support.rest[0].share >= _SAME_SENTENCE_SHARE
    missing: dict[tuple[ReasonCode, str], None] = {}
    for term in find_terms(text):
        code = _CODES.get(term.kind)
        if code is None or is_held(term, passages):
            continue
        if term.kind is EntityKind.DRUG or restated or _names_another_disease(text, passages):
            missing.setdefault((code, term.text.lower()))
    held = frozenset().union(*(p.words for p in passages)) if passages else frozenset()
    for match in inn_words(fold(text)):
        if concept_of(stem(match.group())) not in held and not any(
            term.text.lower() == match.group() for term in find_terms(text)
        ):
            missing.setdefault((ReasonCode.DRUG_NOT_FOUND, match.group()))
    reasons = [VerdictReason(code=code, detail=f"{name!r} is not in {cited}") for code, name in missing]
    claimed = concepts(text)
    reasons += [
        VerdictReason(code=ReasonCode.OUTCOME_NOT_FOUND, detail=f"{word!r} is not in {cited}")
        for group in _OUTCOMES
        for word in group[:1]
        if claimed & set(group) and not held & set(group)
    ]
    reasons += [
        VerdictReason(code=ReasonCode.POPULATION_NOT_FOUND, detail=f"{name!r} is not in {where}")
        for name, where in _missing_populations(text, passages, support, cited)
    ]
    return tuple(reasons)


def check_outcomes(text: str, passages: Sequence[Passage]) -> tuple[VerdictReason, ...]:
    """A finding for effects of whose outcomes no cited passage speaks: the same drugs, something else measured.

    A matter of wording, since outcomes have many names: one word of one of them in a passage, or a name for it, is
    enough.
    """
    terms = find_terms(text)
    arms = frozenset().union(*(concepts(t.text) for t in terms if t.kind is not EntityKind.DISEASE))
    effects = (e for e in find_effects(text) if e.net in _SIGNED)
    outcomes = [outcome for effect in effects if (outcome := meanings(effect.outcome) - arms)]
    held = frozenset().union(*(p.words for p in passages))
    named = frozenset().union(*(concepts(t.text) for t in terms if is_held(t, passages)))
    words = frozenset().union(*outcomes)
    if not words or any(word in held or word in named or near_match(word, held) for word in words):
        return ()
    where = ", ".join(f"[{p.item.n}]" for p in passages)
    detail = f"nothing of the outcome ({', '.join(sorted(words))}) is in {where}"
    return (VerdictReason(code=ReasonCode.CONTENT_NOT_FOUND, detail=detail),)


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


def _missing_populations(text: str, passages: Sequence[Passage], support: Support, cited: str) -> list[tuple[str, str]]:
    """Groups the claim is about and its source is not: nowhere in it, or the opposite group in the very sentence."""
    claimed = _groups(text)
    if not claimed:
        return []
    sources = " ".join(f"{p.item.title} {p.item.text}" for p in passages)
    held = set(_groups(sources, implied=True))
    if not held & {"children", "infants", "adolescents", "animals"}:
        # Patients of whom nothing is said are adults.
        held.add("adults")
    if "animals" not in held or _HUMANS.search(sources):
        held.add("patients")
    missing = [(name, cited) for name in claimed if name not in held]
    if missing or not support.rest or support.rest[0].share < _SAME_SENTENCE_SHARE:
        return missing
    best = support.rest[0]
    here = _groups(best.sentence.text, implied=True)
    for one, other in (*_EXCLUSIVE, *(pair[::-1] for pair in _EXCLUSIVE)):
        if one in claimed and one not in here and other in here and other not in claimed:
            missing.append((one, f"the sentence of [{best.passage.item.n}] about {other}"))
    return missing


@lru_cache(maxsize=2048)
def _groups(text: str, *, implied: bool = False) -> frozenset[str]:
    found = {name for name, (pattern, _) in _POPULATIONS.items() if pattern.search(text)}
    return frozenset(found.union(*(_POPULATIONS[name][1] for name in found)) if implied else found)
