"""Links from outside: where they may lead, and what they may bring."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from openwork_contracts.errors import FailureReason, SourceChanged, SourceRefused, SourceUnavailable
from openwork_http.exchange import ResponseTooLarge
from openwork_http.guard import Fetched, GuardedClient, LinkForbidden
from openwork_http.settings import HttpSettings

from tests.fakes.upstream.messages import Reply, Request
from tests.fakes.upstream.server import Server

PDF = frozenset({"application/pdf"})


def app(request: Request) -> Reply:
    """`/to?<address>` redirects there; `/pdf` is a PDF; `/cookie` sets one and leads on."""
    if request.path == "/to":
        return Reply(status=302, headers={"location": request.get("url")})
    if request.path == "/loop":
        return Reply(status=307, headers={"location": "/loop"})
    if request.path == "/cookie":
        return Reply(status=302, headers={"location": "/show", "set-cookie": "id=1; Path=/"})
    if request.path == "/show":
        return Reply(repr(sorted(request.headers)).encode(), content_type="text/plain")
    if request.path == "/nowhere":
        return Reply(status=302)
    if request.path == "/page":
        return Reply(b"<html>please log in</html>", content_type="text/html")
    if request.path == "/missing":
        return Reply(status=404)
    return Reply(b"%PDF-1.4 ...", content_type="application/pdf; qs=0.001")


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with Server(app) as running:
        yield running


def settings(server: Server | None = None, **changed: object) -> HttpSettings:
    allowed = {"guard_allow": f"127.0.0.1:{server.port}"} if server else {}
    return HttpSettings.model_validate({"http_read_timeout_s": 5.0} | allowed | changed)


async def fetch(server: Server | None, url: str, **changed: object) -> Fetched:
    async with GuardedClient(settings(server, **changed)) as guard:
        return await guard.fetch(url, accept=PDF)


async def test_a_link_on_the_allow_list_is_fetched(server: Server) -> None:
    got = await fetch(server, f"{server.url}/pdf")
    assert (got.media_type, got.body, got.n_redirects) == ("application/pdf", b"%PDF-1.4 ...", 0)


async def test_redirects_are_followed_and_the_last_address_is_told(server: Server) -> None:
    got = await fetch(server, f"{server.url}/to?url=/pdf")
    assert (got.url, got.n_redirects) == (f"{server.url}/pdf", 1)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://localhost./",
        "http://metadata.google.internal/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://[64:ff9b::7f00:1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://0/",
        "http://10.0.0.1:8080/",
        "http://user:pw@1.1.1.1/",
        "http://1.1.1.1:22/",
        "https://1.1.1.1:6379/",
        "http://[fe80::1%25eth0]/",
        "ftp://1.1.1.1/a.pdf",
        "file:///etc/passwd",
        "gopher://1.1.1.1/",
        "data:application/pdf;base64,AA",
        "//1.1.1.1/",
        "/etc/passwd",
        "",
        "http://",
        "http:///x",
        "http://1.1.1.1\\@127.0.0.1/",
        "http://127.0.0.1\r\nX: y/",
        "http://1.1.1.1/" + "a" * 5000,
        "http://ⓛocalhost/",
        "http://127。0。0。1/",
    ],
)
async def test_forbidden_links_are_not_followed(url: str) -> None:
    with pytest.raises(LinkForbidden) as told:
        await fetch(None, url)
    assert not told.value.retryable


async def test_our_own_server_is_out_of_reach_unless_it_is_allowed(server: Server) -> None:
    with pytest.raises(LinkForbidden):
        await fetch(None, f"{server.url}/pdf")
    assert server.count() == 0


@pytest.mark.parametrize(
    "target",
    ["http://169.254.169.254/", "http://[::1]/", "http://2130706433/", "file:///etc/passwd", "http://a@1.1.1.1/"],
)
async def test_a_redirect_is_judged_like_a_link(server: Server, target: str) -> None:
    with pytest.raises(LinkForbidden):
        await fetch(server, f"{server.url}/to?url={target}")
    assert server.count() == 1


async def test_a_name_that_leads_inside_is_found_out_after_it_was_resolved(server: Server) -> None:
    async def inside(host: str, port: int) -> list[str]:
        return ["93.184.216.34", "127.0.0.1"]

    async with GuardedClient(settings(), resolver=inside) as guard:
        with pytest.raises(LinkForbidden, match=r"127\.0\.0\.1 is not public"):
            await guard.fetch("http://harmless.example/pdf", accept=PDF)
    assert server.count() == 0


async def test_a_name_that_changes_its_address_is_judged_by_the_one_connected_to(server: Server) -> None:
    """Rebinding: public when first asked, ours when asked again. The name is asked once per connection and that answer
    is both judged and connected to, so the second connection is refused and none ever reaches the server."""
    asked: list[str] = []

    async def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["192.0.2.1" if len(asked) > 1 else "127.0.0.1"]

    async with GuardedClient(settings(), resolver=rebinding) as guard:
        for _ in range(2):
            with pytest.raises(LinkForbidden):
                await guard.fetch(f"http://rebind.example:8080/pdf?{server.port}", accept=PDF)
    assert server.count() == 0
    assert len(asked) == 2


async def test_the_judged_address_is_the_one_that_is_connected_to(server: Server) -> None:
    """The name resolves nowhere on this machine; only the resolver's answer leads to the server."""

    async def only_here(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    chosen = settings(guard_allow=f"articles.invalid:{server.port}")
    async with GuardedClient(chosen, resolver=only_here) as guard:
        got = await guard.fetch(f"http://articles.invalid:{server.port}/pdf", accept=PDF)
    assert got.body.startswith(b"%PDF")


async def test_too_many_redirects_end_the_fetch(server: Server) -> None:
    with pytest.raises(SourceRefused, match="after 5 redirects"):
        await fetch(server, f"{server.url}/loop")
    assert server.count() == 6


async def test_a_redirect_without_target_is_a_changed_source(server: Server) -> None:
    with pytest.raises(SourceChanged, match="without saying where"):
        await fetch(server, f"{server.url}/nowhere")


async def test_another_type_than_expected_is_not_read(server: Server) -> None:
    with pytest.raises(SourceChanged, match=r"gave 'text/html' where application/pdf"):
        await fetch(server, f"{server.url}/page")


async def test_what_is_not_there_is_refused_and_what_is_down_is_unavailable(server: Server) -> None:
    with pytest.raises(SourceRefused, match="answered 404"):
        await fetch(server, f"{server.url}/missing")
    server.fault("503")
    with pytest.raises(SourceUnavailable, match="answered 503"):
        await fetch(server, f"{server.url}/pdf")


@pytest.mark.parametrize("kind", ["huge", "huge-declared", "gzip-bomb"])
async def test_an_endless_file_is_cut_off(server: Server, kind: str) -> None:
    server.fault(kind)
    with pytest.raises(ResponseTooLarge):
        await fetch(server, f"{server.url}/pdf", guard_max_bytes=100_000)


@pytest.mark.parametrize("kind", ["hang", "drip"])
async def test_a_slow_file_ends_at_its_time(server: Server, kind: str) -> None:
    server.fault(kind)
    with pytest.raises(SourceUnavailable, match=r"within 0\.4 s") as told:
        await fetch(server, f"{server.url}/pdf", guard_timeout_s=0.4)
    assert told.value.reason is FailureReason.TIMEOUT


async def test_no_cookie_is_kept_or_sent(server: Server) -> None:
    async with GuardedClient(settings(server)) as guard:
        got = await guard.fetch(f"{server.url}/cookie", accept={"text/plain"})
        assert b"cookie" not in got.body
        assert b"authorization" not in got.body


async def test_fetches_at_once_do_not_disturb_each_other(server: Server) -> None:
    async with GuardedClient(settings(server)) as guard:
        urls = [f"{server.url}/pdf", f"{server.url}/page", f"{server.url}/to?url=http://10.0.0.1/"] * 5
        got = await asyncio.gather(*(guard.fetch(url, accept=PDF) for url in urls), return_exceptions=True)
    assert [type(result) for result in got] == [Fetched, SourceChanged, LinkForbidden] * 5


async def test_guarded_fetches_do_not_go_through_a_proxy(server: Server) -> None:
    """Behind one, the address that is connected to would not be ours to judge."""
    with pytest.raises(SourceUnavailable, match="cannot be reached"):
        await fetch(None, "http://no-such-host.invalid/pdf", http_proxy=server.url)
    assert server.count() == 0
