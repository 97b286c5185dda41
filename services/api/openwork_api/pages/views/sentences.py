"""Sentences of an answer, where each of their citations leads, and under which heading they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.verdict import ClaimVerdict
from openwork_report.evidence import study_name
from openwork_report.render import marked, remark_on

from openwork_api.pages.views.links import passage_address

_ESCAPE = re.compile(r"\\(.)")
LONGEST = 20_000
"""Characters of a sentence on a page."""


@dataclass(frozen=True, slots=True)
class Cite:
    """A citation mark that leads to the words it stands for."""

    n: int
    address: str
    key: str
    """For links to it."""
    name: str
    """What it is called where its number alone says nothing."""
    opens: bool
    """Whether it leads to a passage, which opens beside the answer; else to the reference."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its citations."""

    text: str
    cites: tuple[Cite, ...] = ()
    remark: str = ""
    """Behind the citations, where the sentence is not borne out."""


@dataclass(frozen=True, slots=True)
class Part:
    """Sentences under a heading."""

    key: str
    heading: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Arranged:
    """Claims by where the printed answer has them."""

    direct: tuple[int, ...]
    """Places in `document.answer.claims`."""
    sections: tuple[tuple[str, tuple[int, ...]], ...]
    last_words: str
    """Markdown: what was searched live, how names were read; or, without an answer, what its reader is told."""


class Citing:
    """Makes sentences of a document's claims."""

    def __init__(self, document: AnswerDocument) -> None:
        self._document = document

    @cached_property
    def names(self) -> Mapping[int, str]:
        """Number of a source -> how its study is called."""
        named = {reference.n: study_name(reference) for reference in self._document.references}
        results = self._document.conclusion.results if self._document.conclusion else ()
        return named | {result.n: result.study for result in results if result.n in named}

    @cached_property
    def passages(self) -> Mapping[str, int]:
        """Passage -> number of its source."""
        record = self._document.record
        return {one.passage_id: one.n for one in record.passages} if record else {}

    def sentence(self, place: int, *, without: str = "") -> Sentence:
        """A claim of the answer.

        Args:
            without: the beginning that is printed elsewhere.
        """
        claim = self._document.answer.claims[place]
        text = claim.text.removeprefix(without)[:LONGEST]
        return Sentence(text, tuple(self._cites(claim, place + 1)), remark_on(claim))

    def mark(self, n: int, key: str) -> Cite:
        """A mark outside of sentences: it leads to the first passage of the source, else to the reference."""
        passage = next((one for one, number in self.passages.items() if number == n), None)
        return self._cite(n, key, passage_address(self._document.run_id, passage) if passage else None)

    def _cites(self, claim: ClaimVerdict, number: int) -> Iterator[Cite]:
        for n in claim.citations:
            spans = (span for span in claim.evidence if span.n == n and span.passage_id in self.passages)
            passage = next((span.passage_id for span in spans), None)
            address = passage_address(self._document.run_id, passage, number) if passage else None
            yield self._cite(n, f"s{number}-{n}", address)

    def _cite(self, n: int, key: str, address: str | None) -> Cite:
        study = self.names.get(n)
        told = "the words this rests on" if address else "the reference"
        name = f"[{n}] {study}: {told}" if study else f"[{n}] {told}"
        return Cite(n, address or f"#ref-{n}", key, name, address is not None)


def arranged(document: AnswerDocument) -> Arranged:
    """Where the printed answer has each claim.

    The document holds its claims in one row, and their headings in its Markdown alone: the two are laid side by side.
    """
    claims = document.answer.claims
    blocks = document.answer.markdown.split("\n\n")
    direct, last_words = _direct(blocks[0], claims)
    place = direct
    sections: list[tuple[str, tuple[int, ...]]] = []
    heading = ""
    for block in blocks[1:]:
        if block.startswith("### "):
            heading = _ESCAPE.sub(r"\1", block[4:].strip())
        elif block.startswith("- "):
            n = min(sum(line.startswith("- ") for line in block.split("\n")), len(claims) - place)
            sections.append((heading, tuple(range(place, place + n))))
            place += n
    if place < len(claims):
        sections.append(("More of the answer", tuple(range(place, len(claims)))))
    return Arranged(tuple(range(direct)), tuple(one for one in sections if one[1]), last_words)


def _direct(block: str, claims: Sequence[ClaimVerdict]) -> tuple[int, str]:
    """How many claims the first paragraph holds, and what follows them in it."""
    at = 0
    for place, claim in enumerate(claims):
        words = marked(claim)
        if not block.startswith(words, at):
            return place, block[at:].strip()
        at += len(words) + 1
    return len(claims), block[at:].strip()
