"""What a sentence denies, and words that are each other's opposite: where two texts on one subject may disagree."""

from __future__ import annotations

import re
from functools import lru_cache

from openwork_language.effects.words import CLAUSE_BREAK, NEGATION
from openwork_language.tokens import fold, stem

from openwork_verifier.domain.wording import concept_of, concepts

_SCOPE_WORDS = 6
"""A negation reaches this many words, or to the end of its clause."""
# Opposites of general medical English; directions of effects ("higher", "lower") are `openwork_language.effects.find`.
_OPPOSITE = """
positive negative|effective ineffective|efficacious ineffective|present absent|presence absence|safe unsafe|safe harmful
safe dangerous|necessary unnecessary|sufficient insufficient|acute chronic|high low|active inactive|active passive
upregulate downregulate|agonist antagonist|gain loss|common rare|common uncommon|frequent rare|early late|major minor
activate inhibit|activate inactivate|activator inhibitor|stimulate inhibit|promote inhibit|induce suppress
enhance inhibit
promote prevent|cause prevent|increase decrease|increase reduce|accelerate slow|symptomatic asymptomatic|all none
dependent independent|possible impossible|likely unlikely|similar different|identical distinct|better worse
improve worsen|protective harmful|beneficial harmful|survive die|mild severe|benign malignant|fast slow|strong weak
more less|more fewer|long short|before after|succeed fail|success failure|accept reject|agree disagree|stable unstable
mature immature|normal abnormal|adequate inadequate|sensitive resistant|sensitive insensitive|permanent temporary
reversible irreversible|complete incomplete|primary secondary|proximal distal|anterior posterior|maternal paternal
alone combined|single multiple|maximal minimal|superior inferior|hyperglycemia hypoglycemia|hypertension hypotension
"""
_PAIRS = [line.split() for part in _OPPOSITE.split("|") for line in part.strip().splitlines()]


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in _PAIRS:
        a, b = stem(one), stem(other)
        found.setdefault(a, set()).add(b)
        found.setdefault(b, set()).add(a)
    return {word: frozenset(others) for word, others in found.items()}


_OPPOSITES = _opposites()
_WORD = re.compile(r"[a-z]+")


@lru_cache(maxsize=8192)
def denied(text: str) -> frozenset[str]:
    """Concepts within reach of a negation."""
    found: set[str] = set()
    for match in NEGATION.finditer(text):
        if match.group() == "NO":
            continue
        reach = CLAUSE_BREAK.split(text[match.end() : match.end() + 120].lstrip(), maxsplit=1)[0]
        found |= concepts(" ".join(reach.split()[:_SCOPE_WORDS]))
    return frozenset(found)


@lru_cache(maxsize=8192)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(fold(text)))


def turned_words(claim: str, sentence: str) -> frozenset[str]:
    """Words of the claim, as concepts, whose opposite the sentence holds while it does not hold the word itself."""
    mine, theirs = _stems(claim), _stems(sentence)
    return frozenset(
        concept_of(word)
        for word in mine - theirs
        if (others := _OPPOSITES.get(word)) and others & theirs and not others & mine
    )
