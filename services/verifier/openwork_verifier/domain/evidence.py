"""The passages of a run as the numbered evidence of the gate, and spans back to where they stand in a source."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.cells import CellPlace
from openwork_contracts.evidence import EvidenceCandidate
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
            )
        )
    return tuple(items)


def locate_spans(claim: ClaimVerdict, passages: Sequence[RankedPassage]) -> ClaimVerdict:
    """The claim with its spans and cells counted in the text of the passage's section.

    A span over two passages is left out; a cell there, which no reader reads as one, keeps its number alone.
    """
    spans = [located for span in claim.evidence if (located := _locate(span, _own(passages, span.n)))]
    reasons = [
        reason.model_copy(update={"look_at": _locate(at, _own(passages, at.n))}) if (at := reason.look_at) else reason
        for reason in claim.reasons
    ]
    cells = [cell.model_copy(update={"place": _place(cell.place, passages)}) for cell in claim.cells]
    return claim.model_copy(update={"evidence": tuple(spans), "reasons": tuple(reasons), "cells": tuple(cells)})


def _place(place: CellPlace | None, passages: Sequence[RankedPassage]) -> CellPlace | None:
    if place is None or place.n is None or place.start is None or place.end is None:
        return place
    found = _within(place.start, place.end, _own(passages, place.n))
    start, end, name = found if found else (None, None, None)
    return place.model_copy(update={"start": start, "end": end, "passage_id": name})


def _own(passages: Sequence[RankedPassage], n: int) -> list[RankedPassage]:
    return sorted((p for p in passages if p.n == n), key=lambda p: (p.section, p.start))


def _locate(span: EvidenceSpan, own: Sequence[RankedPassage]) -> EvidenceSpan | None:
    found = _within(span.start, span.end, own)
    if found is None:
        return None
    start, end, name = found
    return span.model_copy(update={"start": start, "end": end, "passage_id": name})


def _within(start: int, end: int, own: Sequence[RankedPassage]) -> tuple[int, int, str] | None:
    """A part of an item's text as (start, end) in its section, and its passage."""
    offset = 0
    for passage in own:
        if start >= offset and end - offset <= len(passage.text):
            moved = passage.start - offset
            return start + moved, end + moved, passage.passage_id
        offset += len(passage.text) + len(_BETWEEN)
    return None
