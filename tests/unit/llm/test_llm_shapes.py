"""Shapes, settings and prices: what servers are sent, what is accepted back, what tokens cost."""

from __future__ import annotations

import json
from enum import StrEnum

import pytest
from openwork_llm.messages import Tier, TokenCount
from openwork_llm.prices import DEAREST, FREE, LIST_PRICES, Price, parse_prices, price_of
from openwork_llm.schema import ShapeError, parse_shape, schema_of
from openwork_llm.settings import ModelSettings
from pydantic import BaseModel, Field, ValidationError


class Colour(StrEnum):
    RED = "red"


class Inner(BaseModel):
    title: str = "x"
    required: int


class Shape(BaseModel):
    colour: Colour
    inner: list[Inner] = Field(max_length=3)
    score: float = Field(ge=0, le=1)


def test_a_schema_asks_for_every_field_and_no_other() -> None:
    """Fields may be called like keywords; keywords that some server refuses are left out."""
    schema = schema_of(Shape)
    assert schema["required"] == ["colour", "inner", "score"]
    assert schema["additionalProperties"] is False
    inner = schema["$defs"]["Inner"]  # type: ignore[index,call-overload]
    assert inner["properties"].keys() == {"title", "required"}  # type: ignore[index,call-overload,union-attr]
    assert "default" not in json.dumps(schema)


def test_thinking_before_the_answer_is_taken_off() -> None:
    assert parse_shape('<think>{"colour"?</think>\n{"colour": "red", "inner": [], "score": 1}', Shape).score == 1


def test_a_fence_around_the_answer_is_taken_off() -> None:
    text = '```json\n{"colour": "red", "inner": [], "score": 1}\n```'
    assert parse_shape(text, Shape).colour is Colour.RED


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "JSON"),
        ("{", "JSON"),
        ("I cannot do that", "JSON"),
        ('{"colour": "blue", "inner": [], "score": 1}', "colour"),
        ('{"colour": "red", "inner": [{"title": "secret text"}], "score": 2}', "inner.0.required"),
        ("[]", "the whole"),
    ],
)
def test_the_error_says_what_to_mend_and_repeats_nothing(text: str, words: str) -> None:
    with pytest.raises(ShapeError, match=words) as caught:
        parse_shape(text, Shape)
    assert "secret text" not in str(caught.value)


def test_thinking_is_billed_as_output() -> None:
    assert Price(1.0, 10.0).cost_usd(TokenCount(input=1_000_000, output=50_000, thinking=50_000)) == pytest.approx(2.0)


def test_own_prices_come_before_list_prices() -> None:
    own = parse_prices("gemini-3.8-flash=0.1/0.2, *=0/0")
    assert price_of("gemini-3.8-flash", own, billed=True) == Price(0.1, 0.2)
    assert price_of("gemini-3.1-pro-preview", own, billed=True) == LIST_PRICES["gemini-3.1-pro-preview"]
    assert price_of("something-else", own, billed=True) == FREE


def test_a_model_without_a_known_price_is_taken_for_the_dearest() -> None:
    """A budget errs on the side of spending less; a server that takes no key sends no bill."""
    assert price_of("unheard-of", {}, billed=True) == DEAREST
    assert price_of("unheard-of", {}, billed=False) == FREE


@pytest.mark.parametrize("text", ["x", "x=1", "x=a/b", "=1/2", "x=1/2/3", "x=-1/2", "x=nan/1"])
def test_a_price_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a price"):
        parse_prices(text)


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENWORK_GEMINI_API_KEY", "OPENWORK_MODEL_PROVIDER"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_without_a_key_no_model_is_asked(no_keys: pytest.MonkeyPatch) -> None:
    assert ModelSettings().provider == "none"
    assert "no model" in ModelSettings().summary


@pytest.mark.parametrize("name", ["GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENWORK_GEMINI_API_KEY"])
def test_a_gemini_key_under_any_of_its_names_is_enough(no_keys: pytest.MonkeyPatch, name: str) -> None:
    no_keys.setenv(name, "a-key")
    settings = ModelSettings()
    assert settings.provider == "gemini"
    assert settings.model_of(Tier.FAST) == "gemini-3.8-flash"
    assert settings.model_of(Tier.SMART) == "gemini-3.1-pro-preview"
    assert "a-key" not in repr(settings)
    assert settings.summary.startswith(
        "gemini: gemini-3.8-flash (fast), gemini-3.1-pro-preview (smart); at most 120,000"
    )


def test_a_key_does_not_count_when_no_model_is_wanted(no_keys: pytest.MonkeyPatch) -> None:
    no_keys.setenv("GEMINI_API_KEY", "a-key")
    assert ModelSettings(model_provider="none").provider == "none"


def test_an_openai_compatible_server_must_be_named(no_keys: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValidationError, match="OPENWORK_MODEL_BASE_URL"):
        ModelSettings(model_provider="openai")
    settings = ModelSettings(model_provider="openai", model_base_url="http://127.0.0.1:1/v1", model_fast="m")
    assert settings.model_of(Tier.SMART) == "m"
    assert settings.price_of("m") == FREE


def test_gemini_without_a_key_is_refused_with_the_name_of_the_variable(no_keys: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValidationError, match="GEMINI_API_KEY"):
        ModelSettings(model_provider="gemini")
