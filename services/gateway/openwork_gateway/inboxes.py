"""The inboxes of all accounts: found, read side by side, each question taken to the door.

One durable in each; an account that publishes thousands fills its own inbox and nobody else's.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext
from nats.js.errors import NotFoundError
from openwork_bus.codec import unpack
from openwork_bus.jetstream import stored_at_of
from openwork_bus.listing import subjects_in
from openwork_bus.run_ids import check_run_id
from openwork_bus.tasks import end_tasks
from openwork_contracts.accounts import API_ACCOUNT, INBOX_PREFIX, inbox_stream, inbox_subject
from openwork_contracts.errors import BusUnavailable, ContractViolation, UsageError
from openwork_contracts.pipelines import ANSWER
from openwork_contracts.question import AskRequest
from openwork_contracts.streams import INBOX_CONSUMER
from pydantic import ValidationError

from openwork_gateway.domain.refused import UNREADABLE, refused_document
from openwork_gateway.door import Door
from openwork_gateway.metrics import Refusal
from openwork_gateway.refusals import put_refusal, stored_question
from openwork_gateway.requests import MOST_BYTES

log = logging.getLogger(__name__)

_FIND_S = 2.0
"""Between two looks for inboxes of new accounts."""
_FETCH_S = 5.0
_BATCH = 32
_LAST_TRY = 5
"""On its fifth delivery a message is refused unread: four gateways did not live to say what became of it."""
_AGAIN_S = 1.0
_KEEP_S = 3.0
"""Between two notes that a message is in hand; a third of the inbox' acknowledgement time."""
_PRINTABLE = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""A token of a subject under which a refusal can be stored."""


class Inboxes:
    """Reads the inboxes of all accounts until it is stopped."""

    def __init__(self, js: JetStreamContext, door: Door, *, inbox_prefix: bytes) -> None:
        self._js = js
        self._door = door
        self._inbox_prefix = inbox_prefix
        self._readers: dict[str, asyncio.Task[None]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._in_hand: dict[str, Msg] = {}
        """Fetched, and not yet taken to the door; by where each is acknowledged."""

    def start(self) -> None:
        """Begin to read."""
        self._tasks = [asyncio.create_task(self._find_always()), asyncio.create_task(self._keep_always())]

    async def stop(self) -> None:
        """Take nothing new. What waits at the door is in its inbox still."""
        await end_tasks(self._tasks)  # first, since one would start readers
        await end_tasks(self._readers.values())

    async def holds(self, account: str, run_id: str) -> bool:
        """Whether a question of that run id is in its account's inbox: unread, or waiting at whichever gateway.

        Raises:
            BusUnavailable: nobody answers.
        """
        subject = inbox_subject(account, run_id)
        try:
            return bool(await subjects_in(self._js, inbox_stream(account), subject))
        except NotFoundError:
            return False

    async def _find_always(self) -> None:
        while True:
            try:
                await self._find()
            except (NatsError, OSError) as error:
                log.debug("inboxes were not looked for: %r", error)
            except Exception:
                log.exception("inboxes could not be looked for")
            await asyncio.sleep(_FIND_S)

    async def _keep_always(self) -> None:
        while True:
            await asyncio.sleep(_KEEP_S)
            for message in list(self._in_hand.values()):
                with suppress(NatsError, OSError):
                    await message.in_progress()

    async def _find(self) -> None:
        """A reader for every account that has an inbox, and for no other; one that ended is started again."""
        accounts = await self._accounts()
        for account in self._readers.keys() - accounts:
            self._readers.pop(account).cancel()
        for account in accounts:
            reader = self._readers.get(account)
            if reader is None or reader.done():
                self._readers[account] = asyncio.create_task(self._read_always(account))

    async def _accounts(self) -> set[str]:
        """Accounts by the subjects of their streams; the server lists them in pages."""
        names: list[str] = []
        while True:
            asked = {"subject": f"{INBOX_PREFIX}.>", "offset": len(names)}
            reply = await self._js._api_request(
                f"{self._js._prefix}.STREAM.NAMES", json.dumps(asked).encode(), timeout=5
            )
            page = reply.get("streams") or ()
            names += page
            if not page or len(names) >= reply.get("total", 0):
                prefix = inbox_stream("")
                return {name.removeprefix(prefix) for name in names if name.startswith(prefix)}

    async def _read_always(self, account: str) -> None:
        pull = await self._js.pull_subscribe_bind(
            INBOX_CONSUMER, inbox_stream(account), inbox_prefix=self._inbox_prefix
        )
        try:
            while True:
                await self._read(account, pull)
        except Exception:
            log.exception("the reader of the inbox of %s ended; another begins", account)
        finally:
            with suppress(NatsError, OSError):
                await pull.unsubscribe()

    async def _read(self, account: str, pull: JetStreamContext.PullSubscription) -> None:
        try:
            messages = await pull.fetch(_BATCH, timeout=_FETCH_S)
        except (NatsTimeoutError, TimeoutError):
            return
        except (NatsError, OSError) as error:
            log.debug("the inbox of %s cannot be read: %r", account, error)
            await asyncio.sleep(_AGAIN_S)
            return
        self._in_hand |= {message.reply: message for message in messages}
        try:
            for message in messages:
                await self.take(account, message)
                del self._in_hand[message.reply]
        finally:
            for message in messages:
                self._in_hand.pop(message.reply, None)

    async def take(self, account: str, message: Msg) -> None:
        """One question, until what became of it is stored or it waits at the door. Raises nothing.

        While the bus takes nothing the message is kept: given back, it would have had its deliveries before the bus is
        well again, and would be delivered to nobody after that.
        """
        while True:
            try:
                await self._to_door(account, message)
            except (BusUnavailable, NatsError, OSError) as error:
                log.warning("a question of %s is tried again: %s", account, error)
                await asyncio.sleep(_AGAIN_S)
                continue
            except Exception:
                log.exception("a question of %s failed the gateway", account)
                with suppress(NatsError, OSError):
                    await message.nak(delay=_AGAIN_S)
            return

    async def _to_door(self, account: str, message: Msg) -> None:
        run_id = message.subject.rpartition(".")[2]
        if not _PRINTABLE.fullmatch(run_id):
            log.info("account %s published under %r, which is no run id", account, run_id[:80])
            await message.term()
            return
        if (message.metadata.num_delivered or 1) >= _LAST_TRY:
            await self._refuse(account, message, "The question could not be handled; ask it in other words.")
            return
        request: AskRequest | None = None
        try:
            request = _request_of(run_id, message.data)
            asked = self._door.asked(account, run_id, request, stored_at_of(message))
        except (UsageError, ContractViolation) as error:
            await self._refuse(account, message, f"{error}.".replace("..", "."), request)
            return
        await self._door.take(replace(asked, settle=message.ack, keep=message.in_progress))

    async def _refuse(self, account: str, message: Msg, why: str, request: AskRequest | None = None) -> None:
        """End a message in words that is no question, or none that can be let in."""
        self._door.count_refusal(Refusal.INVALID)
        run_id, asked_at = message.subject.rpartition(".")[2], stored_at_of(message)
        person = request.on_behalf_of if request and account == API_ACCOUNT else None
        document = refused_document(
            run_id,
            why,
            owner=f"{account}/{person}" if person else account,
            pipeline=request.pipeline if request else ANSWER,
            waited_s=(datetime.now(UTC) - asked_at).total_seconds(),
            question=request.question if request else UNREADABLE,
            options=request.options if request else None,
            asked_at=asked_at,
        )
        begun = await stored_question(self._door.bus, run_id)
        await put_refusal(self._door.bus, self._door.results, document, begun=begun, notice=why)
        await message.term()


def _request_of(run_id: str, data: bytes) -> AskRequest:
    """The question in a message.

    Raises:
        UsageError, ContractViolation: it is none, in words for its asker.
    """
    if check_run_id(run_id) != run_id:
        raise UsageError(f"{run_id} is not a run id: a ULID is written in capitals")
    try:
        # A message of 64 kB may be unfolded to 64 MB, in the process that everybody asks: a question is far smaller.
        request = AskRequest.model_validate_json(unpack(data, most_bytes=MOST_BYTES))
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "body"
        raise UsageError(f'{field}: {first["msg"]}; publish JSON such as {{"question": "..."}}') from error
    except RecursionError as error:
        raise UsageError("the body is nested too deeply to be a question") from error
    if request.run_id not in (None, run_id):
        raise UsageError("run_id in the body is another than in the subject; leave it out of the body")
    return request
