"""A whole deep review offline: 500 records a track from a server that speaks as the sources do.

python -m tests.bench_review [--records 500] [--reviews 1] [--max-studies 20] [--processes] [--model-s 0] [--chain]
                                                                                     (`make bench-review`)

Prints wall time, processor time of services and asker, events and bytes on the bus, seconds by service, and how long
answers take that are asked meanwhile. --processes: one process for each service, as in Compose, in place of one for
all. --model-s: a stand-in for a model that takes so many seconds for each of its answers; 0 = no model. --chain: one
review without answers beside it, traced; its wall time against its longest chain of single steps (review_chain.py).
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import time
from contextlib import AsyncExitStack
from statistics import median

from openwork_bus.jetstream import JetStreamBus
from openwork_bus.run_ids import root_traceparent
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.subjects import STREAM
from openwork_laptop.processes import Processes
from openwork_laptop.stack import Stack

from tests.fakes.collector import Collector, collecting
from tests.fakes.models.misbehaving import Script
from tests.fakes.models.server import fake_models
from tests.fakes.upstream.corpus import Part, Work
from tests.offline_stack import asked, offline
from tests.processor import processor_s
from tests.review_chain import longest_chain, wall_s
from tests.waiting import until

QUESTION = "Does apixaban reduce stroke compared with warfarin in atrial fibrillation?"
SHORT = "Do omega-3 fatty acids reduce major cardiovascular events?"
SENT_AFTER_S = 6.0
"""A process sends its spans every five seconds."""
_ABOUT = (
    "Adults with atrial fibrillation were randomised to apixaban or warfarin and followed for two years; events were "
    "adjudicated by a committee unaware of treatment, and analysis was by intention to treat."
)


def works(n: int) -> tuple[Work, ...]:
    """Works that both searches find, each a trial with its counts in a sentence; every tenth an animal study."""
    return tuple(_work(i) for i in range(n))


def _work(i: int) -> Work:
    events, other, people = 20 + i % 17, 30 + i % 13, 1000 + 10 * (i % 50)
    result = (
        f"Stroke occurred in {events} of {people} patients ({100 * events / people:.1f}%) in the apixaban group and in "
        f"{other} of {people} patients ({100 * other / people:.1f}%) in the warfarin group. Adverse events were alike."
    )
    return Work(
        key=f"w{i}",
        title=f"Apixaban versus warfarin in {'rats' if i % 10 == 9 else 'atrial fibrillation'}: trial {i}",
        year=2000 + i % 25,
        pmid=str(10_000_000 + i),
        pmcid=f"PMC{1_000_000 + i}",
        doi=f"10.9999/bench.{i}",
        journal="Journal of Examples",
        types=("Randomized Controlled Trial",),
        mesh=("Animals",) if i % 10 == 9 else ("Humans", "Atrial Fibrillation"),
        parts=(Part("METHODS", _ABOUT), Part("RESULTS", result)),
    )


async def _answers(bus: JetStreamBus, until: asyncio.Event) -> list[float]:
    """Seconds of answers asked one after another while something else goes on."""
    taken = []
    while not until.is_set():
        taken.append((await asked(bus, SHORT, "answer", sources=("library",)))[0])
        await asyncio.sleep(0.1)
    return taken


async def measure(chosen: argparse.Namespace) -> None:
    """One run of the bench, printed as a table."""
    variables = {"OPENWORK_SOURCES": "pubmed,europepmc,library"}
    async with AsyncExitStack() as stack:
        if chosen.model_s:
            models = await stack.enter_async_context(fake_models())
            models.plan(Script.SLOW, pause_s=chosen.model_s)
            variables |= models.openai_env()
        spans = stack.enter_context(collecting()) if chosen.chain else Collector()
        variables |= {"OPENWORK_OTLP_ENDPOINT": spans.url} if chosen.chain else {}
        bus, services = await stack.enter_async_context(
            offline(works(chosen.records), variables, processes=chosen.processes)
        )
        if chosen.chain:
            await _chained(bus, chosen, spans)
            return
        alone = [(await asked(bus, SHORT, "answer", sources=("library",)))[0] for _ in range(8)][3:]
        await _compared(bus, chosen, services, alone)


async def _chained(bus: JetStreamBus, chosen: argparse.Namespace, spans: Collector) -> None:
    """One review, and what it could not but take."""
    await asked(bus, SHORT, "answer", sources=("library",))  # what is read at the first question is read
    _, document = await asked(bus, QUESTION, "review", max_studies=chosen.max_studies)
    trace = root_traceparent(document.run_id).split("-")[1]
    await until(lambda: any(span.name.endswith(" end") for span in spans.of(trace)))
    await asyncio.sleep(SENT_AFTER_S)  # what other processes have still to send
    own = spans.of(trace)
    steps = longest_chain(own)
    print(
        "| step | messages | at once | the chain's own, s | all together, s | counted, s |\n|---|---|---|---|---|---|"
    )
    for step in steps:
        seconds = " | ".join(f"{value:.2f}" for value in (step.own_s, step.all_s, step.least_s))
        print(f"| {step.name} | {step.messages} | {step.at_once} | {seconds} |")
    least, wall = sum(step.least_s for step in steps), wall_s(own)
    print(f"\nwall time {wall:.2f} s, longest chain {least:.2f} s: {wall / least:.2f} times")


async def _compared(
    bus: JetStreamBus, chosen: argparse.Namespace, services: Stack | Processes, alone: list[float]
) -> None:
    """Reviews with answers beside them, after answers alone."""
    before = (await bus.connection.jetstream().stream_info(STREAM)).state
    cpu, done = _cpu(services), asyncio.Event()
    beside = asyncio.create_task(_answers(bus, done))
    started = time.perf_counter()
    reviews = (asked(bus, QUESTION, "review", max_studies=chosen.max_studies) for _ in range(chosen.reviews))
    found = await asyncio.gather(*reviews)
    wall, used = time.perf_counter() - started, _cpu(services) - cpu
    done.set()
    meanwhile = await beside
    after = (await bus.connection.jetstream().stream_info(STREAM)).state
    _print(found, wall, used, after.messages - before.messages, after.bytes - before.bytes, alone, meanwhile)


def _cpu(services: Stack | Processes) -> float:
    """Seconds of this process and of the services that are its children."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = services.pids.values() if isinstance(services, Processes) else ()
    return own.ru_utime + own.ru_stime + sum(map(processor_s, children))


