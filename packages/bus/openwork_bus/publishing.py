"""Storing messages: create-only, and tried again while the server has no leader, no room or no time."""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from time import monotonic

from nats.aio.client import Client as NatsClient
from nats.errors import ConnectionClosedError, NoRespondersError, NoServersError
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import APIError, NoStreamResponseError, ServiceUnavailableError
from openwork_contracts.errors import BusUnavailable, OpenWorkError, StorageFull

from openwork_bus.backoff import backoff_s
from openwork_bus.settings import ServiceSettings
from openwork_bus.storage import BATCH_GONE, Refusal, is_full, refusal_of
from openwork_bus.telemetry import current_traceparent

log = logging.getLogger(__name__)

Put = Callable[[], Awaitable[bool]]
Message = tuple[str, bytes, dict[str, str]]
"""Subject, payload, headers."""

EXPECTED = "Nats-Expected-Last-Subject-Sequence"
EXPECTED_FILTER = "Nats-Expected-Last-Subject-Sequence-Subject"
BATCH_LIMIT = 1000
"""Most messages the server takes in one atomic batch (error 10199 above)."""
TRANSIENT = (
    NatsTimeoutError,
    NoStreamResponseError,
    ServiceUnavailableError,
    NoRespondersError,
    NoServersError,
    OSError,
)


class Publisher:
    """Publishes over one connection that is open."""

    def __init__(self, connection: NatsClient, settings: ServiceSettings) -> None:
        self._connection = connection
        self._timeout_s = settings.publish_timeout_s
        self._patience_s = settings.publish_patience_s

    async def store(self, stream: str, subject: str, payload: bytes, headers: Mapping[str, str]) -> bool:
        """Store one message; False when the server says that one is there already.

        Returns:
            True also when an acknowledgement did not arrive and the retry found the message there.
        Raises:
            StorageFull: there was no room. BusUnavailable: no acknowledgement. OpenWorkError: the server refuses it.
        """
        return await self._retry(lambda: self._put(stream, subject, payload, headers), subject)

    async def store_together(self, messages: Sequence[Message]) -> bool:
        """Store all or nothing. Returns, raises: as `store`."""
        if len(messages) > BATCH_LIMIT:
            raise ValueError(f"{len(messages)} messages; one atomic batch takes {BATCH_LIMIT}")
        return await self._retry(lambda: self._put_atomically(messages), messages[0][0])

    # --- inside ----------------------------------------------------------------------------------------------------

    async def _put(self, stream: str, subject: str, payload: bytes, extra: Mapping[str, str]) -> bool:
        headers = {"Nats-Expected-Stream": stream, **_traced(extra)}
        return await self._acknowledged(subject, payload, headers)

    async def _put_atomically(self, messages: Sequence[Message]) -> bool:
        batch = {"Nats-Batch-Id": uuid.uuid4().hex}
        last = len(messages)
        for index, (subject, payload, extra) in enumerate(messages, 1):
            headers = _traced({**extra, **batch, "Nats-Batch-Sequence": str(index)})
            if index == last:
                headers["Nats-Batch-Commit"] = "1"
            elif index > 1:
                await self._connection.publish(subject, payload, headers=headers)
                continue
            # The first and the last are answered by the server; those between only when they fail.
            if not await self._acknowledged(subject, payload, headers):
                return False
        return True

    async def _acknowledged(self, subject: str, payload: bytes, headers: dict[str, str]) -> bool:
        reply = await self._connection.request(subject, payload, headers=headers, timeout=self._timeout_s)
        error = json.loads(reply.data).get("error") if reply.data else None
        if error is None:
            return True
        refused = APIError(**{key: error.get(key) for key in ("code", "err_code", "description")})
        if refusal_of(refused) is Refusal.THERE_ALREADY:
            return False
        raise refused

    async def _retry(self, put: Put, subject: str) -> bool:
        """Try again while the server has no leader, no room or no time; safe, since publishing is create-only."""
        give_up = monotonic() + self._patience_s
        tries, ack_missing = 0, False
        while True:
            tries += 1
            try:
                return await put() or ack_missing
            except ConnectionClosedError as error:
                raise BusUnavailable(f"{subject} was not stored: the connection to NATS is closed") from error
            except TRANSIENT as error:
                ack_missing = True
                if monotonic() > give_up:
                    raise await self._given_up(subject, error) from error
                if tries == 1 and self._connection.is_connected:  # else the connection's own line says it for all
                    log.warning("no acknowledgement for %s (%s); trying again", subject, words_of(error))
            except APIError as error:
                if refusal_of(error) is Refusal.FINAL:
                    raise OpenWorkError(f"NATS refused {subject}: {words_of(error)}") from error
                if monotonic() > give_up:
                    raise await self._given_up(subject, error) from error
            await asyncio.sleep(backoff_s(tries, base_s=0.1, max_s=2.0))

    async def _given_up(self, subject: str, error: Exception) -> BusUnavailable:
        kind = StorageFull if is_full(error) else BusUnavailable
        words = words_of(error)
        code = error.err_code if isinstance(error, APIError) else None
        # Out of disk space the server does not answer a publication; that a batch is incomplete is all it says of one.
        if (isinstance(error, NatsTimeoutError) or code in BATCH_GONE) and await self._answers():
            words = f"NATS answers, but stores nothing ({words}): is its disk full? Its log and its /healthz say why"
        return kind(f"{subject} was not acknowledged within {self._patience_s} s: {words}")

    async def _answers(self) -> bool:
        """Whether the server is there."""
        try:
            await self._connection.flush(timeout=2)
        except (NatsError, OSError, TimeoutError):
            return False
        return True


def words_of(error: Exception) -> str:
    """What the server says of an error, such as that its disk is full; of others their kind."""
    return f"{error.description} ({error.err_code})" if isinstance(error, APIError) else repr(error)


def _traced(extra: Mapping[str, str]) -> dict[str, str]:
    traceparent = current_traceparent()
    return {**({"traceparent": traceparent} if traceparent else {}), **extra}
