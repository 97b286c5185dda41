"""What the Helm chart renders: read from k8s/rendered, which CI compares with the chart (`deploy.render --check`).

One test per promise of docs/deployment-kubernetes.md, each over every object that it is about.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from openwork_api.security.middleware import PROBED
from openwork_bus.settings import DEFAULT_SOURCES, ServiceSettings
from openwork_contracts.subjects import STREAM, fixed_consumers, lanes, retriever_consumer
from openwork_http.settings import HttpSettings
from openwork_llm.settings import ModelSettings

from deploy.chart import DRAIN_S, GRACE_S
from deploy.crds import strict
from deploy.permissions import ACCOUNT, password_variables
from deploy.registry import services
from deploy.render import ENVIRONMENTS, documents_of, merged, yaml_in
from deploy.settings_page import settings_of
from deploy.validate import custom_findings, dangling
from deploy.workloads import Workload, workloads

ROOT = Path(__file__).resolve().parents[3]
CHART = ROOT / "k8s/openwork"
Object = dict[str, Any]
WORKLOADS = [workload for workload in workloads() if workload.by_default]
NATS = yaml.safe_load((ROOT / "k8s/nats-values.yaml").read_text())


@cache
def rendered(environment: str) -> list[Object]:
    return yaml_in((ROOT / f"k8s/rendered/{environment}.yaml").read_text())


everywhere = pytest.mark.parametrize("environment", ENVIRONMENTS)


def of_kind(environment: str, kind: str) -> dict[str, Object]:
    return {o["metadata"]["name"]: o for o in rendered(environment) if o["kind"] == kind}


def pods(environment: str) -> dict[str, Object]:
    """The pod of every workload, job and set of replicas, by its name."""
    found = {}
    for o in rendered(environment):
        spec = o.get("spec", {})
        template = spec.get("template") or spec.get("jobTemplate", {}).get("spec", {}).get("template")
        if isinstance(template, dict):
            found[f"{o['kind']}/{o['metadata']['name']}"] = template
    return found


@everywhere
def test_the_chart_was_rendered_since_its_files_were_generated(environment: str) -> None:
    """`make manifests` does both; without Helm this much of it can be seen."""
    there = {name: text for one in of_kind(environment, "ConfigMap").values() for name, text in one["data"].items()}
    generated = {path.name: path.read_text(encoding="utf-8") for path in (CHART / "files").glob("*.conf")}
    assert generated
    assert {name: there[name].strip() for name in generated} == {n: text.strip() for n, text in generated.items()}


def services_pods(environment: str) -> dict[str, Object]:
    return {name: d["spec"]["template"] for name, d in of_kind(environment, "Deployment").items()}


# --- whole -----------------------------------------------------------------------------------------------------------


def test_every_default_workload_runs_in_production_and_only_what_is_asked_in_development() -> None:
    assert {*of_kind("production", "Deployment")} == {workload.name for workload in WORKLOADS}
    retrievers = {name for name in of_kind("development", "Deployment") if name.startswith("retriever-")}
    assert retrievers == {"retriever-library", "retriever-pubmed"}


@everywhere
def test_nothing_refers_to_what_is_not_there(environment: str) -> None:
    assert dangling(rendered(environment)) == []
    assert [finding for o in rendered(environment) for finding in custom_findings(o)] == []


@everywhere
def test_configuration_comes_before_what_needs_it(environment: str) -> None:
    """Whoever applies the file as it stands starts no pod before its settings; Helm has the same order of its own."""
    kinds = [o["kind"] for o in rendered(environment)]
    last_of = max(i for i, kind in enumerate(kinds) if kind in ("ConfigMap", "ServiceAccount"))
    assert last_of < min(i for i, kind in enumerate(kinds) if kind in ("Deployment", "Job", "StatefulSet"))


@everywhere
def test_a_pod_starts_again_when_its_settings_change(environment: str) -> None:
    """They are mounted as variables: a pod that goes on would keep the old ones for ever."""
    (settings,) = [o for n, o in of_kind(environment, "ConfigMap").items() if n == "openwork-settings"]
    named = {pod["metadata"]["annotations"]["openwork.dev/settings"] for pod in services_pods(environment).values()}
    assert len(named) == 1
    assert settings["data"]["OPENWORK_NATS_URL"]
    elsewhere = {
        pod["metadata"]["annotations"]["openwork.dev/settings"]
        for other in ENVIRONMENTS
        if other != environment
        for pod in services_pods(other).values()
    }
    assert not named & elsewhere  # other settings, other pods


@everywhere
def test_the_topology_job_can_be_installed_again(environment: str) -> None:
    """A job cannot be changed: one of other content is another object, and it takes itself away."""
    (job,) = of_kind(environment, "Job").values()
    assert re.fullmatch(r"topology-1-[0-9a-f]{8}", job["metadata"]["name"])
    assert job["spec"]["ttlSecondsAfterFinished"] > 0
    assert "annotations" not in job["metadata"]  # no hook: services wait for what it makes, and it for them
    names = [name for other in ENVIRONMENTS for name in of_kind(other, "Job")]
    assert len({*names}) == len(ENVIRONMENTS)
    (by_hand,) = of_kind(environment, "CronJob").values()
    assert by_hand["spec"]["suspend"] is True
    assert by_hand["spec"]["jobTemplate"]["spec"]["template"] == job["spec"]["template"]


@everywhere
def test_an_image_is_where_somebody_owns_the_name(environment: str) -> None:
    """A name without a registry is looked for in a public one, where anybody may have taken it."""
    images = [c["image"] for pod in pods(environment).values() for c in pod["spec"]["containers"]]
    assert images
    registry = r"localhost|[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?"
    assert [image for image in images if not re.match(rf"({registry})/\S+(:|@sha256:)\S+$", image)] == []


def test_every_setting_is_a_setting() -> None:
    """A misspelt variable would be ignored without a word."""
    known = {f"OPENWORK_{name.upper()}" for name in ServiceSettings.model_fields}
    known |= {f"OPENWORK_{name.upper()}" for service in services() for name in settings_of(service).model_fields}
    for environment in ENVIRONMENTS:
        data = {*of_kind(environment, "ConfigMap")["openwork-settings"]["data"]}
        named = {v["name"] for pod in pods(environment).values() for c in pod["spec"]["containers"] for v in c["env"]}
        assert data | named <= known, environment


# --- pods ------------------------------------------------------------------------------------------------------------


@everywhere
def test_a_pod_is_restricted(environment: str) -> None:
    for name, pod in pods(environment).items():
        assert pod["spec"]["automountServiceAccountToken"] is False, name
        for container in (*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())):
            security = container["securityContext"]
            assert (security["readOnlyRootFilesystem"], security["runAsNonRoot"]) == (True, True), name
            assert security["capabilities"] == {"drop": ["ALL"]}, name
            assert security["runAsUser"] >= 10_000, name


@everywhere
def test_a_pod_has_time_to_drain(environment: str) -> None:
    """The longest handler, then the drain, then the grace: each above the one before."""
    limits = HttpSettings(reachability_file=None)
    longest = max(limits.rate_wait_s + limits.http_timeout_s, ModelSettings().model_budget_s)
    settings = of_kind(environment, "ConfigMap")["openwork-settings"]["data"]
    assert longest < DRAIN_S == int(settings["OPENWORK_GRACEFUL_TIMEOUT_S"])
    assert DRAIN_S + limits.publish_patience_s < GRACE_S
    for pod in services_pods(environment).values():
        (container,) = pod["spec"]["containers"]
        assert pod["spec"]["terminationGracePeriodSeconds"] == GRACE_S
        assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
        assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"


@everywhere
def test_no_password_is_in_a_manifest(environment: str) -> None:
    for pod in pods(environment).values():
        for variable in (v for c in pod["spec"]["containers"] for v in c["env"]):
            if any(word in variable["name"] for word in ("PASSWORD", "KEY", "HEADERS", "SECRET")):
                assert "secretKeyRef" in variable["valueFrom"], variable["name"]


# --- who asks --------------------------------------------------------------------------------------------------------

ASKERS = [workload for workload in WORKLOADS if workload.service.asker]
asking = pytest.mark.parametrize("workload", ASKERS, ids=lambda workload: workload.name)


@asking
def test_an_asker_is_reached_at_the_port_that_it_listens_on(workload: Workload) -> None:
    """Service, probe, policy and pod mean the same port; a kubelet asks by an address, which is no name of it."""
    pod = services_pods("production")[workload.name]
    (container,) = pod["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    settings = settings_of(workload.service).model_fields
    assert ports == {"health": settings["health_port"].default, "http": settings["api_port"].default}
    (port,) = of_kind("production", "Service")[workload.name]["spec"]["ports"]
    assert (port["port"], port["targetPort"]) == (80, "http")
    asked = container["readinessProbe"]["httpGet"]
    assert asked == {"path": "/readyz", "port": "http"}
    assert asked["path"] in PROBED
    policy = of_kind("production", "NetworkPolicy")["ingress-to-http"]["spec"]
    assert policy["podSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
    assert [p["port"] for rule in policy["ingress"] for p in rule["ports"]] == [ports["http"]]


@asking
@everywhere
def test_on_a_cluster_nobody_asks_over_http_without_a_key(workload: Workload, environment: str) -> None:
    (container,) = services_pods(environment)[workload.name]["spec"]["containers"]
    plain = {variable["name"]: variable["value"] for variable in container["env"] if "value" in variable}
    assert (plain["OPENWORK_API_OPEN"], plain["OPENWORK_API_HOST"]) == ("false", "0.0.0.0")
    assert container["lifecycle"]["preStop"]["exec"]["command"][0] == "sleep"


@asking
def test_an_asker_scales_on_processor_time_within_its_bounds(workload: Workload) -> None:
    spec = of_kind("production", "HorizontalPodAutoscaler")[workload.name]["spec"]
    assert spec["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": workload.name}
    assert (spec["minReplicas"], spec["maxReplicas"]) == (workload.service.resources.minimum, workload.maximum)
    (metric,) = spec["metrics"]
    assert metric["resource"]["name"] == "cpu"
    assert workload.name not in of_kind("production", "ScaledObject")


@pytest.mark.parametrize("environment", ["staging", "production"])
def test_the_name_under_which_the_web_app_is_reached_is_one_that_it_lets_in(environment: str) -> None:
    ways = [*of_kind(environment, "Ingress").values(), *of_kind(environment, "HTTPRoute").values()]
    hosts = {*(h for o in ways for h in o["spec"].get("hostnames", ()))}
    hosts |= {rule["host"] for o in ways for rule in o["spec"]["rules"] if "host" in rule}
    (container,) = services_pods(environment)["api"]["spec"]["containers"]
    assert hosts == {v["value"] for v in container["env"] if v["name"] == "OPENWORK_API_NAMES"} != set()


def test_a_proxy_takes_bodies_as_large_as_the_service_and_holds_no_stream_back() -> None:
    """What the proxy refuses or keeps, the service never sees."""
    largest = settings_of(ASKERS[0].service).model_fields["api_body_bytes"].default
    annotations = of_kind("production", "Ingress")["api"]["metadata"]["annotations"]
    options = {name.rpartition("/")[2]: value for name, value in annotations.items()}
    assert options["proxy-body-size"] == f"{largest >> 20}m"
    assert options["proxy-buffering"] == "off"
    assert of_kind("staging", "HTTPRoute")["api"]["spec"]["rules"][0]["timeouts"] == {"request": "0s"}


# --- scaling ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workload", [w for w in WORKLOADS if w.consumers], ids=lambda workload: workload.name)
def test_an_autoscaler_names_consumers_that_exist(workload: Workload) -> None:
    """KEDA takes the stream's last sequence for the lag of a consumer that it does not find; nobody would notice."""
    known = {(spec.stream, spec.durable) for spec in fixed_consumers()} | {
        (STREAM, spec.durable) for spec in lanes(map(retriever_consumer, DEFAULT_SOURCES.split(",")))
    }
    triggers = of_kind("production", "ScaledObject")[workload.name]["spec"]["triggers"]
    assert len(triggers) == len(workload.consumers)
    for metadata in (trigger["metadata"] for trigger in triggers):
        assert (metadata["stream"], metadata["consumer"]) in known
        assert metadata["account"] == ACCOUNT
        # Its pods' names lead to the leader of a consumer; KEDA is in another namespace.
        assert metadata["natsServerMonitoringEndpoint"] == "nats-headless.openwork.svc.cluster.local:8222"
        assert int(metadata["lagThreshold"]) == workload.per_pod


