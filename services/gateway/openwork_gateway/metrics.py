"""What is counted at the door and at the end: questions let in and refused, runs by outcome, time, step and cost."""

from __future__ import annotations

from enum import StrEnum

from openwork_bus.figures import Counter, Figures, Gauge, Histogram
from openwork_bus.metrics import DEAD_LETTERS
from openwork_bus.topology import all_consumers
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.end import RunEnded
from openwork_contracts.pipelines import INSTALLED
from openwork_contracts.question import QuerySubmitted

RUN_SECONDS_BOUNDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 7.5, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 90.0, 120.0, 300.0, 600.0)
"""Bounds of a run's time: a rejection takes 0.1 s, the goal of an answer is 15 s, its deadline 120 s."""

RUNS = Counter("openwork_runs_total", ("pipeline", "outcome"), "Runs that ended, by outcome: answers, where it is one.")
RUN_SECONDS = Histogram(
    "openwork_run_seconds",
    ("pipeline", "outcome"),
    "From the question as it was stored to the end of its run.",
    RUN_SECONDS_BOUNDS,
)
STEP_SECONDS = Histogram(
    "openwork_run_step_seconds",
    ("pipeline", "step"),
    "From the question to the (last) event of a step, for each run that ended.",
    RUN_SECONDS_BOUNDS,
)
RUN_COST = Counter(
    "openwork_run_cost_usd_total", ("pipeline",), "US dollars that language models cost in runs that ended."
)
ADMITTED = Counter("openwork_questions_admitted_total", ("pipeline",), "Questions that were let in.")
REFUSED = Counter("openwork_admission_refusals_total", ("reason",), "Questions that were not let in, by why.")
WAITING = Gauge("openwork_questions_waiting", (), "Questions that wait at this gateway for their turn.")
_NO_STEPS = {QuerySubmitted.event_name, RunEnded.event_name}
"""Where the time begins, and where it ends."""
METRICS = (RUNS, RUN_SECONDS, STEP_SECONDS, RUN_COST, ADMITTED, REFUSED, WAITING)


class Refusal(StrEnum):
    """Why a question is not let in."""

    BUSY = "busy"
    """More is asked than can be answered in time."""
    QUOTA = "quota"
    """The account has begun as many runs as it may."""
    STORE_FULL = "store_full"
    """The stream of events is nearly full."""
    INBOX_FULL = "inbox_full"
    """So many questions of the account wait that its inbox takes no more."""
    TOO_LATE = "too_late"
    """Its deadline passed while it waited."""
    TAKEN = "taken"
    """Its run id is another question's."""
    INVALID = "invalid"
    """It is no question, or of a pipeline that is not installed."""


def begin_runs(figures: Figures, sources: tuple[str, ...]) -> None:
    """Series whose first growth is to be seen; dead letters of every consumer, since a process that died tells none."""
    for reason in Refusal:
        figures.begin(REFUSED, reason.value)
    for pipeline in (spec.name for spec in INSTALLED):
        figures.begin(ADMITTED, pipeline)
        for status in RunStatus:
            if status is not RunStatus.RUNNING:
                figures.begin(RUNS, pipeline, status.value)
    for consumer in all_consumers(sources):
        figures.begin(DEAD_LETTERS, consumer.durable)


def count_run(figures: Figures, document: AnswerDocument) -> None:
    """A run that ended, by the document that its asker gets."""
    pipeline, outcome = document.pipeline, document.status.value
    figures.count(RUNS, pipeline, outcome)
    figures.observe(RUN_SECONDS, pipeline, outcome, value=document.timings.total_s)
    for step in document.timings.steps.keys() - _NO_STEPS:
        seconds = document.timings.steps[step]
        figures.observe(STEP_SECONDS, pipeline, step, value=seconds)
    figures.count(RUN_COST, pipeline, n=document.usage.cost_usd)
