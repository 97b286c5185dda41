"""`openwork rank`: the reranker alone, with the scorer that the settings give it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


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

    from openwork_contracts.errors import UsageError

    if batch is not None:
        asyncio.run(_rank_lines(batch))
    elif query is None or candidates is None:
        raise UsageError("give --query Q and --candidates FILE.jsonl, or --batch FILE.jsonl")
    else:
        asyncio.run(_rank_one(query, candidates, as_json=json_))
    return 0


async def _rank_lines(path: Path) -> None:
    import json
    from contextlib import AsyncExitStack

    from openwork_reranker.choice import choose_scorer
    from openwork_reranker.settings import Settings

    from openwork_local.offline import ranked, ranking_fields, read_lines

    async with AsyncExitStack() as resources:
        scorer = choose_scorer(Settings(), resources)
        for number, line in read_lines(path):
            result = await ranked(scorer, str(line.get("query", "")), line.get("candidates"), f"line {number}")
            sys.stdout.write(json.dumps({"id": line.get("id"), **ranking_fields(result)}, ensure_ascii=False) + "\n")


async def _rank_one(query: str, path: Path, *, as_json: bool) -> None:
    import json
    from contextlib import AsyncExitStack

    from openwork_reranker.choice import choose_scorer
    from openwork_reranker.settings import Settings

    from openwork_local.offline import ranked, ranking_fields, read_lines

    rows = [line for _, line in read_lines(path)]
    async with AsyncExitStack() as resources:
        result = await ranked(choose_scorer(Settings(), resources), query, rows, str(path))
    if as_json:
        sys.stdout.write(json.dumps({"query": query, **ranking_fields(result)}, ensure_ascii=False, indent=2) + "\n")
        return
    for place, (identifier, score) in enumerate(result.order, start=1):
        sys.stdout.write(f"{place:4}  {score:.4f}  {identifier}\n")
    if result.report.degradation:
        sys.stderr.write(f"note: {result.report.degradation}\n")
