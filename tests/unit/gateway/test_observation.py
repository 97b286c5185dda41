"""Runs added up: a good hour and a bad one, what is in a window, and that order does not matter."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.answer import RunStatus
from openwork_contracts.errors import FailureReason
from openwork_contracts.observatory import Observation, Window
from openwork_gateway.domain.observation import MOST_FAILURES, SPANS, observe, spread
from openwork_gateway.domain.run_statistics import RunStatistics, SourceStatistics

from tests.observed_runs import NOW, bad_hour, failed_run, good_hour, observed, run_id

HOUR, DAY, WEEK = Window.HOUR, Window.DAY, Window.WEEK


def seen(*runs: RunStatistics, window: Window = HOUR) -> Observation:
    return observe(runs, window, NOW)


def test_of_a_good_hour_every_figure_is_good() -> None:
    found = seen(*good_hour())
    assert (found.runs, found.answers, found.outcomes, found.degraded) == (40, 40, {"answered": 40}, 0)
    assert (found.claims.claims, found.claims.supported, found.claims.withheld) == (400, 400, {})
    assert (found.claims.shown, found.claims.shown_unsupported, found.claims.own_words) == (400, 0, 320)
    assert (found.retrieval.works, found.retrieval.shortlisted, found.retrieval.cited) == (8000, 800, 200)
    assert (found.seconds.n, found.seconds.p50_s, found.seconds.p95_s, found.seconds.p99_s) == (40, 3.95, 4.85, 4.95)
    assert found.cost.cost_usd == pytest.approx(0.4)
    assert (found.cost.input_tokens, found.cost.output_tokens, found.cost.model_calls) == (200_000, 32_000, 120)
    assert [(one.name, one.seconds.p95_s) for one in found.services] == [
        ("retrievers", 2.0),
        ("synthesiser", 1.5),
        ("query", 0.5),
    ]
    assert [(one.name, one.searches, one.answered, one.failed, one.last_error) for one in found.sources] == [
        ("library", 40, 40, 0, None),
        ("pubmed", 40, 40, 0, None),
    ]
    assert (found.failures, found.complete) == ((), True)


def test_of_a_bad_hour_every_figure_says_so() -> None:
    found = seen(*bad_hour())
    assert (found.runs, found.answers, found.outcomes) == (40, 30, {"failed": 10, "answered": 30})
    assert found.degraded == 30
    assert (found.claims.claims, found.claims.supported) == (300, 240)
    assert found.claims.withheld == {"unsupported": 30, "not_confirmed": 30}
    assert found.claims.findings == {"number_not_found": 30, "drug_not_found": 30}
    assert found.seconds.p95_s == 40.0, "of answers alone: failed runs took 120 s"
    assert found.cost.cost_usd == pytest.approx(30 * 0.06 + 10 * 0.01), "runs without an answer cost too"
    assert found.services[0].name == "synthesiser"
    assert found.services[0].seconds.p95_s == 111.5
    (pubmed,) = found.sources
    assert (pubmed.searches, pubmed.failed, pubmed.answered, pubmed.works) == (40, 40, 0, 0)
    assert pubmed.last_error is FailureReason.TIMEOUT
    assert pubmed.last_error_at == NOW, "the newest of the hour"
    assert len(found.failures) == MOST_FAILURES
    assert [one.at for one in found.failures] == sorted((one.at for one in found.failures), reverse=True)
    newest = found.failures[0]
    assert (newest.step, newest.reason, newest.seconds) == ("synthesiser", FailureReason.DEADLINE, 120.0)
    assert sum(one.failed for one in found.slices) == 10


@pytest.mark.parametrize(("window", "runs"), [(HOUR, 1), (DAY, 2), (WEEK, 3)])
def test_a_run_is_in_the_windows_in_which_it_ended(window: Window, runs: int) -> None:
    ended = (timedelta(minutes=59), timedelta(hours=23), timedelta(days=6, hours=23), timedelta(days=7, minutes=1))
    found = seen(*(observed(n, ago=ago) for n, ago in enumerate(ended)), window=window)
    assert (found.runs, found.ends_at - found.begins_at) == (runs, SPANS[window].length)


def test_of_nothing_there_is_no_share_and_no_percentile() -> None:
    found = seen()
    assert (found.runs, found.answers, found.seconds.n, found.seconds.p95_s) == (0, 0, 0, None)
    assert (found.services, found.sources, found.failures) == ((), (), ())
    assert len(found.slices) == SPANS[HOUR].slices
    assert {one.p95_s for one in found.slices} == {None}


def test_slices_stand_one_after_another_and_hold_every_run_once() -> None:
    found = seen(*good_hour(), observed(99, ago=timedelta(seconds=-2), total_s=9.0), observed(98, ago=timedelta(0)))
    begun = [one.begins_at for one in found.slices]
    assert begun == [found.begins_at + timedelta(minutes=5 * n) for n in range(12)]
    assert sum(one.runs for one in found.slices) == found.runs == 42
    assert found.slices[-1].p95_s == 9.0, "a clock that is ahead of ours loses no run"
    assert sum(one.claims for one in found.slices) == found.claims.claims
    assert sum(one.cost_usd for one in found.slices) == pytest.approx(found.cost.cost_usd)


def test_only_the_readers_own_failures_are_named() -> None:
    runs = (failed_run(1), failed_run(2, ago=timedelta(minutes=5)))
    found = observe(runs, HOUR, NOW, own={run_id(1)})
    assert [(one.run_id, one.trace_id) for one in found.failures] == [
        (None, runs[1].trace_id),
        (run_id(1), runs[0].trace_id),
    ]


def test_runs_without_an_answer_are_no_part_of_its_time_and_its_works() -> None:
    rejected = observed(2, status=RunStatus.REJECTED, total_s=0.1)
    little = observed(3, status=RunStatus.TOO_LITTLE_EVIDENCE, total_s=5.0, cited=0)
    found = seen(observed(1), rejected, little)
    assert (found.answers, found.seconds.n, found.retrieval.works, found.retrieval.cited) == (2, 2, 400, 5)


def test_a_search_that_we_did_not_make_is_no_failure_of_the_source() -> None:
    found = seen(observed(sources=(SourceStatistics("pubmed", not_asked=1),)))
    (pubmed,) = found.sources
    assert (pubmed.searches, pubmed.failed, pubmed.not_asked, pubmed.last_error_at) == (1, 0, 1, None)


@pytest.mark.parametrize(("hours", "complete"), [(0.5, False), (2, True)])
def test_a_window_of_which_runs_are_gone_says_so(hours: float, complete: bool) -> None:
    found = observe([observed()], HOUR, NOW, complete_from=NOW - timedelta(hours=hours))
    assert found.complete is complete


@given(st.permutations([*good_hour(6), *bad_hour(8)]))
def test_the_order_in_which_runs_were_read_changes_nothing(runs: list[RunStatistics]) -> None:
    assert seen(*runs) == seen(*good_hour(6), *bad_hour(8))


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=300))
def test_percentiles_were_seen_and_stand_in_their_order(seconds: list[float]) -> None:
    found = spread(seconds)
    assert {found.p50_s, found.p95_s, found.p99_s} <= set(seconds)
    assert found.p50_s <= found.p95_s <= found.p99_s
    for share, value in ((0.5, found.p50_s), (0.95, found.p95_s), (0.99, found.p99_s)):
        assert sum(one <= value for one in seconds) >= share * len(seconds) - 1e-9
        assert sum(one < value for one in seconds) < share * len(seconds)
