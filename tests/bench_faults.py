"""Every fault of outside services at 1, 4 and 8 questions at once: what was sent, found, kept, lost, and why.

    python -m tests.bench_faults [--at-once 1,4,8] [--only 429,hang] [--lanes 3] [--no-key]

Each measurement is a system of its own on a real nats-server with the default sources and the product's own time
limits; a local server in a process of its own stands for the outside services and counts at its door. A fault lasts,
and strikes NCBI and one other service together: which one goes in turn over the faults. One question more meets the
fault where found records and texts are read. What is lost is told against the same question asked alone of services
without fault. By default with an NCBI key (10 requests a second), so that what NCBI loses is lost to the fault;
questions at once on 3 a second are `bench_crowd`. Systems are measured side by side (`--lanes`), since they mostly
wait. Exit code 1 where a run did not end once, took longer than its plan or lost something without a word, or where a
service that answered is named as one that failed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from openwork_bus import loop
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_contracts.answer import RunStatus
from openwork_contracts.subjects import end_filter
from openwork_retrievers.domain.registry import BY_ROUTE

from tests.bench import machine
from tests.crowd import TOPICS, Asked, World, answering, ask, dosing_question, outside
from tests.fakes.upstream.app import PATHS
from tests.fakes.upstream.faults import FaultKind
from tests.fakes.upstream.server import Logged
from tests.lost import Loss, Reference, losses, reference, works_unaccounted, wrongly_blamed

OTHERS = ("EUROPEPMC", "OPENALEX", "SEMANTICSCHOLAR", "CLINICALTRIALS", "DAILYMED")
READS = {"NCBI reads": "efetch.fcgi", "Europe PMC texts": "fullTextXML", "Unpaywall": "/unpaywall", "PDFs": "/pdf/"}
"""Where records that were found and full texts are read."""
WORLD = World(answer_s=0.1, labelled=True)
ENDS = {RunStatus.ANSWERED, RunStatus.TOO_LITTLE_EVIDENCE}


@dataclass(frozen=True)
class Case:
    """One measurement."""

    kind: FaultKind | None
    """`None` = nothing goes wrong."""
    topics: tuple[int, ...]
    services: tuple[str, ...] = ()
    """Those struck, as in `PATHS`."""
    reads: bool = False
    """Whether `READS` are struck in place of services."""

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(READS.values()) if self.reads else tuple(PATHS[name] for name in self.services)

    @property
    def place(self) -> str:
        return "reading" if self.reads else " and ".join(name.lower() for name in self.services)

    @property
    def struck(self) -> frozenset[str]:
        """Routes that may say that their service failed."""
        adapters = {"ncbi"} if self.reads else {name.lower() for name in self.services}
        return frozenset(route for route, spec in BY_ROUTE.items() if spec.adapter.value in adapters)


@dataclass(frozen=True)
class Outcome:
    """What came of it, in what a process may hand to another."""

    case: Case
    took_s: float
    """The slowest answer."""
    plan_s: float
    """What that one had by its plan: search and full text, each round."""
    n_further: int
    """Runs that searched a second time."""
    statuses: Mapping[str, int]
    n_ends: tuple[int, ...]
    """Ends stored, by run."""
    sent: Mapping[str, int]
    found: Mapping[str, int]
    kept: Mapping[str, int]
    counts: Mapping[str, int]
    losses: tuple[Loss, ...] = ()
    wrong: tuple[str, ...] = field(default=())
    """Everything that must not be."""


def service_of(call: Logged) -> str:
    """Whose request it is."""
    return next((name.lower() for name, base in PATHS.items() if call.path.startswith(f"{base}/")), "pdf")


async def ends_of(bus: JetStreamBus, run_id: str) -> int:
    return len(await bus.subjects(end_filter(run_id)))


def rounds_of(one: Asked) -> int:
    return max(1, len(one.document.record.rounds)) if one.document.record else 1


def plan_s(one: Asked) -> float:
    """Seconds that the plan of a run gives its sources and full texts, all rounds."""
    settings = ServiceSettings()
    return rounds_of(one) * (settings.retrieval_deadline_s + settings.fulltext_deadline_s)


async def measure(case: Case, *, key: bool, known: Mapping[int, Reference]) -> Outcome:
    """Ask the case's questions at once of a system that remembers nothing."""
    async with outside(WORLD) as door:
        if case.kind is not None:
            door.strike(case.kind, case.paths)
        async with answering(door, key=key) as bus:
            asked = await asyncio.gather(*(ask(bus, topic, dosing_question) for topic in case.topics))
            n_ends = [await ends_of(bus, one.document.run_id) for one in asked]
        calls = door.all_calls()
    return outcome(case, asked, n_ends, calls, known)


