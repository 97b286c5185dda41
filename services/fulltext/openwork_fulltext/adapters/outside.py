"""The way out of this service: known APIs through the client and its budgets, every other address through the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from openwork_http.client import HttpClient
from openwork_http.guard import GuardedClient
from openwork_http.terms import OutsideService, RateBudget

from openwork_fulltext.adapters.ports import HttpRequest, HttpResponse
from openwork_fulltext.settings import Settings

_NCBI_PER_S, _NCBI_PER_S_WITH_KEY = 3.0, 10.0
"""NBK25497."""
_EUROPEPMC_PER_S = 10.0
_UNPAYWALL_PER_S = 10.0
PDF_TYPES = frozenset({"application/pdf", "application/x-pdf", "application/octet-stream"})
"""What publishers call a PDF. The parser looks at the bytes, whatever they are called."""


class FulltextPort:
    """`HttpPort` for one work. An address that is none of the three APIs came from outside and is guarded."""

    def __init__(self, client: HttpClient, guard: GuardedClient, settings: Settings, *, within_s: float) -> None:
        places = settings.places
        key = settings.ncbi_api_key
        per_s = _NCBI_PER_S_WITH_KEY if key else _NCBI_PER_S
        services = (
            (places.ncbi_url, OutsideService("ncbi", RateBudget.of("ncbi", per_s, key))),
            (places.europepmc_url, OutsideService("europepmc", RateBudget.of("europepmc", _EUROPEPMC_PER_S))),
            (places.unpaywall_url, OutsideService("unpaywall", RateBudget.of("unpaywall", _UNPAYWALL_PER_S))),
        )
        self._ports = [(url, client.port(service, within_s=within_s)) for url, service in services]
        self._guard = guard
        self._within_s = within_s

    async def send(self, request: HttpRequest) -> HttpResponse:
        """See `ports.HttpPort`."""
        for url, port in self._ports:
            if request.url.startswith(f"{url}/"):
                return await port.send(request)
        fetched = await self._guard.fetch(request.url, accept=PDF_TYPES, timeout_s=self._within_s)
        return _Fetched(200, fetched.headers, _once(fetched.body))


@dataclass(frozen=True, slots=True)
class _Fetched:
    status: int
    headers: dict[str, str]
    body: AsyncIterator[bytes]


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body
