"""What the server's refusals mean, on a connection that is scripted; the real one is asked by the conformance suite."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from nats.errors import FlushTimeoutError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import APIError, NotFoundError
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.memory import MemoryBus
from openwork_bus.settings import ServiceSettings
from openwork_contracts.errors import BusUnavailable, OpenWorkError, StorageFull, SubjectTaken
from openwork_contracts.meta import Event

from tests.builders import completed, planned, requested, run_on

SETTINGS = ServiceSettings(publish_patience_s=0.3, publish_timeout_s=0.1)


def refusal(err_code: int, code: int = 400, description: str = "refused") -> APIError:
    return APIError(code=code, err_code=err_code, description=description)


@dataclass
class Server:
    """A connection to a stream that holds these events and refuses every publication with this."""

    error: Callable[[], Exception] | None
    stored: dict[str, Event] = field(default_factory=dict)
    max_payload: int = 2**20
    is_connected: bool = True
    n_tries: int = 0
    there: bool = True

    async def flush(self, **options: Any) -> None:
        if not self.there:
            raise FlushTimeoutError

    def jetstream(self, **options: Any) -> Server:
        return self

    async def request(self, subject: str, payload: bytes, **options: Any) -> SimpleNamespace:
        self.n_tries += 1
        error = self.error() if self.error else None
        if error is not None and not isinstance(error, APIError):
            raise error
        told = (
            {"error": {"code": error.code, "err_code": error.err_code, "description": error.description}}
            if error
            else {}
        )
        return SimpleNamespace(data=json.dumps(told).encode())

    _prefix = "$JS.API"

    async def _api_request(self, subject: str, body: bytes, **options: Any) -> dict[str, Any]:
        return {"state": {"subjects": dict.fromkeys(self.stored, 1)}, "total": len(self.stored)}

    async def get_last_msg(self, name: str, subject: str, direct: bool) -> SimpleNamespace:
        if subject not in self.stored:
            raise NotFoundError
        data = self.stored[subject].model_dump_json().encode()
        return SimpleNamespace(data=data, headers={}, seq=1, time=None)


def bus_on(server: Server) -> JetStreamBus:
    return JetStreamBus(server, SETTINGS)  # type: ignore[arg-type]


@pytest.mark.parametrize("err_code", [10071, 10164, 10077])
async def test_a_subject_that_is_taken_is_a_repetition_or_an_error_of_its_own(err_code: int) -> None:
    """The server has three codes for it: a single message, one inside a batch, and the stream's own limit."""
    words = "maximum messages per subject exceeded"
    run, other = run_on(MemoryBus()), run_on(MemoryBus(), service="other")
    other.id = run.id
    ours, theirs = completed(run, "pubmed"), completed(other, "pubmed")
    bus = bus_on(Server(lambda: refusal(err_code, description=words), {ours.meta.event_id: ours}))
    assert not await bus.publish(ours)
    assert not await bus.publish_all([ours, requested(run, "pubmed")])
    with pytest.raises(SubjectTaken, match="by test"):
        await bus.publish(theirs)
    with pytest.raises(SubjectTaken, match="by test"):
        await bus.publish_all([theirs, requested(other, "pubmed")])


async def test_any_other_refusal_is_an_error_and_is_not_tried_again() -> None:
    server = Server(lambda: refusal(10025, description="not allowed"))
    run = run_on(MemoryBus())
    with pytest.raises(OpenWorkError, match=r"not allowed \(10025\)"):
        await bus_on(server).publish(completed(run, "pubmed"))
    assert server.n_tries == 1


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (lambda: refusal(10023, 503), StorageFull),
        (lambda: refusal(10077, 503, "maximum bytes exceeded"), StorageFull),
        (lambda: refusal(10077, 503, "words of a later version"), BusUnavailable),
        (lambda: refusal(10008, 503), BusUnavailable),
        (NatsTimeoutError, BusUnavailable),
    ],
)
async def test_a_server_that_has_no_room_or_no_leader_is_asked_until_patience_ends(
    error: Callable[[], Exception], kind: type[Exception]
) -> None:
    server = Server(error)
    run = run_on(MemoryBus())
    with pytest.raises(BusUnavailable) as caught:
        await bus_on(server).publish(completed(run, "pubmed"))
    assert type(caught.value) is kind
    assert server.n_tries > 1


@pytest.mark.parametrize("there", [True, False])
async def test_a_server_that_is_there_and_silent_is_told_from_one_that_is_away(there: bool) -> None:
    """Out of disk space nats-server gives a publication no answer at all; the reader is told where to look."""
    run = run_on(MemoryBus())
    with pytest.raises(BusUnavailable) as caught:
        await bus_on(Server(NatsTimeoutError, there=there)).publish(completed(run, "pubmed"))
    assert ("is its disk full?" in str(caught.value)) is there


async def test_an_event_whose_acknowledgement_was_lost_counts_as_stored_by_this_call() -> None:
    """The first try may have stored it: the second finds it there, and that is no repetition."""
    answers = iter([NatsTimeoutError(), refusal(10071)])
    run = run_on(MemoryBus())
    assert await bus_on(Server(lambda: next(answers))).publish(completed(run, "pubmed"))


async def test_a_batch_over_the_servers_limit_is_refused_before_anything_is_sent() -> None:
    server = Server(None)
    run = run_on(MemoryBus())
    requests = [requested(run, f"s{i}") for i in range(1000)]
    with pytest.raises(ValueError, match="1001 messages"):
        await bus_on(server).publish_all([planned(run, ("s0",)), *requests])
    assert server.n_tries == 0
