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
        "-n",
        "two\nlines\n\tand a tab",
        "",
        "$$$(Q) $(value Q) $Q",
        "%s \\n \"'`",
    ],
)
@pytest.mark.parametrize("through", ["argument", "environment"])
def test_the_question_arrives_as_it_was_typed(tmp_path: Path, question: str, through: str) -> None:
    command = tmp_path / "openwork"
    command.write_text('#!/bin/sh\nprintf "%s\\0" "$@"\n')
    command.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    arguments = [f"Q={question}"] if through == "argument" else []
    done = subprocess.run(
        ["make", "-s", "-C", ROOT, "-o", "setup", "-o", ".venv/.synced", "ask", f"BIN={tmp_path}", *arguments],
        capture_output=True,
        text=True,
        env=environment if arguments else environment | {"Q": question},
        timeout=60,
        check=True,
    )
    assert done.stdout.split("\0") == ["ask", "--", question, ""]
    assert not (ROOT / "owned").exists()
