"""Somebody who asks: one connection in an account of its own, which knows no more than a stranger may."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import Any

import nats
from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from openwork_bus.connection import taken_by_server
from openwork_bus.run_ids import new_run_id
from openwork_contracts.accounts import ASKER_INBOX, ASKER_RESULTS
from openwork_contracts.results import RESULT_HEADER, ResultKind

_REPLY_S = 10.0
_AGAIN_S = 0.25


@dataclass(eq=False)
class Question:
    """One question and what its asker knows of it."""

    account: str
    text: str
    deadline_s: float
    run_id: str = field(default_factory=new_run_id)
    sent_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    """Of the try that was accepted."""
    accepted: bool = False
    receipt_s: float | None = None
    """Seconds from sending to the receipt or the refusal."""
    refusal: dict[str, Any] | None = None
    """The reply that refused it at once."""
    shown: str | None = None
    """Its status as `openwork.show` told it to one who heard nothing."""


class Asker:
    """Asks by both doors, and hears what came of it."""

    def __init__(self, account: str, connection: NatsClient) -> None:
        self.account = account
        self.connection = connection
        self.heard: defaultdict[str, list[float]] = defaultdict(list)
        """When documents came, by run id: answers and refusals."""
        self._waiting: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    @classmethod
    async def connect(cls, account: str, url: str, *, with_login: bool) -> Asker:
        """A connection that is made again as often as it is lost."""
        login = {"user": account, "password": f"p-{account}"} if with_login else {}
        connection = await nats.connect(
            url,
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.1,
            ping_interval=5,
            error_cb=_silent,
            pending_size=64 * 2**20,
            **login,
        )
        asker = cls(account, connection)
        await connection.subscribe(f"{ASKER_RESULTS}.*", cb=asker._hear, pending_msgs_limit=-1, pending_bytes_limit=-1)
        await taken_by_server(connection)
        return asker

    async def close(self) -> None:
        """End the connection."""
        with suppress(NatsError, OSError):
            await self.connection.close()

    async def ask(self, text: str, *, deadline_s: float, patience_s: float = 30.0) -> Question:
        """By `openwork.ask`, again under the same run id until there is a reply."""
        return await self._send(Question(self.account, text, deadline_s), "openwork.ask", patience_s)

    async def publish(self, text: str, *, deadline_s: float, patience_s: float = 30.0) -> Question:
        """By the inbox, again until the server acknowledges it."""
        question = Question(self.account, text, deadline_s)
        return await self._send(question, f"{ASKER_INBOX}.{question.run_id}", patience_s)

    async def publish_raw(self, body: bytes) -> Question:
        """Anything into the inbox, as fast as it goes: without waiting for the receipt."""
        question = Question(self.account, "", 60.0, accepted=True)
        await self.connection.publish(f"{ASKER_INBOX}.{question.run_id}", body)
        return question

    async def answer_to(self, question: Question) -> float:
        """Wait for its document; when it came, by the clock of `monotonic`."""
        return await self.end_of(question.run_id)

    async def end_of(self, run_id: str) -> float:
        """As `answer_to`, of a run that somebody else began in this account."""
        if not self.heard.get(run_id):
            await self._waiting[run_id].wait()
        return self.heard[run_id][0]

    async def look(self, question: Question) -> None:
        """What became of one of which nothing was heard."""
        body = json.dumps({"run_id": question.run_id}).encode()
        with suppress(NatsError, OSError, TimeoutError):
            reply = json.loads((await self.connection.request("openwork.show", body, timeout=_REPLY_S)).data)
            if (document := reply.get("document")) and document["status"] != "running":
                question.shown = document["status"]

    async def _send(self, question: Question, subject: str, patience_s: float) -> Question:
        body: dict[str, Any] = {"question": question.text, "options": {"deadline_s": question.deadline_s}}
        if subject == "openwork.ask":
            body["run_id"] = question.run_id
        data, begun = json.dumps(body).encode(), monotonic()
        while monotonic() - begun < patience_s:
            question.sent_at = datetime.now(UTC)
            try:
                reply = json.loads((await self.connection.request(subject, data, timeout=_REPLY_S)).data)
            except (NatsError, OSError, TimeoutError):  # nobody there just now, or the server itself is away
                await asyncio.sleep(_AGAIN_S)
                continue
            if not _try_again(reply):
                question.receipt_s = monotonic() - begun
                question.accepted = not reply.get("error")
                question.refusal = reply if reply.get("error") else None
                return question
            await asyncio.sleep(_AGAIN_S)
        return question

    async def _hear(self, message: Msg) -> None:
        if (message.headers or {}).get(RESULT_HEADER) == ResultKind.DOCUMENT.value:
            run_id = message.subject.rpartition(".")[2]
            self.heard[run_id].append(monotonic())
            self._waiting[run_id].set()


def _try_again(reply: dict[str, Any]) -> bool:
    """Whether the bus was not there for it: the same question under the same run id may go through the next moment."""
    error = reply.get("error")
    if isinstance(error, dict):  # JetStream's own
        if error.get("err_code") in (10071, 10077) and "per subject" in str(error.get("description")):
            reply.pop("error")  # an earlier try was stored, and its acknowledgement was lost
            return False
        return True
    return reply.get("error_type") in ("BusUnavailable", "OpenWorkError")


async def _silent(error: Exception) -> None:
    """What goes wrong with the connection is seen in what becomes of the questions."""
