"""One suite for both buses: what a handler test on the memory bus shows holds on a real nats-server too."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from nats.js.errors import APIError
from openwork_bus.bus import Bus
from openwork_bus.connection import connect
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.memory import MemoryBus
from openwork_bus.run_ids import new_run_id
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import ensure_topology
from openwork_contracts.errors import ContractViolation, RunNotFound, StorageFull, SubjectTaken
from openwork_contracts.meta import BlobRef
from openwork_contracts.plan import DeadlineReached, RetrievalCompleted, SearchPlanned
from openwork_contracts.question import Track
from openwork_contracts.subjects import STREAM, TIMERS_STREAM, run_filter, spec_of

from tests.builders import completed, failed, planned, requested, run_on, submitted
from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats


@dataclass
class Kind:
    """A bus, and how a test of either kind waits and lets messages go."""

    bus: Bus
    now: Callable[[], datetime]
    wait: Callable[[float], Awaitable[None]]
    put_raw: Callable[[str, bytes], Awaitable[object]]
    put_by_timer: Callable[[str, bytes], Awaitable[object]]
    """Have the server publish it, as whoever may set timers can."""


@pytest.fixture(params=["memory", "jetstream"])
async def kind(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Kind]:
    """Each test runs on both."""
    if request.param == "memory":
        memory = MemoryBus()

        async def by_timer(subject: str, data: bytes) -> None:
            await memory.put_raw(subject, data, {"Nats-Scheduler": "x"})

        yield Kind(memory, lambda: memory.now, memory.advance, memory.put_raw, by_timer)
        return
    server = OpenServer(tmp_path / "nats")
    await server.start()
    settings = ServiceSettings(nats_url=server.url)
    connection = await connect(settings, name="test")
    js = connection.jetstream(timeout=5)
    await ensure_topology(js, settings, ())

    async def put_raw(subject: str, data: bytes) -> None:
        await js.publish(subject, data, stream=STREAM)

    async def put_by_timer(subject: str, data: bytes) -> None:
        headers = {"Nats-Schedule": "@at 2026-01-01T00:00:00Z", "Nats-Schedule-Target": subject}
        timer = f"openwork.timer.v1.x.{new_run_id()}.answer~all~0~0"
        await js.publish(timer, data, stream=TIMERS_STREAM, headers=headers)
        await asyncio.sleep(1)

    async def wait(seconds: float) -> None:
        await asyncio.sleep(seconds + 0.5)

    yield Kind(JetStreamBus(connection, settings), lambda: datetime.now(UTC), wait, put_raw, put_by_timer)
    await connection.close()
    server.kill()


async def test_an_event_is_stored_once_and_its_repetition_changes_nothing(kind: Kind) -> None:
    run = run_on(kind.bus)
    first, again = completed(run, "pubmed"), completed(run, "pubmed")
    assert await kind.bus.publish(first)
    assert not await kind.bus.publish(again)
    (stored,) = await kind.bus.history(run.id)
    assert stored.event == first
    assert stored.subject == first.meta.event_id


async def test_something_else_on_the_subject_is_an_error_and_is_never_ignored(kind: Kind) -> None:
    """Another service, or an answer to another event: two decisions about one thing must not pass in silence."""
    ours, theirs = run_on(kind.bus), run_on(kind.bus, service="other")
    theirs.id = ours.id
    assert await kind.bus.publish(completed(ours, "pubmed"))
    with pytest.raises(SubjectTaken, match=r"retrieval-completed.*there is"):
        await kind.bus.publish(completed(theirs, "pubmed"))
    other_cause = run_on(kind.bus, ours.id)
    other_cause.cause = requested(ours, "pubmed")
    with pytest.raises(SubjectTaken):
        await kind.bus.publish(completed(other_cause, "pubmed"))


async def test_tracks_and_rounds_have_subjects_of_their_own(kind: Kind) -> None:
    """Round 1 and round 10 of a track cannot meet: whole tokens, no prefixes."""
    run_id = new_run_id()
    places = [("affirmative", 1), ("affirmative", 10), ("falsification", 1)]
    runs = [run_on(kind.bus, run_id, track=track, round_=round_) for track, round_ in places]
    for run in runs:
        assert await run.publish(completed(run, "pubmed"))
    for run in runs:
        pattern = spec_of(RetrievalCompleted).filter(run_id=run_id, track=run.track, round_=run.round)
        assert await kind.bus.subjects(pattern) == {run.subject(RetrievalCompleted, route="pubmed")}
    assert len(await kind.bus.subjects(run_filter(run_id))) == 3


async def test_a_run_ends_once_in_whatever_way_and_whatever_its_pipeline(kind: Kind) -> None:
    run = run_on(kind.bus)
    other = run_on(kind.bus, run.id, service="gateway")
    other.pipeline = "review"
    assert await run.end(failed(run, "first"))
    assert not await run.end(failed(run, "again"))
    assert not await other.end(failed(other, "another pipeline"))
    assert [s.event.message for s in await kind.bus.history(run.id)] == ["first"]  # type: ignore[attr-defined]


async def test_a_run_id_belongs_to_one_question_of_one_owner(kind: Kind) -> None:
    """The same question again is the same run; an edited one, or another's, is refused, in another pipeline too."""
    run = run_on(kind.bus)
    assert await kind.bus.publish(submitted(run, "asked"))
    assert not await kind.bus.publish(submitted(run, "asked"))
    with pytest.raises(SubjectTaken):
        await kind.bus.publish(submitted(run, "edited"))
    run.owner = "ALICE"
    with pytest.raises(SubjectTaken):
        await kind.bus.publish(submitted(run, "asked"))
    run.pipeline = "review"
    with pytest.raises(SubjectTaken):
        await kind.bus.publish(submitted(run, "edited"))


