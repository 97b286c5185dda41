"""What every request passes before the application: hosts, origins, bodies, time, headers; and that streams pass."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from openwork_api.security.headers import CONTENT_SECURITY_POLICY
from openwork_api.security.limits import OpenStreams
from openwork_api.security.middleware import protected
from openwork_api.settings import Settings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

NOTES = "https://notes.example.org"
KEY = {"Authorization": "Bearer ow_x"}
A_KEY = f"ow_{'a' * 12}_{'0' * 48}"


async def _echo(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def _never(_: Request) -> Response:
    await asyncio.Event().wait()
    raise AssertionError


async def _stream(_: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(3):
            await asyncio.sleep(0.05)
            yield b"data: x\n\n"

    return StreamingResponse(pieces(), media_type="text/event-stream")


async def _static(_: Request) -> Response:
    return PlainTextResponse("x", headers={"Cache-Control": "public, max-age=60"})


async def _broken(_: Request) -> Response:
    raise RuntimeError("broken")


def client(settings: Settings | None = None, *, base: str = "http://localhost:8000") -> httpx.AsyncClient:
    methods = ["GET", "POST", "DELETE", "OPTIONS"]
    paths: dict[str, Callable[[Request], Any]] = {
        "/api/echo": _echo,
        "/never": _never,
        "/stream": _stream,
        "/static": _static,
        "/broken": _broken,
        "/healthz": _echo,
    }
    app = Starlette(routes=[Route(path, handle, methods=methods) for path, handle in paths.items()])
    around = protected(app, settings or Settings(), OpenStreams(9))
    transport = httpx.ASGITransport(around, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url=base)


async def answered(method: str, path: str, *, settings: Settings | None = None, **options: Any) -> httpx.Response:
    base = options.pop("base", "http://localhost:8000")
    async with client(settings, base=base) as browser:
        return await browser.request(method, path, **options)


def code(response: httpx.Response) -> str:
    assert response.headers["content-type"] == "application/problem+json"
    return str(response.json()["code"])


# --- hosts -----------------------------------------------------------------------------------------------------------


async def test_a_request_for_another_host_is_refused_whatever_it_asks() -> None:
    """DNS rebinding: the browser believes evil.example to be at 127.0.0.1, and says so."""
    for host in ("evil.example", "evil.example:8000", ""):
        response = await answered("GET", "/api/echo", headers={"Host": host, **KEY})
        assert (response.status_code, code(response)) == (421, "HostUnknown")
    settings = Settings(api_names="openwork.example.org")
    assert (await answered("GET", "/api/echo", base="http://openwork.example.org", settings=settings)).is_success
    assert (await answered("GET", "/api/echo", base="http://[::1]:8000")).is_success


async def test_two_hosts_are_none() -> None:
    response = await answered("GET", "/api/echo", headers=[("Host", "localhost"), ("Host", "evil.example")])
    assert response.status_code == 421


async def test_probes_come_under_the_address_of_a_pod() -> None:
    assert (await answered("GET", "/healthz", base="http://10.1.2.3:8000")).is_success
    assert (await answered("GET", "/api/echo", base="http://10.1.2.3:8000")).status_code == 421


@pytest.mark.parametrize("place", [f"/api/echo?key={A_KEY}", f"/api/echo?a=1&b=x{A_KEY}", f"/api/{A_KEY}"])
async def test_a_key_in_an_address_is_refused_with_what_to_do(place: str) -> None:
    response = await answered("GET", place, headers=KEY)
    assert (response.status_code, code(response)) == (400, "KeyInAddress")
    assert "revoke" in response.json()["detail"]
    assert A_KEY not in response.json()["detail"]
    encoded = await answered("GET", "/api/echo?key=" + "".join(f"%{ord(letter):02x}" for letter in A_KEY))
    assert encoded.status_code == 400


# --- origins ---------------------------------------------------------------------------------------------------------


async def test_a_page_of_another_site_changes_and_reads_nothing() -> None:
    for method in ("POST", "DELETE", "GET"):
        response = await answered(method, "/api/echo", headers={"Origin": "https://evil.example"})
        assert (response.status_code, code(response)) == (403, "ForeignPage")
        assert "access-control-allow-origin" not in response.headers
    assert (await answered("POST", "/api/echo", headers={"Origin": "http://localhost:8000"})).is_success


async def test_basic_authorisation_which_browsers_add_by_themselves_is_no_key() -> None:
    headers = {"Origin": "https://evil.example", "Authorization": "Basic eDp5"}
    assert (await answered("POST", "/api/echo", headers=headers)).status_code == 403


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "x/json"]
)
async def test_a_body_that_is_no_json_is_refused(kind: str) -> None:
    """What a form of any page can send without being asked whether it may."""
    response = await answered("POST", "/api/echo", content=b"{}", headers={"Content-Type": kind})
    assert (response.status_code, code(response)) == (415, "NotJson")


async def test_json_passes_and_so_does_no_body() -> None:
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert (await answered("POST", "/api/echo", content=b"{}", headers=headers)).text == "2"
    assert (await answered("POST", "/api/echo")).is_success
    assert (await answered("DELETE", "/api/echo")).is_success


async def test_listed_pages_may_use_keys_and_nothing_else() -> None:
    settings = Settings(api_origins=f"{NOTES}, https://other.example/")
    asked = {"Origin": NOTES, "Access-Control-Request-Method": "POST"}
    preflight = await answered("OPTIONS", "/api/echo", headers=asked, settings=settings)
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (204, NOTES)
    assert "Authorization" in preflight.headers["access-control-allow-headers"]
    with_key = await answered("POST", "/api/echo", headers={"Origin": NOTES, **KEY}, settings=settings)
    assert with_key.headers["access-control-allow-origin"] == NOTES
    assert "Origin" in with_key.headers["vary"]
    for response in (preflight, with_key):
        assert "access-control-allow-credentials" not in response.headers
    without = await answered("POST", "/api/echo", headers={"Origin": NOTES}, settings=settings)
    assert without.status_code == 403
    assert "access-control-allow-origin" not in without.headers


async def test_pages_that_are_not_listed_may_not() -> None:
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for settings in (Settings(), Settings(api_origins=NOTES)):
        preflight = await answered("OPTIONS", "/api/echo", headers=asked, settings=settings)
        assert preflight.status_code == 403
        assert "access-control-allow-origin" not in preflight.headers
        headers = {"Origin": "https://evil.example", **KEY}
        assert "access-control-allow-origin" not in (await answered("GET", "/api/echo", headers=headers)).headers


# --- bodies and time -------------------------------------------------------------------------------------------------


async def _in_pieces(n: int) -> AsyncIterator[bytes]:
    for _ in range(n):
        yield b" " * 512


async def test_a_body_that_is_too_large_is_refused_with_and_without_its_length() -> None:
    settings = Settings(api_body_bytes=1024)
    json = {"Content-Type": "application/json"}
    assert (await answered("POST", "/api/echo", content=b" " * 1024, headers=json, settings=settings)).text == "1024"
    assert (await answered("POST", "/api/echo", content=_in_pieces(2), headers=json, settings=settings)).text == "1024"
    for content in (b" " * 1025, _in_pieces(3)):
        response = await answered("POST", "/api/echo", content=content, headers=json, settings=settings)
        assert (response.status_code, code(response)) == (413, "BodyTooLarge")
    for length in ("-1", "x", "9" * 30, "1e3"):
        headers = {**json, "Content-Length": length}
        response = await answered("POST", "/api/echo", content=b"{}", headers=headers, settings=settings)
        assert response.status_code == 413


async def test_a_request_without_an_answer_in_time_is_given_up_and_a_stream_is_not() -> None:
    settings = Settings(api_time_limit_s=0.1)
    response = await answered("GET", "/never", settings=settings)
    assert (response.status_code, code(response)) == (504, "TooSlow")
    assert (await answered("GET", "/stream", settings=settings)).text == "data: x\n\n" * 3


# --- headers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/api/echo", "/healthz", "/nowhere", "/broken", "/stream", f"/x?k={A_KEY}"])
async def test_every_response_has_the_headers_whatever_it_is(path: str) -> None:
    headers = (await answered("GET", path)).headers
    assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert "strict-transport-security" not in headers
    assert "server" not in headers


async def test_a_file_says_itself_how_long_it_may_be_kept() -> None:
    assert (await answered("GET", "/static")).headers["cache-control"] == "public, max-age=60"


async def test_https_for_ever_is_said_over_https_and_not_of_a_machines_own_names() -> None:
    settings = Settings(api_names="openwork.example.org")
    far = await answered("GET", "/api/echo", base="https://openwork.example.org", settings=settings)
    assert far.headers["strict-transport-security"] == "max-age=31536000"
    for base in ("https://localhost", "http://openwork.example.org"):
        here = await answered("GET", "/api/echo", base=base, settings=settings)
        assert "strict-transport-security" not in here.headers