def outcome(
    case: Case, asked: Sequence[Asked], n_ends: Sequence[int], calls: Sequence[Logged], known: Mapping[int, Reference]
) -> Outcome:
    documents, slowest = [one.document for one in asked], max(asked, key=lambda one: one.took_s)
    reports = [source for document in documents for source in document.method.sources]
    lost = [loss for one in asked if one.topic in known for loss in losses(one.document, known[one.topic])]
    wrong = [
        f"{one.document.status.value} after {one.took_s:.1f} s" for one in asked if one.document.status not in ENDS
    ]
    wrong += [f"a run has {n} ends" for n in n_ends if n != 1]
    wrong += [f"an answer took {one.took_s:.1f} s of {plan_s(one):.0f} s" for one in asked if one.took_s > plan_s(one)]
    wrong += [f"{loss.n} of {loss.of} lost without a word" for loss in lost if not loss.why]
    wrong += [text for document in documents for text in works_unaccounted(document)]
    wrong += [text for document in documents for text in wrongly_blamed(document, case.struck)]
    counts: Counter[str] = Counter()
    for document in documents:
        counts.update(document.method.counts)
    return Outcome(
        case=case,
        took_s=slowest.took_s,
        plan_s=plan_s(slowest),
        n_further=sum(rounds_of(one) > 1 for one in asked),
        statuses=Counter(document.status.value for document in documents),
        n_ends=tuple(n_ends),
        sent=Counter(map(service_of, calls)),
        found=_summed((report.name, report.found) for report in reports),
        kept=_summed((report.name, report.kept) for report in reports),
        counts=counts,
        losses=tuple(lost),
        wrong=tuple(wrong),
    )


