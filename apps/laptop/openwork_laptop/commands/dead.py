"""`openwork dead`: messages that no service could handle: seen, their questions asked again, deleted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from openwork_laptop.errors import as_client_errors

if TYPE_CHECKING:
    from openwork_bus.jetstream import JetStreamBus

    from openwork_laptop.dead import DeadLetter, Redriven

T = TypeVar("T")

app = typer.Typer(
    no_args_is_help=True, help="Dead letters, which no service could handle: list, show, redrive (ask again), drop."
)
Numbers = Annotated[list[int], typer.Argument(help="Numbers of dead letters, from `openwork dead list`.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
OfRun = Annotated[str | None, typer.Option("--run", help="Those of this run only.")]
OfConsumer = Annotated[str | None, typer.Option("--consumer", help="Those of this consumer only, e.g. verifier.")]
Server = Annotated[
    str | None,
    typer.Option(
        help="NATS URL of services that run elsewhere; log in as `operator` with OPENWORK_NATS_USER and _PASSWORD."
    ),
]
_REASON_CHARS = 100
_WAIT_S = 3700.0
"""Longer than any run: services that a command started stay until the run has ended."""


@app.command("list")
@as_client_errors()
def list_(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Most to show, newest first.")] = 20,
    run: OfRun = None,
    consumer: OfConsumer = None,
    json_: Json = False,
    server: Server = None,
) -> int:
    """The dead letters, newest first."""
    from openwork_laptop.dead import letters

    async def work(bus: JetStreamBus) -> list[DeadLetter]:
        js = bus.connection.jetstream(timeout=5)
        return await letters(js, limit=limit, run_id=_run_id(run), consumer=consumer or "")

    found = _as_operator(work, server)
    if json_:
        _print_json([letter.row() for letter in found])
        return 0
    for letter in found:
        sys.stdout.write(_line(letter))
    if not found:
        sys.stdout.write("there is no dead letter\n")
    return 0


@app.command()
@as_client_errors()
def show(number: int, json_: Json = False, server: Server = None) -> int:
    """One dead letter: why it is one, and what it holds."""
    from openwork_laptop.dead import body_of, letter_at

    async def work(bus: JetStreamBus) -> tuple[DeadLetter, str]:
        letter = await letter_at(bus.connection.jetstream(timeout=5), number)
        return letter, await body_of(bus, letter)

    letter, body = _as_operator(work, server)
    if json_:
        _print_json({**letter.row(), "headers": dict(letter.headers), "body": body})
        return 0
    sys.stdout.write(f"{'Sequence':<18} {letter.sequence}\n{'Stored':<18} {letter.stored_at.isoformat()}\n")
    for name, value in sorted(letter.headers.items()):
        sys.stdout.write(f"{_plain(name):<18} {_plain(value)}\n")
    sys.stdout.write(f"\n{body}\n")
    return 0


@app.command()
@as_client_errors()
def redrive(
    numbers: Numbers,
    again: Annotated[bool, typer.Option("--again", help="Also when the question was asked again already.")] = False,
    json_: Json = False,
    server: Server = None,
) -> int:
    """Ask the questions of dead letters again, each as a new run of the same owner; the letters stay.

    Exit code 1 when one was not.
    """
    from openwork_laptop import dead

    async def work(bus: JetStreamBus) -> list[Redriven]:
        js = bus.connection.jetstream(timeout=5)
        letters = [await dead.letter_at(js, number) for number in dict.fromkeys(numbers)]
        by_run = {letter.run_id or str(letter.sequence): letter for letter in letters}  # a run is asked again once
        done = [await dead.redrive(bus, letter, again=again) for letter in by_run.values()]
        if _starts_services(server):
            await dead.wait_for(bus, [one.new_run_id for one in done if one.new_run_id], _WAIT_S)
        return done

    done = _as_operator(work, server, all_services=True)
    if json_:
        _print_json([one.row() for one in done])
    else:
        for one in done:
            sys.stdout.write(f"{one.sequence}: {_plain(one.words)}\n")
    return 0 if all(one.new_run_id for one in done) else 1


@app.command()
@as_client_errors()
def drop(
    numbers: Annotated[list[int] | None, typer.Argument(help="Numbers, from `openwork dead list`.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="All, or all of --run or --consumer.")] = False,
    run: OfRun = None,
    consumer: OfConsumer = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
    server: Server = None,
) -> int:
    """Delete dead letters for good."""
    from openwork.errors import UsageError

    from openwork_laptop import dead

    if bool(numbers) == all_ or (numbers and (run or consumer)):
        raise UsageError("say which: numbers, or --all, which --run and --consumer narrow")

    async def work(bus: JetStreamBus) -> int:
        js = bus.connection.jetstream(timeout=5)
        wanted = list(numbers or ())
        if all_:
            found = await dead.letters(js, run_id=_run_id(run), consumer=consumer or "")
            wanted = [letter.sequence for letter in found]
        if wanted and not yes and not _confirmed(len(wanted)):
            return 0
        return await dead.drop(js, wanted)

    sys.stdout.write(f"{_as_operator(work, server)} deleted\n")
    return 0


def _as_operator(
    work: Callable[[JetStreamBus], Coroutine[Any, Any, T]], server: str | None, *, all_services: bool = False
) -> T:
    """Do something on the bus that runs; where none does, on one that is started for it."""
    from openwork_bus import loop

    from openwork_laptop.stack import SERVICES, session

    async def inside() -> T:
        async with session(server, services=SERVICES if all_services else ()) as bus:
            return await work(bus)

    return loop.run(inside())


def _starts_services(server: str | None) -> bool:
    from openwork.home import running_url

    return server is None and running_url() is None


def _run_id(run: str | None) -> str:
    from openwork_bus.run_ids import check_run_id

    return check_run_id(run) if run else ""


def _confirmed(n: int) -> bool:
    from openwork.errors import UsageError

    if not sys.stdin.isatty():
        raise UsageError(f"{n} dead letters would be deleted for good; --yes says that this is meant")
    return typer.confirm(f"Delete {n} dead letters for good?", err=True)


def _line(letter: DeadLetter) -> str:
    reason = _plain(letter.reason)
    reason = reason if len(reason) <= _REASON_CHARS else f"{reason[: _REASON_CHARS - 1]}…"
    at = letter.stored_at.isoformat(timespec="seconds")
    what = _plain(letter.event or letter.subject)
    return (
        f"{letter.sequence:>6}  {at}  {_plain(letter.consumer):<20}  {what:<20}  {letter.run_id or '-':<26}  "
        f"{_plain(letter.error)}: {reason}\n"
    )


def _plain(text: str) -> str:
    from openwork_cli.output import one_line

    return one_line(text)


def _print_json(value: object) -> None:
    from openwork_cli.output import print_json

    print_json(value)