async def test_the_deadline_of_a_run_goes_with_each_of_its_events(kind: Kind) -> None:
    run = run_on(kind.bus)
    run.deadline_at = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=90)
    await run.publish(completed(run, "pubmed"))
    (stored,) = await kind.bus.history(run.id)
    assert stored.event.meta.deadline_at == run.deadline_at


async def test_a_fan_out_is_stored_whole_or_not_at_all(kind: Kind) -> None:
    run = run_on(kind.bus)
    await run.publish(completed(run, "b"))
    with pytest.raises(SubjectTaken):
        await run.publish_all([planned(run, ("a", "b")), completed(run, "a"), completed(run, "b")])
    assert await run.read(SearchPlanned) is None
    assert await run.read(RetrievalCompleted, route="a") is None
    fan_out = [planned(run, ("a",)), requested(run, "a")]
    assert await run.publish_all(fan_out)
    assert not await run.publish_all(fan_out)


async def test_a_deadline_is_set_once_and_fires_on_its_joiner(kind: Kind) -> None:
    """Set again while it waits, or after it has fired, it stays what it was: nobody moves another's deadline."""
    run, due = run_on(kind.bus), kind.now() + timedelta(seconds=1)
    assert await kind.bus.set_timer(run.timer("normaliser", due)) == due
    assert await run.read(DeadlineReached, route="normaliser") is None
    later = run.timer("normaliser", due + timedelta(seconds=60))
    assert abs(await kind.bus.set_timer(later) - due) < timedelta(milliseconds=1)
    await kind.wait(1.5)
    fired = await run.read(DeadlineReached, route="normaliser")
    assert fired is not None
    assert abs(fired.due_at - due) < timedelta(milliseconds=1)
    assert abs(await kind.bus.set_timer(later) - due) < timedelta(milliseconds=1)


async def test_the_deadline_of_an_earlier_try_counts_unless_it_is_over(kind: Kind) -> None:
    """A handler that is run again finds the timer of its first run."""
    run, now = run_on(kind.bus), datetime.now(UTC)
    first = await run.set_deadline("normaliser", now + timedelta(seconds=30))
    again = await run.set_deadline("normaliser", now + timedelta(seconds=40))
    assert abs(again - first) < timedelta(milliseconds=1)
    short = await run.set_deadline("reranker-passages", now + timedelta(seconds=1))
    await kind.wait(1.5)
    other = await run.set_deadline("reranker-passages", datetime.now(UTC) + timedelta(seconds=30))
    assert other - short > timedelta(seconds=20)


async def test_timers_that_wait_are_no_events_of_the_run(kind: Kind) -> None:
    run = run_on(kind.bus)
    await kind.bus.set_timer(run.timer("normaliser", kind.now() + timedelta(hours=1)))
    await run.publish(planned(run, ("a",)))
    assert [type(s.event) for s in await kind.bus.history(run.id)] == [SearchPlanned]


