"""`openwork runs`: what was asked before, what happened, and the same again."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from openwork_bus import loop

app = typer.Typer(no_args_is_help=True, help="Runs that are stored: list, show, events, replay.")
Server = Annotated[str | None, typer.Option(help="NATS URL of services that run elsewhere.")]


@app.command("list")
def list_(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most runs to show, newest first.")] = 20,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
    server: Server = None,
) -> int:
    """The runs that are stored, newest first."""
    from openwork_laptop.runs import list_runs
    from openwork_laptop.stack import session

    async def work() -> list[dict[str, str | None]]:
        async with session(server, services=False) as bus:
            return await list_runs(bus, limit)

    rows = loop.run(work())
    if json_:
        import json

        sys.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
    else:
        for row in rows:
            sys.stdout.write(f"{row['run_id']}  {row['submitted_at']}  {row['status']:<20}  {row['question']}\n")
        if not rows:
            sys.stdout.write("no runs are stored\n")
    return 0


@app.command()
def show(run_id: str, json_: Annotated[bool, typer.Option("--json")] = False, server: Server = None) -> int:
    """The answer of a run, folded from its events."""
    from openwork_laptop.runs import load
    from openwork_laptop.stack import session

    from openwork_cli.output import exit_code, print_document, print_json

    async def work() -> object:
        async with session(server, services=False) as bus:
            return await load(bus, run_id)

    document = loop.run(work())
    from openwork_contracts.answer import AnswerDocument

    assert isinstance(document, AnswerDocument)
    if json_:
        print_json(document)
    else:
        print_document(document)
    return exit_code(document)


@app.command()
def events(
    run_id: str,
    json_: Annotated[bool, typer.Option("--json", help="Print the events, one a line.")] = False,
    server: Server = None,
) -> int:
    """Everything that happened in a run, in order."""
    from openwork_bus.run_ids import check_run_id
    from openwork_laptop.stack import session

    from openwork_cli.output import describe

    async def work() -> None:
        async with session(server, services=False) as bus:
            history = await bus.history(check_run_id(run_id))
            start = history[0].stored_at
            for stored in history:
                if json_:
                    sys.stdout.write(stored.event.model_dump_json() + "\n")
                    continue
                at = (stored.stored_at - start).total_seconds()
                name, producer = stored.event.event_name, stored.event.meta.producer
                sys.stdout.write(f"{at:8.3f} s  {name:<22} {producer:<12} {describe(stored) or ''}\n")

    loop.run(work())
    return 0


@app.command()
def replay(
    run_id: str,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from", help="Run again from this step, e.g. reranker; a name that is no step lists those that are."
        ),
    ] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
    server: Server = None,
) -> int:
    """The answer again, byte for byte, from the stored events; with --from, run again from there: what changed."""
    from openwork_laptop.runs import difference, load, rerun
    from openwork_laptop.stack import session

    from openwork_cli.output import exit_code, print_document, print_json

    if from_ is None:
        return show(run_id, json_=json_, server=server)

    async def work() -> tuple[object, object]:
        async with session(server, services=True) as bus:
            before = await load(bus, run_id)
            return before, await rerun(bus, run_id, from_)

    before, after = loop.run(work())
    from openwork_contracts.answer import AnswerDocument

    assert isinstance(before, AnswerDocument)
    assert isinstance(after, AnswerDocument)
    if json_:
        print_json(after)
    else:
        print_document(after)
        sys.stdout.write("\n" + difference(before, after) + "\n")
    return exit_code(after)
