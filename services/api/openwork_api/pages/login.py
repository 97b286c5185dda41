"""Who asks: a key, or a sign-in elsewhere."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from openwork_api.pages.frame import page
from openwork_api.security.origins import own_path
from openwork_api.security.wiring import Security

router = APIRouter()


@router.get("/login")
async def login(request: Request, next_: Annotated[str, Query(alias="next", max_length=4000)] = "/") -> Response:
    """Where a key is typed; then it goes on to where somebody wanted to go, on this site and nowhere else."""
    security: Security = request.app.state.security
    return page(
        request, "login.html", title="Sign in", here="/login", next=own_path(next_), oidc=security.provider is not None
    )
