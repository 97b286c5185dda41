"""Who asks: a key, or a sign-in elsewhere."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from openwork_api.pages.frame import page
from openwork_api.security.wiring import Security

router = APIRouter()

_OURS = re.compile(r"/(?![/\\])[!-~]*")


@router.get("/login")
async def login(request: Request, next_: Annotated[str, Query(alias="next", max_length=4000)] = "/") -> Response:
    """Where a key is typed; then it goes on to where somebody wanted to go, on this site and nowhere else."""
    security: Security = request.app.state.security
    return page(
        request, "login.html", title="Sign in", here="/login", next=safe_next(next_), oidc=security.provider is not None
    )


def safe_next(wanted: str) -> str:
    """An address on this site."""
    return wanted if _OURS.fullmatch(wanted) and "\\" not in wanted else "/"
