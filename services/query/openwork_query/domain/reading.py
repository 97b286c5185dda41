"""The question as the rules of its intent read it: what is named becomes a mark, what is left are its words.

A name's own words say nothing of what is asked: `receptor` in "angiotensin receptor blockers", `resistant` in
"treatment-resistant depression". So "Can beta-blockers be used in asthma?" is read as "Can §t be used in §d?".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from openwork_contracts.question import Entity, EntityKind
from openwork_knowledge.notation import any_of, group
from openwork_knowledge.tables import words

TREATMENT = "§t"
"""A drug, or a procedure that treats."""
TEST = "§x"
"""A procedure that finds or measures."""
DISEASE = "§d"
HARM = "§h"
"""A condition that is more often the harm of a drug than what the drug is given for."""


@cache
def cue(*groups: str) -> re.Pattern[str]:
    """Whole words of some groups of `intents.tsv`."""
    return re.compile(rf"(?<![\w§]){group('intents', *groups)}(?!\w)", re.IGNORECASE)


@cache
def _no_treatment() -> re.Pattern[str]:
    """Against placebo or usual care, where nothing is set against the treatment."""
    against = r"(?:vs\.?|versus|(?:as )?compared (?:with|to|against)|in comparison (?:with|to)|than|to|against|over)"
    nothing = any_of(words("comparators", "no_intervention"))
    return re.compile(rf"\b{against}\s+(?:(?:an?|the)\s+)?{nothing}\b", re.IGNORECASE)


def skeleton(question: str, entities: Sequence[Entity]) -> str:
    """The question with a mark for each disease, drug and procedure, without a comparator that is no treatment.

    Kept in their own words: screening, people whom a label names for themselves ("breastfeeding"), substances of the
    body that are not given ("insulin signalling").
    """
    parts: list[str] = []
    at = 0
    for entity in sorted(entities, key=lambda e: e.start):
        if entity.start >= at:
            substance = _of_a_substance().match(question, entity.end)
            parts += (question[at : entity.start], entity.text if substance else _mark(entity))
            at = entity.end
    marked = _class_of_drugs().sub(TREATMENT, "".join((*parts, question[at:])))
    return _no_treatment().sub(" ", marked)


@cache
def _class_of_drugs() -> re.Pattern[str]:
    """A class by the form of its name, which no lexicon need have: "endothelin receptor antagonists"."""
    acts_on, kind = group("intents", "what a class acts on"), group("intents", "class of drugs")
    return re.compile(rf"(?<![\w§])(?:{acts_on}[\s-]+)*{kind}(?!\w)", re.IGNORECASE)


@cache
def _of_a_substance() -> re.Pattern[str]:
    """What follows the name of a substance of the body: nobody is given "insulin signalling" or "B12 deficiency"."""
    return re.compile(rf"[\s-]+{group('intents', 'of a substance')}(?!\w)", re.IGNORECASE)


def _mark(entity: Entity) -> str:
    if cue("screening", "special population").search(entity.text):
        return entity.text
    if entity.kind is EntityKind.DISEASE:
        return HARM if cue("typical harm").search(entity.text) else DISEASE
    if entity.kind is EntityKind.PROCEDURE and cue("test").search(entity.text):
        return TEST
    return TREATMENT


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    filled = re.sub(r"\{([a-z ]+)\}", lambda m: group("intents", m[1]), pattern)
    return re.compile(filled, re.IGNORECASE)


class Reading:
    """One question, read once. In its expressions `{group}` stands for any word of a group of `intents.tsv`."""

    def __init__(self, question: str, entities: Sequence[Entity]) -> None:
        self.text = skeleton(question, entities)
        self.names_treatment = TREATMENT in self.text
        self.treats = self.names_treatment or self.has("treats")
        """Also a treatment in words that no lexicon has as a name: "surgery", "exercise"."""
        self.tests = TEST in self.text or self.has("test")
        self.names_disease = DISEASE in self.text or HARM in self.text

    def has(self, *groups: str) -> bool:
        """Whether a word of the groups stands outside every name."""
        return bool(cue(*groups).search(self.text))

    def finds(self, *patterns: str) -> bool:
        """Whether one of the expressions fits."""
        return any(_compiled(pattern).search(self.text) for pattern in patterns)

    def first(self, *groups: str) -> int:
        """Where the first word of the groups stands; behind the end where there is none."""
        found = cue(*groups).search(self.text)
        return found.start() if found else len(self.text)

    def without(self, pattern: str) -> Reading:
        """The same question less what fits the expression: what is left to be read."""
        return Reading(_compiled(pattern).sub(" ", self.text), ())
