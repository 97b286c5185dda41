"""A scripted judge that answers rightly, because it knows what the writer put down and which sentences err.

`judgement` makes one answer from a clear input; change it when the verifier asks in another shape.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tests.fakes.models.free_writer import Record
from tests.fakes.models.honest import UNTOLD, closest, number_in
from tests.fakes.models.reading import Asked

MOST_QUOTED_WORDS = 40


@dataclass(frozen=True)
class Known:
    """What the judge knows of one claim that it is asked about."""

    claim: str
    cited: Mapping[int, str]
    """The texts of the cited sources by number."""
    is_true: bool
    source_sentences: tuple[str, ...]
    """The sentences of the source that the claim was made from; empty for a claim that the writer did not write."""


def judgement(question: tuple[int, int], known: Known, *, number: str = "") -> dict[str, object]:
    """The right answer to one question (claim, question), in the shape that the verifier asks for.

    Args:
        number: what the quotation is to hold, where it is a number that is asked about.
    """
    n, quote = quoted(known, number)
    verdict = "entailed" if known.is_true else "not_entailed"
    return {"claim": question[0], "question": question[1], "verdict": verdict, "source": n, "quote": quote, **UNTOLD}


def quoted(known: Known, number: str = "") -> tuple[int, str]:
    """Source number and words: the first source sentence that a cited text really holds, else the closest one."""
    for sentence in sorted(known.source_sentences, key=lambda s: number not in s):
        for n, text in known.cited.items():
            if (place := _find(sentence, text)) is not None:
                return n, _cut(place)
    n, quote = closest(known.claim, tuple(known.cited), dict(known.cited), holding=number)
    return n, _cut(quote)


def _find(sentence: str, text: str) -> str | None:
    """The sentence as the text prints it, line breaks and all."""
    if sentence in text:
        return sentence
    words, flat = " ".join(sentence.split()), " ".join(text.split())
    return words if words in flat else None


def _cut(quote: str) -> str:
    parts = quote.split(" ")
    return " ".join(parts[:MOST_QUOTED_WORDS])


def judge(asked: Asked, record: Record) -> str:
    """The answer to a verifier's prompt: every claim looked up in the record; what is not there counts as false."""
    sources, claims, answers = asked.sources(), asked.claims(), []
    for question, (kind, suspicion) in asked.questions().items():
        claim, cited = claims[question[0]]
        written = record.find(claim)
        known = Known(
            claim=claim,
            cited={n: sources[n] for n in cited if n in sources},
            is_true=written is not None and written.is_true,
            source_sentences=written.sources if written else (),
        )
        answers.append(judgement(question, known, number=number_in(kind, suspicion)))
    return json.dumps({"answers": answers})
