"""Which runs have ended lately, as heard on the bus: so that nobody works for a run that is over."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress

from nats.aio.msg import Msg
from openwork_contracts.errors import BusUnavailable, ContractViolation
from openwork_contracts.subjects import end_filter, parse_subject

from openwork_bus.jetstream import JetStreamBus

_REMEMBERED = 10_000
"""Ends that are kept in mind; work that is older than so many ends is seldom and only wasted."""


class EndsHeard:
    """Listens for ends as they are published. One that is heard may have been refused: the stream says which counts."""

    def __init__(self) -> None:
        self._heard: OrderedDict[str, bool] = OrderedDict()
        """Run id -> whether its end is known to be stored."""
        self._bus: JetStreamBus | None = None

    async def listen(self, bus: JetStreamBus) -> None:
        """From now on."""
        self._bus = bus
        await bus.connection.subscribe(end_filter("*"), cb=self._hear)

    async def has_ended(self, subject: str) -> bool:
        """Whether the run of an event has its end. False when it is not known: then the work is done in vain, once."""
        try:
            run_id = parse_subject(subject).run_id
        except ContractViolation:
            return False
        stored = self._heard.get(run_id)
        if stored is None or self._bus is None:
            return False
        if not stored:
            with suppress(BusUnavailable):
                self._heard[run_id] = stored = bool(await self._bus.subjects(end_filter(run_id)))
        return bool(stored)

    async def _hear(self, message: Msg) -> None:
        with suppress(ContractViolation):
            self._heard.setdefault(parse_subject(message.subject).run_id, False)
            while len(self._heard) > _REMEMBERED:
                self._heard.popitem(last=False)
