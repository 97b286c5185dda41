"""Tables as their sources print them. No event of its own: part of full texts and of the texts of records."""

from __future__ import annotations

from pydantic import Field

from openwork_contracts.meta import Contract
from openwork_contracts.text import Text, Texts


class Table(Contract):
    """A table as rows of cells, header rows first. Spanning cells are repeated in every cell they span."""

    label: Text | None = None
    caption: Text | None = None
    rows: tuple[Texts, ...]
    n_header_rows: int = Field(default=0, ge=0)
    footnotes: Texts = ()
