"""The layout before this one: a single stream for events and timers. How it gives way, and how one goes back to it.

Two streams cannot share a subject, so the former one gives its subjects up, and takes them again for a way back. Its
messages stay and can be read until their age. What was in it is taken over by `python -m openwork_gateway.upgrade`.

python -m openwork_bus.former --rollback    as the user of the topology job, when no service runs
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys

from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, StreamConfig
from nats.js.errors import APIError, NotFoundError
from openwork_contracts.buckets import BUCKETS, BucketKind
from openwork_contracts.errors import OpenWorkError, UsageError
from openwork_contracts.pipelines import PIPELINES
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.subjects import PREFIX, STREAM, stream_subjects

from openwork_bus.connection import connect
from openwork_bus.publishing import words_of
from openwork_bus.settings import ServiceSettings

log = logging.getLogger(__name__)

FORMER_STREAM = "OPENWORK"
"""Held events and timers together until 0.1; see docs/deployment.md, Upgrade."""
FORMER_NOTE = "openwork.former.v1.events"
"""The one subject that it has now: of the note that its runs were taken over."""
_SET_ASIDE = "openwork.former.v1.next"
"""What the stream of events takes while a version of the former layout runs: nothing that anybody publishes."""
FORMER_DEADLINE = DeadlineReached.event_name
FORMER_TIMER = "timer"
"""Third tokens of what was no event of the flow: deadlines that were reached, and those that wait."""


def former_subjects() -> tuple[str, ...]:
    """What the former stream took: the events, deadlines among them, and timers."""
    beside = (
        f"{PREFIX}.{kind}.{pipeline.name}.*.*.*.*.*"
        for kind in (FORMER_DEADLINE, FORMER_TIMER)
        for pipeline in PIPELINES
    )
    return (*stream_subjects(), *beside)


async def has_former(js: JetStreamContext) -> bool:
    """Whether there is a former stream that holds something still."""
    try:
        return (await js.stream_info(FORMER_STREAM)).state.messages > 0
    except NotFoundError:
        return False


async def narrow(js: JetStreamContext) -> None:
    """Have the former stream, where there is one, give up its subjects; its messages stay."""
    try:
        former = await js.stream_info(FORMER_STREAM)
    except NotFoundError:
        return
    if former.config.subjects != [FORMER_NOTE]:
        await js.update_stream(former.config.evolve(subjects=[FORMER_NOTE]))
        log.warning(
            "the former stream %s takes nothing new; its %d messages stay", FORMER_STREAM, former.state.messages
        )


async def roll_back(js: JetStreamContext) -> tuple[str, ...]:
    """Give the former stream its subjects again, and the buckets of objects the form that NATS gives them.

    What was asked since the upgrade stays in the new streams, which the former version does not read.

    Returns:
        The subjects that the former stream has now.
    Raises:
        UsageError: there is no former stream, or the server refuses.
    """
    try:
        former = await js.stream_info(FORMER_STREAM)
    except NotFoundError:
        raise UsageError(f"there is no stream {FORMER_STREAM}: nothing to go back to") from None
    try:
        await _change(js, STREAM, subjects=[_SET_ASIDE])
        await js.update_stream(former.config.evolve(subjects=list(former_subjects())))
        for bucket in BUCKETS:
            if bucket.kind is BucketKind.OBJECTS:
                await _change(
                    js,
                    bucket.stream,
                    subjects=[f"$O.{bucket.name}.C.>", f"$O.{bucket.name}.M.>"],
                    discard=DiscardPolicy.NEW,
                    discard_new_per_subject=False,
                    max_msgs_per_subject=-1,
                    max_msg_size=-1,
                    allow_rollup_hdrs=True,
                )
            else:
                await _change(js, bucket.stream, allow_rollup_hdrs=True)
    except APIError as error:
        raise UsageError(f"NATS refuses to go back: {words_of(error)}") from error
    return former_subjects()


async def _change(js: JetStreamContext, stream: str, **fields: object) -> None:
    try:
        config: StreamConfig = (await js.stream_info(stream)).config
    except NotFoundError:
        return
    await js.update_stream(config.evolve(**fields))


async def _main() -> None:
    connection = await connect(ServiceSettings(), name="topology")
    try:
        subjects = await roll_back(connection.jetstream(timeout=10))
    finally:
        await connection.close()
    lines = "\n".join(f"  {subject}" for subject in subjects)
    sys.stdout.write(f"{FORMER_STREAM} takes again:\n{lines}\nNow start the former version.\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m openwork_bus.former")
    parser.add_argument("--rollback", action="store_true", required=True, help="go back to the former layout")
    parser.parse_args()
    try:
        asyncio.run(_main())
    except OpenWorkError as error:
        sys.stdout.write(f"rollback: {error}\n")
        sys.exit(1)
