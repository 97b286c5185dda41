"""The text of a record as everybody renders it: reranker, synthesiser and verifier must mean the same characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from openwork_contracts.evidence import AbstractPart, EvidenceCandidate, EvidenceRecord

ABSTRACT_SECTION = "Abstract"
"""Section name of passages that come from `abstract_text`."""


OUR_SUMMARY_SECTION = "Summary by Open Work"
"""Section name of passages of the starter library's summary of a work that has an abstract of its own."""


def abstract_text(record: EvidenceCandidate | EvidenceRecord) -> str:
    """The abstract as one text: a block per part, "LABEL: text" or the text alone, blocks on lines of their own.

    White space inside a part is kept as the source gave it, ends are stripped, empty parts are left out. Offsets of
    passages and claims into an abstract are offsets into this text. Empty when the record has no abstract.
    """
    return render_parts(record.abstract)


def render_parts(parts: Iterable[AbstractPart]) -> str:
    """As `abstract_text`, for any labelled parts."""
    blocks = []
    for part in parts:
        text, label = part.text.strip(), (part.label or "").strip().rstrip(":")
        if text:
            blocks.append(f"{label}: {text}" if label else text)
    return "\n".join(blocks)


def parts_labelled(parts: Sequence[AbstractPart], labels: Sequence[str]) -> tuple[AbstractPart, ...]:
    """The parts whose label holds one of the words, in their order; all parts when none does or no words are given."""
    wanted = [label.lower() for label in labels]
    chosen = tuple(p for p in parts if p.label and any(word in p.label.lower() for word in wanted))
    return chosen or tuple(parts)
