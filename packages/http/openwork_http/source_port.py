"""The way out to one service within one piece of work: what an adapter is given."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from uuid import uuid4

from openwork_http.messages import HttpRequest, HttpResponse
from openwork_http.terms import OutsideService

if TYPE_CHECKING:
    from openwork_http.client import HttpClient


class SourcePort:
    """The way out to one service within one piece of work. What the adapters call `HttpPort`."""

    def __init__(
        self, client: HttpClient, service: OutsideService, within_s: float | None = None, run_id: str | None = None
    ) -> None:
        self._client = client
        self._service = service
        self._run_id = run_id
        self._until = None if within_s is None else asyncio.get_running_loop().time() + within_s
        self._sent: list[HttpRequest] = []
        self._owner = uuid4().hex[:12]

    async def send(self, request: HttpRequest) -> HttpResponse:
        """The complete answer of any status but 429, 502, 503 and 504, which are tried again.

        Raises:
            SourceUnavailable: no answer: TIMEOUT, UNREACHABLE, RATE_LIMITED (the service's 429, or our own budget), or
                CIRCUIT_OPEN. It was tried as often as there was time for: the caller need not.
            ResponseTooLarge: more bytes than the service's limit (a `SourceChanged`).
            SourceChanged: an encoding that was not offered.
        """
        self._sent.append(request)
        left_s = None if self._until is None else self._until - asyncio.get_running_loop().time()
        return await self._client.answer(request, self._service, left_s, self._run_id, self._owner)

    @property
    def sent(self) -> tuple[HttpRequest, ...]:
        """Every request so far, in order."""
        return tuple(self._sent)

    async def forget(self) -> None:
        """Drop what was sent here from the cache: for an answer that did not parse."""
        for request in self._sent:
            await self._client.forget(request)
