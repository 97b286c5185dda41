"""The two providers over HTTP against the stand-in: Google's own kit, and httpx for OpenAI-compatible servers."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from openwork_contracts.errors import FailureReason, ModelUnavailable
from openwork_llm.errors import ModelRequestRefused
from openwork_llm.messages import Finish, ModelRequest, Turn
from openwork_llm.providers.gemini import Gemini
from openwork_llm.providers.openai import OpenAiCompatible, Structured
from openwork_llm.providers.port import Provider
from pydantic import SecretStr

from tests.fakes.models.misbehaving import Script
from tests.fakes.models.server import FakeModels, fake_models

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
REQUEST = ModelRequest(
    model="gemini-3.8-flash",
    system="Be brief.",
    turns=(Turn("user", "Hello"), Turn("model", "{"), Turn("user", "Again")),
    schema=None,
    schema_name="greeting",
    temperature=0.2,
    max_output_tokens=64,
    thinking="low",
)


@pytest.fixture
async def fake() -> AsyncIterator[FakeModels]:
    async with fake_models() as running:
        yield running


@pytest.fixture(params=["gemini", "openai"])
async def provider(fake: FakeModels, request: pytest.FixtureRequest) -> AsyncIterator[Provider]:
    made: Provider = (
        Gemini(SecretStr("k-123"), base_url=fake.url)
        if request.param == "gemini"
        else OpenAiCompatible(f"{fake.url}/v1", api_key=SecretStr("k-123"))
    )
    yield made
    await made.close()


async def test_an_answer_comes_with_its_tokens(provider: Provider, fake: FakeModels) -> None:
    response = await provider.complete(REQUEST, timeout_s=5)
    assert response.text == "I am a stand-in."
    assert response.finish is Finish.STOP
    assert response.tokens.input > 0
    assert response.tokens.output > 0
    asked = fake.log[0]
    assert asked.system == "Be brief."
    assert asked.turns == ("Hello", "{", "Again")
    assert asked.key.endswith("k-123")
    assert not asked.schema


async def test_a_stream_adds_up_to_the_answer(provider: Provider) -> None:
    chunks = [chunk async for chunk in provider.stream(REQUEST, timeout_s=5)]
    assert "".join(chunk.text for chunk in chunks) == "I am a stand-in."
    assert len(chunks) > 2
    assert [chunk.finish for chunk in chunks if chunk.finish] == [Finish.STOP]
    assert any(chunk.tokens and chunk.tokens.output for chunk in chunks)


@pytest.mark.parametrize(
    ("script", "finish"),
    [
        (Script.REFUSAL, Finish.BLOCKED),
        (Script.SAFETY, Finish.BLOCKED),
        (Script.EMPTY, Finish.EMPTY),
        (Script.MAX_TOKENS, Finish.MAX_TOKENS),
    ],
)
async def test_an_answer_that_is_none_is_named(
    provider: Provider, fake: FakeModels, script: Script, finish: Finish
) -> None:
    fake.plan(script)
    response = await provider.complete(REQUEST, timeout_s=5)
    assert response.finish is finish


async def test_a_rate_limit_tells_how_long_to_wait(provider: Provider, fake: FakeModels) -> None:
    """google.rpc.RetryInfo in the body of one, the Retry-After header of the other."""
    fake.plan(Script.RATE_LIMITED, retry_delay_s=37)
    with pytest.raises(ModelUnavailable, match="429") as caught:
        await provider.complete(REQUEST, timeout_s=5)
    assert caught.value.reason is FailureReason.RATE_LIMITED
    assert caught.value.retry_after_s == 37
    assert len(fake.log) == 1


@pytest.mark.parametrize("script", [Script.UNAVAILABLE, Script.NO_JSON_BODY, Script.DISCONNECT])
async def test_what_may_pass_is_unavailable_and_tried_once_here(
    provider: Provider, fake: FakeModels, script: Script
) -> None:
    fake.plan(script)
    with pytest.raises(ModelUnavailable):
        await provider.complete(REQUEST, timeout_s=5)
    assert len(fake.log) == 1


async def test_a_wrong_key_is_refused_without_repeating_it(provider: Provider, fake: FakeModels) -> None:
    fake.plan(Script.UNAUTHORIZED)
    with pytest.raises(ModelRequestRefused, match="check the key") as caught:
        await provider.complete(REQUEST, timeout_s=5)
    assert "k-123" not in str(caught.value)
    assert caught.value.__cause__ is None


async def test_a_stream_that_is_cut_off_never_looks_whole(provider: Provider, fake: FakeModels) -> None:
    fake.plan(Script.DISCONNECT)
    finishes = []
    with contextlib.suppress(ModelUnavailable):
        async for chunk in provider.stream(REQUEST, timeout_s=5):
            finishes.append(chunk.finish)  # noqa: PERF401 - what came before the break counts
    assert Finish.STOP not in finishes


async def test_nobody_listens(unused_tcp_port: int) -> None:
    for provider in (
        Gemini(SecretStr("k-123"), base_url=f"http://127.0.0.1:{unused_tcp_port}"),
        OpenAiCompatible(f"http://127.0.0.1:{unused_tcp_port}/v1"),
    ):
        with pytest.raises(ModelUnavailable) as caught:
            await provider.complete(REQUEST, timeout_s=5)
        assert str(unused_tcp_port) not in str(caught.value)
        await provider.close()


async def test_a_schema_is_sent(provider: Provider, fake: FakeModels) -> None:
    await provider.complete(replace(REQUEST, schema=SCHEMA), timeout_s=5)  # type: ignore[arg-type]
    assert fake.log[0].schema


@pytest.mark.parametrize("structured", ["json_object", "prompt"])
async def test_a_server_without_schemas_is_told_the_shape_in_words(fake: FakeModels, structured: Structured) -> None:
    provider = OpenAiCompatible(f"{fake.url}/v1", structured=structured)
    await provider.complete(replace(REQUEST, schema=SCHEMA), timeout_s=5)  # type: ignore[arg-type]
    await provider.close()
    assert '"additionalProperties": false' in fake.log[0].system


async def test_an_endless_answer_is_cut_off(fake: FakeModels) -> None:
    provider = OpenAiCompatible(f"{fake.url}/v1", max_bytes=100)
    with pytest.raises(ModelUnavailable):
        await provider.complete(REQUEST, timeout_s=5)
    await provider.close()


async def test_gemini_counts_tokens(fake: FakeModels) -> None:
    provider = Gemini(SecretStr("k-123"), base_url=fake.url)
    assert (await provider.count_tokens(REQUEST, timeout_s=5) or 0) > 0
    await provider.close()


def test_the_kit_is_not_imported_before_it_is_needed() -> None:
    """Its import costs more than a second; a service without a key never pays it."""
    import subprocess
    import sys

    code = (
        "import sys, openwork_llm.client as c, openwork_llm.providers.gemini as g, pydantic;"
        "g.Gemini(pydantic.SecretStr('k'));"
        "sys.exit(any(m == 'google.genai' or m.startswith('httpx2') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


async def test_an_older_gemini_is_given_a_thinking_budget_instead_of_a_level(fake: FakeModels) -> None:
    provider = Gemini(SecretStr("k-123"), base_url=fake.url)
    await provider.complete(replace(REQUEST, model="gemini-2.5-flash"), timeout_s=5)
    await provider.complete(REQUEST, timeout_s=5)
    await provider.close()
    assert [asked.thinking for asked in fake.log] == ["", "low"]


async def test_gemini_is_told_what_to_block_with_every_request(fake: FakeModels) -> None:
    provider = Gemini(SecretStr("k-123"), base_url=fake.url)
    await provider.complete(REQUEST, timeout_s=5)
    await provider.close()
    assert len(fake.log[0].safety) == 4
    assert set(fake.log[0].safety.values()) == {"BLOCK_ONLY_HIGH"}


async def test_a_reasoning_model_is_sent_effort_and_no_temperature(fake: FakeModels) -> None:
    provider = OpenAiCompatible(f"{fake.url}/v1")
    await provider.complete(replace(REQUEST, model="gpt-5-mini", temperature=None), timeout_s=5)
    await provider.complete(replace(REQUEST, model="llama3.3", thinking=None), timeout_s=5)
    await provider.close()
    first, second = (asked.sampling for asked in fake.log)
    assert first == {"max_completion_tokens": 64, "reasoning_effort": "low"}
    assert second == {"max_tokens": 64, "temperature": 0.2}
