"""Where accounts and answers of models are kept. Without the buckets, in this process alone."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from openwork_bus.buckets import open_key_value
from openwork_contracts.buckets import LEDGER, MODEL_ANSWERS
from openwork_contracts.errors import BusUnavailable

from openwork_llm.cache import AnswerCache, MemoryAnswers, SharedAnswers
from openwork_llm.ledger import Ledger, MemoryLedger, SharedLedger

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Stores:
    """Where a language model keeps its accounts and answers."""

    ledger: Ledger
    answers: AnswerCache


def memory_stores(max_entries: int = 256) -> Stores:
    """Stores of one process."""
    return Stores(MemoryLedger(), MemoryAnswers(max_entries))


async def open_stores(js: JetStreamContext, *, max_entries: int, share_answers: bool) -> Stores:
    """The shared stores; those of this process alone where the bus has none."""
    try:
        ledger: Ledger = SharedLedger(await open_key_value(js, LEDGER))
    except (BusUnavailable, NatsError, OSError) as error:
        log.warning("no shared account of models (%r): budgets hold per process", error)
        ledger = MemoryLedger()
    memory = MemoryAnswers(max_entries)
    if not share_answers or not max_entries:
        return Stores(ledger, memory)
    try:
        return Stores(ledger, SharedAnswers(await open_key_value(js, MODEL_ANSWERS), memory))
    except (BusUnavailable, NatsError, OSError) as error:
        log.warning("no shared answers of models: %r", error)
        return Stores(ledger, memory)
