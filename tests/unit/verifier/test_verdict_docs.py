"""docs/verdicts.md: complete, and its examples are true."""

from __future__ import annotations

import re

import pytest
from openwork_cli.remarks import LOOK_AT, VERDICTS
from openwork_contracts.verdict import EvidenceItem, FindingKind, ReasonCode, Verdict
from openwork_verifier.domain.gate import verify_answer

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in PAGE.splitlines() if line.startswith("| `")]
NAMES = [row[0].strip("` |") for row in ROWS]
REASONS = {name: row for name, row in zip(NAMES, ROWS, strict=True) if len(row) == 6}
ASKS_SOMEBODY = {ReasonCode.NOT_ENTAILED.value}
"""No code says this."""
NOT_YET = {ReasonCode.CELL_DIFFERS.value}
"""Their examples get another code today."""


def test_every_verdict_kind_and_reason_is_explained_and_nothing_else() -> None:
    known = [name.value for enum in (Verdict, FindingKind, ReasonCode) for name in enum]
    assert sorted(NAMES) == sorted(known)
    assert set(REASONS) == {code.value for code in ReasonCode}


def test_the_page_calls_things_as_the_command_does() -> None:
    printed = {name: row[1] for name, row in zip(NAMES, ROWS, strict=True) if name in set(Verdict)}
    assert printed == VERDICTS
    assert {name: row[2] for name, row in REASONS.items()} == LOOK_AT


def test_every_reason_says_which_kinds_it_can_have() -> None:
    kinds = "|".join(kind.value for kind in FindingKind)
    assert [name for name, row in REASONS.items() if not re.match(rf"(?:{kinds})\b", row[3])] == []


@pytest.mark.parametrize("name", sorted(REASONS.keys() - NOT_YET - ASKS_SOMEBODY))
def test_an_example_gets_its_reason_with_a_kind_that_is_listed(name: str) -> None:
    _, _, _, kinds, sentence, source = REASONS[name]
    record = re.match(r"\(.*?(\d{4}|retracted)?\)\s*", source)
    told = record[1] if record else None
    item = EvidenceItem(
        n=1,
        text=source[record.end() :] if record else source,
        year=int(told) if told and told.isdigit() else None,
        status=told if told and not told.isdigit() else None,
    )
    cites = "" if name == "citation_missing" or "cited" in sentence else " [1]"
    (claim,) = verify_answer(sentence.rstrip(".") + f"{cites}.", [item]).claims
    found = {reason.code.value: reason.kind for reason in claim.reasons}
    assert name in found, found
    kind = found[ReasonCode(name)]
    assert kind is not None
    assert kind.value in kinds


def test_the_page_is_linked_where_somebody_looks_for_it() -> None:
    for place in ("README.md", "services/verifier/README.md", "docs/glossary.md", "docs/events.md"):
        assert "verdicts.md" in (ROOT / place).read_text(encoding="utf-8"), place
