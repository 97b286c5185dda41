"""What nobody foresaw is one line; an interrupt is one wherever it came."""

from __future__ import annotations

import pytest
from openwork_cli.main import ExitCode, _unexpected
from pydantic_core import SchemaError


def test_an_interrupt_while_a_model_is_built_is_an_interrupt(capsys: pytest.CaptureFixture[str]) -> None:
    error = SchemaError('SchemaError: Error building "enum" validator:\n  KeyboardInterrupt: ')
    assert _unexpected(error) == ExitCode.INTERRUPTED
    assert capsys.readouterr().err == "openwork: interrupted\n"


def test_anything_else_says_where_to_look(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENWORK_DEBUG", raising=False)
    assert _unexpected(ValueError("odd")) == ExitCode.FAILED
    assert "OPENWORK_DEBUG=1" in capsys.readouterr().err
