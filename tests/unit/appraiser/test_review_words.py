"""What a review says of what it did not search."""

from __future__ import annotations

from openwork_appraiser.domain.words import limits_of, summary_of
from openwork_bus.memory import MemoryBus
from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import EvidenceNormalised, PrismaCounts, SourceReport, SourceStatus
from openwork_contracts.question import Track
from openwork_contracts.tabulation import ReviewFlow, TrackFlow

from tests.builders import run_on

NOTHING = PrismaCounts(
    identified=0, duplicates=0, excluded_notices=0, excluded_no_text=0, excluded_superseded=0, screened=0
)


def searched(track: Track, **sources: SourceStatus) -> EvidenceNormalised:
    """The records of a track's sources, none of which has any."""
    run = run_on(MemoryBus(), track=track)
    reports = (
        SourceReport(
            name=name.replace("_", "-"),
            status=status,
            reason=None if status is SourceStatus.COMPLETED else FailureReason.TIMEOUT,
        )
        for name, status in sources.items()
    )
    return EvidenceNormalised(meta=run.meta(EvidenceNormalised), candidates=(), sources=tuple(reports), counts=NOTHING)


def flow() -> ReviewFlow:
    return ReviewFlow(
        tracks=tuple(
            TrackFlow(
                track=track,
                identified=0,
                duplicates=0,
                excluded_notices=0,
                excluded_no_text=0,
                screened=0,
                included=0,
                unsure=0,
            )
            for track in Track
        )
    )


FAILED, DONE, LATE = SourceStatus.FAILED, SourceStatus.COMPLETED, SourceStatus.MISSED_DEADLINE


def test_where_nothing_could_be_searched_that_is_said_first() -> None:
    found = [searched(track, pubmed=FAILED) for track in Track]
    assert summary_of((), flow(), found)[0].startswith("No source could be searched")


def test_where_one_search_had_an_answer_the_records_come_first() -> None:
    found = [searched(Track.AFFIRMATIVE, pubmed=FAILED), searched(Track.FALSIFICATION, pubmed=DONE)]
    assert summary_of((), flow(), found)[0].startswith("0 records were found")


def test_each_search_says_first_which_sources_gave_no_answer() -> None:
    found = [
        searched(Track.AFFIRMATIVE, pubmed=FAILED, europepmc=DONE, openalex=LATE),
        searched(Track.FALSIFICATION, pubmed=DONE, europepmc=DONE, openalex=DONE),
    ]
    first, *others = limits_of(flow(), found, outcomes=())
    assert first == "The search for an effect had no answer from PubMed, OpenAlex: what is there alone is missing."
    assert not any("no answer" in line for line in others)


def test_a_service_one_of_whose_searches_answered_was_searched() -> None:
    found = [searched(Track.AFFIRMATIVE, europepmc=DONE, europepmc_cited=FAILED)]
    assert not any("no answer" in line for line in limits_of(flow(), found, outcomes=()))


def test_what_no_search_had_an_answer_from_is_said_once() -> None:
    found = [searched(track, pubmed=FAILED, europepmc=DONE) for track in Track]
    told = [line for line in limits_of(flow(), found, outcomes=()) if "no answer" in line or "No search" in line]
    assert told == ["No search had an answer from PubMed: what is there alone is missing."]
