"""Results in memory: what the gateway stored for readers, by account and run."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from openwork_contracts.accounts import account_of
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.results import ResultKind, RunResult


@dataclass
class MemoryResults:
    """See `openwork_gateway.results.Results`."""

    stored: defaultdict[tuple[str, str], list[RunResult]] = field(default_factory=lambda: defaultdict(list))

    async def put(self, result: RunResult, owner: str, *, once: bool = False) -> None:
        """Behind what is there; what two gateways found out is there once."""
        there = self.stored[account_of(owner), result.run_id]
        if not (once and any(kept.kind is ResultKind.DOCUMENT for kept in there)):
            there.append(result)

    async def document(self, owner: str, run_id: str) -> AnswerDocument | None:
        """The last message, when it is a document of this owner's."""
        there = self.stored.get((account_of(owner), run_id))
        document = there[-1].document if there else None
        return document if document is not None and document.owner == owner else None

    async def run_ids(self, account: str) -> frozenset[str]:
        """Runs of which something is stored."""
        return frozenset(run_id for stored_for, run_id in self.stored if stored_for == account)
