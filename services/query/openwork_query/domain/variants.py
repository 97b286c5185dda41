"""Different wordings of a question for search engines.

Each names every entity in some form: as asked, by its preferred name (MeSH), by its best known synonym, with words that
find the kind of study that answers such a question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.question import Abbreviation, Entity, Intent, Pico
from openwork_knowledge.folding import is_acronym
from openwork_knowledge.tables import words
from openwork_language.terms import generic_name, same_term

from openwork_query.domain.thresholds import THRESHOLDS

MIN_VARIANTS = 3
MAX_VARIANTS = 5
_WORD = re.compile(r"[^\W_](?:[^\W_]|[-'’/.](?=[^\W_]))*")
_CODE = re.compile(r"\d{3}")
"""A development code such as BMS-562247, or a chemical number."""
_EMPTY_WORDS = frozenset(words("stop_words", "wording"))


def search_variants(
    question: str, intent: Intent, entities: Sequence[Entity], abbreviations: Sequence[Abbreviation], pico: Pico
) -> tuple[str, ...]:
    """Three to five wordings, all different when case is ignored."""
    distinct = _first_mentions(entities)
    context = _context_words(question, entities, abbreviations)
    first, second, third = words("intents", f"kind of study: {intent.value}")
    outcome = [o for o in pico.outcome if not any(o.casefold() == e.text.casefold() for e in distinct)][:1]
    candidates = [
        _join([e.text for e in distinct], context),
        _join([_preferred(e) for e in distinct], [*context[:5], first]),
        _join([_synonym(e, 0) for e in distinct], [*context[:5], *outcome, second]),
        _join([_preferred(e) for e in distinct], [*context, *outcome]),
        _join([_synonym(e, 1) for e in distinct], [*context[:5], third]),
        _join([e.text for e in distinct], [*context[:5], third]),
        question.rstrip(" ?.!"),
    ]
    if not distinct:
        candidates.insert(0, question.rstrip(" ?.!"))
    return _distinct(candidates, question)


def _first_mentions(entities: Sequence[Entity]) -> list[Entity]:
    """One entity per name, where it is named first."""
    seen: dict[str, Entity] = {}
    for entity in entities:
        seen.setdefault(entity.name, entity)
    return list(seen.values())


def _preferred(entity: Entity) -> str:
    """The preferred name; the asker's words where that name is of something wider (a rare kind of a disease)."""
    return entity.name if same_term(entity.text, entity.name) else entity.text


def _synonym(entity: Entity, i: int) -> str:
    """The i-th spelt-out synonym, or the nearest there is."""
    if not same_term(entity.text, entity.name):
        return (entity.text, entity.name)[i % 2]
    # Brand names find fewer studies than the generic name, and short forms are ambiguous outside the question.
    spelt_out = [s for s in entity.synonyms if not (is_acronym(s) or _CODE.search(s) or generic_name(s))]
    return spelt_out[min(i, len(spelt_out) - 1)] if spelt_out else entity.name


def _context_words(question: str, entities: Sequence[Entity], abbreviations: Sequence[Abbreviation]) -> list[str]:
    """The telling words of the question outside its entities, short forms spelt out, in order."""
    long_forms = {a.short: "" if a.defined_in_question else a.long for a in abbreviations}
    found: dict[str, str] = {}
    for match in _WORD.finditer(question):
        inside = any(e.start <= match.start() < e.end for e in entities)
        if inside or match[0].lower() in _EMPTY_WORDS:
            continue
        word = long_forms.get(match[0], match[0])
        if word:
            found.setdefault(word.casefold(), word)
    return list(found.values())[: THRESHOLDS.max_context_words]


def _join(names: Sequence[str], words: Sequence[str]) -> str:
    """Names, then the words they do not hold already."""
    parts: dict[str, str] = {}
    for part in (*names, *words):
        parts.setdefault(part.casefold(), part)
    return " ".join(parts.values())


def _distinct(candidates: Sequence[str], question: str) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for candidate in candidates:
        text = " ".join(candidate.split())
        if text:
            seen.setdefault(text.casefold(), text)
    chosen = list(seen.values())[:MAX_VARIANTS]
    plain = question.rstrip(" ?.!") or question
    for ending in ("review", "study", "evidence"):  # a question of one word leaves too few different wordings
        if len(chosen) >= MIN_VARIANTS:
            break
        text = f"{plain} {ending}"
        if text.casefold() not in {c.casefold() for c in chosen}:
            chosen.append(text)
    return tuple(chosen)
