"""Runs that are stored. Every function raises BusUnavailable when no gateway answers."""

from __future__ import annotations

from openwork.blocking import call
from openwork.client import Answer, Client
from openwork.models import EventRow, RunSummary


def list(limit: int = 20, *, server: str | None = None) -> tuple[RunSummary, ...]:  # noqa: A001 - `openwork.runs.list`
    """The newest runs, newest first."""
    return call(lambda client: client.runs(limit), server)


def show(run_id: str, *, server: str | None = None) -> Answer:
    """A run as far as it has come.

    Raises:
        RunNotFound: nothing of it is stored. UsageError: it is not a run id.
    """
    return call(lambda client: client.show(run_id), server)


def events(run_id: str, *, server: str | None = None) -> tuple[EventRow, ...]:
    """Everything that happened in a run so far.

    Raises:
        RunNotFound: nothing of it is stored. UsageError: it is not a run id.
    """

    async def work(client: Client) -> tuple[EventRow, ...]:
        return tuple([row async for row in client.events(run_id)])

    return call(work, server)


def cancel(run_id: str, reason: str | None = None, *, server: str | None = None) -> bool:
    """End a run; False when it had ended already.

    Raises:
        RunNotFound: nothing of it is stored. UsageError: it is not a run id.
    """
    return call(lambda client: client.cancel(run_id, reason), server)
