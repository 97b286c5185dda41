"""Addresses that a page may lead to: made from identifiers, or http and https alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from openwork_contracts.answer import Reference
from openwork_contracts.evidence import Identifiers
from openwork_contracts.record import CandidateRecord

_HTTP = re.compile(r"https?://[^\s<>\"\\]+", re.IGNORECASE)
_KEPT = "/:;,.()&=+@!$'*~_-"
_MOST_LETTERS = 2000


@dataclass(frozen=True, slots=True)
class Link:
    """Where somebody may go on reading."""

    name: str
    """What kind of place it is: "PubMed"."""
    words: str
    """What it is there: an identifier."""
    address: str


def links_of_reference(reference: Reference) -> tuple[Link, ...]:
    """Every place of a reference."""
    nct_ids = (reference.nct_id,) if reference.nct_id else ()
    ids = (reference.pmid, reference.pmcid, reference.doi, reference.set_id, reference.url)
    return tuple(_links(*ids, nct_ids))


def links_of_work(work: CandidateRecord) -> tuple[Link, ...]:
    """Every place of a work, and of the full text that was read."""
    found = list(links_of(work.identifiers))
    text = web_address(work.fulltext.url) if work.fulltext and work.fulltext.source else None
    if text and text not in {link.address for link in found}:
        found.append(Link("Full text", urlsplit(text).hostname or "open", text))
    return tuple(found)


def links_of(one: Identifiers) -> tuple[Link, ...]:
    """Every place of a work by its identifiers."""
    return tuple(_links(one.pmid, one.pmcid, one.doi, one.set_id, one.url, one.nct_ids))


def web_address(url: str | None) -> str | None:
    """An address that is http or https and no longer than a browser takes; `None` = it is no link."""
    return url if url and len(url) <= _MOST_LETTERS and _HTTP.fullmatch(url) else None


def passage_address(run_id: str, passage_id: str, claim: int | None = None) -> str:
    """The page of a passage; with the number of a sentence of the answer, counted from 1, its words are marked."""
    asked = f"?claim={claim}" if claim else ""
    return f"/runs/{run_id}/passages/{quote(passage_id, safe='')}{asked}"


def trace_address(phoenix: str | None, trace_id: str | None) -> str | None:
    """The trace of a run in Phoenix; `None` = nobody said where that is, or the run has none."""
    return f"{phoenix.rstrip('/')}/redirects/traces/{quote(trace_id, safe='')}" if phoenix and trace_id else None


def _links(
    pmid: str | None,
    pmcid: str | None,
    doi: str | None,
    set_id: str | None,
    url: str | None,
    nct_ids: tuple[str, ...],
) -> Iterator[Link]:
    if pmid:
        yield Link("PubMed", pmid, f"https://pubmed.ncbi.nlm.nih.gov/{_safe(pmid)}/")
    if doi:
        yield Link("DOI", doi, f"https://doi.org/{_safe(doi)}")
    if pmcid:
        yield Link("PMC", pmcid, f"https://pmc.ncbi.nlm.nih.gov/articles/{_safe(pmcid)}/")
    for nct_id in nct_ids:
        yield Link("Registry", nct_id, f"https://clinicaltrials.gov/study/{_safe(nct_id)}")
    if set_id:
        address = f"https://dailymed.nlm.nih.gov/dailymed/drugInfo.cfm?setid={quote(set_id, safe='')}"
        yield Link("Label", "DailyMed", address)
    if not (pmid or doi or pmcid or nct_ids or set_id) and (address := web_address(url) or ""):
        yield Link("Web", urlsplit(address).hostname or "open", address)


def _safe(identifier: str) -> str:
    return quote(identifier, safe=_KEPT)
