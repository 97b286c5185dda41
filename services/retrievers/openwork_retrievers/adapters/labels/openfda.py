"""openFDA: labels and adverse-event counts, as reference beside the evidence, not ranked with it. https://open.fda.gov/apis/"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from openwork_contracts.evidence import AbstractPart, EvidenceRecord, Identifiers, StudyDesign, TextOrigin
from openwork_contracts.strategy import SearchConcept
from openwork_evidence.identifiers import clean_set_id
from openwork_http.jsonbody import (
    JsonObject,
    at,
    count_at,
    load_object,
    objects_at,
    text_at,
    texts_at,
    want_list,
)
from openwork_language.dates import parse_year

from openwork_retrievers.adapters import paging
from openwork_retrievers.adapters.entries import Unreadable, records_of
from openwork_retrievers.adapters.labels.sections import OPENFDA_NAMES
from openwork_retrievers.adapters.labels.spl import LABEL_URL
from openwork_retrievers.adapters.labels.tables import html_table_parts
from openwork_retrievers.adapters.markup import markup_text
from openwork_retrievers.adapters.ports import (
    HttpPort,
    HttpRequest,
    Identity,
    Params,
    Search,
    SearchRequest,
    SourceResult,
)
from openwork_retrievers.domain.rendering import drugs_of, own_names

NOTHING_FOUND = 404
"""No match is {"error": {"code": "NOT_FOUND"}} with HTTP 404."""
LABELS = 5
TOP_REACTIONS = 25
FAERS_CAVEAT = (
    "Counts of spontaneous reports in which the drug was named; not rates, and no proof that the drug was the cause."
)


def label_request(base_url: str, identity: Identity, drug: SearchConcept) -> HttpRequest:
    """Labels whose generic, brand or substance name is one of the drug's names."""
    fields = ("openfda.generic_name", "openfda.brand_name", "openfda.substance_name")
    wanted = " OR ".join(f'{field}:"{term}"' for term in own_names(drug)[:3] for field in fields)
    params: Params = (("search", wanted), ("limit", str(LABELS)))
    return HttpRequest("GET", f"{base_url.rstrip('/')}/drug/label.json", params + _key(identity))


def reactions_request(base_url: str, identity: Identity, drug: SearchConcept) -> HttpRequest:
    """The reactions reported most often with a drug, with their counts."""
    fields = ("patient.drug.openfda.generic_name", "patient.drug.medicinalproduct")
    wanted = " OR ".join(f'{field}:"{drug.spoken}"' for field in fields)
    params: Params = (
        ("search", wanted),
        ("count", "patient.reaction.reactionmeddrapt.exact"),
        ("limit", str(TOP_REACTIONS)),
    )
    return HttpRequest("GET", f"{base_url.rstrip('/')}/drug/event.json", params + _key(identity))


def _key(identity: Identity) -> Params:
    return (("api_key", identity.api_key),) if identity.api_key else ()


def parse_answer(
    source: str,
    body: bytes,
    retrieved_at: datetime,
    *,
    drug: str | None = None,
    unreadable: list[Unreadable] | None = None,
) -> tuple[tuple[EvidenceRecord, ...], int | None]:
    """Records of any openFDA drug answer: labels, single reports, approvals, recalls, or one record of all counts.

    {"error": {"code": "NOT_FOUND"}} is nothing found.

    Args:
        unreadable: takes the entries of which no record can be made.
    Raises:
        SourceChanged: not JSON, or without `results`.
        SourceUnavailable, SourceRefused: any other error inside the answer.
    """
    loaded = load_object_or_nothing(source, body)
    if loaded is None:
        return (), 0
    if "results" not in loaded and {"safetyreportid", "patient"} & set(loaded):
        results: list[JsonObject] = [loaded]
    else:
        results = want_list(source, loaded, "results")
    if results and all(set(row) == {"term", "count"} for row in results):
        return (_counts_record(results, source, retrieved_at, drug or "the drug"),), None
    records = records_of(results, lambda entry: _record(entry, source, retrieved_at), unreadable)
    return records, count_at(loaded, "meta", "results", "total")


def load_object_or_nothing(source: str, body: bytes) -> JsonObject | None:
    """The answer; `None` for NOT_FOUND."""
    if b'"NOT_FOUND"' in body[:500]:
        return None
    return load_object(source, body)


