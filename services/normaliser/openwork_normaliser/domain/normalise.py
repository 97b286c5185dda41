"""Everything that all sources found, each work once, with counts that add up."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openwork_contracts.evidence import EvidenceCandidate, EvidenceRecord, NoticeLink, PrismaCounts

from openwork_normaliser.domain.entries import Entry, Policies, entry_of_candidate, entry_of_record
from openwork_normaliser.domain.matching import join_works, preprint_pairs
from openwork_normaliser.domain.merging import has_text, merge
from openwork_normaliser.domain.notices import is_notice, links_from_notices


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """What one source returned in one round."""

    source: str
    records: tuple[EvidenceRecord, ...]
    """Best first, in the source's own order."""


@dataclass(frozen=True, slots=True)
class NormalisedEvidence:
    """Each work once."""

    candidates: tuple[EvidenceCandidate, ...]
    """In order of the best rank any source gave them; ties by number of sources, then by id."""
    counts: PrismaCounts
    kept: Mapping[str, int]
    """Per source, candidates that have it in their provenance."""
    degradations: tuple[str, ...] = ()


def normalise(
    batches: Sequence[SourceBatch],
    previous: Sequence[EvidenceCandidate] = (),
    previous_counts: PrismaCounts | None = None,
    policies: Policies | None = None,
) -> NormalisedEvidence:
    """Join the records of all sources, and the candidates of earlier rounds, into one candidate per work.

    Args:
        batches: one per source that answered; their order does not matter.
        previous: candidates of the rounds before, which keep their ids.
        policies: of the sources of the batches and of the rounds before; decide whose bibliographic data wins.
        previous_counts: counts that came with `previous`; without them what was excluded then is not counted.
    Raises:
        ValueError: `previous_counts` is of another set of candidates than `previous`.
    """
    base = _previous_counts(previous, previous_counts)
    known = policies or {}
    entries = [entry_of_candidate(c, known) for c in previous]
    entries += [entry_of_record(r, rank, known) for b in batches for rank, r in enumerate(b.records, start=1)]
    entries.sort(key=lambda e: e.key)
    joiner = join_works(entries)
    groups = [[entries[i] for i in group] for group in joiner.groups()]
    merged, n_notices = _merge_groups(groups)
    kept = [c for c in merged if has_text(c)]
    candidates = _unique_ids(sorted(kept, key=_order))
    n_no_text = len(merged) - len(kept)
    counts = PrismaCounts(
        identified=base.identified + sum(len(b.records) for b in batches),
        duplicates=base.duplicates + len(entries) - len(groups),
        excluded_notices=base.excluded_notices + n_notices,
        excluded_no_text=base.excluded_no_text + n_no_text,
        screened=len(candidates),
    )
    per_source = Counter({b.source: 0 for b in batches})
    per_source.update(source for c in candidates for source in c.sources)
    return NormalisedEvidence(
        candidates=candidates,
        counts=counts,
        kept=dict(per_source),
        degradations=tuple(f"records with {shared} kept apart: {why}" for shared, why in sorted(joiner.contradictions)),
    )


def _merge_groups(groups: Sequence[Sequence[Entry]]) -> tuple[list[EvidenceCandidate], int]:
    """Candidates of all groups that are no notices, and the number of notices."""
    links: dict[int, list[NoticeLink]] = defaultdict(list, links_from_notices(groups))
    for preprint, published in _preprint_links(groups):
        links[preprint].append(published)
    merged = [merge(group, links.get(i, ())) for i, group in enumerate(groups) if not is_notice(group)]
    return merged, len(groups) - len(merged)


def _preprint_links(groups: Sequence[Sequence[Entry]]) -> list[tuple[int, NoticeLink]]:
    """(group of a preprint, link to its published version)."""
    flat = [(i, entry) for i, group in enumerate(groups) for entry in group]
    found: dict[tuple[int, int], NoticeLink] = {}
    for a, b in preprint_pairs([entry for _, entry in flat]):
        preprint, published = flat[a][0], flat[b][0]
        ids = [e.identifiers for e in groups[published]]
        pmid = next((x.pmid for x in ids if x.pmid), None)
        doi = next((x.doi for x in ids if x.doi), None)
        if preprint != published and (pmid or doi):
            found[preprint, published] = NoticeLink(kind="preprint_of", pmid=pmid, doi=doi)
    return [(preprint, link) for (preprint, _), link in sorted(found.items(), key=lambda x: x[0])]


def _previous_counts(previous: Sequence[EvidenceCandidate], counts: PrismaCounts | None) -> PrismaCounts:
    if counts is None:
        found = sum(len(c.provenance) for c in previous)
        return PrismaCounts(
            identified=found,
            duplicates=found - len(previous),
            excluded_notices=0,
            excluded_no_text=0,
            screened=len(previous),
        )
    if counts.screened != len(previous):
        raise ValueError(f"the counts are of {counts.screened} candidates, but {len(previous)} were given")
    return counts


def _order(candidate: EvidenceCandidate) -> tuple[int, int, str, str, str]:
    best = min(p.rank for p in candidate.provenance)
    first = min((p.source, p.source_id) for p in candidate.provenance)
    return (best, -len(candidate.sources), candidate.candidate_id, *first)


def _unique_ids(candidates: Sequence[EvidenceCandidate]) -> tuple[EvidenceCandidate, ...]:
    """Two works of one title and year without any identifier share a hash; the second is numbered."""
    seen: Counter[str] = Counter()
    unique = []
    for candidate in candidates:
        seen[candidate.candidate_id] += 1
        n = seen[candidate.candidate_id]
        if n > 1:
            candidate = candidate.model_copy(update={"candidate_id": f"{candidate.candidate_id}#{n}"})
        unique.append(candidate)
    return tuple(unique)
