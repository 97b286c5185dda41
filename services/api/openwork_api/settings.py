"""Settings of the web app and the HTTP API. The only reader of the environment here."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Self

from openwork_bus.settings import ServiceSettings
from pydantic import Field, SecretStr, field_validator, model_validator

from openwork_api.people import Scope


class Settings(ServiceSettings):
    """Where it listens, whom it lets in, and how much of what."""

    api_host: str = "127.0.0.1"
    """Address that it listens on; 0.0.0.0 in a container."""
    api_port: int = Field(default=8000, ge=0, le=65535)
    """Port that it listens on; 0 = any free one, which is logged."""
    api_open: bool | None = None
    """Whether who comes without a key may ask, as the account `local`, whose runs a terminal sees too; not set = where
    only this machine can come: on a loopback address, and without `api_names`."""
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
    api_proxies: str = ""
    """Addresses or networks of proxies in front of it, separated by commas, e.g. 10.0.0.0/8: what they say of a
    request's address and of https (X-Forwarded-For, X-Forwarded-Proto) is believed, and nobody else's."""
    api_requests_per_minute: int = Field(default=600, ge=0)
    """Requests of one key, or of one address where no key is asked for, per minute and replica; 0 = no limit."""
    api_runs_per_day: int = Field(default=200, ge=0)
    """Runs that one key begins in a day (UTC), in all replicas together, unless the key says otherwise."""
    api_streams: int = Field(default=50, ge=1)
    """Runs that one key follows at the same moment, in one replica."""
    api_traces_url: str | None = Field(default=None, pattern=r"^https?://[^\s?#]+$")
    """Where readers of answers reach Phoenix, e.g. https://traces.example.org: an answer links its trace there; not
    set = its page has the trace's id alone."""
    api_oidc_issuer: str | None = None
    """Identity provider (OpenID Connect) at which people log in, as its discovery document writes it; not set = keys
    alone."""
    api_oidc_client_id: str | None = None
    """The name by which the provider knows this service."""
    api_oidc_client_secret: SecretStr | None = None
    """Its secret there; not set = a public client, with PKCE alone."""
    api_oidc_audience: str | None = None
    """Audience of tokens that programs may bring in place of a key; not set = none is taken."""
    api_oidc_person_claim: str = "sub"
    """Claim that says who somebody is. `sub` alone is promised to stay the same and never to become another's; of any
    other, e.g. preferred_username, the provider has to promise it."""
    api_oidc_groups_claim: str = "groups"
    """Claim that says in which groups somebody is."""
    api_oidc_scopes: str = ""
    """Which group may what, e.g. read=clinicians,ask=clinicians,delete=librarians,observe=platform; not set, or with
    observe alone = everybody who can log in may everything with runs of their own. Nobody observes without it."""
    api_oidc_ca_file: Path | None = None
    """Certificates (PEM) the provider is checked against; not set = the system's."""

    @field_validator("api_oidc_scopes")
    @classmethod
    def _known_scopes(cls, text: str) -> str:
        _groups_by_scope(text)
        return text

    @model_validator(mode="after")
    def _open_only_where_nobody_else_comes(self) -> Self:
        if self.api_open and self.names:
            raise ValueError(
                "OPENWORK_API_OPEN lets in whoever comes, as the account local, and OPENWORK_API_NAMES says that "
                "others come: leave one of them out (openwork keys add gives people keys)"
            )
        return self

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
        return self.is_loopback and not self.names if self.api_open is None else self.api_open

    @property
    def names(self) -> frozenset[str]:
        """`api_names`, taken apart, in small letters."""
        return frozenset(part.strip().lower() for part in self.api_names.split(",") if part.strip())

    @property
    def origins(self) -> tuple[str, ...]:
        """`api_origins`, taken apart."""
        return tuple(part.strip().rstrip("/") for part in self.api_origins.split(",") if part.strip())

    @property
    def proxies(self) -> list[str]:
        """`api_proxies`, taken apart."""
        return [part.strip() for part in self.api_proxies.split(",") if part.strip()]

    @property
    def oidc_scopes(self) -> Mapping[Scope, frozenset[str]]:
        """`api_oidc_scopes`, taken apart."""
        return _groups_by_scope(self.api_oidc_scopes)


def _groups_by_scope(text: str) -> Mapping[Scope, frozenset[str]]:
    found: dict[Scope, frozenset[str]] = {}
    for part in (part.strip() for part in text.split(",")):
        name, _, group = part.partition("=")
        if part and (name not in set(Scope) or not group):
            raise ValueError(f"{part!r} is not <scope>=<group> with one of the scopes {', '.join(Scope)}")
        if part:
            found[Scope(name)] = found.get(Scope(name), frozenset()) | {group}
    return found
