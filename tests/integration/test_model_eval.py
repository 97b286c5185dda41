"""The evaluation with a model, against the stand-in for one: asked in a few calls, labels by the rules of a run."""

from __future__ import annotations

import pytest
from openwork_bus.telemetry import Telemetry
from openwork_llm.client import LanguageModel
from openwork_llm.settings import ModelSettings
from openwork_verifier.adapters.model_judge import ModelJudge

from tests.eval.fidelity.benchmarks import NEUTRAL, REFUTE, SUPPORT, Item
from tests.eval.fidelity.with_model import OneRun, is_configured, judge
from tests.fakes.models.server import fake_models

SOURCE = "In this trial of 4,000 adults, apixaban lowered major bleeding compared with warfarin over two years."
ITEMS = [
    Item("same", "Apixaban lowered major bleeding versus warfarin in adults.", "", SOURCE, SUPPORT),
    Item("other", "Apixaban improved safety compared with warfarin.", "", SOURCE, SUPPORT),
    Item("wrong", "Apixaban raised major bleeding compared with warfarin.", "", SOURCE, REFUTE),
]


async def test_what_only_looks_wrong_is_decided_by_the_model_and_only_with_a_quotation_that_bears_it_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with fake_models() as fake:
        for name, value in fake.gemini_env().items():
            monkeypatch.setenv(name, value)
        assert is_configured()
        settings = ModelSettings()
        model = LanguageModel(settings)
        by_code, after, n_failed = await judge(ITEMS, ModelJudge(model), OneRun(Telemetry("verifier", settings)))
        await model.close()
        assert [asked.step for asked in fake.log] == ["verifier"]
    assert by_code == [SUPPORT, NEUTRAL, NEUTRAL]
    assert after == [SUPPORT, SUPPORT, NEUTRAL]
    assert n_failed == 0
