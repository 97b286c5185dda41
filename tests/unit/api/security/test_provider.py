"""Logins and tokens of an identity provider, against one that speaks the protocol and misbehaves."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from openwork_api.people import Person, Scope
from openwork_api.problems import ProblemError
from openwork_api.security.oidc import Provider, ProviderTerms
from openwork_api.security.pkce import Login
from openwork_contracts.errors import UsageError

from tests.fakes.oidc_issuer import AUDIENCE, CLIENT_ID, CLIENT_SECRET, FakeIssuer, Fault

BACK = "http://localhost:8000/login/callback"
SAYS_NOBODY = (
    Fault.WRONG_ISSUER,
    Fault.ALG_NONE,
    Fault.SHARED_SECRET,
    Fault.FOREIGN_KEY,
    Fault.EXPIRED,
    Fault.NOT_YET,
    Fault.WRONG_AUDIENCE,
    Fault.KID_UNKNOWN,
    Fault.NO_PERSON,
    Fault.LOGOUT_TOKEN,
)
OF_LOGINS = (Fault.WRONG_NONCE, Fault.NO_NONCE, Fault.OTHER_CLIENT, Fault.NO_ID_TOKEN)
NOT_USABLE = (
    Fault.BROKEN,
    Fault.SLOW,
    Fault.NOT_JSON,
    Fault.HUGE,
    Fault.OTHER_DISCOVERY,
    Fault.PLAIN_ENDPOINTS,
)


@pytest.fixture
async def issuer() -> AsyncIterator[FakeIssuer]:
    async with FakeIssuer().running() as issuer:
        yield issuer


def terms(issuer: FakeIssuer) -> ProviderTerms:
    return ProviderTerms(issuer.url, CLIENT_ID, CLIENT_SECRET, AUDIENCE, timeout_s=10)


@asynccontextmanager
async def provided(terms: ProviderTerms, clock: Callable[[], float] = lambda: 1000.0) -> AsyncIterator[Provider]:
    provider = Provider(terms, clock=clock)
    try:
        yield provider
    finally:
        await provider.close()


async def logged_in(provider: Provider) -> Person:
    """What a browser does: go to the provider, come back with a code."""
    login = Login.new()
    async with httpx.AsyncClient(trust_env=False) as browser:
        back = (await browser.get(await provider.login_url(login, BACK))).headers["location"]
    came = parse_qs(urlsplit(back).query)
    assert came["state"] == [login.state]
    return await provider.redeem(login, came["code"][0], BACK)


async def refused(provider: Provider, token: str) -> tuple[int, str]:
    with pytest.raises(ProblemError) as error:
        await provider.bearer(token)
    return error.value.status, error.value.code


async def test_a_login_and_a_token_say_who_somebody_is(issuer: FakeIssuer) -> None:
    async with provided(terms(issuer)) as provider:
        assert await logged_in(provider) == Person("dr-weiss")
        assert await provider.bearer(issuer.token()) == Person("dr-weiss")
    assert issuer.n_key_requests == 1


@pytest.mark.parametrize("fault", SAYS_NOBODY)
async def test_a_token_that_is_wrong_in_one_thing_says_nobody(issuer: FakeIssuer, fault: Fault) -> None:
    async with provided(terms(issuer)) as provider:
        issuer.faults = {fault}
        assert await refused(provider, issuer.token()) == (401, "LoginRefused")
        issuer.faults = set()
        assert (await provider.bearer(issuer.token())).name == "dr-weiss"


@pytest.mark.parametrize("fault", [*SAYS_NOBODY, *OF_LOGINS])
async def test_a_login_that_is_wrong_in_one_thing_says_nobody(issuer: FakeIssuer, fault: Fault) -> None:
    issuer.faults = {fault}
    async with provided(terms(issuer)) as provider:
        with pytest.raises(ProblemError) as error:
            await logged_in(provider)
    assert (error.value.status, error.value.code) == (401, "LoginRefused")


@pytest.mark.parametrize("fault", NOT_USABLE)
async def test_a_provider_that_gives_no_usable_answer_is_said_to_be_away(issuer: FakeIssuer, fault: Fault) -> None:
    token = issuer.token()
    issuer.faults = {fault}
    quick = 0.1 if fault is Fault.SLOW else 10
    async with provided(replace(terms(issuer), timeout_s=quick)) as provider:
        for _ in range(2):  # and not that the token is wrong, because it has no keys yet
            assert await refused(provider, token) == (503, "IssuerUnavailable")


@pytest.mark.parametrize("token", ["", "x", "a.b", "a.b.c", "....", "eyJhbGciOiJSUzI1NiJ9.e30", "ä.ö.ü", "[].[].[]"])
async def test_what_is_no_token_says_nobody(issuer: FakeIssuer, token: str) -> None:
    async with provided(terms(issuer)) as provider:
        assert await refused(provider, token) == (401, "LoginRefused")


async def test_a_code_is_of_no_use_with_another_verifier(issuer: FakeIssuer) -> None:
    """Whoever caught the code on its way back has not what the login was begun with."""
    async with provided(terms(issuer)) as provider:
        login = Login.new()
        async with httpx.AsyncClient(trust_env=False) as browser:
            back = (await browser.get(await provider.login_url(login, BACK))).headers["location"]
        code = parse_qs(urlsplit(back).query)["code"][0]
        with pytest.raises(ProblemError, match="did not take the code"):
            await provider.redeem(replace(login, verifier=Login.new().verifier), code, BACK)


async def test_a_new_key_is_asked_for_and_unknown_ones_not_again_and_again(issuer: FakeIssuer) -> None:
    now = 1000.0
    async with provided(terms(issuer), lambda: now) as provider:
        old = issuer.token()
        await provider.bearer(old)
        issuer.rotate()
        assert await refused(provider, issuer.token()) == (401, "LoginRefused")
        assert issuer.n_key_requests == 1
        now += 31
        assert (await provider.bearer(issuer.token())).name == "dr-weiss"
        for _ in range(5):
            assert await refused(provider, old) == (401, "LoginRefused")
    assert issuer.n_key_requests == 2


async def test_keys_of_a_while_ago_are_used_while_the_provider_is_away_but_not_for_ever(issuer: FakeIssuer) -> None:
    now = 1000.0
    async with provided(terms(issuer), lambda: now) as provider:
        token = issuer.token()
        await provider.bearer(token)
        issuer.faults = {Fault.BROKEN}
        now += 1800
        assert (await provider.bearer(token)).name == "dr-weiss"
        now += 1801
        assert await refused(provider, token) == (503, "IssuerUnavailable")
        issuer.faults = set()
        now += 2
        assert (await provider.bearer(token)).name == "dr-weiss"


async def test_a_provider_that_is_away_is_not_asked_for_every_login(issuer: FakeIssuer) -> None:
    now, issuer.faults = 1000.0, {Fault.BROKEN}
    async with provided(terms(issuer), lambda: now) as provider:
        for why in ("answers 500", "a moment ago"):
            with pytest.raises(ProblemError, match=why) as error:
                await provider.login_url(Login.new(), BACK)
            assert error.value.status == 503
        issuer.faults = set()
        with pytest.raises(ProblemError, match="a moment ago"):
            await provider.login_url(Login.new(), BACK)
        now += 3
        assert await provider.login_url(Login.new(), BACK)


async def test_groups_say_what_one_may(issuer: FakeIssuer) -> None:
    wanted = {Scope.READ: frozenset({"clinic", "library"}), Scope.ASK: frozenset({"clinic"})}
    async with provided(replace(terms(issuer), scopes=wanted)) as provider:
        assert (await provider.bearer(issuer.token(groups=["clinic"]))).scopes == {Scope.READ, Scope.ASK}
        assert (await provider.bearer(issuer.token(groups="library others"))).scopes == {Scope.READ}
        for groups in (["others"], None, 7, [7]):
            assert await refused(provider, issuer.token(groups=groups)) == (403, "NotAllowed")


async def test_a_claim_that_is_no_token_of_the_bus_becomes_one(issuer: FakeIssuer) -> None:
    async with provided(replace(terms(issuer), person_claim="email")) as provider:
        person = await provider.bearer(issuer.token(email="Weiss@clinic.example"))
        assert person.name is not None
        assert person.name.startswith("weiss-clini-")


@pytest.mark.parametrize("address", ["http://elsewhere.example", "ftp://x", "", "https://", "https://x/#y"])
def test_an_issuer_that_others_could_listen_to_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="https"):
        Provider(ProviderTerms(address, CLIENT_ID))
