"""Ports of loopback that nobody listens on, for programs that cannot choose one themselves."""

from __future__ import annotations

import contextlib
import socket


def free_ports(count: int) -> list[int]:
    """So many different ones that were free a moment ago."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


def free_port() -> int:
    """One."""
    return free_ports(1)[0]


def free_row(count: int) -> int:
    """The first of so many in a row."""
    for first in range(20_000, 30_000, count):
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for port in range(first, first + count):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first
    raise OSError(f"there are no {count} free ports in a row")
