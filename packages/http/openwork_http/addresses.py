"""Which addresses a link from outside may lead to. Pure: it judges addresses, it resolves nothing."""

from __future__ import annotations

import ipaddress
import re

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_SPECIAL_V4 = (
    # IANA IPv4 Special-Purpose Address Registry, and multicast. Written out: Python's own list changes by version.
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 "
    "192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 "
    "203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 "
    # A cloud's own service on an address that is not special: Azure's wire server.
    "168.63.129.16/32"
)
_SPECIAL_V6 = (
    # IANA IPv6 Special-Purpose Address Registry, IPv4-compatible, site-local and multicast.
    "::/96 100::/64 100:0:0:1::/64 2001::/23 2001:db8::/32 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 "
    "fe80::/10 fec0::/10 ff00::/8"
)
_SPECIAL = tuple(ipaddress.ip_network(text) for text in f"{_SPECIAL_V4} {_SPECIAL_V6}".split())
_NAT64 = tuple(ipaddress.IPv6Network(text) for text in ("64:ff9b::/96", "64:ff9b:1::/48"))
_NUMBER = re.compile(r"(0x[0-9a-f]*|[0-9]+)", re.IGNORECASE)


def forbidden(address: str) -> str | None:
    """Why a link from outside may not lead to this address; `None` when it may.

    IPv4 inside IPv6 (mapped, translated by NAT64, 6to4, Teredo, ISATAP) is judged by both.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return f"{address[:60]!r} is no IP address"
    for candidate in (parsed, *_embedded(parsed)):
        for network in _SPECIAL:
            if candidate.version == network.version and candidate in network:
                return f"{address} is not public (in {network})"
        if not candidate.is_global:
            return f"{address} is not public"
    return None


def _embedded(address: IPAddress) -> list[IPAddress]:
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found: list[ipaddress.IPv4Address | None] = [address.ipv4_mapped, address.sixtofour]
    if address.teredo:
        found += address.teredo
    low = int(address) & 0xFFFFFFFF
    if any(address in network for network in _NAT64):
        found.append(ipaddress.IPv4Address(low))
    if (int(address) >> 32) & 0xFDFFFFFF == 0x00005EFE:  # ISATAP, RFC 5214: ::0:5efe:v4 or ::200:5efe:v4
        found.append(ipaddress.IPv4Address(low))
    return [each for each in found if each is not None]


def disguised(host: str) -> bool:
    """Whether a host is an IPv4 address in a form that only resolvers read: 2130706433, 0x7f.1, 0177.0.0.1.

    By the rule of the URL standard a host whose last label is a number is an address; only the usual form may pass.
    """
    if ":" in host:
        return False
    labels = host.removesuffix(".").split(".")
    if not _NUMBER.fullmatch(labels[-1]):
        return False
    try:
        ipaddress.IPv4Address(host)
    except ValueError:
        return True
    return False