def _summed(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for name, n in pairs:
        total[name] += n
    return dict(total)


def told(one: Outcome) -> str:
    """A measurement in lines."""
    case, counts = one.case, one.counts
    what = f"{case.kind.value} at {case.place}" if case.kind else "no fault"
    lines = [f"\n### {what}, {len(case.topics)} at once\n"]
    ends = ", ".join(f"{n} {status.replace('_', ' ')}" for status, n in one.statuses.items())
    further = f"; {one.n_further} with a further round" if one.n_further else ""
    lines.append(f"slowest answer {one.took_s:.1f} s of its plan's {one.plan_s:.0f} s; ended: {ends}{further}")
    lines.append(f"sent: {', '.join(f'{name} {n}' for name, n in sorted(one.sent.items()))}")
    records = (f"{name} {n}" + (f" ({one.kept[name]})" if one.kept[name] != n else "") for name, n in one.found.items())
    lines.append(f"found (kept where fewer): {', '.join(records)}")
    lines.append(f"works: {', '.join(f'{name} {n}' for name, n in counts.items())}")
    lines += _lost(one.losses) or ["lost: nothing"]
    return "\n".join([*lines, *(f"WRONG: {text}" for text in one.wrong)])


def _lost(losses: Sequence[Loss]) -> list[str]:
    """What was lost, by where and why."""
    total: Counter[tuple[str, str]] = Counter()
    times: Counter[tuple[str, str]] = Counter()
    for loss in losses:
        at = (loss.of, loss.why or "NO WORD ABOUT IT")
        total[at] += loss.n
        times[at] += 1
    return [f"lost: {n} of {of}, {times[of, why]} x: {why}" for (of, why), n in total.items()]


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """All measurements, a row for each fault and place."""
    sizes = sorted({len(one.case.topics) for one in outcomes})
    lines = [
        "| fault | at | "
        + " | ".join(f"{n} at once: slowest s, answered, lost and named, unnamed" for n in sizes)
        + " |"
    ]
    lines += ["|---|---|" + "---|" * len(sizes)]
    rows: dict[tuple[str, str], dict[int, str]] = {}
    for one in outcomes:
        kind = one.case.kind.value if one.case.kind else "none"
        unnamed = sum(loss.n for loss in one.losses if not loss.why)
        named = sum(loss.n for loss in one.losses if loss.why)
        answered = one.statuses.get("answered", 0)
        place = "reading" if one.case.reads else "NCBI, another" if one.case.kind else "-"
        cell = f"{one.took_s:.1f} of {one.plan_s:.0f}, {answered}, {named}, {unnamed}"
        rows.setdefault((kind, place), {})[len(one.case.topics)] = cell
    for (kind, place), cells in rows.items():
        lines.append(f"| {kind} | {place} | " + " | ".join(cells.get(n, "") for n in sizes) + " |")
    return lines


def cases(kinds: Sequence[FaultKind], at_once: Sequence[int]) -> list[Case]:
    """None first, then each fault at each place and number; those that take longest begin first."""
    made = [Case(None, tuple(range(n))) for n in at_once]
    for turn, kind in enumerate(kinds):
        for shift, n in enumerate(at_once):
            other = OTHERS[(turn + shift) % len(OTHERS)]
            made.append(Case(kind, tuple(range(n)), ("NCBI", other)))
        made.append(Case(kind, (0,), reads=True))
    return made


def _work(case: Case, key: bool, known: Mapping[int, Reference]) -> Outcome:
    return loop.run(measure(case, key=key, known=known))


async def _alone(topic: int, key: bool) -> Reference:
    async with outside(WORLD) as door, answering(door, key=key) as bus:
        return reference((await ask(bus, topic, dosing_question)).document)


def _alone_work(topic: int, key: bool) -> Reference:
    return loop.run(_alone(topic, key))


def main() -> int:
    os.environ.setdefault("OPENWORK_LOG_LEVEL", "ERROR")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-once", default="1,4,8", help=f"numbers of questions, each at most {len(TOPICS)}")
    parser.add_argument("--only", default="", help="faults, separated by commas; empty = all")
    parser.add_argument("--lanes", type=int, default=3, help="systems measured side by side")
    parser.add_argument("--no-key", action="store_true", help="3 requests a second of NCBI in place of 10")
    wanted = parser.parse_args()
    numbers = [int(number) for number in json.loads(f"[{wanted.at_once}]")]
    if not all(1 <= number <= len(TOPICS) for number in numbers):
        parser.error(f"--at-once: from 1 to {len(TOPICS)}")
    kinds = [FaultKind(name) for name in wanted.only.split(",")] if wanted.only else list(FaultKind)
    return run(cases(kinds, numbers), max(numbers), lanes=wanted.lanes, key=not wanted.no_key)


def run(all_cases: Sequence[Case], most: int, *, lanes: int, key: bool) -> int:
    """Measure them all and print; the exit code."""
    started = time.perf_counter()
    print(f"Machine: {machine()}; {lanes} systems side by side; an outside service answers after {WORLD.answer_s:g} s")
    with ProcessPoolExecutor(lanes, multiprocessing.get_context("spawn")) as lane:
        alone = [lane.submit(_alone_work, topic, key) for topic in range(most)]
        known = {topic: future.result() for topic, future in enumerate(alone)}
        futures = [lane.submit(_work, case, key, known) for case in all_cases]
        outcomes = []
        for future in futures:
            outcomes.append(future.result())
            print(told(outcomes[-1]), flush=True)
    print("\n".join(["", *table(outcomes), ""]))
    wrong = [one for one in outcomes if one.wrong]
    n_runs = sum(len(one.case.topics) for one in outcomes)
    took = f"{n_runs} runs in {len(outcomes)} measurements, {time.perf_counter() - started:.0f} s in all"
    slowest = max(outcomes, key=lambda one: one.took_s / one.plan_s)
    said = f"{took}; the slowest answer took {slowest.took_s:.1f} s of its plan's {slowest.plan_s:.0f} s"
    if wrong:
        print(f"NOT AS IT SHOULD BE in {len(wrong)} measurements (see WRONG above); {said}")
        return 1
    print(f"Every run ended once, within its plan's time, and nothing was lost without a word: {said}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
