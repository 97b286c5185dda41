"""Page after page of one search, for every source whose pages lead to each other; none is read beyond what is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from openwork_contracts.errors import SourceChanged, SourceRefused, SourceUnavailable
from openwork_contracts.evidence import EvidenceRecord
from openwork_contracts.plan import SearchRequestLog
from openwork_http.jsontext import trimmed

from openwork_retrievers.adapters.ports import HttpPort, HttpRequest, Search, SearchRequest, check_status

MAX_PAGES = 20
"""500 records in pages of 25; more pages than that means that paging does not end."""


@dataclass(frozen=True, slots=True)
class Page:
    """What one call gave."""

    records: tuple[EvidenceRecord, ...]
    hits: int | None = None
    """Records that match in all; `None` = not told."""
    next_call: HttpRequest | None = None
    """`None` = this was the last page."""
    warnings: tuple[str, ...] = ()
    suspect: bool = False


Reader = Callable[[HttpRequest, bytes], Page]
"""Reads one answer to one call; raises the typed source errors."""


async def read_pages(request: SearchRequest, http: HttpPort, first: HttpRequest, read: Reader, *,
                     listed: tuple[str, ...], most: int | None = None,
                     nothing_found: tuple[int, ...] = (), search: Search | None = None) -> Search:  # fmt: skip
    """Ask, read, and go on until `limit` records, the last page, or a page with nothing new.

    A fault on the first page is raised; on a later one it ends the search with what there is and says so. Of a page
    with more entries than were asked for, what is beyond is never read; the log says so.

    Args:
        listed: the keys under which a page has its list of entries; none = the page is the list.
        most: entries of one page that are read; left out, the limit of the search.
        nothing_found: statuses by which the API says that nothing matches (openFDA: 404).
        search: an earlier search to go on with; its records do not come again.
    """
    search = search or Search()
    seen, here = {record.source_id for record in search.records}, set[str]()
    call: HttpRequest | None = first
    for _ in range(MAX_PAGES):
        if call is None or len(seen) >= request.limit:
            break
        try:
            page, from_cache = await _one_page(request, http, call, read, nothing_found, listed, most or request.limit)
        except (SourceUnavailable, SourceRefused, SourceChanged) as error:
            search.log.append(SearchRequestLog(request=call.shown(), cap=request.limit, error=str(error)))
            if not search.records:
                raise
            search.degradations.append(f"{request.route}: stopped after {len(seen)} records: {error}")
            break
        new = [record for record in page.records if record.source_id not in seen]
        search.log.append(
            SearchRequestLog(request=call.shown(), hits=page.hits, fetched=len(new), cap=request.limit,
                             warnings=page.warnings, suspect=page.suspect, from_cache=from_cache)
        )  # fmt: skip
        search.records.extend(new)
        seen.update(record.source_id for record in new)
        ids = {record.source_id for record in page.records}
        if ids and ids <= here:
            search.degradations.append(f"{request.route}: a page repeated the one before; paging was stopped")
        here |= ids
        call = page.next_call if new else None
    return search


async def _one_page(
    request: SearchRequest,
    http: HttpPort,
    call: HttpRequest,
    read: Reader,
    nothing_found: tuple[int, ...],
    listed: tuple[str, ...],
    most: int,
) -> tuple[Page, bool]:
    response = await http.send(call)
    body = await response.read()
    if response.status in nothing_found:
        return Page((), hits=0), response.from_cache
    check_status(request.route, call, response.status, body)
    cut = trimmed(body, listed, most)
    page = read(call, cut.body)
    if cut.unread_chars:
        page = _with_surplus(page, most, cut.unread_chars)
    return page, response.from_cache


def _with_surplus(page: Page, most: int, unread_chars: int) -> Page:
    """The page with what was left out named. How many match in all may stand behind the list: then it is not told."""
    hits = page.hits if page.hits is not None and page.hits > most else None
    return replace(page, hits=hits, warnings=(*page.warnings, surplus_words(most, unread_chars)))


def surplus_words(most: int, unread_chars: int) -> str:
    """What the log says of a page with more entries than were asked for."""
    return f"the page held more than the {most} entries asked for; the rest ({unread_chars:,} characters) was not read"


def with_param(call: HttpRequest, name: str, value: str) -> HttpRequest:
    """The same call with one parameter set to another value, in the form where that is what was sent."""
    pairs = (*(pair for pair in call.form or call.params if pair[0] != name), (name, value))
    return replace(call, form=pairs) if call.form else replace(call, params=pairs)
