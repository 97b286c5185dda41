"""Problem details (RFC 9457): every error of the API is one, and says what to do."""

from __future__ import annotations

import logging
from collections.abc import Callable
from traceback import format_tb
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from openwork_contracts.errors import (
    BusUnavailable,
    Busy,
    ContractViolation,
    EventTooLarge,
    OpenWorkError,
    RunNotFound,
    UsageError,
)
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"


class Problem(BaseModel):
    """An error, after RFC 9457."""

    type: str = Field(examples=["about:blank"])
    """`about:blank`: the status says what kind it is; `code` says it more exactly."""
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["no run 01JD3W8Q4Z5N6P7R8S9TAVBWCX is stored, or it is not yours"])
    """What is wrong and what to send instead, in plain words."""
    instance: str | None = Field(default=None, examples=["/api/v1/runs/01JD3W8Q4Z5N6P7R8S9TAVBWCX"])
    code: str = Field(examples=["RunNotFound"])
    """The same for programs."""
    retry_after_s: float | None = None
    """When asking again may help."""


class ProblemError(Exception):
    """An error that a handler raises to end a request."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        retry_after_s: float | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail
        self.retry_after_s, self.headers = retry_after_s, headers or {}


_STATUS: tuple[tuple[type[OpenWorkError], int], ...] = (
    (RunNotFound, 404),
    (UsageError, 422),
    (Busy, 429),
    (EventTooLarge, 413),
    (BusUnavailable, 503),
    (ContractViolation, 502),
)
"""Errors of the services, by what an HTTP client does next."""
_TITLES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    406: "Not Acceptable",
    408: "Request Timeout",
    409: "Conflict",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    421: "Misdirected Request",
    422: "Unprocessable Content",
    429: "Too Many Requests",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
}


def as_problem(error: Exception, instance: str | None) -> Problem:
    """Any error as a problem; of one that nobody expected only that it happened."""
    if isinstance(error, ProblemError):
        return _problem(error.status, error.code, error.detail, instance, error.retry_after_s)
    if isinstance(error, OpenWorkError):
        status = next((number for kind, number in _STATUS if isinstance(error, kind)), 500)
        retry_after_s = error.retry_after_s or (1.0 if status == 503 else None)
        return _problem(status, type(error).__name__, str(error), instance, retry_after_s)
    if isinstance(error, RequestValidationError):
        return _problem(422, "UsageError", _first_fault(error), instance)
    if isinstance(error, HTTPException):
        return _problem(error.status_code, "HttpError", str(error.detail), instance)
    return _problem(500, "OpenWorkError", f"The API failed unexpectedly ({type(error).__name__}).", instance)


def response_of(problem: Problem, headers: dict[str, str] | None = None) -> JSONResponse:
    """A problem as it is sent."""
    body = problem.model_dump(exclude_none=True)
    more = dict(headers or {})
    if problem.retry_after_s is not None:
        more["Retry-After"] = str(max(1, round(problem.retry_after_s)))
    return JSONResponse(body, problem.status, more, MEDIA_TYPE)


def install(app: FastAPI, allowed: Callable[[FastAPI, str], str | None], page_of: Any = None) -> None:
    """Answer every error of an application as a problem, or, where a browser asked for a page, as a page.

    Args:
        allowed: what a path can be asked with, as the header `Allow` says it.
        page_of: request and problem in, a response out; `None` = always a problem.
    """

    async def handle(request: Request, error: Exception) -> Any:
        problem = as_problem(error, request.url.path)
        if problem.status >= 500 and not isinstance(error, OpenWorkError | ProblemError | HTTPException):
            # Where, and not what: the message of an error may quote somebody's question.
            where = "".join(format_tb(error.__traceback__))
            log.error("%s %s failed: %s\n%s", request.method, request.url.path, type(error).__name__, where)
        headers = dict(getattr(error, "headers", None) or {})
        if problem.status == 405 and (methods := allowed(app, request.url.path)):
            headers["Allow"] = methods  # of all routes of that path; the framework knows the last one's
        if page_of is not None and _wants_page(request):
            return page_of(request, problem, headers)
        return response_of(problem, headers)

    for kind in (ProblemError, OpenWorkError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, handle)


def _wants_page(request: Request) -> bool:
    """A browser that goes somewhere, not a program or a script of a page."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")


def _problem(status: int, code: str, detail: str, instance: str | None, retry_after_s: float | None = None) -> Problem:
    return Problem(
        type="about:blank",
        title=_TITLES.get(status, "Error"),
        status=status,
        detail=detail,
        instance=instance,
        code=code,
        retry_after_s=retry_after_s,
    )


def _first_fault(error: RequestValidationError) -> str:
    """Where and what; never the value, which may be somebody's question."""
    first = error.errors()[0] if error.errors() else {"loc": (), "msg": "the request cannot be read"}
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])
