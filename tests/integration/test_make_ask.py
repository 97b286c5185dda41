"""`make ask Q=...` asks what was typed, and runs nothing of it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.mark.parametrize(
    "question",
    [
        "Does a dose of $10 mg/kg help?",
        'Is "best" care better?',
        "Whose trial is it, Smith's?",
        "`touch owned`",
        "$(touch owned) $(shell touch owned) ${HOME}",
        "50 % of # people; done & | > x",
        "a\\b -- é ≥ 日本",
        "--help",
    ],
)
def test_the_question_arrives_as_it_was_typed(tmp_path: Path, question: str) -> None:
    command = tmp_path / "openwork"
    command.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    command.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(
        ["make", "-s", "-C", ROOT, "-o", "setup", "-o", ".venv/.synced", "ask", f"BIN={tmp_path}", f"Q={question}"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines() == ["ask", "--", question]
    assert not (ROOT / "owned").exists()
