"""The client: core NATS requests to a gateway, and the progress that it tells meanwhile. No stream, no consumer.

What a client may do is ask, read, cancel and delete; that a run ends, and within its deadline, is the services'
business, so that a client may go away and come back with the run id. Over HTTP the same is done by `openwork.http`.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from openwork import models, reading
from openwork.errors import BusUnavailable, ContractViolation, UsageError, error_of
from openwork.home import server_url
from openwork.run_ids import check_run_id, new_run_id

if TYPE_CHECKING:
    from nats.aio.client import Client as NatsClient
    from nats.aio.msg import Msg

ProgressHandler = Callable[[models.Progress], None]

REPLY_S = 20.0
"""Seconds to wait for a reply; above the patience with which a gateway publishes."""
WAIT_S = 10.0
"""Seconds that one request waits for a run's end; then it is asked again."""
AGAIN_S = 10.0
"""And how long its reply may take beyond that before it is asked again. The two together are what an asker loses when
a gateway goes away with the request in its hands."""
DEADLINE_S = 120.0
"""What a run takes at most when its gateway does not say."""
GRACE_S = 15.0
"""How much longer than a run's deadline its end is waited for, which the gateway writes."""
_PAUSE_S = 0.5
"""Between two tries when there was no reply, or one that did not wait."""
HTTP = ("http://", "https://")
"""How a URL of the HTTP API begins; every other is one of NATS."""
_RESULTS = "openwork.results"
"""Where this account hears of its runs."""
_RESULT_HEADER = "Openwork-Result"


@dataclass(frozen=True, slots=True)
class Answer:
    """A run as its gateway gave it."""

    document: models.AnswerDocument
    rendered: models.Rendered | None
    """The document in words; `None` = it was not asked for."""
    raw: Mapping[str, Any]
    """The document as it came, with fields that this version does not know."""

    @property
    def run_id(self) -> str:
        """The run."""
        return self.document.run_id

    @property
    def status(self) -> str:
        """One of `openwork.models.RunStatus`, or a newer gateway's."""
        return self.document.status

    @property
    def text(self) -> str:
        """The answer as Markdown, with its citation marks; without references and method."""
        return self.document.answer.markdown

    @property
    def claims(self) -> tuple[models.ClaimVerdict, ...]:
        """Its sentences, each with its verdict and the words that it rests on."""
        return self.document.answer.claims

    @property
    def references(self) -> tuple[models.Reference, ...]:
        """What it cites."""
        return self.document.references

    @property
    def ended(self) -> bool:
        """False while the run goes on."""
        return self.status != models.RunStatus.RUNNING


@asynccontextmanager
async def connect(server: str | None = None, *, key: str | None = None) -> AsyncIterator[Client]:
    """A client on a connection of its own.

    Args:
        server: URL of NATS, several separated by commas, or `https://host` of the HTTP API; `None` = OPENWORK_NATS_URL,
            else what `openwork up` runs on this machine. Who asks of NATS: the seed of an account in
            OPENWORK_NATS_NKEY_SEED, or OPENWORK_NATS_USER and OPENWORK_NATS_PASSWORD, or nobody, which is the account
            `local` where the server lets it. Certificates: OPENWORK_NATS_CA_FILE.
        key: of the HTTP API; `None` = OPENWORK_API_KEY, or none, which is enough for a server on this machine.
    Raises:
        BusUnavailable: no server answers, or it refuses the user. UsageError: the URL, the key, the certificates or the
            seed cannot be used.
    """
    url = server or server_url()
    if url.lower().startswith(HTTP):
        from openwork.http import connected as over_http

        async with over_http(url, key) as client:
            yield client
        return
    if key is not None:
        raise UsageError("a key is for the HTTP API, https://host; NATS takes OPENWORK_NATS_NKEY_SEED")
    from openwork.bus import connected

    async with connected(url) as connection:
        yield Client(connection)


