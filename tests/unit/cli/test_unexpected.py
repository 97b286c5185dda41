"""What nobody foresaw is one line; an interrupt is one wherever it came."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from openwork_cli.main import ExitCode, _unexpected
from pydantic_core import SchemaError

ENDING = """
import signal, openwork_cli.main
from openwork_cli.start import run

class Late:
    def __del__(self, interrupt=signal.raise_signal, signum=signal.SIGINT):
        interrupt(signum)

def main():
    global late
    {main}
    return 3

late = Late()
openwork_cli.main.main = main
run()
"""
"""A command that is interrupted when `late` is thrown away: by `main`, or as the interpreter is taken down."""


def test_an_interrupt_while_a_model_is_built_is_an_interrupt(capsys: pytest.CaptureFixture[str]) -> None:
    error = SchemaError('SchemaError: Error building "enum" validator:\n  KeyboardInterrupt: ')
    assert _unexpected(error) == ExitCode.INTERRUPTED
    assert capsys.readouterr().err == "openwork: interrupted\n"


def test_what_fails_because_of_an_interrupt_is_an_interrupt(capsys: pytest.CaptureFixture[str]) -> None:
    error = ValueError("half closed")
    error.__context__ = KeyboardInterrupt()
    assert _unexpected(error) == ExitCode.INTERRUPTED
    assert capsys.readouterr().err == "openwork: interrupted\n"


@pytest.mark.parametrize("main", ["del late", "pass"])
def test_an_interrupt_at_the_very_end_changes_nothing(main: str) -> None:
    """In a finaliser of the command, and after its last line."""
    ended = subprocess.run(
        [sys.executable, "-c", ENDING.format(main=main)],
        capture_output=True,
        text=True,
        timeout=30,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert (ended.returncode, ended.stderr) == (3, "")


def test_anything_else_says_where_to_look(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENWORK_DEBUG", raising=False)
    assert _unexpected(ValueError("odd")) == ExitCode.FAILED
    assert "OPENWORK_DEBUG=1" in capsys.readouterr().err
