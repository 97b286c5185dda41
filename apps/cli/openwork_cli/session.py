"""Where a command finds services: those that were named, those that `openwork up` runs, else some that it starts."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from openwork.home import running_url

from openwork_cli import plugins

if TYPE_CHECKING:
    from openwork.client import Client

T = TypeVar("T")

Server = Annotated[
    str | None,
    typer.Option(
        help="URL of services that run elsewhere: nats://host:4222, or https://host with a key in OPENWORK_API_KEY.",
        show_default=False,
    ),
]
GATEWAY = ("gateway",)
"""All that reading stored runs needs."""


def with_client(
    work: Callable[[Client], Coroutine[Any, Any, T]], server: str | None, *, services: Sequence[str] | None = None
) -> T:
    """Do something with a client.

    Args:
        server: URL of a server whose services run elsewhere; `None` = find services, or start them.
        services: which ones to start where none run; `None` = all.
    """
    from openwork.blocking import call
    from openwork.client import connect

    if url := server or running_url():
        return call(work, url)

    async def inside(url: str) -> T:
        async with connect(url) as client:
            return await work(client)

    return plugins.stack().run(inside, services=services)
