"""Settings of the retrievers. The only reader of the environment here."""

from __future__ import annotations

from pathlib import Path

from openwork_http.settings import HttpSettings
from pydantic import Field, SecretStr


class Settings(HttpSettings):
    """What the retrievers need besides what every service that goes out has."""

    retriever_sources: str = ""
    """Sources this process retrieves from, by route, separated by commas; empty = all of `sources`."""
    library_dir: Path | None = None
    """Folder of further library records (*.json); `None` = the folder that `openwork library import` writes to."""
    library_limit: int = Field(default=60, ge=1, le=500)
    """Most records the library returns for one question."""

    ncbi_api_key: SecretStr | None = None
    """Key of an NCBI account: 10 requests per second instead of 3."""
    openalex_api_key: SecretStr | None = None
    """Key of OpenAlex, for those who have one."""
    semanticscholar_api_key: SecretStr | None = None
    """Key of Semantic Scholar; without one its shared pool often answers 429."""
    openfda_api_key: SecretStr | None = None
    """Key of openFDA: 120,000 requests a day instead of 1,000."""
    tavily_api_key: SecretStr | None = None
    """Key of Tavily; without it there is no web search."""
    searxng_url: str | None = None
    """Address of one's own SearXNG, for Google Scholar; `None` = not asked."""

    ncbi_base_url: str | None = None
    """Another address that speaks the same API, here and below: a mirror, a proxy, a local upstream for tests."""
    europepmc_base_url: str | None = None
    openalex_base_url: str | None = None
    semanticscholar_base_url: str | None = None
    clinicaltrials_base_url: str | None = None
    dailymed_base_url: str | None = None
    openfda_base_url: str | None = None
    rxnav_base_url: str | None = None
    tavily_base_url: str | None = None
    crossref_base_url: str | None = None

    @property
    def own_sources(self) -> tuple[str, ...]:
        """The sources of this process."""
        own = tuple(name.strip() for name in self.retriever_sources.split(",") if name.strip())
        return own or self.source_names

    @property
    def asks_ncbi(self) -> bool:
        """Whether this installation asks NCBI at all: where it does not, guidelines come from what is stored."""
        return "pubmed" in self.source_names

    def goes_out(self, source: str) -> bool:
        """Whether a source asks anything of the network."""
        return source != "library" and (source != "guidelines" or self.asks_ncbi)

    @property
    def looks_up(self) -> bool:
        """Whether this process answers `openwork.lookup`: who asks Europe PMC does, and where nobody does, the library.

        Requests go to any one process that answers: one that cannot ask Europe PMC would say of a work that there is
        none, while another could find it.
        """
        who = "europepmc" if "europepmc" in self.source_names else "library"
        return who in self.own_sources

    def base_url(self, adapter: str) -> str | None:
        """The configured address of an adapter; `None` = the service's own."""
        if adapter == "searxng":
            return self.searxng_url
        value: str | None = getattr(self, f"{adapter}_base_url", None)
        return value

    def api_key(self, adapter: str) -> SecretStr | None:
        """The configured key of an adapter; `None` = there is none."""
        value: SecretStr | None = getattr(self, f"{adapter}_api_key", None)
        return value
