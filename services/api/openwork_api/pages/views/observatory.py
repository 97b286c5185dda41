"""Figures about the runs of everybody as a page shows them: each with its definition, none by its colour alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

from openwork_contracts.answer import RunStatus
from openwork_contracts.errors import FailureReason
from openwork_contracts.observatory import FailedRun, Observation, SourceFigures, Spread, Window
from openwork_contracts.verdict import ReasonCode, Verdict
from openwork_knowledge.source_names import source_name
from openwork_report.words import run_status_words

from openwork_api.pages.views.links import trace_address
from openwork_api.pages.views.verdicts import LOOK_AT, NOT_BORNE_OUT, spoken, verdict_words

LEAST_GROUNDING = 0.95
MOST_LATENCY_S = 15.0
MOST_COST_USD = 0.02
"""The goals that evaluations of single runs are labelled by."""
MOST_FINDINGS = 8
WIDTH, HEIGHT = 100.0, 24.0
"""Units of a picture."""
WINDOWS: Mapping[Window, tuple[str, str]] = {
    Window.HOUR: ("Last hour", "5 minutes"),
    Window.DAY: ("Last day", "hour"),
    Window.WEEK: ("Last week", "6 hours"),
}
"""What a window is called, and each of its slices."""
_FAILED_WORDS = {
    FailureReason.DEADLINE: "was not done when the run's time was up",
    FailureReason.INTERNAL: "failed unexpectedly",
    FailureReason.CONTRACT: "could not read what it was given",
}
"""Why a run failed, as the end of a sentence that begins with the step; of other reasons the words for sources."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of the window in a picture."""

    x: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Trend:
    """How a figure went over the window."""

    bars: tuple[Bar, ...]
    words: str
    """The picture for whoever does not see it."""


@dataclass(frozen=True, slots=True)
class Gauge:
    """A figure."""

    key: str
    name: str
    value: str
    of: str
    """What it was counted from."""
    means: str
    trend: Trend
    off: str = ""
    """What is wrong with it; empty = nothing."""


@dataclass(frozen=True, slots=True)
class ShareRow:
    """A line of a table: how many, and a bar."""

    name: str
    n: int
    share: str
    bar: float
    """Of `WIDTH`."""


@dataclass(frozen=True, slots=True)
class ServiceRow:
    """A service."""

    name: str
    n: int
    p50: str
    p95: str
    p99: str
    bar: float


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source."""

    name: str
    route: str
    """Where the name does not say it: several searches of one service have one name."""
    searches: int
    answered: int
    failed: int
    not_asked: int
    p95: str
    works: int
    cited: int
    error: str
    error_at: datetime | None
    fails: bool
    """Whether more than half of what it was asked failed."""


@dataclass(frozen=True, slots=True)
class FailureRow:
    """A run that failed."""

    at: datetime
    step: str
    why: str
    after: str
    pipeline: str
    run: str
    """Its page, where the reader may read it; empty = somebody else's."""
    trace: str
    """In Phoenix; empty = nobody said where that is."""
    trace_id: str


@dataclass(frozen=True, slots=True)
class ObservatoryView:
    """The page."""

    gauges: tuple[Gauge, ...]
    outcomes: tuple[ShareRow, ...]
    withheld: tuple[ShareRow, ...]
    findings: tuple[str, ...]
    services: tuple[ServiceRow, ...]
    sources: tuple[SourceRow, ...]
    failures: tuple[FailureRow, ...]


def observatory_view(observed: Observation, phoenix: str | None = None) -> ObservatoryView:
    """What a page shows.

    Args:
        phoenix: where those who look reach Phoenix; `None` = not known.
    """
    withheld = {verdict_words(Verdict(name)): n for name, n in observed.claims.withheld.items()}
    outcomes = {run_status_words(RunStatus(name)): n for name, n in observed.outcomes.items()}
    slowest = max((one.seconds.p95_s or 0.0 for one in observed.services), default=0.0)
    findings = sorted(observed.claims.findings.items(), key=lambda one: (-one[1], one[0]))[:MOST_FINDINGS]
    return ObservatoryView(
        gauges=tuple(_gauges(observed)),
        outcomes=tuple(_shares(outcomes)),
        withheld=tuple(_shares(withheld)),
        findings=tuple(f"{_finding(ReasonCode(code))}: {n:,}" for code, n in findings),
        services=tuple(
            ServiceRow(one.name, one.seconds.n, *_percentiles(one.seconds), _bar(one.seconds.p95_s or 0.0, slowest))
            for one in observed.services
        ),
        sources=tuple(map(_source, observed.sources)),
        failures=tuple(_failure(one, phoenix) for one in observed.failures),
    )


