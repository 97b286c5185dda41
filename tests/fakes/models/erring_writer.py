"""The free writer with one error in a sentence, in 20 named ways; what was planted is recorded, never guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from openwork_language.sentences import split_sentences

from tests.fakes.models.free_writer import Written, key_of, written_for, written_text
from tests.fakes.models.reading import Asked
from tests.fakes.models.writing.facts import Fact
from tests.fakes.models.writing.reading import facts_of
from tests.fakes.models.writing.words import short_forms
from tests.fakes.models.writing.wrong_facts import SLOTS
from tests.fakes.models.writing.wrong_words import WORDS

WAYS = (
    *(
        "number",
        "other_outcome",
        "other_time",
        "arms_exchanged",
        "unit",
        "interval_or_p",
        "direction",
        "null_as_effect",
        "effect_as_null",
    ),
    *(
        "drug_replaced",
        "entity_replaced",
        "population",
        "subgroup_as_whole",
        "composite",
        "certainty",
        "noninferiority",
        "quantifier",
    ),
    *("design", "overreach", "invented"),
)
ERRS_EVERY = 2
"""In a draft every second sentence errs."""


def err(written: Written, source: str, way: str, *, seed: int = 0) -> Written | None:
    """The sentence with one error of a way; `None` where that way has nothing to get wrong in it."""
    random = Random(f"{written.seed}-{way}-{seed}")
    changed = WORDS[way](written.text, source, random) if way in WORDS else None
    if changed is None and way in SLOTS:
        changed = _retold(written, source, way, random)
    if changed is None or key_of(changed) == key_of(written.text) or len(split_sentences(changed)) != 1:
        return None
    return replace(written, text=changed, error=way, original=written.text)


def _retold(written: Written, source: str, way: str, random: Random) -> str | None:
    others = facts_of(source)
    facts: list[Fact] = list(written.facts)
    for i in random.sample(range(len(facts)), len(facts)):
        others_only = [other for other in others if other.source != facts[i].source]
        if (wrong := SLOTS[way](facts[i], others_only, random)) is not None and wrong != facts[i]:
            facts[i] = wrong
            return written_text(facts, written.seed, short_forms(source))
    return None


def ways_for(written: Written, source: str, *, seed: int = 0) -> list[Written]:
    """Every error that can be put into a sentence, one result per way."""
    return [wrong for way in WAYS if (wrong := err(written, source, way, seed=seed)) is not None]


def erring(sentences: Sequence[Written], sources: dict[int, str], *, every: int = ERRS_EVERY) -> list[Written]:
    """The sentences with an error in every `every`-th; the ways take turns, so that a run sees many."""
    told, turn = [], 0
    for i, written in enumerate(sentences):
        wrong = None
        if i % every == every - 1:
            choices = {w.error: w for w in ways_for(written, sources[written.n])}
            start = Random(written.seed).randrange(len(WAYS)) + turn
            order = [WAYS[(start + k) % len(WAYS)] for k in range(len(WAYS))]
            wrong = next((choices[way] for way in order if way in choices), None)
            turn += 1
        told.append(wrong or written)
    return told


def erring_for(asked: Asked) -> list[Written]:
    """What the erring writer has to say about the sources of a prompt."""
    return erring(written_for(asked), asked.sources())
