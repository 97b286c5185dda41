"""What is read of each source, how many of its candidates go on, and from which score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from openwork_contracts.evidence import EvidenceCandidate, RecordClass, SourcePolicy
from openwork_evidence.library.references import recommending_summary
from openwork_evidence.text import parts_labelled, render_parts

from openwork_reranker.domain.scoring import ScorableText, ScorerIdentity

MINIMUM_SCORE = 0.15
"""Least score of the lexical scorer that goes on. On eight labelled sets it keeps 95% or more of the relevant texts
(HealthVer's one-sentence evidence apart) and drops half of the irrelevant ones. Another scorer needs its own figure."""


def minimum_score_of(identity: ScorerIdentity, setting: float | None) -> float:
    """The least stage-1 score for a cross-encoder: the setting, else what was calibrated for it, else 0: all pass."""
    if setting is not None:
        return setting
    return identity.minimum_score or 0.0


_ANY = SourcePolicy()
"""Of a source that came without one: read as any index of articles."""


@dataclass(frozen=True, slots=True)
class SourcePolicies:
    """The policies that came with the evidence, from the registry of sources, and the minimum score they refer to."""

    by_source: Mapping[str, SourcePolicy] = field(default_factory=dict)
    minimum_score: float = MINIMUM_SCORE
    """In [0, 1], for the scorer in use."""

    def of(self, source: str) -> SourcePolicy:
        """The policy of one source."""
        return self.by_source.get(source, _ANY)

    def minimum_of(self, candidate: EvidenceCandidate) -> float:
        """The least minimum among the sources that gave the candidate: to be found twice is no drawback."""
        return self.minimum_score * min(numbers.minimum_score_factor for numbers in self._numbers_of(candidate))

    def trust_tier_of(self, candidate: EvidenceCandidate) -> int:
        """The best tier among its sources, 1 = most trusted."""
        return min(numbers.trust_tier for numbers in self._numbers_of(candidate))

    def places_of(self, candidate: EvidenceCandidate) -> Iterator[tuple[str, int]]:
        """The places that a candidate may take, by name, and how many of each there are.

        A record of a class takes one of the class's first: guidelines are not crowded out by articles, and a sixth one
        has no less a chance than any article.
        """
        for source in candidate.sources:
            policy = self.of(source)
            if (own := policy.class_of(candidate.publication_types, candidate.journal)) is not None:
                yield f"{source}: {own.name}", own.top_k
            yield source, policy.top_k

    def _numbers_of(self, candidate: EvidenceCandidate) -> Iterator[SourcePolicy | RecordClass]:
        """Of each of its sources: those of the candidate's class there, else those of all."""
        for source in candidate.sources:
            policy = self.of(source)
            yield policy.class_of(candidate.publication_types, candidate.journal) or policy


def scorable_text(candidate: EvidenceCandidate, policies: SourcePolicies) -> ScorableText:
    """Title and the first characters of what its sources' policies read, never a URL.

    For a candidate of several sources the first source with a choice of labels decides the parts, and the most generous
    length counts.
    """
    chosen = [policies.of(source) for source in candidate.sources]
    labels = next((p.read_labels for p in chosen if p.read_labels), ())
    body = render_parts(parts_labelled(candidate.abstract, labels))
    if summary := recommending_summary(candidate):
        body = f"{summary}\n{body}"
    return ScorableText(candidate.title.strip(), body[: max(p.read_chars for p in chosen)])
