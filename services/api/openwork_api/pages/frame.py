"""Templates, compiled once, and the frame that every page stands in."""

from __future__ import annotations

from functools import cache
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from openwork_report.render import DISCLAIMER

from openwork_api.pages.assets import address
from openwork_api.pages.messages import inline
from openwork_api.people import Person, Scope

NAVIGATION = (("/", "Ask"), ("/history", "History"), ("/check", "Check"), ("/docs", "API"))
LONGEST_TITLE = 90
"""Characters of a page's title; a tab shows fewer."""


@cache
def environment() -> Environment:
    """Templates escape all that they print, and a name that is not there is an error."""
    made = Environment(
        loader=PackageLoader("openwork_api", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals |= {"asset": address, "disclaimer": DISCLAIMER, "navigation": NAVIGATION}
    made.filters |= {"prose": inline, "number": _number, "query": lambda text: quote(str(text), safe="")}
    return made


def warm_up() -> None:
    """Compile every template before somebody waits for one."""
    for name in environment().list_templates():
        environment().get_template(name)


def page(
    request: Request, template: str, *, title: str, status: int = 200, here: str = "", **values: Any
) -> HTMLResponse:
    """A page.

    Args:
        here: the address in the navigation that it belongs to.
    """
    account = not request.app.state.settings.is_open
    person: Person | None = getattr(request.state, "person", None)
    observes = person is not None and person.may(Scope.OBSERVE)
    made = rendered(template, title=title, here=here, account=account, observes=observes, **values)
    return HTMLResponse(made, status, {"Cache-Control": "no-store"})


def rendered(template: str, **values: Any) -> str:
    """A template as text; a part of a page needs no title."""
    title = str(values.get("title") or "")
    if len(title) > LONGEST_TITLE:
        values["title"] = f"{title[:LONGEST_TITLE].rstrip()} ..."
    return environment().get_template(template).render(**{"here": "", "observes": False, **values})


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,}"
