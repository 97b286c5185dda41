"""The Kubernetes objects of one workload, as plain data. Everything that is the same for all is said here, once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from openwork_contracts.subjects import ConsumerSpec

from deploy.permissions import ACCOUNT
from deploy.workloads import Workload

Yaml: TypeAlias = "Mapping[str, Yaml] | Sequence[Yaml] | str | int | bool | None"

NAMESPACE = "openwork"
VERSION = "0.1.0"
MONITORING = f"nats-headless.{NAMESPACE}.svc.cluster.local:8222"
"""Headless: only the leader of a consumer knows its lag, and KEDA finds it by the pods' names."""
DRAIN_S = 100
"""`graceful_timeout_s`: above the longest handler, a wait for models as long as a run's budget (90 s)."""
GRACE_S = DRAIN_S + 30
"""Above the drain, and the publishing patience (15 s) that may come after it."""
WITHDRAWN_S = 5
"""Seconds until every balancer has heard that a pod goes: until then requests still come to it."""
CPU_PER_POD = "600m"
"""Of an asker, in the mean: a pod is one Python process and can use one core, and the rest is for those that start."""
POLL_S = 5
COOLDOWN_S = 300

RESTRICTED: Yaml = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "runAsUser": 10001,
    "runAsGroup": 10001,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


def labels(workload: Workload) -> dict[str, str]:
    """Labels of a workload and of its pods: components and network policies select by them, never by a list of names.

    A language model is reached only where the component `language-model` opens the way: the label says who may want it.
    """
    reached = {f"openwork.dev/reaches-{what}": "true" for what in workload.reaches if what != "model"}
    return {
        "app.kubernetes.io/name": workload.name,
        "app.kubernetes.io/component": workload.service.name,
        "openwork.dev/bus": "client",
        **reached,
        **({"openwork.dev/serves": "http"} if workload.service.asker else {}),
        **({"openwork.dev/asks-model": "true"} if "model" in workload.reaches else {}),
        **({"openwork.dev/every-answer": "true"} if workload.every_answer else {}),
    }


def deployment(workload: Workload) -> Yaml:
    """The deployment: how many is left to the autoscaler."""
    selector = {"app.kubernetes.io/name": workload.name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": workload.name, "labels": labels(workload)},
        "spec": {
            "replicas": workload.service.resources.minimum,
            "revisionHistoryLimit": 5,
            # New ones take messages before old ones drain: both understand the events (docs/deployment.md, Upgrade).
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "selector": {"matchLabels": selector},
            "template": {
                "metadata": {"labels": labels(workload)},
                "spec": {
                    "serviceAccountName": workload.name,
                    "automountServiceAccountToken": False,
                    "enableServiceLinks": False,
                    "terminationGracePeriodSeconds": GRACE_S,
                    "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
                    "topologySpreadConstraints": [_spread(key, selector) for key in _SPREAD_KEYS],
                    "containers": [_container(workload)],
                    "volumes": [{"name": "tmp", "emptyDir": {"sizeLimit": "64Mi"}}],
                },
            },
        },
    }


_SPREAD_KEYS = ("kubernetes.io/hostname", "topology.kubernetes.io/zone")


def _spread(key: str, selector: dict[str, str]) -> Yaml:
    return {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": selector},
    }


def _container(workload: Workload) -> Yaml:
    serves = workload.service.asker
    return {
        "name": "service",
        "image": f"openwork/{workload.service.name}:{VERSION}",
        "imagePullPolicy": "IfNotPresent",
        "envFrom": [{"configMapRef": {"name": "openwork-settings"}}],
        "env": _environment(workload),
        "ports": [{"name": "health", "containerPort": 8080}, *([_HTTP_PORT] if serves else [])],
        # A service answers its probes once it has found its consumers; until then it tries for a minute and ends.
        "startupProbe": {"httpGet": _get("/healthz"), "periodSeconds": 3, "timeoutSeconds": 2, "failureThreshold": 40},
        "readinessProbe": _READY_HTTP if serves else _READY,
        # Alive = the event loop turns. Never whether NATS answers: all pods would be restarted with it.
        "livenessProbe": {"httpGet": _get("/healthz"), "periodSeconds": 20, "timeoutSeconds": 5, "failureThreshold": 3},
        "resources": {
            "requests": {"cpu": workload.service.resources.cpu, "memory": workload.service.resources.memory},
            "limits": {"cpu": "1", "memory": workload.service.resources.memory_limit},
        },
        "securityContext": RESTRICTED,
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],  # noqa: S108 - the path inside the container
        **({"lifecycle": {"preStop": {"exec": {"command": ["sleep", str(WITHDRAWN_S)]}}}} if serves else {}),
    }


