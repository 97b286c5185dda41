"""A review's document out of its events."""

from __future__ import annotations

from datetime import UTC, datetime

from openwork_bus.bus import StoredEvent
from openwork_bus.memory import MemoryBus
from openwork_gateway.domain.folds import fold
from openwork_retrievers.adapters.library import LibrarySource

from tests.builders import run_on, submitted
from tests.review_flow import review_services


async def test_it_does_not_tell_which_search_was_the_faster_one() -> None:
    bus = MemoryBus(now=datetime.now(UTC))
    run = run_on(bus)
    run.pipeline = "review"
    await bus.publish(submitted(run, "Do SGLT2 inhibitors reduce hospitalisation in heart failure?"))
    await review_services(bus, {"library": LibrarySource()}).drain()
    *events, end = await bus.history(run.id)

    def of_track(name: str) -> list[StoredEvent]:
        return [stored for stored in events if stored.event.meta.track == name]

    shared = of_track("all")
    for_first = fold([*shared, *of_track("affirmative"), *of_track("falsification"), end]).review
    against_first = fold([*shared, *of_track("falsification"), *of_track("affirmative"), end]).review
    assert for_first is not None
    assert any(len(record.decisions) == 2 for record in for_first.screened)
    assert for_first == against_first
