"""What the Helm chart reads of the contracts and every service.toml: one row per workload, as data.

`k8s/openwork/templates` says once what is the same for all of them; this says what is not. Adding a service adds a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from deploy.permissions import ACCOUNT
from deploy.workloads import Workload, workloads

Yaml: TypeAlias = "Mapping[str, Yaml] | Sequence[Yaml] | str | int | bool | None"

DRAIN_S = 100
"""`graceful_timeout_s`: above the longest handler, a wait for models as long as a run's budget (90 s)."""
GRACE_S = DRAIN_S + 30
"""Above the drain, and the publishing patience (15 s) that may come after it."""
CPU_PER_POD = "600m"
"""Of an asker, in the mean: a pod is one Python process and can use one core, and the rest is for those that start."""


def rows() -> list[Yaml]:
    """Every workload that there can be, those of sources that no default asks among them."""
    return [row(workload) for workload in workloads()]


def row(workload: Workload) -> dict[str, Yaml]:
    """What the templates know of one workload."""
    resources = workload.service.resources
    return {
        "name": workload.name,
        "service": workload.service.name,
        "user": workload.service.user,
        **({"route": workload.route} if workload.route else {}),
        "asker": workload.service.asker,
        "everyAnswer": workload.every_answer,
        "reaches": list(workload.reaches),
        "keys": list(workload.keys),
        "environment": dict(workload.environment),
        "minimum": resources.minimum,
        "maximum": workload.maximum,
        "atOnce": workload.per_pod,
        **({"averageCpu": CPU_PER_POD} if workload.service.asker else {}),
        "consumers": [
            {"account": ACCOUNT, "stream": spec.stream, "durable": spec.durable} for spec in workload.consumers
        ],
        "resources": {
            "requests": {"cpu": resources.cpu, "memory": resources.memory},
            "limits": {"cpu": "1", "memory": resources.memory_limit},
        },
    }
