"""A run's record in words: what was searched, and what became of each work. Passages in full are in the JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from openwork_cli.output import one_line

if TYPE_CHECKING:
    from openwork.record import CandidateRecord, RunRecord, SearchRecord, SearchRequestLog

TITLE_CHARS = 90
"""Of a title in the list of works; the JSON has it whole."""
_DECISIONS = {
    "cited": "cited",
    "passage_chosen": "read, not cited",
    "fulltext_read": "full text read, no passage chosen",
    "abstract_read": "abstract read, no passage chosen",
    "shortlisted": "shortlisted",
    "below_threshold": "below the threshold",
    "retracted": "left out: retracted",
    "without_text": "left out: nothing to read",
    "superseded": "left out: an older version",
    "reference_only": "left out: source for reference only",
    "found": "found, not ranked",
}
"""A decision of a newer gateway is printed as it is."""
_OURS = "our_summary"
"""Of a work whose text here is the starter library's summary, not its own words."""
_QUIET = ("none", "not_checked")


def print_record(record: RunRecord | None) -> None:
    """The record for eyes."""
    sys.stdout.write("\n" + "\n".join(record_lines(record)) + "\n")


def record_lines(record: RunRecord | None) -> Iterator[str]:
    """Searches, then works by what became of them, each with its citation number and its score in [0, 1]."""
    if record is None:
        yield "No record: of this run no more is known than its end"
        return
    yield "Searches"
    tracks = {search.track for search in record.searches}
    for search in record.searches:
        yield from _search(search, name_track=len(tracks) > 1)
    for planned in record.rounds:
        if planned.reason:
            yield f"- round {planned.round} was made because: {one_line(planned.reason)}"
    yield ""
    yield f"Works found: {len(record.candidates)}"
    by_decision: dict[str, list[CandidateRecord]] = {}
    for work in record.candidates:
        by_decision.setdefault(_DECISIONS.get(work.decision, work.decision.replace("_", " ")), []).append(work)
    for decision, works in by_decision.items():
        yield f"- {decision}: {len(works)}"
        yield from map(_work, works)
    if record.passages:
        yield f"\nThe {len(record.passages)} passages that were read for the answer stand in the JSON (`--json`)"


def _search(search: SearchRecord, *, name_track: bool) -> Iterator[str]:
    track = f", {search.track}" if name_track else ""
    took = f" in {search.elapsed_s:.2f} s" if search.elapsed_s is not None else ""
    if search.status == "completed":
        came = f"{search.found} found{took}"
    else:
        why = search.message or (search.reason or "").replace("_", " ")
        came = f"{search.status.replace('_', ' ')}{f': {one_line(why)}' if why else ''}"
    yield f"- {search.source}, round {search.round}{track}: {came}"
    for request in search.requests:
        yield f"    {one_line(request.request)}{_engine(request)}"
        if request.translation:
            yield f"      read as: {one_line(request.translation)}"
        for warning in request.warnings:
            yield f"      warning: {one_line(warning)}"
        if request.suspect:
            yield "      the engine changed the meaning of this search"
        if request.error:
            yield f"      error: {one_line(request.error)}"


def _engine(request: SearchRequestLog) -> str:
    """How much there was, and how much of it was read."""
    if request.error:
        return ""
    of = f" of {request.hits}" if request.hits is not None else ""
    most = f", at most {request.cap}" if request.cap is not None else ""
    return f"  ({request.fetched}{of} read{most}{', from cache' if request.from_cache else ''})"


def _work(work: CandidateRecord) -> str:
    number = f"[{work.n}]" if work.n else ""
    score = f"{work.document_score:.2f}" if work.document_score is not None else "    "
    title = one_line(work.title) or work.candidate_id
    title = title if len(title) <= TITLE_CHARS else title[: TITLE_CHARS - 1].rstrip() + "…"
    status = "" if work.status in _QUIET else f"{work.status.upper()}: "
    sources = ", ".join(dict.fromkeys(found.source for found in work.provenance))
    ours = "our summary" if work.text_origin == _OURS else ""
    place = "; ".join(filter(None, (one_line(work.candidate_id), sources, ours)))
    why = f": {one_line(work.reason)}" if work.reason else ""
    return f"    {number:>4} {score}  {work.year or '    '}  {status}{title} ({place}){why}"
