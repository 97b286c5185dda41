"""Results of runs as they are told on the bus, from one subscription to everybody who follows one.

Core NATS: a message may be lost, when the connection is. Whoever follows a run asks `openwork.show` first, and again
when the hub says so; what is told of a run's progress holds all that was told before it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from openwork_bus.codec import unpack
from openwork_contracts.accounts import ASKER_RESULTS
from openwork_contracts.results import RESULT_HEADER, ResultKind

log = logging.getLogger(__name__)

MOST_WAITING = 64
"""Messages that wait for one slow reader: of a run there are at most two a second."""
SEQUENCE = "Nats-Sequence"


@dataclass(frozen=True, slots=True)
class Told:
    """One message of a run's results, read once for all who follow it."""

    sequence: int
    kind: ResultKind
    body: dict[str, Any]
    """Of progress and notices the message; of a document its run id and status alone: it is fetched."""


class Hub:
    """Who follows which run of one account."""

    def __init__(self) -> None:
        self._readers: dict[str, set[asyncio.Queue[Told | None]]] = defaultdict(set)
        self.is_over = False
        """Whether the process stops: a stream ends, and its reader comes again elsewhere."""

    def __len__(self) -> int:
        return sum(map(len, self._readers.values()))

    async def open(self, connection: NatsClient) -> None:
        """Begin to hear."""
        await connection.subscribe(f"{ASKER_RESULTS}.*", cb=self.hear)

    def lost_sight(self) -> None:
        """The connection was away: what was told meanwhile is to be asked for."""
        for readers in self._readers.values():
            for queue in readers:
                _put(queue, None)

    def end(self) -> None:
        """Let every stream end."""
        self.is_over = True
        self.lost_sight()

    @contextmanager
    def follow(self, run_id: str) -> Iterator[asyncio.Queue[Told | None]]:
        """What is told of a run from now on; `None` = something may have been missed."""
        queue: asyncio.Queue[Told | None] = asyncio.Queue(MOST_WAITING)
        self._readers[run_id].add(queue)
        try:
            yield queue
        finally:
            self._readers[run_id].discard(queue)
            if not self._readers[run_id]:
                del self._readers[run_id]

    async def hear(self, message: Msg) -> None:
        """A message of the subscription, read once for all who follow its run."""
        run_id = message.subject.rpartition(".")[2]
        readers = self._readers.get(run_id)
        if not readers:
            return
        try:
            told = _read(message, run_id)
        except Exception:
            log.exception("a result of run %s cannot be read", run_id)
            told = None
        for queue in list(readers):
            _put(queue, told)


def _put(queue: asyncio.Queue[Told | None], told: Told | None) -> None:
    """Who does not keep up asks for what was missed."""
    if queue.full():
        while not queue.empty():
            queue.get_nowait()
        told = None
    queue.put_nowait(told)


def _read(message: Msg, run_id: str) -> Told:
    headers = message.headers or {}
    kind = ResultKind(headers[RESULT_HEADER])
    result = json.loads(unpack(message.data))
    body: dict[str, Any] = {"run_id": run_id}
    if kind is ResultKind.DOCUMENT:
        body["status"] = (result.get("document") or {}).get("status")
    elif kind is ResultKind.PROGRESS:
        body["progress"] = result["progress"]
    elif kind is ResultKind.NOTICE:
        body["message"] = result.get("message")
    return Told(int(headers[SEQUENCE]), kind, body)
