"""What PubMed says has become of a work: from its publication types and its CommentsCorrections."""

from __future__ import annotations

import re
from typing import NamedTuple

from openwork_contracts.evidence import EvidenceStatus, NoticeLink
from openwork_evidence.identifiers import clean_doi, clean_pmid
from openwork_knowledge.statuses import status_names

# RefType of CommentsCorrections -> kind of link. NLM: "MEDLINE/PubMed Data Element (Field) Descriptions", comments.
LINK_KINDS = {
    "RetractionIn": "retracted_by",
    "RetractionOf": "retraction_of",
    "PartialRetractionIn": "corrected_by",
    "PartialRetractionOf": "correction_of",
    "ErratumIn": "corrected_by",
    "ErratumFor": "correction_of",
    "CorrectedandRepublishedIn": "corrected_by",
    "CorrectedandRepublishedFrom": "republication_of",
    "RetractedandRepublishedIn": "retracted_by",
    "RetractedandRepublishedFrom": "republication_of",
    "ExpressionOfConcernIn": "concern_in",
    "ExpressionOfConcernFor": "concern_about",
    "UpdateIn": "updated_by",
    "UpdateOf": "update_of",
    "PreprintIn": "published_version_of",
    "PreprintOf": "preprint_of",
}
"""Comments and citations (`CommentIn`, `CommentOn`, `Cites`, ...) change nothing about the work and are not links. A
republished work is evidence, not a notice: hence `republication_of`. The last two are Europe PMC's."""
_KINDS = {ref_type.lower(): kind for ref_type, kind in LINK_KINDS.items()}

_STATUS_OF_LINK = {link: EvidenceStatus(status) for link, status in status_names("notice link").items()}
_PREPRINT = re.compile(r"\b(?:medRxiv|bioRxiv|Res Sq|Research Square|ChemRxiv|SSRN|arXiv|Preprints?)\b", re.IGNORECASE)
# Publishers print it before the title, also where PubMed has no notice yet: "WITHDRAWN: ...", "RETRACTED: ...".
_WITHDRAWN = re.compile(r"^\W*withdrawn\s*:", re.IGNORECASE)
_RETRACTED = re.compile(r"^\W*retracted(?: article)?\s*:", re.IGNORECASE)


class Reference(NamedTuple):
    """One CommentsCorrections entry: its type, the PMID if given, and the printed source."""

    ref_type: str
    pmid: str | None
    source: str


def notice_links(references: list[Reference]) -> tuple[NoticeLink, ...]:
    """The links to notices about this work, or to the works that this notice is about.

    PubMed links a published article to its preprint with `UpdateOf`, as it does a new version to an old one; the
    printed source tells them apart.
    """
    links = []
    for reference in references:
        kind = _KINDS.get(reference.ref_type.lower())
        pmid, doi = clean_pmid(reference.pmid), clean_doi(reference.source)
        if kind is None or (pmid is None and doi is None):
            continue
        if kind in ("update_of", "updated_by") and _PREPRINT.search(reference.source):
            kind = "published_version_of" if kind == "update_of" else "preprint_of"
        links.append(NoticeLink(kind=kind, pmid=pmid, doi=doi))
    return tuple(links)


def evidence_status(publication_types: tuple[str, ...], references: list[Reference], title: str) -> EvidenceStatus:
    """The status of the work itself; the gravest notice counts. PubMed is checked, so "nothing said" is `none`.

    Only notices *about* this work count: an erratum, a retraction notice and an article that corrects another are not
    themselves corrected or retracted. A link without a PMID counts as well.
    """
    kinds = {_KINDS.get(reference.ref_type.lower()) for reference in references}
    if "Retracted Publication" in publication_types or "retracted_by" in kinds or _RETRACTED.search(title):
        return EvidenceStatus.RETRACTED
    if _WITHDRAWN.search(title):
        return EvidenceStatus.WITHDRAWN
    for kind in ("concern_in", "corrected_by"):
        if kind in kinds:
            return _STATUS_OF_LINK[kind]
    return EvidenceStatus.NONE
