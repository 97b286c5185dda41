"""What runs on a cluster: one workload per service, and for the retrievers one per source. The table behind `k8s/`.

Requests are made from `python scripts/measure_services.py` (docs/deployment.md has its table): a service takes 53 to
81 MiB idle and hardly more at work, and 1.2 to 1.9 CPU seconds to start.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from openwork_bus.settings import DEFAULT_SOURCES
from openwork_contracts.subjects import STREAM, ConsumerSpec
from openwork_retrievers.domain.registry import BY_ROUTE

from deploy.permissions import consumers_of

RETRIEVER_CONCURRENCY = 2
"""Handlers at once in one retriever: `openwork_retrievers.app`."""
_CALL_S = 1.0
"""Seconds that one call of an outside service takes, roughly: how many may be in flight for a rate to be used up."""
_MOST_RETRIEVERS = 5


@dataclass(frozen=True, slots=True)
class Workload:
    """One deployment."""

    name: str
    service: str
    """Its package, image and NATS user."""
    consumers: tuple[ConsumerSpec, ...]
    """The durables that it scales on."""
    per_pod: int
    """Messages that one pod works on at the same time: KEDA's threshold."""
    minimum: int = 1
    maximum: int = 10
    cpu: str = "100m"
    memory: str = "128Mi"
    memory_limit: str = "256Mi"
    reaches: tuple[str, ...] = ()
    """What it may connect to beside NATS, DNS and Phoenix: `internet`, `triton`."""
    environment: dict[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    """Settings that come from the optional Secret `openwork-source-keys`."""


def workloads() -> tuple[Workload, ...]:
    """Every deployment, in the order of the flow of an answer."""
    return (
        # Two at least: `openwork.ask` is core NATS, which no lag shows.
        _service("gateway", minimum=2, maximum=4, cpu="50m"),
        _service("query", reaches=("internet",)),
        *(retriever(route) for route in DEFAULT_SOURCES.split(",")),
        _service("normaliser"),
        _service("reranker", reaches=("triton",), memory="192Mi", memory_limit="384Mi", maximum=20),
        _service("fulltext", reaches=("internet",), memory="256Mi", memory_limit="768Mi", keys=("ncbi_api_key",)),
        _service("gap"),
        # Where the CPU time of an answer goes: 102 and 50 ms of 240.
        _service("synthesiser", cpu="200m", maximum=20),
        _service("verifier", cpu="200m", maximum=20),
    )


def retriever(route: str) -> Workload:
    """The deployment of one source."""
    consumer = next(spec for _, spec in consumers_of("retrievers") if spec.durable == f"retriever-{route}")
    outside = route in BY_ROUTE
    return Workload(
        name=f"retriever-{route}",
        service="retrievers",
        consumers=(consumer,),
        per_pod=RETRIEVER_CONCURRENCY,
        maximum=most_retrievers(route),
        memory_limit="384Mi",
        reaches=("internet",) if outside else (),
        environment={"OPENWORK_RETRIEVER_SOURCES": route},
        keys=_keys(route),
    )


def most_retrievers(route: str) -> int:
    """Pods of a source beyond which requests would only wait for its limit, shared with the sources of the same key."""
    if route not in BY_ROUTE:
        return 10  # the library: no outside limit
    rate = BY_ROUTE[route].rate
    sharers = [name for name in DEFAULT_SOURCES.split(",") if name in BY_ROUTE and BY_ROUTE[name].rate.key == rate.key]
    in_flight = max(rate.per_second, rate.per_second_with_key or 0) * _CALL_S / max(1, len(sharers))
    return max(1, min(_MOST_RETRIEVERS, math.ceil(in_flight / RETRIEVER_CONCURRENCY)))


def _keys(route: str) -> tuple[str, ...]:
    adapter = BY_ROUTE[route].adapter.value if route in BY_ROUTE else ""
    return (f"{adapter}_api_key",) if adapter in {"ncbi", "openalex", "semanticscholar", "openfda", "tavily"} else ()


def _service(
    name: str, *, minimum: int = 1, maximum: int = 10, cpu: str = "100m", memory: str = "128Mi",
    memory_limit: str = "256Mi", reaches: tuple[str, ...] = (), keys: tuple[str, ...] = (),
) -> Workload:  # fmt: skip
    consumers = tuple(spec for stream, spec in consumers_of(name) if stream == STREAM)
    return Workload(
        name, name, consumers, max(spec.concurrency for spec in consumers), minimum, maximum, cpu, memory,
        memory_limit, reaches, {}, keys,
    )  # fmt: skip
