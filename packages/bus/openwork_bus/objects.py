"""Large objects in a stream, written and read by subject alone.

A user's rights are subjects, so what a client does must stand in one. NATS' own object store reads through a consumer
without a name and replaces by a purge, and both name what they take in the message's body, where no right reaches:
that is why this layout is our own, and why `nats object` does not read it.

    $O.<bucket>.C.<sha256 of the object>.<n>    its piece n, from 0: the one message of its subject
    $O.<bucket>.M.<name>                        a `BlobRef`: the object that has this name now

Pieces are named by their object's content, so an object never changes. A name that is given another object leaves the
pieces of the former one to whoever reads them; they go by age. An object without a byte has no piece.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Iterator

from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.errors import APIError, NotFoundError
from openwork_contracts.buckets import BucketSpec
from openwork_contracts.errors import BusUnavailable, ContractViolation, EventTooLarge, StorageFull
from openwork_contracts.meta import BlobRef
from pydantic import ValidationError

from openwork_bus.codec import JSON_ZSTD
from openwork_bus.storage import Refusal, is_full, refusal_of

PIECE_BYTES = 256 * 1024
"""Part of the layout: the size says which pieces there are. A fourth of the server's usual largest message; 128 KiB and
512 KiB took as long when measured (objects of 20 kB to 5 MB)."""
MAX_OBJECT_BYTES = 64 * 2**20
"""As much as a compressed event may unfold to; a reference that claims more is not followed."""
_AT_ONCE = 4
"""Pieces on their way at once: 1 MiB in memory, and more was no faster when measured."""
_LAG_S = (0.01, 0.05, 0.25)
"""Pauses before a direct get is asked again for what the leader has: a replica may lag behind it."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")


def subjects_of(spec: BucketSpec) -> tuple[str, ...]:
    """Every subject of a bucket of objects: pieces, and names where it has any."""
    return (f"$O.{spec.name}.C.*.*", *(f"$O.{spec.name}.M.{key}" for key in spec.keys))


class Objects:
    """The objects of one bucket. Opening it asks nobody; a bucket that is not there is told by the first call."""

    def __init__(self, js: JetStreamContext, spec: BucketSpec) -> None:
        self._js = js
        self._spec = spec

    async def put(self, data: bytes, *, media_type: str = JSON_ZSTD) -> BlobRef:
        """Store an object; the same bytes are the same object, which may be put again.

        Raises:
            EventTooLarge: more than `MAX_OBJECT_BYTES`. StorageFull, BusUnavailable: it is not stored, or in part.
        """
        if len(data) > MAX_OBJECT_BYTES:
            raise EventTooLarge(f"{len(data)} bytes are no object of {self._spec.name}; at most {MAX_OBJECT_BYTES}")
        digest = hashlib.sha256(data).hexdigest()
        for turn in _turns(len(data)):
            pieces = {n: data[n * PIECE_BYTES : (n + 1) * PIECE_BYTES] for n in turn}
            await asyncio.gather(*(self._put(self._piece(digest, n), piece) for n, piece in pieces.items()))
        return BlobRef(bucket=self._spec.name, name=digest, sha256=digest, size=len(data), media_type=media_type)

    async def get(self, ref: BlobRef) -> bytes:
        """The bytes of an object.

        Raises:
            LookupError: it is not there, or not whole. ContractViolation: it is not what the reference says.
            BusUnavailable: NATS does not answer.
        """
        if ref.size > MAX_OBJECT_BYTES:
            raise ContractViolation(f"{ref.name!r} of {ref.bucket} is said to have {ref.size} bytes; at most "
                                    f"{MAX_OBJECT_BYTES} are read")  # fmt: skip
        if not _DIGEST.fullmatch(ref.name):
            raise LookupError(f"{ref.name!r} is not in {self._spec.name}: an object is named by its checksum")
        found: list[bytes] = []
        for turn in _turns(ref.size):
            found += await asyncio.gather(*(self._get(self._piece(ref.name, n)) for n in turn))
        data = b"".join(found)
        if len(data) != ref.size or hashlib.sha256(data).hexdigest() != ref.sha256:
            raise ContractViolation(f"{ref.name} in {ref.bucket} is not what was referred to: another checksum")
        return data

    async def set_name(self, name: str, ref: BlobRef) -> None:
        """Give a name to an object that is stored; its former object has it no more.

        Raises:
            ValueError: a name of other characters than A-Z, a-z, 0-9, `_`, `-` and single dots between them.
            StorageFull, BusUnavailable: the name stands for what it stood for.
        """
        await self._put(self._named(name), ref.model_dump_json().encode())

    async def named(self, name: str) -> BlobRef | None:
        """The object that has a name; `None` = none has. A replica that lags may tell the former one.

        Raises:
            ContractViolation: what is stored there is no reference. BusUnavailable: NATS does not answer.
        """
        found = await self._last(self._named(name))
        try:
            return None if found is None else BlobRef.model_validate_json(found)
        except ValidationError as error:
            raise ContractViolation(f"{name} in {self._spec.name} is no reference: {error}") from error

    # --- inside ----------------------------------------------------------------------------------------------------

    def _piece(self, digest: str, n: int) -> str:
        return f"$O.{self._spec.name}.C.{digest}.{n}"

    def _named(self, name: str) -> str:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} cannot be a name in {self._spec.name}")
        return f"$O.{self._spec.name}.M.{name}"

    async def _put(self, subject: str, data: bytes) -> None:
        headers = {"Nats-Expected-Last-Subject-Sequence": "0"} if self._spec.create_only else None
        try:
            await self._js.publish(subject, data, stream=self._spec.stream, headers=headers)
        except APIError as error:
            if headers and refusal_of(error) is Refusal.THERE_ALREADY:
                return  # the same piece, put before
            kind = StorageFull if is_full(error) else BusUnavailable
            raise kind(f"{subject} could not be stored: {error.description} ({error.err_code})") from error
        except (NatsError, OSError) as error:
            raise BusUnavailable(f"{subject} could not be stored: {error!r}") from error

    async def _get(self, subject: str) -> bytes:
        """What is there; the leader says whether something that a replica has not is really absent."""
        for pause_s in (0.0, *_LAG_S):
            await asyncio.sleep(pause_s)
            data = await self._last(subject)
            if data is not None:
                return data
            if not await self._is_stored(subject):
                raise LookupError(f"{subject} is not stored")
        raise BusUnavailable(f"{subject} is stored, but no replica has it yet")

    async def _last(self, subject: str) -> bytes | None:
        try:
            message = await self._js.get_last_msg(self._spec.stream, subject, direct=True)
        except NotFoundError:
            return None
        except (NatsError, OSError) as error:
            raise BusUnavailable(f"{subject} could not be read: {error!r}") from error
        return message.data or b""

    async def _is_stored(self, subject: str) -> bool:
        try:
            info = await self._js.stream_info(self._spec.stream, subjects_filter=subject)
        except (NatsError, OSError) as error:
            raise BusUnavailable(f"{self._spec.stream} did not say whether it has {subject}: {error!r}") from error
        return bool(info.state.subjects)


def _turns(size: int) -> Iterator[range]:
    """The numbers of an object's pieces, a few at a time."""
    n_pieces = -(-size // PIECE_BYTES)
    for start in range(0, n_pieces, _AT_ONCE):
        yield range(start, min(start + _AT_ONCE, n_pieces))
