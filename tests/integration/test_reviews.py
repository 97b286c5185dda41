"""Deep reviews through the whole stack in one process: beside answers, cancelled, over sources asked over HTTP."""

from __future__ import annotations

import asyncio

import pytest
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.end import RunEnded
from openwork_contracts.errors import UsageError
from openwork_contracts.meta import ALL
from openwork_contracts.question import AskOptions, AskRequest
from openwork_contracts.screening import StudiesSelected
from openwork_gateway.domain.folds import fold
from openwork_gateway.requests import cancel, document_of
from openwork_gateway.watch import watch
from openwork_laptop.runs import rerun
from openwork_laptop.stack import Stack, client, prepare

from tests.asking import submit
from tests.fakes.upstream.app import environment, upstream
from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats

QUESTION = "Do SGLT2 inhibitors reduce cardiovascular death in heart failure?"
SHORT = "Do omega-3 fatty acids reduce major cardiovascular events?"


async def begun(bus: JetStreamBus, question: str, pipeline: str, **options: object) -> str:
    request = AskRequest(question=question, pipeline=pipeline, options=AskOptions(**options))  # type: ignore[arg-type]
    reply = await submit(bus, request, ServiceSettings())
    assert reply.run_id is not None
    return reply.run_id


async def ended(bus: JetStreamBus, run_id: str) -> AnswerDocument:
    async with asyncio.timeout(120):
        return fold([stored async for stored in watch(bus, run_id)])


async def test_a_review_and_an_answer_asked_meanwhile_both_end(stack: JetStreamBus) -> None:
    review, answer = await begun(stack, QUESTION, "review"), await begun(stack, SHORT, "answer")
    assert (await ended(stack, answer)).status is RunStatus.ANSWERED
    document = await ended(stack, review)
    assert document.status is RunStatus.ANSWERED
    assert document.review is not None
    assert document.review.flow.adds_up
    pooled = [one for one in document.review.outcomes if one.pooled is not None]
    assert any(one.outcome == "cardiovascular death" for one in pooled)
    again = await document_of(stack, review, "local")
    assert again.model_dump_json() == document.model_dump_json()


async def test_a_review_is_taken_up_at_no_step(stack: JetStreamBus) -> None:
    review = await begun(stack, QUESTION, "review", max_studies=1)
    await ended(stack, review)
    with pytest.raises(UsageError, match="is a review"):
        await rerun(stack, review, "reranker")


async def test_a_cancelled_review_ends_once(stack: JetStreamBus) -> None:
    review = await begun(stack, QUESTION, "review")
    assert await cancel(stack, review, "changed my mind", owner="local")
    document = await ended(stack, review)
    assert document.status is RunStatus.CANCELLED
    await asyncio.sleep(0.5)
    ends = [stored for stored in await stack.history(review) if isinstance(stored.event, RunEnded)]
    assert len(ends) == 1


async def test_full_texts_of_the_chosen_studies_are_read(server: OpenServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """PubMed and PMC are a server of ours that speaks as they do."""
    async with upstream(recorded=False) as outside:
        for name, value in environment(outside.url).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("OPENWORK_SOURCES", "pubmed,europepmc")
        await prepare(server.url)
        services = Stack(server.asker_url, logins=server.logins)
        await services.start()
        async with client(server.url) as bus:
            run_id = await begun(bus, QUESTION, "review", max_studies=12)
            document = await ended(bus, run_id)
            history = await bus.history(run_id)
        await services.stop()
    (selected,) = [stored.event for stored in history if isinstance(stored.event, StudiesSelected)]
    assert (len(selected.studies), selected.meta.track) == (12, ALL)
    assert document.review is not None
    assert document.review.flow.with_fulltext >= 1
    assert document.review.flow.adds_up
    read = [study for study in document.review.studies if study.fulltext_source]
    assert {study.fulltext_source for study in read} <= {"pmc", "europepmc", "unpaywall"}