def _record(entry: JsonObject, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    if "patient" in entry:
        return _report_record(entry, source, retrieved_at)
    if "application_number" in entry and "products" in entry:
        return _approval_record(entry, source, retrieved_at)
    if "recall_number" in entry:
        return _recall_record(entry, source, retrieved_at)
    return _label_record(entry, source, retrieved_at)


def _parts(entry: JsonObject, field: str, name: str) -> Iterator[AbstractPart]:
    """A field's texts, each once, then its tables, whose words the texts repeat and lose here."""
    tables = [part for markup in _markup(entry, f"{field}_table") for part in html_table_parts(markup, name)]
    words = [markup_text(markup) for markup in _markup(entry, f"{field}_table")] if tables else []
    for text in dict.fromkeys(markup_text(entry_text) for entry_text in texts_at(entry, field)):
        for table in words:
            text = " ".join(text.replace(table, " ").split())
        if text:
            yield AbstractPart(label=name, text=text)
    yield from {part.text: part for part in tables}.values()


def _markup(entry: JsonObject, field: str) -> list[str]:
    found = at(entry, field)
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []


def _label_record(entry: JsonObject, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    """One label. Fields are lists of strings; a combination pack repeats each section, which is kept once."""
    set_id = clean_set_id(text_at(entry, "set_id") or next(iter(texts_at(entry, "openfda", "spl_set_id")), None))
    brand = texts_at(entry, "openfda", "brand_name") or texts_at(entry, "spl_product_data_elements")[:1]
    generic = texts_at(entry, "openfda", "generic_name")
    own_id = set_id or text_at(entry, "id")
    if own_id is None:
        return None
    names = list(dict.fromkeys(name[:120] for name in (*brand[:2], *generic[:1])))
    parts = tuple(part for field, name in OPENFDA_NAMES.items() for part in _parts(entry, field, name))
    return EvidenceRecord(
        source=source,
        source_id=own_id,
        identifiers=Identifiers(set_id=set_id, url=LABEL_URL.format(set_id) if set_id else None),
        title=" / ".join(names) or "Drug label",
        abstract=parts,
        collective_author=next(iter(texts_at(entry, "openfda", "manufacturer_name")), None),
        journal="openFDA drug label",
        year=parse_year(text_at(entry, "effective_time")),
        publication_types=texts_at(entry, "openfda", "product_type")[:1],
        study_design=StudyDesign.DRUG_LABEL,
        text_origin=TextOrigin.LABEL,
        retrieved_at=retrieved_at,
    )


def _counts_record(rows: list[JsonObject], source: str, retrieved_at: datetime, drug: str) -> EvidenceRecord:
    counts = "; ".join(f"{text_at(row, 'term')}: {count_at(row, 'count')}" for row in rows)
    return EvidenceRecord(
        source=source,
        source_id=f"faers:{drug.lower()}",
        identifiers=Identifiers(url="https://open.fda.gov/apis/drug/event/"),
        title=f"FAERS: reactions reported most often with {drug}",
        abstract=(
            AbstractPart(label="Reported reactions", text=counts),
            AbstractPart(label="Caveat", text=FAERS_CAVEAT),
        ),
        journal="openFDA adverse events (FAERS)",
        study_design=StudyDesign.OTHER,
        text_origin=TextOrigin.DATABASE,
        retrieved_at=retrieved_at,
    )


def _report_record(entry: JsonObject, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    own_id = text_at(entry, "safetyreportid") or text_at(entry, "@case_number")
    if own_id is None:
        return None
    drugs = dict.fromkeys(n for d in objects_at(entry, "patient", "drug") if (n := text_at(d, "medicinalproduct")))
    reactions = dict.fromkeys(
        n for r in objects_at(entry, "patient", "reaction") if (n := text_at(r, "reactionmeddrapt"))
    )
    parts = [AbstractPart(label="Drugs", text="; ".join(drugs))] if drugs else []
    parts += [AbstractPart(label="Reactions", text="; ".join(reactions))] if reactions else []
    return EvidenceRecord(
        source=source,
        source_id=own_id,
        title=f"FAERS report {own_id}: {', '.join(list(drugs)[:3]) or 'drug not named'}",
        abstract=(*parts, AbstractPart(label="Caveat", text="A single spontaneous report; no proof of cause.")),
        journal="openFDA adverse events (FAERS)",
        year=parse_year(text_at(entry, "receivedate") or text_at(entry, "receiptdate") or text_at(entry, "@timestamp")),
        study_design=StudyDesign.OTHER,
        text_origin=TextOrigin.DATABASE,
        retrieved_at=retrieved_at,
    )


def _approval_record(entry: JsonObject, source: str, retrieved_at: datetime) -> EvidenceRecord:
    number = text_at(entry, "application_number") or ""
    products = [
        f"{text_at(p, 'brand_name')} {text_at(p, 'dosage_form') or ''} {text_at(p, 'marketing_status') or ''}".strip()
        for p in objects_at(entry, "products")
    ]
    return EvidenceRecord(
        source=source,
        source_id=number,
        title=f"{number}: {', '.join(dict.fromkeys(products)) or text_at(entry, 'sponsor_name') or 'application'}",
        collective_author=text_at(entry, "sponsor_name"),
        journal="Drugs@FDA",
        year=parse_year(text_at(next(objects_at(entry, "submissions"), {}), "submission_status_date")),
        study_design=StudyDesign.OTHER,
        text_origin=TextOrigin.DATABASE,
        retrieved_at=retrieved_at,
    )


def _recall_record(entry: JsonObject, source: str, retrieved_at: datetime) -> EvidenceRecord:
    reason = text_at(entry, "reason_for_recall")
    number = text_at(entry, "recall_number") or ""
    return EvidenceRecord(
        source=source,
        source_id=number,
        title=text_at(entry, "product_description") or number,
        abstract=(AbstractPart(label="Reason for recall", text=reason),) if reason else (),
        collective_author=text_at(entry, "recalling_firm"),
        journal="openFDA enforcement reports",
        year=parse_year(text_at(entry, "report_date")),
        study_design=StudyDesign.OTHER,
        text_origin=TextOrigin.DATABASE,
        retrieved_at=retrieved_at,
    )


class OpenFdaAdapter:
    """One call per drug of the question: its labels, or the reactions reported with it."""

    def __init__(self, base_url: str, identity: Identity, *, events: bool = False) -> None:
        self._base_url = base_url
        self._identity = identity
        self._events = events

    async def search(self, request: SearchRequest, http: HttpPort) -> SourceResult:
        search = Search()
        for drug in drugs_of(request.strategy):
            name = drug.name

            def read(_: HttpRequest, body: bytes, name: str = name) -> paging.Page:
                records, hits = parse_answer(request.route, body, request.retrieved_at, drug=name)
                return paging.Page(records, hits)

            build = reactions_request if self._events else label_request
            call = build(self._base_url, self._identity, drug)
            search = await paging.read_pages(
                request, http, call, read,
                listed=("results",), most=TOP_REACTIONS if self._events else None,
                nothing_found=(NOTHING_FOUND,), search=search,
            )  # fmt: skip
        return search.result(request.limit)
