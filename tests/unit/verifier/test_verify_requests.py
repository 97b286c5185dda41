"""`openwork.verify`: the gate's report, or words."""

from __future__ import annotations

import json

import pytest
from openwork_contracts.requests import VerifyReply
from openwork_verifier.requests import answer_verify

EVIDENCE = [{"n": 1, "title": "A trial", "text": "Apixaban lowered major bleeding compared with warfarin (HR 0.69)."}]


async def ask(**request: object) -> VerifyReply:
    return VerifyReply.model_validate_json(await answer_verify("local", json.dumps(request).encode()))


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
