"""`import openwork` against gateways that behave, and against some that do not."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import openwork
import pytest
from openwork import Answer, BusUnavailable, Client, ContractViolation, OpenWorkError, RunNotFound, UsageError, client
from openwork.models import Progress

from tests.builders import QUESTION
from tests.nats_server import OpenServer
from tests.run_events import RUN, submitted
from tests.scripted_gateway import REJECTED, ScriptedGateway, scripted_gateway
from tests.waiting import until

pytestmark = pytest.mark.nats

STEPS: tuple[dict[str, object], ...] = (
    {"service": "retrievers", "step": "search", "done": 1, "total": 3, "at": "2026-01-02T03:04:05Z"},
    {"service": "verifier", "step": "verify", "note": "5 sentences", "at": "2026-01-02T03:04:06Z", "newer": 1},
)


@pytest.fixture
async def gateway(server: OpenServer) -> AsyncIterator[ScriptedGateway]:
    async with scripted_gateway(server.url, progress=STEPS) as found:
        yield found


@pytest.fixture
async def asker(server: OpenServer) -> AsyncIterator[Client]:
    async with openwork.connect(server.asker_url) as found:
        yield found


async def test_a_question_gets_its_answer_and_is_told_what_happens_meanwhile(
    gateway: ScriptedGateway, asker: Client
) -> None:
    told: list[Progress] = []
    answer = await asker.ask(QUESTION, sources=["library"], deadline_s=60, on_progress=told.append)
    text = "Apixaban lowered stroke [1]. From stored records; not searched live."
    assert (answer.status, answer.ended, answer.text) == ("answered", True, text)
    assert (answer.claims[0].citations, [r.id for r in answer.references]) == ((1,), ["pmid:1"])
    assert answer.raw["question"] == answer.document.question == QUESTION
    assert answer.rendered is not None
    assert [(p.service, p.done, p.total, p.note) for p in told] == [
        ("retrievers", 1, 3, None),
        ("verifier", 0, None, "5 sentences"),
    ]
    assert gateway.asked == ["openwork.ask", "openwork.show"]  # waited for by the gateway, not by asking again


async def test_a_run_can_be_watched_by_somebody_else(gateway: ScriptedGateway, asker: Client) -> None:
    gateway.after_s = 3600  # it ends when the test says so
    accepted = await asker.submit(QUESTION)
    assert accepted.run_id is not None
    # The two steps of the submission were told before anybody listened; these come after.
    watching = asker.watch(accepted.run_id)
    first = asyncio.ensure_future(anext(watching))
    await until(lambda: "openwork.show" in gateway.asked)
    await gateway.tell(accepted.run_id, STEPS[0])
    found: list[Progress | Answer] = [await first]
    gateway.after_s, gateway.progress = 0, ()
    await gateway.run_to_its_end(accepted.run_id)
    found += [each async for each in watching]
    assert [type(each).__name__ for each in found] == ["Progress", "Answer"]


async def test_a_run_that_ended_while_nobody_listened_is_shown_at_once(gateway: ScriptedGateway, asker: Client) -> None:
    accepted = await asker.submit(QUESTION)
    assert accepted.run_id is not None
    await until(lambda: gateway.results.told.get(("local", accepted.run_id or "")))
    (answer,) = [each async for each in asker.watch(accepted.run_id)]
    assert isinstance(answer, Answer)
    assert answer.status == "answered"


async def test_asking_twice_with_a_run_id_of_ones_own_is_one_run(gateway: ScriptedGateway, asker: Client) -> None:
    answers = [await asker.ask(QUESTION, run_id=RUN.lower()) for _ in range(2)]
    assert [a.run_id for a in answers] == [RUN, RUN]
    assert [r.run_id for r in await asker.runs()] == [RUN]


async def test_runs_are_listed_shown_cancelled_and_told_of(gateway: ScriptedGateway, asker: Client) -> None:
    gateway.after_s = 60
    accepted = await asker.submit(QUESTION)
    run_id = accepted.run_id or ""
    (row,) = await asker.runs()
    assert (row.run_id, row.status, row.question, row.owner) == (run_id, "running", QUESTION, "local")
    assert not (await asker.show(run_id)).ended
    assert await asker.cancel(run_id, "asked by mistake")
    assert not await asker.cancel(run_id)
    shown = await asker.show(run_id)
    assert (shown.status, shown.text) == ("cancelled", "The run was cancelled: asked by mistake.")
    assert [event.name async for event in asker.events(run_id)] == ["query-submitted", "end"]


async def test_a_run_that_nobody_knows_is_not_found(gateway: ScriptedGateway, asker: Client) -> None:
    for work in (asker.show(RUN), asker.cancel(RUN), anext(asker.watch(RUN)), anext(asker.events(RUN))):
        with pytest.raises(RunNotFound, match=RUN):
            await work


async def test_a_pipeline_that_is_not_installed_is_refused_at_the_door(gateway: ScriptedGateway, asker: Client) -> None:
    with pytest.raises(UsageError, match=r"'check' .* not installed\. Installed: answer"):
        await asker.ask(QUESTION, pipeline="check")
    assert await asker.runs() == ()


async def test_bytes_that_are_no_text_are_refused_before_they_are_sent(gateway: ScriptedGateway, asker: Client) -> None:
    """A terminal of another encoding: Python hands them on as lone surrogates."""
    with pytest.raises(UsageError, match="UTF-8"):
        await asker.ask("caf\udce9")
    assert gateway.asked == []


async def test_without_a_gateway_an_asker_is_told_at_once(asker: Client) -> None:
    with pytest.raises(BusUnavailable, match="openwork up"):
        await asyncio.wait_for(asker.ask(QUESTION), 60)  # not for as long as a question may take


async def test_without_a_server_an_asker_is_told_where_it_looked() -> None:
    with pytest.raises(BusUnavailable, match=re.escape("nats://127.0.0.1:1")):
        async with openwork.connect("nats://127.0.0.1:1"):
            pass


async def test_a_reply_that_comes_too_late_is_asked_for_again(
    gateway: ScriptedGateway, asker: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gateway that was stopped in the middle of a request: another one has the run's end."""
    monkeypatch.setattr(client, "AGAIN_S", 0.2)
    monkeypatch.setattr(client, "WAIT_S", 0.1)
    real, calls = gateway.replies["openwork.show"], 0

    async def late(body: bytes) -> bytes:
        nonlocal calls
        calls += 1
        if calls == 1:
            await asyncio.sleep(1)
        return await real(body)

    gateway.replies["openwork.show"] = late
    assert (await asker.ask(QUESTION)).status == "answered"
    assert calls > 1


