"""`import openwork` over NATS and over HTTP: the same methods, the same answers, the same errors, on real services."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import openwork
import pytest
from openwork import Answer, BusUnavailable, Client, RunNotFound, UsageError, http
from openwork.models import Progress
from openwork_api.settings import Settings
from openwork_api.web import create_app
from openwork_bus.run_ids import new_run_id
from openwork_contracts.meta import Event
from openwork_contracts.progress import Progress as Told

from tests.cut_proxy import cut_proxy
from tests.integration.command_machine import Machine
from tests.integration.up_machine import Up, up_on
from tests.memory_asker import MemoryAsker
from tests.requesting import bus_with, with_document
from tests.run_events import AT, RUN, completed, concluded, planned, submitted
from tests.serving_app import served

pytestmark = pytest.mark.nats

QUESTION = "Does dapagliflozin reduce death in heart failure with reduced ejection fraction?"
FRESH = {
    "nats": "Do omega-3 fatty acids reduce major cardiovascular events?",
    "http": "Does dexamethasone reduce mortality in hospitalised patients with COVID-19?",
}
"""Asked once each: what was answered before takes a tenth of a second, and nothing is told meanwhile."""
UNKNOWN = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
EVIDENCE = [{"text": "Major bleeding was less frequent with apixaban (2.13% versus 3.09% per year)."}]
REST: tuple[Event, ...] = (planned(), concluded(), completed())


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with up_on(Machine(tmp_path_factory.mktemp("up"))) as found:
        yield found


@pytest.fixture(params=["nats", "web"])
def server(up: Up, request: pytest.FixtureRequest) -> str:
    return str(getattr(up, request.param))


@pytest.fixture
async def asker(server: str) -> AsyncIterator[Client]:
    async with openwork.connect(server) as found:
        yield found


async def test_a_question_gets_its_answer_and_is_told_only_of_its_own_run(asker: Client, server: str) -> None:
    question = FRESH[server[:4]]
    told: list[Progress] = []
    answer = await asker.ask(question, sources=["library"], deadline_s=60, on_progress=told.append)
    assert (answer.status, answer.ended, answer.document.question) == ("answered", True, question)
    assert answer.text
    assert answer.references
    assert all(claim.citations for claim in answer.claims if claim.verdict == "supported")
    # A run that is over within half a second is told of by its answer alone.
    assert {progress.run_id for progress in told} <= {answer.run_id}


async def test_a_run_is_watched_shown_told_of_found_and_deleted(asker: Client) -> None:
    accepted = await asker.submit(QUESTION, run_id=new_run_id())
    run_id = accepted.run_id or ""
    *_, last = [each async for each in asker.watch(run_id)]
    assert isinstance(last, Answer)
    (again,) = [each async for each in asker.watch(run_id) if isinstance(each, Answer)]
    shown = await asker.show(run_id, record=True)
    assert (last.status, again.status, shown.status) == ("answered",) * 3
    assert shown.document.record is not None
    names = [event.name async for event in asker.events(run_id)]
    assert (names[0], names[-1]) == ("query-submitted", "end")
    assert run_id in {run.run_id for run in await asker.runs(query="DAPAGLI heart")}
    assert run_id not in {run.run_id for run in await asker.runs(query="omega")}
    assert run_id not in {run.run_id for run in await asker.runs(before=run_id)}
    assert not await asker.cancel(run_id)
    await asker.delete(run_id)
    for work in (asker.show(run_id), asker.delete(run_id), anext(asker.events(run_id))):
        with pytest.raises(RunNotFound):
            await work
    assert run_id not in {run.run_id for run in await asker.runs(query="dapagli")}


async def test_asking_twice_with_a_run_id_of_ones_own_is_one_run(asker: Client) -> None:
    mine = new_run_id()
    first, again = [await asker.submit(QUESTION, run_id=mine) for _ in range(2)]
    assert first.run_id == again.run_id
    assert (first.already_known, again.already_known) == (False, True)
    with pytest.raises(UsageError):
        await asker.submit("Do statins lower mortality?", run_id=mine)


async def test_what_cannot_be_asked_is_refused_alike(asker: Client) -> None:
    with pytest.raises(UsageError, match=r"'check' .* not installed"):
        await asker.submit(QUESTION, pipeline="check")
    with pytest.raises(UsageError, match="UTF-8"):
        await asker.submit("caf\udce9")
    with pytest.raises(UsageError, match="not a run id"):
        await asker.show("abc")
    with pytest.raises(UsageError, match="not a run id"):
        await asker.runs(before="abc")
    for work in (asker.show(UNKNOWN), asker.cancel(UNKNOWN), asker.delete(UNKNOWN), anext(asker.watch(UNKNOWN))):
        with pytest.raises(RunNotFound):
            await work


async def test_a_question_for_one_person_is_not_searched_for(asker: Client) -> None:
    answer = await asker.ask("What dose of warfarin should I take?")
    assert (answer.status, answer.ended) == ("rejected", True)
    assert answer.text


async def test_a_text_is_verified_against_its_sources(asker: Client) -> None:
    true = await asker.verify(
        "Major bleeding was less frequent with apixaban (2.13% versus 3.09% per year) [1].", EVIDENCE
    )
    false = await asker.verify(
        "Major bleeding was less frequent with apixaban (2.13% versus 3.90% per year) [1].", EVIDENCE
    )
    assert (true.claims[0].verdict, false.claims[0].verdict) == ("supported", "contradicted")


async def test_the_functions_that_wait_do_the_same(server: str) -> None:
    def work() -> list[object]:
        answer = openwork.ask(QUESTION, server=server)
        watched = list(openwork.watch(answer.run_id, server=server))
        found = openwork.runs.list(1, query="dapagliflozin", server=server)
        events = openwork.runs.events(answer.run_id, server=server)
        cancelled = openwork.runs.cancel(answer.run_id, server=server)
        openwork.runs.delete(answer.run_id, server=server)
        last = watched[-1]
        assert isinstance(last, Answer)
        return [answer.status, last.status, found[0].run_id == answer.run_id, events[-1].name, cancelled]

    assert await asyncio.to_thread(work) == ["answered", "answered", True, "end", False]


def test_the_command_asks_finds_and_deletes_over_either(server: str, up: Up) -> None:
    run = up.machine.run
    assert run("runs", "list", "--server", server, "--search", "zzz").out == "no such run is stored\n"
    asked = run("ask", QUESTION, "--json", "--server", server)
    assert (asked.code, asked.err) == (0, "")
    run_id = asked.json["run_id"]
    found = run("runs", "list", "--server", server, "--search", "dapagli failure", "--limit", "1")
    assert found.out.startswith(run_id)
    assert run("runs", "log", run_id, "--server", server).code == 0
    assert run("runs", "delete", run_id.lower(), "--server", server).out == f"run {run_id} is deleted\n"
    gone = run("runs", "delete", run_id, "--server", server)
    assert (gone.code, gone.out) == (4, "")
    assert run("runs", "show", run_id, "--server", server).code == 4
    assert run("runs", "list", "--before", "abc", "--server", server).code == 4


# --- what may be lost on the way --------------------------------------------------------------------------------------


def _step(words: str) -> Told:
    return Told(run_id=RUN, service="reranker", step=words, at=AT)


async def _tell(asker: MemoryAsker, words: str) -> None:
    """A step is stored, and whoever follows the run hears that there is something."""
    await asker.results.put_progress(_step(words), "local")
    asker.hub.lost_sight()


async def test_a_stream_that_is_cut_is_taken_up_where_it_was_left() -> None:
    asker = MemoryAsker(await bus_with(submitted()))
    async with served(create_app(asker, Settings())) as url, cut_proxy(url) as proxy:
        await _tell(asker, "search")
        async with openwork.connect(proxy.url) as client:
            watching = client.watch(RUN)
            told = [await anext(watching)]
            await _tell(asker, "rank")
            told.append(await anext(watching))
            proxy.cut()
            await _tell(asker, "verify")
            told.append(await anext(watching))
            for event in REST:
                await asker.bus.publish(event)
            await with_document(asker.bus, results=asker.results)
            proxy.refuse = 1
            proxy.cut()
            (answer,) = [each async for each in watching]
    steps = [each.step for each in told if isinstance(each, Progress)]
    assert steps == ["search", "rank", "verify"]  # nothing twice, nothing missed
    assert isinstance(answer, Answer)
    assert answer.status == "answered"
    assert proxy.came >= 3


async def test_a_question_whose_reply_is_lost_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "PAUSES_S", (0.05, 0.05))
    asker = MemoryAsker()
    async with served(create_app(asker, Settings())) as url, cut_proxy(url) as proxy:
        proxy.lose_answers = 1
        async with openwork.connect(proxy.url) as client:
            reply = await client.submit(QUESTION)
    assert len(asker.asked) == 2
    assert {request.run_id for request in asker.asked} == {reply.run_id}
    assert reply.already_known


async def test_a_server_that_comes_back_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "PAUSES_S", (0.05, 0.05))
    async with served(create_app(MemoryAsker(), Settings())) as url, cut_proxy(url) as proxy:
        proxy.refuse = 2
        async with openwork.connect(proxy.url) as client:
            assert await client.runs() == ()
            proxy.refuse = 1
            proxy.cut()
            with pytest.raises(BusUnavailable, match="cannot be used"):
                await client.cancel(RUN)


async def test_services_that_are_away_while_a_run_is_followed_are_waited_for() -> None:
    asker = MemoryAsker(await bus_with(submitted(), *REST))
    await with_document(asker.bus, results=asker.results)
    asker.away = True
    async with served(create_app(asker, Settings())) as url, openwork.connect(url) as client:
        watching = asyncio.ensure_future(anext(client.watch(RUN)))
        await asyncio.sleep(0.7)
        assert not watching.done()
        asker.away = False
        answer = await asyncio.wait_for(watching, 60)
    assert isinstance(answer, Answer)
