"""`openwork verify`: the verification gate alone, on any text with [n] citations."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from openwork_cli.session import Server

if TYPE_CHECKING:
    from openwork.models import VerificationReport

    Gate = Callable[[str, object, str], VerificationReport]
    """A text, its evidence as JSON, and where both come from; the verdicts."""


def verify(
    answer: Annotated[Path | None, typer.Argument(help="The text to check, e.g. answer.md.")] = None,
    evidence: Annotated[
        Path | None, typer.Option(help="JSON list of {n, title, text, pmid?, doi?, ...}: what the text cites.")
    ] = None,
    batch: Annotated[Path | None, typer.Option(help="JSON Lines of {id, answer, evidence}; '-' reads stdin.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    server: Server = None,
) -> int:
    """Check each sentence of a text against the passages it cites, and print the remarks on it.

    Of each sentence: supported, not confirmed (with what to look at), contradicted, not in the source, or no citation.
    Exit code 0 when every sentence that claims something is supported, 1 when one is not ("not confirmed" among them),
    4 for input that cannot be read.
    """
    from dataclasses import asdict

    from openwork.errors import UsageError

    from openwork_cli.files import read_json, read_text
    from openwork_cli.output import print_json
    from openwork_cli.remarks import page

    if batch is None and (answer is None or evidence is None):
        raise UsageError("give ANSWER.md and --evidence FILE.json, or --batch FILE.jsonl")
    with _gate(server) as gate:
        if batch is not None:
            _batch(batch, gate)
            return 0
        assert answer is not None
        assert evidence is not None
        report = gate(read_text(answer), read_json(evidence), str(evidence))
    if json_:
        print_json(asdict(report))
    else:
        sys.stdout.write(page(report))
    return 0 if report.scores.unsupported == 0 else 1


def _batch(path: Path, gate: Gate) -> None:
    """One result a line, as soon as it is there: what was judged before a broken line stays printed.

    In ASCII, since the file's own ids go back exactly as they are, whatever a terminal makes of them.
    """
    import json
    from dataclasses import asdict

    from openwork_cli.files import read_lines

    for number, line in read_lines(path):
        report = gate(str(line.get("answer", "")), line.get("evidence"), f"line {number}")
        claims = [asdict(claim) for claim in report.claims]
        result = {"id": line.get("id"), "claims": claims, "grounding_score": report.scores.grounding_score}
        sys.stdout.write(json.dumps(result) + "\n")


@contextmanager
def _gate(server: str | None) -> Iterator[Gate]:
    """The gate of services that run; where none do, the laptop app's own, without a bus."""
    from openwork.home import running_url

    url = server or running_url()
    if url is None:
        yield _local_gate
        return
    import asyncio

    from openwork.client import connect

    with asyncio.Runner() as runner:
        connection = connect(url)
        client = runner.run(connection.__aenter__())

        def ask(text: str, evidence: object, where: str) -> VerificationReport:
            from openwork.errors import UsageError

            try:
                return runner.run(client.verify(text, _items(evidence, where)))
            except UsageError as error:
                raise UsageError(f"{where}: {error}") from error

        try:
            yield ask
        finally:
            runner.run(connection.__aexit__(None, None, None))


def _local_gate(text: str, evidence: object, where: str) -> VerificationReport:
    from openwork.models import VerificationReport
    from openwork.reading import evidence_rows

    from openwork_cli import plugins

    return VerificationReport.from_dict(plugins.stack().verify(text, evidence_rows(_items(evidence, where)), where))


def _items(evidence: object, where: str) -> list[Any]:
    from openwork.errors import UsageError

    if not isinstance(evidence, list):
        raise UsageError(f"{where}: evidence must be a list of {{n, title, text}}")
    return evidence
