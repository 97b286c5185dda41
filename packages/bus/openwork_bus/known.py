"""Events that this process has read lately. An event is never changed once it is stored, so it is decoded once.

The services of one process share it, as far as they are on the same server. What is there and what is not is never
answered from here: joins ask the stream's leader.
"""

from __future__ import annotations

from collections import OrderedDict

from openwork_bus.bus import StoredEvent

_MOST_BYTES = 2**20
"""Bytes of all events that are kept, as they came: compressed. An answer's are 24 kB, and 240 to 380 kB once they are
decoded (measured): no service grows by more than some 16 MB."""
_MOST_SERVERS = 4


class KnownEvents:
    """Events by subject, those used last."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._events: OrderedDict[str, tuple[StoredEvent, int]] = OrderedDict()
        self._n_bytes = 0

    def get(self, subject: str) -> StoredEvent | None:
        """The event of a subject, if it is known."""
        found = self._events.get(subject)
        if found is None:
            return None
        self._events.move_to_end(subject)
        return found[0]

    def keep(self, stored: StoredEvent, n_bytes: int) -> None:
        """Keep an event that was read; `n_bytes` as it came. One that is a quarter of all there may be is not kept."""
        if n_bytes > self._most_bytes / 4 or stored.subject in self._events:
            return
        self._events[stored.subject] = stored, n_bytes
        self._n_bytes += n_bytes
        while self._n_bytes > self._most_bytes:
            _, (_, gone) = self._events.popitem(last=False)
            self._n_bytes -= gone


_servers: OrderedDict[str, KnownEvents] = OrderedDict()


def known_on(server_id: str | None) -> KnownEvents:
    """What is known of the server of that id, which no two have; a server that is restarted has another.

    `None` = it does not say: nothing is shared.
    """
    if server_id is None:
        return KnownEvents()
    known = _servers.setdefault(server_id, KnownEvents())
    _servers.move_to_end(server_id)
    if len(_servers) > _MOST_SERVERS:
        _servers.popitem(last=False)
    return known
