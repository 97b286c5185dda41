"""`openwork.list`: runs of an owner in one line each, newest first, and those among them that hold given words."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from openwork_bus.bus import Bus
from openwork_bus.run_ids import is_run_id
from openwork_contracts.accounts import account_of
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.errors import ContractViolation
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.requests import ListReply, ListRequest, RunSummary
from openwork_contracts.subjects import end_filter, parse_subject, question_filter

from openwork_gateway.domain.lines import one_line
from openwork_gateway.requests import owner_of, replied
from openwork_gateway.results import Results

log = logging.getLogger(__name__)

QUESTION_CHARS = 200
"""Of a question in the list of runs."""
SEARCHED_CHARS = 2000
"""Of a question, those in which words are looked for."""
READ_AT_ONCE = 32
"""Runs that are read at the same time for a list."""
MOST_READ = 2000
"""Documents of an account that are read for a list: in the API's, most are other persons'."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Known:
    """A run that is over, as it was read once."""

    line: RunSummary
    words: tuple[str, ...]
    """Of its question, folded to small letters."""

    def holds(self, wanted: Sequence[str]) -> bool:
        """Whether each of these words, or one that begins so, is in the question."""
        return all(any(word.startswith(one) for word in self.words) for one in wanted)


class Lines:
    """What there is to say of runs that are over, by account and run: it is so until the gateway hears otherwise."""

    def __init__(self, most: int = 20_000) -> None:
        self._most = most
        self._known: OrderedDict[tuple[str, str], Known | None] = OrderedDict()
        self._being_read: set[tuple[str, str]] = set()
        self._n_reconnects = 0

    def has(self, account: str, run_id: str) -> bool:
        """Whether it was read before."""
        return (account, run_id) in self._known

    def get(self, account: str, run_id: str) -> Known | None:
        """The line; `None` = there is nothing to list, or it was not read yet."""
        return self._known.get((account, run_id))

    async def read(self, results: Results, account: str, run_id: str) -> Known | None:
        """Read what a run came to, and keep it unless the gateway hears meanwhile that it is something else."""
        key = (account, run_id)
        self._being_read.add(key)
        try:
            known = await _read(results, account, run_id)
            if key in self._being_read:
                self._known[key] = known
        finally:
            self._being_read.discard(key)
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        return known

    def forget(self, account: str, run_id: str) -> None:
        """It was deleted, or came to something."""
        self._known.pop((account, run_id), None)
        self._being_read.discard((account, run_id))

    def connected(self, n_reconnects: int) -> None:
        """How often the connection was back: what was to be heard meanwhile was not."""
        if n_reconnects != self._n_reconnects:
            self._n_reconnects = n_reconnects
            self._known.clear()
            self._being_read.clear()


async def answer_list(account: str, body: bytes, bus: Bus, results: Results, lines: Lines | None = None) -> ListReply:
    """`openwork.list`: the newest runs of the account, or of the person on whose behalf it asks."""

    async def work(request: ListRequest) -> ListReply:
        return await newest_runs(bus, results, owner_of(account, request.on_behalf_of), request, lines)

    return await replied(body, ListRequest, ListReply, work)


