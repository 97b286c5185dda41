"""`openwork keys`: who may use the web app and the HTTP API where a key is asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from openwork_laptop.errors import as_client_errors

if TYPE_CHECKING:
    from openwork_api.security.keys import ApiKey, Keys

T = TypeVar("T")

app = typer.Typer(no_args_is_help=True, help="Keys of the web app and the HTTP API: each opens one person's runs.")


class MayDo(StrEnum):
    """`openwork_api.people.Scope`, without importing it before it is needed."""

    READ = "read"
    ASK = "ask"
    DELETE = "delete"
    OBSERVE = "observe"


OWN = (MayDo.READ, MayDo.ASK, MayDo.DELETE)
"""All that a person may with runs of their own: what a key is for unless it is said."""
Server = Annotated[
    str | None,
    typer.Option(
        help="NATS URL of services that run elsewhere; log in as `api` with OPENWORK_NATS_USER and _PASSWORD."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
_YEAR = 365


@app.command()
@as_client_errors()
def add(
    person: Annotated[str, typer.Argument(help="Whose runs it opens: 1 to 32 of a-z 0-9 _ -", show_default=False)],
    label: Annotated[str, typer.Option(help="What it is for.")] = "",
    scope: Annotated[
        list[MayDo] | None,
        typer.Option(
            help="What it may do; once for each. Left out: all but observe, the figures about everybody's runs."
        ),
    ] = None,
    days: Annotated[int, typer.Option(min=0, help="Days until it expires; 0 = never.")] = _YEAR,
    runs_per_day: Annotated[
        int | None, typer.Option(min=0, help="Runs that it may begin in a day. Left out: OPENWORK_API_RUNS_PER_DAY.")
    ] = None,
    json_: Json = False,
    server: Server = None,
) -> int:
    """Make a key for a person, and print it, once. One person may have several."""

    from openwork_api.people import Scope
    from openwork_api.security.keys import check_person

    check_person(person)  # before a server is started for it

    async def work(keys: Keys) -> tuple[ApiKey, str]:
        scopes = [Scope(name) for name in scope or OWN]
        return await keys.add(person, label=label, scopes=scopes, days=days or None, runs_per_day=runs_per_day)

    stored, key = _with_keys(work, server)
    if json_:
        _print_json({"key": key, **_row(stored)})
        return 0
    until = f"until {stored.expires_at:%Y-%m-%d}" if stored.expires_at else "until it is revoked"
    sys.stdout.write(
        f"{stored.person} has a key, which may {', '.join(sorted(stored.scopes))}, {until}:\n\n{key}\n\n"
        "This is the only time that it is shown, and nothing keeps it. A program sends it with each request as\n"
        "`Authorization: Bearer ow_...`, never in an address; a person logs in with it once in the browser.\n"
        f"It is taken back with `openwork keys revoke {stored.id}`.\n"
    )
    return 0


@app.command("list")
@as_client_errors()
def list_(json_: Json = False, server: Server = None) -> int:
    """All keys, revoked ones too, without their secrets."""

    async def work(keys: Keys) -> list[ApiKey]:
        return await keys.all()

    found = _with_keys(work, server)
    if json_:
        _print_json([_row(key) for key in found])
        return 0
    for key in found:
        sys.stdout.write(_line(key))
    if not found:
        sys.stderr.write("there is no key yet; `openwork keys add PERSON` makes one\n")
    return 0


@app.command()
@as_client_errors()
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="From `openwork keys list`.", show_default=False)],
    server: Server = None,
) -> int:
    """Have a key open nothing any more; sessions that were begun with it end too."""

    async def work(keys: Keys) -> ApiKey:
        return await keys.revoke(key_id)

    key = _with_keys(work, server)
    sys.stdout.write(f"The key {key.id} of {key.person} is revoked; within 5 seconds it opens nothing any more.\n")
    return 0


def _with_keys(work: Callable[[Keys], Coroutine[Any, Any, T]], server: str | None) -> T:
    from openwork_bus import loop

    from openwork_laptop.api_keys import keys_of

    async def inside() -> T:
        async with keys_of(server) as keys:
            return await work(keys)

    return loop.run(inside())


def _row(key: ApiKey) -> dict[str, Any]:
    """As JSON; the hash of a key says nothing to anybody."""
    row = key.model_dump(mode="json", exclude={"digest"})
    return {**row, "scopes": sorted(row["scopes"]), "state": _state(key)}


def _line(key: ApiKey) -> str:
    def day(moment: datetime | None) -> str:
        return f"{moment:%Y-%m-%d}" if moment else "never"

    from openwork_cli.output import one_line

    what = f"{key.person:<32}  {','.join(sorted(key.scopes)):<23}  {_state(key):<7}"
    return (
        f"{key.id}  {what}  made {day(key.created_at)}  "
        f"expires {day(key.expires_at):<10}  used {day(key.last_used_at):<10}  {one_line(key.label)}".rstrip()
        + "\n"
    )


def _state(key: ApiKey) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "expired" if key.expires_at is not None and key.expires_at <= datetime.now(UTC) else "works"


def _print_json(value: object) -> None:
    from openwork_cli.output import print_json

    print_json(value)
