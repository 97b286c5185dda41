"""What so many answers an hour need: pods, the store of NATS, its memory, and what that costs at prices of one's own.

python -m tests.capacity [--hourly 10,1000,100000] [--events-hours 48] [--results-days 90] [--replicas 1]
                         [--busy 0.6] [--vcpu-hour P] [--gib-hour P] [--gb-month P]

A model (docs/capacity.md) of what `make bench ARGS="--only grown,subjects"` measured: answers from the starter library,
no language model, no GPU, no live source. The constants are a machine's; replace them with your own measurement.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from openwork_bus.settings import ServiceSettings
from openwork_contracts.streams import STREAMS
from openwork_contracts.subjects import RESULTS_STREAM, STREAM, TIMERS_STREAM

from deploy.registry import service_named, services

HOURS_A_MONTH = 730
RUN_CPU_MS = {
    "gateway": 10.4,
    "query": 3.3,
    "retrievers": 2.8,
    "normaliser": 8.9,
    "reranker": 13.3,
    "fulltext": 0.2,
    "gap": 4.0,
    "synthesiser": 7.6,
    "verifier": 10.6,
    "api": 10.0,
    "screener": 0.0,
    "extractor": 0.0,
    "appraiser": 0.0,
}
"""Processor time of one answer in each service, as processes, on one core of the machine in docs/capacity.md. That of
the API is `make measure`'s, of a question that is asked over HTTP, followed and read; over NATS one has none of it.
Three are of reviews alone.
"""
NATS_CPU_MS = 11.5
RUN_BYTES = {STREAM: 23_500, RESULTS_STREAM: 11_000, TIMERS_STREAM: 1_700}
RUN_SUBJECTS = {STREAM: 11, RESULTS_STREAM: 1, TIMERS_STREAM: 2}
SUBJECT_BYTES = 440
"""Memory of nats-server for one subject that it holds a message of."""
SUBJECT_START_S = 1e-6
"""Seconds that one subject adds to the start of nats-server, after a kill."""
STREAM_RUNS_A_SECOND = 23.0
"""Runs a second that one stream was seen to take with processors for all shared: its own limit was not reached."""
SERVER_MEMORY_GB = 4.0
"""That a nats-server is given; more subjects than fit are for another stream, of another server: a partition."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of the system, and what the reader of the table assumes."""

    answers_an_hour: float
    events_hours: float
    results_days: float
    replicas: int = 1
    """Copies of a stream, each on a server of its own."""
    busy: float = 0.6
    """Share of a core that a pod may be busy in the mean: the rest is for peaks, and for pods that start."""

    @property
    def a_second(self) -> float:
        """Answers in a second, evenly over the hour."""
        return self.answers_an_hour / 3600


@dataclass(frozen=True, slots=True)
class Need:
    """What it takes."""

    pods: dict[str, int]
    vcpu: float
    """Requested, or used at the allowed share where that is more; NATS included."""
    memory_gib: float
    """Requested by the services, and what NATS needs for its subjects."""
    store_gb: float
    """`OPENWORK_STORE_GB` of one server: the largest of what a stream holds by its share of the store."""
    nats_memory_gb: float
    """For subjects alone, of all partitions together."""
    nats_start_s: float
    """After a kill, of one partition."""
    partitions: int

    def dollars_a_month(self, vcpu_hour: float, gib_hour: float, gb_month: float, replicas: int) -> float:
        """At the reader's prices."""
        by_hour = self.vcpu * vcpu_hour + self.memory_gib * gib_hour
        return by_hour * HOURS_A_MONTH + self.store_gb * self.partitions * replicas * gb_month