def _print(
    found: list[tuple[float, AnswerDocument]],
    wall: float,
    cpu: float,
    events: int,
    size: int,
    alone: list[float],
    meanwhile: list[float],
) -> None:
    document = found[0][1]
    flow = document.review.flow if document.review else None
    print("| measure | value |\n|---|---|")
    print(f"| reviews at once | {len(found)}, {', '.join(sorted({d.status.value for _, d in found}))} |")
    print(f"| wall time, all | {wall:.1f} s (slowest {max(taken for taken, _ in found):.1f} s) |")
    print(f"| processor time of services and asker | {cpu:.1f} s |")
    print(f"| events, bytes on the bus, answers beside included | {events}, {size / 1e6:.1f} MB |")
    if flow is not None:
        screened = " + ".join(str(track.screened) for track in flow.tracks)
        print(f"| records screened | {screened} |")
        print(f"| studies read, with full text | {flow.studies_read}, {flow.with_fulltext} |")
        print(f"| numbers add up | {flow.adds_up} |")
    for name, seconds in sorted(document.timings.services.items(), key=lambda row: -row[1]):
        print(f"| waited for {name} | {seconds:.2f} s |")
    print(f"| an answer alone, median | {1000 * median(alone):.0f} ms |")
    if meanwhile:
        print(f"| an answer meanwhile, median of {len(meanwhile)} | {1000 * median(meanwhile):.0f} ms |")


def main() -> None:
    """Read what is wanted, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=500)
    parser.add_argument("--reviews", type=int, default=1)
    parser.add_argument("--max-studies", type=int, default=20)
    parser.add_argument("--processes", action="store_true")
    parser.add_argument("--model-s", type=float, default=0.0)
    parser.add_argument("--chain", action="store_true")
    asyncio.run(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
