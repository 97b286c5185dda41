"""`openwork rank`: the reranker alone."""

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
    """Order texts by how well they answer a question, best first."""
    import json

    from openwork_contracts.errors import UsageError

    from openwork_local.offline import rank_candidates, read_lines

    if batch is not None:
        for number, line in read_lines(batch):
            ranking = rank_candidates(str(line.get("query", "")), line.get("candidates"), f"line {number}")
            sys.stdout.write(json.dumps({"id": line.get("id"), "ranking": ranking}, ensure_ascii=False) + "\n")
        return 0
    if query is None or candidates is None:
        raise UsageError("give --query Q and --candidates FILE.jsonl, or --batch FILE.jsonl")
    ranking = rank_candidates(query, [line for _, line in read_lines(candidates)], str(candidates))
    if json_:
        sys.stdout.write(json.dumps({"query": query, "ranking": ranking}, ensure_ascii=False, indent=2) + "\n")
    else:
        for place, row in enumerate(ranking, start=1):
            sys.stdout.write(f"{place:4}  {row['score']:.4f}  {row['id']}\n")
    return 0
