"""What an asker may not do with JetStream's own requests: anything at all (B1, B2)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from openwork_contracts.accounts import inbox_stream, inbox_subject, results_subject
from openwork_contracts.streams import INBOX_CONSUMER
from openwork_contracts.subjects import DEAD_LETTER_STREAM, RESULTS_STREAM, STREAM, TIMERS_STREAM

from tests.integration.hostile.world import ALICE, Asker, World

pytestmark = [pytest.mark.nats, pytest.mark.asyncio(loop_scope="module")]

STREAMS = (
    STREAM, TIMERS_STREAM, RESULTS_STREAM, DEAD_LETTER_STREAM, inbox_stream(ALICE), "KV_openwork-limits",
    "OBJ_openwork-blobs",
)  # fmt: skip


def consumer(stream: str, **config: object) -> dict[str, Any]:
    """The body of a request to make a consumer."""
    return {"stream_name": stream, "config": {"ack_policy": "none", "deliver_policy": "all", **config}}


def attacks(run_id: str) -> list[tuple[str, object]]:
    """Requests to JetStream and to the server: subject and body."""
    found: list[tuple[str, object]] = [
        ("$JS.API.INFO", b""),
        ("$JS.API.STREAM.NAMES", b""),
        ("$JS.API.STREAM.LIST", b""),
    ]
    for stream in STREAMS:
        found += [
            (f"$JS.API.STREAM.INFO.{stream}", {"subjects_filter": ">"}),
            (f"$JS.API.STREAM.CREATE.{stream}", {"name": stream, "subjects": ["openwork.>"]}),
            (f"$JS.API.STREAM.UPDATE.{stream}", {"name": stream, "subjects": ["elsewhere"], "max_msgs": 1}),
            (f"$JS.API.STREAM.PURGE.{stream}", {}),
            (f"$JS.API.STREAM.DELETE.{stream}", b""),
            (f"$JS.API.STREAM.MSG.GET.{stream}", {"seq": 1}),
            (f"$JS.API.STREAM.MSG.DELETE.{stream}", {"seq": 1}),
            (f"$JS.API.STREAM.SNAPSHOT.{stream}", {"deliver_subject": "openwork.results.x"}),
            (f"$JS.API.STREAM.LEADER.STEPDOWN.{stream}", b""),
            (f"$JS.API.DIRECT.GET.{stream}", {"seq": 1}),
            (f"$JS.API.CONSUMER.LIST.{stream}", b""),
            (f"$JS.API.CONSUMER.CREATE.{stream}", consumer(stream, name="mine", durable_name="mine")),
            (f"$JS.API.CONSUMER.CREATE.{stream}", consumer(stream, deliver_subject="openwork.results.x")),
        ]
    named = consumer(STREAM, name="gap", durable_name="gap", filter_subject="openwork.v1.end.*.all.*.all.0.0")
    loop = consumer(inbox_stream(ALICE), deliver_subject=f"openwork.ask.{ALICE}", deliver_group="gateway")
    return [
        *found,
        ("$JS.API.CONSUMER.CREATE." + STREAM, named),
        ("$JS.API.CONSUMER.CREATE." + STREAM, loop),
        ("$JS.API.CONSUMER.CREATE." + inbox_stream(ALICE), loop),
        (f"$JS.API.CONSUMER.CREATE.{STREAM}.gap", named),
        (f"$JS.API.CONSUMER.DURABLE.CREATE.{STREAM}.gap", named),
        (f"$JS.API.CONSUMER.DELETE.{STREAM}.gap", b""),
        (f"$JS.API.CONSUMER.INFO.{STREAM}.gap", b""),
        (f"$JS.API.CONSUMER.PAUSE.{STREAM}.gap", {"pause_until": "2099-01-01T00:00:00Z"}),
        (f"$JS.API.CONSUMER.RESET.{STREAM}.gap", {"seq": 1}),
        (f"$JS.API.CONSUMER.LEADER.STEPDOWN.{STREAM}.gap", b""),
        (f"$JS.API.CONSUMER.MSG.NEXT.{STREAM}.gap", {"batch": 10}),
        (f"$JS.API.CONSUMER.MSG.NEXT.{inbox_stream(ALICE)}.{INBOX_CONSUMER}", {"batch": 10}),
        (f"$JS.API.DIRECT.GET.{RESULTS_STREAM}.{results_subject(ALICE, run_id)}", b""),
        (f"$JS.API.DIRECT.GET.{RESULTS_STREAM}", {"last_by_subj": results_subject(ALICE, run_id)}),
        (f"$JS.API.STREAM.MSG.GET.{inbox_stream(ALICE)}", {"last_by_subj": inbox_subject(ALICE, run_id)}),
        ("$JS.API.META.LEADER.STEPDOWN", b""),
        ("$JS.API.SERVER.REMOVE", {"peer": "openwork-laptop"}),
        ("$JS.API.ACCOUNT.PURGE.OPENWORK", b""),
        (f"$JS.ACK.{STREAM}.gap.1.1.1.1.0", b"+TERM"),
        (f"$JS.FC.{STREAM}.gap.x", b""),
        ("$JS.SNAPSHOT.ACK.x", b""),
        ("$SYS.REQ.SERVER.PING", b""),
        ("$SYS.REQ.SERVER.PING.JSZ", {"account": "OPENWORK", "streams": True, "consumer": True}),
        ("$SYS.REQ.ACCOUNT.OPENWORK.JSZ", {"streams": True}),
        ("$SYS.REQ.ACCOUNT.OPENWORK.CONNZ", {"subscriptions": True}),
        ("$SYS.REQ.ACCOUNT.OPENWORK.INFO", b""),
        ("$SYS.REQ.CLAIMS.LIST", b""),
        ("$SYS.REQ.SERVER.ALL.RELOAD", b""),
    ]  # fmt: skip


NO_JETSTREAM = (10039, 10035, 10010)
"""Not for this account; not at all; not without a cluster."""


def reveals(answer: bytes | None) -> bool:
    """Whether an answer says anything but that there is no JetStream for who asks."""
    if answer is None:
        return False
    error = json.loads(answer).get("error")
    return not error or error.get("err_code") not in NO_JETSTREAM


async def test_no_request_to_jetstream_does_or_reveals_anything(world: World, alice: Asker, attacker: Asker) -> None:
    """Not by subject, not by what stands in the body, and a question is answered as before."""
    run_id = (await alice.answered())["run_id"]
    async with world.untouched():
        asked = attacks(run_id)
        answers = await asyncio.gather(*(attacker.answer(subject, body) for subject, body in asked))
    told = [(subject, answer) for (subject, _), answer in zip(asked, answers, strict=True) if reveals(answer)]
    assert told == []
    assert run_id.encode() not in b"".join(answer or b"" for answer in answers)
    await alice.answered()


async def test_no_consumer_can_feed_the_ask_subject(world: World, alice: Asker, attacker: Asker) -> None:
    """B2: as many runs as questions, and no more after a while."""
    for group in ("gateway", ""):
        loop = consumer(STREAM, deliver_subject="openwork.ask", deliver_group=group)
        await attacker.answer(f"$JS.API.CONSUMER.CREATE.{STREAM}", loop, wait_s=0.2)
    before = await world.subjects(STREAM, "openwork.v1.query-submitted.>")
    run_id = (await alice.answered())["run_id"]
    await asyncio.sleep(0.5)
    new = await world.subjects(STREAM, "openwork.v1.query-submitted.>") - before
    assert [subject.split(".")[5] for subject in new] == [run_id]
