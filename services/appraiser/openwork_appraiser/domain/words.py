"""What the table says in sentences of fixed forms, and what the review did not do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from openwork_answers.estimates_in_words import estimate_in_words, figure
from openwork_answers.searched import answered_and_missed
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.measures import measure_in_words
from openwork_contracts.question import Track
from openwork_contracts.tabulation import PooledOutcome, ReviewFlow

_NOTHING_SEARCHED = "No source could be searched, so that this review says nothing about the evidence."
MOST_TOLD = 6
"""Outcomes in the summary; the table has the others."""


def summary_of(
    outcomes: Sequence[PooledOutcome], flow: ReviewFlow, searched: Sequence[EvidenceNormalised]
) -> tuple[str, ...]:
    """What was found, in the order of the table; first that nothing could be searched, where that is so."""
    silent = () if any(answered_and_missed(one)[0] for one in searched) else (_NOTHING_SEARCHED,)
    return (*silent, *_flow(flow), *(line for one in outcomes[:MOST_TOLD] for line in _outcome(one)))


def limits_of(
    flow: ReviewFlow, searched: Sequence[EvidenceNormalised], *, outcomes: Sequence[PooledOutcome]
) -> tuple[str, ...]:
    """Where the review is less than a systematic review, from its own numbers; what was not searched first."""
    told = list(_not_searched(searched))
    told.append("Risk of bias and certainty of the evidence were not assessed.")
    if all(track.agreement is None for track in flow.tracks):
        told.append(
            "Records were screened once, by rules: agreement of two labellers and the number of relevant records that "
            "were missed are not estimated."
        )
    if flow.studies_never_read:
        told.append(f"{_n(flow.studies_never_read, 'study', 'studies')} not excluded and never read.")
    if flow.abstract_only:
        told.append(f"Of {_n(flow.abstract_only, 'study', 'studies')} no full text was read.")
    if flow.not_extracted:
        told.append(f"{_n(flow.not_extracted, 'study', 'studies')} could not be read in time.")
    if outcomes and not any(one.pooled for one in outcomes):
        told.append("No outcome had two studies that may be pooled.")
    return tuple(told)


def _not_searched(searched: Sequence[EvidenceNormalised]) -> Iterator[str]:
    """What each search had no answer from; once where it is the same for all."""
    missed = [answered_and_missed(one)[1] for one in searched]
    if len(searched) > 1 and missed[0] and all(one == missed[0] for one in missed):
        yield f"No search had an answer from {', '.join(missed[0])}: what is there alone is missing."
        return
    for one, names in zip(searched, missed, strict=True):
        if names:
            track = Track(one.meta.track).in_words
            yield f"The {track} had no answer from {', '.join(names)}: what is there alone is missing."


def _flow(flow: ReviewFlow) -> Iterator[str]:
    identified = sum(track.identified for track in flow.tracks)
    screened = sum(track.screened for track in flow.tracks)
    yield (
        f"{_n(identified, 'record was', 'records were')} found by {_n(len(flow.tracks), 'search', 'searches')}, "
        f"{screened} screened and {_n(flow.studies_read, 'study', 'studies')} read, "
        f"{flow.with_results} with a result of what was asked."
    )
    for track, n in flow.only_in.items():
        yield f"{_n(n, 'study was', 'studies were')} found by the {Track(track).in_words} alone."


def _outcome(one: PooledOutcome) -> Iterator[str]:
    measure = measure_in_words(one.measure)
    name = f"{one.outcome[:1].upper()}{one.outcome[1:]}, {one.comparison}"
    if one.pooled is not None:
        people = one.n_people
        of = f" with {people} people" if people else ""
        spread = f"; I² {100 * one.i2:.0f} %" if one.i2 is not None and len(one.rows) > 2 else ""
        prediction = (
            f"; prediction interval {figure(one.prediction.low)} to {figure(one.prediction.high)}"
            if one.prediction
            else ""
        )
        found = f"{measure} {estimate_in_words(one.pooled)}, {len(one.rows)} studies{of}"
        yield f"{name}: {found}, {one.model}{spread}{prediction}."
        if one.absolute:
            yield f"That is {one.absolute}."
    elif one.rows:
        told = "; ".join(f"{row.study} {estimate_in_words(row.effect)}" for row in one.rows)
        yield f"{name}, not pooled: {measure} {told}."


def _n(n: int, one: str, several: str) -> str:
    return f"{n} {one if n == 1 else several}"
