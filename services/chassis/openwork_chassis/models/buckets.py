"""The KV buckets of this package. Both may be lost without harm; made by the topology job, or when opened."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import KeyValueConfig, StorageType
from nats.js.errors import BadRequestError, BucketNotFoundError
from nats.js.kv import KeyValue

from openwork_chassis.models.cache import AnswerCache, MemoryAnswers, SharedAnswers
from openwork_chassis.models.ledger import Ledger, MemoryLedger, SharedLedger

log = logging.getLogger(__name__)

LEDGER_BUCKET = "openwork-model-ledger"
"""One account per run: calls, tokens, dollars, notes. No text of questions or sources."""
ANSWERS_BUCKET = "openwork-model-answers"
"""Answers of models by hash of what was asked; they may repeat what a question or source says."""
LEDGER_MAX_AGE_S = 7 * 86_400.0
ANSWERS_MAX_AGE_S = 86_400.0
_LEDGER_MAX_BYTES = 64 * 2**20
_ANSWERS_MAX_BYTES = 128 * 2**20


@dataclass(frozen=True, slots=True)
class Stores:
    """Where a language model keeps its accounts and answers."""

    ledger: Ledger
    answers: AnswerCache


def memory_stores(max_entries: int = 256) -> Stores:
    """Stores of one process."""
    return Stores(MemoryLedger(), MemoryAnswers(max_entries))


async def ensure_model_buckets(js: JetStreamContext, *, replicas: int = 1) -> None:
    """Create the buckets that are not there. Needs the right to create streams."""
    for config in _configs(replicas):
        await _opened(js, config)


async def open_stores(js: JetStreamContext, *, max_entries: int, share_answers: bool) -> Stores:
    """The shared stores; those of this process alone where the bus has none and lets us make none."""
    ledger_config, answers_config = _configs(1)
    try:
        ledger: Ledger = SharedLedger(await _opened(js, ledger_config))
    except (NatsError, OSError) as error:
        log.warning("no shared account of models (%r): budgets hold per process", error)
        ledger = MemoryLedger()
    memory = MemoryAnswers(max_entries)
    if not share_answers or not max_entries:
        return Stores(ledger, memory)
    try:
        return Stores(ledger, SharedAnswers(await _opened(js, answers_config), memory))
    except (NatsError, OSError) as error:
        log.warning("no shared answers of models: %r", error)
        return Stores(ledger, memory)


def _configs(replicas: int) -> tuple[KeyValueConfig, KeyValueConfig]:
    ledger = KeyValueConfig(
        LEDGER_BUCKET,
        history=1,
        ttl=LEDGER_MAX_AGE_S,
        max_bytes=_LEDGER_MAX_BYTES,
        replicas=replicas,
        storage=StorageType.FILE,
        direct=False,  # read by compare and set: a direct get may be stale
    )
    answers = KeyValueConfig(
        ANSWERS_BUCKET,
        history=1,
        ttl=ANSWERS_MAX_AGE_S,
        max_bytes=_ANSWERS_MAX_BYTES,
        replicas=1,  # an answer that is lost is asked for again
        storage=StorageType.FILE,
        direct=True,
    )
    return ledger, answers


async def _opened(js: JetStreamContext, config: KeyValueConfig) -> KeyValue:
    try:
        return await js.key_value(config.bucket)
    except BucketNotFoundError:
        try:
            return await js.create_key_value(config)
        except BadRequestError:  # another process created it in between
            return await js.key_value(config.bucket)
