"""The client for those who wait: one call, one connection. Inside a running event loop use `connect`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from openwork.client import DEADLINE_S, Answer, Client, ProgressHandler, connect
from openwork.models import EvidenceItem, Progress, VerificationReport

T = TypeVar("T")


def call(work: Callable[[Client], Coroutine[Any, Any, T]], server: str | None = None, key: str | None = None) -> T:
    """Do something with a client and close it again. Where it is and who asks: see `openwork.connect`."""

    async def inside() -> T:
        async with connect(server, key=key) as client:
            return await work(client)

    return asyncio.run(inside())


def ask(
    question: str,
    *,
    sources: Sequence[str] | None = None,
    deadline_s: float | None = None,
    from_year: int | None = None,
    to_year: int | None = None,
    max_studies: int | None = None,
    pipeline: str = "answer",
    run_id: str | None = None,
    server: str | None = None,
    key: str | None = None,
    on_progress: ProgressHandler | None = None,
) -> Answer:
    """Ask a question and wait for its answer; the `status` says how the run ended.

    Raises:
        BusUnavailable: no server or no gateway answers. UsageError: the gateway refuses what was asked.
    """
    return call(
        lambda client: client.ask(
            question,
            sources=sources,
            deadline_s=deadline_s,
            from_year=from_year,
            to_year=to_year,
            max_studies=max_studies,
            pipeline=pipeline,
            run_id=run_id,
            on_progress=on_progress,
        ),
        server,
        key,
    )


def watch(
    run_id: str, *, within_s: float = DEADLINE_S, server: str | None = None, key: str | None = None
) -> Iterator[Progress | Answer]:
    """What a run does, as it is told; at last its answer.

    Raises:
        RunNotFound: nothing of it is stored. BusUnavailable: nobody answers, or it had no end in time.
    """

    with asyncio.Runner() as runner:
        connection = connect(server, key=key)
        client = runner.run(connection.__aenter__())
        told = client.watch(run_id, within_s=within_s)

        async def following() -> Progress | Answer | None:
            return await anext(told, None)

        try:
            while (found := runner.run(following())) is not None:
                yield found
        finally:
            runner.run(told.aclose())
            runner.run(connection.__aexit__(None, None, None))


def verify(
    text: str,
    evidence: Iterable[EvidenceItem | Mapping[str, Any]],
    *,
    server: str | None = None,
    key: str | None = None,
) -> VerificationReport:
    """What the verification gate says of each sentence of a text with [n] citations, held against what it cites.

    Raises:
        BusUnavailable: no server or no verifier answers. UsageError: the evidence has another form.
    """
    return call(lambda client: client.verify(text, evidence), server, key)
