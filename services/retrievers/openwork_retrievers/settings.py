"""Settings of the retrievers. The only reader of the environment here."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from openwork_chassis.settings import ChassisSettings


class Settings(ChassisSettings):
    """What the retrievers need besides what every service has."""

    retriever_sources: str = ""
    """Sources this process retrieves from, by route, separated by commas; empty = all of `sources`."""
    library_dir: Path | None = None
    """Folder of further library records (*.json, see docs/library.md); `None` = only the starter library."""
    library_limit: int = Field(default=60, ge=1, le=500)
    """Most records the library returns for one question."""

    @property
    def own_sources(self) -> tuple[str, ...]:
        """The sources of this process."""
        own = tuple(name.strip() for name in self.retriever_sources.split(",") if name.strip())
        return own or self.source_names
