"""How busy the services are and how full the stream is, asked again and again; and whose turn it is at the door."""

from __future__ import annotations

import asyncio
import logging

from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from openwork_contracts.subjects import STREAM

from openwork_gateway.domain.admission import RUNS_GO_ON_WITHOUT, Lag
from openwork_gateway.door import Door

log = logging.getLogger(__name__)

_IDLE_S = 1.0
_BUSY_S = 0.2
"""Between two measurements while somebody waits."""
_STORE_EVERY = 10
"""Measurements of the lag for one of the stream's size."""
_KEEP_S = 3.0
"""Between two notes that a question still waits; a third of the inbox' acknowledgement time."""


class Pace:
    """Keeps the door's picture of the services current."""

    def __init__(self, js: JetStreamContext, door: Door) -> None:
        self._js = js
        self._door = door
        self._n = 0

    async def run(self) -> None:
        """Measure, and let in whoever has room, for ever."""
        while True:
            await self.step()
            await asyncio.sleep(_BUSY_S if self._door.waiting else _IDLE_S)

    async def step(self) -> None:
        """Measure once, and let in whoever has room. Raises nothing: nobody else lets in those that wait."""
        try:
            if self._n % _STORE_EVERY == 0:
                await self._measure_store()
            await self._measure_lag()
            self._n += 1
        except (NatsError, OSError, TimeoutError) as error:
            log.debug("the services' lag is not known: %r", error)
        except Exception:
            log.exception("the services' lag could not be measured")
        await self._door.turn()

    async def keep(self) -> None:
        """Keep what waits, for ever."""
        while True:
            await asyncio.sleep(_KEEP_S)
            await self._door.keep_waiting()

    async def _measure_lag(self) -> None:
        """Of every consumer of the events, the gateway's own too: a run is over when its asker has its document."""
        infos = await self._js.consumers_info(STREAM)
        lags = {
            info.name: Lag(
                info.num_pending or 0,
                info.delivered.consumer_seq if info.delivered else 0,
                dispensable=info.name.startswith(RUNS_GO_ON_WITHOUT),
            )
            for info in infos
        }
        self._door.load.measure(lags, self._door.clock(), waiting=len(self._door.waiting))

    async def _measure_store(self) -> None:
        info = await self._js.stream_info(STREAM)
        limit = info.config.max_bytes or 0
        full = info.state.bytes / limit if limit > 0 else 0.0
        closed = full >= self._door.settings.admit_below
        if closed and not self._door.stopped_because:
            log.error("the event stream is %.0f%% full: no question is let in", 100 * full)
        self._door.stopped_because = (
            "The store of events is nearly full; questions are let in again when there is room." if closed else None
        )
