"""How many runs an account began within the last hour. `local` and `api`, which are the house's own, have no quota."""

from __future__ import annotations

from collections import OrderedDict
from itertools import islice

from openwork_contracts.accounts import API_ACCOUNT, LOCAL_ACCOUNT

_HOUR_S = 3600.0
_FREE = frozenset({LOCAL_ACCOUNT, API_ACCOUNT})


class Quota:
    """A sliding window of an hour. Every gateway hears of every run, so that all count the same."""

    def __init__(self, per_hour: int) -> None:
        self._per_hour = per_hour
        self._begun: dict[str, OrderedDict[str, float]] = {}
        """Account -> run id -> when it began."""

    def began(self, account: str, run_id: str, now: float) -> None:
        """A run of an account began. One that is heard of again, as a refused repetition is too, counts once."""
        if not self._per_hour or account in _FREE:
            return
        recent = self._recent(account, now)
        recent.setdefault(run_id, now)
        if len(recent) > self._per_hour:
            recent.popitem(last=False)

    def retry_after_s(self, account: str, now: float, *, waiting: int = 0) -> float | None:
        """Seconds until the account may begin another; `None` = now.

        Args:
            waiting: questions of the account at the door, which will begin a run each.
        """
        if not self._per_hour or account in _FREE:
            return None
        recent = self._recent(account, now)
        to_go = len(recent) + waiting - self._per_hour
        if to_go < 0:
            return None
        oldest = next(islice(recent.values(), to_go, None), now)
        return max(1.0, oldest + _HOUR_S - now)

    def _recent(self, account: str, now: float) -> OrderedDict[str, float]:
        begun = self._begun.setdefault(account, OrderedDict())
        while begun and now - next(iter(begun.values())) >= _HOUR_S:
            begun.popitem(last=False)
        return begun
