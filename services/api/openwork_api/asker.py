"""What an HTTP request needs of the bus: the requests of an asker, on behalf of a person."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from nats.aio.client import Client as NatsClient
from nats.errors import Error as NatsError
from nats.errors import MaxPayloadError, NoRespondersError
from openwork_bus.connection import ConnectionLog, connect
from openwork_bus.settings import ServiceSettings
from openwork_contracts import errors
from openwork_contracts.accounts import API_ACCOUNT
from openwork_contracts.errors import BusUnavailable, ContractViolation, OpenWorkError, UsageError
from openwork_contracts.meta import Contract
from openwork_contracts.observatory import Window
from openwork_contracts.question import AskReply, AskRequest
from openwork_contracts.requests import (
    CancelReply,
    CancelRequest,
    DeleteReply,
    DeleteRequest,
    EventsReply,
    EventsRequest,
    ListReply,
    ListRequest,
    LookupReply,
    LookupRequest,
    ObserveReply,
    ObserveRequest,
    ShowReply,
    ShowRequest,
    VerifyReply,
    VerifyRequest,
)
from openwork_contracts.subjects import (
    ASK_SUBJECT,
    CANCEL_SUBJECT,
    DELETE_SUBJECT,
    EVENTS_SUBJECT,
    LIST_SUBJECT,
    LOOKUP_SUBJECT,
    OBSERVE_SUBJECT,
    SHOW_SUBJECT,
    VERIFY_SUBJECT,
)
from pydantic import ValidationError

from openwork_api.hub import Hub, Told
from openwork_api.people import LOCAL, Person

log = logging.getLogger(__name__)

REPLY_S = 20.0
"""Seconds for a reply beside what was asked to be waited."""
_NOBODY = "no service answers; are they running?"
_NOBODY_LOOKS_UP = "no retriever answers that looks identifiers up (of Europe PMC or of the library); is it running?"
R = TypeVar(
    "R",
    AskReply,
    ShowReply,
    ListReply,
    EventsReply,
    CancelReply,
    DeleteReply,
    LookupReply,
    VerifyReply,
    ObserveReply,
)


class Asker(Protocol):
    """An asker. Every method raises what the service says (`RunNotFound`, `UsageError`, `Busy`), BusUnavailable where
    none answers, ContractViolation where one answers in another form."""

    async def ask(self, person: Person, request: AskRequest) -> AskReply:
        """Start a run."""
        ...

    async def show(self, person: Person, request: ShowRequest) -> ShowReply:
        """A run as far as it has come."""
        ...

    async def runs(self, person: Person, request: ListRequest) -> ListReply:
        """The person's runs."""
        ...

    async def events(self, person: Person, request: EventsRequest) -> EventsReply:
        """What happened in a run."""
        ...

    async def cancel(self, person: Person, request: CancelRequest) -> CancelReply:
        """End a run."""
        ...

    async def delete(self, person: Person, request: DeleteRequest) -> DeleteReply:
        """Forget a run."""
        ...

    async def lookup(self, person: Person, request: LookupRequest) -> LookupReply:
        """Works by their identifiers."""
        ...

    async def verify(self, person: Person, request: VerifyRequest) -> VerifyReply:
        """The gate alone."""
        ...

    async def observe(self, person: Person, window: Window) -> ObserveReply:
        """Figures about the runs of everybody. Whether the person may see them, its caller knows."""
        ...

    def follow(self, person: Person, run_id: str) -> AbstractContextManager[asyncio.Queue[Told | None]]:
        """What is told of a run from now on. Whose it is, `show` knows."""
        ...

    def is_ending(self, person: Person) -> bool:
        """Whether the process stops: a stream is to end."""
        ...

    async def check(self) -> None:
        """Whether the bus answers. Raises: BusUnavailable."""
        ...


class _Sight(ConnectionLog):
    """Of one connection; its hub is told when something may have been missed."""

    def __init__(self, account: str, hub: Hub) -> None:
        super().__init__(f"api, account {account}")
        self._hub = hub

    async def on_connected(self) -> None:
        """See `ConnectionLog`."""
        await super().on_connected()
        self._hub.lost_sight()


