"""Runs that are stored. Every function raises BusUnavailable when nobody answers; `server` and `key` are those of
`openwork.connect`."""

from __future__ import annotations

from openwork.blocking import call
from openwork.client import Answer, Client
from openwork.models import EventRow, RunSummary


def list(  # noqa: A001 - `openwork.runs.list`
    limit: int = 20,
    *,
    query: str | None = None,
    before: str | None = None,
    server: str | None = None,
    key: str | None = None,
) -> tuple[RunSummary, ...]:
    """The newest runs, newest first.

    Args:
        query: only runs whose question holds each of these words, or the beginning of one.
        before: only runs older than this one.
    """
    return call(lambda client: client.runs(limit, query=query, before=before), server, key)


def show(run_id: str, *, server: str | None = None, key: str | None = None) -> Answer:
    """A run as far as it has come.

    Raises:
        RunNotFound: nothing of it is stored. UsageError: it is not a run id.
    """
    return call(lambda client: client.show(run_id), server, key)


def events(run_id: str, *, server: str | None = None, key: str | None = None) -> tuple[EventRow, ...]:
    """Everything that happened in a run so far.

    Raises:
        RunNotFound: nothing of it is stored. UsageError: it is not a run id.
    """

    async def work(client: Client) -> tuple[EventRow, ...]:
        return tuple([row async for row in client.events(run_id)])

    return call(work, server, key)


def cancel(run_id: str, reason: str | None = None, *, server: str | None = None, key: str | None = None) -> bool:
    """End a run; False when it had ended already.

    Raises:
        RunNotFound: nothing of it is stored. UsageError: it is not a run id.
    """
    return call(lambda client: client.cancel(run_id, reason), server, key)


def delete(run_id: str, *, server: str | None = None, key: str | None = None) -> None:
    """Remove what is kept of a run, for good. One that goes on is to be cancelled first.

    Raises:
        RunNotFound: nothing of it is stored. UsageError: it is not a run id, or the run goes on.
    """
    call(lambda client: client.delete(run_id), server, key)
