"""Read texts, kept for all replicas in a JetStream object store, by identifier. A store that fails has nothing."""

from __future__ import annotations

import hashlib
import logging
import re

import zstandard
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.object_store import ObjectStore
from openwork_bus.buckets import open_objects
from openwork_contracts.buckets import TEXTS
from openwork_contracts.errors import BusUnavailable
from openwork_contracts.evidence import Identifiers
from openwork_contracts.meta import BlobRef
from openwork_contracts.ranking import FullText
from pydantic import ValidationError

log = logging.getLogger(__name__)

_MAX_TEXT_BYTES = 32 * 2**20
_PARSER_VERSION = 1
"""Part of the key: a parser that reads differently does not see what an older one stored."""


class TextStore:
    """Texts by identifier. Expiry is the bucket's."""

    def __init__(self, store: ObjectStore | None) -> None:
        self._store = store

    @classmethod
    async def open(cls, js: JetStreamContext) -> TextStore:
        """The bucket that `topology.py` made; without it nothing is kept."""
        try:
            return cls(await open_objects(js, TEXTS))
        except (BusUnavailable, NatsError, OSError) as error:
            log.warning("texts are not kept: %r", error)
            return cls(None)

    async def get(self, identifiers: Identifiers) -> tuple[FullText, BlobRef] | None:
        """The text of a work and where it lies, if any of its identifiers was stored."""
        if self._store is None:
            return None
        for key in keys_of(identifiers):
            try:
                packed = (await self._store.get(key)).data or b""
                body = zstandard.ZstdDecompressor().decompress(packed, max_output_size=_MAX_TEXT_BYTES)
                return FullText.model_validate_json(body), _reference(key, packed)
            except (NatsError, OSError, ValidationError, zstandard.ZstdError):
                continue
        return None

    async def put(self, text: FullText) -> BlobRef | None:
        """Keep a text under the first of its identifiers; `None` = it was not kept."""
        keys = keys_of(text.identifiers)
        if self._store is None or not keys:
            return None
        packed = zstandard.ZstdCompressor(level=6).compress(text.model_dump_json(exclude_defaults=True).encode())
        try:
            await self._store.put(keys[0], packed)
        except (NatsError, OSError) as error:
            log.warning("a text was not kept: %r", error)
            return None
        return _reference(keys[0], packed)


def _reference(key: str, packed: bytes) -> BlobRef:
    return BlobRef(bucket=TEXTS.name, name=key, sha256=hashlib.sha256(packed).hexdigest(), size=len(packed))


def keys_of(identifiers: Identifiers) -> list[str]:
    """Object names of a work, surest first."""
    named = (("pmcid", identifiers.pmcid), ("pmid", identifiers.pmid), ("doi", identifiers.doi))
    return [f"v{_PARSER_VERSION}.{kind}.{re.sub(r'[^A-Za-z0-9]', '_', value)}" for kind, value in named if value]
