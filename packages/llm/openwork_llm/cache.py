"""Answers given again: the same prompt, model and input is asked once."""

from __future__ import annotations

import hashlib
import json
import logging
from collections import OrderedDict
from typing import Protocol

import zstandard
from nats.errors import Error as NatsError
from nats.js.errors import KeyNotFoundError
from nats.js.kv import KeyValue

from openwork_llm.messages import ModelRequest
from openwork_llm.prompts import Filled, Prompt

log = logging.getLogger(__name__)

_MAX_CHARS = 200_000
"""No answer of ours is near it; what is, is not kept."""


def answer_key(prompt: Prompt, filled: Filled, request: ModelRequest, provider: str) -> str:
    """What was asked, of whom: prompt version and text, model, parameters, shape and input; 40 hexadecimal digits.

    The delimiters do not enter: each process has its own.
    """
    asked = (
        provider,
        request.model,
        prompt.id,
        filled.digest,
        request.schema,
        request.temperature,
        request.max_output_tokens,
        request.thinking,
    )
    return hashlib.blake2b(json.dumps(asked, sort_keys=True).encode(), digest_size=20).hexdigest()


class AnswerCache(Protocol):
    """Keeps answers that passed their checks. May lose any of them at any time; never raises."""

    async def get(self, key: str) -> str | None: ...

    async def put(self, key: str, text: str) -> None: ...


class MemoryAnswers:
    """The answers of one process, the least recently used dropped first."""

    def __init__(self, max_entries: int) -> None:
        self._max_entries = max_entries
        self._kept: OrderedDict[str, str] = OrderedDict()

    async def get(self, key: str) -> str | None:
        """An answer, if it is still here."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    async def put(self, key: str, text: str) -> None:
        """Keep an answer."""
        self._kept[key] = text
        self._kept.move_to_end(key)
        while len(self._kept) > self._max_entries:
            self._kept.popitem(last=False)


class SharedAnswers:
    """The answers of all processes: memory first, then a KV bucket (`buckets.open_buckets`), compressed."""

    def __init__(self, kv: KeyValue, memory: MemoryAnswers) -> None:
        self._kv = kv
        self._memory = memory

    async def get(self, key: str) -> str | None:
        """An answer; a bucket that does not answer has none."""
        found = await self._memory.get(key)
        if found is not None:
            return found
        try:
            entry = await self._kv.get(key)
            text = zstandard.ZstdDecompressor().decompress(entry.value or b"", max_output_size=4 * _MAX_CHARS).decode()
        except KeyNotFoundError:
            return None
        except (NatsError, OSError, zstandard.ZstdError, UnicodeDecodeError) as error:
            log.warning("the shared answers of models were not read: %r", error)
            return None
        await self._memory.put(key, text)
        return text

    async def put(self, key: str, text: str) -> None:
        """Keep an answer here and for the others."""
        await self._memory.put(key, text)
        if len(text) > _MAX_CHARS:
            return
        try:
            await self._kv.put(key, zstandard.ZstdCompressor(level=3).compress(text.encode()))
        except (NatsError, OSError) as error:
            log.warning("an answer of a model was not shared: %r", error)
