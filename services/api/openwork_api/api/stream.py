"""A run's live events as server-sent events, resumable with `Last-Event-ID`.

An event's id is the sequence of its message in the stream of results. What was stored last is sent first: progress
holds all that was told before it, so that whoever comes late or again has missed nothing.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Response
from openwork_contracts.answer import RunStatus
from openwork_contracts.errors import BusUnavailable, RunNotFound
from openwork_contracts.requests import ShowReply, ShowRequest
from openwork_contracts.results import ResultKind
from sse_starlette import EventSourceResponse, ServerSentEvent

from openwork_api.asker import Asker
from openwork_api.depend import Bus, Reader, RunPath
from openwork_api.hub import Told
from openwork_api.people import Person

router = APIRouter(tags=["runs"])

PING_S = 15
"""Between two comments that keep proxies from closing a stream; as often it is asked whether something was missed."""
_SEQUENCE = re.compile(r"[0-9]{1,18}")
_LAST = frozenset({ResultKind.DOCUMENT, ResultKind.DELETED})


@router.get(
    "/runs/{run_id}/events",
    summary="Follow a run",
    response_class=EventSourceResponse,
    responses={
        200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}},
        204: {"description": "It is over, and whoever asks has heard of its end: do not connect again."},
    },
)
async def follow(
    run_id: RunPath,
    bus: Bus,
    person: Reader,
    last_event_id: Annotated[str | None, Header(description="The id that was heard last.")] = None,
) -> Response:
    """Events `progress`, `notice`, `document` (the run is over: get it), `deleted`. The stream ends with the run."""
    now = await bus.show(person, ShowRequest(run_id=run_id))
    heard = min(int(last_event_id or 0), now.sequence or 0) if _SEQUENCE.fullmatch(last_event_id or "") else 0
    if _is_told(now) and heard and heard >= (now.sequence or 0):
        return Response(status_code=204)
    return EventSourceResponse(
        events_of(bus, person, run_id, heard),
        ping=PING_S,
        send_timeout=30,
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def events_of(bus: Asker, person: Person, run_id: str, heard: int) -> AsyncIterator[ServerSentEvent]:
    """What is sent of a run, from behind the last that was heard to its end."""
    with bus.follow(person, run_id) as told:
        stood: Told | None = None
        is_theirs = False
        """Whether a run was shown: one that waits at another gateway is shown to whoever names it, as waiting."""
        while True:
            if stood is None:
                stood = await _as_it_stands(bus, person, run_id)
                is_theirs = is_theirs or stood is not None
            elif not is_theirs:  # it has begun by now, and `show` knows whose it is
                now = await _as_it_stands(bus, person, run_id)
                stood = now if now is not None and now.kind is ResultKind.DELETED else stood
                is_theirs = True
            if stood is not None and stood.sequence > heard:
                heard = stood.sequence
                yield _sent(stood)
            if stood is not None and stood.kind in _LAST:
                return
            try:
                stood = await asyncio.wait_for(told.get(), PING_S)
            except TimeoutError:
                stood = None
            if bus.is_ending(person):
                return


async def _as_it_stands(bus: Asker, person: Person, run_id: str) -> Told | None:
    """What was told last, asked for; `None` = nothing yet, or nobody answers just now."""
    try:
        now = await bus.show(person, ShowRequest(run_id=run_id))
    except RunNotFound:
        return Told(2**53, ResultKind.DELETED, {"run_id": run_id})
    except BusUnavailable:
        return None
    sequence = now.sequence or 0
    if _is_over(now) and not _is_told(now):
        return None  # its document is on its way, and will be told
    if _is_over(now):
        body = {"run_id": run_id, "status": now.document.status.value if now.document else None}
        return Told(max(sequence, 1), ResultKind.DOCUMENT, body)
    if now.progress is None:
        return None
    return Told(sequence, ResultKind.PROGRESS, {"run_id": run_id, "progress": now.progress.model_dump(mode="json")})


def _is_over(now: ShowReply) -> bool:
    return now.document is not None and now.document.status is not RunStatus.RUNNING


def _is_told(now: ShowReply) -> bool:
    """Whether what the run came to is stored, and its sequence is that of the end."""
    return _is_over(now) and now.sequence is not None


def _sent(told: Told) -> ServerSentEvent:
    # An id that is no string breaks the stream, and the browser then connects again for ever.
    return ServerSentEvent(_json(told.body), event=told.kind.value, id=str(told.sequence))


def _json(body: dict[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
