"""Settings: read from the environment, bounded, and silent about secrets."""

from __future__ import annotations

import pytest
from openwork_bus.settings import ServiceSettings
from openwork_retrievers.settings import Settings as RetrieverSettings
from pydantic import SecretStr, ValidationError


def test_every_setting_is_read_from_its_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENWORK_NATS_URL", "nats://elsewhere:4222")
    monkeypatch.setenv("OPENWORK_RETRY_DELAYS_S", "[0.1, 0.2]")
    monkeypatch.setenv("OPENWORK_ANSWER_DEADLINE_S", "9.5")
    settings = ServiceSettings()
    assert settings.nats_url == "nats://elsewhere:4222"
    assert settings.retry_delays_s == (0.1, 0.2)
    assert settings.answer_deadline_s == 9.5


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("library", ("library",)),
        (" library , pubmed,,europepmc-cited, ", ("library", "pubmed", "europepmc-cited")),
        ("", ()),
    ],
)
def test_sources_are_taken_apart_without_blanks(text: str, names: tuple[str, ...]) -> None:
    assert ServiceSettings(sources=text).source_names == names


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OPENWORK_ANSWER_DEADLINE_S", "0"),
        ("OPENWORK_ANSWER_DEADLINE_S", "nan"),
        ("OPENWORK_ANSWER_DEADLINE_S", "two minutes"),
        ("OPENWORK_REPLICAS", "0"),
        ("OPENWORK_REPLICAS", "7"),
        ("OPENWORK_COMPRESS_OVER_BYTES", "-1"),
        ("OPENWORK_LOG_FORMAT", "xml"),
        ("OPENWORK_HEALTH_PORT", "70000"),
    ],
)
def test_a_value_out_of_bounds_stops_the_start(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ValidationError, match=name.removeprefix("OPENWORK_").lower()):
        ServiceSettings()


def test_a_secret_is_never_printed() -> None:
    settings = ServiceSettings(nats_password=SecretStr("s3cret"), otlp_headers=SecretStr("authorization=s3cret"))
    assert "s3cret" not in repr(settings)
    assert "s3cret" not in settings.model_dump_json()


def test_settings_do_not_change_while_a_service_runs() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        ServiceSettings().nats_url = "nats://elsewhere:4222"  # type: ignore[misc]


@pytest.mark.parametrize("name", ["contact_email", "ncbi_api_key", "nats_ca_file", "reachability_file"])
def test_an_empty_variable_is_an_absent_optional_setting(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """`${NAME:-}` in a Compose file; for the reachability file it means "not on disk", which is not the default."""
    monkeypatch.setenv(f"OPENWORK_{name.upper()}", "")
    assert getattr(RetrieverSettings(), name) is None


def test_an_empty_variable_of_another_setting_is_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENWORK_SOURCES", "")
    assert ServiceSettings().source_names == ()
