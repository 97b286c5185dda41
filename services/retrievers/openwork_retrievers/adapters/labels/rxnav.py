"""RxNav as a source of reference: names and classes of the question's drugs. See `openwork_http.rxnorm`."""

from __future__ import annotations

from datetime import datetime

from openwork_contracts.evidence import AbstractPart, EvidenceRecord, Identifiers, StudyDesign, TextOrigin
from openwork_contracts.plan import SearchRequestLog
from openwork_contracts.question import DrugNames
from openwork_http.rxnorm import drug_names, rxcui_request

from openwork_retrievers.adapters.ports import HttpPort, Search, SearchRequest, SourceResult
from openwork_retrievers.domain.rendering import drugs_of


def names_record(names: DrugNames, drug: str, source: str, retrieved_at: datetime) -> EvidenceRecord:
    """The names as a reference record."""
    lists = (("Ingredients", names.ingredients), ("Brand names", names.brands), ("Classes", names.classes))
    return EvidenceRecord(
        source=source,
        source_id=names.rxcui,
        identifiers=Identifiers(url=f"https://mor.nlm.nih.gov/RxNav/search?searchBy=RXCUI&searchTerm={names.rxcui}"),
        title=f"{drug}: names in RxNorm",
        abstract=tuple(AbstractPart(label=label, text="; ".join(entries)) for label, entries in lists if entries),
        journal="RxNorm",
        study_design=StudyDesign.OTHER,
        text_origin=TextOrigin.DATABASE,
        retrieved_at=retrieved_at,
    )


class RxNavAdapter:
    """Names of each drug of a question."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url

    async def search(self, request: SearchRequest, http: HttpPort) -> SourceResult:
        search = Search()
        for drug in drugs_of(request.strategy):
            found = await drug_names(drug.spoken, http, self._base_url, request.route)
            asked = rxcui_request(self._base_url, drug.spoken).shown()
            search.log.append(
                SearchRequestLog(request=asked, hits=int(found is not None), fetched=int(found is not None))
            )
            if found is not None:
                search.records.append(names_record(found, drug.name, request.route, request.retrieved_at))
        return search.result(request.limit)
