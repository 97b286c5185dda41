"""OpenID Connect: an identity provider says who somebody is. Discovery, its keys, the code flow with PKCE, tokens."""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
from openwork_contracts.errors import UsageError

from openwork_api.people import Person, Scope
from openwork_api.problems import ProblemError
from openwork_api.security.keys import INVALID
from openwork_api.security.origins import is_loopback_name
from openwork_api.security.persons import groups_in, person_of, scopes_of
from openwork_api.security.pkce import Login
from openwork_api.security.tokens import Key, KeyNotKnown, TokenRefused, claims_of, keys_in

log = logging.getLogger(__name__)

TIMEOUT_S = 5.0
"""Seconds for one answer of the provider, whole."""
_DISCOVERY = "/.well-known/openid-configuration"
_MOST_BYTES = 2**20
_FRESH_S = 600.0
"""Seconds after which its keys are asked for again."""
_STALE_S = 3600.0
"""Seconds after which old keys are believed no more, although it does not answer."""
_AGAIN_S = 30.0
"""Seconds between two questions for its keys: whoever sends tokens of unknown keys must not make us ask each time."""
_AGAIN_AFTER_FAILURE_S = 2.0


@dataclass(frozen=True, slots=True)
class ProviderTerms:
    """What is agreed with a provider."""

    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    """Empty = a public client: PKCE alone."""
    audience: str | None = None
    """Of tokens that programs bring; `None` = none is taken."""
    person_claim: str = "sub"
    groups_claim: str = "groups"
    scopes: Mapping[Scope, frozenset[str]] = field(default_factory=dict)
    """Groups of which one is needed, by scope; empty = everybody may everything."""
    ca_file: Path | None = None
    timeout_s: float = TIMEOUT_S


