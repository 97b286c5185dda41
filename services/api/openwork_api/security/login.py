"""Logging in and out in a browser: with a key, or at an identity provider."""

from __future__ import annotations

import base64
import hmac
import json
import logging
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import RedirectResponse

from openwork_api.people import Person, Scope
from openwork_api.problems import ProblemError
from openwork_api.security.origins import own_path
from openwork_api.security.pkce import Login
from openwork_api.security.sessions import clear_cookie, cookie_of, is_secure, keep, set_cookie
from openwork_api.security.wiring import Security

if TYPE_CHECKING:
    from openwork_api.security.oidc import Provider

log = logging.getLogger(__name__)

router = APIRouter(prefix="/session", tags=["session"])
pages = APIRouter(prefix="/login", include_in_schema=False)

CALLBACK = "/login/callback"
_LOGIN_S = 600
"""Seconds in which a login at a provider is to be finished."""


class KeyGiven(BaseModel):
    """What a session is begun with."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    key: str = Field(min_length=1, max_length=200, examples=["ow_k3j9x0a1b2c3_..."])
    """It is not kept in the session, and the session ends when it is revoked."""


class Who(BaseModel):
    """Who asks."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    person: str | None
    """`None` = whoever sits at this machine."""
    scopes: tuple[Scope, ...]
    """What they may do."""


@router.post("", summary="Log in")
async def begin(body: KeyGiven, request: Request, response: Response) -> Who:
    """Begin a session: the browser gets a cookie, and no script sees it. Programs send their key with each request."""
    security = _security(request)
    person = await security.doorkeeper.by_credential(body.key, request)
    security.doorkeeper.count(request, person)
    await _begin(security, person, request, response)
    return _who(person)


@router.get("", summary="Who asks")
async def who(request: Request) -> Who:
    """As whom the request comes, and what they may do."""
    return _who(await _security(request).doorkeeper.person(request))


@router.delete("", status_code=204, summary="Log out")
async def end(request: Request, response: Response) -> None:
    """End the session, in every window of the browser."""
    if cookie := cookie_of(request):
        await _security(request).sessions.end(cookie)
    clear_cookie(response, request)


@pages.get("/oidc")
async def to_provider(request: Request, after: Annotated[str, Query(alias="next")] = "/") -> Response:
    """Send the browser to the identity provider.

    What the login was begun with is kept by the browser, for this page alone: whoever comes back with a code that
    another browser asked for is nobody here.
    """
    provider, security = _provider(request), _security(request)
    security.doorkeeper.count(request)  # the provider may be asked something for each
    login = Login.new()
    response = RedirectResponse(await provider.login_url(login, _redirect_uri(request)), 303)
    kept = json.dumps([login.state, login.nonce, login.verifier, own_path(after)])
    keep(response, request, _cookie_name(request), base64.urlsafe_b64encode(kept.encode()).decode(), _LOGIN_S)
    return response


@pages.get("/callback")
async def from_provider(
    request: Request,
    code: Annotated[str, Query(max_length=4000)] = "",
    state: Annotated[str, Query(max_length=200)] = "",
    error: Annotated[str, Query(max_length=200)] = "",
    iss: Annotated[str | None, Query(max_length=500)] = None,
) -> Response:
    """The browser comes back: begin its session, and send it on."""
    provider, security = _provider(request), _security(request)
    login, after = _kept(request)
    if login is None or not hmac.compare_digest(login.state.encode(), state.encode()):
        raise ProblemError(401, "LoginRefused", "this login was not begun in this browser, or too long ago; begin anew")
    if iss is not None and iss != security.issuer:  # RFC 9207
        raise ProblemError(401, "LoginRefused", "the login was done at another provider; begin anew")
    if not code:
        raise ProblemError(401, "LoginRefused", f"the identity provider says {error or 'nothing'!r}; begin anew")
    security.doorkeeper.count(request)  # the provider is asked something for each
    person = await provider.redeem(login, code, _redirect_uri(request))
    response = RedirectResponse(after, 303)
    await _begin(security, person, request, response)
    keep(response, request, _cookie_name(request), "", 0)
    return response


async def _begin(security: Security, person: Person, request: Request, response: Response) -> None:
    """Always under a new number: one that was there before may be known to others."""
    if cookie := cookie_of(request):
        await security.sessions.end(cookie)
    set_cookie(response, request, await security.sessions.begin(person))
    by = f"key {person.key_id}" if person.key_id else "identity provider"
    log.info("a session of %s began (%s)", person.name, by)


def _who(person: Person) -> Who:
    return Who(person=person.name, scopes=tuple(sorted(person.scopes)))


def _security(request: Request) -> Security:
    security: Security = request.app.state.security
    return security


def _provider(request: Request) -> Provider:
    provider = _security(request).provider
    if provider is None:
        raise ProblemError(404, "NoProvider", "no identity provider is set up here; log in with a key")
    return provider


def _redirect_uri(request: Request) -> str:
    """As the request names us, which was judged before it came here."""
    return f"{request.scope['scheme']}://{request.headers['host']}{CALLBACK}"


def _kept(request: Request) -> tuple[Login | None, str]:
    try:
        kept: Any = json.loads(base64.urlsafe_b64decode(request.cookies.get(_cookie_name(request), "")))
        state, nonce, verifier, after = (str(part) for part in kept)
    except (ValueError, TypeError, RecursionError):
        return None, "/"
    return Login(state, nonce, verifier), own_path(after)


def _cookie_name(request: Request) -> str:
    return "__Host-openwork-login" if is_secure(request) else "openwork-login"
