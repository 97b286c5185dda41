"""The passages of a run as the numbered evidence of the gate, and spans back to where they stand in a source."""

from __future__ import annotations

from collections.abc import Sequence

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
    """The claim with its spans counted in the text of the passage's section; a span over two passages is left out."""
    spans = [located for span in claim.evidence if (located := _locate(span, _own(passages, span.n)))]
    return claim.model_copy(update={"evidence": tuple(spans)})


def _own(passages: Sequence[RankedPassage], n: int) -> list[RankedPassage]:
    return sorted((p for p in passages if p.n == n), key=lambda p: (p.section, p.start))


def _locate(span: EvidenceSpan, own: Sequence[RankedPassage]) -> EvidenceSpan | None:
    offset = 0
    for passage in own:
        inside = span.start - offset
        if inside >= 0 and span.end - offset <= len(passage.text):
            start = passage.start + inside
            return span.model_copy(
                update={"start": start, "end": start + span.end - span.start, "passage_id": passage.passage_id}
            )
        offset += len(passage.text) + len(_BETWEEN)
    return None
