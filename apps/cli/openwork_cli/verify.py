"""`openwork verify`: the verification gate alone, on any text with [n] citations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openwork_contracts.verdict import VerificationReport


def verify(
    answer: Annotated[Path | None, typer.Argument(help="The text to check, e.g. answer.md.")] = None,
    evidence: Annotated[
        Path | None, typer.Option(help="JSON list of {n, title, text, pmid?, doi?, ...}: what the text cites.")
    ] = None,
    batch: Annotated[Path | None, typer.Option(help="JSON Lines of {id, answer, evidence}; '-' reads stdin.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Check each sentence of a text against the passages it cites: citations, numbers, names, direction.

    Exit code 0 when every claim is supported, 1 when one is not, 4 for input that cannot be read.
    """
    from openwork_contracts.errors import UsageError

    if batch is not None:
        for line in _batch(batch):
            sys.stdout.write(line + "\n")
        return 0
    if answer is None or evidence is None:
        raise UsageError("give ANSWER.md and --evidence FILE.json, or --batch FILE.jsonl")
    from openwork_laptop.offline import read_evidence, read_text
    from openwork_verifier.domain.gate import verify_answer

    report = verify_answer(read_text(answer), read_evidence(evidence))
    if json_:
        sys.stdout.write(report.model_dump_json(indent=2) + "\n")
    else:
        _print(report)
    return 0 if report.scores.unsupported == 0 else 1


def _batch(path: Path) -> Iterator[str]:
    import json

    from openwork_laptop.offline import evidence_items, read_lines
    from openwork_verifier.domain.gate import verify_answer

    for number, line in read_lines(path):
        report = verify_answer(str(line.get("answer", "")), evidence_items(line.get("evidence"), f"line {number}"))
        claims = [claim.model_dump(mode="json") for claim in report.claims]
        result = {"id": line.get("id"), "claims": claims, "grounding_score": report.scores.grounding_score}
        yield json.dumps(result, ensure_ascii=False)


def _print(report: VerificationReport) -> None:
    for claim in report.claims:
        marks = "".join(f"[{n}]" for n in claim.citations)
        sys.stdout.write(f"{claim.verdict.value:<16} {claim.text} {marks}\n")
        for reason in claim.reasons:
            sys.stdout.write(f"{'':<16}   {reason.code.value}: {reason.detail}\n")
        for span in claim.evidence[:1]:
            sys.stdout.write(f"{'':<16}   [{span.n}] {span.start}-{span.end}: {span.quote!r}\n")
    s = report.scores
    sys.stdout.write(
        f"{s.claims} claims, {s.supported} supported, {s.unsupported} not; grounding {s.grounding_score:.2f}, "
        f"citation coverage {s.citation_coverage:.2f}\n"
    )