def _get(path: str) -> Yaml:
    return {"path": path, "port": "health"}


_HTTP_PORT: Yaml = {"name": "http", "containerPort": 8000}
# Ready = its consumers exist and NATS answers. Nothing sends requests here: it paces the rollout.
_READY: Yaml = {"httpGet": _get("/readyz"), "periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 3}
# Ready = the port that people reach answers, and the services answer it.
_READY_HTTP: Yaml = {
    "httpGet": {"path": "/readyz", "port": "http"},
    "periodSeconds": 10,
    "timeoutSeconds": 6,
    "failureThreshold": 3,
}


def _environment(workload: Workload) -> list[Yaml]:
    plain: list[Yaml] = [{"name": name, "value": value} for name, value in workload.environment.items()]
    user = workload.service.user
    secret: list[Yaml] = [
        {"name": "OPENWORK_NATS_USER", "value": user},
        {
            "name": "OPENWORK_NATS_PASSWORD",
            "valueFrom": {"secretKeyRef": {"name": f"openwork-nats-{user}", "key": "password"}},
        },
        {
            "name": "OPENWORK_OTLP_HEADERS",
            "valueFrom": {"secretKeyRef": {"name": "openwork-phoenix-client", "key": "headers", "optional": True}},
        },
    ]
    held = f"openwork-{workload.name}" if workload.service.asker else "openwork-source-keys"
    keys: list[Yaml] = [
        {
            "name": f"OPENWORK_{key.upper()}",
            "valueFrom": {"secretKeyRef": {"name": held, "key": key, "optional": True}},
        }
        for key in workload.keys
    ]
    return [*plain, *secret, *keys]


def kubernetes_service(workload: Workload) -> Yaml:
    """Where an asker is reached within the cluster: by what brings requests from outside."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": workload.name, "labels": labels(workload)},
        "spec": {
            "selector": {"app.kubernetes.io/name": workload.name},
            "ports": [{"name": "http", "port": 80, "targetPort": "http", "appProtocol": "http"}],
        },
    }


def disruption_budget(workload: Workload) -> Yaml:
    """One at a time: a budget that asks for one available would block the node of a single pod for ever."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": workload.name},
        "spec": {
            "maxUnavailable": 1,
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
            "selector": {"matchLabels": {"app.kubernetes.io/name": workload.name}},
        },
    }


def service_account(workload: Workload) -> Yaml:
    """An identity without a token: no service talks to Kubernetes."""
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": workload.name},
        "automountServiceAccountToken": False,
    }


def scaled_object(workload: Workload) -> Yaml:
    """KEDA on the lag of the workload's own durables: pending and in work, since a busy pod must not look idle."""
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {"name": workload.name, "labels": labels(workload)},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": workload.name},
            "pollingInterval": POLL_S,
            "cooldownPeriod": COOLDOWN_S,
            "minReplicaCount": workload.service.resources.minimum,
            "maxReplicaCount": workload.maximum,
            # When the monitoring endpoint does not answer.
            "fallback": {"failureThreshold": 6, "replicas": min(2, workload.maximum)},
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": _BEHAVIOUR}},
            "triggers": [_trigger(spec, workload.per_pod) for spec in workload.consumers],
        },
    }


def pod_autoscaler(workload: Workload) -> Yaml:
    """Kubernetes' own, on processor time: nothing waits in a stream for an asker. KEDA's way for the others."""
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": workload.name, "labels": labels(workload)},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": workload.name},
            "minReplicas": workload.service.resources.minimum,
            "maxReplicas": workload.maximum,
            "metrics": [
                {
                    "type": "Resource",
                    "resource": {"name": "cpu", "target": {"type": "AverageValue", "averageValue": CPU_PER_POD}},
                }
            ],
            "behavior": _BEHAVIOUR,
        },
    }


_BEHAVIOUR: Yaml = {
    "scaleUp": {
        "stabilizationWindowSeconds": 0,
        "policies": [
            {"type": "Percent", "value": 100, "periodSeconds": 15},
            {"type": "Pods", "value": 4, "periodSeconds": 15},
        ],
    },
    # Slowly: scale-in may choose a busy pod, which then drains.
    "scaleDown": {
        "stabilizationWindowSeconds": COOLDOWN_S,
        "policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}],
    },
}


def _trigger(spec: ConsumerSpec, per_pod: int) -> Yaml:
    return {
        "type": "nats-jetstream",
        "metadata": {
            "natsServerMonitoringEndpoint": MONITORING,
            "account": ACCOUNT,
            "stream": spec.stream,
            "consumer": spec.durable,
            "lagThreshold": str(per_pod),
            "activationLagThreshold": "0",
            "useHttps": "false",
        },
    }
