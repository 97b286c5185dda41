"""Settings of the full-text service. The only reader of the environment here."""

from __future__ import annotations

from openwork_http.settings import HttpSettings
from pydantic import Field, SecretStr

from openwork_fulltext.domain.plan import Services

_DEFAULT = Services()


class Settings(HttpSettings):
    """Where full texts are looked for."""

    ncbi_api_key: SecretStr | None = None
    """Key of an NCBI account: 10 requests per second instead of 3."""
    ncbi_base_url: str | None = None
    """Another address that speaks the same API, here and below: a mirror, a local upstream for tests."""
    europepmc_base_url: str | None = None
    unpaywall_base_url: str | None = None
    fulltext_limit_s: float = Field(default=12.0, gt=0, le=120)
    """Seconds for one work, every place it is looked for together; under `fulltext_deadline_s`."""
    fulltext_cache: bool = True
    """Whether read texts are kept, for all replicas; the bucket keeps them 30 days."""

    @property
    def places(self) -> Services:
        """The chain's addresses and who asks."""
        return Services(
            ncbi_url=self.ncbi_base_url or _DEFAULT.ncbi_url,
            europepmc_url=self.europepmc_base_url or _DEFAULT.europepmc_url,
            unpaywall_url=self.unpaywall_base_url or _DEFAULT.unpaywall_url,
            tool=self.tool_name,
            contact=self.contact_email,
            ncbi_api_key=self.ncbi_api_key.get_secret_value() if self.ncbi_api_key else None,
        )
