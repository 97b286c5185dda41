"""Runs of the former layout, taken over: what each came to is stored as its document, once.

The services do not read the former stream. A run in it that has ended gets the document that it came to; one that was
at work when its services were stopped has no end, and gets one in words. Safe to do twice: a run that has a document is
passed over.

python -m openwork_gateway.upgrade    as the gateway's user, after the topology job, before the services
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import Counter
from collections.abc import Sequence

from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.errors import Error as JetStreamError
from nats.js.errors import NotFoundError
from openwork_bus.bus import StoredEvent
from openwork_bus.connection import connect
from openwork_bus.former import FORMER_DEADLINE, FORMER_NOTE, FORMER_STREAM, FORMER_TIMER
from openwork_bus.jetstream import JetStreamBus, stored_at
from openwork_bus.run_ids import check_run_id
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import BusUnavailable, ContractViolation, FailureReason, OpenWorkError, UsageError
from openwork_contracts.meta import ALL, CONTRACT_VERSION, EventMeta
from openwork_contracts.subjects import end_filter, parse_subject, question_filter, run_filter, spec_of

from openwork_gateway.domain.folds import fold
from openwork_gateway.results import Results, StoredResults, put_document
from openwork_gateway.settings import Settings

log = logging.getLogger(__name__)

UPGRADED = "The system was upgraded while this run was at work; it was not taken up again. Ask the question again."
_NO_EVENTS = frozenset({FORMER_DEADLINE, FORMER_TIMER})
_AT_ONCE = 8
"""Runs that are read side by side."""


async def is_due(js: JetStreamContext) -> bool:
    """Whether there is a former stream with something that was stored after its last note: two requests at most."""
    try:
        state = (await js.stream_info(FORMER_STREAM)).state
    except NotFoundError:
        return False
    if not state.messages:
        return False
    try:
        note = await js.get_last_msg(FORMER_STREAM, FORMER_NOTE, direct=True)
    except NotFoundError:
        return True
    return note.seq != state.last_seq


async def take_over(bus: JetStreamBus, results: Results) -> Counter[str]:
    """Store a document for every run of the former stream that has none.

    Returns:
        How many runs were `taken` over as they had ended, `interrupted` by the upgrade, there `already`, `unreadable`;
        and how many events were `left_out`, since they cannot be read any more.
    Raises:
        BusUnavailable: NATS does not answer. UsageError: topology was not there first.
    """
    try:
        return await _take_all_over(bus, results)
    except (NatsError, JetStreamError, OSError, TimeoutError) as error:
        raise BusUnavailable(f"the former stream {FORMER_STREAM} cannot be read to its end: {error!r}") from error


async def _take_all_over(bus: JetStreamBus, results: Results) -> Counter[str]:
    js = bus.connection.jetstream(timeout=10)
    counted: Counter[str] = Counter()
    if not await is_due(js):
        return counted
    if (await js.stream_info(FORMER_STREAM)).config.subjects != [FORMER_NOTE]:
        raise UsageError("first run the topology job of this version: `python -m openwork_bus.topology`")
    runs = sorted({*await _runs(js, question_filter("*")), *await _runs(js, end_filter("*"))})
    log.warning("%d runs of the former stream are taken over", len(runs))
    for start in range(0, len(runs), _AT_ONCE):
        done = await asyncio.gather(*(_take_over(bus, results, run_id) for run_id in runs[start : start + _AT_ONCE]))
        for counts in done:
            counted += counts
    await js.publish(FORMER_NOTE, in_words(counted).encode(), stream=FORMER_STREAM)
    return counted


def in_words(counted: Counter[str]) -> str:
    """What was done, in a line."""
    words = (
        f"{counted['taken']} runs taken over as they ended, {counted['interrupted']} ended as failed since the upgrade "
        f"met them at work, {counted['already']} had a document, {counted['unreadable']} could not be read"
    )
    more = f"; {counted['left_out']} events are left out of them: their bodies are gone, or malformed"
    return words + (more if counted["left_out"] else "")


async def _take_over(bus: JetStreamBus, results: Results, run_id: str) -> Counter[str]:
    counted: Counter[str] = Counter()
    history, counted["left_out"] = await _history(bus, run_id)
    if not history:
        return counted + Counter(unreadable=1)
    owner = history[0].event.meta.owner
    if await results.document(owner, run_id) is not None:
        return Counter(already=1)
    is_over = any(stored.event.terminal for stored in history)
    try:
        document = fold(history if is_over else [*history, _interrupted(history)])
        await put_document(results, document, once=True)
    except (ValueError, OpenWorkError) as error:
        log.warning("run %s of the former stream is left out: %r", run_id, error)
        return counted + Counter(unreadable=1)
    return counted + Counter(taken=1) if is_over else counted + Counter(interrupted=1)


def _interrupted(history: Sequence[StoredEvent]) -> StoredEvent:
    """The end that a run never had: at its last event, since nothing happened to it after that."""
    last = history[-1]
    meta = last.event.meta
    subject = spec_of(RunEnded).subject(meta.run_id, pipeline=meta.pipeline)
    ended = RunEnded(
        meta=EventMeta(
            event_id=subject,
            run_id=meta.run_id,
            pipeline=meta.pipeline,
            track=ALL,
            owner=meta.owner,
            contract_version=CONTRACT_VERSION,
            occurred_at=last.stored_at,
            producer="gateway",
            trace_id=meta.trace_id,
        ),
        kind=EndKind.FAILED,
        failure=FailureReason.INTERNAL,
        stage="upgrade",
        message=UPGRADED,
    )
    return StoredEvent(last.sequence + 1, subject, last.stored_at, ended)


async def _runs(js: JetStreamContext, pattern: str) -> list[str]:
    """Run ids in subjects of the former stream; what is none belongs to no run."""
    found: list[str] = []
    for subject in await _subjects(js, pattern):
        try:
            found.append(check_run_id(parse_subject(subject).run_id))
        except (ContractViolation, UsageError):
            continue
    return found


async def _history(bus: JetStreamBus, run_id: str) -> tuple[list[StoredEvent], int]:
    """The events of a run in their order, and how many of them cannot be read."""
    js = bus.connection.jetstream(timeout=10)
    found: list[StoredEvent] = []
    n_left_out = 0
    for subject in await _subjects(js, run_filter(run_id)):
        if parse_subject(subject).event in _NO_EVENTS:
            continue
        try:
            message = await js.get_last_msg(FORMER_STREAM, subject, direct=True)
            event = await bus.decode(subject, message.data or b"", headers=message.headers or {})
        except (ContractViolation, NotFoundError) as error:
            log.warning("left out: %s", error)
            n_left_out += 1
            continue
        found.append(StoredEvent(message.seq or 0, subject, stored_at(message), event))
    return sorted(found, key=lambda stored: stored.sequence), n_left_out


async def _subjects(js: JetStreamContext, pattern: str) -> list[str]:
    info = await js.stream_info(FORMER_STREAM, subjects_filter=pattern)
    return list(info.state.subjects or {})


async def _main() -> None:
    settings = Settings()
    connection = await connect(settings, name="gateway")
    try:
        bus = JetStreamBus(connection, settings)
        counted = await take_over(bus, StoredResults(bus))
    finally:
        await connection.close()
    sys.stdout.write(f"{in_words(counted) if counted else 'nothing is left to be taken over'}\n")


if __name__ == "__main__":
    try:
        asyncio.run(_main())
    except OpenWorkError as error:
        sys.stdout.write(f"upgrade: {error}\n")
        sys.exit(1)
