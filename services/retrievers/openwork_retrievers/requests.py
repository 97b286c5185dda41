"""`openwork.lookup`: identifiers in, the records that have them out. Nothing is stored, and no error leaves here."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol

from openwork_contracts.accounts import API_ACCOUNT
from openwork_contracts.errors import OpenWorkError, UsageError
from openwork_contracts.requests import LookupReply, LookupRequest
from pydantic import ValidationError

from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.domain.lookup import Answered, fitted, reply_of

log = logging.getLogger(__name__)

WITHIN_S = 9.0
"""Seconds for what goes out, so that a reply is there within 10."""
AT_ONCE = 16
"""Lookups of one account in work in one process, and as many that wait: who asks waits 20 s."""
MOST_BYTES = 2**19
"""Of a request: 50 identifiers of 500 characters, each escaped as 12 bytes, are 300 kB."""
MESSAGE_BYTES = 2**20
"""What a server takes in one message by its own default."""
_EXAMPLE = '{"ids": ["32678530", "10.1056/NEJMoa1911303"]}'


class AskedOutside(Protocol):
    """A source that is asked by identifier."""

    async def ask(self, ids: Sequence[str], within_s: float) -> list[Answered]:
        """What it says of those that it might know; never raises for its own sake."""
        ...


class Lookup:
    """Looks identifiers up: in what may be asked outside, all at once, and in the library."""

    def __init__(self, library: LibrarySource, outside: Sequence[AskedOutside] = ()) -> None:
        self._library = library
        self._outside = tuple(outside)
        self.most_bytes = MESSAGE_BYTES
        """What the server takes in one message."""

    async def reply(self, request: LookupRequest, *, within_s: float = WITHIN_S) -> LookupReply:
        """What each identifier came to, within the time: partly, where a source is slow."""
        answers = await asyncio.gather(*(one.ask(request.ids, within_s) for one in self._outside))
        answered = [one for parts in answers for one in parts]
        return fitted(reply_of(request.ids, answered, self._library.records), self.most_bytes)


async def answer_lookup(account: str, body: bytes, lookup: Lookup) -> bytes:
    """The records, or in words what is wrong with the request.

    Args:
        account: who asks; everybody gets the same.
    """
    return (await _replied(account, body, lookup)).model_dump_json().encode()


async def _replied(account: str, body: bytes, lookup: Lookup) -> LookupReply:
    try:
        return await lookup.reply(_read(account, body))
    except OpenWorkError as error:
        return LookupReply(error=str(error), error_type=type(error).__name__)
    except Exception as error:
        log.exception("identifiers could not be looked up")
        words = f"The retriever failed unexpectedly ({type(error).__name__})."
        return LookupReply(error=words, error_type="OpenWorkError")


def _read(account: str, body: bytes) -> LookupRequest:
    if len(body) > MOST_BYTES:
        raise UsageError(f"body: has {len(body)} bytes, and may have {MOST_BYTES}. Send JSON such as {_EXAMPLE}.")
    try:
        request = LookupRequest.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "body"
        raise UsageError(f"{field}: {first['msg']}. Send JSON such as {_EXAMPLE}.") from error
    if request.on_behalf_of and account != API_ACCOUNT:
        raise UsageError(f"on_behalf_of is for the account {API_ACCOUNT!r}, which knows its persons; leave it out")
    return request
