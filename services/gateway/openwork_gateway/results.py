"""What readers get: stored by account and run, told to whoever listens, and found again after the events are gone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Protocol

from nats.errors import ConnectionClosedError
from nats.js.errors import NotFoundError
from openwork_bus.codec import pack, to_json, unpack
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.publishing import TRANSIENT
from openwork_contracts.accounts import account_of, results_subject
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.errors import BusUnavailable, ContractViolation
from openwork_contracts.results import RESULT_HEADER, ResultKind, RunResult
from openwork_contracts.subjects import RESULTS_STREAM
from pydantic import ValidationError

LARGE_OVER_BYTES = 4 * 2**20
"""Of a document as JSON; a larger one is stored apart, and a reply refers to it."""
_PACK_OVER_BYTES = 4096


class Results(Protocol):
    """The results of all runs."""

    async def put(self, result: RunResult, owner: str, *, once: bool = False) -> None:
        """Store one message of a run's results.

        Args:
            once: what a run came to, which two gateways may find out at the same time.
        Raises:
            BusUnavailable: it was not stored.
        """
        ...

    async def document(self, owner: str, run_id: str) -> AnswerDocument | None:
        """What a run of this owner's account came to; `None` = nothing yet, or not his.

        Raises:
            BusUnavailable: nobody answers.
        """
        ...

    async def run_ids(self, account: str) -> frozenset[str]:
        """Runs of an account of which something is stored."""
        ...


async def put_document(results: Results, document: AnswerDocument, *, once: bool = False) -> None:
    """Store what a run came to. See `Results.put`."""
    now = datetime.now(UTC)
    result = RunResult(run_id=document.run_id, kind=ResultKind.DOCUMENT, at=now, document=document)
    await results.put(result, document.owner, once=once)


class StoredResults:
    """`Results` in JetStream."""

    def __init__(self, bus: JetStreamBus) -> None:
        self._bus = bus
        self._js = bus.connection.jetstream(timeout=5)

    async def put(self, result: RunResult, owner: str, *, once: bool = False) -> None:
        """See `Results`."""
        body = to_json(result)
        if result.document is not None and len(body) > LARGE_OVER_BYTES:
            ref = await self._bus.put_blob(pack(to_json(result.document)), media_type="application/json+zstd")
            body = to_json(result.model_copy(update={"document": None, "body": ref}))
        headers = {RESULT_HEADER: result.kind.value}
        if once:
            headers["Nats-Msg-Id"] = f"document-{result.run_id}-{account_of(owner)}"
        subject = results_subject(account_of(owner), result.run_id)
        await self._bus.publisher.store(RESULTS_STREAM, subject, pack(body, over_bytes=_PACK_OVER_BYTES), headers)

    async def document(self, owner: str, run_id: str) -> AnswerDocument | None:
        """See `Results`."""
        subject = results_subject(account_of(owner), run_id)
        try:
            message = await self._js.get_last_msg(RESULTS_STREAM, subject, direct=True)
        except NotFoundError:
            return None
        except (*TRANSIENT, ConnectionClosedError) as error:
            raise BusUnavailable(f"{subject} could not be read: {error!r}") from error
        return await self.read(message.data or b"", message.headers or {}, owner)

    async def read(self, data: bytes, headers: Mapping[str, str], owner: str) -> AnswerDocument | None:
        """The document in a message of a run's results, where there is one and it is this owner's."""
        if headers.get(RESULT_HEADER) != ResultKind.DOCUMENT.value:
            return None
        try:
            result = RunResult.model_validate_json(unpack(data))
            document = result.document
            if result.body is not None:
                document = AnswerDocument.model_validate_json(unpack(await self._bus.get_blob(result.body)))
        except (ValidationError, LookupError) as error:
            raise ContractViolation(f"a stored result cannot be read: {error}") from error
        return document if document is not None and document.owner == owner else None

    async def run_ids(self, account: str) -> frozenset[str]:
        """See `Results`."""
        try:
            info = await self._js.stream_info(RESULTS_STREAM, subjects_filter=results_subject(account))
        except (*TRANSIENT, ConnectionClosedError) as error:
            raise BusUnavailable(f"the results of {account} could not be listed: {error!r}") from error
        return frozenset(subject.rpartition(".")[2] for subject in info.state.subjects or {})
