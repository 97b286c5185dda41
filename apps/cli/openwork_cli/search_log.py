"""A run's searches as a reviewer wants them: after PRISMA-S (Rethlefsen 2021, doi:10.1186/s13643-020-01542-z).

Numbers in brackets are those of its checklist. What a run does not do (citation searching, contacts, ...) is said too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus

from openwork_cli.output import one_line

if TYPE_CHECKING:
    from openwork.models import AnswerDocument
    from openwork.record import (
        RoundRecord,
        RunRecord,
        SearchBlock,
        SearchFilters,
        SearchRecord,
        SearchRequestLog,
        SearchStrategy,
    )

NAMES_SHOWN = 12
"""Names of one concept in the list of blocks; the requests below have them all, and so has the JSON."""
_REGISTRIES = ("clinicaltrials",)
_NOT_FOUND = "not found, left out: "
"""How a warning of PubMed's begins in a log."""
_NOT_DONE = "citation searching, contacts, other methods, prior work, updates, peer review: none"


def print_search_log(document: AnswerDocument) -> None:
    """The log for eyes."""
    sys.stdout.write("\n".join(search_log_lines(document)) + "\n")


def as_json(document: Mapping[str, object]) -> dict[str, object]:
    """The same out of the raw document: what was looked for, what was sent, what came of it."""
    record = document.get("record")
    kept = record if isinstance(record, Mapping) else {}
    method = document.get("method")
    return {
        "run_id": document.get("run_id"),
        "question": document.get("question"),
        "rounds": kept.get("rounds", []),
        "searches": kept.get("searches", []),
        "counts": method.get("counts", {}) if isinstance(method, Mapping) else {},
    }


def search_log_lines(document: AnswerDocument) -> Iterator[str]:
    """Sources, strategy with filters, every request with its hits, records and duplicates."""
    record: RunRecord | None = document.record
    yield f"Search log of run {document.run_id} (after PRISMA-S)"
    yield f"Question: {one_line(document.question)}"
    if record is None or not record.rounds:
        yield "No search: the run ended before one was planned"
        return
    yield from _sources(record)
    for planned in record.rounds:
        yield from _round(planned)
        of_round = [s for s in record.searches if (s.track, s.round) == (planned.track, planned.round)]
        yield f"Searches, as they were sent on {planned.planned_at:%Y-%m-%d} [8, 13, 15]"
        for search in of_round:
            yield from _search(search)
    yield from _records(document)


def _sources(record: RunRecord) -> Iterator[str]:
    searched = dict.fromkeys(search.source for search in record.searches)
    registries = [name for name in searched if name in _REGISTRIES]
    others = [name for name in searched if name not in registries]
    yield f"Databases and other sources [1, 2, 4]: {', '.join(others) or 'none'}"
    yield f"Study registries [3]: {', '.join(registries) or 'none'}"
    yield f"Not done [5-7, 11, 12, 14]: {_NOT_DONE}"


def _round(planned: RoundRecord) -> Iterator[str]:
    yield ""
    yield f"Round {planned.round}, planned {planned.planned_at:%Y-%m-%d %H:%M} UTC" + (
        f", because {one_line(planned.reason)}" if planned.reason else ""
    )
    if planned.strategy is not None:
        yield from _strategy(planned.strategy)
    for lookup in planned.lookups:
        yield f"  asked about a name: {one_line(lookup.request)}"


def _strategy(strategy: SearchStrategy) -> Iterator[str]:
    yield "What is looked for [8]"
    for n, block in enumerate(strategy.blocks, 1):
        yield from _block(n, block)
    yield "Ladder, with limits and filters [9, 10]"
    for rung in strategy.rungs:
        groups = (" or ".join(str(n + 1) for n in group.any_of) for group in rung.groups)
        yield f"  {one_line(rung.name)}: {' and '.join(f'({group})' for group in groups)}{_filters(rung.filters)}"
    for text in strategy.left_out:
        yield f"  not searched for: {one_line(text)}"


def _block(n: int, block: SearchBlock) -> Iterator[str]:
    for concept in block.concepts:
        names = [one_line(term.text) for term in concept.terms]
        more = f", and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
        heads = ", ".join(dict.fromkeys(one_line(heading.text) for heading in concept.headings))
        absent = ", absent" if block.negated else ""
        yield (
            f"  {n}. {block.role}{absent}: {one_line(concept.name)}"
            f"{f' [MeSH: {heads}]' if heads else ''}: {'; '.join(names[:NAMES_SHOWN])}{more}"
        )


def _filters(filters: SearchFilters) -> str:
    parts = [kind.replace("_", " ") for kind in filters.studies]
    parts += ["no records about animals alone"] * filters.humans
    parts += ["no comments, editorials, news, errata"] * filters.no_opinion
    parts += ["English"] * filters.english
    parts += [f"from {filters.since_year}"] if filters.since_year else []
    parts += [f"until {filters.until_year}"] if filters.until_year else []
    return f"; {', '.join(parts)}" if parts else "; no limit, no filter"


def _search(search: SearchRecord) -> Iterator[str]:
    took = f" in {search.elapsed_s:.1f} s" if search.elapsed_s is not None else ""
    if search.status == "completed":
        yield f"  {search.source}: {search.found} records{took}"
    else:
        why = one_line(search.message or (search.reason or "").replace("_", " "))
        yield f"  {search.source}: {search.status.replace('_', ' ')}{f': {why}' if why else ''}"
    for request in search.requests:
        yield from _request(request)
    for text in search.degradations:
        yield f"    note: {one_line(text)}"


def _request(request: SearchRequestLog) -> Iterator[str]:
    rung = f"{one_line(request.rung)}: " if request.rung else ""
    if request.not_asked:
        yield f"    {rung}not asked: {one_line(request.not_asked)}"
        return
    yield f"    {rung}{_came(request)}"
    yield f"      sent: {one_line(unquote_plus(request.request))}"
    if request.translation:
        yield f"      read by the engine as: {one_line(request.translation)}"
    yield from (f"      {one_line(warning)}" for warning in _together(request.warnings))
    if request.suspect:
        yield "      the engine changed the meaning of this search"


def _together(warnings: Sequence[str]) -> Iterator[str]:
    """What the engine said; names that it did not find stand in one line."""
    unknown = [warning.removeprefix(_NOT_FOUND) for warning in warnings if warning.startswith(_NOT_FOUND)]
    if unknown:
        yield f"{_NOT_FOUND}{'; '.join(unknown)}"
    yield from (warning for warning in warnings if not warning.startswith(_NOT_FOUND))


def _came(request: SearchRequestLog) -> str:
    if request.error:
        return f"failed: {one_line(request.error)}"
    hits = "hits not told" if request.hits is None else f"{request.hits} hits"
    return f"{hits}, {request.fetched} read{', from cache' if request.from_cache else ''}"


def _records(document: AnswerDocument) -> Iterator[str]:
    counts: Mapping[str, int] = document.method.counts
    yield ""
    yield f"Records identified [15]: {counts.get('identified', 0)}"
    yield f"Duplicates removed, by identifiers, then title, year and authors [16]: {counts.get('duplicates', 0)}"
    shown: Sequence[tuple[str, str]] = (
        ("excluded_notices", "Notices, linked to their works"),
        ("excluded_no_text", "Nothing to read"),
        ("excluded_superseded", "Older versions of Cochrane reviews"),
        ("screened", "Works handed to the ranking"),
        ("shortlisted", "Shortlisted"),
    )
    yield from (f"{words}: {counts[key]}" for key, words in shown if key in counts)