def test_every_consumer_is_scaled_by_exactly_one_workload() -> None:
    scaled = [spec.durable for workload in WORKLOADS for spec in workload.consumers]
    assert sorted(scaled) == sorted({*scaled})
    assert {spec.durable for spec in fixed_consumers()} <= set(scaled)


def test_in_production_a_step_that_every_answer_passes_has_a_spare() -> None:
    spare = {w.name for w in WORKLOADS if w.every_answer or w.service.resources.minimum > 1}
    scalers = of_kind("production", "ScaledObject").values()
    assert {o["metadata"]["name"] for o in scalers if o["spec"]["minReplicaCount"] > 1} == spare - {"api"}
    for o in scalers:
        spec = o["spec"]
        assert spec["minReplicaCount"] <= spec["fallback"]["replicas"] <= spec["maxReplicaCount"], o["metadata"]["name"]


@everywhere
def test_replicas_are_named_only_where_no_autoscaler_decides(environment: str) -> None:
    """A number in the manifest would be set back at every upgrade."""
    scaled = {
        o["spec"]["scaleTargetRef"]["name"] for o in rendered(environment) if "scaleTargetRef" in o.get("spec", {})
    }
    for name, deployment in of_kind(environment, "Deployment").items():
        assert ("replicas" in deployment["spec"]) == (name not in scaled), name


