"""Settings of the web app and the HTTP API. The only reader of the environment here."""

from __future__ import annotations

from ipaddress import ip_address

from openwork_bus.settings import ServiceSettings
from pydantic import Field


class Settings(ServiceSettings):
    """Where it listens, whom it lets in, and how much of what."""

    api_host: str = "127.0.0.1"
    """Address that it listens on; 0.0.0.0 in a container."""
    api_port: int = Field(default=8000, ge=0, le=65535)
    """Port that it listens on; 0 = any free one, which is logged."""
    api_open: bool | None = None
    """Whether who comes without a key may ask, as the account `local`, whose runs a terminal sees too; not set = where
    only this machine can come, on a loopback address."""
    api_names: str = ""
    """Names under which it is reached besides those of loopback, without port, separated by commas. A request for any
    other name is refused (DNS rebinding)."""
    api_origins: str = ""
    """Origins of other web pages that may use the API with a key (CORS), e.g. https://notes.example.org, separated by
    commas."""
    api_body_bytes: int = Field(default=2 * 2**20, ge=1024)
    """Largest body of a request."""
    api_time_limit_s: float = Field(default=60.0, gt=0, le=600)
    """Seconds after which a request that is not a stream is given up."""

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can come."""
        try:
            return ip_address(self.api_host).is_loopback
        except ValueError:
            return self.api_host == "localhost"

    @property
    def is_open(self) -> bool:
        """Whether who comes without a key is let in."""
        return self.is_loopback if self.api_open is None else self.api_open

    @property
    def names(self) -> frozenset[str]:
        """`api_names`, taken apart, in small letters."""
        return frozenset(part.strip().lower() for part in self.api_names.split(",") if part.strip())

    @property
    def origins(self) -> tuple[str, ...]:
        """`api_origins`, taken apart."""
        return tuple(part.strip().rstrip("/") for part in self.api_origins.split(",") if part.strip())
