"""Settings of the normaliser. The only reader of the environment here."""

from __future__ import annotations

from pathlib import Path

from openwork_evidence.library.record import SOURCE as LIBRARY
from openwork_http.settings import HttpSettings
from pydantic import Field

from openwork_normaliser.domain.normalise import MOST_TITLES


class Settings(HttpSettings):
    """What the normaliser decides with."""

    title_only_records: int = Field(default=MOST_TITLES, ge=0, le=500)
    """Works without an abstract that live on by their title, beside the others, until their full text is looked for."""
    check_status: bool = True
    """Whether Crossref is asked what has become of what was found (retracted, corrected); never where only the library
    is searched."""
    status_s: float = Field(default=4.0, gt=0, le=30)
    """Seconds for that, in all: a run does not wait longer, and what was not answered for stays "not checked"."""
    crossref_base_url: str | None = None
    """Another address that speaks Crossref's API; `None` = its own."""
    retractions_dir: Path | None = None
    """Folder of the imported Retraction Watch file; `None` = the folder that `openwork library import` writes to."""

    @property
    def asks_crossref(self) -> bool:
        """Whether anything outside may be asked at all."""
        return self.check_status and any(name != LIBRARY for name in self.source_names)