# --- custom resources ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "maxReplicas"), 3),
        (("spec", "maxReplicaCount"), "20"),
        (("spec", "triggers", 0, "typo"), "nats-jetstream"),
        (("spec", "triggers", 0, "metadata", "durable"), "gap"),
        (("spec", "fallback", "replica"), 1),
    ],
)
def test_the_schema_takes_the_autoscaler_and_refuses_what_is_wrong(path: tuple[str | int, ...], value: object) -> None:
    assert_refused(of_kind("production", "ScaledObject")["gap"], path, value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "hostname"), "answers.example.org"),
        (("spec", "hostnames", 0), "answers.example.org:443"),
        (("spec", "rules", 0, "timeouts", "request"), "none"),
        (("spec", "rules", 0, "backendRefs", 0, "port"), "80"),
        (("spec", "rules", 0, "matches", 0, "path", "type"), "Prefix"),
    ],
)
def test_the_schema_takes_the_route_and_refuses_what_is_wrong(path: tuple[str | int, ...], value: object) -> None:
    assert_refused(of_kind("staging", "HTTPRoute")["api"], path, value)


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("PodMonitor", ("spec", "podMetricsEndpoint"), []),
        ("PodMonitor", ("spec", "podMetricsEndpoints", 0, "intervall"), "15s"),
        ("PrometheusRule", ("spec", "groups", 0, "rule"), []),
        ("PrometheusRule", ("spec", "groups", 0, "rules", 0, "expr"), None),
    ],
)
def test_the_schemas_of_prometheus_refuse_what_is_wrong(kind: str, path: tuple[str | int, ...], value: object) -> None:
    assert_refused(of_kind("production", kind)["openwork"], path, value)


