"""`Results` in memory: what counts of a run is the last message on its subject, as in the stream of the results."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from openwork_contracts.accounts import account_of
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.errors import BusUnavailable, RunNotFound
from openwork_contracts.progress import Progress
from openwork_contracts.results import ResultKind, RunResult


@dataclass
class MemoryResults:
    """`Results` of one test."""

    away: bool = False
    """True = nobody answers."""
    told: dict[tuple[str, str], list[RunResult]] = field(default_factory=dict)
    """Account and run id -> what was stored, in order. Results pass through the same bytes as on the server."""
    _once: set[tuple[str, str]] = field(default_factory=set)

    async def put(self, result: RunResult, owner: str, *, once: bool = False, first: bool = False) -> bool:
        self._check()
        place = account_of(owner), result.run_id
        if first and place in self.told:
            return False
        if once and place in self._once:
            return True
        if once:
            self._once.add(place)
        self.told.setdefault(place, []).append(RunResult.model_validate_json(result.model_dump_json()))
        return True

    async def put_progress(self, progress: Progress, owner: str) -> bool:
        if self._is_deleted(account_of(owner), progress.run_id):
            return False
        document = await self.last(account_of(owner), progress.run_id)
        if document is not None and document.status is not RunStatus.REFUSED:
            return False
        now = datetime.now(UTC)
        await self.put(RunResult(run_id=progress.run_id, kind=ResultKind.PROGRESS, at=now, progress=progress), owner)
        return True

    async def last(self, account: str, run_id: str) -> AnswerDocument | None:
        self._check()
        stored = self.told.get((account, run_id))
        return stored[-1].document if stored else None

    async def document(self, owner: str, run_id: str) -> AnswerDocument | None:
        if self._is_deleted(account_of(owner), run_id):
            raise RunNotFound(f"run {run_id} was deleted")
        document = await self.last(account_of(owner), run_id)
        return document if document is not None and document.owner == owner else None

    async def last_told(self, owner: str, run_id: str) -> tuple[int, Progress | None] | None:
        self._check()
        stored = self.told.get((account_of(owner), run_id))
        return (len(stored), stored[-1].progress) if stored else None

    async def delete(self, owner: str, run_id: str) -> None:
        self._check()
        now = datetime.now(UTC)
        self.told[account_of(owner), run_id] = [RunResult(run_id=run_id, kind=ResultKind.DELETED, at=now)]

    async def run_ids(self, account: str) -> frozenset[str]:
        self._check()
        return frozenset(run_id for of, run_id in self.told if of == account)

    def kinds(self, account: str, run_id: str) -> list[str]:
        """What was told of a run, in order."""
        return [result.kind.value for result in self.told.get((account, run_id), ())]

    def _check(self) -> None:
        if self.away:
            raise BusUnavailable("the results stream gave no answer")

    def _is_deleted(self, account: str, run_id: str) -> bool:
        stored = self.told.get((account, run_id))
        return bool(stored) and stored[-1].kind is ResultKind.DELETED
