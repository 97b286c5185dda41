"""Numbers of runs that ended, in a bucket that all gateways share: written once a run, read when somebody asks."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from nats.errors import ConnectionClosedError
from nats.js.api import RawStreamMsg, StreamInfo
from nats.js.errors import NotFoundError
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.publishing import TRANSIENT
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.buckets import STATISTICS
from openwork_contracts.end import RunEnded
from openwork_contracts.errors import BusUnavailable, OpenWorkError
from pydantic import ValidationError

from openwork_gateway.domain.run_statistics import RunStatistics, parsed, statistics_of, written

log = logging.getLogger(__name__)

MOST_RUNS = 10_000
"""Runs that one gateway adds up: the newest. They take 24 MB, and one that has just started some seconds to read."""
READ_AT_ONCE = 64
"""Entries that are read at the same time."""
_NEARLY_FULL = 0.9
"""Of the bucket's bytes: from there on the oldest entries may have gone before their age."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Runs that are kept."""

    runs: Sequence[RunStatistics]
    complete_from: datetime | None = None
    """There were so many that of those that ended before some are gone; `None` = none is, but by its age."""


class Statistics(Protocol):
    """The numbers of all runs."""

    async def put(self, one: RunStatistics) -> None:
        """Keep those of a run. Twice is once. Raises: BusUnavailable, it was not stored."""
        ...

    async def kept(self) -> Kept:
        """Those of the newest runs. Raises: BusUnavailable, nobody answers."""
        ...


async def keep_statistics(statistics: Statistics, document: AnswerDocument, ended: RunEnded) -> None:
    """Keep the numbers of a run that ended. Its asker has the document already: what goes wrong here is only logged."""
    try:
        await statistics.put(statistics_of(document, ended))
    except OpenWorkError as error:
        log.warning("run %s is missing in what is observed: %s", document.run_id, error)


class StoredStatistics:
    """`Statistics` in JetStream."""

    def __init__(self, bus: JetStreamBus, *, most: int = MOST_RUNS) -> None:
        self._bus = bus
        self._js = bus.connection.jetstream(timeout=5)
        self._most = most
        self._known: OrderedDict[str, RunStatistics] = OrderedDict()
        self._read_to = 0
        """Sequence of the last entry that was read: later ones are new."""
        self._reading = asyncio.Lock()

    async def put(self, one: RunStatistics) -> None:
        """See `Statistics`."""
        key = f"$KV.{STATISTICS.name}.{one.run_id}"
        await self._bus.publisher.store(STATISTICS.stream, key, written(one), {})

    async def kept(self) -> Kept:
        """See `Statistics`. What was read once is not read again."""
        async with self._reading:
            info = await self._info()
            await self._read_new(info)
            self._forget_old()
            full = (info.config.max_bytes or 0) * _NEARLY_FULL
            cut = len(self._known) >= self._most or 0 < full <= info.state.bytes
            runs = tuple(self._known.values())
        return Kept(runs, min((run.ended_at for run in runs), default=None) if cut else None)

    async def _info(self) -> StreamInfo:
        try:
            return await self._js.stream_info(STATISTICS.stream)
        except (*TRANSIENT, NotFoundError, ConnectionClosedError) as error:
            raise BusUnavailable(f"the bucket {STATISTICS.name} could not be read: {error!r}") from error

    async def _read_new(self, info: StreamInfo) -> None:
        last = info.state.last_seq
        if last < self._read_to:  # it was made anew
            self._known.clear()
            self._read_to = 0
        new = range(max(self._read_to + 1, info.state.first_seq, last - self._most + 1), last + 1)
        for chunk in _chunks(new):
            found = await asyncio.gather(*map(self._entry, chunk))
            for one in filter(None, found):
                self._known.pop(one.run_id, None)
                self._known[one.run_id] = one
            self._read_to = chunk[-1]

    async def _entry(self, sequence: int) -> RunStatistics | None:
        """`None` = it is gone, or of a later version that this one cannot read."""
        try:
            message: RawStreamMsg = await self._js.get_msg(STATISTICS.stream, sequence)
            return parsed(message.data or b"")
        except NotFoundError:
            return None
        except ValidationError as error:
            log.warning("entry %d of %s was left out: %s", sequence, STATISTICS.name, error.errors()[0]["msg"])
            return None
        except (*TRANSIENT, ConnectionClosedError) as error:
            raise BusUnavailable(f"the bucket {STATISTICS.name} could not be read: {error!r}") from error

    def _forget_old(self) -> None:
        oldest = datetime.now(UTC) - timedelta(seconds=STATISTICS.max_age_s or 0)
        while self._known and (len(self._known) > self._most or next(iter(self._known.values())).ended_at < oldest):
            self._known.popitem(last=False)


def _chunks(sequences: range) -> Iterator[range]:
    return (sequences[start : start + READ_AT_ONCE] for start in range(0, len(sequences), READ_AT_ONCE))
