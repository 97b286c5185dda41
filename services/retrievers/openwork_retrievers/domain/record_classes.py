"""Which records of PubMed are guidelines and syntheses, by its own publication types and journal, and what they get.

They were sources of their own, each with searches and reads of its own; now they are told from what one read gives.
"""

from __future__ import annotations

from openwork_contracts.evidence import RecordClass, SourcePolicy
from openwork_knowledge.tables import words

_LIST = "record_classes"

REVIEWS = SourcePolicy(trust_tier=1, top_k=20)
COCHRANE = SourcePolicy(trust_tier=1, top_k=10)
GUIDELINES = SourcePolicy(trust_tier=1, top_k=5, minimum_score_factor=0.8)
GUIDELINES_OF_ALL = SourcePolicy(trust_tier=3, top_k=10, minimum_score_factor=0.5)
"""Of the source of guidelines: mostly summaries, or files of the asker's, so that a journal's own record of a work
wins. A recommendation is short, and has few of a question's words."""


def _class(name: str, policy: SourcePolicy, *, types: str | None = None, journals: str | None = None) -> RecordClass:
    return RecordClass(
        name=name,
        publication_types=words(_LIST, types) if types else (),
        journals=words(_LIST, journals) if journals else (),
        trust_tier=policy.trust_tier,
        top_k=policy.top_k,
        minimum_score_factor=policy.minimum_score_factor,
    )


PUBMED_CLASSES = (
    _class("guidelines", GUIDELINES, types="guideline type"),
    _class("Cochrane reviews", COCHRANE, journals="cochrane journal"),
    _class("systematic reviews and meta-analyses", REVIEWS, types="synthesis type"),
)
"""In this order: a guideline with a synthesis of its own counts as a guideline."""
