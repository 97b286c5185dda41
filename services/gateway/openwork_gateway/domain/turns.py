"""Who is next at the door: one of each account in turn, each account's own in the order in which they came."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Turns(Generic[T]):
    """Queues by account, taken from round robin."""

    def __init__(self) -> None:
        self._queues: OrderedDict[str, deque[T]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def __iter__(self) -> Iterator[T]:
        for queue in list(self._queues.values()):
            yield from list(queue)

    def waiting(self, account: str) -> int:
        """How many of an account wait."""
        return len(self._queues.get(account, ()))

    def ahead_of(self, account: str) -> int:
        """How many turns come before that of one more of an account."""
        own = self.waiting(account)
        return sum(min(len(queue), own + (name != account)) for name, queue in self._queues.items())

    def add(self, account: str, item: T) -> None:
        """At the end of its account's queue."""
        self._queues.setdefault(account, deque()).append(item)

    def take(self) -> T | None:
        """The next one; `None` = nobody waits."""
        if not self._queues:
            return None
        account, queue = next(iter(self._queues.items()))
        item = queue.popleft()
        self._queues.move_to_end(account)
        if not queue:
            del self._queues[account]
        return item

    def remove(self, account: str, item: T) -> None:
        """One that waits no more."""
        queue = self._queues[account]
        queue.remove(item)
        if not queue:
            del self._queues[account]
