"""What each run has spent on models, and what it has to say about them; shared by all services of the run.

The steps of one run happen in different processes, so the account lives in a bucket of the bus, changed by compare and
set. A bucket that does not answer leaves each process with its own account: the budget then holds per process.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from nats.errors import Error as NatsError
from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue
from openwork_contracts.answer import Usage
from pydantic import BaseModel, ConfigDict, Field, ValidationError

log = logging.getLogger(__name__)

_MOST_RUNS = 2048
"""Accounts kept in memory; a run is over within an hour."""
_TRIES = 12
"""Compare-and-set rounds before giving up; the steps of one run seldom overlap."""


class CallRecord(BaseModel):
    """One call that was paid for."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    service: str
    prompt: str
    """Name and version, e.g. `query.v1`."""
    model: str
    input_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)
    """Including thinking."""
    cost_usd: float = Field(ge=0)
    elapsed_s: float = Field(ge=0)
    estimated: bool = False
    """True when the service did not tell: the call broke off."""
    answered: bool = True
    """False when no usable answer came of it."""


class Account(BaseModel):
    """What one run has spent, and what a reader must be told about its models."""

    model_config = ConfigDict(frozen=True)

    calls: tuple[CallRecord, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """In and out together."""
        return sum(call.input_tokens + call.output_tokens for call in self.calls)

    @property
    def cost_usd(self) -> float:
        """US dollars."""
        return sum(call.cost_usd for call in self.calls)

    @property
    def elapsed_s(self) -> float:
        """Seconds waited for models."""
        return sum(call.elapsed_s for call in self.calls)

    def asked(self, prompt_name: str) -> bool:
        """Whether some version of a prompt got a usable answer in this run."""
        return any(call.answered and call.prompt.rpartition(".")[0] == prompt_name for call in self.calls)

    @property
    def usage(self) -> Usage:
        """The account as the answer document states it."""
        return Usage(
            input_tokens=sum(call.input_tokens for call in self.calls),
            output_tokens=sum(call.output_tokens for call in self.calls),
            cost_usd=round(self.cost_usd, 6),
            model_calls=len(self.calls),
        )


class Ledger(Protocol):
    """Accounts by run. Reading and writing never raise: one that cannot be kept is a warning, not a failed run."""

    async def read(self, run_id: str) -> Account: ...

    async def record(self, run_id: str, call: CallRecord) -> None: ...

    async def note(self, run_id: str, text: str) -> None: ...


class MemoryLedger:
    """The accounts of one process."""

    def __init__(self) -> None:
        self._accounts: OrderedDict[str, Account] = OrderedDict()

    async def read(self, run_id: str) -> Account:
        """The account; empty for a run that has spent nothing."""
        return self._accounts.get(run_id, Account())

    async def record(self, run_id: str, call: CallRecord) -> None:
        """Add a call."""
        self._keep(run_id, _with_call(await self.read(run_id), call))

    async def note(self, run_id: str, text: str) -> None:
        """Add a note, once."""
        self._keep(run_id, _with_note(await self.read(run_id), text))

    def _keep(self, run_id: str, account: Account) -> None:
        self._accounts[run_id] = account
        self._accounts.move_to_end(run_id)
        while len(self._accounts) > _MOST_RUNS:
            self._accounts.popitem(last=False)


class SharedLedger:
    """The accounts of all services, in a KV bucket (`buckets.open_buckets`)."""

    def __init__(self, kv: KeyValue) -> None:
        self._kv = kv
        self._own = MemoryLedger()
        """What the bucket could not take."""

    async def read(self, run_id: str) -> Account:
        """The account of the bucket together with what it could not take."""
        account, _ = await self._load(run_id)
        own = await self._own.read(run_id)
        return Account(calls=(*account.calls, *own.calls), notes=tuple(dict.fromkeys((*account.notes, *own.notes))))

    async def record(self, run_id: str, call: CallRecord) -> None:
        """Add a call."""
        if not await self._change(run_id, lambda account: _with_call(account, call)):
            await self._own.record(run_id, call)

    async def note(self, run_id: str, text: str) -> None:
        """Add a note, once."""
        if not await self._change(run_id, lambda account: _with_note(account, text)):
            await self._own.note(run_id, text)

    async def _change(self, run_id: str, change: Callable[[Account], Account]) -> bool:
        for _ in range(_TRIES):
            account, revision = await self._load(run_id)
            if revision is None:
                return False
            body = change(account).model_dump_json().encode()
            try:
                await (self._kv.update(run_id, body, last=revision) if revision else self._kv.create(run_id, body))
            except KeyWrongLastSequenceError:
                continue
            except (NatsError, OSError) as error:
                log.warning("the model account of run %s was not written: %r", run_id, error)
                return False
            return True
        log.warning("the model account of run %s changed too often to be written", run_id)
        return False

    async def _load(self, run_id: str) -> tuple[Account, int | None]:
        """The account and its revision: 0 = there is none yet, `None` = the bucket does not answer."""
        try:
            entry = await self._kv.get(run_id)
            return Account.model_validate_json(entry.value or b"{}"), entry.revision or 0
        except KeyNotFoundError:
            return Account(), 0
        except (NatsError, OSError, ValidationError) as error:
            log.warning("the model account of run %s was not read: %s", run_id, type(error).__name__)
            return Account(), None


def _with_call(account: Account, call: CallRecord) -> Account:
    return account.model_copy(update={"calls": (*account.calls, call)})


def _with_note(account: Account, text: str) -> Account:
    return account.model_copy(update={"notes": tuple(dict.fromkeys((*account.notes, text)))})
