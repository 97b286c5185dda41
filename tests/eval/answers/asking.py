"""Questions through the whole pipeline, as `openwork ask` sends them."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from openwork_answers.pack import Pack, pack_of
from openwork_bus.settings import ServiceSettings
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.end import RunEnded
from openwork_contracts.meta import Event
from openwork_contracts.plan import SearchPlanned
from openwork_contracts.question import AskRequest, RejectionReason
from openwork_contracts.ranking import EvidenceRanked
from openwork_evidence.library.references import resolved_candidate
from openwork_gateway.domain.folds import fold
from openwork_gateway.watch import watch
from openwork_language.searching.ladder import strategy_of
from openwork_laptop.home import Home
from openwork_laptop.stack import session

from tests.asking import submit


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of one question."""

    document: AnswerDocument
    rejection: RejectionReason | None
    """Why it was not searched for; `None` = it was."""
    pack: Pack | None = None
    """The evidence that it was answered from; `None` = none was ranked."""


async def ask_each(questions: Sequence[str]) -> AsyncIterator[Asked]:
    """Every question, one after the other, on one embedded server; each as soon as its run has ended."""
    with tempfile.TemporaryDirectory(prefix="openwork-eval-") as folder:
        async with session(None, home=Home(Path(folder))) as bus:
            for question in questions:
                reply = await submit(bus, AskRequest(question=question), ServiceSettings())
                assert reply.run_id is not None
                history = [stored async for stored in watch(bus, reply.run_id)]
                events = [stored.event for stored in history]
                end = next((event for event in events if isinstance(event, RunEnded)), None)
                yield Asked(fold(history), end.rejection if end else None, _pack(events))


def _pack(events: Sequence[Event]) -> Pack | None:
    """The evidence of a run, as the gap analyser got it."""
    plan = next((event for event in events if isinstance(event, SearchPlanned)), None)
    ranked = next((event for event in events if isinstance(event, EvidenceRanked)), None)
    if plan is None or ranked is None:
        return None
    documents = tuple(map(resolved_candidate, ranked.documents))
    return pack_of(plan.analysis, plan.strategy or strategy_of(plan.analysis), ranked.passages, documents)


async def ask_all(questions: Sequence[str]) -> list[AnswerDocument]:
    """The documents of every question, in their order."""
    return [asked.document async for asked in ask_each(questions)]