async def test_a_gateway_that_goes_away_with_a_request_in_its_hands_is_waited_for(
    server: OpenServer, asker: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "WAIT_S", 0.5)
    monkeypatch.setattr(client, "AGAIN_S", 0.5)
    async with scripted_gateway(server.url) as first:
        first.after_s = 60
        accepted = await asker.submit(QUESTION, run_id=RUN)
        assert accepted.run_id == RUN
        asked, real = asyncio.Event(), first.replies["openwork.show"]

        async def show(body: bytes) -> bytes:
            asked.set()
            return await real(body)

        first.replies["openwork.show"] = show
        waiting = asyncio.create_task(_last(asker))
        await asked.wait()
    async with scripted_gateway(server.url) as second:
        await second.bus.publish(submitted())
        await second.run_to_its_end(RUN)
        answer = await asyncio.wait_for(waiting, 30)
    assert answer.status == "answered"


async def _last(asker: Client) -> Answer:
    (answer,) = [each async for each in asker.watch(RUN) if isinstance(each, Answer)]
    return answer


async def test_a_run_without_an_end_is_given_up_after_its_deadline(
    gateway: ScriptedGateway, asker: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "GRACE_S", 0.3)
    gateway.after_s = 60
    with pytest.raises(BusUnavailable, match="no end long after its deadline"):
        await asker.ask(QUESTION, deadline_s=1)


