"""Commands that other apps add: found by name, and missed in words."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest
from openwork.errors import OpenWorkError, RunNotFound, UsageError
from openwork_cli import plugins
from openwork_cli.main import app
from openwork_contracts import errors
from openwork_laptop.errors import as_client_errors
from openwork_laptop.home import Home
from pydantic import ValidationError
from typer.testing import CliRunner


@pytest.fixture
def without_laptop(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("OPENWORK_HOME", str(tmp_path))
    monkeypatch.setattr(plugins, "entry_points", lambda group: ())


def test_the_laptop_app_adds_what_the_command_expects_of_it() -> None:
    assert {point.name for point in entry_points(group=plugins.COMMANDS)} >= set(plugins.LAPTOP_COMMANDS)
    for name in plugins.LAPTOP_COMMANDS:
        assert callable(plugins.load(name))
    for method in ("run", "verify", "check_sources", "checks"):
        assert callable(getattr(plugins.stack(), method))


@pytest.mark.parametrize("line", ["up", "rank", "sources list", "library check", "runs rerun X --from gap"])
def test_a_command_of_an_app_that_is_missing_says_how_to_get_it(without_laptop: None, line: str) -> None:
    result = CliRunner().invoke(app, line.split())
    assert isinstance(result.exception, UsageError)
    assert "pip install openwork-laptop" in str(result.exception)


@pytest.mark.parametrize("line", ["ask hi", "runs list"])
def test_without_services_and_without_the_laptop_app_the_way_out_is_named(without_laptop: None, line: str) -> None:
    result = CliRunner().invoke(app, line.split())
    assert isinstance(result.exception, UsageError)
    assert "openwork-laptop" in str(result.exception)
    assert "--server" in str(result.exception)


def test_without_the_laptop_app_the_help_lists_what_is_there(without_laptop: None) -> None:
    result = CliRunner().invoke(app, ["--help"])
    assert result.exit_code == 0
    assert "  ask " in result.output
    assert "  up " not in result.output


def test_without_the_laptop_app_the_doctor_says_so(without_laptop: None) -> None:
    result = CliRunner().invoke(app, ["doctor"])
    assert "laptop app" in result.output
    assert "not installed" in result.output


def test_errors_of_the_services_code_reach_the_command_as_its_own() -> None:
    with pytest.raises(UsageError, match=r"^what$"), as_client_errors():
        raise errors.UsageError("what")
    with pytest.raises(RunNotFound), as_client_errors():
        raise errors.RunNotFound("which")
    with pytest.raises(OpenWorkError), as_client_errors():
        raise errors.EventTooLarge("how much")
    with pytest.raises(KeyError), as_client_errors():
        raise KeyError("ours")


def test_a_setting_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from openwork_bus.settings import ServiceSettings

    monkeypatch.setenv("OPENWORK_REPLICAS", "many")
    with pytest.raises(ValidationError):
        ServiceSettings()
    with pytest.raises(UsageError, match="the setting OPENWORK_REPLICAS cannot be used"), as_client_errors():
        ServiceSettings()


def test_the_laptop_and_the_client_read_the_same_notice(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    import os

    from openwork.home import DEFAULT_URL, RunningServer, running_url, server_url

    monkeypatch.setenv("OPENWORK_HOME", str(tmp_path))
    monkeypatch.delenv("OPENWORK_NATS_URL", raising=False)
    home = Home()
    assert (running_url(), home.running(), server_url()) == (None, None, DEFAULT_URL)
    home.announce(RunningServer(pid=os.getpid(), url="nats://here:1", stays=False))
    assert (running_url(), server_url()) == (None, DEFAULT_URL)
    home.announce(RunningServer(pid=os.getpid(), url="nats://here:1", stays=True))
    assert (running_url(), server_url(), home.running()) == (
        "nats://here:1",
        "nats://here:1",
        RunningServer(os.getpid(), "nats://here:1", True),
    )
    home.announce(RunningServer(pid=2**22 + 1, url="nats://here:1", stays=True))
    assert running_url() is None
    home.withdraw()
    assert running_url() is None
