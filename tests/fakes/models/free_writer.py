"""A scripted writer that writes like a person: it reads findings and tells them in words of its own.

Every sentence carries its citation and is true by construction: each rule keeps what the source says. What it wrote,
and from which sentences, is kept in a record, so that a judge or a measurement needs nobody's opinion.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from openwork_language.sentences import split_sentences

from tests.fakes.models.reading import Asked
from tests.fakes.models.writing.facts import Fact, Family
from tests.fakes.models.writing.reading import facts_of
from tests.fakes.models.writing.telling import sentence, tell
from tests.fakes.models.writing.words import say, short_forms, small

MOST_WORDS = 48
MOST_SENTENCES = 8
MOST_LEADING = 2
_LEAST_SWAPS = 2
"""Phrases that a sentence without a known structure must lose, or it is too near a copy."""
_MERGED = 0.25
_JOINED = ("{a}, while {b}", "{a}, and {b}", "{a}; {b}", "besides the fact that {a}, {b}")
_LOOSE = frozenset({Family.PLAIN, Family.HINT})


@dataclass(frozen=True)
class Written:
    """One sentence of the writer, without its citation mark."""

    text: str
    n: int
    facts: tuple[Fact, ...]
    seed: int
    error: str = ""
    """Which error was put in; empty = true."""
    original: str = ""
    """The true sentence that the error was put into."""

    @property
    def is_true(self) -> bool:
        """As it was made, not as anybody judged it."""
        return not self.error

    @property
    def sources(self) -> tuple[str, ...]:
        """The sentences of the source that it was made from, as printed."""
        return tuple(fact.source for fact in self.facts)

    @property
    def cited(self) -> str:
        """With its citation mark."""
        return f"{self.text.rstrip('.')} [{self.n}]."


@dataclass
class Record:
    """What was written, by its words: who measures looks it up here."""

    sentences: dict[str, Written] = field(default_factory=dict)

    def add(self, written: Written) -> None:
        self.sentences[key_of(written.text)] = written

    def find(self, claim: str) -> Written | None:
        """The sentence that a claim is, whatever became of its marks and spaces."""
        return self.sentences.get(key_of(claim))


def key_of(text: str) -> str:
    """A sentence without citation marks, spaces and stops."""
    return re.sub(r"\[\d+(?:, ?\d+)*\]|[\s.]", "", text).lower()


def written_text(facts: Sequence[Fact], seed: int, forms: Mapping[str, str]) -> str:
    """The facts as one sentence: the same seed chooses the same words."""
    random = Random(seed)
    clauses = [tell(fact, random, forms) for fact in facts]
    if len(clauses) == 1:
        return sentence(clauses[0])
    return sentence(random.choice(_JOINED).format(a=clauses[0], b=small(clauses[1])))


def write(source: str, n: int, *, most: int, seed: int = 0) -> list[Written]:
    """At most `most` sentences about a source, the best understood first; the same for the same source and seed."""
    random = Random(zlib.crc32(source.encode()) ^ seed)
    forms = short_forms(source)
    facts = facts_of(source)
    known = [f for f in facts if f.family not in _LOOSE]
    loose = [f for f in facts if f.family in _LOOSE and _is_own(f)]
    random.shuffle(known)
    random.shuffle(loose)
    queue = known + loose
    sentences: list[Written] = []
    while queue and len(sentences) < most:
        group = [queue.pop(0)]
        if queue and _can_merge(group[0], queue[0]) and random.random() < _MERGED:
            group.append(replace(queue.pop(0), trial=""))
        if (written := _one(group, n, random.getrandbits(32), forms)) is not None:
            sentences.append(written)
    return sentences


def _one(group: Sequence[Fact], n: int, seed: int, forms: Mapping[str, str]) -> Written | None:
    text = written_text(group, seed, forms)
    if len(text.split()) > MOST_WORDS or len(split_sentences(text)) != 1 or any(text == fact.source for fact in group):
        return None
    return Written(text, n, tuple(group), seed)


def _can_merge(one: Fact, other: Fact) -> bool:
    """Two findings of one study: neither limited to a place or a time that could seem to hold for both."""
    fits = one.family not in _LOOSE and other.family not in _LOOSE | {Family.ADVICE} and one.family is not Family.ADVICE
    return fits and one.trial == other.trial and not (one.place or other.place or one.time or other.time)


def _is_own(fact: Fact) -> bool:
    """Whether enough of a loose sentence would be said otherwise."""
    return say(fact.outcome, Random(0), most=9)[1] >= _LEAST_SWAPS


def written_for(asked: Asked, *, most: int = MOST_SENTENCES) -> list[Written]:
    """What the writer has to say about the sources of a prompt: two sentences of each, in their order."""
    sentences = [w for n, text in asked.sources().items() for w in write(text, n, most=2)]
    firsts = list({w.n: w for w in reversed(sentences)}.values())[::-1]
    return [*firsts, *(w for w in sentences if w not in firsts)][:most]


def draft(sentences: Sequence[Written]) -> str:
    """The sentences as claims, each with the sentences of its source that it was made from."""
    claims = [
        {
            "part": "answer" if i < MOST_LEADING else "evidence",
            "text": w.text,
            "quotes": [{"source": w.n, "quote": source} for source in w.sources],
        }
        for i, w in enumerate(sentences)
    ]
    return json.dumps({"claims": claims})
