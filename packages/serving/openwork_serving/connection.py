"""The gRPC channel to all replicas of a model server behind one name."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

RENEW_AFTER_S = 30.0
"""gRPC asks for the name's addresses again only when a connection breaks, so a replica that is added would get nothing
for as long as the others live. A channel opened anew asks; it takes over the connections that are there, so it costs
one look-up."""
_SCHEMES = ("dns", "ipv4", "ipv6", "unix", "xds")
CHANNEL_OPTIONS = (
    # All addresses of the name share the calls; gRPC's default sends all of them to the first that answers. Addresses
    # that cannot be reached are left out until they can.
    ("grpc.service_config", json.dumps({"loadBalancingConfig": [{"round_robin": {}}]})),
    # A name server must not decide it.
    ("grpc.service_config_disable_resolution", 1),
    # When a connection breaks the name is looked up again, at most so often; the default is every 30 s.
    ("grpc.dns_min_time_between_resolutions_ms", 1_000),
    # gRPC waits up to two minutes before it tries an unreachable server again; one that is back is to be used at once.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 500),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.max_send_message_length", 16 * 2**20),
    ("grpc.max_receive_message_length", 16 * 2**20),
)

OF_ITS_OWN = ("grpc.use_local_subchannel_pool", 1)
"""Channels of a process share connections: a new one would take over the one that hangs, unless it shares none."""


def target_of(url: str) -> str:
    """What gRPC is told: `host:port` is a name of which every address counts; a target with a scheme stays as it is."""
    scheme, colon, _ = url.partition(":")
    return url if colon and scheme in _SCHEMES else f"dns:///{url}"


@dataclass(slots=True, eq=False)
class _Channel:
    client: Any
    opened_at: float
    users: int = 0


class Connection:
    """One client at a time, opened on first use in the event loop that uses it, and opened anew every so often."""

    def __init__(
        self, open_client: Callable[[Sequence[tuple[str, int | str]]], Any], *, renew_after_s: float = RENEW_AFTER_S
    ) -> None:
        """Args:
        open_client: makes a client that has `await close()`, of a channel with these options.
        """
        self._open = open_client
        self._options: Sequence[tuple[str, int | str]] = CHANNEL_OPTIONS
        self._renew_after_s = renew_after_s
        self._current: _Channel | None = None
        self._retired: set[_Channel] = set()

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Any]:
        """The client, for one call. It is closed only when nobody uses it any more."""
        channel = self._newest()
        channel.users += 1
        try:
            yield channel.client
        finally:
            channel.users -= 1
            await self._close_unused()

    async def renew(self) -> None:
        """Open another one for the next call: connections that hang, to a machine that is gone, are left behind."""
        self._retire()
        self._options = (*CHANNEL_OPTIONS, OF_ITS_OWN)
        await self._close_unused()

    async def close(self) -> None:
        """Close everything, calls in flight too; a later call opens a new one."""
        self._retire()
        while self._retired:
            await self._retired.pop().client.close()

    def _newest(self) -> _Channel:
        now = asyncio.get_running_loop().time()
        if self._current is not None and now - self._current.opened_at >= self._renew_after_s:
            self._retire()
        if self._current is None:
            self._current = _Channel(self._open(self._options), now)
            self._options = CHANNEL_OPTIONS
        return self._current

    def _retire(self) -> None:
        if self._current is not None:
            self._retired.add(self._current)
            self._current = None

    async def _close_unused(self) -> None:
        for channel in [one for one in self._retired if not one.users]:
            self._retired.discard(channel)
            await channel.client.close()
