"""PRISMA 2020 counts of a review: every record has one fate, and the numbers add up from first to last.

Source: Page 2021, DOI 10.1136/bmj.n71. The equations stand with the contracts, `TrackFlow` and `ReviewFlow`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from openwork_contracts.evidence import PrismaCounts
from openwork_contracts.question import Track
from openwork_contracts.screening import (
    RecordsScreened,
    ScreeningDecision,
    ScreeningOutcome,
    StudiesSelected,
)
from openwork_contracts.tabulation import ReviewFlow, TrackFlow


def excluded_by_criterion(decisions: Iterable[ScreeningDecision]) -> dict[str, int]:
    """Records that went out, by the criterion that decided, the greatest number first."""
    out = Counter(one.criterion or "other" for one in decisions if one.outcome is ScreeningOutcome.EXCLUDE)
    return dict(out.most_common())


def track_flow(track: Track, counts: PrismaCounts, screened: RecordsScreened) -> TrackFlow:
    """From the records of a track to the decisions on them.

    Raises:
        ValueError: not every record that was screened has exactly one decision.
    """
    flow = TrackFlow(
        track=track,
        identified=counts.identified,
        duplicates=counts.duplicates,
        excluded_notices=counts.excluded_notices,
        excluded_no_text=counts.excluded_no_text,
        excluded_superseded=counts.excluded_superseded,
        screened=counts.screened,
        excluded=screened.excluded,
        included=len(set(screened.included)),
        unsure=len(set(screened.unsure)),
        agreement=screened.agreement,
    )
    if not flow.adds_up:
        decided = sum(flow.excluded.values()) + flow.included + flow.unsure
        raise ValueError(f"{decided} decisions on {flow.screened} screened records: each needs exactly one")
    return flow


def review_flow(
    tracks: Sequence[TrackFlow],
    selected: StudiesSelected,
    *,
    with_fulltext: int,
    not_extracted: int,
    with_results: int,
) -> ReviewFlow:
    """The flow of all tracks together.

    Args:
        with_fulltext: of the studies read, those whose full text was read.
        not_extracted: those of which nothing came in time.
        with_results: those with a result of what was asked.
    """
    studies = (*selected.studies, *selected.never_read)
    sought = sum(len(study.reports) for study in studies)
    read = len(selected.studies)
    return ReviewFlow(
        tracks=tuple(tracks),
        in_several=sum(track.included + track.unsure for track in tracks) - sought,
        sought=sought,
        further_reports=sought - len(studies),
        studies_read=read,
        studies_never_read=len(selected.never_read),
        with_fulltext=with_fulltext,
        abstract_only=read - with_fulltext - not_extracted,
        not_extracted=not_extracted,
        with_results=with_results,
        without_results=read - with_results,
        only_in=_only_in(selected),
    )


def _only_in(selected: StudiesSelected) -> dict[str, int]:
    """Studies read that one track alone found."""
    alone = Counter(study.tracks[0].value for study in selected.studies if len(study.tracks) == 1)
    return dict(sorted(alone.items()))
