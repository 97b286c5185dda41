"""Which sources answered a search and which did not, as readers call them."""

from __future__ import annotations

from openwork_contracts.evidence import EvidenceNormalised, SourceStatus
from openwork_knowledge.source_names import source_names


def answered_and_missed(searched: EvidenceNormalised) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(those with an answer, those with none): of a service that was searched in several ways one answer is enough."""
    answered = source_names(one.name for one in searched.sources if one.status is SourceStatus.COMPLETED)
    failed = source_names(one.name for one in searched.sources if one.status is not SourceStatus.COMPLETED)
    return answered, tuple(name for name in failed if name not in answered)