class Client:
    """What an asker can do. Made by `connect`.

    Every method raises BusUnavailable when no service answers, ContractViolation when one answers in another form, and
    UsageError when it refuses what was asked.
    """

    def __init__(self, connection: NatsClient) -> None:
        self._nats = connection

    async def submit(
        self,
        question: str,
        *,
        sources: Sequence[str] | None = None,
        deadline_s: float | None = None,
        from_year: int | None = None,
        to_year: int | None = None,
        max_studies: int | None = None,
        pipeline: str = "answer",
        run_id: str | None = None,
        context: models.AskContext | None = None,
    ) -> models.AskReply:
        """Start a run and come back at once. With a run id of one's own, asking again is the same run."""
        if any("\ud800" <= c <= "\udfff" for c in question):
            raise UsageError("the question holds bytes that are no text; write it in UTF-8")
        request = models.AskRequest(
            question=question,
            pipeline=pipeline,
            options=models.AskOptions(
                sources=tuple(sources) if sources else None,
                deadline_s=deadline_s,
                from_year=from_year,
                to_year=to_year,
                max_studies=max_studies,
            ),
            context=context,
            run_id=check_run_id(run_id) if run_id else new_run_id(),
        )
        return models.AskReply.from_dict(await self._request("openwork.ask", request))

    async def ask(
        self,
        question: str,
        *,
        sources: Sequence[str] | None = None,
        deadline_s: float | None = None,
        from_year: int | None = None,
        to_year: int | None = None,
        max_studies: int | None = None,
        pipeline: str = "answer",
        run_id: str | None = None,
        context: models.AskContext | None = None,
        on_progress: ProgressHandler | None = None,
    ) -> Answer:
        """Ask and wait for the run's end, whatever it is: look at the answer's `status`.

        Args:
            sources: search these and no others; `None` = the services decide.
            deadline_s: seconds within which the run must end; `None` = the services' setting.
            from_year, to_year: only works published in these years or between; one without a known year is kept.
            max_studies: of a review (`pipeline="review"`) the most studies that are read, 1 to 200.
            run_id: a ULID of one's own: asking it twice is one run.
            on_progress: told what the run does; lossy.
        Raises:
            BusUnavailable: no gateway answers, or the run had no end long after its deadline.
        """
        run_id = check_run_id(run_id) if run_id else new_run_id()
        async with self._told(run_id, on_progress):
            reply = await self.submit(
                question,
                sources=sources,
                deadline_s=deadline_s,
                from_year=from_year,
                to_year=to_year,
                max_studies=max_studies,
                pipeline=pipeline,
                run_id=run_id,
                context=context,
            )
            within_s = reply.deadline_s or deadline_s or DEADLINE_S
            return await self._end_of(reply.run_id or run_id, within_s, on_progress)

    async def show(
        self,
        run_id: str,
        *,
        wait_s: float = 0.0,
        rendered: bool = True,
        record: bool = False,
        reply_s: float = REPLY_S,
    ) -> Answer:
        """A run as far as it has come.

        Args:
            wait_s: seconds to wait for its end, at most 30.
            record: with what was searched, and what became of each work.
            reply_s: seconds the reply may take beyond that.
        Raises:
            RunNotFound: nothing of it is stored. UsageError: it is not a run id.
        """
        request = models.ShowRequest(run_id=check_run_id(run_id), wait_s=wait_s, rendered=rendered, record=record)
        data = await self._request("openwork.show", request, timeout_s=wait_s + reply_s)
        reply = models.ShowReply.from_dict(data)
        if reply.document is None:
            raise ContractViolation("the reply of openwork.show holds no document")
        return Answer(reply.document, reply.rendered, data["document"])

    async def watch(
        self, run_id: str, *, within_s: float = DEADLINE_S
    ) -> AsyncGenerator[models.Progress | Answer, None]:
        """What a run does, as it is told; at last its answer.

        Args:
            within_s: seconds within which the run is to end.
        Raises:
            RunNotFound: nothing of it is stored. BusUnavailable: it had no end in time.
        """
        run_id = check_run_id(run_id)
        told: asyncio.Queue[models.Progress | None] = asyncio.Queue()
        async with self._told(run_id, told.put_nowait):
            end = asyncio.create_task(self._end_of(run_id, within_s, told.put_nowait))
            end.add_done_callback(lambda _: told.put_nowait(None))
            try:
                while (progress := await told.get()) is not None:
                    yield progress
                yield await end
            finally:
                end.cancel()

    async def runs(
        self, limit: int = 20, *, query: str | None = None, before: str | None = None
    ) -> tuple[models.RunSummary, ...]:
        """The newest runs, newest first.

        Args:
            query: only runs whose question holds each of these words, or the beginning of one.
            before: only runs older than this one: the last of the page before.
        Raises:
            UsageError: `before` is not a run id.
        """
        before = check_run_id(before) if before else None
        data = await self._request("openwork.list", models.ListRequest(limit=limit, query=query, before=before))
        return models.ListReply.from_dict(data).runs

    async def events(self, run_id: str) -> AsyncIterator[models.EventRow]:
        """Everything that happened in a run, in the order in which it was stored.

        Raises:
            RunNotFound: nothing of it is stored. UsageError: it is not a run id.
        """
        after: int | None = 0
        while after is not None:
            request = models.EventsRequest(run_id=check_run_id(run_id), after=after)
            page = models.EventsReply.from_dict(await self._request("openwork.events", request))
            for row in page.events:
                yield row
            if page.next is not None and page.next <= after:
                raise ContractViolation("a reply of openwork.events leads back to where it was")
            after = page.next

    async def cancel(self, run_id: str, reason: str | None = None) -> bool:
        """End a run; False when it had ended already.

        Raises:
            RunNotFound: nothing of it is stored. UsageError: it is not a run id.
        """
        request = models.CancelRequest(run_id=check_run_id(run_id), reason=reason)
        return models.CancelReply.from_dict(await self._request("openwork.cancel", request)).cancelled

    async def delete(self, run_id: str) -> None:
        """Remove what is kept of a run, for good. One that goes on is to be cancelled first.

        Raises:
            RunNotFound: nothing of it is stored. UsageError: it is not a run id, or the run goes on.
        """
        await self._request("openwork.delete", models.DeleteRequest(run_id=check_run_id(run_id)))

    async def lookup(self, ids: Sequence[str]) -> models.LookupReply:
        """The works behind identifiers, at most 50: PMIDs, PMCIDs, DOIs, NCT numbers, as people write them.

        What was found is evidence for `verify`, under the place of its identifier; the rest has its reason.
        """
        return models.LookupReply.from_dict(
            await self._request("openwork.lookup", models.LookupRequest(ids=tuple(ids)))
        )

    async def verify(
        self, text: str, evidence: Iterable[models.EvidenceItem | Mapping[str, Any]]
    ) -> models.VerificationReport:
        """What the verification gate says of each sentence of a text with [n] citations. Nothing is stored.

        Args:
            evidence: what it cites; an item without `n` has its place in the list, from 1.
        """
        request = {"text": text, "evidence": reading.evidence_rows(evidence)}
        reply = models.VerifyReply.from_dict(await self._request("openwork.verify", request))
        if reply.report is None:
            raise ContractViolation("the reply of openwork.verify holds no report")
        return reply.report

    # --- inside ------------------------------------------------------------------------------------------------------

    async def _request(self, subject: str, request: object, *, timeout_s: float = REPLY_S) -> dict[str, Any]:
        from nats.errors import Error as NatsError
        from nats.errors import MaxPayloadError, NoRespondersError

        try:
            message = await self._nats.request(subject, json.dumps(reading.as_json(request)).encode(), timeout_s)
        except NoRespondersError as error:
            raise BusUnavailable(
                f"nobody answers {subject} at this NATS server; are the services running (`openwork up`)?"
            ) from error
        except MaxPayloadError as error:
            raise UsageError("what was asked is larger than the server takes") from error
        except (TimeoutError, NatsError, OSError) as error:
            raise BusUnavailable(f"no reply to {subject} within {timeout_s:.0f} s ({type(error).__name__})") from error
        try:
            data = json.loads(message.data)
        except ValueError as error:
            raise ContractViolation(f"the reply to {subject} is not JSON: {error}") from error
        if not isinstance(data, dict):
            raise ContractViolation(f"the reply to {subject} is not a JSON object")
        if error_text := reading.maybe_text(data, "error"):
            retry_after_s = data.get("retry_after_s")
            raise error_of(
                error_text,
                reading.maybe_text(data, "error_type"),
                float(retry_after_s) if isinstance(retry_after_s, int | float) else None,
            )
        return data

    @asynccontextmanager
    async def _told(self, run_id: str, handler: ProgressHandler | None) -> AsyncIterator[None]:
        """Progress of a run goes to the handler. A message that cannot be read is passed over: it is for eyes."""
        if handler is None:
            yield
            return

        async def take(message: Msg) -> None:
            if (message.headers or {}).get(_RESULT_HEADER) != models.ResultKind.PROGRESS:
                return
            with suppress(ValueError, ContractViolation, AttributeError):
                if (progress := models.RunResult.from_dict(json.loads(message.data)).progress) is not None:
                    handler(progress)

        subscription = await self._nats.subscribe(f"{_RESULTS}.{run_id}", cb=take)
        try:
            yield
        finally:
            with suppress(Exception):  # the connection may be closed by now
                await subscription.unsubscribe()

    async def _end_of(self, run_id: str, within_s: float, handler: ProgressHandler | None) -> Answer:
        """The run's answer. A gateway that is away for a while is asked again.

        Args:
            handler: who is told what the run does; here `_told` has seen to that.
        """
        give_up = time.monotonic() + within_s + GRACE_S
        failure: Exception | None = None
        while (left := give_up - time.monotonic()) > 0:
            began = time.monotonic()
            wait_s = max(0.0, min(WAIT_S, left))
            try:
                answer = await self.show(run_id, wait_s=wait_s, reply_s=AGAIN_S)
                if answer.ended:
                    return answer
                failure = None
            except BusUnavailable as error:
                failure = error
            if time.monotonic() - began < wait_s / 2:
                await asyncio.sleep(min(_PAUSE_S, left))
        if failure:
            raise failure
        raise BusUnavailable(f"run {run_id} had no end long after its deadline; are the services running?")
