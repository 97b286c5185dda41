"""The passages of a run as the numbered evidence of the gate, and spans back to where they stand in a source."""

from __future__ import annotations

from collections.abc import Sequence, Set

from openwork_contracts.cells import ResultCell
from openwork_contracts.evidence import EvidenceCandidate, TextOrigin
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.verdict import ClaimVerdict, EvidenceItem, EvidenceSpan

_BETWEEN = "\n\n"


def evidence_items(
    passages: Sequence[RankedPassage], documents: Sequence[EvidenceCandidate]
) -> tuple[EvidenceItem, ...]:
    """One item per cited work: its passages in the order of the work, joined by a blank line."""
    items = []
    for n, document in enumerate(documents, start=1):
        own = _own(passages, n)
        if not own:
            continue
        ids = document.identifiers
        items.append(
            EvidenceItem(
                n=n,
                title=document.title,
                text=_BETWEEN.join(p.text for p in own),
                pmid=ids.pmid,
                doi=ids.doi,
                nct_id=ids.nct_ids[0] if ids.nct_ids else None,
                year=document.year,
                status=document.status.value,
                text_origin=_common({p.text_origin for p in own}),
            )
        )
    return tuple(items)


def _common(origins: Set[TextOrigin]) -> TextOrigin:
    """Whose words all passages of a work are; unknown where they are of several, until a span is located."""
    return next(iter(origins)) if len(origins) == 1 else TextOrigin.UNKNOWN_ORIGIN


def locate_spans(claim: ClaimVerdict, passages: Sequence[RankedPassage]) -> ClaimVerdict:
    """The claim with its spans and cells counted in the text of the passage's section, each with whose words it is.

    A span over two passages is left out; a cell there, which no reader reads as one, keeps its number alone.
    """
    spans = [located for span in claim.evidence if (located := _locate(span, _own(passages, span.n)))]
    reasons = [
        reason.model_copy(update={"look_at": _locate(at, _own(passages, at.n))}) if (at := reason.look_at) else reason
        for reason in claim.reasons
    ]
    cells = [_located(cell, passages) for cell in claim.cells]
    return claim.model_copy(update={"evidence": tuple(spans), "reasons": tuple(reasons), "cells": tuple(cells)})


def _located(cell: ResultCell, passages: Sequence[RankedPassage]) -> ResultCell:
    place = cell.place
    if place is None or place.n is None or place.start is None or place.end is None:
        return cell
    found = _within(place.start, place.end, _own(passages, place.n))
    if found is None:
        return cell.model_copy(
            update={"place": place.model_copy(update={"start": None, "end": None, "passage_id": None})}
        )
    start, end, passage = found
    moved = place.model_copy(update={"start": start, "end": end, "passage_id": passage.passage_id})
    return cell.model_copy(update={"place": moved, "text_origin": passage.text_origin})


def _own(passages: Sequence[RankedPassage], n: int) -> list[RankedPassage]:
    return sorted((p for p in passages if p.n == n), key=lambda p: (p.section, p.start))


def _locate(span: EvidenceSpan, own: Sequence[RankedPassage]) -> EvidenceSpan | None:
    found = _within(span.start, span.end, own)
    if found is None:
        return None
    start, end, passage = found
    update = {"start": start, "end": end, "passage_id": passage.passage_id, "text_origin": passage.text_origin}
    return span.model_copy(update=update)


def _within(start: int, end: int, own: Sequence[RankedPassage]) -> tuple[int, int, RankedPassage] | None:
    """A part of an item's text as (start, end) in its section, and its passage."""
    offset = 0
    for passage in own:
        if start >= offset and end - offset <= len(passage.text):
            moved = passage.start - offset
            return start + moved, end + moved, passage
        offset += len(passage.text) + len(_BETWEEN)
    return None
