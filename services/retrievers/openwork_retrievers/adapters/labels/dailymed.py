"""DailyMed v2: which labels there are for a drug, then each label's SPL. https://dailymed.nlm.nih.gov/dailymed/app-support-web-services.cfm"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from openwork_contracts.errors import SourceChanged, SourceRefused, SourceUnavailable
from openwork_contracts.evidence import EvidenceRecord
from openwork_contracts.plan import SearchRequestLog
from openwork_contracts.strategy import SearchConcept
from openwork_evidence.identifiers import clean_set_id
from openwork_http.jsonbody import count_at, load_object, text_at, want_list
from openwork_http.jsontext import trimmed
from openwork_knowledge.tables import alternatives, words

from openwork_retrievers.adapters import paging
from openwork_retrievers.adapters.labels.spl import parse_label
from openwork_retrievers.adapters.ports import HttpPort, HttpRequest, Search, SearchRequest, SourceResult, fetch
from openwork_retrievers.domain.rendering import drugs_of, own_names

LIST_PAGE = 100
LABELS_PER_DRUG = 4
"""The labels of one generic differ in little more than their maker; each is up to 1 MB."""
SAME_LABEL = 0.7
"""Share of common word runs above which two labels are one: Lipitor and its repackaged twin have 0.9, two different
statins under 0.2."""
_RUN_WORDS = 8
SourceError = SourceUnavailable | SourceRefused | SourceChanged
_EXPECTED = (SourceUnavailable, SourceRefused, SourceChanged)
_REPACKERS = re.compile(alternatives(words("repackers", "repacker")), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LabelEntry:
    """One row of a search: a label without its text."""

    set_id: str
    title: str
    """Product names, form and, in brackets, the maker."""
    published: str | None
    version: int | None


def list_request(base_url: str, name: str) -> HttpRequest:
    """The labels that name a drug; also finds homonyms."""
    params = (("drug_name", name), ("name_type", "both"), ("pagesize", str(LIST_PAGE)), ("page", "1"))
    return HttpRequest("GET", f"{base_url.rstrip('/')}/spls.json", params)


def label_request(base_url: str, set_id: str) -> HttpRequest:
    """One label. There is no JSON form (415)."""
    return HttpRequest("GET", f"{base_url.rstrip('/')}/spls/{set_id}.xml")


def parse_list(source: str, body: bytes) -> tuple[tuple[LabelEntry, ...], int]:
    """The rows of a search and how many there are in all.

    Raises:
        SourceChanged: not JSON, or without `data`.
    """
    answer = load_object(source, body)
    rows = want_list(source, answer, "data")
    entries = tuple(
        LabelEntry(set_id, title, text_at(row, "published_date"), count_at(row, "spl_version"))
        for row in rows
        if (set_id := clean_set_id(text_at(row, "setid"))) and (title := text_at(row, "title"))
    )
    total = count_at(answer, "metadata", "total_elements")
    return entries, len(entries) if total is None else total


def worth_reading(entries: tuple[LabelEntry, ...], drug: SearchConcept) -> tuple[LabelEntry, ...]:
    """The rows that are about the drug itself: named in the title, alone before in combination, makers before
    repackagers, else in the service's order."""
    names = [re.compile(rf"(?<![\w-]){re.escape(term)}(?![\w-])", re.IGNORECASE) for term in own_names(drug)]
    about = [entry for entry in entries if any(name.search(entry.title) for name in names)]

    def order(entry: LabelEntry) -> tuple[bool, bool]:
        product = entry.title.rsplit("[", 1)[0]
        combined = bool(re.search(r"\band\b|,|;|\bwith\b", product.split("(")[0], re.IGNORECASE))
        return combined, bool(_REPACKERS.search(entry.title))

    return tuple(sorted(about, key=order))


def word_runs(record: EvidenceRecord) -> frozenset[int]:
    """Fingerprint of a label's text: hashes of its runs of eight words."""
    words = " ".join(part.text for part in record.abstract).lower().split()
    return frozenset(hash(tuple(words[i : i + _RUN_WORDS])) for i in range(max(len(words) - _RUN_WORDS + 1, 1)))


def without_twins(records: list[EvidenceRecord]) -> tuple[list[EvidenceRecord], int]:
    """The labels of which no earlier one has nearly the same text, and how many were left out."""
    kept: list[tuple[EvidenceRecord, frozenset[int]]] = []
    for record in records:
        runs = word_runs(record)
        if all(len(runs & other) / max(min(len(runs), len(other)), 1) < SAME_LABEL for _, other in kept):
            kept.append((record, runs))
    return [record for record, _ in kept], len(records) - len(kept)


class DailyMedAdapter:
    """For each drug of the question: the list, then the labels worth reading."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url

    async def search(self, request: SearchRequest, http: HttpPort) -> SourceResult:
        """Nothing without a drug in the question. A label that cannot be read costs that label only."""
        drugs = drugs_of(request.strategy)
        found = await asyncio.gather(*(self._one_drug(drug, request, http) for drug in drugs))
        search = Search()
        errors = []
        for one in found:
            if isinstance(one, Search):
                search.records.extend(one.records)
                search.log.extend(one.log)
                search.degradations.extend(one.degradations)
            else:
                errors.append(one)
        if errors and not search.records:
            raise errors[0]
        search.degradations.extend(f"{request.route}: {error}" for error in errors)
        return search.result(request.limit)

    async def _one_drug(self, drug: SearchConcept, request: SearchRequest, http: HttpPort) -> Search | SourceError:
        """The labels of one drug, or why there are none."""
        search, call = Search(), list_request(self._base_url, drug.spoken)
        try:
            page = trimmed(await fetch(request.route, http, call), ("data",), LIST_PAGE)
            entries, hits = parse_list(request.route, page.body)
        except _EXPECTED as error:
            return error
        chosen = worth_reading(entries, drug)[:LABELS_PER_DRUG]
        read = await asyncio.gather(*(self._one_label(entry, request, http) for entry in chosen))
        records = [record for record in read if isinstance(record, EvidenceRecord)]
        errors = [error for error in read if isinstance(error, _EXPECTED)]
        if errors and not records:
            return errors[0]
        search.records, twins = without_twins(records)
        notes: tuple[str, ...] = (f"{twins} labels with nearly the same text left out",) if twins else ()
        if page.unread_chars:
            notes += (paging.surplus_words(LIST_PAGE, page.unread_chars),)
        log = SearchRequestLog(
            request=call.shown(), hits=hits, fetched=len(records), cap=LABELS_PER_DRUG, warnings=notes
        )
        search.log.append(log)
        search.degradations.extend(f"{request.route}: a label could not be read: {error}" for error in errors)
        return search

    async def _one_label(
        self, entry: LabelEntry, request: SearchRequest, http: HttpPort
    ) -> EvidenceRecord | SourceError | None:
        """A label, `None` for what is none, or why it could not be read."""
        call = label_request(self._base_url, entry.set_id)
        try:
            return parse_label(request.route, await fetch(request.route, http, call), request.retrieved_at)
        except _EXPECTED as error:
            return error
