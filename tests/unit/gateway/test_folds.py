"""Documents as folds: every way a run can end, each track by itself, and nothing from outside its events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.answer import AnswerDocument, AnswerStatus, RunStatus
from openwork_contracts.end import EndKind
from openwork_contracts.meta import Event
from openwork_contracts.pipelines import INSTALLED
from openwork_contracts.question import Track
from openwork_gateway.domain.folds import FOLDS, fold

from tests.builders import QUESTION
from tests.run_events import (
    COUNTS,
    RUN,
    TRACE,
    completed,
    concluded,
    drafted,
    ended,
    failed,
    late,
    normalised,
    planned,
    ranked,
    rejected,
    scored,
    shortlisted,
    stored,
    submitted,
)

RUNNING = (submitted(), planned(), normalised(), shortlisted(), ranked(), drafted())
WHOLE = (*RUNNING, concluded(), completed())
TOO_LITTLE = concluded(status=AnswerStatus.TOO_LITTLE_EVIDENCE)


SEARCHED = " From stored records; not searched live."


def folded(*events: Event) -> AnswerDocument:
    return fold(stored(events))


@pytest.mark.parametrize(
    ("events", "status", "markdown"),
    [
        ((submitted(),), RunStatus.RUNNING, ""),
        (WHOLE[:-1], RunStatus.RUNNING, ""),
        (WHOLE, RunStatus.ANSWERED, f"Apixaban lowered stroke [1].{SEARCHED}"),
        ((*WHOLE[:5], TOO_LITTLE, completed()), RunStatus.TOO_LITTLE_EVIDENCE, "There is too little evidence."),
        ((submitted(), rejected()), RunStatus.REJECTED, "Ask a question."),
        ((*WHOLE[:3], failed()), RunStatus.FAILED, "It could not be done."),
        ((*WHOLE[:3], ended(EndKind.CANCELLED, "Stopped.")), RunStatus.CANCELLED, "Stopped."),
        ((submitted(), ended(EndKind.REFUSED, "Busy.")), RunStatus.REFUSED, "Busy."),
    ],
)
def test_every_way_a_run_can_stand(events: tuple[Event, ...], status: RunStatus, markdown: str) -> None:
    document = folded(*events)
    assert (document.status, document.answer.markdown) == (status, markdown)
    assert (document.run_id, document.question, document.trace_id) == (RUN, QUESTION, TRACE)


def test_a_history_without_its_question_is_shown_only_when_it_has_ended() -> None:
    """A question that nobody could read is a dead letter, and its run has failed: that is worth showing."""
    with pytest.raises(ValueError, match="query-submitted"):
        fold(stored([planned()]))
    with pytest.raises(ValueError, match="query-submitted"):
        fold([])
    document = fold(stored([failed()]))
    assert document.status is RunStatus.FAILED
    assert "could not be read" in document.question


def test_a_draft_is_never_shown() -> None:
    """Only what was verified reaches a reader."""
    document = folded(*RUNNING)
    assert document.answer.claims == ()
    assert document.references == ()


@given(st.permutations([late(), failed("a later end"), rejected(), normalised("late"), planned()]))
def test_what_is_stored_after_the_end_does_not_count(after: list[Event]) -> None:
    assert folded(*WHOLE, *after).model_dump_json() == folded(*WHOLE).model_dump_json()


@given(st.integers(min_value=1, max_value=len(WHOLE)))
def test_the_same_events_give_the_same_bytes(n: int) -> None:
    assert folded(*WHOLE[:n]).model_dump_json() == folded(*WHOLE[:n]).model_dump_json()


def test_every_degradation_is_collected_once_in_the_order_it_happened() -> None:
    document = folded(
        submitted(),
        normalised("pubmed could not be searched", "twice"),
        shortlisted(scored("documents", degradation="not final")),
        ranked(scored("documents", degradation="lexical stood in"), degradations=("no full text", "twice")),
        drafted("written by rules"),
        concluded("a reference lost its DOI"),
        completed(),
    )
    assert document.method.degradations == (
        "pubmed could not be searched",
        "twice",
        "no full text",
        "written by rules",
        "a reference lost its DOI",
        "not final",
        "lexical stood in",
    )


def test_counts_come_from_every_step() -> None:
    counts = folded(*WHOLE).method.counts
    assert (
        counts["identified"]
        == 9
        == sum(counts[k] for k in ("duplicates", "excluded_notices", "excluded_no_text", "screened"))
    )
    assert (counts["shortlisted"], counts["fulltext"], counts["passages"], counts["cited"]) == (2, 1, 0, 1)


def test_a_step_that_was_not_reached_counts_nothing() -> None:
    """Absent, which is not zero."""
    document = folded(submitted(), failed())
    assert document.method.counts == {}
    assert document.method.scorer is None
    assert document.method.intent is None
    assert "cited" not in folded(*WHOLE[:3], failed()).method.counts


def test_a_source_that_failed_is_named_with_its_reason() -> None:
    library, pubmed = folded(*WHOLE).method.sources
    assert (library.status, library.found, library.kept, library.reason) == ("completed", 9, 5, None)
    assert (pubmed.status, pubmed.found, pubmed.reason, pubmed.detail) == (
        "failed",
        0,
        "rate_limited",
        "asked too often",
    )


def test_scorers_are_named_once_with_their_model() -> None:
    triton = shortlisted(scored("documents", scorer="triton"))
    again = ranked(scored("passages", scorer="triton"))
    assert folded(submitted(), triton, again).method.scorer == "triton (m1)"
    assert folded(submitted(), triton, ranked(scored("passages"))).method.scorer == "triton (m1), lexical"


def test_a_scorer_of_stage_one_is_named_while_stage_two_goes_on() -> None:
    assert folded(submitted(), shortlisted()).method.scorer == "lexical"


def test_timings_count_from_the_question_in_stored_time() -> None:
    timings = folded(*WHOLE).timings
    assert timings.steps["query-submitted"] == 0.0
    assert timings.steps["search-planned"] == 0.5
    assert timings.total_s == timings.steps["end"] == 3.5


def test_usage_withheld_claims_and_scores_are_those_of_the_completed_answer() -> None:
    document = folded(*WHOLE)
    assert document.usage.input_tokens == 7
    assert [c.text for c in document.withheld] == ["Apixaban cures."]
    assert folded(submitted(), rejected()).verification.claims == 0


def test_a_message_that_repeats_words_of_the_question_cannot_bring_a_link_with_it() -> None:
    outcome = TOO_LITTLE.model_copy(update={"message": "Missing: [click](https://evil.example)."})
    assert "](" not in folded(submitted(), outcome, completed()).answer.markdown


def test_a_kind_of_end_that_is_newer_than_this_gateway_keeps_its_name_and_its_words() -> None:
    document = folded(submitted(), ended(EndKind("superseded"), "Another run took its place."))
    assert (document.status.value, document.answer.markdown) == ("superseded", "Another run took its place.")


def test_an_outcome_that_is_not_stored_any_more_is_no_answer() -> None:
    """The events of a run expire one by one."""
    document = folded(submitted(), completed())
    assert document.status is RunStatus.FAILED
    assert "not stored any more" in document.answer.markdown


def test_of_two_tracks_the_document_shows_the_outcome_that_the_end_names_first() -> None:
    tracks = (Track.AFFIRMATIVE, Track.FALSIFICATION)
    other = COUNTS.model_copy(update={"identified": 5, "duplicates": 0, "screened": 3})
    run = (
        submitted(),
        planned(tracks=tracks),
        planned("falsification", tracks=tracks),
        normalised("of the first"),
        normalised("of the second", track="falsification", counts=other),
        concluded(),
        concluded(track="falsification", text="Apixaban did not lower stroke."),
    )
    first = folded(*run, completed("affirmative", "falsification"))
    second = folded(*run, completed("falsification", "affirmative"))
    assert (first.track, first.answer.markdown, first.method.counts["identified"]) == (
        "affirmative",
        f"Apixaban lowered stroke [1].{SEARCHED}",
        9,
    )
    assert (second.track, second.answer.markdown, second.method.counts["identified"]) == (
        "falsification",
        f"Apixaban did not lower stroke [1].{SEARCHED}",
        5,
    )
    assert (first.method.degradations, second.method.degradations) == (("of the first",), ("of the second",))


def test_until_a_track_is_chosen_the_document_names_the_first_of_the_plan() -> None:
    assert folded(submitted()).track == "affirmative"
    plan = planned("falsification", tracks=(Track.FALSIFICATION, Track.AFFIRMATIVE))
    assert folded(submitted(), plan).track == "falsification"


def test_a_run_of_a_pipeline_that_is_not_installed_has_its_question_and_its_end() -> None:
    """Refused by a gateway, or made by a newer one."""
    document = folded(submitted(pipeline="review"), ended(EndKind.REFUSED, "Not installed.", pipeline="review"))
    assert (document.pipeline, document.status, document.answer.markdown) == (
        "review",
        RunStatus.REFUSED,
        "Not installed.",
    )
    assert document.question == QUESTION


def test_every_installed_pipeline_has_a_fold() -> None:
    assert {pipeline.name for pipeline in INSTALLED if pipeline.document} == set(FOLDS)
