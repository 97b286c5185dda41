"""Lookups that go out: the way that the searches of a source have, with their limits, their cache and their circuit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from openwork_contracts.errors import OpenWorkError, SourceChanged, SourceRefused
from openwork_evidence.named import Named

from openwork_retrievers.adapters.by_identifier import (
    AT_A_TIME,
    ByIdentifier,
    ClinicalTrialsByIdentifier,
    EuropePmcByIdentifier,
)
from openwork_retrievers.adapters.live import Outside, outside_service
from openwork_retrievers.adapters.ports import fetch
from openwork_retrievers.domain.lookup import CLINICALTRIALS, EUROPEPMC, Answered, wanted
from openwork_retrievers.domain.registry import source
from openwork_retrievers.settings import Settings

log = logging.getLogger(__name__)

APIS: dict[str, type[EuropePmcByIdentifier | ClinicalTrialsByIdentifier]] = {
    EUROPEPMC: EuropePmcByIdentifier,
    CLINICALTRIALS: ClinicalTrialsByIdentifier,
}


class OutsideLookup:
    """One source that is asked by identifier."""

    def __init__(self, route: str, settings: Settings, outside: Outside) -> None:
        spec = source(route)
        self.route = route
        self._outside = outside
        self._service = outside_service(spec, settings)
        self._api: ByIdentifier = APIS[route](settings.base_url(spec.adapter.value) or spec.base_url)

    async def ask(self, ids: Sequence[str], within_s: float) -> list[Answered]:
        """What it says of those that it might know; no error leaves here. All its requests share the time."""
        until = asyncio.get_running_loop().time() + within_s
        batches = _batches(wanted(ids, self.route))
        answered = await asyncio.gather(*(self._ask(batch, until) for batch in batches))
        return [one for parts in answered for one in parts]

    async def _ask(self, batch: Sequence[Named], until: float) -> list[Answered]:
        port = self._outside.client.port(self._service, within_s=until - asyncio.get_running_loop().time())
        try:
            body = await fetch(self.route, port, self._api.request(batch))
            read = self._api.read(body, datetime.now(UTC))
        except OpenWorkError as error:
            if isinstance(error, SourceRefused) and len(batch) > 1:
                return await self._ask_halves(batch, until)
            if isinstance(error, SourceChanged):
                await port.forget()
            log.warning("a lookup in %s failed: %s", self.route, error)
            return [Answered(self.route, frozenset(batch), failed=error.reason.in_words)]
        if not read.is_whole and len(batch) > 1:
            return await self._ask_halves(batch, until)
        return [Answered(self.route, frozenset(batch), read.records)]

    async def _ask_halves(self, batch: Sequence[Named], until: float) -> list[Answered]:
        """One identifier that it does not take, or of which it has too much, is not to cost the others."""
        middle = len(batch) // 2
        return [one for half in (batch[:middle], batch[middle:]) for one in await self._ask(half, until)]


def _batches(named: Sequence[Named]) -> Iterator[Sequence[Named]]:
    return (named[start : start + AT_A_TIME] for start in range(0, len(named), AT_A_TIME))
