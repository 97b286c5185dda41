"""Names and things that a claim speaks of and no cited passage does: genes, organisms, what was given, what acts.

The lexicon knows names (`names`); here is what it does not know, told by its shape or by the place where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from openwork_contracts.verdict import ReasonCode
from openwork_knowledge.tables import words
from openwork_language.effects.words import CUE
from openwork_language.terms import find_terms
from openwork_language.tokens import fold
from openwork_language.wording import concepts, is_common, is_writers_word, near_match

from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.frequencies import rarity
from openwork_verifier.domain.naming import is_named_in
from openwork_verifier.domain.passages import Passage, expanded

_SYMBOL = re.compile(r"(?<![\w.-])(?=[\w-]*[A-Z])(?:[A-Za-z]{1,8}\d{1,4}[A-Za-z]?\d*|[A-Z]{3,6})(?![\w.]*\w)")
"""TP53, BRCA2, H5N1, KRAS."""
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_PROPER_NOUN = re.compile(rf"(?<=[a-z,;] )(?!(?:{_MONTHS}|Medicare)\b)[A-Z][a-z]{{3,}}\b(?![ -][A-Z])")
_NAME_CHARS = 4
_COUNTRIES = tuple(tuple(names.split("; ")) for names in words("country-names", "names"))
_NOT_SYMBOLS = frozenset(words("edit-words", "no_symbol"))
_GIVEN = re.compile(
    r"\b(?:given|giving|received|receiving|receives|taking|took|takes|treated\s+with|treatment\s+with|therapy\s+with|administered|"
    r"supplemented\s+with|vaccinated\s+with|(?:randomi[sz]ed|assigned|allocated)\s+to(?:\s+receive)?|eating|ate|drinking|drank|versus|than\s+with|"
    r"compared\s+with|or\s+with)\s+(?:either\s+|only\s+|just\s+)?(?P<what>(?:(?:a|an|the|daily|oral|their|some|more|high|low|extra|additional)\s+)*[A-Za-z][\w-]+(?:\s+[A-Za-z][\w-]+)?)",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:was|were|is|are|had|has|have|did|does|do|led|may|might|can|could|will|showed|occurred)\b", re.IGNORECASE
)
_SHORT_NAME = re.compile(r"[^().;]{0,60}\(([A-Za-z][\w-]*?)s?\)")
_DETERMINERS = re.compile(
    r"^(?:(?:a|an|the|daily|oral|their|some|more|high|low|extra|additional|none|no|neither|both|all|most|many|few|several|of|those|these|this|that|it|they|there|who|what|one|two|three)\s+)+",
    re.IGNORECASE,
)
_SUBJECT_WORDS = 4
_SHORT_NAME_CHARS = 6
_RARE = 0.75
"""Rarity from which a word names something; everyday words have many others for them."""


def check_things(text: str, passages: Sequence[Passage]) -> tuple[Finding, ...]:
    """A finding for a name, an intervention or a subject of which nothing is in the cited passages."""
    where = ", ".join(f"[{p.item.n}]" for p in passages)
    for match in _SYMBOL.finditer(text):
        name = match.group()
        if name.upper() not in _NOT_SYMBOLS and not _is_printed(name, passages) and not _is_defined(name, passages):
            return (Finding(ReasonCode.ENTITY_NOT_FOUND, f"{name!r} is not in {where}"),)
    for match in _PROPER_NOUN.finditer(text):
        starts = {name[:_NAME_CHARS] for name in _other_names(match.group().lower())}
        if not any(start in p.folded for p in passages for start in starts) and not find_terms(match.group()):
            return (Finding(ReasonCode.ENTITY_NOT_FOUND, f"{match.group()!r} is not in {where}"),)
    for what in _slots(text):
        if _is_absent(what, passages):
            return (Finding(ReasonCode.INTERVENTION_NOT_FOUND, f"{what!r} is not in {where}"),)
    return ()


def _other_names(place: str) -> tuple[str, ...]:
    """A word and what else a country is called: "dutch", "netherlands"."""
    return next((names for names in _COUNTRIES if place in names), (place,))


def _slots(text: str) -> Iterator[str]:
    """What is given or compared, and the subject."""
    for match in _GIVEN.finditer(text):
        short = _SHORT_NAME.match(text, match.end())
        yield f"{match['what']} {short[1]}" if short else match["what"]
    ends = [m.start() for m in (_VERB.search(text), CUE.search(text)) if m]
    subject = text[: min(ends)].strip() if ends else ""
    if subject and len(subject.split()) <= _SUBJECT_WORDS and "," not in subject:
        yield subject


def _is_printed(name: str, passages: Sequence[Passage]) -> bool:
    bare = re.sub(r"[^a-z0-9]", "", fold(name))
    return any(bare in p.squeezed for p in passages)


def _is_defined(name: str, passages: Sequence[Passage]) -> bool:
    """Whether the letters are the initials of words that stand together in a passage."""
    letters = [letter.lower() for letter in name if letter.isalpha()]
    if len(letters) < 2 or any(c.isdigit() for c in name):
        return False
    pattern = re.compile(r"\b" + r"\w*[\s-]+(?:(?:of|and|the|for|in|with|to)\s+)?".join(letters), re.IGNORECASE)
    return any(pattern.search(f"{p.item.title}\n{p.item.text}") for p in passages)


def _is_absent(what: str, passages: Sequence[Passage]) -> bool:
    """Whether a phrase begins with a specific word, and no passage has one of them or another name for it."""
    first = next(iter(re.findall(r"[A-Za-z][\w-]*", _DETERMINERS.sub("", what))), "")
    specific = {w for w in concepts(what) if _is_specific(w)}
    if not specific or not concepts(first) & specific or any(is_named_in(term, passages) for term in find_terms(what)):
        return False
    present = frozenset().union(*(p.words for p in passages))
    defined = tuple(d for p in passages for d in p.defined)
    if expanded(concepts(what), defined) & present & {w for w in concepts(what) if len(w) <= _SHORT_NAME_CHARS}:
        return False
    return not expanded(frozenset(specific), defined) & present and not any(near_match(w, present) for w in specific)


def _is_specific(word: str) -> bool:
    return not (is_common(word) or is_writers_word(word) or any(c.isdigit() for c in word)) and rarity(word) >= _RARE
