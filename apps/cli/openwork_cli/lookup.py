"""`openwork lookup`: the works behind identifiers, as references for eyes or as evidence for `openwork verify`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from openwork_cli.session import Server, with_client

if TYPE_CHECKING:
    from openwork.models import LookedUp, WorkFound

RETRIEVERS = ("retrievers",)
"""All that looking up needs."""
_OURS = "our_summary"
_TROUBLE = ("corrected", "concern", "retracted", "withdrawn")
_MOST_AUTHORS = 3


def lookup(
    ids: Annotated[
        list[str], typer.Argument(help="PMIDs, PMCIDs, DOIs, NCT numbers, or addresses that hold one; at most 50.")
    ],
    json_: Annotated[
        bool, typer.Option("--json", help="Print what was found as `openwork verify --evidence` reads it.")
    ] = False,
    server: Server = None,
) -> int:
    """Find works by their identifiers, and say whose words there are of each; number n is the nth identifier.

    Exit code 0 when all were found, 1 when one was not, with the reason.
    """
    from openwork_cli.output import one_line, print_json

    reply = with_client(lambda client: client.lookup(ids), server, services=RETRIEVERS)
    if json_:
        print_json([_evidence(one.item) for one in reply.found])
    else:
        sys.stdout.write("".join(f"{one_line(_in_words(one))}\n" for one in reply.found))
    for missing in reply.missing:
        typer.echo(f"[{missing.n}] {one_line(missing.asked)}: {one_line(missing.reason)}", err=True)
    for line in reply.degradations:
        typer.echo(one_line(line), err=True)
    return 1 if reply.missing else 0


def _evidence(item: WorkFound) -> dict[str, Any]:
    from dataclasses import fields

    from openwork.models import EvidenceItem

    return {field.name: getattr(item, field.name) for field in fields(EvidenceItem)}


def _in_words(found: LookedUp) -> str:
    item = found.item
    people = [*item.authors[:_MOST_AUTHORS], *(["et al"] if len(item.authors) > _MOST_AUTHORS else [])]
    who = ", ".join(people) or item.collective_author
    ids = (item.pmid and f"PMID {item.pmid}", item.doi and f"doi {item.doi}", item.nct_id)
    parts = (who, item.title, item.journal, item.year and str(item.year), *ids)
    words = ". ".join(part.rstrip(".") for part in parts if part)
    status = f" {item.status.upper()}." if item.status in _TROUBLE else ""
    whose = "our summary, not its own words" if item.text_origin == _OURS else f"text from {item.source}"
    return f"[{item.n}] {words}.{status} ({whose})"
