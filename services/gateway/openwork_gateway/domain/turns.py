"""Who is next at the door: one of each account in turn, each account's own in the order in which they came."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Turns(Generic[T]):
    """Queues by account, taken from round robin. What waits has a name within its account, and waits once."""

    def __init__(self) -> None:
        self._queues: OrderedDict[str, OrderedDict[str, T]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def __iter__(self) -> Iterator[T]:
        for queue in list(self._queues.values()):
            yield from list(queue.values())

    def waiting(self, account: str) -> int:
        """How many of an account wait."""
        return len(self._queues.get(account, ()))

    def ahead_of(self, account: str) -> int:
        """How many turns come before that of one more of an account."""
        own = self.waiting(account)
        return sum(min(len(queue), own + (name != account)) for name, queue in self._queues.items())

    def find(self, account: str, name: str) -> T | None:
        """What waits under that name; `None` = nothing."""
        queue = self._queues.get(account)
        return queue.get(name) if queue else None

    def add(self, account: str, name: str, item: T) -> None:
        """At the end of its account's queue; in the place of what waits there under the same name."""
        self._queues.setdefault(account, OrderedDict())[name] = item

    def take(self) -> T | None:
        """The next one; `None` = nobody waits."""
        if not self._queues:
            return None
        account, queue = next(iter(self._queues.items()))
        _, item = queue.popitem(last=False)
        self._queues.move_to_end(account)
        if not queue:
            del self._queues[account]
        return item

    def remove(self, account: str, name: str) -> None:
        """One that waits no more, if it still waits."""
        queue = self._queues.get(account)
        if queue and queue.pop(name, None) is not None and not queue:
            del self._queues[account]
