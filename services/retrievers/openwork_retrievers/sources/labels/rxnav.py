"""RxNav: a drug's other names (RxNorm) and classes (RxClass), to normalise a query; never evidence. https://lhncbc.nlm.nih.gov/RxNav/APIs/"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import AbstractPart, EvidenceRecord, Identifiers, StudyDesign
from openwork_contracts.plan import SearchRequestLog
from openwork_contracts.question import EntityKind

from openwork_retrievers.sources.jsonbody import at, load_object, objects_at, text_at, texts_at
from openwork_retrievers.sources.ports import HttpPort, HttpRequest, Search, SearchRequest, SourceResult, fetch
from openwork_retrievers.sources.question import concepts


@dataclass(frozen=True, slots=True)
class DrugNames:
    """What RxNorm knows of one drug."""

    rxcui: str
    ingredients: tuple[str, ...] = ()
    brands: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


def rxcui_request(base_url: str, name: str) -> HttpRequest:
    """The concept of a name; `search=2` is RxNorm's exact match first, then its normalised one."""
    return HttpRequest("GET", f"{base_url.rstrip('/')}/rxcui.json", (("name", name), ("search", "2")))


def related_request(base_url: str, rxcui: str) -> HttpRequest:
    """Ingredients (IN, MIN, PIN) and brand names (BN) of a concept."""
    return HttpRequest(
        "GET", f"{base_url.rstrip('/')}/rxcui/{quote(rxcui, safe='')}/related.json", (("tty", "IN MIN PIN BN"),)
    )


def classes_request(base_url: str, rxcui: str) -> HttpRequest:
    """Pharmacologic classes (ATC) of a concept."""
    params = (("rxcui", rxcui), ("relaSource", "ATC"))
    return HttpRequest("GET", f"{base_url.rstrip('/')}/rxclass/class/byRxcui.json", params)


def parse_rxcui(source: str, body: bytes) -> str | None:
    """The concept; `None` = RxNorm does not know the name.

    Raises:
        SourceChanged: not JSON, or without `idGroup`.
    """
    answer = load_object(source, body)
    if "idGroup" not in answer:
        raise SourceChanged(f"{source} answered without 'idGroup'; found: {', '.join(sorted(answer)[:8])}")
    return next(iter(texts_at(answer, "idGroup", "rxnormId")), None)


def parse_related(source: str, body: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ingredients and brand names.

    Raises:
        SourceChanged: not JSON, or without `relatedGroup`.
    """
    answer = load_object(source, body)
    if "relatedGroup" not in answer:
        raise SourceChanged(f"{source} answered without 'relatedGroup'; found: {', '.join(sorted(answer)[:8])}")
    names: dict[str, list[str]] = {"IN": [], "BN": []}
    for group in objects_at(answer, "relatedGroup", "conceptGroup"):
        kind = "BN" if text_at(group, "tty") == "BN" else "IN"
        names[kind].extend(name for c in objects_at(group, "conceptProperties") if (name := text_at(c, "name")))
    return tuple(dict.fromkeys(names["IN"])), tuple(dict.fromkeys(names["BN"]))


def parse_classes(source: str, body: bytes) -> tuple[str, ...]:
    """Class names; an answer without any is empty, not an error (RxClass gives `{}`)."""
    answer = load_object(source, body)
    entries = objects_at(answer, "rxclassDrugInfoList", "rxclassDrugInfo")
    names = (text_at(at(entry, "rxclassMinConceptItem"), "className") for entry in entries)
    return tuple(dict.fromkeys(name for name in names if name))


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
        retrieved_at=retrieved_at,
    )


class RxNavAdapter:
    """Names of each drug of a question."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url

    async def names(self, drug: str, http: HttpPort, source: str = "rxnav") -> DrugNames | None:
        """What RxNorm knows of a name; `None` = it does not know it."""
        rxcui = parse_rxcui(source, await fetch(source, http, rxcui_request(self._base_url, drug)))
        if rxcui is None:
            return None
        body = await fetch(source, http, related_request(self._base_url, rxcui))
        ingredients, brands = parse_related(source, body)
        classes = parse_classes(source, await fetch(source, http, classes_request(self._base_url, rxcui)))
        return DrugNames(rxcui, ingredients, brands, classes)

    async def search(self, request: SearchRequest, http: HttpPort) -> SourceResult:
        search = Search()
        for drug in (concept for concept in concepts(request.analysis) if concept.kind is EntityKind.DRUG):
            found = await self.names(drug.spoken, http, request.route)
            asked = rxcui_request(self._base_url, drug.spoken).shown()
            search.log.append(
                SearchRequestLog(request=asked, hits=int(found is not None), fetched=int(found is not None))
            )
            if found is not None:
                search.records.append(names_record(found, drug.name, request.route, request.retrieved_at))
        return search.result(request.limit)
