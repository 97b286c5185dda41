"""What is counted of language models: what became of each call, its tokens, its dollars; and no word of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from openwork_bus.figures import Figures
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry
from openwork_contracts.errors import ModelUnavailable, OpenWorkError
from openwork_llm.client import LanguageModel
from openwork_llm.errors import ModelRequestRefused
from openwork_llm.prompts import Theirs, parse_prompt
from openwork_llm.settings import ModelSettings
from pydantic import BaseModel

from tests.fakes.models.reading import Asked
from tests.fakes.models.scripted import Scripted
from tests.reading_figures import samples, value

SECRET = "a-question-of-somebody"
GOOD = '{"verdict": "yes"}'
PROMPT = parse_prompt(
    "---\nname: test\nversion: 1\ntier: fast\ntemperature: 0\nthinking: low\nmax_output_tokens: 100\n---\n"
    "# system\nJudge.\n# user\n{{question}}\n"
)


class Shape(BaseModel):
    verdict: str


@dataclass
class OneRun:
    id: str = "01J0000000000000000000000A"
    service: str = "synthesiser"
    telemetry: Telemetry = field(default_factory=lambda: Telemetry("test", ServiceSettings(otlp_endpoint=None)))


async def asked(answer: str | OpenWorkError, *, times: int = 1, **settings: object) -> bytes:
    """The figures after a model was asked the same so often."""

    def says(request: Asked) -> str:
        if isinstance(answer, OpenWorkError):
            raise answer
        return answer

    figures = Figures("synthesiser")
    known = {"model_provider": "gemini", "gemini_api_key": "k", "model_tries": 1, "model_fast": "gemini-3.8-flash"}
    model = LanguageModel(ModelSettings.model_validate(known | settings), Scripted(says), figures=figures)
    for _ in range(times):
        with suppress(OpenWorkError):
            await model.ask(PROMPT, {"question": Theirs("question", SECRET)}, Shape, OneRun())
    return figures.text()


def calls(text: bytes) -> dict[str, float]:
    shown = (one for one in samples(text) if one.name == "openwork_model_calls_total" and one.value)
    return {one.labels["outcome"]: one.value for one in shown}


async def test_a_call_is_counted_with_its_tokens_and_dollars() -> None:
    text = await asked(GOOD)
    assert calls(text) == {"answered": 1}
    assert value(text, "openwork_model_tokens_total", model="gemini-3.8-flash", kind="input") == 100
    assert value(text, "openwork_model_tokens_total", model="gemini-3.8-flash", kind="output") == 20
    dollars = value(text, "openwork_model_cost_usd_total", model="gemini-3.8-flash")
    assert dollars == pytest.approx(100 * 0.75e-6 + 20 * 3.75e-6)
    assert SECRET.encode() not in text


@pytest.mark.parametrize(
    ("answer", "settings", "outcomes"),
    [
        (ModelUnavailable("503"), {}, {"unavailable": 1}),
        (ModelRequestRefused("401"), {}, {"refused": 1}),
        ("", {}, {"unusable": 1}),
        ("no JSON at all", {}, {"answered": 2}),  # asked once more, with the error shown
        (GOOD, {"model_budget_tokens": 1}, {"over_budget": 1}),
    ],
)
async def test_what_became_of_a_call_is_counted(
    answer: str | OpenWorkError, settings: dict[str, object], outcomes: dict[str, float]
) -> None:
    assert calls(await asked(answer, **settings)) == outcomes


async def test_an_answer_that_is_kept_costs_nothing() -> None:
    text = await asked(GOOD, times=3)
    assert calls(text) == {"answered": 1}
    looks = {o: value(text, "openwork_cache_requests_total", cache="model_answers", outcome=o) for o in ("hit", "miss")}
    assert looks == {"hit": 2, "miss": 1}


async def test_before_the_first_call_it_is_known_that_nothing_was_spent() -> None:
    text = await asked(GOOD, times=0)
    assert value(text, "openwork_model_cost_usd_total", model="gemini-3.8-flash") == 0