class Provider:
    """One identity provider. Nothing is asked of it before somebody comes."""

    def __init__(self, terms: ProviderTerms, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Raises UsageError: the terms cannot be used."""
        _check_address("issuer", terms.issuer)
        self._terms = terms
        self._clock = clock
        self._client = httpx.AsyncClient(
            timeout=terms.timeout_s, follow_redirects=False, trust_env=False, verify=_trusted(terms.ca_file)
        )
        self._asking, self._discovering = asyncio.Lock(), asyncio.Lock()
        self._known: dict[str, Any] = {}
        self._away_until = float("-inf")
        self._keys: dict[str, Key] = {}
        self._keys_at, self._not_before = float("-inf"), float("-inf")

    @property
    def takes_tokens(self) -> bool:
        """Whether programs may come with tokens of it."""
        return self._terms.audience is not None

    async def close(self) -> None:
        """Close its connections."""
        await self._client.aclose()

    async def login_url(self, login: Login, redirect_uri: str) -> str:
        """Where a browser is sent to log in.

        Raises:
            ProblemError: 503, the provider gives no usable answer.
        """
        asked = {
            "response_type": "code",
            "client_id": self._terms.client_id,
            "redirect_uri": redirect_uri,
            "scope": "openid profile",
            "state": login.state,
            "nonce": login.nonce,
            "code_challenge": login.challenge,
            "code_challenge_method": "S256",
        }
        where = await self._endpoint("authorization_endpoint")
        return f"{where}{'&' if '?' in where else '?'}{urlencode(asked)}"

    async def redeem(self, login: Login, code: str, redirect_uri: str) -> Person:
        """Who came back from a login with this code.

        Raises:
            ProblemError: 401, the code or the token says nobody; 503, the provider gives no usable answer.
        """
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": login.verifier,
            "client_id": self._terms.client_id,
        }
        secret = self._terms.client_secret
        by_form = "client_secret_post" in await self._methods()
        if secret and by_form:
            form["client_secret"] = secret
        basic = httpx.BasicAuth(_form(self._terms.client_id), _form(secret)) if secret and not by_form else None
        answer = await self._answer("POST", await self._endpoint("token_endpoint"), form=form, auth=basic)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise _refused("the provider did not take the code", "the login")
        return self._person(await self._claims(token, self._terms.client_id, login.nonce), "the login")

    async def bearer(self, token: str) -> Person:
        """Who a program comes as with a token.

        Raises:
            ProblemError: 401, it says nobody; 503, the provider's keys cannot be had.
        """
        assert self._terms.audience is not None
        return self._person(await self._claims(token, self._terms.audience, None), "the token")

    # --- inside ------------------------------------------------------------------------------------------------------

    async def _claims(self, token: str, audience: str, nonce: str | None) -> dict[str, Any]:
        what = "the token" if nonce is None else "the login"
        await self._have_keys()
        try:
            try:
                return self._read(token, audience, nonce)
            except KeyNotKnown:
                await self._ask_for_keys()
                return self._read(token, audience, nonce)
        except TokenRefused as error:
            raise _refused(str(error), what) from error

    def _read(self, token: str, audience: str, nonce: str | None) -> dict[str, Any]:
        return claims_of(token, self._keys, issuer=self._terms.issuer, audience=audience, nonce=nonce)

    def _person(self, claims: Mapping[str, Any], what: str) -> Person:
        name = claims.get(self._terms.person_claim)
        if not isinstance(name, str) or not name:
            raise _refused(f"it has no claim {self._terms.person_claim!r}", what)
        scopes = scopes_of(groups_in(claims.get(self._terms.groups_claim)), self._terms.scopes)
        if not scopes:
            raise ProblemError(403, "NotAllowed", "nobody gave you a right here; ask whoever runs this")
        return Person(person_of(name), scopes)

    async def _have_keys(self) -> None:
        """Keys that are fresh; old ones for a while where the provider does not answer."""
        if self._clock() - self._keys_at < _FRESH_S:
            return
        try:
            await self._ask_for_keys()
        except ProblemError:
            if self._clock() - self._keys_at >= _STALE_S:
                raise
            log.warning("the identity provider gives no keys; those of a while ago are used")

    async def _ask_for_keys(self) -> None:
        async with self._asking:
            if self._clock() < self._not_before:
                if self._clock() - self._keys_at >= _STALE_S:
                    raise _unavailable("it gave no keys a moment ago")
                return
            try:
                self._keys = keys_in(await self._answer("GET", await self._endpoint("jwks_uri")))
            except ProblemError:
                self._known = {}  # it may have moved
                self._not_before = self._clock() + _AGAIN_AFTER_FAILURE_S
                raise
            self._keys_at = self._clock()
            self._not_before = self._keys_at + _AGAIN_S

    async def _methods(self) -> list[str]:
        """Ways in which a client says its secret; basic, where it says nothing (OpenID Connect Discovery 3)."""
        methods = (await self._discovered()).get("token_endpoint_auth_methods_supported")
        named = methods if isinstance(methods, list) else []
        return [] if "client_secret_basic" in named or not named else named

    async def _endpoint(self, name: str) -> str:
        address = (await self._discovered()).get(name)
        try:
            return _check_address(name, address if isinstance(address, str) else "")
        except UsageError as error:
            raise _unavailable(str(error)) from error

    async def _discovered(self) -> dict[str, Any]:
        async with self._discovering:
            if not self._known:
                if self._clock() < self._away_until:
                    raise _unavailable("it gave no answer a moment ago")
                try:
                    self._known = await self._configuration()
                except ProblemError:
                    self._away_until = self._clock() + _AGAIN_AFTER_FAILURE_S
                    raise
            return self._known

    async def _configuration(self) -> dict[str, Any]:
        found = await self._answer("GET", self._terms.issuer.rstrip("/") + _DISCOVERY)
        if found.get("issuer") != self._terms.issuer:
            raise _unavailable("it says that it is another issuer than OPENWORK_API_OIDC_ISSUER")
        return found

    async def _answer(
        self, method: str, url: str, *, form: dict[str, str] | None = None, auth: httpx.Auth | None = None
    ) -> dict[str, Any]:
        """An object of JSON; of a refusal whatever it holds."""
        try:
            async with (
                asyncio.timeout(self._terms.timeout_s),
                self._client.stream(method, url, data=form, auth=auth) as response,
            ):
                body = bytearray()
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) > _MOST_BYTES:
                        raise _unavailable("it answers with too much")
                if response.status_code >= 500 or (method == "GET" and response.status_code != 200):
                    raise _unavailable(f"it answers {response.status_code}")
        except (httpx.HTTPError, TimeoutError) as error:
            raise _unavailable(f"no answer within {self._terms.timeout_s:g} s ({type(error).__name__})") from error
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise _unavailable("it answers with what is no JSON") from error
        if not isinstance(answer, dict):
            raise _unavailable("it answers with another form")
        return answer


def _check_address(name: str, address: str) -> str:
    """https, or this machine: what is said over http to others, others read and write."""
    parts = urlsplit(address)
    is_here = parts.scheme == "http" and is_loopback_name(parts.hostname or "")
    if not parts.hostname or parts.fragment or (parts.scheme != "https" and not is_here):
        raise UsageError(f"the identity provider's {name} {address!r} must be an address with https")
    return address


def _trusted(ca_file: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise UsageError(f"OPENWORK_API_OIDC_CA_FILE {ca_file} cannot be used: {error}") from error


def _form(text: str) -> str:
    """RFC 6749 2.3.1: both are encoded as in a form before they are put together."""
    return urlencode({"": text})[1:]


def _refused(why: str, what: str) -> ProblemError:
    return ProblemError(401, "LoginRefused", f"{what} cannot be used: {why}", headers=INVALID)


def _unavailable(why: str) -> ProblemError:
    log.warning("the identity provider cannot be used: %s", why)
    return ProblemError(503, "IssuerUnavailable", f"the identity provider cannot be used: {why}", retry_after_s=5.0)
