"""Whatever a terminal can show, the output comes through."""

from __future__ import annotations

import subprocess
import sys

import pytest
from openwork_cli.start import ON_WINDOWS
from openwork_cli.terminal import spelt

TEXT = "HR ≤ 0.8 – “Ménière”, TNF-α, 日本 ⠋"


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("ascii", 'HR <= 0.8 - "Meniere", TNF-alpha, ?? .'),
        ("latin-1", 'HR <= 0.8 - "Ménière", TNF-alpha, ?? .'),
        ("cp1252", "HR <= 0.8 – “Ménière”, TNF-alpha, ?? ."),
        ("cp437", 'HR ≤ 0.8 - "Ménière", TNF-α, ?? .'),
        ("utf-8", TEXT),
    ],
)
def test_a_character_that_is_lacking_is_spelt(encoding: str, shown: str) -> None:
    code = f"from openwork_cli.terminal import prepare_streams; prepare_streams(); print({TEXT!r})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        check=True,
    )
    assert done.stdout.decode(encoding).rstrip() == shown


def test_an_error_in_reading_is_not_hidden() -> None:
    with pytest.raises(UnicodeDecodeError):
        spelt(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"))


def test_windows_is_told_in_one_line() -> None:
    """Before anything is imported that does not exist there."""
    code = "import sys; sys.platform = 'win32'; from openwork_cli.start import run; run()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{ON_WINDOWS}\n")
    assert "WSL 2" in ON_WINDOWS
