"""Which streams are saved, and in which order. Decides alone; asks nobody.

Saved always is what nobody can make again:

    OPENWORK_DEAD               dead letters
    OPENWORK_RESULTS            what runs came to: the answers
    KV_openwork-model-ledger    what runs have cost
    KV_openwork-limits          how much of a monthly quota is used up
    OBJ_openwork-blobs          what results and letters refer to, documents over 4 MB among them
    OPENWORK_INBOX_*            questions that wait, and with them which accounts there are
    KV_openwork-api-keys        keys of persons, hashed (of the account `api`)
    KV_openwork-api-state       sessions, what is counted per day (of the account `api`)

With `everything` also what belongs to runs at work or is fetched again: events, timers, notices, full texts, what
idempotency keys stand for, the stream of the former layout. Services must not be at work then: streams are saved one
after the other, and an end that is in one of them and not in the other would end a run a second time, otherwise.
Without it a run that is at work is not in the backup. Caches are never saved.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from openwork_contracts.accounts import API_ACCOUNT, SERVICES_ACCOUNT, inbox_stream
from openwork_contracts.buckets import BLOBS, LEDGER, LIMITS, TEXTS
from openwork_contracts.subjects import ADVISORY_STREAM, DEAD_LETTER_STREAM, RESULTS_STREAM, STREAM, TIMERS_STREAM

from openwork_bus.accounts import API_KEYS, API_ONCE, API_STATE
from openwork_bus.former import FORMER_STREAM

_INBOXES = inbox_stream("")
# What refers to another comes before it: what is stored in between is only more than is referred to.
_ALWAYS = {
    SERVICES_ACCOUNT: (DEAD_LETTER_STREAM, RESULTS_STREAM, LEDGER.stream, LIMITS.stream, BLOBS.stream),
    API_ACCOUNT: (API_KEYS.stream, API_STATE.stream),
}
_AT_WORK = (STREAM, TIMERS_STREAM, ADVISORY_STREAM, FORMER_STREAM)
"""With their consumers: what was acknowledged is not done again."""
_FETCHED_AGAIN = {SERVICES_ACCOUNT: (TEXTS.stream,), API_ACCOUNT: (API_ONCE.stream,)}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A stream that is saved."""

    account: str
    stream: str
    with_consumers: bool = False


def chosen(account: str, there: Collection[str], *, everything: bool) -> tuple[Chosen, ...]:
    """Streams of an account that are saved, of those that are there, in this order."""
    found: list[Chosen] = []
    if everything and account == SERVICES_ACCOUNT:
        found += [Chosen(account, name, with_consumers=True) for name in _AT_WORK]
    found += [Chosen(account, name) for name in _ALWAYS[account]]
    if everything:
        found += [Chosen(account, name) for name in _FETCHED_AGAIN[account]]
    if account == SERVICES_ACCOUNT:
        found += [Chosen(account, name) for name in sorted(there) if is_inbox(name)]
    return tuple(one for one in found if one.stream in there)


def is_inbox(stream: str) -> bool:
    """Whether questions of an account wait there."""
    return stream.startswith(_INBOXES)