def need(wanted: Wanted) -> Need:
    """What so many answers need, by proportion from what one needs."""
    pods: dict[str, int] = {}
    vcpu = memory_gib = 0.0
    for spec in services():
        used = wanted.a_second * RUN_CPU_MS.get(spec.name, 0.0) / 1000
        pods[spec.name] = max(spec.resources.minimum, math.ceil(used / wanted.busy))
        vcpu += max(pods[spec.name] * int(spec.resources.cpu.removesuffix("m")) / 1000, used / wanted.busy)
        memory_gib += pods[spec.name] * gib(spec.resources.memory)
    runs = {
        STREAM: wanted.answers_an_hour * wanted.events_hours,
        TIMERS_STREAM: wanted.answers_an_hour * wanted.events_hours,
        RESULTS_STREAM: wanted.answers_an_hour * 24 * wanted.results_days,
    }
    subjects = sum(runs[name] * RUN_SUBJECTS[name] for name in runs)
    nats_memory_gb = subjects * SUBJECT_BYTES / 1e9
    partitions = max(1, math.ceil(nats_memory_gb / SERVER_MEMORY_GB), math.ceil(wanted.a_second / STREAM_RUNS_A_SECOND))
    shares = {spec.name: spec.share for spec in STREAMS}
    store_gb = max(runs[name] * RUN_BYTES[name] / shares[name] for name in runs) / 1e9 / partitions
    nats_vcpu = wanted.a_second * NATS_CPU_MS / 1000 / wanted.busy * wanted.replicas
    return Need(
        pods=pods,
        vcpu=vcpu + max(0.1 * partitions * wanted.replicas, nats_vcpu),
        memory_gib=memory_gib + nats_memory_gb * wanted.replicas,
        store_gb=store_gb,
        nats_memory_gb=nats_memory_gb,
        nats_start_s=subjects * SUBJECT_START_S / partitions,
        partitions=partitions,
    )


def answers_a_second(cores: float, *, busy: float = 1.0) -> float:
    """What a machine with so many cores answers when it does nothing else: for comparison with what was measured, where
    questions came over NATS."""
    on_the_bus = sum(spent for name, spent in RUN_CPU_MS.items() if not service_named(name).asker)
    return cores * busy * 1000 / (on_the_bus + NATS_CPU_MS)


def gib(size: str) -> float:
    """Of a size as Kubernetes writes it, `128Mi` or `1Gi`."""
    return float(size.removesuffix("Mi")) / 1024 if size.endswith("Mi") else float(size.removesuffix("Gi"))


def rows(columns: Sequence[tuple[Wanted, Need]], prices: tuple[float, float, float] | None) -> list[list[str]]:
    """The table, a row a quantity."""
    needs = [found for _, found in columns]
    out = [["answers an hour", *(f"{wanted.answers_an_hour:,.0f}" for wanted, _ in columns)]]
    out += [[f"pods: {name}", *(str(found.pods[name]) for found in needs)] for name in needs[0].pods]
    out += [
        ["vCPU", *(f"{found.vcpu:.1f}" for found in needs)],
        ["memory", *(f"{found.memory_gib:.1f} GiB" for found in needs)],
        ["`OPENWORK_STORE_GB` of a partition", *(f"{found.store_gb:,.2f}" for found in needs)],
        ["memory of NATS for subjects", *(f"{found.nats_memory_gb:,.2f} GB" for found in needs)],
        ["start of a NATS partition", *(f"{found.nats_start_s:,.1f} s" for found in needs)],
        ["partitions", *(str(found.partitions) for found in needs)],
    ]
    if prices:
        paid = (found.dollars_a_month(*prices, wanted.replicas) for wanted, found in columns)
        out.append(["dollars a month", *(f"{dollars:,.0f}" for dollars in paid)])
    return out


def main() -> int:
    """Print the table."""
    settings = ServiceSettings()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hourly", default="10,1000,100000")
    parser.add_argument("--events-hours", type=float, default=settings.events_hours)
    parser.add_argument("--results-days", type=float, default=settings.results_days)
    parser.add_argument("--replicas", type=int, default=settings.replicas)
    parser.add_argument("--busy", type=float, default=0.6)
    for price in ("vcpu-hour", "gib-hour", "gb-month"):
        parser.add_argument(f"--{price}", type=float, help="dollars; without all three prices no dollars are told")
    asked = parser.parse_args()
    prices = (asked.vcpu_hour, asked.gib_hour, asked.gb_month)
    wanted = [
        Wanted(float(hourly), asked.events_hours, asked.results_days, asked.replicas, asked.busy)
        for hourly in asked.hourly.split(",")
    ]
    table = rows([(one, need(one)) for one in wanted], None if None in prices else prices)
    sys.stdout.write(f"| {' | '.join(table[0])} |\n|{'---|' * len(table[0])}\n")
    sys.stdout.writelines(f"| {' | '.join(row)} |\n" for row in table[1:])
    sys.stdout.write(f"\nOne machine with 2 cores, nothing else on it: {answers_a_second(2):.1f} answers a second.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
