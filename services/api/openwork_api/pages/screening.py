"""Every record that a review screened."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from openwork_report.words import one_line

from openwork_api.api.runs import document_of
from openwork_api.depend import Bus, Reader, RunPath
from openwork_api.pages.frame import page
from openwork_api.pages.views.screening import DECISIONS, SEARCHES, Filters, screening_view
from openwork_api.problems import ProblemError

router = APIRouter()


@router.get("/runs/{run_id}/screening")
async def screening(
    request: Request,
    run_id: RunPath,
    bus: Bus,
    person: Reader,
    decision: Annotated[str, Query(max_length=100)] = "",
    track: Annotated[str, Query(max_length=100)] = "",
    criterion: Annotated[str, Query(max_length=100)] = "",
    q: Annotated[str, Query(max_length=300)] = "",
    page_: Annotated[int, Query(alias="page", ge=1, le=10_000)] = 1,
) -> Response:
    """Each record with the decision of every search that found it; narrowed by the address."""
    document = await document_of(bus, person, run_id)
    if document.review is None:
        raise ProblemError(404, "NotAReview", "this run is no deep review that came to its table: nothing was screened")
    filters = Filters(decision, track, criterion, q, page_)
    return page(
        request,
        "screening.html",
        title=f"Screening: {one_line(document.question)}",
        document=document,
        question=one_line(document.question)[:300],
        filters=filters,
        view=screening_view(document, filters),
        decisions=DECISIONS,
        searches=SEARCHES,
    )
