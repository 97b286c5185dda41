"""What a connection's log says: each change once, what repeats once a minute."""

from __future__ import annotations

import logging

import pytest
from nats.errors import Error as NatsError
from nats.errors import FlushTimeoutError, UnexpectedEOF
from openwork_bus import connection
from openwork_bus.connection import ConnectionLog

REFUSED = ConnectionRefusedError(111, "Connection refused")


class Clock:
    """Seconds, moved by hand."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Clock:
    clock = Clock()
    monkeypatch.setattr(connection, "monotonic", clock)
    caplog.set_level(logging.INFO, logger=connection.__name__)
    return clock


def denied(subject: str) -> NatsError:
    return NatsError(f'nats: permissions violation for publish to "{subject}"')


async def test_a_server_that_is_away_for_a_while_is_two_lines(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    events = ConnectionLog("gap")
    await events.on_error(UnexpectedEOF())
    await events.on_disconnected()
    for _ in range(80):
        clock.now += 0.25
        await events.on_error(REFUSED)
    await events.on_connected()
    lost, back = caplog.messages
    assert lost == "gap: nats is not connected (nats: unexpected EOF); trying until it is"
    assert back == "gap: nats is connected after 20.0 s; errors not logged: 80"


async def test_a_server_that_stays_away_is_a_line_a_minute(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    events = ConnectionLog("gap")
    await events.on_disconnected()
    for _ in range(4 * 150):
        clock.now += 0.25
        await events.on_error(REFUSED)
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 3
    assert caplog.messages[-1] == (
        "gap: nats is not connected for 120 s; errors not logged: 480, the last: [Errno 111] Connection refused"
    )


async def test_a_second_loss_is_told_like_the_first(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    events = ConnectionLog("gap")
    for _ in range(2):
        await events.on_disconnected()
        await events.on_error(REFUSED)
        await events.on_connected()
    assert len(caplog.messages) == 4
    assert caplog.messages[3].endswith("; errors not logged: 1")


async def test_a_denial_is_logged_once_for_each_subject_and_then_counted(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Also while the connection is coming and going: a denial is never taken for that."""
    events = ConnectionLog("gap")
    await events.on_disconnected()
    for _ in range(100):
        await events.on_error(denied("a"))
        await events.on_error(denied("b"))
    clock.now += 61
    await events.on_error(denied("a"))
    errors = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert len(errors) == 3
    assert errors[1].endswith('publish to "b"')
    assert errors[2].endswith('publish to "a" (and 99 times more before)')


async def test_lines_remembered_are_limited(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    events = ConnectionLog("gap")
    for n in range(2500):
        await events.on_error(denied(f"openwork.v1.{n}"))
    assert len(caplog.messages) == 2500
    assert len(events._others._held) <= 1000


async def test_a_flush_that_took_too_long_is_no_loss(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    events = ConnectionLog("gap")
    await events.on_error(FlushTimeoutError())
    await events.on_connected()
    assert [record.levelname for record in caplog.records] == ["ERROR"]


async def test_a_close_that_is_wanted_is_no_line(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    events = ConnectionLog("gap")
    events.closing = True
    await events.on_error(REFUSED)
    await events.on_disconnected()
    assert caplog.messages == []
