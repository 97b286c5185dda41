"""Where a link from outside may lead."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_http.addresses import disguised, forbidden

PRIVATE = [
    "0.0.0.0",
    "10.1.2.3",
    "100.100.100.200",  # a cloud's metadata service
    "127.0.0.1",
    "127.8.9.10",
    "168.63.129.16",  # a cloud's wire server
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.168.1.1",
    "198.18.0.1",
    "203.0.113.7",
    "224.0.0.1",
    "239.255.255.250",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "not an address",
]
PUBLIC = ["1.1.1.1", "8.8.8.8", "130.14.29.110", "172.15.0.1", "172.32.0.1", "2607:f220:41e:4290::110", "2a00:1450::1"]


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_public_are_forbidden(address: str) -> None:
    assert forbidden(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_allowed(address: str) -> None:
    assert forbidden(address) is None


@given(
    st.sampled_from([ipaddress.IPv4Address(a) for a in PRIVATE if a.count(".") == 3 and ":" not in a]),
    st.sampled_from(["mapped", "nat64", "local nat64", "6to4", "isatap", "teredo"]),
)
def test_a_private_address_inside_an_ipv6_one_is_forbidden(inner: ipaddress.IPv4Address, form: str) -> None:
    low = int(inner)
    outer = {
        "mapped": (0xFFFF << 32) | low,
        "nat64": (0x0064FF9B << 96) | low,
        "local nat64": (0x0064FF9B0001 << 80) | low,
        "6to4": (0x2002 << 112) | (low << 80),
        "isatap": (0x2A001450 << 96) | (0x00005EFE << 32) | low,
        "teredo": (0x20010000 << 96) | (low ^ 0xFFFFFFFF),
    }[form]
    assert forbidden(str(ipaddress.IPv6Address(outer)))


@given(st.ip_addresses())
def test_nothing_that_python_calls_private_is_allowed(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    if not address.is_global or address.is_multicast:
        assert forbidden(str(address))


@pytest.mark.parametrize(
    "host",
    ["2130706433", "0177.0.0.1", "0x7f.1", "0x7f000001", "127.1", "127.0.1", "0x", "1.2.3.04", "127.0.0.1.", "1"],
)
def test_unusual_forms_of_an_address_are_recognised(host: str) -> None:
    assert disguised(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "8.8.8.8", "example.org", "3com.com", "1.2.3.four", "::1", "a.b1"])
def test_names_and_plain_addresses_are_no_disguise(host: str) -> None:
    assert not disguised(host)
