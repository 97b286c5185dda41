"""The KV buckets of this package: limits that must be right, answers that may be lost."""

from __future__ import annotations

from nats.js import JetStreamContext
from nats.js.api import KeyValueConfig, StorageType
from nats.js.errors import BadRequestError, BucketNotFoundError

LIMITS_BUCKET = "openwork-limits"
"""Rate slots and monthly quotas."""
ANSWERS_BUCKET = "openwork-answers"
"""Cached answers of outside services."""
ANSWERS_MAX_AGE_S = 7 * 86_400.0
"""No answer is kept longer, whatever its service allows."""


async def ensure_buckets(js: JetStreamContext, *, replicas: int = 1, cache_bytes: int = 64 * 2**20) -> None:
    """Create the buckets that are not there; the others stay as they are. Needs the right to create streams."""
    limits = KeyValueConfig(LIMITS_BUCKET, history=1, replicas=replicas, storage=StorageType.FILE, direct=False)
    answers = KeyValueConfig(
        ANSWERS_BUCKET,
        history=1,
        ttl=ANSWERS_MAX_AGE_S,
        max_bytes=max(cache_bytes, 1024),
        replicas=1,  # an answer that is lost is fetched again
        storage=StorageType.FILE,
        direct=True,  # without it bodies come base64-encoded in JSON, five times slower
    )
    for config in (limits, answers):
        try:
            await js.key_value(config.bucket)
        except BucketNotFoundError:
            try:
                await js.create_key_value(config)
            except BadRequestError:  # another process created it in between
                await js.key_value(config.bucket)
