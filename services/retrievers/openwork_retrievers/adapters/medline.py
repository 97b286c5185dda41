"""MEDLINE's tagged text (EFetch rettype=medline)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import EvidenceRecord, Identifiers, NoticeLink
from openwork_evidence.identifiers import clean_doi, clean_pmcid, clean_pmid, nct_numbers, pmid_in
from openwork_evidence.origins import publication_origin
from openwork_language.dates import parse_year

from openwork_retrievers.adapters.entries import Unreadable
from openwork_retrievers.adapters.markup import parts_by_capitals
from openwork_retrievers.adapters.ncbi.status import Reference, evidence_status, notice_links

_TAG = re.compile(r"^([A-Z][A-Z0-9]{0,3}) {0,3}- (.*)$")
# MEDLINE tag -> RefType of the XML: NLM, "MEDLINE/PubMed Data Element (Field) Descriptions".
_NOTICE_TAGS = {
    "RIN": "RetractionIn",
    "ROF": "RetractionOf",
    "EIN": "ErratumIn",
    "EFR": "ErratumFor",
    "ECI": "ExpressionOfConcernIn",
    "ECF": "ExpressionOfConcernFor",
    "CRI": "CorrectedandRepublishedIn",
    "CRF": "CorrectedandRepublishedFrom",
    "RRI": "RetractedandRepublishedIn",
    "RRF": "RetractedandRepublishedFrom",
    "UIN": "UpdateIn",
    "UOF": "UpdateOf",
}


def parse_medline(
    source: str, body: bytes, retrieved_at: datetime, *, unreadable: list[Unreadable] | None = None
) -> tuple[EvidenceRecord, ...]:
    """The records of a MEDLINE text.

    Args:
        unreadable: takes the entries of which no record can be made.
    Raises:
        SourceChanged: no line of it has a MEDLINE tag.
    """
    blocks = list(_blocks(body.decode("utf-8", "replace")))
    records = []
    for fields in blocks:
        if record := _medline_record(fields, source, retrieved_at):
            records.append(record)
        elif unreadable is not None:
            unreadable.append(Unreadable(_first(fields, "PMID"), _first(fields, "TI"), "no PMID or no title"))
    if not records and not any("PMID" in fields for fields in blocks):
        start = " ".join(body[:60].decode("utf-8", "replace").split())
        raise SourceChanged(f"{source} answered with text that is not MEDLINE; it begins {start!r}")
    return tuple(records)


def _blocks(text: str) -> Iterator[dict[str, list[str]]]:
    """Fields of each record: a tag, then lines indented by six blanks that go on with it."""
    fields: dict[str, list[str]] = {}
    last: list[str] | None = None
    for line in text.splitlines():
        if match := _TAG.match(line):
            if match[1] == "PMID" and "PMID" in fields:
                yield fields
                fields = {}
            last = fields.setdefault(match[1], [])
            last.append(match[2].strip())
        elif line.startswith("      ") and last:
            last[-1] += " " + line.strip()
    if fields:
        yield fields


def _medline_record(fields: dict[str, list[str]], source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    pmid = clean_pmid(_first(fields, "PMID"))
    title = _first(fields, "TI") or _first(fields, "BTI") or _first(fields, "TT")
    if pmid is None or not title:
        return None
    types = tuple(fields.get("PT", ()))
    references = [
        Reference(kind, pmid_in(text), text) for tag, kind in _NOTICE_TAGS.items() for text in fields.get(tag, ())
    ]
    trials = nct_numbers(" ".join(fields.get("SI", ())))
    dois = (clean_doi(text) for tag in ("AID", "LID") for text in fields.get(tag, ()) if "[doi]" in text)
    doi = next(filter(None, dois), None)
    return EvidenceRecord(
        source=source,
        source_id=pmid,
        identifiers=Identifiers(
            pmid=pmid,
            pmcid=clean_pmcid(_first(fields, "PMC")),
            doi=doi,
            nct_ids=trials,
            url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        ),
        title=title.removeprefix("[").removesuffix("].").removesuffix("]"),
        abstract=parts_by_capitals(_first(fields, "AB") or ""),
        authors=tuple(fields.get("AU", ())),
        collective_author="; ".join(fields.get("CN", ())) or None,
        journal=_first(fields, "JT") or _first(fields, "TA"),
        year=parse_year(_first(fields, "DP")) or parse_year(_first(fields, "EDAT")),
        publication_types=types,
        mesh_terms=tuple(dict.fromkeys(term.split("/")[0].lstrip("*") for term in fields.get("MH", ()))),
        language=_first(fields, "LA"),
        status=evidence_status(types, references, title),
        links=notice_links(references) + tuple(NoticeLink(kind="registered_as", nct_id=trial) for trial in trials),
        text_origin=publication_origin(types, doi),
        retrieved_at=retrieved_at,
    )


def _first(fields: dict[str, list[str]], tag: str) -> str | None:
    return next(iter(fields.get(tag, ())), None) or None
