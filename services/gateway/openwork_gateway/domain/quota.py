"""How many runs an account began within the last hour."""

from __future__ import annotations

from collections import deque

_HOUR_S = 3600.0


class Quota:
    """A sliding window of an hour. Every gateway hears of every run, so that all count the same."""

    def __init__(self, per_hour: int) -> None:
        self._per_hour = per_hour
        self._begun: dict[str, deque[float]] = {}

    def began(self, account: str, now: float) -> None:
        """A run of an account began."""
        if self._per_hour:
            self._recent(account, now).append(now)

    def retry_after_s(self, account: str, now: float) -> float | None:
        """Seconds until the account may begin another; `None` = now."""
        if not self._per_hour:
            return None
        recent = self._recent(account, now)
        return recent[-self._per_hour] + _HOUR_S - now if len(recent) >= self._per_hour else None

    def _recent(self, account: str, now: float) -> deque[float]:
        begun = self._begun.setdefault(account, deque(maxlen=self._per_hour))
        while begun and now - begun[0] > _HOUR_S:
            begun.popleft()
        return begun