# --- figures ---------------------------------------------------------------------------------------------------------


def _gauges(observed: Observation) -> Iterator[Gauge]:
    slices, part = observed.slices, WINDOWS.get(observed.window, ("", "part"))[1]
    failed = observed.outcomes.get(RunStatus.FAILED.value, 0)
    yield Gauge(
        "answers",
        "Answers",
        f"{observed.answers:,}",
        f"of {_count(observed.runs, 'run')} that ended; {failed:,} failed",
        "Runs that ended with an answer, or with the statement that there is too little evidence for one. The picture "
        "shows all runs. A question that was refused at the door is no run.",
        _trend([one.runs for one in slices], part, "{:,.0f}"),
        off="More than one run in ten failed" if failed * 10 > observed.runs else "",
    )
    yield from _of_claims(observed, part)
    yield from _of_retrieval(observed, part)
    yield _of_time(observed, part)
    yield from _of_cost(observed, part)


def _of_claims(observed: Observation, part: str) -> Iterator[Gauge]:
    claims = observed.claims
    n_withheld = sum(claims.withheld.values())
    grounding = _ratio(claims.supported, claims.claims)
    trend = [_ratio(one.supported, one.claims) for one in observed.slices]
    yield Gauge(
        "grounding",
        "Grounding",
        _percent(grounding),
        f"{claims.supported:,} of {_count(claims.claims, 'sentence')}; {claims.own_words:,} by the sources' own words",
        "Of the sentences that claim something in the last draft of each run, those that the passages they cite bear "
        "out. The others do not reach a reader.",
        _trend(trend, part, "{:.1%}", top=1.0),
        off=f"Below {LEAST_GROUNDING:.0%}" if grounding is not None and grounding < LEAST_GROUNDING else "",
    )
    shown = f"{claims.shown_unsupported:,} of {claims.shown:,} shown did not pass"
    yield Gauge(
        "withheld",
        "Held back",
        _percent(_ratio(n_withheld, n_withheld + claims.shown)),
        f"{_count(n_withheld, 'sentence')}; {shown}",
        "Of the sentences that claim something, those that no reader got, since they did not pass the check. That one "
        "is shown that did not pass must never happen. The picture shows what the last drafts had wrong.",
        _trend([None if share is None else 1.0 - share for share in trend], part, "{:.1%}", top=1.0),
        off="Sentences were shown that did not pass" if claims.shown_unsupported else "",
    )


def _of_retrieval(observed: Observation, part: str) -> Iterator[Gauge]:
    found = observed.retrieval
    shortlist = _percent(_ratio(found.cited, found.shortlisted))
    yield Gauge(
        "precision",
        "Retrieval precision",
        _percent(_ratio(found.cited, found.works)),
        f"{found.cited:,} of {_count(found.works, 'work')} cited; of the shortlisted {shortlist}",
        "Of the works that were found and ranked (each once, without notices and what has nothing to read), those that "
        "an answer cites. A work that is not cited may still be to the point: there is room for a few.",
        _trend([_ratio(one.cited, one.works) for one in observed.slices], part, "{:.1%}"),
    )


def _of_time(observed: Observation, part: str) -> Gauge:
    took = observed.seconds
    p50, p95, p99 = _percentiles(took)
    return Gauge(
        "seconds",
        "Time to an answer, p95",
        p95,
        f"p50 {p50}, p99 {p99}, of {_count(took.n, 'answer')}",
        "From the question as it was stored to the end of its run; 95 of 100 answers took no longer. Runs without an "
        "answer are left out. The picture shows p95.",
        _trend([one.p95_s for one in observed.slices], part, "{:.2f} s"),
        off=f"Over {MOST_LATENCY_S:g} s" if took.p95_s is not None and took.p95_s > MOST_LATENCY_S else "",
    )


