"""What readers get: stored by account and run, told to whoever listens, and found again after the events are gone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol

from nats.errors import ConnectionClosedError
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError
from openwork_bus.codec import pack, to_json, unpack
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.listing import subjects_in
from openwork_bus.publishing import EXPECTED, TRANSIENT
from openwork_contracts.accounts import account_of, results_subject
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.errors import BusUnavailable, ContractViolation, RunNotFound
from openwork_contracts.progress import Progress
from openwork_contracts.results import RESULT_HEADER, ResultKind, RunResult
from openwork_contracts.subjects import RESULTS_STREAM
from pydantic import ValidationError

LARGE_OVER_BYTES = 4 * 2**20
"""Of a document as JSON; a larger one is stored apart, and a reply refers to it."""
_PACK_OVER_BYTES = 4096
_KEPT_S = {RunStatus.REFUSED: 3600, RunStatus.REJECTED: 86_400}
"""Seconds after which a document is gone that is no answer: who asks garbage by the thousand must not push out answers
of others, which share the stream. Others stay as long as the stream keeps them."""


class Results(Protocol):
    """The results of all runs."""

    async def put(self, result: RunResult, owner: str, *, once: bool = False, first: bool = False) -> bool:
        """Store one message of a run's results.

        Args:
            once: what a run came to, which two gateways may find out at the same time.
            first: only when nothing is stored of that run.
        Returns:
            False when it was to be the first and is not, and nothing was stored.
        Raises:
            BusUnavailable: it was not stored.
        """
        ...

    async def put_progress(self, progress: Progress, owner: str) -> bool:
        """Store how far a run is; False, and nothing stored, when its document is there: that stays the last.

        Raises:
            BusUnavailable: it was not stored.
        """
        ...

    async def last(self, account: str, run_id: str) -> AnswerDocument | None:
        """What a run of an account came to, whoever of its persons asked; `None` = nothing yet.

        Raises:
            BusUnavailable: nobody answers. ContractViolation: it cannot be read.
        """
        ...

    async def document(self, owner: str, run_id: str) -> AnswerDocument | None:
        """What a run of this owner came to; `None` = nothing yet, or another's.

        Raises:
            RunNotFound: it was deleted. Others as `last`.
        """
        ...

    async def last_told(self, owner: str, run_id: str) -> tuple[int, Progress | None] | None:
        """What was stored last of a run: its place in the stream, and how far it is where that was told last.

        `None` = nothing is stored. Whose run it is, its caller knows. Raises as `last`.
        """
        ...

    async def delete(self, owner: str, run_id: str) -> None:
        """Remove all that is stored of a run. Raises: BusUnavailable, when it was not removed."""
        ...

    async def run_ids(self, account: str) -> frozenset[str]:
        """Runs of an account of which something is stored."""
        ...


async def put_document(results: Results, document: AnswerDocument, *, once: bool = False, first: bool = False) -> bool:
    """Store what a run came to. See `Results.put`."""
    now = datetime.now(UTC)
    result = RunResult(run_id=document.run_id, kind=ResultKind.DOCUMENT, at=now, document=document)
    return await results.put(result, document.owner, once=once, first=first)


class StoredResults:
    """`Results` in JetStream."""

    def __init__(self, bus: JetStreamBus, *, events_hours: float = 48.0) -> None:
        self._bus = bus
        self._remembered_s = (events_hours + 1) * 3600
        self._js = bus.connection.jetstream(timeout=5)

    async def put(self, result: RunResult, owner: str, *, once: bool = False, first: bool = False) -> bool:
        """See `Results`."""
        body = to_json(result)
        if result.document is not None and len(body) > LARGE_OVER_BYTES:
            ref = await self._bus.put_blob(pack(to_json(result.document)), media_type="application/json+zstd")
            body = to_json(result.model_copy(update={"document": None, "body": ref}))
        headers = {RESULT_HEADER: result.kind.value}
        if result.document is not None and (kept_s := _KEPT_S.get(result.document.status)):
            headers["Nats-TTL"] = str(kept_s)
        if once:
            headers["Nats-Msg-Id"] = f"document-{result.run_id}-{account_of(owner)}"
        if first:
            headers[EXPECTED] = "0"
        subject = results_subject(account_of(owner), result.run_id)
        packed = pack(body, over_bytes=_PACK_OVER_BYTES)
        return await self._bus.publisher.store(RESULTS_STREAM, subject, packed, headers)

    async def put_progress(self, progress: Progress, owner: str) -> bool:
        """See `Results`. Stored only as the successor of what was seen last."""
        subject = results_subject(account_of(owner), progress.run_id)
        message = await self._last(subject)
        if _is_deleted(message):
            return False
        document = await self._read(message)
        if document is not None and document.status is not RunStatus.REFUSED:
            return False
        result = RunResult(run_id=progress.run_id, kind=ResultKind.PROGRESS, at=datetime.now(UTC), progress=progress)
        headers = {RESULT_HEADER: result.kind.value, EXPECTED: str(message.seq or 0) if message else "0"}
        return await self._bus.publisher.store(RESULTS_STREAM, subject, to_json(result), headers)

    async def last(self, account: str, run_id: str) -> AnswerDocument | None:
        """See `Results`."""
        return await self._read(await self._last(results_subject(account, run_id)))

    async def document(self, owner: str, run_id: str) -> AnswerDocument | None:
        """See `Results`."""
        message = await self._last(results_subject(account_of(owner), run_id))
        if _is_deleted(message):
            raise RunNotFound(f"no event of run {run_id} is stored; `openwork runs list` shows the runs that are")
        document = await self._read(message)
        return document if document is not None and document.owner == owner else None

    async def last_told(self, owner: str, run_id: str) -> tuple[int, Progress | None] | None:
        """See `Results`."""
        message = await self._last(results_subject(account_of(owner), run_id))
        if message is None or not message.seq:
            return None
        if (message.headers or {}).get(RESULT_HEADER) != ResultKind.PROGRESS.value:
            return message.seq, None
        try:
            return message.seq, RunResult.model_validate_json(unpack(message.data or b"")).progress
        except ValidationError as error:
            raise ContractViolation(f"a stored result cannot be read: {error}") from error

    async def delete(self, owner: str, run_id: str) -> None:
        """See `Results`. The server itself removes what this one message takes the place of."""
        result = RunResult(run_id=run_id, kind=ResultKind.DELETED, at=datetime.now(UTC))
        # It outlives the run's events, from which the document could be made once more.
        headers = {
            RESULT_HEADER: result.kind.value,
            "Nats-Rollup": "sub",
            "Nats-TTL": str(round(self._remembered_s)),
        }
        await self._bus.publisher.store(
            RESULTS_STREAM, results_subject(account_of(owner), run_id), to_json(result), headers
        )

    async def _last(self, subject: str) -> RawStreamMsg | None:
        try:
            message: RawStreamMsg = await self._js.get_last_msg(RESULTS_STREAM, subject, direct=True)
        except NotFoundError:
            return None
        except (*TRANSIENT, ConnectionClosedError) as error:
            raise BusUnavailable(f"{subject} could not be read: {error!r}") from error
        return message

    async def _read(self, message: RawStreamMsg | None) -> AnswerDocument | None:
        """The document in a message of a run's results, where there is one."""
        if message is None or (message.headers or {}).get(RESULT_HEADER) != ResultKind.DOCUMENT.value:
            return None
        try:
            result = RunResult.model_validate_json(unpack(message.data or b""))
            if result.body is None:
                return result.document
            return AnswerDocument.model_validate_json(unpack(await self._bus.get_blob(result.body)))
        except (ValidationError, LookupError) as error:
            raise ContractViolation(f"a stored result cannot be read: {error}") from error

    async def run_ids(self, account: str) -> frozenset[str]:
        """See `Results`."""
        subjects = await subjects_in(self._js, RESULTS_STREAM, results_subject(account))
        return frozenset(subject.rpartition(".")[2] for subject in subjects)


def _is_deleted(message: RawStreamMsg | None) -> bool:
    return message is not None and (message.headers or {}).get(RESULT_HEADER) == ResultKind.DELETED.value