async def test_a_gateway_that_does_not_wait_is_not_asked_without_a_pause(
    gateway: ScriptedGateway, asker: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = gateway.replies["openwork.show"]

    async def hasty(body: bytes) -> bytes:
        return await real(json.dumps(json.loads(body) | {"wait_s": 0}).encode())

    gateway.replies["openwork.show"] = hasty
    gateway.after_s = 1.0
    assert (await asker.ask(QUESTION)).status == "answered"
    assert len(gateway.asked) <= 5


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (b"", ContractViolation),
        (b"\xff\xfe", ContractViolation),
        (b"{not json", ContractViolation),
        (b"[]", ContractViolation),
        (b"{}", ContractViolation),
        (b'{"document": {"run_id": 7}}', ContractViolation),
        (b'{"error": 7}', ContractViolation),
        (b'{"error": "too busy", "error_type": "BusyFromNextYear"}', OpenWorkError),
        (b'{"error": "look elsewhere"}', OpenWorkError),
    ],
)
async def test_a_reply_of_another_form_is_an_error_with_words(
    gateway: ScriptedGateway, asker: Client, reply: bytes, error: type[OpenWorkError]
) -> None:
    async def rubbish(body: bytes) -> bytes:
        return reply

    gateway.replies["openwork.show"] = rubbish
    with pytest.raises(error) as raised:
        await asker.show(RUN)
    assert type(raised.value) is error
    assert str(raised.value)


async def test_progress_that_cannot_be_read_is_passed_over(server: OpenServer, asker: Client) -> None:
    bad: tuple[dict[str, Any], ...] = ({"step": 7}, {}, *STEPS)
    told: list[Progress] = []
    async with scripted_gateway(server.url, progress=bad):
        assert (await asker.ask(QUESTION, on_progress=told.append)).status == "answered"
    assert len(told) == 2


async def test_pages_that_lead_back_are_no_endless_loop(gateway: ScriptedGateway, asker: Client) -> None:
    async def circular(body: bytes) -> bytes:
        return b'{"events": [], "next": 0}'

    gateway.replies["openwork.events"] = circular
    with pytest.raises(ContractViolation, match="leads back"):
        await anext(asker.events(RUN))


async def test_the_functions_that_wait_do_the_same(gateway: ScriptedGateway, server: OpenServer) -> None:
    gateway.then = REJECTED

    def work() -> list[object]:
        answer = openwork.ask(QUESTION, server=server.asker_url)
        watched = list(openwork.watch(answer.run_id, server=server.asker_url))
        rows = openwork.runs.list(server=server.asker_url)
        events = openwork.runs.events(answer.run_id, server=server.asker_url)
        cancelled = openwork.runs.cancel(answer.run_id, server=server.asker_url)
        shown = openwork.runs.show(answer.run_id, server=server.asker_url)
        last = watched[-1]
        assert isinstance(last, Answer)
        return [answer.status, last.status, len(rows), len(events), cancelled, shown.text]

    found = await asyncio.to_thread(work)
    assert found == ["rejected", "rejected", 1, 2, False, "Ask a question."]


async def test_verify_asks_the_verifier_that_runs(server: OpenServer, asker: Client) -> None:
    asked: list[Any] = []

    async def gate(body: bytes) -> bytes:
        asked.append(json.loads(body))
        scores = {"claims": 0, "supported": 0, "unsupported": 0, "grounding_score": 1, "citation_coverage": 1}
        return json.dumps({"report": {"claims": [], "scores": scores}}).encode()

    async with scripted_gateway(server.url) as verifier:
        await verifier.add("openwork.verify", gate)
        report = await asker.verify("A [1].", [{"text": "a"}, openwork.models.EvidenceItem(n=7, text="b")])
    assert report.scores.grounding_score == 1.0
    assert asked[0]["evidence"] == [
        {"n": 1, "text": "a"},
        {"n": 7, "title": "", "text": "b", "text_origin": "unknown"},
    ]
    with pytest.raises(UsageError, match="evidence 1"):
        await asker.verify("A [1].", ["text"])  # type: ignore[list-item]
