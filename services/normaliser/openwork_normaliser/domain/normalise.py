"""Everything that all sources found, each work once, with counts that add up."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from openwork_contracts.evidence import (
    EvidenceCandidate,
    EvidenceRecord,
    ExcludedKind,
    ExcludedWork,
    NoticeLink,
    PrismaCounts,
)
from openwork_evidence.findable import may_live_by_title
from openwork_evidence.guidelines.editions import with_older_editions

from openwork_normaliser.domain.entries import Entry, Policies, entry_of_candidate, entry_of_record
from openwork_normaliser.domain.matching import join_works, preprint_pairs
from openwork_normaliser.domain.merging import has_text, merge
from openwork_normaliser.domain.notices import is_notice, links_from_notices
from openwork_normaliser.domain.versions import co_published, known_to_be_old, superseded

MOST_TITLES = 40
"""Works without an abstract that live on by their title. Of the studies that published reviews included one in twenty
has none: of some hundreds of works found for an answer, all of these do."""


class ExclusionKind(StrEnum):
    """Why a work is no candidate."""

    NOTICE = "notice"
    NO_TEXT = "no_text"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Excluded:
    """A work that is no candidate, and why."""

    work: EvidenceCandidate
    kind: ExclusionKind
    reason: str
    """In words."""


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
    excluded: tuple[Excluded, ...] = ()
    """What was found and is no candidate, by name."""
    still_excluded: tuple[ExcludedWork, ...] = ()
    """Of the works that earlier rounds excluded, those that this one did not find."""
    degradations: tuple[str, ...] = ()


def normalise(
    batches: Sequence[SourceBatch],
    previous: Sequence[EvidenceCandidate] = (),
    previous_counts: PrismaCounts | None = None,
    policies: Policies | None = None,
    most_titles: int = MOST_TITLES,
    previous_excluded: Sequence[ExcludedWork] = (),
) -> NormalisedEvidence:
    """Join the records of all sources, and the candidates of earlier rounds, into one candidate per work.

    Args:
        batches: one per source that answered; their order does not matter.
        previous: candidates of the rounds before, which keep their ids.
        policies: of the sources of the batches and of the rounds before; decide whose bibliographic data wins.
        previous_counts: counts that came with `previous`; without them what was excluded then is not counted.
        most_titles: candidates without an abstract, of all rounds together; the others have no limit here.
        previous_excluded: works without text, and superseded ones, of the rounds before; one that is found again counts
            as what it is now, and its earlier record as a duplicate.
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
    merged, notices = _merge_groups(groups)
    works = co_published(sorted(merged, key=_order), {c.candidate_id for c in previous})
    old = [Excluded(one.work, ExclusionKind.SUPERSEDED, one.reason) for one in superseded(works)]
    kept, without_text = _kept([work for work in works if not any(one.work is work for one in old)], known, most_titles)
    unique = _unique_ids([*kept, *(one.work for one in without_text)])
    candidates = with_older_editions(unique[: len(kept)])
    without_text = [replace(one, work=work) for one, work in zip(without_text, unique[len(kept) :], strict=True)]
    now = (*candidates, *(one.work for one in (*without_text, *notices, *old)))
    still_excluded = _not_found_again(previous_excluded, previous, now)
    again = Counter(one.kind for one in previous_excluded if one not in still_excluded)
    counts = PrismaCounts(
        identified=base.identified + sum(len(b.records) for b in batches),
        duplicates=base.duplicates + len(entries) - len(groups) + len(merged) - len(works) + again.total(),
        excluded_notices=base.excluded_notices + len(notices),
        excluded_no_text=base.excluded_no_text + len(without_text) - again[ExcludedKind.NO_TEXT],
        excluded_superseded=base.excluded_superseded + len(old) - again[ExcludedKind.SUPERSEDED],
        screened=len(candidates),
    )
    return NormalisedEvidence(
        candidates=candidates,
        counts=counts,
        kept=_per_source(batches, candidates),
        excluded=(*without_text, *notices, *old),
        still_excluded=still_excluded,
        degradations=(
            *(f"records with {shared} kept apart: {why}" for shared, why in sorted(joiner.contradictions)),
            *known_to_be_old(candidates),
        ),
    )


def _per_source(batches: Sequence[SourceBatch], candidates: Sequence[EvidenceCandidate]) -> dict[str, int]:
    """Candidates that have each source in their provenance; 0 for one that gave none."""
    counted = Counter({batch.source: 0 for batch in batches})
    counted.update(source for candidate in candidates for source in candidate.sources)
    return dict(counted)


def _not_found_again(
    excluded: Sequence[ExcludedWork], before: Sequence[EvidenceCandidate], now: Sequence[EvidenceCandidate]
) -> tuple[ExcludedWork, ...]:
    """Names that a candidate had already when a work was excluded beside it, kept apart from it, say nothing."""
    found = frozenset[str]().union(*map(_names, now)).difference(*map(_names, before))
    return tuple(one for one in excluded if found.isdisjoint(_names(one)))


def _names(work: EvidenceCandidate | ExcludedWork) -> frozenset[str]:
    """What a work is known by in every round."""
    ids = work.identifiers
    named = (("pmid", ids.pmid), ("pmcid", ids.pmcid), ("doi", ids.doi))
    return frozenset({work.candidate_id, *(f"{kind}:{name}" for kind, name in named if name)})


def _kept(
    works: Sequence[EvidenceCandidate], policies: Policies, most_titles: int
) -> tuple[list[EvidenceCandidate], list[Excluded]]:
    """Works with text, and the first of those without that may have a full text; and the others, with the reason."""
    kept: list[EvidenceCandidate] = []
    out: list[Excluded] = []
    n_titles = 0
    for work in works:
        if has_text(work):
            kept.append(work)
        elif why := _why_not_by_title(work, policies):
            out.append(Excluded(work, ExclusionKind.NO_TEXT, why))
        elif n_titles == most_titles:
            why = f"no abstract, and {most_titles} works without one were found before it"
            out.append(Excluded(work, ExclusionKind.NO_TEXT, why))
        else:
            n_titles += 1
            kept.append(work)
    return kept, out


def _why_not_by_title(work: EvidenceCandidate, policies: Policies) -> str | None:
    """Why no full text of it would be looked for; `None` = it would."""
    if not work.title.strip():
        return "no title"
    if not may_live_by_title(work):
        return "no abstract, and nothing to look for a full text with"
    known = [policies[source] for source in work.sources if source in policies]
    if known and all(policy.top_k == 0 for policy in known):
        return "no abstract, and its source is for reference only"
    return None


def _merge_groups(groups: Sequence[Sequence[Entry]]) -> tuple[list[EvidenceCandidate], list[Excluded]]:
    """Candidates of all groups that are no notices, and the notices."""
    links: dict[int, list[NoticeLink]] = defaultdict(list, links_from_notices(groups))
    for preprint, published in _preprint_links(groups):
        links[preprint].append(published)
    merged: list[EvidenceCandidate] = []
    notices: list[Excluded] = []
    why = "a notice of a retraction, correction or concern: linked to its work, never evidence itself"
    for i, group in enumerate(groups):
        if is_notice(group):
            notices.append(Excluded(merge(group), ExclusionKind.NOTICE, why))
        else:
            merged.append(merge(group, links.get(i, ())))
    return merged, notices


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