def assert_refused(manifest: Object, path: tuple[str | int, ...], value: object) -> None:
    """It is taken as it is, and refused with that value."""
    manifest = json.loads(json.dumps(manifest))
    assert custom_findings(manifest) == []
    place: Any = manifest
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert custom_findings(manifest)


def test_a_definition_becomes_a_schema_that_refuses_unknown_fields() -> None:
    definition = {
        "type": "object",
        "description": "x",
        "properties": {
            "count": {"type": "integer", "default": 1},
            "port": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True},
            "free": {"type": "object", "additionalProperties": {"type": "string"}},
            "any": {"type": "object", "properties": {"a": {}}, "x-kubernetes-preserve-unknown-fields": True},
        },
    }
    made = strict(definition)
    assert made["additionalProperties"] is False
    assert made["properties"]["port"] == {"type": ["integer", "string"]}
    assert made["properties"]["free"]["additionalProperties"] == {"type": "string"}
    assert "additionalProperties" not in made["properties"]["any"]
    assert "description" not in made


def test_what_refers_to_nothing_is_found() -> None:
    scaled = {
        "kind": "ScaledObject",
        "metadata": {"name": "x"},
        "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "y"}},
    }
    budget = {
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "x"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}},
    }
    assert len(dangling([scaled, budget])) == 2
    alone = [of_kind("production", "Ingress")["api"], of_kind("staging", "HTTPRoute")["api"]]
    alone.append(of_kind("production", "HorizontalPodAutoscaler")["api"])
    assert dangling(alone) == [
        "Ingress/api refers to Service/api, which is not there",
        "HTTPRoute/api refers to Service/api, which is not there",
        "HorizontalPodAutoscaler/api refers to Deployment/api, which is not there",
    ]


