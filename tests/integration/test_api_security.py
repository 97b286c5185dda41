"""Who may come, on a real server over real sockets: two persons, keys, sessions, replicas, rights on the bus."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from openwork.home import RunningServer
from openwork_api.pages.routes import router as pages
from openwork_api.security.keys import Keys
from openwork_api.service import ApiService
from openwork_bus.run_ids import new_run_id
from openwork_laptop.api_keys import keys_of
from openwork_laptop.home import Home

from tests.api_stack import ApiStack, a_service, api_stack, asked, ended
from tests.fakes.oidc_issuer import CLIENT_ID, CLIENT_SECRET, FakeIssuer
from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats

SESSION, RUNS = "/api/v1/session", "/api/v1/runs"
LIMIT_S = 30.0


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[OpenServer]:
    server = OpenServer(tmp_path / "nats")
    await server.start()
    yield server
    await server.stop()


@asynccontextmanager
async def api(server: OpenServer, **settings: Any) -> AsyncIterator[ApiService]:
    """The web app, without the services; everybody needs a key."""
    service = a_service(server, **{"api_open": False, **settings})
    await service.start()
    try:
        yield service
    finally:
        await service.stop()


@asynccontextmanager
async def keys(server: OpenServer) -> AsyncIterator[Keys]:
    """As `openwork keys` has them."""
    home = Home(server.folder)
    home.announce(RunningServer(os.getpid(), server.asker_url, stays=True))
    async with keys_of(None, home=home) as found:
        yield found


async def new_key(server: OpenServer, person: str, **more: Any) -> str:
    async with keys(server) as found:
        return (await found.add(person, **more))[1]


def program(url: str, key: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60)


def browser(url: str) -> httpx.AsyncClient:
    """Keeps cookies, and says what a browser says of a request of our own pages."""
    return httpx.AsyncClient(base_url=url, headers={"Origin": url, "Sec-Fetch-Site": "same-origin"}, timeout=60)


async def raw(url: str, *lines: str) -> str:
    """The answer to a request as it stands; a client of ours would log its address itself."""
    host, _, port = url.removeprefix("http://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write("\r\n".join([*lines, "Connection: close", "", ""]).encode())
    answer = (await reader.read()).decode()
    writer.close()
    await writer.wait_closed()
    return answer


# --- two persons -----------------------------------------------------------------------------------------------------


def _of_a_run(app: Any) -> Iterator[tuple[str, str]]:
    """Method and path of everything that names a run: of the API as it describes itself, of the pages as they are."""
    for path, methods in app.openapi()["paths"].items():
        if "{run_id}" in path:
            yield from ((method.upper(), path) for method in methods)
    for included in pages.routes:
        router: Any = getattr(included, "original_router", included)
        for route in router.routes:
            if "{run_id}" in route.path:
                yield from ((method, route.path.replace(":path", "")) for method in route.methods)


OF_REVIEWS = ("/runs/{run_id}/screening", "/runs/{run_id}/export/review")
"""Pages that an answer does not have."""


async def test_two_persons_see_and_change_their_own_runs_alone(tmp_path: Path) -> None:
    """Every route that names a run; lists, searches and comparisons; for both of them."""
    async with api_stack(tmp_path, api_open=False) as stack:
        app = _application(stack)
        weiss, roth = [await new_key(stack.server, person) for person in ("dr-weiss", "dr-roth")]
        async with program(stack.url, weiss) as hers, program(stack.url, roth) as his:
            run_id = await asked(hers)
            record: Any = await ended(hers, run_id)
            passage = quote(record["record"]["passages"][0]["passage_id"], safe="")
            routes = sorted(set(_of_a_run(app)), key=lambda route: route[0] == "DELETE")
            assert len(routes) >= 12
            for method, path in routes:
                place = path.format(run_id=run_id, passage_id=passage, format="ris")
                assert (await his.request(method, place)).status_code == 404, (method, place)
            for method, path in routes:  # and none of that changed anything of hers
                place = path.format(run_id=run_id, passage_id=passage, format="ris")
                wanted = (404,) if path in OF_REVIEWS else (200, 202, 204)
                assert (await hers.request(method, place)).status_code in wanted, (method, place)
            kept = await asked(hers)
            await ended(hers, kept)
            for query in ({}, {"query": "dapagliflozin"}, {"before": new_run_id()}):
                assert (await his.get(RUNS, params=query)).json()["runs"] == []
            async with asyncio.timeout(LIMIT_S):  # a run is shown as soon as it has ended, and listed when it is stored
                while kept not in (await hers.get(RUNS, params={"query": "dapagliflozin"})).text:  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            own = await asked(his)
            await ended(his, own)
            assert (await his.get("/compare", params={"a": own, "b": kept})).status_code == 404
            assert kept not in (await his.get("/history")).text


def _application(stack: ApiStack) -> Any:
    from openwork_api.web import create_app

    return create_app(stack.api.asker, stack.api.settings)


async def test_the_same_idempotency_key_of_two_persons_is_two_runs_and_of_two_replicas_one(tmp_path: Path) -> None:
    async with api_stack(tmp_path, api_open=False) as stack:
        second = stack.another(api_open=False)
        await second.start()
        weiss, roth = [await new_key(stack.server, person) for person in ("dr-weiss", "dr-roth")]
        body = {"question": "Does apixaban prevent stroke?", "options": {"sources": ["library"]}}
        replies = []
        for url, key in ((stack.url, weiss), (second.url, weiss), (stack.url, roth)):
            async with program(url, key) as client:
                replies.append((await client.post(RUNS, json=body, headers={"Idempotency-Key": "a"})).json())
        assert replies[0]["run_id"] == replies[1]["run_id"] != replies[2]["run_id"]
        assert [reply["already_known"] for reply in replies] == [False, True, False]
        await second.stop()


async def test_runs_of_a_day_are_counted_for_all_replicas_together(tmp_path: Path) -> None:
    async with api_stack(tmp_path, api_open=False) as stack:
        second = stack.another(api_open=False)
        await second.start()
        key = await new_key(stack.server, "dr-weiss", runs_per_day=1)
        async with program(stack.url, key) as one, program(second.url, key) as other:
            await asked(one)
            question = {"question": "Does apixaban prevent stroke?"}
            for headers in ({}, {"Idempotency-Key": "a"}):
                refused = await other.post(RUNS, json=question, headers=headers)
                assert (refused.status_code, refused.json()["code"]) == (429, "QuotaUsedUp")
        await second.stop()


async def test_a_run_is_followed_with_a_cookie(tmp_path: Path) -> None:
    """EventSource sends no header."""
    async with api_stack(tmp_path, api_open=False) as stack:
        key = await new_key(stack.server, "dr-weiss")
        async with browser(stack.url) as client:
            assert (await client.post(SESSION, json={"key": key})).is_success
            run_id = await asked(client)
            follows = {"Accept": "text/event-stream", "Sec-Fetch-Mode": "cors"}
            events = (await client.get(f"{RUNS}/{run_id}/events", headers=follows)).text
            assert "event: document" in events
            client.cookies.clear()
            assert (await client.get(f"{RUNS}/{run_id}/events", headers=follows)).status_code == 401


# --- where requests come from ----------------------------------------------------------------------------------------


async def test_a_rebound_name_and_a_foreign_page_are_refused_where_nobody_needs_a_key(server: OpenServer) -> None:
    async with api(server, api_open=None) as service, httpx.AsyncClient(base_url=service.url) as client:
        assert (await client.get(SESSION)).json()["person"] is None
        port = service.url.rpartition(":")[2]
        for host in ("evil.example", f"evil.example:{port}", f"localhost.evil.example:{port}"):
            assert (await client.get(SESSION, headers={"Host": host})).status_code == 421
        assert (await client.get(SESSION, headers={"Host": f"localhost:{port}"})).is_success
        for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
            for method in ("GET", "POST"):
                refused = await client.request(method, RUNS, headers=headers)
                assert (refused.status_code, refused.json()["code"]) == (403, "ForeignPage")
        assert (await client.get("/healthz", headers={"Host": "10.0.0.7:8000"})).is_success


async def test_behind_a_proxy_on_the_same_machine_everybody_needs_a_key(server: OpenServer) -> None:
    """It listens on loopback, and who comes from far comes from there."""
    async with (
        api(server, api_open=None, api_names="openwork.example.org") as service,
        httpx.AsyncClient(base_url=service.url) as client,
    ):
        for host in ("openwork.example.org", "localhost"):
            assert (await client.get(RUNS, headers={"Host": host})).status_code == 401


async def test_what_a_proxy_says_is_believed_from_known_proxies_alone(server: OpenServer) -> None:
    """Behind TLS the browser's origin has https, and the request that comes here has not."""
    far = {"Host": "openwork.example.org", "Origin": "https://openwork.example.org", "X-Forwarded-Proto": "https"}
    for proxies, status in (("127.0.0.1", 401), ("127.0.0.0/8", 401), ("10.0.0.0/8", 403), ("", 403)):
        async with (
            api(server, api_names="openwork.example.org", api_proxies=proxies) as service,
            httpx.AsyncClient(base_url=service.url) as client,
        ):
            response = await client.post(SESSION, json={"key": "ow_x"}, headers=far)
            assert response.status_code == status
            assert ("strict-transport-security" in response.headers) is (status == 401)


