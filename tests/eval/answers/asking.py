"""Questions through the whole pipeline, as `openwork ask` sends them."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from openwork_bus.settings import ServiceSettings
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.end import RunEnded
from openwork_contracts.question import AskRequest, RejectionReason
from openwork_gateway.domain.folds import fold
from openwork_gateway.watch import watch
from openwork_laptop.home import Home
from openwork_laptop.stack import session

from tests.asking import submit


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of one question."""

    document: AnswerDocument
    rejection: RejectionReason | None
    """Why it was not searched for; `None` = it was."""


async def ask_each(questions: Sequence[str]) -> AsyncIterator[Asked]:
    """Every question, one after the other, on one embedded server; each as soon as its run has ended."""
    with tempfile.TemporaryDirectory(prefix="openwork-eval-") as folder:
        async with session(None, home=Home(Path(folder))) as bus:
            for question in questions:
                reply = await submit(bus, AskRequest(question=question), ServiceSettings())
                assert reply.run_id is not None
                history = [stored async for stored in watch(bus, reply.run_id)]
                ends = [stored.event for stored in history if isinstance(stored.event, RunEnded)]
                yield Asked(fold(history), ends[0].rejection if ends else None)


async def ask_all(questions: Sequence[str]) -> list[AnswerDocument]:
    """The documents of every question, in their order."""
    return [asked.document async for asked in ask_each(questions)]
