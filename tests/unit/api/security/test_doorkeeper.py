"""Who asks: a header, else a cookie, else whoever sits at this machine; and how much they may."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from openwork_api.idempotency import digest
from openwork_api.people import Person, Scope
from openwork_bus.run_ids import new_run_id
from openwork_contracts.requests import ShowReply, ShowRequest

from tests.fakes.oidc_issuer import AUDIENCE, CLIENT_ID, FakeIssuer
from tests.protected_api import protected_api

QUESTION = {"question": "Does apixaban prevent stroke?"}
RUNS = "/api/v1/runs"
SESSION = "/api/v1/session"


def code(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


async def test_nobody_comes_in_without_a_key_where_others_can_come() -> None:
    async with protected_api() as api, api.program() as program:
        for method, path in (("GET", RUNS), ("POST", RUNS), ("GET", SESSION), ("DELETE", f"{RUNS}/{new_run_id()}")):
            response = await program.request(method, path)
            assert code(response) == (401, "KeyMissing")
            assert response.headers["www-authenticate"] == 'Bearer realm="Open Work"'
        assert (await program.get("/healthz")).is_success


async def test_who_sits_at_this_machine_needs_none() -> None:
    async with protected_api(api_host="127.0.0.1") as api, api.browser() as browser:
        assert (await browser.get(SESSION)).json() == {"person": None, "scopes": ["ask", "delete", "observe", "read"]}
        assert (await browser.post(RUNS, json=QUESTION)).status_code == 202
    assert [request.on_behalf_of for request in api.asker.asked] == [None]


async def test_a_key_in_the_header_says_who_asks_also_where_none_is_needed() -> None:
    for host in ("0.0.0.0", "127.0.0.1"):
        async with protected_api(api_host=host) as api, api.program(await api.key()) as program:
            assert (await program.get(SESSION)).json()["person"] == "dr-weiss"


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer ", "Basic eDp5", "ow_x", "Bearer ow_x", "Bearer a.b.c", "Bearer \xff"]
)
async def test_a_header_that_says_nobody_is_never_whoever_sits_at_this_machine(header: str) -> None:
    async with protected_api(api_host="127.0.0.1") as api, api.program() as program:
        response = await program.get(SESSION, headers=[(b"Authorization", header.encode("latin-1"))])
        assert response.status_code == 401
        assert response.headers["www-authenticate"].startswith("Bearer")


async def test_a_key_may_what_its_scopes_say() -> None:
    run = f"{RUNS}/{new_run_id()}"
    async with protected_api() as api:
        wanted = {
            Scope.READ: ("GET", RUNS, None),
            Scope.ASK: ("POST", RUNS, QUESTION),
            Scope.DELETE: ("DELETE", run, None),
            Scope.OBSERVE: ("GET", "/api/v1/observatory", None),
        }
        for scope in Scope:
            async with api.program(await api.key(scopes=[scope])) as program:
                for needed, (method, path, body) in wanted.items():
                    response = await program.request(method, path, json=body)
                    if needed is scope:
                        assert response.status_code in (200, 202, 404)
                    else:
                        assert code(response) == (403, "ScopeMissing")


async def test_what_is_left_stands_in_the_headers_and_too_much_is_refused() -> None:
    async with protected_api(api_requests_per_minute=2) as api, api.program(await api.key()) as program:
        first, second, third = [await program.get(RUNS) for _ in range(3)]
        assert [first.headers["ratelimit"][:14], second.headers["ratelimit"][:14]] == [
            '"requests";r=1',
            '"requests";r=0',
        ]
        assert code(third) == (429, "TooManyRequests")
        assert int(third.headers["retry-after"]) > 0
        assert third.headers["ratelimit"].startswith('"requests";r=0')
        async with api.program(await api.key("dr-roth")) as other:
            assert (await other.get(RUNS)).is_success


async def test_a_session_counts_for_its_key() -> None:
    async with protected_api(api_requests_per_minute=2) as api:
        key = await api.key()
        async with api.program(key) as program, api.browser() as browser:
            assert (await browser.post(SESSION, json={"key": key})).is_success
            assert (await browser.get(RUNS)).is_success
            assert (await program.get(RUNS)).status_code == 429


async def test_wrong_keys_are_counted_for_their_address_and_do_not_lock_out_whoever_has_a_good_one() -> None:
    async with protected_api(api_requests_per_minute=3) as api:
        good = await api.key()
        async with api.program(good) as program, api.program(f"ow_{'a' * 12}_{'0' * 48}") as guessing:
            assert (await program.get(RUNS)).is_success
            assert [(await guessing.get(RUNS)).status_code for _ in range(4)] == [401, 401, 401, 429]
            assert (await program.get(RUNS)).is_success
        async with api.program(await api.key("dr-roth"), address="192.0.2.2") as elsewhere:
            assert (await elsewhere.get(RUNS)).is_success


async def test_an_address_is_counted_where_no_key_is_asked_for() -> None:
    async with (
        protected_api(api_open=True, api_requests_per_minute=1) as api,
        api.program(address="192.0.2.1") as one,
        api.program(address="192.0.2.2") as other,
    ):
        assert [(await one.get(RUNS)).status_code for _ in range(2)] == [200, 429]
        assert (await other.get(RUNS)).is_success


async def test_a_token_of_the_provider_says_who_a_program_is_for_where_that_is_agreed() -> None:
    async with FakeIssuer().running() as issuer:
        agreed = {"api_oidc_issuer": issuer.url, "api_oidc_client_id": CLIENT_ID}
        async with protected_api(**agreed, api_oidc_audience=AUDIENCE) as api, api.program(issuer.token()) as program:
            assert (await program.get(SESSION)).json()["person"] == "dr-weiss"
        async with protected_api(**agreed) as api, api.program(issuer.token()) as program:
            assert code(await program.get(SESSION)) == (401, "KeyUnknown")


async def test_streams_that_are_asked_for_at_the_same_moment_count_before_they_begin() -> None:
    async with protected_api(api_streams=2) as api, api.program(await api.key()) as program:
        may_answer, show = asyncio.Event(), api.asker.show

        async def slowly(person: Person, request: ShowRequest) -> ShowReply:
            await may_answer.wait()
            return await show(person, request)

        api.asker.show = slowly  # type: ignore[method-assign]
        path = f"{RUNS}/{new_run_id()}/events"
        asked = [asyncio.create_task(program.get(path)) for _ in range(5)]
        refused, waiting = await asyncio.wait(asked, timeout=5, return_when=asyncio.FIRST_COMPLETED)
        while len(refused) < 3:
            more, waiting = await asyncio.wait(waiting, timeout=5, return_when=asyncio.FIRST_COMPLETED)
            assert more
            refused |= more
        assert {code(one.result()) for one in refused} == {(429, "TooManyRequests")}
        may_answer.set()
        assert [code(one) for one in await asyncio.gather(*waiting)] == [(404, "RunNotFound")] * 2
        assert code(await program.get(path)) == (404, "RunNotFound"), "they were given back"


async def test_who_may_begin_no_more_runs_today_leaves_no_idempotency_key() -> None:
    """They would push those of others out."""
    async with protected_api() as api, api.program(await api.key(runs_per_day=0)) as program:
        refused = await program.post(RUNS, json=QUESTION, headers={"Idempotency-Key": "a"})
        assert code(refused) == (429, "QuotaUsedUp")
        assert await api.security.entries.first(digest("api/dr-weiss\na"), "none was there") == "none was there"
