"""Which judge the settings give."""

from __future__ import annotations

import importlib.util
from contextlib import AsyncExitStack
from typing import Any

import pytest
from openwork_contracts.errors import UsageError
from openwork_llm.client import LanguageModel
from openwork_verifier.adapters.choice import choose_judge
from openwork_verifier.adapters.model_judge import ModelJudge
from openwork_verifier.domain.judging.answers import Judge
from openwork_verifier.settings import Settings
from pydantic import ValidationError

HAS_CLIENT = importlib.util.find_spec("tritonclient") is not None
GEMINI = {"model_provider": "gemini", "gemini_api_key": "key"}
NLI = {"triton_url": "127.0.0.1:1", "nli_model": "nli"}


async def chosen(**values: Any) -> Judge | None:
    settings = Settings(**{"model_provider": "none", **values})
    async with AsyncExitStack() as resources:
        return choose_judge(settings, LanguageModel(settings), resources)


async def test_nobody_judges_where_nothing_is_configured_not_even_with_a_server_for_the_reranker() -> None:
    assert await chosen() is None
    assert await chosen(triton_url="127.0.0.1:1") is None


async def test_a_language_model_comes_first() -> None:
    assert isinstance(await chosen(**GEMINI), ModelJudge)
    assert isinstance(await chosen(**GEMINI, **NLI), ModelJudge)


@pytest.mark.skipif(not HAS_CLIENT, reason="the extra openwork-verifier[triton] is not installed")
async def test_else_the_inference_model() -> None:
    judge = await chosen(**NLI)
    assert judge is not None
    assert judge.name == "the inference model 'nli'"


@pytest.mark.skipif(HAS_CLIENT, reason="the client of Triton is installed")
async def test_an_inference_model_without_the_client_is_an_error_at_the_start() -> None:
    with pytest.raises(UsageError, match="triton"):
        await chosen(**NLI)


def test_labels_are_read_in_their_order() -> None:
    assert Settings(nli_labels="contradiction, Entailment ,neutral").nli_label_order == (
        "contradiction",
        "entailment",
        "neutral",
    )
    assert Settings(nli_labels="entailment,not_entailment").nli_label_order == ("entailment", "neutral")


@pytest.mark.parametrize(
    "values",
    [
        {"nli_labels": "neutral,contradiction"},
        {"nli_labels": "entailment,entailment"},
        {"nli_labels": "entailment,neutral,not_entailment"},
        {"nli_labels": "entailment,maybe"},
        {"nli_model": "nli"},
        {"nli_entailed": 0.4},
        {"nli_doubted": 0.6},
        {"nli_contradicted": 1.1},
    ],
)
def test_settings_that_make_no_sense_stop_the_service(values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Settings(**values)
