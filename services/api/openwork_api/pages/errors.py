"""The page of an error, in the same frame as all others."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from openwork_api.pages.frame import page
from openwork_api.problems import Problem

_NO_PAGE = "There is no page at this address."
_HEADINGS = {
    403: "That is not allowed",
    404: "Not found",
    405: "That cannot be done here",
    413: "That is too much at once",
    422: "That cannot be used",
    429: "Too much at once",
    503: "The services do not answer",
}


def page_of(request: Request, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """An error as a page; who is not known is asked who they are."""
    if problem.status == 401 and request.method == "GET" and request.url.path != "/login":
        wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?next={quote(wanted, safe='')}", 303, {"Cache-Control": "no-store"})
    made = page(
        request,
        "error.html",
        title=_HEADINGS.get(problem.status, "Something went wrong"),
        status=problem.status,
        problem=problem,
        detail=_NO_PAGE if problem.status == 404 and problem.code == "HttpError" else problem.detail,
    )
    for name, value in (headers or {}).items():
        made.headers[name] = value
    if problem.retry_after_s is not None:
        made.headers["Retry-After"] = str(max(1, round(problem.retry_after_s)))
    return made
