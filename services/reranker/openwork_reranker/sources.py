"""What is read of each source, how many of its candidates go on, and from which score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from openwork_contracts.evidence import EvidenceCandidate
from openwork_language.evidence_text import parts_labelled, render_parts

from openwork_reranker.scoring import ScorableText

MAX_BODY_CHARS = 1500
"""Characters of text read in stage 1: about 300 words, a whole abstract; a cross-encoder cuts near there anyway."""
MINIMUM_SCORE = 0.15
"""Least score of the lexical scorer that goes on. On eight labelled sets it keeps 95% or more of the relevant texts
(HealthVer's one-sentence evidence apart) and drops half of the irrelevant ones. Another scorer needs its own figure."""


@dataclass(frozen=True, slots=True)
class SourcePolicy:
    """How one source's candidates are read and cut."""

    top_k: int
    """Most candidates of this source that may be shortlisted; a candidate of several sources takes one place."""
    minimum_share: float = 1.0
    """The source's minimum score as a share of the general one: lower where texts are short or worded otherwise."""
    labels: tuple[str, ...] = ()
    """Read the parts whose label holds one of these words; empty = all, and all when none is there."""
    max_body_chars: int = MAX_BODY_CHARS


_ARTICLES = SourcePolicy(top_k=50)
_REVIEWS = SourcePolicy(top_k=20)
_COCHRANE = SourcePolicy(top_k=10)
_INDEXES = SourcePolicy(top_k=15)
_TRIALS = SourcePolicy(top_k=10, minimum_share=0.8, labels=("summary", "description"))
_LABELS = SourcePolicy(top_k=5, minimum_share=0.7, labels=("indications", "contraindications", "dosage"))
_GUIDELINES = SourcePolicy(top_k=5, minimum_share=0.8)
_WEB = SourcePolicy(top_k=10, minimum_share=0.6, max_body_chars=500)
"""A web search gives about 500 characters of content."""
_REFERENCE = SourcePolicy(top_k=0)
"""Beside the evidence, never ranked with it: counts of reports, names of drugs, bare bibliography. A work that a source
of evidence found too is ranked as that source's."""


def _default_policies() -> dict[str, SourcePolicy]:
    return {
        "pubmed": _ARTICLES,
        "pubmed-reviews": _REVIEWS,
        "cochrane": _COCHRANE,
        "europepmc": _INDEXES,
        "openalex": _INDEXES,
        "semanticscholar": _INDEXES,
        "pmc": _INDEXES,
        "clinicaltrials": _TRIALS,
        "dailymed": _LABELS,
        "aap": _GUIDELINES,
        "guidelines": _GUIDELINES,
        "tavily": _WEB,
        "web": _WEB,
        "openfda-labels": _REFERENCE,
        "openfda-events": _REFERENCE,
        "rxnav": _REFERENCE,
        "crossref": _REFERENCE,
    }


@dataclass(frozen=True, slots=True)
class SourcePolicies:
    """The registry of sources. A source that is not in it is read as any index of articles."""

    by_source: Mapping[str, SourcePolicy] = field(default_factory=_default_policies)
    default: SourcePolicy = _ARTICLES
    minimum_score: float = MINIMUM_SCORE
    """In [0, 1], for the scorer in use."""

    def of(self, source: str) -> SourcePolicy:
        """The policy of one source."""
        return self.by_source.get(source, self.default)

    def minimum_of(self, candidate: EvidenceCandidate) -> float:
        """The least minimum among the sources that gave the candidate: to be found twice is no drawback."""
        return self.minimum_score * min(self.of(source).minimum_share for source in candidate.sources)


def scorable_text(candidate: EvidenceCandidate, policies: SourcePolicies) -> ScorableText:
    """Title and the first characters of what its sources' policies read, never a URL.

    For a candidate of several sources the first source with a choice of labels decides the parts, and the most generous
    length counts.
    """
    chosen = [policies.of(source) for source in candidate.sources]
    labels = next((p.labels for p in chosen if p.labels), ())
    body = render_parts(parts_labelled(candidate.abstract, labels))
    return ScorableText(candidate.title.strip(), body[: max(p.max_body_chars for p in chosen)])
