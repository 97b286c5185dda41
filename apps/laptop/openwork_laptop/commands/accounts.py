"""`openwork accounts`: who may ask on a server, besides those without credentials."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openwork_laptop.errors import as_client_errors

if TYPE_CHECKING:
    from openwork_laptop.accounts.places import Place
    from openwork_laptop.accounts.work import Added

app = typer.Typer(no_args_is_help=True, help="Accounts of askers: each has runs of its own, which no other reads.")


class Target(StrEnum):
    """Whose accounts."""

    LOCAL = "local"
    COMPOSE = "compose"
    KUBERNETES = "kubernetes"


Name = Annotated[str, typer.Argument(help="1 to 32 of A-Z a-z 0-9 _ -", show_default=False)]
TargetOption = Annotated[
    Target, typer.Option(help="The server of `openwork up` here, of docker-compose.yml, or of kubectl's cluster.")
]
Checkout = Annotated[Path, typer.Option(help="Compose: folder of docker-compose.yml.")]
Namespace = Annotated[str, typer.Option(help="Kubernetes: of the release.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
_HERE = Path()
_NAMESPACE = "openwork"


@app.command()
@as_client_errors()
def add(
    name: Name,
    target: TargetOption = Target.LOCAL,
    checkout: Checkout = _HERE,
    namespace: Namespace = _NAMESPACE,
    again: Annotated[
        bool, typer.Option("--again", help="Although there was an account of this name: its runs will be read.")
    ] = False,
    dry_run: DryRun = False,
    json_: Json = False,
) -> int:
    """Add an account while the services run, try it, and print the seed of its key, once."""
    import asyncio

    from openwork_contracts.accounts import check_account

    from openwork_laptop.accounts import work

    place = _place(target, checkout, namespace)
    if dry_run:
        sys.stdout.write("".join(f"{step}\n" for step in place.plan(check_account(name))))
        return 0
    added = asyncio.run(work.add(place, name, again=again))
    if json_:
        import json

        fields = {"account": added.name, "nkey_seed": added.seed, "server": added.url}
        sys.stdout.write(json.dumps({**fields, "gateway_answered": added.gateway_answered}) + "\n")
        return 0
    sys.stdout.write(_report(added, place))
    return 0


def _report(added: Added, place: Place) -> str:
    gateway = (
        "the gateway answers it" if added.gateway_answered else "no gateway runs at the moment, which is all it lacks"
    )
    return (
        f"{added.name} is an account now: it stands in {place.where}, and its questions wait in an inbox of its own.\n"
        f"Tried as {added.name}: it logs in, its inbox answers, and {gateway}.\n\n"
        f"OPENWORK_NATS_NKEY_SEED={added.seed}\n\n"
        "This is the only time that the seed is shown, and nothing keeps it. Who has it in the environment asks as "
        f"{added.name}:\n"
        f'openwork ask --server {added.url} "..."\n'
    )


@app.command("list")
@as_client_errors()
def list_(
    target: TargetOption = Target.LOCAL,
    checkout: Checkout = _HERE,
    namespace: Namespace = _NAMESPACE,
    json_: Json = False,
) -> int:
    """The accounts that were added, with their public keys."""
    import asyncio

    from openwork_laptop.accounts.askers import parse

    askers = parse(asyncio.run(_place(target, checkout, namespace).read()))
    if json_:
        import json

        sys.stdout.write(json.dumps([{"account": asker.name, "nkey": asker.key} for asker in askers]) + "\n")
        return 0
    for asker in askers:
        sys.stdout.write(f"{asker.name:32}  {asker.key}\n")
    if not askers:
        sys.stderr.write("none was added; `local` and `api` are always there\n")
    return 0


@app.command()
@as_client_errors()
def remove(
    name: Name,
    target: TargetOption = Target.LOCAL,
    checkout: Checkout = _HERE,
    namespace: Namespace = _NAMESPACE,
    erase: Annotated[bool, typer.Option("--erase", help="Say also how what is stored of it is deleted.")] = False,
) -> int:
    """Take an account away: its key opens nothing any more. What is stored of it stays until its age."""
    import asyncio

    from openwork_laptop.accounts import work

    place = _place(target, checkout, namespace)
    asyncio.run(work.remove(place, name))
    sys.stdout.write(f"{name} is no account any more: it was taken out of {place.where}, and its key opens nothing.\n")
    sys.stdout.write(_erasing(name) if erase else "Its inbox and its results stay, until their age.\n")
    return 0


def _erasing(name: str) -> str:
    from openwork_contracts.accounts import inbox_stream, results_subject
    from openwork_contracts.subjects import RESULTS_STREAM

    return (
        "What is stored of it: no user of the bus may delete, so that none can by mistake. Who runs the server gives a "
        "user of the\nservices' account all rights for as long as it takes, and as that user:\n"
        f"  nats stream rm {inbox_stream(name)}\n"
        f"  nats stream purge {RESULTS_STREAM} --subject '{results_subject(name)}'\n"
        "Events of its runs hold its questions too; they are gone after OPENWORK_EVENTS_HOURS.\n"
    )


@app.command()
@as_client_errors()
def renew(target: TargetOption = Target.LOCAL, checkout: Checkout = _HERE, namespace: Namespace = _NAMESPACE) -> int:
    """Write all accounts anew after an upgrade: they may ask what the new services answer."""
    import asyncio

    from openwork_laptop.accounts import work

    askers = asyncio.run(work.renew(_place(target, checkout, namespace)))
    sys.stdout.write(f"{len(askers)} accounts written anew\n")
    return 0


def _place(target: Target, checkout: Path, namespace: str) -> Place:
    from openwork_laptop.accounts.compose import ComposePlace
    from openwork_laptop.accounts.kubernetes import KubernetesPlace
    from openwork_laptop.accounts.local import LocalPlace
    from openwork_laptop.home import Home

    if target is Target.COMPOSE:
        return ComposePlace(checkout)
    if target is Target.KUBERNETES:
        return KubernetesPlace(checkout, namespace)
    return LocalPlace(Home())
