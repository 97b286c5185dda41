"""Logging in with a key or at a provider, and out; the cookie; and who could be made to log in as another."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from openwork_api.security.pkce import Login

from tests.fakes.oidc_issuer import CLIENT_ID, CLIENT_SECRET, FakeIssuer, Fault
from tests.protected_api import FAR, ProtectedApi, protected_api

SESSION = "/api/v1/session"
RUNS = "/api/v1/runs"
LED = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


async def test_a_key_begins_a_session_that_the_browser_keeps_for_this_host_alone() -> None:
    async with protected_api() as api, api.browser() as browser:
        began = await browser.post(SESSION, json={"key": await api.key()})
        assert began.json() == {"person": "dr-weiss", "scopes": ["ask", "delete", "read"]}
        name, _, rest = began.headers["set-cookie"].partition("=")
        assert name == "__Host-openwork"
        assert {"HttpOnly", "Path=/", "SameSite=lax", "Secure"} <= {part.strip() for part in rest.split(";")}
        assert "Domain" not in rest
        assert (await browser.get(RUNS)).is_success


async def test_on_a_machines_own_name_the_cookie_works_without_https() -> None:
    async with protected_api(api_host="127.0.0.1") as api, api.browser() as browser:
        began = await browser.post(SESSION, json={"key": await api.key()})
        assert began.headers["set-cookie"].startswith("openwork=")
        assert "Secure" not in began.headers["set-cookie"]
        assert (await browser.get(SESSION)).json()["person"] == "dr-weiss"


async def test_who_logs_out_is_nobody_also_with_the_old_cookie() -> None:
    async with protected_api() as api, api.browser() as browser, api.browser() as thief:
        await browser.post(SESSION, json={"key": await api.key()})
        thief.cookies = httpx.Cookies(browser.cookies)
        assert (await browser.delete(SESSION)).status_code == 204
        assert (await browser.get(RUNS)).json()["code"] == "KeyMissing"
        assert (await thief.get(RUNS)).json()["code"] == "SessionOver"
        assert (await browser.delete(SESSION)).status_code == 204


async def test_a_new_login_has_a_new_number_and_ends_the_old_one() -> None:
    """A number that somebody planted before the login opens nothing after it."""
    async with protected_api() as api, api.browser() as browser, api.browser() as thief:
        await browser.post(SESSION, json={"key": await api.key("dr-roth")})
        thief.cookies = httpx.Cookies(browser.cookies)
        await browser.post(SESSION, json={"key": await api.key()})
        assert dict(browser.cookies) != dict(thief.cookies)
        assert (await browser.get(SESSION)).json()["person"] == "dr-weiss"
        assert (await thief.get(SESSION)).status_code == 401


async def test_no_page_of_another_site_logs_anybody_in_or_out_or_uses_a_session() -> None:
    async with protected_api() as api, api.browser() as browser:
        key = await api.key()
        await browser.post(SESSION, json={"key": key})
        evil = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
        for method, path, body in (("POST", SESSION, {"key": key}), ("DELETE", SESSION, None), ("GET", RUNS, None)):
            assert (await browser.request(method, path, json=body, headers=evil)).status_code == 403
        form = await browser.post(SESSION, data={"key": key})
        assert form.status_code == 415
        assert (await browser.get(RUNS)).is_success


async def test_a_wrong_key_begins_nothing_and_is_not_repeated() -> None:
    async with protected_api() as api, api.browser() as browser:
        key = f"ow_{'a' * 12}_{'0' * 48}"
        refused = await browser.post(SESSION, json={"key": key})
        assert (refused.status_code, refused.json()["code"]) == (401, "KeyUnknown")
        assert "set-cookie" not in refused.headers
        assert key not in refused.text
        again = await browser.post(SESSION, json={"key": key, "next": "/"})
        assert again.status_code == 422
        assert key not in again.text


async def test_a_session_that_is_over_is_whoever_sits_at_this_machine_where_that_is_enough() -> None:
    async with protected_api(api_host="127.0.0.1") as api, api.browser() as browser:
        assert (await browser.get(SESSION, headers={"Cookie": f"openwork={'x' * 43}"})).json()["person"] is None


# --- at a provider ---------------------------------------------------------------------------------------------------


@pytest.fixture
async def issuer() -> AsyncIterator[FakeIssuer]:
    async with FakeIssuer().running() as issuer:
        yield issuer


def agreed(issuer: FakeIssuer) -> dict[str, str]:
    return {
        "api_oidc_issuer": issuer.url,
        "api_oidc_client_id": CLIENT_ID,
        "api_oidc_client_secret": CLIENT_SECRET,
    }


async def to_provider_and_back(browser: httpx.AsyncClient, wanted: str = "/") -> str:
    """Where the provider sends the browser back to."""
    begun = await browser.get("/login/oidc", params={"next": wanted})
    assert begun.status_code == 303
    async with httpx.AsyncClient(trust_env=False) as elsewhere:
        return str((await elsewhere.get(begun.headers["location"])).headers["location"])


async def came_back(browser: httpx.AsyncClient, place: str) -> httpx.Response:
    return await browser.get(place.removeprefix(FAR), headers=LED)


def led(api: ProtectedApi) -> httpx.AsyncClient:
    """A browser whose requests are navigations: without an origin."""
    browser = api.browser()
    del browser.headers["origin"]
    return browser


async def test_a_login_at_the_provider_begins_a_session_and_goes_on_where_one_wanted_to(issuer: FakeIssuer) -> None:
    async with protected_api(**agreed(issuer)) as api, led(api) as browser:
        done = await came_back(browser, await to_provider_and_back(browser, "/runs/x?y=1"))
        assert (done.status_code, done.headers["location"]) == (303, "/runs/x?y=1")
        assert (await browser.get(SESSION)).json()["person"] == "dr-weiss"
        assert "__Host-openwork-login" not in browser.cookies


async def test_a_code_that_another_browser_asked_for_logs_nobody_in(issuer: FakeIssuer) -> None:
    """Who is led to a callback with the code of an attacker would ask their questions as the attacker."""
    async with protected_api(**agreed(issuer)) as api, led(api) as attacker, led(api) as victim:
        place = await to_provider_and_back(attacker)
        assert (await came_back(victim, place)).status_code == 401
        await to_provider_and_back(victim)
        assert (await came_back(victim, place)).status_code == 401
        assert (await victim.get(SESSION)).status_code == 401
        assert (await came_back(attacker, place)).status_code == 303
        assert (await came_back(attacker, place)).status_code == 401  # once


@pytest.mark.parametrize("change", [{"iss": "https://evil.example"}, {"state": "x"}, {"state": ""}, {"code": ""}])
async def test_a_callback_that_was_changed_logs_nobody_in(issuer: FakeIssuer, change: dict[str, str]) -> None:
    async with protected_api(**agreed(issuer)) as api, led(api) as browser:
        place = urlsplit(await to_provider_and_back(browser))
        query = {name: values[0] for name, values in parse_qs(place.query).items()} | change
        refused = await browser.get(place.path, params=query, headers=LED)
        assert refused.status_code == 401
        assert (await browser.get(SESSION)).status_code == 401


async def test_a_provider_that_refuses_or_is_away_is_said_in_words(issuer: FakeIssuer) -> None:
    async with protected_api(**agreed(issuer)) as api, led(api) as browser:
        await to_provider_and_back(browser)
        state = str(json.loads(base64.urlsafe_b64decode(browser.cookies["__Host-openwork-login"]))[0])
        refused = await browser.get("/login/callback", params={"error": "access_denied", "state": state}, headers=LED)
        assert "access_denied" in refused.json()["detail"]
        issuer.faults = {Fault.WRONG_NONCE}
        assert (await came_back(browser, await to_provider_and_back(browser))).status_code == 401
    issuer.faults = {Fault.BROKEN}
    async with protected_api(**agreed(issuer)) as api, led(api) as browser:
        away = await browser.get("/login/oidc")
        assert (away.status_code, away.json()["code"]) == (503, "IssuerUnavailable")


async def test_without_a_provider_there_is_no_such_login() -> None:
    async with protected_api() as api, led(api) as browser:
        for path in ("/login/oidc", "/login/callback"):
            assert (await browser.get(path)).status_code == 404


def test_what_a_login_is_begun_with_is_never_the_same() -> None:
    one, other = Login.new(), Login.new()
    assert len({one.state, one.nonce, one.verifier, other.state, other.nonce, other.verifier}) == 6
    assert 43 <= len(one.verifier) <= 128
