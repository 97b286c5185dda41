"""Who asks too much: it is told so, and another account is answered meanwhile (B5, B11)."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import pytest_asyncio
from nats.errors import MaxPayloadError
from openwork_bus.run_ids import new_run_id
from openwork_contracts.accounts import ASKER_INBOX, inbox_stream
from openwork_contracts.streams import INBOX_MAX_MESSAGES
from openwork_contracts.subjects import ASK_SUBJECT, EVENTS_SUBJECT, LIST_SUBJECT, SHOW_SUBJECT, VERIFY_SUBJECT

from tests.integration.hostile.world import CHEAP, GREEDY, PASSWORD, QUESTION, Asker, World

pytestmark = [pytest.mark.nats, pytest.mark.asyncio(loop_scope="module")]

PATIENCE_S = 45.0
"""Far above what is measured (0.3 to 6 s), for machines that are busy with something else."""
SENTENCE = "Apixaban lowered major bleeding compared with warfarin (HR 0.39) [1]. "
TEXT = {
    "text": (SENTENCE * 3000)[:200_000],
    "evidence": [{"n": 1, "text": "Apixaban lowered major bleeding compared with warfarin (HR 0.69)."}],
}


@pytest_asyncio.fixture(loop_scope="module")
async def greedy(world: World) -> AsyncIterator[Asker]:
    async with world.asker(GREEDY) as asker:
        yield asker


async def fill(asker: Asker, body: bytes, n: int) -> None:
    """Publish without waiting for acknowledgements."""
    for _ in range(n):
        await asker.client.publish(f"{ASKER_INBOX}.{new_run_id()}", body)
    await asker.client.flush(timeout=30)


@pytest.mark.parametrize(("body", "n"), [(b"garbage", INBOX_MAX_MESSAGES + 200), (b"x" * 65_000, 300)])
async def test_a_full_inbox_is_its_accounts_alone(
    body: bytes, n: int, world: World, alice: Asker, greedy: Asker
) -> None:
    """10,000 messages, or 16 MB, while no gateway runs: then another's question is answered; garbage ends in words."""
    stream = inbox_stream(GREEDY)
    async with world.without("gateway"):
        await fill(greedy, body, n)
        _, error = await greedy.publish(body)
        assert error is not None
        assert error.err_code == 10077
        before = (await world.streams())[stream]["state"]
        assert before["messages"] >= min(n - 200, INBOX_MAX_MESSAGES) or before["bytes"] > 15 * 2**20
        waiting, error = await alice.publish({"question": QUESTION})
        assert error is None
    began = time.monotonic()
    assert (await alice.document(waiting, wait_s=PATIENCE_S))["status"] == "answered"
    await alice.answered()
    left = (await world.streams())[stream]["state"]["messages"]
    print(
        f"{before['messages']} in the inbox, another's two answers after {time.monotonic() - began:.1f} s, {left} left"
    )
    async with asyncio.timeout(PATIENCE_S):
        while (await world.streams())[stream]["state"]["messages"]:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    print(f"empty after {time.monotonic() - began:.1f} s")
    told = json.loads(greedy.results[-1].data)["document"]
    assert (told["status"], len(told["answer"]["markdown"]) > 10) == ("refused", True)
    assert (await greedy.request(LIST_SUBJECT, {"limit": 3})).get("error") is None
    assert (await greedy.publish({"question": CHEAP}))[1] is None


@asynccontextmanager
async def flooding(world: World, subject: str, body: object, n: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """Requests of the greedy account from 64 connections of another process."""
    arguments = (str(world.server.port), GREEDY, PASSWORD, subject, str(n), "64")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.integration.hostile.flood",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(body).encode())
    process.stdin.close()
    try:
        yield process
        assert (await asyncio.wait_for(process.communicate(), PATIENCE_S))[0] == str(n).encode()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


FLOODS: dict[str, tuple[str, dict[str, Any], int]] = {
    "waiting for a run": (SHOW_SUBJECT, {"run_id": new_run_id(), "wait_s": 3}, 2_000),
    "texts of 200 kB": (VERIFY_SUBJECT, TEXT, 2_000),
    "questions of 1 MB": (ASK_SUBJECT, {"question": "x", "more": "x" * 1_000_000}, 300),
    "lists": (LIST_SUBJECT, {"limit": 500}, 3_000),
    "events": (EVENTS_SUBJECT, {}, 3_000),
    "whole documents": (SHOW_SUBJECT, {"rendered": True, "record": True}, 3_000),
}


@pytest.mark.parametrize("flood", FLOODS)
async def test_another_account_is_answered_while_one_floods(
    flood: str, world: World, alice: Asker, greedy: Asker
) -> None:
    """From 64 connections; asked by the inbox, since a request may be lost while the server cuts who cannot keep up."""
    subject, body, n = FLOODS[flood]
    run_id = await greedy.ask()
    await greedy.document(run_id)
    body = {"run_id": run_id, **body}
    async with flooding(world, subject, body, n):
        times = []
        for _ in range(3):
            began = time.monotonic()
            run_id, error = await alice.publish({"question": QUESTION})
            assert error is None
            assert (await alice.document(run_id, wait_s=PATIENCE_S))["status"] == "answered"
            times.append(time.monotonic() - began)
    print(f"{flood}: answered after {', '.join(f'{each:.1f}' for each in times)} s")
    async with asyncio.timeout(PATIENCE_S):
        await alice.answered()
    assert "Maximum" not in " ".join(alice.denied)


async def test_who_floods_is_told_to_come_again(greedy: Asker) -> None:
    """At once, and not when those who wait have been served."""
    text = {**TEXT, "text": TEXT["text"][:10_000]}
    async with asyncio.timeout(PATIENCE_S):
        replies = await asyncio.gather(*(greedy.request(VERIFY_SUBJECT, text) for _ in range(20)))
    kinds = [reply.get("error_type") for reply in replies]
    assert kinds.count("Busy") >= 4
    assert None in kinds
    assert all(reply["retry_after_s"] for reply in replies if reply.get("error_type") == "Busy")


async def test_a_text_that_takes_long_keeps_nobody_elses_waiting(greedy: Asker, alice: Asker) -> None:
    """One of each account at a time; one whose evidence alone would take minutes is refused."""
    large = {**TEXT, "evidence": [{"n": 1, "text": SENTENCE * 40_000}]}
    assert (await greedy.request(VERIFY_SUBJECT, large))["error_type"] == "UsageError"
    working = [asyncio.create_task(greedy.request(VERIFY_SUBJECT, TEXT)) for _ in range(2)]
    await asyncio.sleep(0.2)
    began = time.monotonic()
    mine = {"text": SENTENCE, "evidence": TEXT["evidence"]}
    assert (await alice.request(VERIFY_SUBJECT, mine))["report"]["scores"]["claims"] == 1
    print(f"another's text after {time.monotonic() - began:.1f} s")
    assert not working[1].done()
    assert [reply["error"] for reply in await asyncio.gather(*working)] == [None, None]


async def test_a_message_that_the_server_does_not_take_costs_the_sender_its_connection_alone(
    world: World, alice: Asker
) -> None:
    """Over 8 MB: refused by the client, and by the server where the client does not look."""
    async with world.asker(GREEDY) as asker:
        with pytest.raises(MaxPayloadError):
            await asker.client.publish(ASK_SUBJECT, bytes(9 * 2**20))
    said = await world.say(GREEDY, b"PUB openwork.ask %d\r\n" % (9 * 2**20) + bytes(100_000))
    assert b"PONG" not in said
    await alice.answered()