async def newest_runs(
    bus: Bus, results: Results, owner: str, request: ListRequest, lines: Lines | None = None
) -> ListReply:
    """Runs of an owner in one line each, newest first: those that are over, and those that are at work."""
    wanted, account = words_of(request.query or ""), account_of(owner)
    at_work = {parse_subject(subject).run_id: subject for subject in await _at_work(bus)}
    found: dict[str, RunSummary] = {}
    for subjects in _chunks([subject for run_id, subject in at_work.items() if _is_before(run_id, request)]):
        asked = await asyncio.gather(*(_at_work_line(bus, subject, owner) for subject in subjects))
        found |= {known.line.run_id: known.line for known in asked if known and known.holds(wanted)}
    # Under what is no run id only a refusal is stored, which was told when it came.
    stored = await results.run_ids(account) - at_work.keys()
    names = sorted((name for name in stored if _is_before(name, request)), reverse=True)
    reached, n_over = "", 0
    async for reached, known in _over(results, account, names, lines or Lines()):
        if known is not None and known.line.owner == owner and known.holds(wanted):
            found[reached] = known.line
            n_over += 1
        if n_over > request.limit:
            break
    after = reached if names and reached != names[-1] else None
    if after is not None:  # what is older than that belongs to the next page
        found = {run_id: line for run_id, line in found.items() if run_id >= after}
    shown = sorted(found, reverse=True)[: request.limit]
    if len(found) > request.limit:
        after = shown[-1]
    return ListReply(runs=tuple(found[run_id] for run_id in shown), next=after)


async def _over(
    results: Results, account: str, run_ids: Sequence[str], lines: Lines
) -> AsyncIterator[tuple[str, Known | None]]:
    """Runs of an account that are over, in this order, of whichever of its persons, until `MOST_READ` were read."""
    n_read = 0
    for chunk in _chunks(run_ids):
        if n_read >= MOST_READ:
            return
        unknown = [run_id for run_id in chunk if not lines.has(account, run_id)]
        n_read += len(unknown)
        read = await asyncio.gather(*(lines.read(results, account, run_id) for run_id in unknown))
        now_known = dict(zip(unknown, read, strict=True))
        for run_id in chunk:
            yield run_id, now_known.get(run_id) or lines.get(account, run_id)


async def _read(results: Results, account: str, run_id: str) -> Known | None:
    """The line of a run; `None` = nothing is there, or it cannot be read."""
    try:
        document = await results.last(account, run_id)
    except ContractViolation as error:
        log.warning("left out of the list: %s", error)
        return None
    return Known(_line(document), words_of(document.question[:SEARCHED_CHARS])) if document else None


def _line(document: AnswerDocument) -> RunSummary:
    return RunSummary(
        run_id=document.run_id,
        pipeline=document.pipeline,
        status=document.status,
        submitted_at=document.submitted_at or datetime.now(UTC),
        question=one_line(document.question, QUESTION_CHARS),
        owner=document.owner,
        verdict=document.conclusion.verdict if document.conclusion else None,
    )


async def _at_work_line(bus: Bus, subject: str, owner: str) -> Known | None:
    """A run at work; `None` = another's, or it cannot be read."""
    try:
        asked = await bus.get(subject)
    except ContractViolation as error:
        log.warning("left out of the list: %s", error)
        return None
    if asked is None or not isinstance(asked.event, QuerySubmitted) or asked.event.meta.owner != owner:
        return None
    meta, question = asked.event.meta, asked.event.question
    line = RunSummary(
        run_id=meta.run_id,
        pipeline=meta.pipeline,
        status=RunStatus.RUNNING,
        submitted_at=meta.occurred_at,
        question=one_line(question, QUESTION_CHARS),
        owner=meta.owner,
    )
    return Known(line, words_of(question[:SEARCHED_CHARS]))


def words_of(text: str) -> tuple[str, ...]:
    """Words folded to small letters, each once."""
    return tuple(dict.fromkeys(_WORD.findall(text.casefold())))


def _is_before(run_id: str, request: ListRequest) -> bool:
    return is_run_id(run_id) and (request.before is None or run_id < request.before)


def _chunks(names: Sequence[str]) -> Iterator[Sequence[str]]:
    return (names[start : start + READ_AT_ONCE] for start in range(0, len(names), READ_AT_ONCE))


async def _at_work(bus: Bus) -> list[str]:
    """Questions of runs that have no end."""
    begun, ended = await asyncio.gather(bus.subjects(question_filter("*")), bus.subjects(end_filter("*")))
    over = {parse_subject(subject).run_id for subject in ended}
    return [subject for subject in begun if parse_subject(subject).run_id not in over]
