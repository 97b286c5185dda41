"""`openwork rank`: the reranker alone, with the scorer that the settings give it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from openwork_laptop.errors import as_client_errors


@as_client_errors()
def rank(
    query: Annotated[str | None, typer.Option(help="The question.")] = None,
    candidates: Annotated[Path | None, typer.Option(help="JSON Lines of {id, title, text}.")] = None,
    batch: Annotated[
        Path | None, typer.Option(help="JSON Lines of {id, query, candidates: [{id, title, text}]}; '-' reads stdin.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Order texts by how well they answer a question, best first.

    By the scorer of the answers: Triton's model where OPENWORK_TRITON_URL is set, else what is installed here.
    """
    import asyncio

    from openwork.errors import UsageError

    if batch is None and (query is None or candidates is None):
        raise UsageError("give --query Q and --candidates FILE.jsonl, or --batch FILE.jsonl")
    asyncio.run(_rank(query or "", candidates, batch, as_json=json_))
    return 0


async def _rank(query: str, candidates: Path | None, batch: Path | None, *, as_json: bool) -> None:
    import json
    from contextlib import AsyncExitStack

    from openwork_cli.files import read_lines
    from openwork_cli.output import one_line
    from openwork_contracts.text import clean
    from openwork_reranker.adapters.choice import choose_scorer
    from openwork_reranker.settings import Settings

    from openwork_laptop.ranking import ranked, ranking_fields

    async with AsyncExitStack() as resources:
        scorer = choose_scorer(Settings(), resources)
        for number, line in read_lines(batch) if batch else ():
            result = await ranked(scorer, str(line.get("query", "")), line.get("candidates"), f"line {number}")
            sys.stdout.write(json.dumps({"id": line.get("id"), **ranking_fields(result)}) + "\n")
        if batch or candidates is None:
            return
        result = await ranked(scorer, query, [line for _, line in read_lines(candidates)], str(candidates))
    if as_json:
        sys.stdout.write(json.dumps({"query": query, **ranking_fields(result)}, indent=2) + "\n")
        return
    for place, (identifier, score) in enumerate(result.order, start=1):
        sys.stdout.write(f"{place:4}  {score:.4f}  {one_line(clean(identifier))}\n")
    if result.report.degradation:
        sys.stderr.write(f"note: {result.report.degradation}\n")
