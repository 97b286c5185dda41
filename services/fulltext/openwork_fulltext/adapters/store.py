"""Read texts, kept for all replicas in a bucket of objects, by identifier. A store that fails has nothing."""

from __future__ import annotations

import logging
import re

import zstandard
from openwork_bus.objects import Objects
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.evidence import Identifiers
from openwork_contracts.meta import BlobRef
from openwork_contracts.ranking import FullText
from pydantic import ValidationError

log = logging.getLogger(__name__)

_MAX_TEXT_BYTES = 32 * 2**20
_PARSER_VERSION = 1
"""Part of the key: a parser that reads differently does not see what an older one stored."""


class TextStore:
    """Texts by identifier. Expiry is the bucket's. `None` = nothing is kept."""

    def __init__(self, objects: Objects | None) -> None:
        self._objects = objects

    async def get(self, identifiers: Identifiers) -> tuple[FullText, BlobRef] | None:
        """The text of a work and where it lies, if any of its identifiers was stored."""
        if self._objects is None:
            return None
        for key in keys_of(identifiers):
            try:
                if (ref := await self._objects.named(key)) is None:
                    continue
                packed = await self._objects.get(ref)
                body = zstandard.ZstdDecompressor().decompress(packed, max_output_size=_MAX_TEXT_BYTES)
                return FullText.model_validate_json(body), ref
            except (OpenWorkError, LookupError, ValidationError, zstandard.ZstdError):
                continue
        return None

    async def has(self, identifiers: Identifiers) -> bool:
        """Whether the text of a work is stored, without reading it."""
        if self._objects is None:
            return False
        try:
            return any([await self._objects.named(key) is not None for key in keys_of(identifiers)])
        except OpenWorkError:
            return False

    async def put(self, text: FullText) -> BlobRef | None:
        """Keep a text under the first of its identifiers; `None` = it was not kept."""
        keys = keys_of(text.identifiers)
        if self._objects is None or not keys:
            return None
        packed = zstandard.ZstdCompressor(level=6).compress(text.model_dump_json(exclude_defaults=True).encode())
        try:
            ref = await self._objects.put(packed)
            await self._objects.set_name(keys[0], ref)  # last: a name never stands for what is not there yet
        except OpenWorkError as error:
            log.warning("a text was not kept: %s", error)
            return None
        return ref


def keys_of(identifiers: Identifiers) -> list[str]:
    """Names of a work in the bucket, surest first."""
    named = (("pmcid", identifiers.pmcid), ("pmid", identifiers.pmid), ("doi", identifiers.doi))
    return [f"v{_PARSER_VERSION}.{kind}.{re.sub(r'[^A-Za-z0-9]', '_', value)}" for kind, value in named if value]
