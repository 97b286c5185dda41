"""docs/settings.md is what the code says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_the_settings_page_is_current() -> None:
    """When this fails: `make settings-table`."""
    done = subprocess.run(
        [sys.executable, "scripts/settings_table.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
