"""Answering requests: many at once, shared among replicas, fairly among accounts; a service that stops drops none."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable

from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

log = logging.getLogger(__name__)

Responder = Callable[[str, bytes], Awaitable[bytes]]
"""Account and body of a request in, body of the reply out. Raises nothing: what went wrong is said in the reply."""

AT_ONCE = 128
"""Requests of one account on one subject in work in one process: most of them wait for a run's end."""
QUEUED = 1024
"""And how many may wait behind them; more are told to come again."""
QUEUED_BYTES = 32 * 2**20
"""And how much these may hold together: a request may be as large as the server takes, and 1,152 such are 9 GB."""
_BUSY_WORDS = "Too many requests of this account at once; try again in 1 s."
_BUSY = json.dumps({"error": _BUSY_WORDS, "error_type": "Busy", "retry_after_s": 1.0}).encode()
_FAILED = json.dumps({"error": "The service failed unexpectedly.", "error_type": "OpenWorkError"}).encode()
_TOO_LARGE_WORDS = "The reply is larger than the server takes in one message."
_TOO_LARGE = json.dumps({"error": _TOO_LARGE_WORDS, "error_type": "EventTooLarge"}).encode()
STOP_S = 30.0
"""Seconds for what was taken before a stop: as long as the longest wait for a run's end."""


class Answers:
    """The requests of one subject, whose last token is the asker's account."""

    def __init__(
        self, subject: str, queue: str, responder: Responder, *, at_once: int = AT_ONCE, queued: int = QUEUED
    ) -> None:
        self._subject = subject
        self._queue = queue
        self._responder = responder
        self._most = at_once + queued
        self._room: dict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(at_once))
        self._work: dict[str, set[asyncio.Task[None]]] = defaultdict(set)
        self._held: dict[str, int] = defaultdict(int)
        """Bytes of the requests in work, by account."""
        self._connection: NatsClient | None = None
        self._subscription: Subscription | None = None

    async def start(self, connection: NatsClient) -> None:
        """Begin to answer."""
        self._connection = connection
        self._subscription = await connection.subscribe(self._subject, queue=self._queue, cb=self._take)

    async def stop(self, within_s: float = STOP_S) -> None:
        """Take nothing new and answer what was taken; what takes longer goes without a reply."""
        if self._subscription is not None:
            try:
                # nats-py's own waits without a bound for what was received to be taken.
                await asyncio.wait_for(self._subscription.drain(), within_s)  # type: ignore[no-untyped-call]
            except (NatsError, OSError, TimeoutError) as error:
                log.warning("requests of %s may be left without a reply: %r", self._subject, error)
        if tasks := [task for work in self._work.values() for task in work]:
            _, late = await asyncio.wait(tasks, timeout=within_s)
            for task in late:
                task.cancel()
            if late:
                log.warning("%d requests of %s are left without a reply: it took too long", len(late), self._subject)

    async def _take(self, message: Msg) -> None:
        account = message.subject.rpartition(".")[2]
        work, n_bytes = self._work[account], len(message.data)
        if len(work) >= self._most or self._held[account] + n_bytes > QUEUED_BYTES:
            await self._reply(message, _BUSY)
            return
        task = asyncio.create_task(self._answer(account, message))
        work.add(task)
        self._held[account] += n_bytes
        task.add_done_callback(lambda done: self._done(account, done, n_bytes))

    def _done(self, account: str, task: asyncio.Task[None], n_bytes: int) -> None:
        self._work[account].discard(task)
        self._held[account] -= n_bytes
        if not self._work[account]:
            # The room may not be there: who was cancelled before its turn never asked for it.
            self._room.pop(account, None)
            del self._work[account], self._held[account]

    async def _answer(self, account: str, message: Msg) -> None:
        async with self._room[account]:
            try:
                body = await self._responder(account, message.data)
            except Exception:
                log.exception("a request of %s on %s was not answered", account, self._subject)
                body = _FAILED
            await self._reply(message, body)

    async def _reply(self, message: Msg, body: bytes) -> None:
        assert self._connection is not None
        if not message.reply:
            return
        try:
            await self._connection.publish(message.reply, _TOO_LARGE if self._is_too_large(body) else body)
        except (NatsError, OSError) as error:
            log.warning("a reply on %s was not sent: %r", self._subject, error)

    def _is_too_large(self, body: bytes) -> bool:
        return self._connection is not None and len(body) > self._connection.max_payload
