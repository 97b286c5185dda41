"""What the system did lately, for those who run it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from openwork_api.api.observatory import USUAL, WindowName, observation_of
from openwork_api.depend import Bus, Observer
from openwork_api.pages.frame import page
from openwork_api.pages.views.observatory import HEIGHT, WIDTH, WINDOWS, observatory_view

router = APIRouter()


@router.get("/observatory")
async def observatory(
    request: Request, bus: Bus, person: Observer, window: Annotated[WindowName, Query()] = USUAL
) -> Response:
    """Figures of a window; which one, the address says."""
    observed = await observation_of(bus, person, window)
    return page(
        request,
        "observatory.html",
        title="Observatory",
        here="/observatory",
        observed=observed,
        windows=[(one.value, words) for one, (words, _) in WINDOWS.items()],
        view=observatory_view(observed, request.app.state.settings.api_traces_url),
        width=WIDTH,
        height=HEIGHT,
    )
