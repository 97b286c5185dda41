"""The client over HTTP, against the application itself and against some that are none."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable

import httpx
import openwork
import pytest
from openwork import (
    BusUnavailable,
    Busy,
    ContractViolation,
    OpenWorkError,
    RunNotFound,
    UsageError,
)
from openwork import http as over_http
from openwork.http import HttpClient
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.errors import Busy as TheirBusy

from tests.builders import QUESTION
from tests.memory_asker import MemoryAsker, api_client
from tests.requesting import OTHER, bus_with, of, with_document
from tests.run_events import RUN, completed, concluded, planned, rejected, submitted


@pytest.fixture
def asker() -> MemoryAsker:
    return MemoryAsker()


@pytest.fixture
async def client(asker: MemoryAsker) -> AsyncIterator[HttpClient]:
    async with api_client(asker) as http:
        yield HttpClient(http)


async def _of_an_answered_run() -> MemoryAsker:
    bus = await bus_with(submitted(), planned(), concluded(), completed())
    return MemoryAsker(bus, await with_document(bus))


async def _document() -> AnswerDocument:
    document = (await _of_an_answered_run()).results.told["local", RUN][-1].document
    assert document is not None
    return document


def _answering(reply: Callable[[httpx.Request], httpx.Response]) -> HttpClient:
    return HttpClient(httpx.AsyncClient(transport=httpx.MockTransport(reply), base_url="https://host/prefix"))


async def test_a_question_goes_with_a_key_so_that_it_may_be_sent_again(client: HttpClient, asker: MemoryAsker) -> None:
    first = await client.submit(QUESTION, sources=["library"], deadline_s=60, run_id=RUN)
    again = await client.submit(QUESTION, sources=["library"], deadline_s=60, run_id=RUN)
    assert first.run_id == again.run_id
    assert (first.already_known, again.already_known) == (False, True)
    assert [request.options.sources for request in asker.asked] == [("library",)] * 2
    with pytest.raises(UsageError, match="Idempotency-Key"):
        await client.submit("Another?", run_id=RUN)


async def test_a_run_is_shown_with_its_record_when_it_is_asked_for() -> None:
    async with api_client(await _of_an_answered_run()) as http:
        client = HttpClient(http)
        plain, whole = await client.show(RUN), await client.show(RUN, record=True)
    assert (plain.status, plain.ended, plain.document.record) == ("answered", True, None)
    assert whole.document.record is not None
    assert whole.document.record.rounds
    assert plain.raw["question"] == plain.document.question


async def test_works_are_looked_up_by_their_identifiers(client: HttpClient) -> None:
    reply = await client.lookup(["PMID 32678530", "aspirin"])
    assert [(one.asked, one.item.pmid, one.item.source) for one in reply.found] == [
        ("PMID 32678530", "32678530", "library")
    ]
    assert [(one.n, one.kind) for one in reply.missing] == [(2, "not_an_identifier")]
    with pytest.raises(UsageError):
        await client.lookup([])


async def test_words_that_come_with_a_run_are_its_words_and_not_part_of_the_document() -> None:
    """Only a newer API puts a run into words."""
    document = json.loads((await _document()).model_dump_json())
    words = {"markdown": "# x", "references": [], "method": [], "disclaimer": "No advice."}

    def reply(request: httpx.Request) -> httpx.Response:
        assert request.url.params["rendered"] == "true"
        return httpx.Response(200, json=document | {"rendered": words})

    answer = await _answering(reply).show(RUN)
    assert answer.rendered is not None
    assert answer.rendered.disclaimer == "No advice."
    assert answer.raw == document


async def test_runs_are_listed_found_and_paged() -> None:
    bus = await bus_with(submitted("Does apixaban prevent stroke?"), rejected(), of(submitted("Statins?"), OTHER))
    async with api_client(MemoryAsker(bus, await with_document(bus))) as http:
        client = HttpClient(http)
        assert [run.run_id for run in await client.runs()] == [OTHER, RUN]
        assert [run.run_id for run in await client.runs(1)] == [OTHER]
        assert [run.run_id for run in await client.runs(before=OTHER.lower())] == [RUN]
        assert [run.run_id for run in await client.runs(query="strok apix")] == [RUN]
        assert await client.runs(query="zzz") == ()


async def test_a_run_that_is_over_is_deleted_and_one_that_goes_on_is_not() -> None:
    asker = await _of_an_answered_run()
    await asker.bus.publish(of(submitted(), OTHER))
    async with api_client(asker) as http:
        client = HttpClient(http)
        await client.delete(RUN)
        with pytest.raises(RunNotFound):
            await client.show(RUN)
        with pytest.raises(RunNotFound):
            await client.delete(RUN)
        with pytest.raises(UsageError, match="cancel it first"):
            await client.delete(OTHER)
        assert await client.cancel(OTHER, "by mistake")


async def test_events_come_a_page_at_a_time() -> None:
    async with api_client(await _of_an_answered_run()) as http:
        names = [event.name async for event in HttpClient(http).events(RUN)]
    assert (names[0], names[-1]) == ("query-submitted", "end")


async def test_a_text_is_verified(client: HttpClient) -> None:
    report = await client.verify("Stroke fell by 31 % [1].", [{"text": "Stroke fell by 21 %."}])
    assert report.claims[0].verdict != "supported"
    with pytest.raises(UsageError, match="evidence 1"):
        await client.verify("A [1].", ["text"])  # type: ignore[list-item]


async def test_a_run_that_nobody_knows_is_not_found(client: HttpClient) -> None:
    for work in (client.show(RUN), client.cancel(RUN), anext(client.watch(RUN)), anext(client.events(RUN))):
        with pytest.raises(RunNotFound, match=RUN):
            await work


async def test_services_that_are_away_or_busy_are_told_as_on_the_bus(client: HttpClient, asker: MemoryAsker) -> None:
    asker.away = True
    with pytest.raises(BusUnavailable, match="are they running"):
        await client.show(RUN)

    async def busy(*_: object) -> object:
        raise TheirBusy("too much is asked", retry_after_s=7)

    asker.ask = busy  # type: ignore[method-assign, assignment]
    with pytest.raises(Busy, match="too much") as raised:
        await client.submit(QUESTION)
    assert raised.value.retry_after_s == 7


def _problem(status: int, code: object = None, detail: object = "words") -> httpx.Response:
    return httpx.Response(status, json={"detail": detail, "code": code})


@pytest.mark.parametrize(
    ("response", "kind", "words"),
    [
        (_problem(401, "KeyMissing", "send a key"), UsageError, "OPENWORK_API_KEY"),
        (_problem(403, "ScopeMissing", "it lacks the scope"), UsageError, "^it lacks the scope$"),
        (_problem(404, "RunNotFound", "no run"), RunNotFound, "^no run$"),
        (_problem(404, "PassageNotFound", "no passage"), RunNotFound, "no passage"),
        (_problem(409, "RunGoesOn", "cancel it"), UsageError, "cancel it"),
        (_problem(413, "EventTooLarge", "too large"), UsageError, "too large"),
        (_problem(429, "TooMany", "slower"), Busy, "slower"),
        (_problem(500, "OpenWorkError", "failed"), OpenWorkError, "failed"),
        (_problem(502, "ContractViolation", "no document"), ContractViolation, "no document"),
        (_problem(503, "StorageFull", "full"), BusUnavailable, "full"),
        (_problem(422, ["?"], {"?": 1}), UsageError, "host answered 422"),
        (httpx.Response(404, text="<h1>nginx</h1>"), ContractViolation, "address of an Open Work"),
        (httpx.Response(502, text="<h1>nginx</h1>"), ContractViolation, "host answered 502"),
        (httpx.Response(504, text=""), BusUnavailable, "host answered 504"),
        (httpx.Response(500, text="[]"), OpenWorkError, "host answered 500"),
        (httpx.Response(302, headers={"Location": "https://u:p@other/x"}), UsageError, "ask https://other instead"),
        (httpx.Response(200, text="<h1>a page</h1>"), ContractViolation, "not JSON"),
        (httpx.Response(200, text="[]"), ContractViolation, "not a JSON object"),
        (httpx.Response(200, text="{}"), ContractViolation, "nothing for"),
    ],
)
async def test_an_answer_that_is_an_error_says_what_to_do(
    response: httpx.Response, kind: type[OpenWorkError], words: str
) -> None:
    with pytest.raises(OpenWorkError, match=words) as raised:
        await _answering(lambda _: response).show(RUN)
    assert type(raised.value) is kind


async def test_a_key_goes_in_a_header_and_a_path_before_the_api_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[httpx.Request] = []

    def reply(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"runs": []})

    real = httpx.AsyncClient
    monkeypatch.setattr(httpx, "AsyncClient", lambda **more: real(**more, transport=httpx.MockTransport(reply)))
    monkeypatch.setenv("OPENWORK_API_KEY", " ow_environment\n")
    async with openwork.connect("https://host/prefix/") as client:
        await client.runs()
    async with openwork.connect("HTTPS://host", key="ow_given") as client:
        await client.runs()
    assert [request.headers["Authorization"] for request in seen] == ["Bearer ow_environment", "Bearer ow_given"]
    assert [request.url.path for request in seen] == ["/prefix/api/v1/runs", "/api/v1/runs"]
    assert all("ow_" not in str(request.url) for request in seen)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://me:secret@host", "a user or a password"),
        ("https://secret@host", "a user or a password"),
        ("https://", "a host and nothing behind it"),
        ("https://host?key=secret", "a host and nothing behind it"),
        ("https://host:port", "cannot be used"),
        ("http://[::1", "cannot be used"),
    ],
)
async def test_a_url_that_cannot_be_used_is_refused_without_showing_what_stands_in_it(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as raised:
        async with openwork.connect(url):
            pass
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("key", ["ow_\nX-Other: 1", "ow_é", "ow a"])
async def test_a_key_that_is_none_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(UsageError) as raised:
        async with openwork.connect("https://host", key=key):
            pass
    assert key not in str(raised.value)


async def test_a_key_is_for_http_and_a_password_is_in_no_message() -> None:
    with pytest.raises(UsageError, match="OPENWORK_NATS_NKEY_SEED"):
        async with openwork.connect("nats://127.0.0.1:1", key="ow_x"):
            pass
    with pytest.raises(BusUnavailable, match=re.escape("nats://127.0.0.1:1")) as raised:
        async with openwork.connect("nats://me:secret@127.0.0.1:1"):
            pass
    assert "secret" not in str(raised.value)


async def test_a_server_that_is_away_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(over_http, "PAUSES_S", (0.01,))
    with pytest.raises(BusUnavailable, match=re.escape("http://127.0.0.1:1 cannot be used")):
        async with openwork.connect("http://127.0.0.1:1") as client:
            await client.runs()


@pytest.mark.parametrize("name", ["show", "submit", "runs"])
async def test_what_may_be_sent_twice_is_sent_again_when_the_connection_fails(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(over_http, "PAUSES_S", (0.01, 0.01))
    keys: list[str | None] = []

    def lost(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers.get("Idempotency-Key"))
        raise httpx.RemoteProtocolError("closed")

    with pytest.raises(BusUnavailable, match="closed"):
        await getattr(_answering(lost), name)(*{"show": (RUN,), "submit": (QUESTION,)}.get(name, ()))
    assert len(keys) == 3
    assert len(set(keys)) == 1


async def test_what_changes_something_is_sent_once() -> None:
    sent: list[str] = []

    def lost(request: httpx.Request) -> httpx.Response:
        sent.append(request.method)
        raise httpx.ReadError("closed")

    for work in (_answering(lost).cancel(RUN), _answering(lost).delete(RUN), _answering(lost).verify("A.", [])):
        with pytest.raises(BusUnavailable):
            await work
    assert sent == ["POST", "DELETE", "POST"]


async def test_a_stream_that_tells_nothing_is_given_up_after_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openwork.client, "GRACE_S", 0.2)
    stream = httpx.Response(200, headers={"Content-Type": "text/event-stream"}, text=": hello\n\n")
    with pytest.raises(BusUnavailable, match="no end long after its deadline"):
        _ = [told async for told in _answering(lambda _: stream).watch(RUN, within_s=0.1)]


async def test_progress_that_cannot_be_read_is_passed_over() -> None:
    told = [{}, {"progress": 7}, {"progress": {"step": 7}}, "text", {"progress": {"run_id": RUN, "service": "x"}}]
    good = {"progress": {"run_id": RUN, "service": "x", "step": "search", "at": "2026-01-02T03:04:05Z"}}
    text = "".join(f"event: progress\ndata: {json.dumps(one)}\n\n" for one in [*told, good])
    document = await _document()

    def reply(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/events"):
            headers = {"Content-Type": "text/event-stream"}
            return httpx.Response(200, headers=headers, text=f"{text}event: document\ndata: {{}}\n\n")
        return httpx.Response(200, json=json.loads(document.model_dump_json()))

    found = [type(each).__name__ async for each in _answering(reply).watch(RUN)]
    assert found == ["Progress", "Answer"]


async def test_a_stream_is_refused_for_good_where_asking_again_does_not_help() -> None:
    with pytest.raises(UsageError, match="send a key"):
        await anext(_answering(lambda _: _problem(401, "KeyMissing", "send a key")).watch(RUN))


async def test_a_watcher_that_goes_away_leaves_nothing_behind(client: HttpClient, asker: MemoryAsker) -> None:
    await asker.bus.publish(submitted())
    watching = client.watch(RUN)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(watching), 0.1)
    await watching.aclose()


def test_without_http_nothing_of_it_is_imported() -> None:
    script = "import sys, openwork, openwork.client; print('httpx' in sys.modules, 'openwork.http' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
