"""Records by their identifiers: one request for many of them, as Europe PMC and ClinicalTrials.gov take it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from openwork_contracts.evidence import EvidenceRecord
from openwork_evidence.named import IdKind, Named

from openwork_retrievers.adapters import europepmc
from openwork_retrievers.adapters.ctgov.studies import FIELDS, parse_studies
from openwork_retrievers.adapters.europepmc import FIRST_CURSOR, EuropePmcForm, parse_page
from openwork_retrievers.adapters.ports import HttpRequest, Params
from openwork_retrievers.domain.lookup import CLINICALTRIALS, EUROPEPMC

AT_A_TIME = 25
"""Identifiers in one request. A query of Europe PMC stays below the length at which servers cut addresses; 25 studies
with results, up to 1 MB each, stay below what is read of one answer."""


@dataclass(frozen=True, slots=True)
class Read:
    """What an answer holds."""

    records: tuple[EvidenceRecord, ...]
    is_whole: bool = True
    """False = it has more hits than it shows: what is not among them may be there all the same."""


class ByIdentifier(Protocol):
    """One outside API."""

    route: str

    def request(self, wanted: Sequence[Named]) -> HttpRequest:
        """What asks for these, at most `AT_A_TIME`."""
        ...

    def read(self, body: bytes, retrieved_at: datetime) -> Read:
        """An answer, whatever was asked: whether its records are the works that were meant is not said.

        Raises:
            SourceUnavailable, SourceRefused, SourceChanged: see contracts/errors.py.
        """
        ...


class EuropePmcByIdentifier:
    """Europe PMC: a search by identifiers, with abstracts and the notices about each work.

    Its query syntax has no list of identifiers; clauses are joined by OR. A PMID is not put in quotation marks: in
    brackets with AND one that is was reported to match nothing. A DOI is, since Lucene reads its brackets and colons.
    """

    route = EUROPEPMC

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url

    def request(self, wanted: Sequence[Named]) -> HttpRequest:
        """See `ByIdentifier`."""
        query = " OR ".join(map(_clause, wanted))
        form = EuropePmcForm()
        return europepmc.search_request(self._base_url, query, form, FIRST_CURSOR, europepmc.MAX_PAGE, synonyms=False)

    def read(self, body: bytes, retrieved_at: datetime) -> Read:
        """See `ByIdentifier`."""
        page = parse_page(self.route, body, retrieved_at)
        return Read(page.records, page.hits <= europepmc.MAX_PAGE)


def _clause(named: Named) -> str:
    """PMIDs are PubMed's (SRC:MED): other collections number from 1 too."""
    match named.kind:
        case IdKind.PMID:
            return f"(EXT_ID:{named.value} AND SRC:MED)"
        case IdKind.PMCID:
            return f"PMCID:{named.value}"
        case _:
            return f'DOI:"{named.value}"'


class ClinicalTrialsByIdentifier:
    """ClinicalTrials.gov: studies by a list of NCT numbers. A number that was merged into another gives that study."""

    route = CLINICALTRIALS

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url

    def request(self, wanted: Sequence[Named]) -> HttpRequest:
        """See `ByIdentifier`."""
        params: Params = (
            ("filter.ids", "|".join(named.value for named in wanted)),
            ("pageSize", str(AT_A_TIME)),
            ("format", "json"),
            ("fields", FIELDS),
        )
        return HttpRequest("GET", f"{self._base_url.rstrip('/')}/studies", params)

    def read(self, body: bytes, retrieved_at: datetime) -> Read:
        """See `ByIdentifier`."""
        records, _, following = parse_studies(self.route, body, retrieved_at)
        return Read(records, following is None)
