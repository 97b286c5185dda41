"""Everything that a run found."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from openwork_report.words import one_line

from openwork_api.api.runs import document_of
from openwork_api.depend import Bus, Reader, RunPath
from openwork_api.evidence import Order, Which
from openwork_api.pages.frame import page
from openwork_api.pages.views.works import ORDERS, WHICH, Filters, works_view

router = APIRouter()


@router.get("/runs/{run_id}/evidence")
async def evidence(
    request: Request,
    run_id: RunPath,
    bus: Bus,
    person: Reader,
    which: Which = Which.ALL,
    order: Order = Order.RANK,
    source: Annotated[str, Query(max_length=100)] = "",
    design: Annotated[str, Query(max_length=100)] = "",
    q: Annotated[str, Query(max_length=300)] = "",
    page_: Annotated[int, Query(alias="page", ge=1, le=10_000)] = 1,
) -> Response:
    """Every work with what became of it; narrowed and sorted by the address."""
    document = await document_of(bus, person, run_id, record=True)
    filters = Filters(which, order, source, design, q, page_)
    return page(
        request,
        "evidence.html",
        title=f"Evidence: {one_line(document.question)}",
        document=document,
        question=one_line(document.question)[:300],
        filters=filters,
        view=works_view(document, filters),
        which=[(one.value, words) for one, words in WHICH.items()],
        orders=[(one.value, words) for one, words in ORDERS.items()],
    )
