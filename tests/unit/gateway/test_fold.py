"""The answer as a fold: every way a run can end, and nothing from outside its events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.answer import AnswerDocument, AnswerStatus, RunStatus
from openwork_contracts.meta import Event
from openwork_gateway.domain.fold import fold

from tests.builders import QUESTION
from tests.run_events import (
    RUN,
    TRACE,
    answered,
    drafted,
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

WHOLE = (submitted(), planned(), normalised(), shortlisted(), ranked(), drafted(), answered())
TOO_LITTLE = answered(status=AnswerStatus.TOO_LITTLE_EVIDENCE)


def folded(*events: Event) -> AnswerDocument:
    return fold(stored(events))


@pytest.mark.parametrize(
    ("events", "status", "markdown"),
    [
        ((submitted(),), RunStatus.RUNNING, ""),
        (WHOLE[:-1], RunStatus.RUNNING, ""),
        (WHOLE, RunStatus.ANSWERED, "Apixaban lowered stroke [1]."),
        ((*WHOLE[:5], TOO_LITTLE), RunStatus.TOO_LITTLE_EVIDENCE, "There is too little evidence."),
        ((submitted(), rejected()), RunStatus.REJECTED, "Ask a question."),
        ((*WHOLE[:3], failed()), RunStatus.FAILED, "It could not be done."),
    ],
)
def test_every_way_a_run_can_stand(events: tuple[Event, ...], status: RunStatus, markdown: str) -> None:
    document = folded(*events)
    assert (document.status, document.answer.markdown) == (status, markdown)
    assert (document.run_id, document.question, document.trace_id) == (RUN, QUESTION, TRACE)


def test_a_history_without_its_question_is_shown_only_when_it_has_ended() -> None:
    """A question that nobody could read is put away, and its run has failed: that is worth showing."""
    with pytest.raises(ValueError, match="query-submitted"):
        fold(stored([planned()]))
    with pytest.raises(ValueError, match="query-submitted"):
        fold([])
    document = fold(stored([failed()]))
    assert document.status is RunStatus.FAILED
    assert "could not be read" in document.question


def test_a_draft_is_never_shown() -> None:
    """Only what was verified reaches a reader."""
    document = folded(*WHOLE[:-1])
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
        answered("a reference lost its DOI"),
    )
    assert document.method.degradations == (
        "pubmed could not be searched",
        "twice",
        "no full text",
        "written by rules",
        "a reference lost its DOI",
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
    reports = (scored("documents", scorer="triton"), scored("passages", scorer="triton"), scored("passages"))
    assert folded(submitted(), ranked(*reports)).method.scorer == "triton (m1), lexical"


def test_a_scorer_of_stage_one_is_named_while_stage_two_goes_on() -> None:
    assert folded(submitted(), shortlisted()).method.scorer == "lexical"


def test_timings_count_from_the_question_in_stored_time() -> None:
    timings = folded(*WHOLE).timings
    assert timings.steps["query-submitted"] == 0.0
    assert timings.steps["search-planned"] == 0.5
    assert timings.total_s == timings.steps["answer-completed"] == 3.0


def test_usage_withheld_claims_and_scores_are_those_of_the_completed_answer() -> None:
    document = folded(*WHOLE)
    assert document.usage.input_tokens == 7
    assert [c.text for c in document.withheld] == ["Apixaban cures."]
    assert folded(submitted(), rejected()).verification.claims == 0


def test_a_message_that_repeats_words_of_the_question_cannot_bring_a_link_with_it() -> None:
    end = TOO_LITTLE.model_copy(update={"message": "Missing: [click](https://evil.example)."})
    assert "](" not in folded(submitted(), end).answer.markdown
