"""What `openwork doctor` asks a running bus: how full its streams are, whether its durables are as they should be."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import monotonic

from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig
from nats.js.errors import Error as JetStreamError
from openwork_bus.fullness import Level, Limits, Look, in_words, look_of
from openwork_bus.publishing import words_of
from openwork_bus.readiness import MEND, differences
from openwork_bus.topology import ADVISORY_CONSUMER, INBOX, accounts_with_inbox, all_consumers, consumer_config
from openwork_contracts.accounts import inbox_stream
from openwork_contracts.buckets import BUCKETS, BucketKind, BucketSpec
from openwork_contracts.errors import BusUnavailable
from openwork_contracts.pipelines import ANSWER, INSTALLED
from openwork_contracts.streams import STREAMS
from openwork_contracts.subjects import ADVISORY_STREAM, ConsumerSpec, fixed_consumers

LOOKS_S = 3.0
"""Between two looks at the streams: long enough for a rate of a system at work, short for who waits."""


async def fullness(js: JetStreamContext, limits: Limits, *, looks_s: float = LOOKS_S) -> tuple[Level, str]:
    """The fullest of all streams, or every one that fills, in words.

    Caches are there to be filled and do not count.

    Raises:
        BusUnavailable: NATS does not answer, or not to this user.
    """
    names = [*(spec.name for spec in STREAMS), *(bucket.stream for bucket in BUCKETS if _is_needed(bucket))]
    names += await inboxes(js)
    earlier = await _looks(js, names)
    await asyncio.sleep(looks_s)
    later = await _looks(js, names)
    by_share = sorted(zip(later, earlier, strict=True), key=lambda pair: -pair[0].share)
    full = [pair for pair in by_share if limits.level(pair[0].share) is not Level.OK]
    if not full:
        fullest = by_share[0][0]
        return Level.OK, f"{len(names)} streams, the fullest is {fullest.stream} ({fullest.share:.0%})"
    words = "; ".join(in_words(look, before) for look, before in full)
    mend = "raise OPENWORK_STORE_GB and max_file_store of NATS, or keep for less time (OPENWORK_EVENTS_HOURS)"
    return limits.level(full[0][0].share), f"{words}: {mend}, and {MEND}"


async def changed_consumers(js: JetStreamContext) -> list[str]:
    """What is wrong with the durables, in words; a retriever's is looked at where it is there.

    Raises:
        BusUnavailable: NATS does not answer, or not to this user.
    """
    wanted = [(spec.stream, spec) for spec in fixed_consumers()]
    wanted += [(ADVISORY_STREAM, ADVISORY_CONSUMER), *((name, INBOX) for name in await inboxes(js))]
    found: list[str] = []
    there: dict[str, dict[str, ConsumerConfig]] = {}
    for stream in dict.fromkeys(stream for stream, _ in wanted):
        there[stream] = await _consumers(js, stream)
    sources = [source for known in there.values() for name in known if (source := _source_of(name))]
    wanted += [(spec.stream, spec) for spec in all_consumers(sources) if spec.durable in there[spec.stream]]
    for stream, spec in dict.fromkeys(wanted):
        found += _wrong(stream, spec, there[stream].get(spec.durable))
    return found


def _source_of(durable: str) -> str | None:
    """The source of a retriever's durable; `None` of any other, and of its lanes, which follow from it."""
    lanes = tuple(f"-{pipeline.name}" for pipeline in INSTALLED if pipeline.name != ANSWER)
    is_source = durable.startswith("retriever-") and not durable.endswith(lanes)
    return durable.removeprefix("retriever-") if is_source else None


async def inboxes(js: JetStreamContext) -> list[str]:
    """The inboxes of all accounts.

    Raises:
        BusUnavailable: NATS does not answer, or not to this user.
    """
    try:
        return [inbox_stream(account) for account in await accounts_with_inbox(js)]
    except (NatsError, JetStreamError, OSError, TimeoutError) as error:
        raise not_told(error) from error


def _is_needed(bucket: BucketSpec) -> bool:
    """Whether something goes wrong when a bucket is full."""
    if bucket.kind is BucketKind.OBJECTS:
        return bucket.create_only
    return not (bucket.is_cache or bucket.drops_oldest)


def _wrong(stream: str, spec: ConsumerSpec, there: ConsumerConfig | None) -> list[str]:
    if there is None:
        return [f"{spec.durable} of {stream} does not exist"]
    found = differences(consumer_config(spec, replicas=1), there)
    return [f"{spec.durable} of {stream}: {', '.join(map(str, found))}"] if found else []


async def _looks(js: JetStreamContext, names: Sequence[str]) -> list[Look]:
    try:
        infos = await asyncio.gather(*(js.stream_info(name) for name in names))
    except (NatsError, JetStreamError, OSError, TimeoutError) as error:
        raise not_told(error) from error
    return [look_of(info, monotonic()) for info in infos]


async def _consumers(js: JetStreamContext, stream: str) -> dict[str, ConsumerConfig]:
    try:
        return {info.name: info.config for info in await js.consumers_info(stream)}
    except (NatsError, JetStreamError, OSError, TimeoutError) as error:
        raise not_told(error) from error


def not_told(error: Exception) -> BusUnavailable:
    """An error of NATS in words; the server does not answer who may not ask."""
    return BusUnavailable(
        f"NATS does not tell about its streams ({words_of(error)}): that is for the user `operator`, with "
        "OPENWORK_NATS_USER and OPENWORK_NATS_PASSWORD, where the server is another than that of `openwork up` here"
    )
