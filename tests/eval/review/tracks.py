"""What each search of a review found that the other did not, on questions with known harms or null results.

python -m tests.eval.review.tracks     (`make eval-review ARGS=tracks`)

The starter library alone, no model: whole reviews on a memory bus. A study counts as found by a track where one of its
reports was not excluded there.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from openwork_bus.memory import MemoryBus
from openwork_contracts.review import Review
from openwork_gateway.domain.folds import fold
from openwork_retrievers.adapters.library import LibrarySource

from tests.builders import run_on, submitted
from tests.review_flow import review_services

QUESTIONS = (
    "Do SGLT2 inhibitors reduce cardiovascular death in heart failure?",
    "Does hydroxychloroquine reduce mortality in COVID-19?",
    "Does aspirin prevent cardiovascular events in older adults without cardiovascular disease?",
    "Do omega-3 fatty acids reduce major cardiovascular events?",
    "Does intensive glucose control reduce mortality in type 2 diabetes?",
    "Does apixaban reduce stroke in atrial fibrillation?",
    "Does hydrocortisone reduce mortality in septic shock?",
)
"""Of the library's topics: a treatment with harms of its own, or one whose trials were null."""


async def review_of(question: str, library: LibrarySource) -> Review:
    """A whole review over the library."""
    bus = MemoryBus(now=datetime.now(UTC))
    run = run_on(bus)
    run.pipeline = "review"
    await bus.publish(submitted(run, question))
    await review_services(bus, {"library": library}).drain()
    review = fold(await bus.history(run.id)).review
    if review is None:
        raise RuntimeError(f"no review of {question!r}")
    return review


async def main() -> None:
    """Print a row a question."""
    library = LibrarySource()
    print(
        "| question | screened | studies read | by both | for alone | against alone | with a result | pooled | harms |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for question in QUESTIONS:
        review = await review_of(question, library)
        flow = review.flow
        screened = " + ".join(str(track.screened) for track in flow.tracks)
        alone = [flow.only_in.get(name, 0) for name in ("affirmative", "falsification")]
        pooled = sum(one.pooled is not None for one in review.outcomes)
        harms = sum(one.harm for one in review.outcomes)
        cells = [question, screened, flow.studies_read, flow.studies_read - sum(alone), *alone, flow.with_results]
        print(f"| {' | '.join(map(str, [*cells, pooled, harms]))} |")
        assert flow.adds_up


if __name__ == "__main__":
    asyncio.run(main())
