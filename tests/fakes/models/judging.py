"""A scripted judge that answers rightly, because it knows what the writer put down and which sentences err.

`judgement` makes one answer from a clear input; change it when the verifier asks in another shape.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tests.fakes.models.free_writer import Record
from tests.fakes.models.honest import closest
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


def judgement(id_: int, known: Known) -> dict[str, object]:
    """The right answer about one claim, in the shape that the verifier asks for."""
    n, quote = quoted(known)
    verdict = "entailed" if known.is_true else "not_entailed"
    return {"id": id_, "verdict": verdict, "source": n, "quote": quote}


def quoted(known: Known) -> tuple[int, str]:
    """Source number and words: the first source sentence that a cited text really holds, else the closest one."""
    for sentence in known.source_sentences:
        for n, text in known.cited.items():
            if (place := _find(sentence, text)) is not None:
                return n, _cut(place)
    n, quote = closest(known.claim, tuple(known.cited), dict(known.cited))
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
    sources, answers = asked.sources(), []
    for id_, (claim, cited) in asked.claims().items():
        written = record.find(claim)
        known = Known(
            claim=claim,
            cited={n: sources[n] for n in cited if n in sources},
            is_true=written is not None and written.is_true,
            source_sentences=written.sources if written else (),
        )
        answers.append(judgement(id_, known))
    return json.dumps({"judgements": answers})
