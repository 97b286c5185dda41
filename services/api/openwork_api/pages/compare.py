"""Two runs side by side."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from openwork_bus.run_ids import check_run_id

from openwork_api.api.runs import document_of
from openwork_api.depend import Bus, Reader
from openwork_api.pages.frame import page
from openwork_api.pages.views.difference import difference
from openwork_api.problems import ProblemError

router = APIRouter()


@router.get("/compare")
async def compare(
    request: Request,
    bus: Bus,
    person: Reader,
    a: Annotated[str, Query(max_length=40)] = "",
    b: Annotated[str, Query(max_length=40)] = "",
    run: Annotated[list[str] | None, Query(max_length=3)] = None,
) -> Response:
    """What changed from the older to the newer; `run` twice is how a list of checkboxes says it."""
    if run and not (a or b):
        two = list(dict.fromkeys(run))
        if len(two) == 2:
            return RedirectResponse(f"/compare?a={check_run_id(two[0])}&b={check_run_id(two[1])}", 303)
    if not (a and b):
        raise ProblemError(422, "UsageError", "choose two runs of your history to compare them")
    one, other = check_run_id(a), check_run_id(b)
    first, second = await asyncio.gather(document_of(bus, person, one), document_of(bus, person, other))
    return page(request, "compare.html", title="Compare two runs", here="/history", view=difference(first, second))
