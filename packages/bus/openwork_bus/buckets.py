"""Buckets are opened here and nowhere else, after the table of the contracts."""

from __future__ import annotations

from nats.js import JetStreamContext
from nats.js.api import KeyValueConfig, ObjectStoreConfig, StorageType
from nats.js.errors import BadRequestError, BucketNotFoundError, NotFoundError
from nats.js.kv import KeyValue
from nats.js.object_store import ObjectStore
from openwork_contracts.buckets import BUCKETS, BucketKind, BucketSpec
from openwork_contracts.errors import BusUnavailable


async def ensure_buckets(js: JetStreamContext, *, replicas: int = 1, specs: tuple[BucketSpec, ...] = BUCKETS) -> None:
    """Create the buckets that are not there; the others stay as they are. Needs the right to create streams."""
    for spec in specs:
        if spec.kind is BucketKind.KEY_VALUE:
            await _ensure_key_value(js, spec, replicas)
        else:
            await _ensure_objects(js, spec, replicas)


async def open_key_value(js: JetStreamContext, spec: BucketSpec) -> KeyValue:
    """A key-value bucket that the topology job made.

    Raises:
        BusUnavailable: it is not there.
    """
    try:
        return await js.key_value(spec.name)
    except (BucketNotFoundError, NotFoundError) as error:
        raise _missing(spec) from error


async def open_objects(js: JetStreamContext, spec: BucketSpec) -> ObjectStore:
    """An object store that the topology job made.

    Raises:
        BusUnavailable: it is not there.
    """
    try:
        return await js.object_store(spec.name)
    except (BucketNotFoundError, NotFoundError) as error:
        raise _missing(spec) from error


def _missing(spec: BucketSpec) -> BusUnavailable:
    return BusUnavailable(f"the bucket {spec.name} is not there; run `python -m openwork_bus.topology`")


async def _ensure_key_value(js: JetStreamContext, spec: BucketSpec, replicas: int) -> None:
    config = KeyValueConfig(
        spec.name,
        history=1,
        ttl=spec.max_age_s,
        max_bytes=spec.max_bytes,
        replicas=1 if spec.is_cache else replicas,
        storage=StorageType.FILE,
        # By direct get a body comes as it is, else base64 in JSON, five times slower; but it may be stale, which
        # what is read by compare and set must not be.
        direct=spec.is_cache,
    )
    try:
        await js.key_value(spec.name)
    except BucketNotFoundError:
        try:
            await js.create_key_value(config)
        except BadRequestError:  # another process created it in between
            await js.key_value(spec.name)


async def _ensure_objects(js: JetStreamContext, spec: BucketSpec, replicas: int) -> None:
    config = ObjectStoreConfig(
        ttl=spec.max_age_s, max_bytes=spec.max_bytes, storage=StorageType.FILE, replicas=replicas
    )
    try:
        await js.object_store(spec.name)
    except (BucketNotFoundError, NotFoundError):
        try:
            await js.create_object_store(spec.name, config=config)
        except BadRequestError:
            await js.object_store(spec.name)
