"""`openwork runs`: what was asked before, what happened, and an end before the end."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from openwork_cli.plugins import RunsGroup
from openwork_cli.session import GATEWAY, Server, with_client

if TYPE_CHECKING:
    from openwork.client import Client

app = typer.Typer(
    cls=RunsGroup, no_args_is_help=True, help="Runs that are stored: list, show, log, events, cancel, delete, rerun."
)


@app.command("list")
def list_(
    limit: Annotated[int, typer.Option(min=1, max=500, help="Most runs to show, newest first.")] = 20,
    search: Annotated[
        str | None, typer.Option(help="Only runs whose question holds these words, or words that begin so.")
    ] = None,
    before: Annotated[str | None, typer.Option(help="Only runs older than this run.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
    server: Server = None,
) -> int:
    """The runs that are stored, newest first."""
    from openwork.run_ids import check_run_id

    from openwork_cli.output import print_json

    older_than = check_run_id(before) if before else None
    runs = with_client(lambda client: client.runs(limit, query=search, before=older_than), server, services=GATEWAY)
    if json_:
        from dataclasses import asdict

        rows = [{**asdict(run), "submitted_at": run.submitted_at.isoformat(timespec="seconds")} for run in runs]
        print_json(rows)
        return 0
    for run in runs:
        at = run.submitted_at.isoformat(timespec="seconds")
        sys.stdout.write(f"{run.run_id}  {at}  {run.status:<20}  {run.question}\n")
    if not runs:
        narrowed = search is not None or before is not None
        sys.stdout.write("no such run is stored\n" if narrowed else "no runs are stored\n")
    return 0


@app.command()
def show(
    run_id: str,
    record: Annotated[bool, typer.Option(help="Also what was searched, and what became of each work.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    server: Server = None,
) -> int:
    """The answer of a run."""
    from openwork.run_ids import check_run_id

    from openwork_cli.output import exit_code, print_answer, print_json

    wanted = check_run_id(run_id)
    answer = with_client(lambda client: client.show(wanted, record=record), server, services=GATEWAY)
    if json_:
        print_json(answer.raw)
        return exit_code(answer)
    print_answer(answer)
    if record:
        from openwork_cli.record import print_record

        print_record(answer.document.record)
    return exit_code(answer)


@app.command("log")
def log_(
    run_id: str,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    server: Server = None,
) -> int:
    """What was searched for, what each source was sent, and what it found: a search log after PRISMA-S."""
    from openwork.run_ids import check_run_id

    from openwork_cli.output import print_json
    from openwork_cli.search_log import as_json, print_search_log

    wanted = check_run_id(run_id)
    answer = with_client(lambda client: client.show(wanted, record=True), server, services=GATEWAY)
    if json_:
        print_json(as_json(answer.raw))
    else:
        print_search_log(answer.document)
    return 0


@app.command()
def events(
    run_id: str,
    json_: Annotated[bool, typer.Option("--json", help="Print the events, one a line.")] = False,
    server: Server = None,
) -> int:
    """Everything that happened in a run, in order."""
    from openwork.run_ids import check_run_id

    wanted = check_run_id(run_id)

    async def work(client: Client) -> None:
        start = None
        async for row in client.events(wanted):
            start = start or row.stored_at
            if json_:
                sys.stdout.write((row.body or f'{{"meta": {{"event_id": "{row.subject}"}}}}') + "\n")
                continue
            at = (row.stored_at - start).total_seconds()
            sys.stdout.write(f"{at:8.3f} s  {row.name:<22} {row.producer:<12} {row.in_words or ''}\n")

    with_client(work, server, services=GATEWAY)
    return 0


@app.command()
def cancel(
    run_id: str,
    reason: Annotated[str | None, typer.Option(help="Why, in plain words; it is kept with the run.")] = None,
    server: Server = None,
) -> int:
    """End a run before it has ended by itself. Exit code 1 when it had ended already."""
    from openwork.run_ids import check_run_id

    wanted = check_run_id(run_id)
    cancelled = with_client(lambda client: client.cancel(wanted, reason), server, services=GATEWAY)
    sys.stdout.write(f"run {wanted} {'is cancelled' if cancelled else 'had ended already'}\n")
    return 0 if cancelled else 1


@app.command()
def delete(run_id: str, server: Server = None) -> int:
    """Remove what is kept of a run, for good. One that goes on is to be cancelled first."""
    from openwork.run_ids import check_run_id

    wanted = check_run_id(run_id)
    with_client(lambda client: client.delete(wanted), server, services=GATEWAY)
    sys.stdout.write(f"run {wanted} is deleted\n")
    return 0


@app.command(hidden=True)
def replay(
    run_id: str,
    from_: Annotated[str | None, typer.Option("--from", help="As `openwork runs rerun --from`.")] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
    server: Server = None,
) -> int:
    """The answer again, byte for byte, from the stored events: `show`; with --from, `rerun`."""
    if from_ is None:
        return show(run_id, json_=json_, server=server)
    from openwork_cli import plugins

    code: int = plugins.load("runs.rerun")(run_id, from_=from_, json_=json_, server=server)
    return code
