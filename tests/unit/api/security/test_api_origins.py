"""Where a request may come from and which host it may name: what passes beside what is refused."""

from __future__ import annotations

import pytest
from openwork_api.security.origins import Asked, is_own_host, own_path, why_not

OWN = "http://localhost:8000"
NAMES = frozenset({"openwork.example.org"})


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8000",
        "LOCALHOST:8000",
        "127.0.0.1:8000",
        "127.8.9.1",
        "[::1]:8000",
        "app.localhost:3000",
        "openwork.example.org",
        "OpenWork.example.org:443",
    ],
)
def test_our_own_hosts(host: str) -> None:
    assert is_own_host(host, NAMES)


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        "evil.example:8000",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example/localhost",
        "user@localhost",
        "localhost:8000:8000",
        "localhost:x",
        "localhost.",
        "xlocalhost",
        "[::2]",
        "[::1",
        "192.168.0.7:8000",
        "2130706433",
        "0.0.0.0:8000",
        "other.openwork.example.org",
        "openwork.example.org.evil.example",
        "openwork.example.org\x00",
    ],
)
def test_hosts_of_others(host: str | None) -> None:
    assert not is_own_host(host, NAMES)


def came(method: str, **facts: object) -> Asked:
    return Asked(method, "http", "localhost:8000", **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "asked",
    [
        came("POST"),  # curl
        came("POST", origin=OWN),
        came("POST", origin=OWN, site="same-origin", mode="cors"),
        came("POST", origin="HTTP://LOCALHOST:8000"),
        came("DELETE", site="same-origin"),
        came("POST", origin="https://evil.example", site="cross-site", has_key=True),
        came("GET"),
        came("GET", site="none", mode="navigate"),  # typed
        came("GET", site="same-origin", mode="cors"),
        came("GET", site="cross-site", mode="navigate", destination="document"),  # a link in a mail
        Asked("POST", "https", "openwork.example.org", origin="https://openwork.example.org"),
        Asked("POST", "https", "openwork.example.org:443", origin="https://openwork.example.org"),
        Asked("POST", "https", "openwork.example.org", origin="https://openwork.example.org:443"),
    ],
)
def test_what_comes_from_our_own_pages_or_from_programs_passes(asked: Asked) -> None:
    assert why_not(asked) is None


@pytest.mark.parametrize(
    "asked",
    [
        came("POST", origin="https://evil.example"),
        came("POST", origin="null"),
        came("POST", origin=""),
        came("POST", origin="http://localhost:3000"),  # another program of this machine
        came("POST", origin="http://127.0.0.1:8000"),
        came("POST", origin="https://localhost:8000"),
        came("POST", origin="http://localhost:8000.evil.example"),
        came("POST", origin="http://localhost"),
        came("POST", site="cross-site"),
        came("POST", site="same-site"),
        came("POST", site="cross-site", mode="navigate", destination="document"),
        came("DELETE", site="none"),
        came("GET", origin="https://evil.example", site="cross-site", mode="cors"),
        came("GET", site="cross-site", mode="no-cors"),  # an image, a script
        came("GET", site="same-site", mode="cors"),
        came("GET", site="cross-site", mode="navigate", destination="iframe"),
        Asked("POST", "http", "openwork.example.org", origin="https://openwork.example.org"),
        Asked("POST", "http", None, origin="http://localhost:8000"),
    ],
)
def test_what_comes_from_pages_of_others_is_refused(asked: Asked) -> None:
    assert why_not(asked) is not None


@pytest.mark.parametrize("path", ["/", "/runs/x?y=1#z", "/a//b", "/?next=https://evil.example"])
def test_a_page_of_ours_is_gone_on_to(path: str) -> None:
    assert own_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        "",
        "runs",
        "//evil.example",
        "/\\evil.example",
        "/a\\b",
        "https://evil.example",
        "/\t/evil",
        "/ä",
        "/a\nb",
        "/" * 2000,
    ],
)
def test_no_other_page_is(path: str) -> None:
    assert own_path(path) == "/"