# --- NATS ------------------------------------------------------------------------------------------------------------


def test_every_password_of_the_server_is_made_by_the_script_and_given_to_it() -> None:
    """The users of accounts.conf, of scripts/passwords.sh, and of the NATS pods are the same."""
    variables = {*password_variables()}
    assert {name for name in NATS["container"]["env"] if name.startswith("OPENWORK_NATS_PASSWORD_")} == variables
    script = (ROOT / "scripts/passwords.sh").read_text()
    users = next(line for line in script.splitlines() if line.startswith("users=")).split('"')[1].split()
    assert {f"OPENWORK_NATS_PASSWORD_{user.upper()}" for user in users} == variables


def test_the_streams_may_have_no_more_than_the_servers_store() -> None:
    """OPENWORK_STORE_GB is divided over the streams and reserved; it stands beside the server's own limit."""
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["x-environment"]["OPENWORK_STORE_GB"]
    found = re.search(r"max_file_store: (\d+)GB", (ROOT / "deploy/nats/server.conf").read_text())
    assert found is not None
    assert found[1] == compose
    store = NATS["config"]["jetstream"]["fileStore"]
    largest = int(store["maxSize"].removesuffix("GB"))
    for environment in ENVIRONMENTS:
        assert float(of_kind(environment, "ConfigMap")["openwork-settings"]["data"]["OPENWORK_STORE_GB"]) <= largest
    assert int(store["pvc"]["size"].removesuffix("Gi")) > largest


@pytest.mark.parametrize("environment", ["staging", "production"])
def test_streams_have_as_many_copies_as_the_server_has_nodes(environment: str) -> None:
    settings = of_kind(environment, "ConfigMap")["openwork-settings"]["data"]
    assert int(settings["OPENWORK_REPLICAS"]) == NATS["config"]["cluster"]["replicas"]
    assert settings["OPENWORK_NATS_URL"].startswith("tls://") == NATS["config"]["nats"]["tls"]["enabled"]


def test_what_nats_mounts_is_made_by_the_chart() -> None:
    """The Secret beside it is made by scripts/passwords.sh (test_passwords.py)."""
    (volume,) = [step["value"] for step in NATS["podTemplate"]["patch"] if step["path"] == "/spec/volumes/-"]
    config, secret = volume["projected"]["sources"]
    made = of_kind("production", "ConfigMap")[config["configMap"]["name"]]["data"]
    assert made["accounts.conf"].strip() == (CHART / "files/accounts.conf").read_text().strip()
    assert made["health.sh"].strip() == (ROOT / "deploy/nats/health.sh").read_text().strip()
    assert secret["secret"]["name"] == "openwork-nats-askers"


def test_an_image_of_nats_is_the_one_that_everything_else_uses() -> None:
    image = NATS["container"]["image"]
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["nats"]["image"]
    assert f"{image['repository']}:{image['tag']}" in compose


# --- rendering -------------------------------------------------------------------------------------------------------


def test_values_are_put_over_values_as_helm_does() -> None:
    assert merged({"a": {"b": 1, "c": [1]}, "d": 1}, {"a": {"c": [2]}, "d": {"e": 2}}) == {
        "a": {"b": 1, "c": [2]},
        "d": {"e": 2},
    }


def test_documents_without_an_object_are_left_out() -> None:
    assert documents_of("\n---\n# only words\n---\n# why\nkind: A\n\n---\n\n") == ["# why\nkind: A\n"]