def _of_cost(observed: Observation, part: str) -> Iterator[Gauge]:
    cost = observed.cost
    per_answer = cost.cost_usd / observed.answers if observed.answers else None
    spent = [one.cost_usd for one in observed.slices]
    yield Gauge(
        "cost",
        "Cost per answer",
        "none yet" if per_answer is None else _dollars(per_answer),
        f"{_count(cost.model_calls, 'call')} of language models",
        "What language models cost in all runs, also in those without an answer, by the number of answers; at our "
        "price table. The picture shows dollars spent.",
        _trend(spent, part, "${:,.4f}"),
        off=f"Over ${MOST_COST_USD:g}" if per_answer is not None and per_answer > MOST_COST_USD else "",
    )
    yield Gauge(
        "total-cost",
        "Cost, cumulative",
        _dollars(cost.cost_usd),
        f"{cost.input_tokens:,} tokens in, {cost.output_tokens:,} out",
        "What language models cost since the beginning of the window, all runs together.",
        _trend(list(accumulate(spent)), part, "${:,.4f}"),
    )


def _trend(values: Sequence[float | None], part: str, form: str, *, top: float | None = None) -> Trend:
    """Args: top: what is as high as the picture; `None` = the largest value."""
    there = [value for value in values if value is not None]
    highest = max(there, default=0.0)
    scale = top or highest or 1.0
    width = WIDTH / max(1, len(values))
    bars = tuple(
        # Something that is there can be seen, however little it is.
        Bar(round(place * width, 2), round(width * 0.78, 2), round(max(value / scale * HEIGHT, 0.6), 2))
        for place, value in enumerate(values)
        if value is not None and (value > 0 or top is not None)
    )
    if not bars:
        return Trend((), "nothing in this window")
    return Trend(bars, f"by {part}: newest {_told(values[-1], form)}, highest {form.format(highest)}")


def _told(value: float | None, form: str) -> str:
    return "none" if value is None else form.format(value)


# --- tables ----------------------------------------------------------------------------------------------------------


def _shares(counts: Mapping[str, int]) -> Iterator[ShareRow]:
    total = sum(counts.values())
    for name, n in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
        yield ShareRow(name, n, _percent(_ratio(n, total)), _bar(n, total))


def _finding(code: ReasonCode) -> str:
    words = NOT_BORNE_OUT.get(code) or LOOK_AT.get(code) or spoken(code.value)
    return words[:1].upper() + words[1:]


def _source(one: SourceFigures) -> SourceRow:
    name = source_name(one.name)
    return SourceRow(
        name=name,
        route="" if one.name in name.lower().replace(" ", "") else one.name,
        searches=one.searches,
        answered=one.answered,
        failed=one.failed,
        not_asked=one.not_asked,
        p95=_percentiles(one.seconds)[1],
        works=one.works,
        cited=one.cited,
        error=_sentence(one.last_error.in_words) if one.last_error else "",
        error_at=one.last_error_at,
        fails=one.failed * 2 > one.searches,
    )


def _failure(one: FailedRun, phoenix: str | None) -> FailureRow:
    return FailureRow(
        at=one.at,
        step=one.step or "not known",
        why=_sentence(_FAILED_WORDS.get(one.reason) or one.reason.in_words),
        after=_seconds(one.seconds),
        pipeline=one.pipeline,
        run=f"/runs/{one.run_id}" if one.run_id else "",
        trace=trace_address(phoenix, one.trace_id) or "",
        trace_id=one.trace_id or "",
    )


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _bar(value: float, of: float) -> float:
    return round(value / of * WIDTH, 1) if of else 0.0


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _percent(share: float | None) -> str:
    return "none yet" if share is None else f"{share:.1%}"


def _count(n: int, word: str) -> str:
    return f"{n:,} {word}{'' if n == 1 else 's'}"


def _dollars(usd: float) -> str:
    return f"${usd:,.2f}" if usd >= 10 else f"${usd:.4f}"


def _percentiles(spread: Spread) -> tuple[str, str, str]:
    return _seconds(spread.p50_s), _seconds(spread.p95_s), _seconds(spread.p99_s)


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return "none yet"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
