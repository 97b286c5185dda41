"""The inboxes of all accounts: found, read side by side, each question taken to the door.

One durable in each; an account that publishes thousands fills its own inbox and nobody else's.
"""

from __future__ import annotations

import asyncio
import logging
import re
from contextlib import suppress
from datetime import UTC, datetime

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext
from nats.js.errors import Error as JetStreamError
from openwork_bus.codec import unpack
from openwork_bus.jetstream import stored_at_of
from openwork_bus.run_ids import check_run_id
from openwork_contracts.accounts import INBOX_PREFIX, inbox_stream
from openwork_contracts.errors import ContractViolation, OpenWorkError, UsageError
from openwork_contracts.pipelines import ANSWER
from openwork_contracts.question import AskRequest
from openwork_contracts.streams import INBOX_CONSUMER
from pydantic import ValidationError

from openwork_gateway.domain.refused import refused_document
from openwork_gateway.door import Asked, Door
from openwork_gateway.results import put_document

log = logging.getLogger(__name__)

_FIND_S = 2.0
"""Between two looks for inboxes of new accounts."""
_FETCH_S = 5.0
_BATCH = 32
_LAST_TRY = 4
"""On its fourth delivery a message is refused unread: three gateways did not live to say what became of it."""
_AGAIN_S = 1.0
_PRINTABLE = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""A token of a subject under which a refusal can be stored."""


class Inboxes:
    """Reads the inboxes of all accounts until it is stopped."""

    def __init__(self, js: JetStreamContext, door: Door, *, inbox_prefix: bytes) -> None:
        self._js = js
        self._door = door
        self._inbox_prefix = inbox_prefix
        self._readers: dict[str, asyncio.Task[None]] = {}
        self._finder: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to read."""
        self._finder = asyncio.create_task(self._find_always())

    async def stop(self) -> None:
        """Take nothing new. What waits at the door is in its inbox still."""
        tasks = [*self._readers.values(), *([self._finder] if self._finder else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _find_always(self) -> None:
        while True:
            with suppress(NatsError, JetStreamError, OSError):
                await self._find()
            await asyncio.sleep(_FIND_S)

    async def _find(self) -> None:
        """A reader for every account that has an inbox and none yet; one that ended is started again."""
        for account in await self._accounts():
            reader = self._readers.get(account)
            if reader is None or reader.done():
                self._readers[account] = asyncio.create_task(self._read_always(account))

    async def _accounts(self) -> list[str]:
        """Accounts by the subjects of their streams."""
        reply = await self._js._api_request(
            f"{self._js._prefix}.STREAM.NAMES", b'{"subject": "%s.>"}' % INBOX_PREFIX.encode(), timeout=5
        )
        prefix = inbox_stream("")
        return [name.removeprefix(prefix) for name in reply.get("streams") or () if name.startswith(prefix)]

    async def _read_always(self, account: str) -> None:
        pull = await self._js.pull_subscribe_bind(
            INBOX_CONSUMER, inbox_stream(account), inbox_prefix=self._inbox_prefix
        )
        while True:
            try:
                messages = await pull.fetch(_BATCH, timeout=_FETCH_S)
            except (NatsTimeoutError, TimeoutError):
                continue
            except (NatsError, JetStreamError, OSError) as error:
                log.debug("the inbox of %s cannot be read: %r", account, error)
                await asyncio.sleep(_AGAIN_S)
                continue
            for message in messages:
                await self._take(account, message)

    async def _take(self, account: str, message: Msg) -> None:
        """One question. What goes wrong with the bus is tried again; nothing of an asker's stops the reader."""
        try:
            await self._to_door(account, message)
        except OpenWorkError as error:
            log.warning("a question of %s is tried again: %s", account, error)
            with suppress(NatsError, OSError):
                await message.nak(delay=_AGAIN_S)
        except Exception:
            log.exception("a question of %s failed the gateway", account)
            with suppress(NatsError, OSError):
                await message.nak(delay=_AGAIN_S)

    async def _to_door(self, account: str, message: Msg) -> None:
        run_id = message.subject.rpartition(".")[2]
        if (message.metadata.num_delivered or 1) >= _LAST_TRY:
            await self._refuse(account, message, run_id, "The question could not be handled; ask it in other words.")
            return
        if not _PRINTABLE.fullmatch(run_id):
            log.info("account %s published under %r, which is no run id", account, run_id[:80])
            await message.term()
            return
        try:
            asked = self._asked(account, run_id, message)
        except (UsageError, ContractViolation) as error:
            await self._refuse(account, message, run_id, f"{error}.".replace("..", "."))
            return
        await self._door.take(asked)

    def _asked(self, account: str, run_id: str, message: Msg) -> Asked:
        if check_run_id(run_id) != run_id:
            raise UsageError(f"{run_id} is not a run id: a ULID is written in capitals")
        try:
            request = AskRequest.model_validate_json(unpack(message.data))
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            field = ".".join(map(str, first["loc"])) or "body"
            raise UsageError(f'{field}: {first["msg"]}; publish JSON such as {{"question": "..."}}') from error
        except RecursionError as error:
            raise UsageError("the body is nested too deeply to be a question") from error
        if request.run_id not in (None, run_id):
            raise UsageError("run_id in the body is another than in the subject; leave it out of the body")
        asked = self._door.asked(account, run_id, request, stored_at_of(message))
        return Asked(
            account, run_id, request, asked.asked_at, asked.within_s, settle=message.ack, keep=message.in_progress
        )

    async def _refuse(self, account: str, message: Msg, run_id: str, why: str) -> None:
        asked_at = stored_at_of(message)
        waited_s = (datetime.now(UTC) - asked_at).total_seconds()
        document = refused_document(run_id, why, owner=account, pipeline=ANSWER, waited_s=waited_s, asked_at=asked_at)
        await put_document(self._door.results, document)
        await message.term()
