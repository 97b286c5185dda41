"""The quota of an account: runs within the last hour."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from openwork_gateway.domain.quota import Quota


def test_without_a_quota_nothing_is_counted_and_nobody_is_kept_out() -> None:
    quota = Quota(0)
    for n in range(1000):
        quota.began("A", str(n), 0.0)
    assert quota.retry_after_s("A", 0.0, waiting=1000) is None
    assert quota._begun == {}


def test_an_account_has_room_again_when_its_oldest_run_is_an_hour_old() -> None:
    quota = Quota(2)
    quota.began("A", "1", 0.0)
    quota.began("A", "2", 600.0)
    assert quota.retry_after_s("A", 700.0) == 2900
    assert quota.retry_after_s("B", 700.0) is None
    assert quota.retry_after_s("A", 3599.5) == 1
    assert quota.retry_after_s("A", 3600.0) is None
    quota.began("A", "3", 3600.0)
    assert quota.retry_after_s("A", 3600.0) == 600


def test_a_run_that_is_heard_of_again_counts_once() -> None:
    """Whoever listens hears of a publication that the stream refused too."""
    quota = Quota(2)
    for now in range(5):
        quota.began("A", "the same", float(now))
    assert quota.retry_after_s("A", 5.0) is None


def test_what_waits_is_counted_as_begun() -> None:
    quota = Quota(3)
    quota.began("A", "1", 0.0)
    assert quota.retry_after_s("A", 10.0, waiting=1) is None
    assert quota.retry_after_s("A", 10.0, waiting=2) == 3590
    assert quota.retry_after_s("A", 10.0, waiting=50) == 3600


@given(st.lists(st.integers(0, 20_000).map(float), max_size=200), st.integers(1, 20))
def test_never_more_than_the_quota_begins_within_an_hour(times: list[float], per_hour: int) -> None:
    quota, begun = Quota(per_hour), list[float]()
    for n, now in enumerate(sorted(times)):
        retry_after_s = quota.retry_after_s("A", now)
        if retry_after_s is None:
            quota.began("A", str(n), now)
            begun.append(now)
        else:
            assert 1 <= retry_after_s <= 3600
        assert sum(now - at < 3600 for at in begun) <= per_hour
        assert len(quota._begun.get("A", ())) <= per_hour
