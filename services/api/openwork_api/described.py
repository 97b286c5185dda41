"""The OpenAPI 3.1 description: what the framework makes of the handlers, with every error as the problem that it is."""

from __future__ import annotations

import re
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from openwork_contracts.enums import OpenEnum

from openwork_api.problems import MEDIA_TYPE, Problem

_PROBLEM = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
_OTHERS = "Any other error: a name that is not ours (421), another page's request (403), a body too large (413)."
_PLAIN = frozenset({"/healthz", "/readyz"})
"""What probes ask; they read no more than the status."""


def install(app: FastAPI) -> None:
    """Have an application describe itself so, once."""

    def described() -> dict[str, Any]:
        if not app.openapi_schema:
            app.openapi_schema = describe(app)
        return app.openapi_schema

    setattr(app, "openapi", described)  # noqa: B010 - the framework's own way to replace it


def allowed(app: FastAPI, path: str) -> str | None:
    """What a path can be asked with, as the header `Allow` says it; `None` = it is none of the API's."""
    for pattern, operations in app.openapi()["paths"].items():
        if re.fullmatch(re.sub(r"\\{[a-z_]+\\}", "[^/]+", re.escape(pattern)), path):
            return ", ".join(sorted(name.upper() for name in operations))
    return None


def describe(app: FastAPI) -> dict[str, Any]:
    """The description of all operations that are not pages."""
    made = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    schemas: dict[str, Any] = made["components"]["schemas"]
    schemas["Problem"] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for kind in OpenEnum.__subclasses__():
        if known := schemas.get(kind.__name__, {}).pop("enum", None):
            # A newer service may say more: what is known is no bound.
            schemas[kind.__name__]["examples"] = known
    for path, operations in made["paths"].items():
        for operation in operations.values():
            _with_problems(operation, is_plain=path in _PLAIN)
    made["tags"] = [{"name": name, "description": words} for name, words in TAGS.items()]
    return made


TAGS = {
    "runs": "Ask, follow, list and search, get, cancel, delete, ask again.",
    "evidence": "The works that were found with what became of each, passages, the search log.",
    "exports": "A run for a reference manager, a spreadsheet, a colleague.",
    "verify": "The verification gate alone, on any text.",
    "observatory": "What the system did lately, in figures, for those who run it.",
    "session": "Sign a browser in and out.",
    "health": "For balancers, probes and Prometheus; no key is asked.",
}


def _with_problems(operation: dict[str, Any], *, is_plain: bool) -> None:
    responses: dict[str, Any] = operation["responses"]
    if is_plain:
        responses.pop("422", None)
        return
    for status, response in responses.items():
        if status.startswith(("4", "5")):
            response["content"] = _PROBLEM
    responses["default"] = {"description": _OTHERS, "content": _PROBLEM}
