"""The application: routers, errors, middlewares, put together. What decides stands in the modules that it names."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.routing import BaseRoute

from openwork_api import described, metrics, problems
from openwork_api.api import evidence, exports, health, lookup, observatory, runs, stream, verify
from openwork_api.asker import Asker
from openwork_api.idempotency import Idempotency
from openwork_api.mcp import endpoint as mcp
from openwork_api.pages import routes
from openwork_api.pages.errors import page_of
from openwork_api.problems import Problem
from openwork_api.security import login
from openwork_api.security.wiring import Security, in_memory
from openwork_api.settings import Settings

VERSION = "1.0.0"
_DESCRIPTION = """\
Ask a clinical or biomedical question and get a short synthesis in which every sentence cites the passage it rests on,
checked number by number. It presents evidence; it does not diagnose, prescribe or advise a patient.

Errors are problem details (RFC 9457): `detail` says what to do, `code` says it to programs."""
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": words}
    for status, words in (
        (401, "No key, or one that is not known."),
        (403, "The key may not do that, or the request came from another page."),
        (404, "No such run, or it is somebody else's."),
        (422, "What was sent cannot be used; the detail says what to send."),
        (429, "Too much is asked; `Retry-After` says when to come again."),
        (503, "The services do not answer."),
    )
}


def create_app(asker: Asker, settings: Settings, *, security: Security | None = None) -> FastAPI:
    """The application of one process; `security.middleware.protected` is what stands around it.

    Args:
        security: who may come; `None` = by the settings: who sits at this machine, or nobody.
    """
    app = FastAPI(
        title="Open Work",
        version=VERSION,
        description=_DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,  # the framework's own pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.asker = asker
    app.state.settings = settings
    app.state.security = security = security or in_memory(settings)
    app.state.guard = security.doorkeeper
    app.state.idempotency = Idempotency(security.entries, security.quota.check)
    app.router.routes.extend(_routes())
    mcp.install(app)
    metrics.install(app)
    problems.install(app, described.allowed, page_of)
    described.install(app)
    return app


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """The routes that every application has. They know none of them, and so are made once for all of a process: to look
    through their parameters takes a tenth of a second."""
    whole = APIRouter()
    v1 = APIRouter(prefix=metrics.API_PREFIX, responses=_ERRORS)
    for module in (runs, stream, evidence, exports, lookup, verify, observatory, login):
        v1.include_router(module.router)
    for router in (v1, login.pages, health.router, routes.router):
        whole.include_router(router)
    return tuple(whole.routes)
