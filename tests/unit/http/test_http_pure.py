"""The parts of the HTTP client that need no network: messages, pauses, decoding."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_http.decoding import EncodingRefusedError, decoder_for
from openwork_http.messages import charset, host_of, matches_type, media_type, shown_url
from openwork_http.retry import retry_after_s
from openwork_http.settings import HttpSettings
from openwork_http.terms import RateBudget, fingerprint
from pydantic import SecretStr, ValidationError

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        (" 7 ", 7.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("", None),
        (None, None),
        ("Mon, 04 May 2026 12:00:09 GMT", 9.0),
        ("Mon, 04 May 2026 11:00:00 GMT", 0.0),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after_s(value, NOW) == seconds


@given(st.integers(0, 10**6))
def test_a_date_says_as_much_as_the_seconds_until_then(seconds: int) -> None:
    date = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)
    assert retry_after_s(date, NOW) == seconds


@given(st.text(max_size=60))
def test_no_retry_after_header_breaks_the_client(value: str) -> None:
    wait = retry_after_s(value, NOW)
    assert wait is None or wait >= 0


def test_an_address_in_a_message_has_neither_query_nor_user() -> None:
    assert shown_url("https://me:pw@api.example.org/v2/x?api_key=SECRET#SECRET") == "https://api.example.org/v2/x"


def test_host_of_names_the_port_that_is_used() -> None:
    assert [host_of(url) for url in ("http://a/x", "https://a/x", "http://a:81/")] == ["a:80", "a:443", "a:81"]


def test_content_types_are_compared_without_case_and_parameters() -> None:
    headers = {"content-type": 'Application/JATS+XML; Charset="ISO-8859-1"'}
    assert media_type(headers) == "application/jats+xml"
    assert charset(headers) == "iso-8859-1"
    assert charset({}) == "utf-8"
    assert matches_type("application/jats+xml", {"+xml"})
    assert matches_type("text/html", {"text/*"})
    assert not matches_type("application/pdf", {"text/*", "+xml", "application/json"})


def _two_members(body: bytes) -> bytes:
    return gzip.compress(body[: len(body) // 2]) + gzip.compress(body[len(body) // 2 :])


def _raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(body) + packer.flush()


def _as_it_is(body: bytes) -> bytes:
    return body


_PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": _two_members,
    "deflate": zlib.compress,
    "Deflate": _raw_deflate,
    "": _as_it_is,
}


@given(st.sampled_from(sorted(_PACKERS)), st.binary(min_size=1, max_size=5000), st.integers(1, 700))
def test_every_offered_encoding_is_undone_however_it_arrives(encoding: str, body: bytes, step: int) -> None:
    """gzip also of two members, deflate also without zlib's header."""
    packed = _PACKERS[encoding](body)
    decoder = decoder_for(encoding)
    pieces = [p for start in range(0, len(packed), step) for p in decoder.feed(packed[start : start + step])]
    assert b"".join(pieces) == body
    assert decoder.complete


@given(st.sampled_from(sorted(_PACKERS)), st.integers(65_000, 400_000), st.integers(1, 5000))
def test_long_runs_lose_nothing_at_the_border_of_a_step(encoding: str, n_bytes: int, step: int) -> None:
    """A body of one byte over and over: output waits inside the decoder when all of its input is used up."""
    packed = _PACKERS[encoding](b"a" * n_bytes)
    decoder = decoder_for(encoding)
    pieces = [p for start in range(0, len(packed), step) for p in decoder.feed(packed[start : start + step])]
    assert sum(map(len, pieces)) == n_bytes
    assert decoder.complete


def test_a_bomb_unfolds_in_small_steps() -> None:
    """100 MB in 100 KB: whoever counts can stop after any 64 KiB."""
    decoder = decoder_for("gzip")
    steps = decoder.feed(gzip.compress(bytes(10**8)))
    assert all(len(next(steps)) <= 65536 for _ in range(5))


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "gzip,deflate"])
def test_encodings_that_were_not_offered_are_refused(encoding: str) -> None:
    with pytest.raises(EncodingRefusedError, match="not offered"):
        decoder_for(encoding)


def test_a_damaged_body_is_refused() -> None:
    with pytest.raises(EncodingRefusedError, match="damaged"):
        list(decoder_for("gzip").feed(b"\x1f\x8b\x08 this is no gzip, whatever it says"))


def test_a_cut_body_is_not_complete() -> None:
    decoder = decoder_for("gzip")
    list(decoder.feed(gzip.compress(b"x" * 1000)[:-4]))
    assert not decoder.complete


def test_a_fingerprint_tells_keys_apart_and_gives_none_away() -> None:
    one, two = SecretStr("key-one"), SecretStr("key-two")
    assert fingerprint(one) == fingerprint(SecretStr("key-one")) != fingerprint(two)
    assert "key" not in fingerprint(one)
    assert RateBudget.of("ncbi", 3).name == "ncbi.anonymous"
    with pytest.raises(ValueError, match="not a rate"):
        RateBudget("ncbi", 0)


def test_the_user_agent_names_tool_version_and_contact() -> None:
    settings = HttpSettings(contact_email="team@example.org", contact_url="https://example.org/bot")
    assert settings.user_agent.startswith("open-work/")
    assert settings.user_agent.endswith("(https://example.org/bot; mailto:team@example.org)")
    assert "(" not in HttpSettings(contact_email="").user_agent


@pytest.mark.parametrize("address", ["a@b.org\r\nX-Evil: 1", "a b@c.org", "ä@b.org"])
def test_a_contact_that_does_not_fit_into_a_header_is_refused(address: str) -> None:
    with pytest.raises(ValidationError, match="header"):
        HttpSettings(contact_email=address)
