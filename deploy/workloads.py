"""What may run on a cluster: one workload per service, of the retrievers one per source. The table behind `k8s/`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from openwork_contracts.subjects import ADVISORY_STREAM, ConsumerSpec, lanes, retriever_consumer

from deploy import sources
from deploy.permissions import consumers_of
from deploy.registry import ServiceSpec, services


@dataclass(frozen=True, slots=True)
class Workload:
    """One deployment."""

    name: str
    service: ServiceSpec
    consumers: tuple[ConsumerSpec, ...]
    """The durables that it scales on: those of events and of deadlines that are due. Not the server's advisories, which
    come when something is broken that more pods would not mend, and not the inboxes: accounts are not known here, and
    what waits in one waits for its admission, not for a gateway."""
    per_pod: int
    """Messages that one pod works on at the same time: KEDA's threshold. Nothing for an asker, which takes none."""
    maximum: int
    why: str
    """Why so many pods."""
    reaches: tuple[str, ...]
    """What it may connect to beside NATS, DNS and Phoenix; `model` only where the cluster has one."""
    route: str = ""
    """The source that it asks, of a retriever: it runs where that is among the cluster's sources."""
    environment: dict[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    """Settings that come from the optional Secret `openwork-source-keys`; an asker's from one of its own name."""

    @property
    def by_default(self) -> bool:
        """Whether it runs where nothing is said of sources."""
        return not self.route or self.route in sources.DEFAULTS

    @property
    def every_answer(self) -> bool:
        """Whether every answer passes it: what asks a source outside never is, since a run goes on without it."""
        return self.service.every_answer and not (self.service.needs_internet and "internet" in self.reaches)


def workloads() -> tuple[Workload, ...]:
    """Every deployment that there may be, in the order of the flow of an answer."""
    return tuple(workload for service in services() for workload in of_service(service))


def of_service(service: ServiceSpec) -> Iterator[Workload]:
    """The deployments of one service."""
    if service.containers:
        yield from (_source(service, route) for route in sources.ROUTES)
        return
    consumers = tuple(spec for stream, spec in consumers_of(service.name) if stream != ADVISORY_STREAM)
    yield Workload(
        name=service.name,
        service=service,
        consumers=consumers,
        per_pod=max((spec.concurrency for spec in consumers), default=0 if service.asker else 1),
        maximum=service.resources.maximum,
        why=service.resources.why,
        reaches=service.reaches,
        environment=_listens() if service.asker else {},
        keys=service.keys,
    )


def _listens() -> dict[str, str]:
    """Of an asker: on every address of its pod, and nobody without a key. Under which names it is reached, which a
    request for any other is refused, says OPENWORK_API_NAMES of the cluster's settings."""
    return {"OPENWORK_API_HOST": "0.0.0.0", "OPENWORK_API_OPEN": "false"}  # noqa: S104 - the pod's, behind a policy


def _source(service: ServiceSpec, route: str) -> Workload:
    return Workload(
        name=f"retriever-{route}",
        service=service,
        consumers=tuple(lanes([retriever_consumer(route)])),
        per_pod=sources.per_pod(route),
        maximum=sources.most_pods(route),
        why=sources.limit(route),
        reaches=service.reaches if sources.is_outside(route) else (),
        route=route,
        environment={"OPENWORK_RETRIEVER_SOURCES": route},
        keys=sources.keys(route),
    )
