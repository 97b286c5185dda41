"""`openwork.verify`: the gate's report, or words."""

from __future__ import annotations

import asyncio
import json

import pytest
from openwork_contracts.requests import VerifyReply
from openwork_verifier.requests import MOST_BYTES, WAITING, TextVerifier, answer_verify

EVIDENCE = [{"n": 1, "title": "A trial", "text": "Apixaban lowered major bleeding compared with warfarin (HR 0.69)."}]


async def ask(**request: object) -> VerifyReply:
    return VerifyReply.model_validate_json(await answer_verify("ALICE", json.dumps(request).encode(), TextVerifier()))


async def test_each_sentence_gets_its_verdict() -> None:
    text = "Apixaban lowered major bleeding compared with warfarin (HR 0.39) [1]."
    reply = await ask(text=text, evidence=EVIDENCE)
    assert reply.report is not None
    assert (reply.error, reply.report.scores.unsupported) == (None, 1)
    assert "number_not_found" in {reason.code.value for reason in reply.report.claims[0].reasons}


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({}, "text: Field required"),
        ({"text": "x", "evidence": [EVIDENCE[0], {"n": 2}]}, "evidence 2, text: Field required"),
        ({"text": "x", "evidence": ["y"]}, "evidence 1, item"),
        ({"text": "x", "evidence": {}}, "evidence: Input should be"),
    ],
)
async def test_what_cannot_be_read_is_named_as_its_writer_counts(request_: dict[str, object], words: str) -> None:
    reply = await ask(**request_)
    assert (reply.report, reply.error_type) == (None, "UsageError")
    assert words in (reply.error or "")


async def test_a_text_without_claims_is_a_report_too() -> None:
    reply = await ask(text="", evidence=[])
    assert reply.report is not None
    assert reply.report.claims == ()


def slow(n_chars: int = 100_000) -> bytes:
    """A text of some tenths of a second."""
    sentence = "Apixaban lowered major bleeding compared with warfarin (HR 0.39) [1]. "
    return json.dumps({"text": (sentence * 3000)[:n_chars], "evidence": EVIDENCE}).encode()


async def test_a_text_over_its_time_is_refused_and_leaves_room_for_the_next() -> None:
    texts = TextVerifier(at_once=1, within_s=0.05)
    refused = await texts.reply("ALICE", slow())
    assert (refused.error_type, "in parts" in (refused.error or "")) == ("UsageError", True)
    verified = await texts.reply("ALICE", b'{"text": ""}')
    assert verified.report is not None


async def test_an_accounts_texts_wait_for_each_other_and_for_nobody_else() -> None:
    """The second of one account comes after another account's, which asked last."""
    texts, order = TextVerifier(at_once=2), []

    async def ask(account: str, body: bytes, name: str) -> None:
        reply = await texts.reply(account, body)
        assert reply.report is not None
        order.append(name)

    asked = (("ALICE", slow(), "first"), ("ALICE", b'{"text": ""}', "second"), ("BOB", b'{"text": ""}', "another"))
    await asyncio.gather(*(ask(*each) for each in asked))
    assert order == ["another", "first", "second"]


async def test_more_than_may_wait_are_told_to_come_again() -> None:
    """At once, or when their time is over before their turn came."""
    texts = TextVerifier(at_once=1, within_s=1.0)
    replies = await asyncio.gather(*(texts.reply("ALICE", slow(2_000)) for _ in range(WAITING + 3)))
    kinds = [reply.error_type for reply in replies]
    assert kinds[WAITING:] == ["Busy"] * 3
    assert kinds[0] is None


async def test_a_request_that_is_too_large_is_not_even_read() -> None:
    refused = await TextVerifier().reply("ALICE", b"[" * (MOST_BYTES + 1))
    assert str(MOST_BYTES) in (refused.error or "")
