"""What a model is sent follows from its family, and every family says why."""

from __future__ import annotations

from pathlib import Path

import pytest
from openwork_llm.families import FAMILIES, Heat, Thinks, family_of

DOCS = Path(__file__).parents[3] / "docs" / "models.md"


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gemini-3.1-pro-preview", "gemini 3 pro"),
        ("gemini-3.8-flash", "gemini 3"),
        ("gemini-flash-latest", "gemini 3"),
        ("gemini-2.5-flash-lite", "gemini 2.5"),
        ("openai/gpt-5-mini", "openai, reasoning"),
        ("o4-mini", "openai, reasoning"),
        ("openai/gpt-oss-20b", "gpt-oss"),
        ("Qwen/Qwen3-8B", "qwen 3, qwq"),
        ("deepseek-r1:8b", "deepseek r1"),
        ("llama3.3", "any other"),
        ("olmo-2", "any other"),
    ],
)
def test_a_model_is_known_by_its_id_whoever_serves_it(model: str, name: str) -> None:
    assert family_of(model).name == name


def test_a_level_that_a_family_lacks_becomes_the_next_above() -> None:
    assert family_of("gemini-3.1-pro-preview").thinking_for("minimal") == "low"
    assert family_of("gemini-3.1-pro-preview").thinking_for("medium") == "high"
    assert family_of("qwen3:8b").thinking_for("high") == "low"
    assert family_of("llama3.3").thinking_for("low") is None


def test_thinking_takes_nothing_from_the_answer() -> None:
    """Services count both against one limit: the room for it is added."""
    for family in FAMILIES:
        added = family.limit_for(1000, "low") - 1000
        assert added >= 1000 if family.thinks is not Thinks.NEVER else added == 0


def test_a_family_without_a_temperature_is_sent_none() -> None:
    assert family_of("o4-mini").temperature_for(0.2) is None
    assert family_of("gemini-3.8-flash").temperature_for(0.2) == 1.0
    assert family_of("llama3.3").temperature_for(0.2) == 0.2
    assert {family.temperature for family in FAMILIES if not isinstance(family.temperature, float)} == set(Heat)


def test_every_family_stands_in_the_documentation_with_its_reason() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for family in FAMILIES:
        assert f"| {family.name} |" in text
        assert len(family.why) > 20
