"""`openwork mcp`: the tools of Open Work for an assistant that speaks the Model Context Protocol."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from openwork_laptop.errors import as_client_errors


@as_client_errors()
def mcp(
    server: Annotated[
        str | None,
        typer.Option(
            help="URL of services that run elsewhere: nats://host:4222, or https://host with a key in "
            "OPENWORK_API_KEY. Without it those of `openwork up`, else some that are started when they are needed.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Serve an assistant on stdin and stdout (MCP); it ends when stdin does. See docs/mcp.md."""
    from openwork.errors import UsageError
    from openwork_bus import loop

    from openwork_laptop.mcp_stdio import serve

    if sys.stdin is None:  # then its number belongs to something else by now
        raise UsageError("stdin is closed; an assistant starts this command and talks to it there")
    if sys.stdin.isatty():
        typer.echo(
            "openwork: this waits for an assistant on stdin (docs/mcp.md says how one is told of it); Ctrl-C ends it",
            err=True,
        )
    loop.run(serve(server))
    return 0
