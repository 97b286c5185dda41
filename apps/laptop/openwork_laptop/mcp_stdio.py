"""The MCP server on stdin and stdout, as an assistant starts it: it ends when stdin does and leaves nothing running."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading

from openwork_api.mcp.server import create_server
from openwork_api.people import LOCAL

from openwork_laptop.mcp_asker import ClientAsker, Services


async def serve(server: str | None) -> None:
    """Answer until stdin ends or a signal comes.

    Args:
        server: URL of services that run elsewhere; `None` = find some, or start them when somebody asks.
    """
    stdin = EndableStdin()
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(signum, stdin.end)
    services = Services(server)
    try:
        await create_server(ClientAsker(services), lambda _: LOCAL).run_stdio_async()
    finally:
        stdin.end()
        await services.close()


class EndableStdin:
    """Stdin that can be ended from here.

    The SDK reads it in a thread, and a thread that waits for input can be neither cancelled nor left alone at the end.
    It reads from a socket instead, to which another thread, which dies with the process, carries what comes.
    """

    def __init__(self) -> None:
        from_here, self._to = socket.socketpair()
        self._real = os.dup(0)
        os.dup2(from_here.fileno(), 0)
        from_here.close()
        threading.Thread(target=self._carry, daemon=True, name="stdin").start()

    def end(self) -> None:
        """Whoever reads stdin finds its end."""
        try:
            self._to.shutdown(socket.SHUT_WR)
        except OSError:
            """It has ended already."""

    def _carry(self) -> None:
        try:
            while piece := os.read(self._real, 65536):
                self._to.sendall(piece)
        except OSError:
            """Nobody reads any more."""
        self.end()
