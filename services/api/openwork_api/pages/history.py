"""The person's runs, newest first."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from openwork_bus.run_ids import check_run_id
from openwork_contracts.requests import ListRequest

from openwork_api.depend import Bus, Reader
from openwork_api.pages.frame import page
from openwork_api.pages.views.listing import days

router = APIRouter()

PER_PAGE = 40


@router.get("/history")
async def history(
    request: Request,
    bus: Bus,
    person: Reader,
    q: Annotated[str, Query(max_length=500)] = "",
    before: Annotated[str, Query(max_length=40)] = "",
    a: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    """Runs whose question holds the words; one of them may be chosen to be compared already."""
    older_than = check_run_id(before) if before else None
    found = await bus.runs(person, ListRequest(limit=PER_PAGE, before=older_than, query=q.strip() or None))
    return page(
        request,
        "history.html",
        title="History",
        here="/history",
        query=q,
        before=before,
        chosen=a,
        days=tuple(days(found.runs)),
        next=found.next or "",
    )
