"""The ladder of a strategy climbed at one source: the strict rung first, the next one while too little was found."""

from __future__ import annotations

from collections.abc import Callable

from openwork_contracts.errors import SourceChanged, SourceRefused, SourceUnavailable
from openwork_contracts.plan import SearchRequestLog
from openwork_contracts.strategy import SearchRung

from openwork_retrievers.adapters import paging
from openwork_retrievers.adapters.ports import HttpPort, HttpRequest, Search, SearchRequest
from openwork_retrievers.domain.rendering import left_out

SCARCE = 2
"""Rungs asked of a source of which all questions together may ask about one call a second."""


async def climb(request: SearchRequest, http: HttpPort, first: Callable[[SearchRung], HttpRequest],
                read: paging.Reader, *, listed: tuple[str, ...], chars: int | None = None,
                most: int | None = None) -> Search:  # fmt: skip
    """Every rung until enough records, or as many as were asked for, are found; each with its hits in the log.

    A rung that is put into the same request as one before it is not asked again. A later rung that fails leaves what
    the rungs before it found.

    Args:
        first: the first page of a rung, in the source's syntax.
        listed: see `paging.read_pages`.
        most: rungs that are asked; `None` = all that are needed.
        chars: of names in one request (`rendering.names_within`); what does not fit is told in the log.
    Raises:
        SourceUnavailable, SourceRefused, SourceChanged: the first rung could not be asked.
    """
    search, asked = Search(), set[HttpRequest]()
    enough = min(request.enough, request.limit)
    for rung in request.strategy.rungs:
        call, found = first(rung), len(search.records)
        if asked and found >= enough:
            search.log.append(not_asked(call, rung, f"the rung before found {found} records"))
        elif most is not None and len(asked) >= most:
            search.log.append(not_asked(call, rung, f"this source is scarce: at most {most} rungs are asked"))
        elif call in asked:
            search.log.append(not_asked(call, rung, "the same request as the rung before"))
        else:
            logged = len(search.log)
            await _ask(request, http, call, rung, read, listed, search)
            asked.add(call)
            if chars and len(search.log) > logged and (lost := left_out(request.strategy, rung, chars=chars)):
                entry = search.log[logged]
                search.log[logged] = entry.model_copy(update={"warnings": (*entry.warnings, lost)})
    return search


def not_asked(call: HttpRequest, rung: SearchRung, reason: str) -> SearchRequestLog:
    """The log's entry for a rung that was left out."""
    return SearchRequestLog(request=call.shown(), rung=rung.name, not_asked=reason)


async def _ask(request: SearchRequest, http: HttpPort, call: HttpRequest, rung: SearchRung, read: paging.Reader,
               listed: tuple[str, ...], search: Search) -> None:  # fmt: skip
    found, logged = len(search.records), len(search.log)
    try:
        await paging.read_pages(request, http, call, read, listed=listed, search=search)
    except (SourceUnavailable, SourceRefused, SourceChanged) as error:
        if not search.records and not any(entry.error is None for entry in search.log[:logged]):
            raise
        search.degradations.append(f"{request.route}: the rung {rung.name!r} could not be asked: {error}")
    search.log[logged:] = [entry.model_copy(update={"rung": rung.name}) for entry in search.log[logged:]]
    if found and len(search.records) > found:
        search.degradations.append(
            f"{request.route}: too little was found on the strict rung ({found} records); "
            f"{rung.name!r} added {len(search.records) - found}"
        )
