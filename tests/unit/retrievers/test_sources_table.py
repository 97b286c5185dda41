"""docs/sources.md says what the registry says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from openwork_retrievers.domain.registry import SOURCES

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "sources.md"


def test_tables_of_the_page_are_those_of_the_registry() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "sources_table.py"), "--check"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr


def test_page_tells_of_every_source_its_terms_and_its_settings() -> None:
    page = PAGE.read_text("utf-8")
    for spec in SOURCES:
        assert page.count(f"| `{spec.route}` |") == 2, spec.route
        assert spec.terms_url in page
        if spec.needs:
            assert f"OPENWORK_{spec.needs.upper()}" in page