class BusAsker:
    """`Asker` on NATS: one connection of the account `api`, and, for who sits at this machine, one without
    credentials, which is the account `local`."""

    def __init__(self, settings: ServiceSettings, *, with_local: bool) -> None:
        self._settings = settings
        self._hubs = {"api": Hub()} | ({LOCAL.account: Hub()} if with_local else {})
        self._connections: dict[str, NatsClient] = {}
        self._logs: list[ConnectionLog] = []

    async def open(self) -> None:
        """Connect.

        Raises:
            BusUnavailable: NATS cannot be reached, or refuses the user.
        """
        for account, hub in self._hubs.items():
            self._connections[account] = connection = await self._connect(account, hub)
            await hub.open(connection)

    @property
    def connection(self) -> NatsClient:
        """The connection of the account `api`, where its keys are."""
        return self._connections["api"]

    def end_streams(self) -> None:
        """Let those who follow a run go: they come again elsewhere."""
        for hub in self._hubs.values():
            hub.end()

    def is_ending(self, person: Person) -> bool:
        """See `Asker`."""
        return self._hubs[person.account].is_over

    async def close(self) -> None:
        """Close what is open."""
        for events in self._logs:
            events.closing = True
        for connection in self._connections.values():
            await connection.close()
        self._connections.clear()

    async def ask(self, person: Person, request: AskRequest) -> AskReply:
        """See `Asker`."""
        return await self._request(person, ASK_SUBJECT, request, AskReply)

    async def show(self, person: Person, request: ShowRequest) -> ShowReply:
        """See `Asker`."""
        return await self._request(person, SHOW_SUBJECT, request, ShowReply, REPLY_S + request.wait_s)

    async def runs(self, person: Person, request: ListRequest) -> ListReply:
        """See `Asker`."""
        return await self._request(person, LIST_SUBJECT, request, ListReply)

    async def events(self, person: Person, request: EventsRequest) -> EventsReply:
        """See `Asker`."""
        return await self._request(person, EVENTS_SUBJECT, request, EventsReply)

    async def cancel(self, person: Person, request: CancelRequest) -> CancelReply:
        """See `Asker`."""
        return await self._request(person, CANCEL_SUBJECT, request, CancelReply)

    async def delete(self, person: Person, request: DeleteRequest) -> DeleteReply:
        """See `Asker`."""
        return await self._request(person, DELETE_SUBJECT, request, DeleteReply)

    async def lookup(self, person: Person, request: LookupRequest) -> LookupReply:
        """See `Asker`."""
        return await self._request(person, LOOKUP_SUBJECT, request, LookupReply, nobody=_NOBODY_LOOKS_UP)

    async def verify(self, person: Person, request: VerifyRequest) -> VerifyReply:
        """See `Asker`."""
        return await self._request(person, VERIFY_SUBJECT, request, VerifyReply, 30.0)

    async def observe(self, person: Person, window: Window) -> ObserveReply:
        """See `Asker`. In the account `api` whoever it is, which alone may ask for it."""
        request = ObserveRequest(window=window, reader=person.owner)
        return await self._request(person, OBSERVE_SUBJECT, request, ObserveReply, account=API_ACCOUNT)

    def follow(self, person: Person, run_id: str) -> AbstractContextManager[asyncio.Queue[Told | None]]:
        """See `Asker`."""
        return self._hubs[person.account].follow(run_id)

    async def check(self) -> None:
        """See `Asker`. Not whether the services answer: one that is busy would take every web app away at once."""
        for account, connection in self._connections.items():
            try:
                await connection.flush(2)
            except (NatsError, OSError, TimeoutError) as error:
                raise BusUnavailable(f"NATS does not answer the account {account!r}") from error
            if not connection.is_connected:  # what is flushed meanwhile waits, and nobody says so
                raise BusUnavailable(f"NATS is not connected for the account {account!r}")

    # --- inside ----------------------------------------------------------------------------------------------------

    async def _connect(self, account: str, hub: Hub) -> NatsClient:
        self._logs.append(events := _Sight(account, hub))
        is_local = account == LOCAL.account
        settings = self._settings.model_copy(update={"nats_user": None}) if is_local else self._settings
        return await connect(settings, name="api", events=events, inbox_prefix="_INBOX")

    async def _request(
        self,
        person: Person,
        subject: str,
        request: Contract,
        reply: type[R],
        timeout_s: float = REPLY_S,
        *,
        nobody: str = _NOBODY,
        account: str | None = None,
    ) -> R:
        if person.name is not None and "on_behalf_of" in type(request).model_fields:
            request = request.model_copy(update={"on_behalf_of": person.name})
        body = request.model_dump_json(exclude_defaults=True).encode()
        try:
            message = await self._connections[account or person.account].request(subject, body, timeout_s)
            answered = reply.model_validate_json(message.data)
        except NoRespondersError as error:
            raise BusUnavailable(nobody) from error
        except MaxPayloadError as error:
            raise UsageError("what was sent is larger than the services take") from error
        except (NatsError, OSError, TimeoutError) as error:
            raise BusUnavailable(f"the services gave no reply within {timeout_s:.0f} s") from error
        except ValidationError as error:
            raise ContractViolation(f"the reply to {subject} cannot be read: {error.errors()[0]['msg']}") from error
        if answered.error:
            raise error_of(answered.error, answered.error_type, answered.retry_after_s)
        return answered


def error_of(words: str, kind: str | None, retry_after_s: float | None) -> OpenWorkError:
    """The error that a service names; one of a newer service is an `OpenWorkError`."""
    found = getattr(errors, kind or "", OpenWorkError)
    known = found if isinstance(found, type) and issubclass(found, OpenWorkError) else OpenWorkError
    return known(words, retry_after_s=retry_after_s)