async def test_a_key_in_an_address_opens_nothing_and_stands_in_no_log(
    server: OpenServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with api(server) as service:
        key = await new_key(server, "dr-weiss")
        for name in ("key", "api_key", "access_token", "token", "Authorization"):
            answer = await raw(service.url, f"GET {RUNS}?{name}={key} HTTP/1.1", "Host: localhost")
            assert answer.startswith("HTTP/1.1 400")
            assert key not in answer
        for name in ("key", "access_token"):
            answer = await raw(service.url, f"GET {RUNS}?{name}=x HTTP/1.1", "Host: localhost")
            assert answer.startswith("HTTP/1.1 401")
        assert (await raw(service.url, f"GET {RUNS}?limit=0 HTTP/1.1", "Host: localhost")).startswith("HTTP/1.1 401")
        async with browser(service.url) as client:
            assert (await client.post(SESSION, json={"key": key})).is_success
    assert key.rpartition("_")[2] not in caplog.text
    assert key.rpartition("_")[2] not in (server.folder / "nats-server.log").read_text()


# --- keys and sessions -----------------------------------------------------------------------------------------------


async def test_a_revoked_key_and_its_session_open_nothing_any_more_in_any_replica(server: OpenServer) -> None:
    """Within `BELIEVED_S` of the revocation, made by the command while both run."""
    async with api(server) as one, api(server) as other:
        key, kept = [await new_key(server, "dr-weiss") for _ in range(2)]
        async with program(one.url, key) as client, browser(other.url) as user, program(one.url, kept) as second:
            assert (await user.post(SESSION, json={"key": key})).is_success
            for asking in (client, user):
                assert (await asking.get(SESSION)).json()["person"] == "dr-weiss"
            async with keys(server) as found:
                await found.revoke(key.split("_")[1])
            async with asyncio.timeout(LIMIT_S):
                for asking in (client, user):
                    while (await asking.get(SESSION)).is_success:  # noqa: ASYNC110
                        await asyncio.sleep(0.2)
            assert (await client.get(SESSION)).json()["code"] == "KeyRevoked"
            assert (await second.get(SESSION)).is_success


async def test_keys_and_sessions_outlive_the_web_app_and_the_server(server: OpenServer) -> None:
    key = await new_key(server, "dr-weiss")
    async with api(server) as service, browser(service.url) as client:
        assert (await client.post(SESSION, json={"key": key})).is_success
        cookies = httpx.Cookies(client.cookies)
    await server.stop()
    await server.start()
    async with api(server) as service, browser(service.url) as client, program(service.url, key) as other:
        client.cookies = cookies
        assert (await client.get(SESSION)).json()["person"] == "dr-weiss"
        assert (await other.get(SESSION)).json()["person"] == "dr-weiss"
        assert (await client.delete(SESSION)).status_code == 204


async def test_somebody_logs_in_at_an_identity_provider(server: OpenServer) -> None:
    async with FakeIssuer().running() as issuer:
        terms = {
            "api_oidc_issuer": issuer.url,
            "api_oidc_client_id": CLIENT_ID,
            "api_oidc_client_secret": CLIENT_SECRET,
        }
        async with api(server, **terms) as service, httpx.AsyncClient(follow_redirects=True, trust_env=False) as user:
            done = await user.get(f"{service.url}/login/oidc", params={"next": SESSION})
            assert str(done.url) == f"{service.url}{SESSION}"
            assert done.json()["person"] == "dr-weiss"


async def test_nobody_is_let_in_while_keys_cannot_be_read(server: OpenServer) -> None:
    """Not even who was let in a while ago: that the key was revoked meanwhile would not be seen."""
    key = await new_key(server, "dr-weiss")
    async with api(server) as service, program(service.url, key) as client:
        await server.stop()
        refused = await client.get(SESSION)
        assert (refused.status_code, refused.json()["code"]) == (503, "BusUnavailable")
        await server.start()
        async with asyncio.timeout(LIMIT_S):
            while not (await client.get(SESSION)).is_success:  # noqa: ASYNC110
                await asyncio.sleep(0.2)


async def test_the_command_makes_lists_and_revokes_keys_on_a_server_that_runs_and_on_one_that_does_not(
    server: OpenServer,
) -> None:
    async def openwork(*words: str, code: int = 0, environment: Mapping[str, str] | None = None) -> Any:
        command = (str(Path(sys.executable).with_name("openwork")), "keys", *words)
        pipe = asyncio.subprocess.PIPE
        env = {**os.environ, "OPENWORK_HOME": str(server.folder), **(environment or {})}
        process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe, env=env)
        output, errors = await process.communicate()
        assert process.returncode == code, errors.decode()
        return json.loads(output) if "--json" in words else output.decode() + errors.decode()

    Home(server.folder).announce(RunningServer(os.getpid(), server.asker_url, stays=True))
    login = {"OPENWORK_NATS_USER": "api", "OPENWORK_NATS_PASSWORD": server.logins.passwords["api"]}
    async with api(server) as service:
        made = await openwork("add", "dr-weiss", "--scope", "read", "--days", "3", "--label", "her tablet", "--json")
        async with program(service.url, made["key"]) as client:
            assert (await client.get(SESSION)).json() == {"person": "dr-weiss", "scopes": ["read"]}
        await openwork("revoke", made["id"], "--server", server.asker_url, environment=login)
        wrong = {**login, "OPENWORK_NATS_PASSWORD": "wrong"}
        assert "OPENWORK_NATS_PASSWORD right?" in await openwork(
            "list", "--server", server.asker_url, code=1, environment=wrong
        )
    Home(server.folder).withdraw()
    await server.stop()
    listed = await openwork("list")
    assert ("her tablet" in listed, "revoked" in listed) == (True, True)
    assert made["key"].rpartition("_")[2] not in listed
    assert "cannot be a person" in await openwork("add", "Dr Weiss", code=4)
    await server.start()
