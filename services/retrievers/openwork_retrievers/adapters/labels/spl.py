"""Structured Product Labeling (HL7 SPL): a label as a record, one part per section with text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceRecord,
    EvidenceStatus,
    Identifiers,
    StudyDesign,
    TextOrigin,
)
from openwork_evidence.identifiers import clean_set_id
from openwork_language.dates import parse_year

from openwork_retrievers.adapters.labels.sections import BOXED_WARNING, INDEX_DATA, NOT_READ, SECTION_NAMES
from openwork_retrievers.adapters.labels.tables import table_parts, text_without_tables
from openwork_retrievers.adapters.xml import Element, flat_text, local_name, parse

_N = "{urn:hl7-org:v3}"
LABEL_URL = "https://dailymed.nlm.nih.gov/dailymed/drugInfo.cfm?setid={}"
_BOILERPLATE = re.compile(
    r"^these highlights do not include all (?:of )?the information needed to use .*?"
    r"see full prescribing information for .*?(?:\.\s+|$)(?=[A-Z0-9]|$)",
    re.IGNORECASE | re.DOTALL,
)
_NO_TITLE = frozenset({"", "drug facts", "drug label", "package label", "untitled"})
MAX_DEPTH = 30
"""Sections deeper than this are not read on: real labels nest to about 6."""


def parse_label(source: str, body: bytes, retrieved_at: datetime) -> EvidenceRecord | None:
    """The label in an SPL document; `None` for an index file, or a label without any text.

    Raises:
        SourceChanged: not SPL, cut off, or without a set id.
    """
    root = parse(source, body)
    if root.tag != f"{_N}document":
        raise SourceChanged(f"{source} answered with <{local_name(root)}>, not with an SPL <document>")
    set_id = clean_set_id(_attribute(root.find(f"{_N}setId"), "root"))
    if set_id is None:
        raise SourceChanged(f"{source} answered with an SPL document without a set id")
    sections = root.findall(f"{_N}component/{_N}structuredBody/{_N}component/{_N}section")
    if any(_code(section) == INDEX_DATA for section in sections) or "INDEXING" in _kind(root).upper():
        return None
    parts = tuple(part for section in sections for part in _parts(section, "", (), 0))
    if not parts:
        return None
    brand, generic = _product(root)
    labeler = _labeler(root)
    return EvidenceRecord(
        source=source,
        source_id=set_id,
        identifiers=Identifiers(set_id=set_id, url=LABEL_URL.format(set_id)),
        title=_title(flat_text(root.find(f"{_N}title")), brand, generic, labeler),
        abstract=parts,
        collective_author=labeler,
        journal="DailyMed",
        year=parse_year(_attribute(root.find(f"{_N}effectiveTime"), "value")),
        publication_types=(_kind(root).capitalize(),) if _kind(root) else (),
        language="eng",
        study_design=StudyDesign.DRUG_LABEL,
        status=EvidenceStatus.NOT_CHECKED,
        text_origin=TextOrigin.LABEL,
        retrieved_at=retrieved_at,
    )


def _parts(section: Element, name: str, path: tuple[str, ...], depth: int) -> Iterator[AbstractPart]:
    """A section's own text, then its subsections'; each labelled with the standard name of the section it belongs to.

    A subsection without a code of its own (or with "unclassified") belongs to the section above it; a boxed warning is
    one wherever it stands. The highlights (`excerpt`) repeat the text below and are not read.
    """
    code = _code(section)
    if code in NOT_READ or depth > MAX_DEPTH:
        return
    title = flat_text(section.find(f"{_N}title"))
    own = SECTION_NAMES.get(code or "", "")
    if own and (not name or code == BOXED_WARNING):
        name, own = own, ""
    step = title or own
    if step and _bare(step) != _bare(name):
        path = (*path, step)
    label = f"{name}: {' > '.join(path)}" if name and path else name or " > ".join(path) or None
    children = section.findall(f"{_N}component/{_N}section")
    narrative = section.find(f"{_N}text")
    tables = list(table_parts(narrative, label))
    text = text_without_tables(narrative) if tables else flat_text(narrative)
    if not text and not tables and title and not children and depth:
        text = title  # "4.1 Active liver disease, ...": the whole statement stands in the title
    if text:
        yield AbstractPart(label=label, text=text)
    yield from tables
    for child in children:
        yield from _parts(child, name, path, depth + 1)


def _bare(title: str) -> str:
    """A title without number, case and "&", to see that it only repeats the section's standard name."""
    plain = re.sub(r"^[\d.]+\s*", "", title).lower().replace("&", "and")
    return re.sub(r"[^a-z]+", " ", plain.replace(" section", "")).strip()


def _title(printed: str, brand: str | None, generic: str | None, labeler: str | None) -> str:
    """The document's title without "These highlights do not include ..."; where that leaves nothing, the product."""
    bare = _BOILERPLATE.sub("", printed).strip()
    if bare.lower().rstrip(".:") not in _NO_TITLE:
        return bare
    names = " ".join(
        filter(None, (brand, f"({generic})" if generic and generic.lower() != (brand or "").lower() else ""))
    )
    named = names or labeler or "Drug label"
    return f"{named}: {bare}" if bare else named


def _product(root: Element) -> tuple[str | None, str | None]:
    """Brand and generic name of the first product."""
    for product in root.iter(f"{_N}manufacturedProduct", f"{_N}manufacturedMedicine"):  # type: ignore[call-arg]
        brand = flat_text(product.find(f"{_N}name"))
        if brand:
            generic = product.find(f"{_N}asEntityWithGeneric/{_N}genericMedicine/{_N}name")
            return brand, flat_text(generic) or None
    return None, None


def _labeler(root: Element) -> str | None:
    path = f"{_N}author/{_N}assignedEntity/{_N}representedOrganization/{_N}name"
    return flat_text(root.find(path)) or None


def _kind(root: Element) -> str:
    return _attribute(root.find(f"{_N}code"), "displayName") or ""


def _code(section: Element) -> str | None:
    return _attribute(section.find(f"{_N}code"), "code")


def _attribute(element: Element | None, name: str) -> str | None:
    return element.get(name) if element is not None else None
