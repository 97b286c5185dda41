"""Buckets are made here and nowhere else, after the table of the contracts: their streams, every limit written out."""

from __future__ import annotations

from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import BucketNotFoundError, NotFoundError
from nats.js.kv import KeyValue
from openwork_contracts.buckets import BLOBS, BUCKETS, BucketKind, BucketSpec
from openwork_contracts.errors import BusUnavailable

from openwork_bus.ensure import ensure_stream
from openwork_bus.objects import PIECE_BYTES, subjects_of
from openwork_bus.settings import ServiceSettings

_PIECE_HEADERS_BYTES = 1024
"""The server counts headers too; ours have 45."""


async def ensure_buckets(
    js: JetStreamContext, settings: ServiceSettings, specs: tuple[BucketSpec, ...] = BUCKETS
) -> None:
    """Create the buckets that are not there, update the others. Needs the right to create and update streams.

    A bucket of objects as an older version made it loses what it holds: one message per subject is kept, and NATS' own
    object store has all pieces of an object on one.
    """
    for spec in specs:
        await ensure_stream(js, bucket_config(spec, settings), spec.share, settings)


async def open_key_value(js: JetStreamContext, spec: BucketSpec) -> KeyValue:
    """A key-value bucket that the topology job made.

    Raises:
        BusUnavailable: it is not there.
    """
    try:
        return await js.key_value(spec.name)
    except (BucketNotFoundError, NotFoundError) as error:
        raise BusUnavailable(f"the bucket {spec.name} is not there; run `python -m openwork_bus.topology`") from error


def bucket_config(spec: BucketSpec, settings: ServiceSettings) -> StreamConfig:
    """The stream behind a bucket.

    No rollup: by its header whoever may write one subject could empty the bucket. A purge and the deletion of a message
    are no service's right, but not denied for good either: an operator may have to remove what somebody asked.
    """
    config = StreamConfig(
        name=spec.stream,
        retention=RetentionPolicy.LIMITS,
        storage=StorageType.FILE,
        num_replicas=1 if spec.is_cache else settings.replicas,
        # What results and events refer to stays as long as they do.
        max_age=settings.results_days * 86_400 if spec is BLOBS else spec.max_age_s,
        max_bytes=round(spec.share * settings.store_bytes),
        max_msgs_per_subject=1,
        duplicate_window=120,
        allow_rollup_hdrs=False,
    )
    if spec.kind is BucketKind.KEY_VALUE:
        return _key_value(spec, config)
    return _objects(spec, config)


def _key_value(spec: BucketSpec, config: StreamConfig) -> StreamConfig:
    return config.evolve(
        subjects=[f"$KV.{spec.name}.>"],
        discard=DiscardPolicy.OLD if spec.drops_oldest else DiscardPolicy.NEW,
        deny_delete=True,  # as every key-value bucket has it
        # By direct get a body comes as it is, else base64 in JSON, five times slower; but it may be stale, which
        # what is read by compare and set must not be.
        allow_direct=spec.is_cache,
        allow_msg_ttl=True,
    )


def _objects(spec: BucketSpec, config: StreamConfig) -> StreamConfig:
    """Create-only: refuses when full, since what it holds is referred to. Else the oldest goes, as from any cache."""
    return config.evolve(
        subjects=list(subjects_of(spec)),
        discard=DiscardPolicy.NEW if spec.create_only else DiscardPolicy.OLD,
        discard_new_per_subject=spec.create_only,  # with one message a subject: the server refuses a second one
        max_msg_size=PIECE_BYTES + _PIECE_HEADERS_BYTES,
        allow_direct=True,  # pieces never change, so a lagging replica can only lack one, not have another
    )
