"""What an outside service allows and what we expect of it: the part of a registry entry that the client needs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from pydantic import SecretStr


@dataclass(frozen=True, slots=True)
class RateBudget:
    """Requests per second that everybody who shares a key may start together."""

    name: str
    """Token of the bus key, e.g. `ncbi`: sources of one provider share one budget."""
    per_second: float
    """Requests in any one-second window; below 1, one request per 1/per_second seconds."""
    travel_s: float = 0.0
    """Seconds by which one request may be longer on its way than another, where the service's own count is to hold."""

    def __post_init__(self) -> None:
        if not self.per_second > 0:
            raise ValueError(f"budget {self.name!r}: {self.per_second} requests per second is not a rate")

    @classmethod
    def of(
        cls, service: str, per_second: float, api_key: SecretStr | None = None, *, travel_s: float = 0.0
    ) -> RateBudget:
        """The budget of a service and a key. The key enters as a fingerprint that does not give it away."""
        return cls(f"{service}.{fingerprint(api_key)}", per_second, travel_s)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a service lets one asker do, as it documents it: the budgets are made of it."""

    key: str
    """Of the service: everything with the same key shares its budget."""
    per_second: float
    """Without a key of our own."""
    per_second_with_key: float | None = None
    """`None` = a key changes nothing."""
    per_month: int | None = None
    """A quota counted in calls; `None` = none."""
    travel_s: float = 0.0
    """See `RateBudget`."""

    def budget(self, api_key: SecretStr | None = None) -> RateBudget:
        """What may be started with this key, or without one."""
        has_key = api_key is not None and bool(api_key.get_secret_value())
        with_key = self.per_second_with_key if has_key else None
        return RateBudget.of(self.key, with_key or self.per_second, api_key, travel_s=self.travel_s)


# Asked by more than one of our services, so said once.
NCBI = Allowance("ncbi", 3, 10, travel_s=0.1)
"""NBK25497: 3 requests/s without a key, 10 with one, and addresses that ask more are blocked: 0.1 s for what networks
differ by leaves 87 % of it."""
EUROPEPMC = Allowance("europepmc", 10)
"""No documented number; the service asks for reasonable use, and 10/s is what it has long tolerated."""
CROSSREF = Allowance("crossref", 3)
"""Crossref tells its limits in X-Rate-Limit-* headers, and revised them on 1 December 2025; we keep to 3/s."""
UNPAYWALL = Allowance("unpaywall", 10)
"""100,000 a day."""
UNPAYWALL_URL = "https://api.unpaywall.org/v2"


@dataclass(frozen=True, slots=True)
class OutsideService:
    """One outside service as the client treats it."""

    name: str
    """For people and for the circuit, e.g. `PubMed`."""
    budget: RateBudget | None = None
    """`None` = no limit known."""
    timeout_s: float | None = None
    """Seconds for one call with everything; `None` = `http_timeout_s`."""
    max_response_bytes: int | None = None
    """Bytes of one decoded answer; `None` = `http_max_response_bytes`."""
    cache_ttl_s: float = 0.0
    """Seconds for which its terms and its freshness let an answer be given again; 0 = never."""
    error_marks: tuple[bytes, ...] = ()
    """Found in the first 4096 bytes of a 200, these make it an error that is not kept: NCBI's `<ERROR>`."""


def fingerprint(secret: SecretStr | None) -> str:
    """A short name for a key, fit for a subject on the bus; `anonymous` without one."""
    if secret is None or not secret.get_secret_value():
        return "anonymous"
    return hashlib.blake2b(secret.get_secret_value().encode(), digest_size=6, person=b"openwork").hexdigest()
