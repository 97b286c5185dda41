"""`openwork ask QUESTION`: a question in, a cited and checked answer out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openwork_cli.session import Server

if TYPE_CHECKING:
    from openwork.client import Answer, Client


def ask(
    question: Annotated[str, typer.Argument(help="The question, in quotation marks.")],
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder to write answer.md, answer.json and events.jsonl into.")
    ] = None,
    server: Server = None,
    source: Annotated[
        list[str] | None, typer.Option(help="Search this source and no other; may be given several times.")
    ] = None,
    deadline_s: Annotated[float | None, typer.Option(min=1, max=3600, help="Seconds after which the run ends.")] = None,
    from_year: Annotated[
        int | None, typer.Option(min=1800, max=2200, help="Only works from this year or later.")
    ] = None,
    to_year: Annotated[
        int | None, typer.Option(min=1800, max=2200, help="Only works from this year or before.")
    ] = None,
    run_id: Annotated[str | None, typer.Option(help="A ULID of your own; asking it twice is one run.")] = None,
) -> int:
    """Ask a question. Exit code: 0 answered, 1 failed, 2 rejected, 3 too little evidence, 4 bad usage."""
    from openwork.run_ids import check_run_id

    from openwork_cli.output import exit_code, print_answer, print_json, progress, write_folder
    from openwork_cli.session import with_client

    if run_id:
        check_run_id(run_id)  # a slip of the asker is reported before anything is started
    if source and server is None:
        check_sources(source)
    with progress(quiet=json_) as show:

        async def work(client: Client) -> tuple[Answer, list[str]]:
            answer = await client.ask(
                question,
                sources=source,
                deadline_s=deadline_s,
                from_year=from_year,
                to_year=to_year,
                run_id=run_id,
                on_progress=show,
            )
            return answer, await _events(client, answer.run_id) if out is not None else []

        answer, lines = with_client(work, server)
    if out is not None:
        write_folder(out, answer, lines)
    if json_:
        print_json(answer.raw)
    else:
        print_answer(answer, out=out)
    return exit_code(answer)


def check_sources(names: list[str]) -> None:
    """Where services can be started here: that there are such sources. Raises: UsageError."""
    from openwork_cli import plugins

    if plugins.has_stack():
        plugins.stack().check_sources(names)


async def _events(client: Client, run_id: str) -> list[str]:
    """The run's events up to its end, as JSON; what is larger than a reply may be is left out."""
    lines = []
    async for row in client.events(run_id):
        if row.body is not None:
            lines.append(row.body)
        if row.name == "end":
            break
    return lines
