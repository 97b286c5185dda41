"""An identity provider that speaks OpenID Connect over a real socket, and misbehaves when it is told to."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import secrets
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import Enum, auto
from functools import cache
from typing import Any
from urllib.parse import urlencode

import uvicorn
from joserfc import jwk, jwt
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT_ID = "open-work"
CLIENT_SECRET = "issuer+secret/1"
AUDIENCE = "https://openwork.example/api"


class Fault(Enum):
    """What it does wrong."""

    OTHER_DISCOVERY = auto()
    """Its discovery document names another issuer."""
    PLAIN_ENDPOINTS = auto()
    """Its endpoints are addresses without https, on another machine."""
    WRONG_ISSUER = auto()
    ALG_NONE = auto()
    SHARED_SECRET = auto()
    """Signed by HMAC with what everybody knows: its public key."""
    FOREIGN_KEY = auto()
    """Signed with another key under the id of its own."""
    EXPIRED = auto()
    NOT_YET = auto()
    WRONG_NONCE = auto()
    NO_NONCE = auto()
    WRONG_AUDIENCE = auto()
    OTHER_CLIENT = auto()
    """For several, and given to another one of them."""
    KID_UNKNOWN = auto()
    NO_PERSON = auto()
    LOGOUT_TOKEN = auto()
    NO_ID_TOKEN = auto()
    BROKEN = auto()
    """500 everywhere."""
    SLOW = auto()
    """No answer at all."""
    NOT_JSON = auto()
    HUGE = auto()


def _new_key() -> jwk.RSAKey:
    return jwk.RSAKey.generate_key(2048, {"kid": secrets.token_hex(4), "use": "sig"})


_first_key = cache(_new_key)
"""To make one takes a tenth of a second; every issuer of a process begins with the same."""


class FakeIssuer:
    """Everybody who comes is `subject`, without being asked."""

    def __init__(self) -> None:
        self.url = ""
        self.faults: set[Fault] = set()
        self.subject = "dr-weiss"
        self.claims: dict[str, Any] = {}
        """Further claims of whoever logs in."""
        self.n_key_requests = 0
        self.codes: dict[str, dict[str, str]] = {}
        self._closing = asyncio.Event()
        self.key = _first_key()

    def rotate(self) -> None:
        """Another key; the old one is not listed any more."""
        self.key = _new_key()

    def token(self, audience: str = AUDIENCE, *, nonce: str | None = None, **claims: Any) -> str:
        """A token, with the faults of the moment."""
        now = int(time.time())
        said: dict[str, Any] = {
            "iss": "https://evil.example" if Fault.WRONG_ISSUER in self.faults else self.url,
            "aud": "another" if Fault.WRONG_AUDIENCE in self.faults else audience,
            "sub": self.subject,
            "iat": now,
            "exp": now - 120 if Fault.EXPIRED in self.faults else now + 300,
            **self.claims,
            **claims,
        }
        if Fault.NOT_YET in self.faults:
            said["nbf"] = now + 300
        if Fault.OTHER_CLIENT in self.faults:
            said |= {"aud": [audience, "another"], "azp": "another"}
        if Fault.NO_PERSON in self.faults:
            said["sub"] = ""
        if nonce is not None and Fault.NO_NONCE not in self.faults:
            said["nonce"] = "another" if Fault.WRONG_NONCE in self.faults else nonce
        return self._signed(said)

    def _signed(self, claims: dict[str, Any]) -> str:
        header: dict[str, Any] = {"alg": "RS256", "kid": self.key.kid}
        if Fault.LOGOUT_TOKEN in self.faults:
            header["typ"] = "logout+jwt"
        if Fault.KID_UNKNOWN in self.faults:
            header["kid"] = "unknown"
        if Fault.ALG_NONE in self.faults:
            return _joined({**header, "alg": "none"}, claims, lambda _: b"")
        if Fault.SHARED_SECRET in self.faults:
            public = self.key.as_pem(private=False)
            return _joined({**header, "alg": "HS256"}, claims, lambda text: hmac.digest(public, text, "sha256"))
        key = jwk.RSAKey.generate_key(2048) if Fault.FOREIGN_KEY in self.faults else self.key
        return jwt.encode(header, claims, key, algorithms=["RS256"])

    # --- what it answers ---------------------------------------------------------------------------------------------

    async def _discovery(self, _: Request) -> Response:
        base = "http://elsewhere.example" if Fault.PLAIN_ENDPOINTS in self.faults else self.url
        return JSONResponse(
            {
                "issuer": "https://evil.example" if Fault.OTHER_DISCOVERY in self.faults else self.url,
                "authorization_endpoint": f"{base}/authorize",
                "token_endpoint": f"{base}/token",
                "jwks_uri": f"{base}/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            }
        )

    async def _keys(self, _: Request) -> Response:
        self.n_key_requests += 1
        symmetric = {"kty": "oct", "kid": "shared", "k": "AAAA"}  # of no use to anybody who only reads
        return JSONResponse({"keys": [symmetric, self.key.as_dict(private=False)]})

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        if (
            asked["client_id"] != CLIENT_ID
            or asked["code_challenge_method"] != "S256"
            or "openid" not in asked["scope"]
        ):
            return PlainTextResponse("bad request", 400)
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        back = urlencode({"code": code, "state": asked["state"], "iss": self.url})
        return RedirectResponse(f"{asked['redirect_uri']}?{back}", 302)

    async def _token(self, request: Request) -> Response:
        form = await request.form()
        asked = self.codes.pop(str(form.get("code")), None)
        verifier = hashlib.sha256(str(form.get("code_verifier")).encode()).digest()
        wanted = base64.b64encode(f"{CLIENT_ID}:{urlencode({'': CLIENT_SECRET})[1:]}".encode()).decode()
        if (
            asked is None
            or asked["code_challenge"] != base64.urlsafe_b64encode(verifier).rstrip(b"=").decode()
            or asked["redirect_uri"] != form.get("redirect_uri")
            or request.headers.get("authorization") != f"Basic {wanted}"
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        answer = {"access_token": "opaque", "token_type": "Bearer"}
        if Fault.NO_ID_TOKEN not in self.faults:
            answer["id_token"] = self.token(CLIENT_ID, nonce=asked["nonce"])
        return JSONResponse(answer)

    # --- as a server -------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def running(self) -> AsyncIterator[FakeIssuer]:
        """On loopback, on any free port."""
        listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(self._app, lifespan="off", log_level="critical", access_log=False))
        setattr(server, "capture_signals", contextlib.nullcontext)  # noqa: B010
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        try:
            yield self
        finally:
            self._closing.set()
            server.should_exit = True
            await serving

    @property
    def _app(self) -> Any:
        inner = Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._discovery),
                Route("/keys", self._keys),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
            ]
        )

        async def app(scope: Any, receive: Any, send: Any) -> None:
            if Fault.SLOW in self.faults:
                await self._closing.wait()
            wrong = {
                Fault.BROKEN: PlainTextResponse("broken", 500),
                Fault.NOT_JSON: PlainTextResponse("<html>"),
                Fault.HUGE: PlainTextResponse("[" + "1," * 2**20),
            }
            response = next((wrong[fault] for fault in wrong if fault in self.faults), inner)
            await response(scope, receive, send)

        return app


def _joined(header: dict[str, Any], claims: dict[str, Any], sign: Callable[[bytes], bytes]) -> str:
    """What no library would make."""
    text = b".".join(_encoded(json.dumps(part).encode()) for part in (header, claims))
    return b".".join((text, _encoded(sign(text)))).decode()


def _encoded(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")
