"""Two text formats that APIs answer with: MEDLINE tags (EFetch rettype=medline) and Crossref's one-line BibTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import AbstractPart, EvidenceRecord, Identifiers, NoticeLink
from openwork_evidence.identifiers import clean_doi, clean_pmcid, clean_pmid, nct_numbers, pmid_in
from openwork_language.dates import parse_year

from openwork_retrievers.adapters.markup import markup_text
from openwork_retrievers.adapters.ncbi.status import Reference, evidence_status, notice_links
from openwork_retrievers.adapters.openalex import family_first

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
_LABEL = re.compile(r"(?:^|(?<=[.!?)\]] ))([A-Z][A-Z ,/&'-]{3,60}): ")
_TYPES = {"article": "Journal Article", "inbook": "Book Chapter", "incollection": "Book Chapter", "misc": "Preprint"}


def parse_medline(source: str, body: bytes, retrieved_at: datetime) -> tuple[EvidenceRecord, ...]:
    """The records of a MEDLINE text.

    Raises:
        SourceChanged: no line of it has a MEDLINE tag.
    """
    records = [record for fields in _blocks(body.decode("utf-8", "replace"))
               if (record := _medline_record(fields, source, retrieved_at))]  # fmt: skip
    if not records:
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
    return EvidenceRecord(
        source=source,
        source_id=pmid,
        identifiers=Identifiers(
            pmid=pmid,
            pmcid=clean_pmcid(_first(fields, "PMC")),
            doi=next(filter(None, dois), None),
            nct_ids=trials,
            url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        ),
        title=title.removeprefix("[").removesuffix("].").removesuffix("]"),
        abstract=_labelled(_first(fields, "AB") or ""),
        authors=tuple(fields.get("AU", ())),
        collective_author="; ".join(fields.get("CN", ())) or None,
        journal=_first(fields, "JT") or _first(fields, "TA"),
        year=parse_year(_first(fields, "DP")) or parse_year(_first(fields, "EDAT")),
        publication_types=types,
        mesh_terms=tuple(dict.fromkeys(term.split("/")[0].lstrip("*") for term in fields.get("MH", ()))),
        language=_first(fields, "LA"),
        status=evidence_status(types, references, title),
        links=notice_links(references) + tuple(NoticeLink(kind="registered_as", nct_id=trial) for trial in trials),
        retrieved_at=retrieved_at,
    )


def _first(fields: dict[str, list[str]], tag: str) -> str | None:
    return next(iter(fields.get(tag, ())), None) or None


def _labelled(text: str) -> tuple[AbstractPart, ...]:
    """The parts of an abstract whose labels stand in capitals before a colon; one part where fewer than two do."""
    marks = list(_LABEL.finditer(text))
    if len(marks) < 2 or marks[0].start() > 0:
        return (AbstractPart(text=text),) if text else ()
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    parts = ((mark[1], text[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True))
    return tuple(AbstractPart(label=label, text=part) for label, part in parts if part)


def parse_crossref_bibtex(source: str, text: str, retrieved_at: datetime) -> tuple[EvidenceRecord, ...]:
    """The one entry of a Crossref `/transform` answer; nothing for an entry without a title (a bare chapter).

    Raises:
        SourceChanged: not a BibTeX entry.
    """
    kind = re.match(r"\s*@(\w+)\s*\{", text)
    if kind is None:
        raise SourceChanged(f"{source} answered with text that is not BibTeX; it begins {text[:60]!r}")
    fields = dict(_bibtex_fields(text))
    doi, title = clean_doi(fields.get("doi")), fields.get("title") or ""
    if doi is None or not title:
        return ()
    people = tuple(family_first(name) for name in fields.get("author", "").split(" and ") if name.strip())
    return (
        EvidenceRecord(
            source=source,
            source_id=doi,
            identifiers=Identifiers(doi=doi, url=f"https://doi.org/{doi}"),
            title=title,
            authors=people,
            journal=fields.get("journal") or fields.get("booktitle"),
            year=parse_year(fields.get("year")),
            publication_types=(_TYPES.get(kind[1].lower(), kind[1]),),
            retrieved_at=retrieved_at,
        ),
    )


def _bibtex_fields(text: str) -> Iterator[tuple[str, str]]:
    """Names, lower case, and values with their braces balanced and taken off."""
    for match in re.finditer(r"[,{]\s*([A-Za-z]+)\s*=\s*\{", text):
        depth, end = 1, match.end()
        while end < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        value = text[match.end() : end - 1].replace("{", "").replace("}", "")
        yield match[1].lower(), markup_text(value)
