"""What is kept of a full text: what the next run needs to cite it again."""

from __future__ import annotations

from openwork_contracts.evidence import Identifiers
from openwork_contracts.meta import Contract
from openwork_contracts.ranking import TextSection


class FetchedText(Contract):
    """A text that was read once."""

    identifiers: Identifiers
    sections: tuple[TextSection, ...]
    source: str
    """pmc, europepmc, unpaywall."""
    url: str | None = None
    license: str | None = None
    tried: tuple[str, ...] = ()
