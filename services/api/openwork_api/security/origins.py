"""Which hosts and which pages a request may name: plain rules, without a request.

A page of another site can have its visitor's browser send requests here, with the visitor's cookies and from the
visitor's machine, where nobody asks for a key; by a name server of its own it can even come as the same origin (DNS
rebinding). A browser says which host it means and which page it comes from, and no page can make it lie.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import ip_address

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?")
_OWN_PATH = re.compile(r"/(?:[!-.0-\[\]-~][!-\[\]-~]*)?")
"""Printable ASCII without a backslash, and no second slash at its beginning."""
_LONGEST_PATH = 1000
_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a request says where it comes from and where it wants to go."""

    method: str
    scheme: str
    host: str | None
    """As sent, with its port; `None` = none, or several."""
    origin: str | None = None
    site: str | None = None
    """`Sec-Fetch-Site`; `None` = no browser, or an old one."""
    mode: str | None = None
    destination: str | None = None
    has_key: bool = False
    """Whether it has `Authorization: Bearer`, which a browser adds for no page by itself."""

    @property
    def own_origin(self) -> str | None:
        """The origin of our own pages, as this request reaches them."""
        return f"{self.scheme}://{_without_default_port(self.host, self.scheme)}" if self.host else None


def is_own_host(host: str | None, names: Collection[str]) -> bool:
    """Whether a request for that host is one for us.

    Names of loopback are always ours: no name server is asked for them.
    """
    name = name_in(host)
    return name in names or is_loopback_name(name)


def name_in(host: str | None) -> str:
    """The name of a `Host`, without its port; empty = it is none."""
    found = _HOST.fullmatch((host or "").lower())
    return found[1] if found else ""


def is_loopback_name(name: str) -> bool:
    """Names that lead to the machine itself, whatever a name server says (RFC 6761)."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


def own_path(path: str) -> str:
    """A page of ours, else the first one: `//other.example` and `/\\other.example` are none, and a cookie takes no more
    than so much."""
    return path if len(path) <= _LONGEST_PATH and _OWN_PATH.fullmatch(path) else "/"


def why_not(asked: Asked) -> str | None:
    """Why a request is refused for where it comes from; `None` = it is not.

    With a key anybody may come: who has it is no page that borrows somebody's browser. What a page of another site may
    then read, CORS says. Whoever is led here by a link may see a page, in a window of its own.
    """
    if asked.has_key:
        return None
    if asked.origin is not None:
        if _plain(asked.origin) == asked.own_origin:
            return None
        return f"it comes from a page of {asked.origin[:100]}, and this is {asked.own_origin}; pages use a key"
    if asked.site in (None, "same-origin"):
        return None
    if asked.method in SAFE and asked.site == "none":
        return None
    if asked.method in SAFE and asked.mode == "navigate" and asked.destination in (None, "document"):
        return None
    return "it comes from a page of another site, which has to use a key"


def _plain(origin: str) -> str:
    scheme, _, host = origin.lower().partition("://")
    return f"{scheme}://{_without_default_port(host, scheme)}"


def _without_default_port(host: str | None, scheme: str) -> str:
    host = (host or "").lower()
    return host.removesuffix(f":{_PORTS[scheme]}") if scheme in _PORTS else host
