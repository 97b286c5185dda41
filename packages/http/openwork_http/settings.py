"""Settings of everything that goes out over HTTP. The only reader of the environment in this package.

Every setting is `OPENWORK_<NAME>`; a service that goes out subclasses `HttpSettings` with the same prefix.
"""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from openwork_bus.settings import ServiceSettings
from pydantic import Field, SecretStr, field_validator


def _tool_version() -> str:
    try:
        return version("openwork-http")
    except PackageNotFoundError:
        return "0"


class HttpSettings(ServiceSettings):
    """How Open Work behaves towards services that are not its own."""

    tool_name: str = Field(default="open-work", pattern=r"^[A-Za-z0-9._-]{1,40}$")
    """Name in the User-Agent, and the `tool` that NCBI asks for."""
    contact_email: str | None = None
    """Address in the User-Agent; NCBI, Crossref and Unpaywall ask for one and block without warning who has none."""
    contact_url: str | None = None
    """Page about this installation in the User-Agent."""

    http_timeout_s: float = Field(default=20.0, gt=0, le=600)
    """Seconds for one call with all its tries, pauses and the whole body, unless the service states its own."""
    http_connect_timeout_s: float = Field(default=1.5, gt=0, le=30)
    """Seconds for the name and the connection. Short: it is what a machine without network waits."""
    http_read_timeout_s: float = Field(default=10.0, gt=0, le=300)
    """Seconds without a single byte after which a try is given up."""
    http_tries: int = Field(default=3, ge=1, le=10)
    """Tries of one call: after 429, 502, 503, 504 and network errors, never after another status."""
    http_backoff_s: float = Field(default=0.5, ge=0, le=60)
    """Seconds: before try n+1 a random pause in [0, http_backoff_s * 2^(n-1)] (full jitter)."""
    http_backoff_max_s: float = Field(default=8.0, ge=0, le=300)
    """Seconds above which that random pause does not grow. A Retry-After is obeyed beyond it, up to the deadline."""
    http_max_response_bytes: int = Field(default=32 * 2**20, ge=1024, le=2**30)
    """Bytes of one decoded answer; a longer one is cut off with an error. It is also the memory one answer may take."""
    http_max_connections: int = Field(default=50, ge=1, le=500)
    """Connections open at once in one process; a request that waits for its rate slot holds one."""
    http_proxy: SecretStr | None = None
    """HTTP proxy as URL; `None` = HTTPS_PROXY, HTTP_PROXY, NO_PROXY of the environment. Guarded fetches go direct."""

    rate_jitter_s: float = Field(default=0.05, ge=0.005, le=0.5)
    """Seconds by which a request may start after its slot. Slots are (1 + this)/budget apart, so that no one-second
    window holds more than the budget; 0.05 leaves 95 % of the budget usable."""
    rate_wait_s: float = Field(default=30.0, ge=0, le=600)
    """Most seconds to wait for a slot; beyond it the source is reported as rate limited."""

    circuit_failures: int = Field(default=5, ge=1, le=100)
    """Failed tries in a row after which a service is not asked for a while."""
    circuit_open_s: float = Field(default=30.0, gt=0, le=3600)
    """Seconds for which it is not asked; then one request probes it."""
    unreachable_for_s: float = Field(default=45.0, ge=0, le=3600)
    """Seconds for which a host that could not be connected to is not tried again; 0 = always tried."""
    reachability_file: Path | None = Field(default_factory=lambda: _cache_home() / "openwork" / "unreachable.json")
    """Where that is remembered for the other processes of this machine; empty = in this process only."""

    silent_for_s: float = Field(default=120.0, ge=0, le=3600)
    """Seconds for which a service that kept a run waiting in vain is not asked again in that run, by any service."""

    http_cache_bytes: int = Field(default=64 * 2**20, ge=0, le=2**34)
    """Bytes of answers kept (in memory, or in the bus's bucket); 0 = nothing is cached."""

    guard_allow: str = ""
    """`host:port`, separated by commas: addresses that the guarded client may reach although they are private or on
    another port. For tests and local mirrors; leave empty in production."""
    guard_timeout_s: float = Field(default=20.0, gt=0, le=600)
    """Seconds for one guarded fetch with all its redirects."""
    guard_max_bytes: int = Field(default=40 * 2**20, ge=1024, le=2**30)
    """Bytes of one guarded answer; article PDFs are rarely over 20 MB."""
    guard_redirects: int = Field(default=5, ge=0, le=20)
    """Redirects followed in one guarded fetch; a DOI takes 2 to 4 to its publisher."""

    @field_validator("contact_email", "contact_url")
    @classmethod
    def _fits_in_a_header(cls, value: str | None) -> str | None:
        if value is not None and (not value.isascii() or not value.isprintable() or " " in value):
            raise ValueError("must be plain ASCII without spaces: it is sent in the User-Agent header")
        return value

    @property
    def user_agent(self) -> str:
        """`open-work/0.1.0 (mailto:someone@example.org)`: tool, version and whom to write to."""
        contact = [self.contact_url] if self.contact_url else []
        contact += [f"mailto:{self.contact_email}"] if self.contact_email else []
        return f"{self.tool_name}/{_tool_version()}" + (f" ({'; '.join(contact)})" if contact else "")

    @property
    def guard_allowed(self) -> frozenset[str]:
        """`guard_allow`, taken apart, in lower case."""
        return frozenset(part.strip().lower() for part in self.guard_allow.split(",") if part.strip())


def _cache_home() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
