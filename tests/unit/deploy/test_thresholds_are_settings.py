"""Where a service draws its lines can be set by the environment, within bounds, and a misspelt name is an error."""

from __future__ import annotations

from typing import Any

import pytest
from openwork_gap.settings import Settings as GapSettings
from openwork_reranker.settings import Settings as RerankerSettings
from openwork_synthesiser.settings import Settings as SynthesiserSettings
from openwork_verifier.settings import Settings as VerifierSettings
from pydantic import ValidationError

CASES = [
    (GapSettings, "OPENWORK_GAP__RECENT_YEARS", "7", lambda s: s.gap.recent_years, lambda s: s.gap.enough_documents),
    (
        VerifierSettings,
        "OPENWORK_GATE__PARTLY_SHARE",
        "0.5",
        lambda s: s.gate.partly_share,
        lambda s: s.gate.gain_share,
    ),
    (
        SynthesiserSettings,
        "OPENWORK_SYNTHESIS__RELEVANCE__TREATMENT",
        "0.3",
        lambda s: s.synthesis.relevance.treatment,
        lambda s: s.synthesis.relevance.population,
    ),
    (RerankerSettings, "OPENWORK_LEXICAL__K1", "0.9", lambda s: s.lexical.k1, lambda s: s.lexical.b),
]
IDS = [name for _, name, *_ in CASES]


@pytest.mark.parametrize(("settings", "name", "value", "read", "other"), CASES, ids=IDS)
def test_one_threshold_is_set_and_the_others_keep_their_defaults(
    monkeypatch: pytest.MonkeyPatch, settings: Any, name: str, value: str, read: Any, other: Any
) -> None:
    default = other(settings())
    monkeypatch.setenv(name, value)
    assert read(settings()) == float(value)
    assert other(settings()) == default


@pytest.mark.parametrize(("settings", "name", "value", "read", "other"), CASES, ids=IDS)
def test_a_threshold_out_of_bounds_or_misspelt_stops_the_service(
    monkeypatch: pytest.MonkeyPatch, settings: Any, name: str, value: str, read: Any, other: Any
) -> None:
    """Else a typing error would leave the default in force in silence."""
    monkeypatch.setenv(name, "-1000")
    with pytest.raises(ValidationError):
        settings()
    monkeypatch.setenv(name, value)
    monkeypatch.setenv(f"{name}_MISSPELT", value)
    with pytest.raises(ValidationError):
        settings()
