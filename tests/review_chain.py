"""How long a run could not but take: its longest chain of single steps, at the concurrency that is configured.

From the spans of one run. The chain begins at the message that ended it and goes back over what published each message;
nothing in it waits in a queue. Where a step has more messages than its service takes at once, it counts for as long as
all of them take, one after another, divided by how many are taken at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openwork_contracts.subjects import CONSUMERS, lanes, retriever_consumer
from openwork_retrievers.domain.registry import searches_at_once

from tests.fakes.collector import Seen


@dataclass(frozen=True)
class Step:
    """One step of the chain: a message that a service handled."""

    name: str
    """Service and event."""
    messages: int
    """How many of this step the run had."""
    at_once: int
    """How many one process takes at once."""
    own_s: float
    """Of the chain's own message."""
    all_s: float
    """Of all the step's messages, one after another."""

    @property
    def least_s(self) -> float:
        """What the step needs at its concurrency."""
        return max(self.own_s, self.all_s / self.at_once)


def longest_chain(spans: Sequence[Seen]) -> tuple[Step, ...]:
    """The steps up to the message that ended the run, first to last.

    Args:
        spans: of one run.
    Raises:
        ValueError: the run has no message that ended it, or one whose way back is cut.
    """
    by_id = {span.span_id: span for span in spans}
    handled = [span for span in spans if _is_handling(span)]
    ends = [span for span in handled if span.name.endswith(" end")]
    if not ends:
        raise ValueError("no span handles the end of the run: was everything sent before this was asked?")
    chain: list[Seen] = []
    at: Seen | None = min(ends, key=lambda span: span.begun_s)
    while at is not None:
        if _is_handling(at):
            chain.append(at)
        at = by_id.get(at.parent_id)
    if "query-submitted" not in chain[-1].name:
        raise ValueError(f"the way back from the end is cut at {chain[-1].name!r}")
    sources = {
        span.parent_id: span.attributes["openwork.source"] for span in spans if "openwork.source" in span.attributes
    }
    every = [Handled(span, str(sources.get(span.span_id, ""))) for span in handled]
    of_chain = {span.span_id for span in chain[1:]}  # the end itself comes after the answer
    return tuple(_step(one, every) for one in sorted(every, key=_begun) if one.span.span_id in of_chain)


def wall_s(spans: Iterable[Seen]) -> float:
    """Seconds from the first handling of the run to its end, as the root span says."""
    (root,) = (span for span in spans if span.name == "openwork run")
    return root.ended_s - root.begun_s


@dataclass(frozen=True)
class Handled:
    """A message in work, and the source that it asks; empty = none."""

    span: Seen
    source: str

    @property
    def took_s(self) -> float:
        return self.span.ended_s - self.span.begun_s


def _begun(one: Handled) -> float:
    return one.span.begun_s


def _is_handling(span: Seen) -> bool:
    return "messaging.system" in span.attributes


def _step(own: Handled, every: Sequence[Handled]) -> Step:
    alike = [one for one in every if one.span.name == own.span.name and one.source == own.source]
    name = f"{own.span.name} {own.source}".strip()
    return Step(name, len(alike), _at_once(own), own.took_s, sum(one.took_s for one in alike))


def _at_once(own: Handled) -> int:
    """Handlers at once of the lane that took it; a source's own number is read where the retrievers read it."""
    service, _, event = own.span.name.partition(" ")
    of_source = retriever_consumer(own.source, concurrency=searches_at_once(own.source))
    rows = [of_source] if own.source else [row for row in CONSUMERS if row.service == service]
    taking = [lane for lane in lanes(rows) if any(taken.model.event_name == event for taken in lane.takes)]
    (found,) = {lane.concurrency for lane in taking if own.span.attributes["openwork.pipeline"] in lane.pipelines}
    return found