async def test_an_event_that_a_timer_published_is_not_believed(kind: Kind) -> None:
    """Its target lies in its own stream, which takes no events; one that is published all the same, readers refuse."""
    run = run_on(kind.bus)
    forged = planned(run, ("pubmed",))
    if isinstance(kind.bus, JetStreamBus):
        with pytest.raises(APIError) as refused:
            await kind.put_by_timer(forged.meta.event_id, forged.model_dump_json().encode())
        assert refused.value.err_code == 10190
        return
    await kind.put_by_timer(forged.meta.event_id, forged.model_dump_json().encode())
    with pytest.raises(ContractViolation, match="timer"):
        await kind.bus.get(forged.meta.event_id)
    assert await kind.bus.get_all([forged.meta.event_id]) == []


async def test_a_body_of_another_place_is_refused(kind: Kind) -> None:
    run = run_on(kind.bus)
    body = completed(run, "pubmed").model_dump_json().encode()
    elsewhere = run.subject(RetrievalCompleted, route="pubmed", track=Track.FALSIFICATION)
    await kind.put_raw(elsewhere, body)
    with pytest.raises(ContractViolation, match="affirmative"):
        await kind.bus.get(elsewhere)


async def test_a_large_event_is_stored_by_reference_and_read_whole(kind: Kind) -> None:
    run = run_on(kind.bus)
    question = "".join(chr(0x4E00 + (i * 7919) % 20000) for i in range(19_000))
    plan = planned(run, ("a",))
    large = plan.model_copy(update={"analysis": plan.analysis.model_copy(update={"question": question * 6})})
    assert await kind.bus.publish(large)
    stored = await kind.bus.get(large.meta.event_id)
    assert stored is not None
    assert stored.event == large


async def test_a_blob_is_what_its_reference_says_or_an_error(kind: Kind) -> None:
    ref = await kind.bus.put_blob(b"text" * 1000, media_type="text/plain")
    assert await kind.bus.get_blob(ref) == b"text" * 1000
    assert await kind.bus.put_blob(b"text" * 1000, media_type="text/plain") == ref
    with pytest.raises(ContractViolation, match="checksum"):
        await kind.bus.get_blob(ref.model_copy(update={"sha256": "0" * 64}))
    gone = BlobRef(bucket=ref.bucket, name="gone", sha256="0" * 64, size=1)
    with pytest.raises(LookupError, match="gone"):
        await kind.bus.get_blob(gone)


async def test_an_unknown_run_is_not_an_empty_one(kind: Kind) -> None:
    with pytest.raises(RunNotFound):
        await kind.bus.history(new_run_id())


async def test_what_is_malformed_is_left_out_of_a_history(kind: Kind) -> None:
    run = run_on(kind.bus)
    await run.publish(completed(run, "a"))
    await kind.put_raw(run.subject(RetrievalCompleted, route="b"), b"{not json")
    assert [s.event.source for s in await kind.bus.history(run.id)] == ["a"]  # type: ignore[attr-defined]


async def test_fields_that_have_their_default_are_left_out_and_read_back(kind: Kind) -> None:
    """Smaller messages; absent means the default, which therefore never changes."""
    run = run_on(kind.bus)
    event = completed(run, "pubmed")
    await kind.put_raw(event.meta.event_id, _lean(event.model_dump_json(exclude_defaults=True)))
    stored = await kind.bus.get(event.meta.event_id)
    assert stored is not None
    assert stored.event == event


def _lean(text: str) -> bytes:
    body = json.loads(text)
    assert "records" not in body
    assert "search_log" not in body
    return json.dumps(body).encode()


async def test_a_full_memory_bus_refuses_and_stores_nothing() -> None:
    """As the real one, which tests/integration/test_full_disk.py fills."""
    bus = MemoryBus(full=True)
    run = run_on(bus)
    with pytest.raises(StorageFull):
        await run.publish(completed(run, "a"))
    bus.full = False
    assert await run.publish(completed(run, "a"))


async def test_messages_of_a_memory_bus_go_with_age() -> None:
    """As `max_age` on the server: a run that is too old is not found."""
    bus = MemoryBus(max_age_s=10)
    run = run_on(bus)
    await run.publish(completed(run, "a"))
    await bus.advance(11)
    with pytest.raises(RunNotFound):
        await bus.history(run.id)


async def test_a_subject_of_another_form_spoils_no_history(kind: Kind) -> None:
    """Somebody's odd subject among a run's: left out, and the rest is read."""
    run = run_on(kind.bus)
    await run.publish(completed(run, "a"))
    odd = run.subject(RetrievalCompleted, route="b").replace(".1.0", ".first.0")
    await kind.put_raw(odd, b"{}")
    assert [s.event.source for s in await kind.bus.history(run.id)] == ["a"]  # type: ignore[attr-defined]
