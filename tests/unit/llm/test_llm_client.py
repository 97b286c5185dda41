"""The client over a provider that does what it is told: tries, pauses, budget, repair, cache, spans."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry
from openwork_contracts.errors import ModelAnswerRejected, ModelUnavailable, OpenWorkError
from openwork_llm.client import LanguageModel
from openwork_llm.errors import (
    BudgetExceeded,
    ModelAnswerBlocked,
    ModelAnswerCut,
    ModelAnswerEmpty,
    ModelAnswerMisshapen,
    ModelRequestRefused,
)
from openwork_llm.messages import Chunk, Finish, ModelRequest, ModelResponse, TokenCount
from openwork_llm.prompts import Ours, Prompt, Theirs, parse_prompt
from openwork_llm.settings import ModelSettings
from pydantic import BaseModel

PROMPT = parse_prompt(
    "---\nname: test\nversion: 1\ntier: fast\ntemperature: 0\nthinking: low\nmax_output_tokens: 100\n---\n"
    "# system\nJudge.\n# user\n{{question}} {{n}}\n"
)
GOOD = '{"verdict": "yes"}'
TOKENS = TokenCount(input=1000, output=80, thinking=20)


class Verdict(BaseModel):
    verdict: str


@dataclass
class Scripted:
    """A provider that gives these answers in turn, the last one for ever; an error is raised."""

    answers: list[str | Finish | Exception]
    name: str = "gemini"
    requests: list[ModelRequest] = field(default_factory=list)
    delay_s: float = 0.0
    closed: bool = False

    async def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        self.requests.append(request)
        await asyncio.sleep(self.delay_s)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Finish):
            return ModelResponse("half of it" if answer is Finish.MAX_TOKENS else "", answer, TOKENS, detail="SAFETY")
        return ModelResponse(answer, Finish.STOP, TOKENS, "version-1", "STOP")

    async def stream(self, request: ModelRequest, *, timeout_s: float) -> AsyncGenerator[Chunk, None]:
        response = await self.complete(request, timeout_s=timeout_s)
        half = len(response.text) // 2
        yield Chunk(response.text[:half])
        if response.text.endswith("BROKEN"):
            return
        yield Chunk(response.text[half:], response.finish, response.tokens, response.model_version)

    async def count_tokens(self, request: ModelRequest, *, timeout_s: float) -> int | None:
        return None

    async def close(self) -> None:
        self.closed = True


@dataclass
class OneRun:
    """As much of a run as the client needs."""

    telemetry: Telemetry
    id: str = "01J0000000000000000000000A"
    service: str = "test"


@dataclass
class Bench:
    """A client, its provider, its run, the pauses it made and its spans."""

    model: LanguageModel
    provider: Scripted
    run: OneRun
    pauses: list[float]
    spans: InMemorySpanExporter

    async def ask(self, question: str = "Why?", **more: object) -> str:
        answer = await self.model.ask(PROMPT, filled(question), Verdict, self.run, **more)  # type: ignore[arg-type]
        return answer.value.verdict


def filled(question: str) -> dict[str, Theirs | Ours]:
    return {"question": Theirs("question", question), "n": Ours("1")}


def bench(*answers: str | Finish | Exception, content: bool = False, **settings: object) -> Bench:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    provider = Scripted(list(answers))
    spans = InMemorySpanExporter()
    telemetry = Telemetry("test", ServiceSettings(trace_content=content), exporter=spans)
    known = {"model_provider": "gemini", "gemini_api_key": "not-a-key", **settings}
    model = LanguageModel(ModelSettings(**known), provider, rng=random.Random(1), sleep=sleep)  # type: ignore[arg-type]
    return Bench(model, provider, OneRun(telemetry), pauses, spans)


def unavailable(retry_after_s: float | None = None) -> ModelUnavailable:
    return ModelUnavailable("gemini answered 503", retry_after_s=retry_after_s)


async def test_an_answer_is_returned_paid_and_counted() -> None:
    b = bench(GOOD)
    assert await b.ask() == "yes"
    usage = await b.model.usage(b.run)
    assert (usage.input_tokens, usage.output_tokens, usage.model_calls) == (1000, 100, 1)
    assert usage.cost_usd == pytest.approx(1000 * 0.75e-6 + 100 * 3.75e-6)


async def test_passing_faults_are_tried_again_with_growing_random_pauses() -> None:
    b = bench(unavailable(), unavailable(), GOOD, model_backoff_s=1.0)
    assert await b.ask() == "yes"
    assert len(b.pauses) == 2
    assert 0 <= b.pauses[0] <= 1.0
    assert 0 <= b.pauses[1] <= 2.0


async def test_the_pause_a_service_asks_for_is_the_least() -> None:
    b = bench(unavailable(7.0), GOOD)
    assert await b.ask() == "yes"
    assert 7.0 <= b.pauses[0] <= 8.0


async def test_a_pause_beyond_the_time_that_is_left_is_not_begun() -> None:
    b = bench(unavailable(3600.0), GOOD)
    with pytest.raises(ModelUnavailable):
        await b.ask()
    assert b.pauses == []


async def test_after_the_last_try_it_is_unavailable() -> None:
    b = bench(unavailable(), model_tries=3)
    with pytest.raises(ModelUnavailable, match="in 3 tries"):
        await b.ask()
    assert len(b.provider.requests) == 3


async def test_a_refused_request_is_never_sent_twice() -> None:
    b = bench(ModelRequestRefused("gemini answered 401"))
    with pytest.raises(ModelRequestRefused):
        await b.ask()
    assert len(b.provider.requests) == 1


async def test_a_model_that_does_not_answer_in_time_is_given_up_and_its_input_counted() -> None:
    b = bench(GOOD, model_timeout_s=0.05)
    b.provider.delay_s = 5.0
    with pytest.raises(ModelUnavailable, match="no whole answer"):
        await b.ask()
    account = await b.model.account(b.run)
    assert account.calls[0].estimated
    assert account.calls[0].input_tokens > 0
    assert not account.asked("test")


async def test_a_misshapen_answer_is_asked_for_once_more_with_the_error() -> None:
    b = bench('{"verdikt": "yes"}', GOOD)
    assert await b.ask() == "yes"
    turns = b.provider.requests[1].turns
    assert [turn.role for turn in turns] == ["user", "model", "user"]
    assert turns[1].text == '{"verdikt": "yes"}'
    assert "verdict: Field required" in turns[2].text
    assert (await b.model.usage(b.run)).model_calls == 2


async def test_a_second_misshapen_answer_is_the_end() -> None:
    b = bench("no", "JSON", GOOD)
    with pytest.raises(ModelAnswerMisshapen, match="two tries"):
        await b.ask()
    assert len(b.provider.requests) == 2


@pytest.mark.parametrize(
    ("finish", "error"),
    [
        (Finish.BLOCKED, ModelAnswerBlocked),
        (Finish.EMPTY, ModelAnswerEmpty),
        (Finish.STOP, ModelAnswerEmpty),
    ],
)
async def test_an_answer_that_is_none_is_typed_paid_and_not_asked_again(
    finish: Finish, error: type[ModelAnswerRejected]
) -> None:
    b = bench(finish)
    with pytest.raises(error):
        await b.ask()
    account = await b.model.account(b.run)
    assert len(b.provider.requests) == 1
    assert account.cost_usd > 0
    assert not account.asked("test")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"model_budget_tokens": 50}, "token budget"),
        ({"model_budget_usd": 0.0001}, r"\$0.0000 of \$0.00"),
        ({"model_budget_s": 0.5}, "time for language models"),
    ],
)
async def test_nothing_is_sent_that_the_budget_does_not_cover(settings: dict[str, object], words: str) -> None:
    b = bench(GOOD, **settings)  # type: ignore[arg-type]
    with pytest.raises(BudgetExceeded, match=words):
        await b.ask()
    assert b.provider.requests == []


async def test_the_budget_counts_what_was_spent_before() -> None:
    b = bench(GOOD, model_budget_tokens=2400)
    assert await b.ask("one") == "yes"
    with pytest.raises(BudgetExceeded, match="1,100 of 2,400"):
        await b.ask("two")


async def test_near_the_deadline_of_the_run_no_model_is_asked() -> None:
    b = bench(GOOD)
    with pytest.raises(BudgetExceeded, match="deadline"):
        await b.ask(deadline_at=datetime.now(UTC) + timedelta(seconds=3))


async def test_the_same_question_is_asked_once() -> None:
    b = bench(GOOD)
    assert [await b.ask(), await b.ask()] == ["yes", "yes"]
    assert len(b.provider.requests) == 1
    assert await b.ask("Another?") == "yes"
    assert len(b.provider.requests) == 2


async def test_callers_at_the_same_time_share_one_call() -> None:
    b = bench(GOOD)
    b.provider.delay_s = 0.01
    answers = await asyncio.gather(*(b.ask() for _ in range(10)))
    assert answers == ["yes"] * 10
    assert len(b.provider.requests) == 1
    assert (await b.model.usage(b.run)).model_calls == 1


async def test_a_caller_that_goes_away_does_not_take_the_answer_from_the_others() -> None:
    b = bench(GOOD)
    b.provider.delay_s = 0.02
    first, second = asyncio.create_task(b.ask()), asyncio.create_task(b.ask())
    await asyncio.sleep(0.005)
    first.cancel()
    assert await second == "yes"


async def test_an_error_is_not_kept() -> None:
    b = bench(Finish.BLOCKED, GOOD)
    with pytest.raises(ModelAnswerBlocked):
        await b.ask()
    assert await b.ask() == "yes"


async def test_an_answer_is_told_of_while_it_is_written() -> None:
    b = bench(GOOD)
    told: list[str] = []

    async def on_text(text: str) -> None:
        told.append(text)

    assert await b.ask(on_text=on_text) == "yes"
    assert told == [GOOD[: len(GOOD) // 2], GOOD]
    assert await b.ask(on_text=on_text) == "yes"
    assert len(told) == 2  # kept: nothing is written


async def test_a_stream_that_breaks_off_is_begun_anew() -> None:
    b = bench("half and BROKEN", GOOD)
    told: list[str] = []

    async def on_text(text: str) -> None:
        told.append(text)

    assert await b.ask(on_text=on_text) == "yes"
    assert told[-1] == GOOD
    assert len(b.provider.requests) == 2


async def test_an_answer_that_was_cut_is_asked_for_once_more_with_a_higher_limit() -> None:
    b = bench(Finish.MAX_TOKENS, GOOD)
    assert await b.ask() == "yes"
    first, second = (request.max_output_tokens for request in b.provider.requests)
    assert second == 2 * first
    assert (await b.model.usage(b.run)).model_calls == 2


async def test_an_answer_that_is_cut_twice_is_the_end() -> None:
    b = bench(Finish.MAX_TOKENS)
    with pytest.raises(ModelAnswerCut):
        await b.ask()
    assert len(b.provider.requests) == 2


async def test_a_higher_limit_is_no_higher_than_the_budget_pays() -> None:
    """Spent: 1,000 tokens in and 100 out, $0.001125; $0.0055 pays for some 1,150 more, and the double is 2,248."""
    b = bench(Finish.MAX_TOKENS, GOOD, model_budget_usd=0.0075)
    assert await b.ask() == "yes"
    first, second = (request.max_output_tokens for request in b.provider.requests)
    assert 1.25 * first <= second < 2 * first


async def test_what_the_budget_cannot_pay_is_not_asked_for_again() -> None:
    b = bench(Finish.MAX_TOKENS, GOOD, model_budget_tokens=2_500)
    with pytest.raises(ModelAnswerCut):
        await b.ask()
    assert len(b.provider.requests) == 1


@pytest.mark.parametrize("content", [True, False])
async def test_every_call_is_a_span_and_texts_are_in_it_only_when_wanted(content: bool) -> None:
    b = bench(unavailable(), GOOD, content=content)
    await b.ask("a private question")
    (span,) = b.spans.get_finished_spans()
    attributes = dict(span.attributes or {})
    assert span.name == "model test.v1"
    assert attributes["openinference.span.kind"] == "LLM"
    assert attributes["llm.model_name"] == "gemini-3.8-flash"
    assert attributes["llm.provider"] == "google"
    assert attributes["llm.token_count.prompt"] == 1000
    assert attributes["llm.token_count.completion"] == 100
    assert attributes["llm.token_count.completion_details.reasoning"] == 20
    assert attributes["llm.cost.total"] == pytest.approx(0.001125)
    assert attributes["openwork.prompt_version"] == "test.v1"
    assert attributes["openwork.tries"] == 2
    assert ("a private question" in str(attributes)) is content
    assert "not-a-key" not in str(attributes)


async def test_a_failed_call_is_a_failed_span_without_texts() -> None:
    b = bench("a private answer", "another")
    with pytest.raises(OpenWorkError):
        await b.ask("a private question")
    assert "private" not in "".join(str(s.attributes) + str(s.status.description) for s in b.spans.get_finished_spans())


async def test_a_client_without_a_provider_is_off() -> None:
    model = LanguageModel(ModelSettings(model_provider="none"))
    assert not model.enabled
    assert (await model.usage(OneRun(Telemetry("test", ServiceSettings())))).model_calls == 0


async def test_a_note_is_kept_once() -> None:
    b = bench(GOOD)
    for _ in range(2):
        await b.model.note(b.run, "said once")
    assert (await b.model.account(b.run)).notes == ("said once",)


def test_a_prompt_version_is_part_of_what_is_kept() -> None:
    """Another version of a prompt is another question."""
    second = Prompt(
        **{
            name: getattr(PROMPT, name)
            for name in ("name", "tier", "temperature", "thinking", "max_output_tokens", "system", "user")
        },
        version=2,
    )
    assert PROMPT.fill(filled("a")).digest != second.fill(filled("a")).digest
