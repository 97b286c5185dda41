"""Accounts: who asks, what they may reach, and which subjects are theirs. Owner: contracts.

Askers live in NATS accounts of their own. What they publish and hear passes through imports, by which the server itself
writes the account's name into the subject: nobody can take another's.
"""

from __future__ import annotations

import re

from openwork_contracts.errors import UsageError
from openwork_contracts.meta import CONTRACT_VERSION

SERVICES_ACCOUNT = "OPENWORK"
"""The NATS account of the services and of nobody else; also KEDA's `account`."""
SYSTEM_ACCOUNT = "SYS"
LOCAL_ACCOUNT = "local"
"""Of whoever asks without credentials, where the server lets them."""
API_ACCOUNT = "api"
"""Of the HTTP API, which alone asks on behalf of persons: owner `api/<person>`."""
NOBODY_ACCOUNT = "nobody"
"""Of a key that nobody has. A server that knows no key at all would take any for no credentials, and so for `local`."""
RESERVED = frozenset({SERVICES_ACCOUNT, SYSTEM_ACCOUNT, LOCAL_ACCOUNT, API_ACCOUNT, NOBODY_ACCOUNT})

INBOX_PREFIX = f"openwork.inbox.v{CONTRACT_VERSION}"
RESULTS_PREFIX = f"openwork.results.v{CONTRACT_VERSION}"
OUT_PREFIX = f"openwork.out.v{CONTRACT_VERSION}"

ASKER_INBOX = "openwork.inbox"
"""Where an asker publishes its questions: `openwork.inbox.<run_id>`."""
ASKER_RESULTS = "openwork.results"
"""Where an asker hears of its runs: `openwork.results.<run_id>`."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")


def check_account(name: str) -> str:
    """The name of a new account.

    Raises:
        UsageError: it cannot be one, or is reserved.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be an account: 1 to 32 of A-Z a-z 0-9 _ -")
    if name.casefold() in {reserved.casefold() for reserved in RESERVED}:
        raise UsageError(f"{name!r} is reserved; reserved are {', '.join(sorted(RESERVED))}")
    return name


def account_of(owner: str) -> str:
    """The account of an owner: `ALICE` of `ALICE`, `api` of `api/person`."""
    return owner.partition("/")[0]


def inbox_stream(account: str) -> str:
    """The stream in which an account's questions wait."""
    return f"OPENWORK_INBOX_{account}"


def inbox_subject(account: str, run_id: str = "*") -> str:
    """Where a question of an account waits, in the services' account."""
    return f"{INBOX_PREFIX}.{account}.{run_id}"


def results_subject(account: str, run_id: str = "*") -> str:
    """Where progress and document of a run are stored."""
    return f"{RESULTS_PREFIX}.{account}.{run_id}"


def out_subject(account: str, run_id: str = "*") -> str:
    """Where a stored result is told, in the services' account; its asker hears it on `openwork.results.*`."""
    return f"{OUT_PREFIX}.{account}.{run_id}"
