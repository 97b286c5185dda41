"""The API's reference, made from its own description."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, FastAPI, Request, Response

from openwork_api.pages.frame import rendered
from openwork_api.pages.views.operations import reference_of

router = APIRouter()


@router.get("/docs")
async def docs(request: Request) -> Response:
    """Every operation; made once a process, since the description does not change in it."""
    app: FastAPI = request.app
    made: str | None = getattr(app.state, "reference_page", None)
    if made is None:
        # Half a second for a processor, and others read in the meantime.
        made = app.state.reference_page = await asyncio.to_thread(_made, app)
    return Response(made, media_type="text/html", headers={"Cache-Control": "no-cache"})


def _made(app: FastAPI) -> str:
    view = reference_of(app.openapi(), "http://127.0.0.1:8000")
    return rendered("docs.html", title="API", here="/docs", account=not app.state.settings.is_open, view=view)
