"""The way out of this service: known APIs through the client and its budgets, every other address through the guard."""

from __future__ import annotations

import asyncio

from openwork_contracts.errors import FailureReason, SourceUnavailable
from openwork_http.client import HttpClient
from openwork_http.guard import GuardedClient
from openwork_http.messages import Answer, HttpRequest, HttpResponse
from openwork_http.terms import EUROPEPMC, NCBI, UNPAYWALL, OutsideService

from openwork_fulltext.settings import Settings

PDF_TYPES = frozenset({"application/pdf", "application/x-pdf", "application/octet-stream"})
"""What publishers call a PDF. The parser looks at the bytes, whatever they are called."""


class FulltextPort:
    """`HttpPort` for one work. An address that is none of the three APIs came from outside and is guarded."""

    def __init__(
        self, client: HttpClient, guard: GuardedClient, settings: Settings, *, within_s: float, run_id: str
    ) -> None:
        places = settings.places
        services = (
            (places.ncbi_url, OutsideService("ncbi", NCBI.budget(settings.ncbi_api_key))),
            (places.europepmc_url, OutsideService("europepmc", EUROPEPMC.budget())),
            (places.unpaywall_url, OutsideService("unpaywall", UNPAYWALL.budget())),
        )
        self._ports = [(url, client.port(service, within_s=within_s, run_id=run_id)) for url, service in services]
        self._guard = guard
        self._until = asyncio.get_running_loop().time() + within_s

    async def send(self, request: HttpRequest) -> HttpResponse:
        """See `openwork_http.port.HttpPort`."""
        for url, port in self._ports:
            if request.url.startswith(f"{url}/"):
                return await port.send(request)
        left_s = self._until - asyncio.get_running_loop().time()
        if left_s <= 0:
            raise SourceUnavailable("was not asked: no time is left for this work", reason=FailureReason.DEADLINE)
        fetched = await self._guard.fetch(request.url, accept=PDF_TYPES, timeout_s=left_s)
        return Answer(200, fetched.headers, (fetched.body,)).response()
