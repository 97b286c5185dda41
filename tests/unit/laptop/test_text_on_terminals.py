"""What commands print of files and saved answers: nothing in it steers the terminal, hides, or stops the command."""

from __future__ import annotations

import json
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest
from openwork_cli.verify import verify
from openwork_laptop.commands.rank import rank
from openwork_laptop.commands.sources import parse
from openwork_laptop.library_import.importer import import_records

HOSTILE = "\x1b]0;owned\x07Drug A \u202elowered\u202c mor\u200btality\u2028to 3.1% \ud83d\x9b2J"
SHOWN = "�]0;owned�Drug A lowered mortality to 3.1% �›2J"


def assert_harmless(printed: str) -> None:
    """As a terminal gets it: no control but the line feed, nothing that is not seen; and it can be encoded."""
    printed.encode()
    assert not [c for c in printed if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]


@pytest.fixture(autouse=True)
def _no_services_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENWORK_HOME", str(tmp_path / "home"))


def saved(tmp_path: Path, name: str, value: object) -> Path:
    path = tmp_path / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_verify_prints_claims_findings_and_quotations_that_are_harmless(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "answer.md"
    text.write_text(HOSTILE.replace("\ud83d", "") + " [1].", encoding="utf-8")
    evidence = saved(tmp_path, "evidence.json", [{"title": HOSTILE, "text": f"{HOSTILE}. It also lowered strokes."}])
    verify(answer=text, evidence=evidence)
    printed = capsys.readouterr().out
    assert_harmless(printed)
    assert SHOWN.replace(" �›", " ›") in printed
    verify(answer=text, evidence=evidence, json_=True)
    report = capsys.readouterr().out
    assert_harmless(report)
    assert "\\u202e" not in report


def test_verify_gives_the_ids_of_a_batch_back_exactly_and_in_ascii(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "batch.jsonl"
    path.write_text(json.dumps({"id": HOSTILE, "answer": HOSTILE, "evidence": [{"text": "≥ 3"}]}) + "\n")
    verify(batch=path)
    printed = capsys.readouterr().out
    assert printed.isascii()
    assert_harmless(printed)
    assert json.loads(printed)["id"] == HOSTILE


@pytest.mark.parametrize("json_", [False, True])
def test_a_saved_answer_with_half_a_character_is_parsed_and_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], json_: bool
) -> None:
    work = {"id": "1", "source": "MED", "pmid": "1", "title": HOSTILE, "abstractText": HOSTILE, "pubYear": "2021"}
    path = saved(tmp_path, "saved.json", {"hitCount": 1, "resultList": {"result": [work]}})
    assert parse("europepmc", [path], json_=json_) == 0
    printed = capsys.readouterr().out
    assert_harmless(printed)
    assert SHOWN in (json.loads(printed)[0]["title"] if json_ else printed)
    assert json_ or len(printed.splitlines()) == 2


def test_rank_prints_ids_that_are_harmless(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "candidates.jsonl"
    path.write_text(json.dumps({"id": HOSTILE, "title": "Apixaban", "text": "Apixaban lowered stroke."}) + "\n")
    assert rank(query="Does apixaban lower stroke?", candidates=path) == 0
    printed = capsys.readouterr().out
    assert_harmless(printed)
    assert SHOWN in printed


def test_what_could_not_be_imported_is_named_harmlessly() -> None:
    body = json.dumps([{"type": "article-journal", "abstract": HOSTILE, "author": [{"family": HOSTILE}]}]).encode()
    result = import_records([("export.json", body)], retrieved_at=datetime(2026, 1, 2, tzinfo=UTC))
    assert any("has no title" in warning for warning in result.warnings)
    assert_harmless("\n".join(result.warnings))
