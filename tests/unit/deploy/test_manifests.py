"""What the deployment is made of agrees with the contracts; the generated files are current."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from openwork_api.security.middleware import PROBED
from openwork_bus.settings import DEFAULT_SOURCES, ServiceSettings
from openwork_contracts.subjects import STREAM, fixed_consumers
from openwork_http.settings import HttpSettings
from openwork_llm.settings import ModelSettings

from deploy.generate import differing, stale
from deploy.manifests import (
    DRAIN_S,
    GRACE_S,
    WITHDRAWN_S,
    deployment,
    kubernetes_service,
    pod_autoscaler,
    scaled_object,
)
from deploy.permissions import ACCOUNT, all_permissions, password_variables
from deploy.registry import services
from deploy.settings_page import settings_of
from deploy.sources import most_pods
from deploy.validate import custom_findings, dangling, secrets
from deploy.workloads import Workload, workloads

ROOT = Path(__file__).resolve().parents[3]
WORKLOADS = workloads()
by_name = pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
taking = pytest.mark.parametrize("workload", [w for w in WORKLOADS if w.consumers], ids=lambda workload: workload.name)
asking = pytest.mark.parametrize("workload", [w for w in WORKLOADS if w.service.asker], ids=lambda w: w.name)


def loaded(text: object) -> Any:
    """Through YAML, as the cluster gets it."""
    return yaml.safe_load(yaml.safe_dump(json.loads(json.dumps(text))))


def test_the_committed_files_are_what_the_contracts_say() -> None:
    """When this fails: `make manifests`."""
    assert differing() == []
    assert stale() == []


def test_every_service_and_every_default_source_has_a_workload() -> None:
    assert {workload.service for workload in WORKLOADS} == set(services())
    retrievers = {w.name.removeprefix("retriever-") for w in WORKLOADS if w.service.name == "retrievers"}
    assert retrievers == set(DEFAULT_SOURCES.split(","))


@taking
def test_an_autoscaler_names_consumers_that_exist(workload: Workload) -> None:
    """KEDA takes the stream's last sequence for the lag of a consumer that it does not find; nobody would notice."""
    known = {(spec.stream, spec.durable) for spec in fixed_consumers()} | {
        (STREAM, f"retriever-{source}") for source in DEFAULT_SOURCES.split(",")
    }
    for trigger in loaded(scaled_object(workload))["spec"]["triggers"]:
        metadata = trigger["metadata"]
        assert (metadata["stream"], metadata["consumer"]) in known
        assert metadata["account"] == ACCOUNT
        assert metadata["natsServerMonitoringEndpoint"].startswith("nats-headless.")
        assert int(metadata["lagThreshold"]) == workload.per_pod


def test_every_consumer_is_scaled_by_exactly_one_workload() -> None:
    scaled = [spec.durable for workload in WORKLOADS for spec in workload.consumers]
    assert sorted(scaled) == sorted({*scaled})
    assert {spec.durable for spec in fixed_consumers()} <= set(scaled)


@taking
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "maxReplicas"), 3),
        (("spec", "maxReplicaCount"), "20"),
        (("spec", "triggers", 0, "typo"), "nats-jetstream"),
        (("spec", "triggers", 0, "metadata", "durable"), "gap"),
        (("spec", "scaleTargetRef", "kind"), "Deploymnt"),
    ],
)
def test_the_schema_takes_the_autoscaler_and_refuses_what_is_wrong(
    workload: Workload, path: tuple[str | int, ...], value: object
) -> None:
    manifest = loaded(scaled_object(workload))
    assert custom_findings(manifest) == []
    place = manifest
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert custom_findings(manifest)


@by_name
def test_a_pod_is_restricted_and_has_time_to_drain(workload: Workload) -> None:
    """The longest handler, then the drain, then the grace: each above the one before."""
    pod = loaded(deployment(workload))["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["securityContext"]["runAsUser"] >= 10_000
    assert pod["automountServiceAccountToken"] is False
    assert pod["terminationGracePeriodSeconds"] == GRACE_S
    limits = HttpSettings(reachability_file=None)
    longest = max(limits.rate_wait_s + limits.http_timeout_s, ModelSettings().model_budget_s)
    assert longest < DRAIN_S
    assert f"OPENWORK_GRACEFUL_TIMEOUT_S={DRAIN_S}\n" in (ROOT / "k8s/base/settings.env").read_text()
    assert DRAIN_S + limits.publish_patience_s < GRACE_S
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"


@by_name
def test_no_password_is_in_a_manifest(workload: Workload) -> None:
    (container,) = loaded(deployment(workload))["spec"]["template"]["spec"]["containers"]
    for variable in container["env"]:
        if any(word in variable["name"] for word in ("PASSWORD", "KEY", "HEADERS")):
            assert "secretKeyRef" in variable["valueFrom"], variable["name"]


def test_who_takes_no_event_is_an_asker_and_the_other_way_round() -> None:
    """An asker has no consumer to scale on and no user among the services."""
    assert [w.name for w in WORKLOADS if not w.consumers] == [w.name for w in WORKLOADS if w.service.asker]
    users = {permissions.user for permissions in all_permissions()}
    assert {service.name for service in services() if service.name not in users} == {
        service.name for service in services() if service.asker
    }


@asking
def test_an_asker_is_reached_at_the_port_that_it_listens_on(workload: Workload) -> None:
    """Service, probe, policy and pod mean the same port; a kubelet asks by an address, which is no name of it."""
    pod = loaded(deployment(workload))["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    settings = settings_of(workload.service).model_fields
    assert ports == {"health": settings["health_port"].default, "http": settings["api_port"].default}
    (port,) = loaded(kubernetes_service(workload))["spec"]["ports"]
    assert (port["port"], port["targetPort"]) == (80, "http")
    asked = container["readinessProbe"]["httpGet"]
    assert asked == {"path": "/readyz", "port": "http"}
    assert asked["path"] in PROBED
    policy = yaml.safe_load((ROOT / "k8s/components/network-policies/http.yaml").read_text())["spec"]
    assert policy["podSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
    assert [p["port"] for rule in policy["ingress"] for p in rule["ports"]] == [ports["http"]]


@asking
def test_on_a_cluster_nobody_asks_over_http_without_a_key(workload: Workload) -> None:
    (container,) = loaded(deployment(workload))["spec"]["template"]["spec"]["containers"]
    plain = {variable["name"]: variable["value"] for variable in container["env"] if "value" in variable}
    assert (plain["OPENWORK_API_OPEN"], plain["OPENWORK_API_HOST"]) == ("false", "0.0.0.0")
    assert container["lifecycle"]["preStop"]["exec"]["command"] == ["sleep", str(WITHDRAWN_S)]


@asking
def test_an_asker_scales_on_processor_time_within_its_bounds(workload: Workload) -> None:
    spec = loaded(pod_autoscaler(workload))["spec"]
    assert spec["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": workload.name}
    assert (spec["minReplicas"], spec["maxReplicas"]) == (workload.service.resources.minimum, workload.maximum)
    (metric,) = spec["metrics"]
    assert metric["resource"]["name"] == "cpu"
    assert not (ROOT / f"k8s/components/keda/workloads/{workload.name}.yaml").exists()


def test_a_port_of_compose_is_published_on_loopback_alone() -> None:
    """Whoever sits at the machine is let in without credentials; nobody else may come."""
    blocks = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    published = {name: port for name, block in blocks.items() for port in block.get("ports", ())}
    assert {"nats", *(service.name for service in services() if service.asker)} == set(published)
    assert all(port.startswith("127.0.0.1:") for port in published.values())
    internal = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["networks"]
    for name in published:  # an internal network publishes no port
        assert [network for network in blocks[name]["networks"] if not (internal[network] or {}).get("internal")]


def test_the_secured_compose_lets_nobody_in_over_http_without_a_key() -> None:
    secured = yaml.safe_load((ROOT / "deploy/compose/secured.yml").read_text())["services"]
    for service in services():
        if service.asker:
            assert secured[service.name]["environment"]["OPENWORK_API_OPEN"] == "false"


def test_the_name_that_an_overlay_gives_the_web_app_is_one_that_it_lets_in() -> None:
    """The host of the Ingress or of the route, and OPENWORK_API_NAMES, stand side by side."""
    for overlay in ("staging", "production"):
        made = yaml.safe_load((ROOT / f"k8s/overlays/{overlay}/kustomization.yaml").read_text())
        (settings,) = [config["literals"] for config in made["configMapGenerator"]]
        (names,) = [line.partition("=")[2] for line in settings if line.startswith("OPENWORK_API_NAMES=")]
        patched = [patch["patch"] for patch in made["patches"] if patch["target"].get("name") == "api"]
        assert patched
        assert all(f"value: {names}}}" in line for patch in patched for line in patch.strip().splitlines())


ROUTE = yaml.safe_load((ROOT / "k8s/components/api-gateway/httproute.yaml").read_text())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "hostname"), "answers.example.org"),
        (("spec", "hostnames", 0), "answers.example.org:443"),
        (("spec", "rules", 0, "timeouts", "request"), "none"),
        (("spec", "rules", 0, "backendRefs", 0, "port"), "80"),
        (("spec", "rules", 0, "matches", 0, "path", "type"), "Prefix"),
        (("spec", "parentRefs", 0, "kind"), "Ingress"),
    ],
)
def test_the_schema_takes_the_route_and_refuses_what_is_wrong(path: tuple[str | int, ...], value: object) -> None:
    manifest = loaded(ROUTE)
    assert custom_findings(manifest) == []
    place = manifest
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert custom_findings(manifest)


def test_a_proxy_takes_bodies_as_large_as_the_service_and_holds_no_stream_back() -> None:
    """What the proxy refuses or keeps, the service never sees."""
    (asker,) = [service for service in services() if service.asker]
    largest = settings_of(asker).model_fields["api_body_bytes"].default
    ingress = yaml.safe_load((ROOT / "k8s/components/api-ingress/ingress.yaml").read_text())
    options = {name.rpartition("/")[2]: value for name, value in ingress["metadata"]["annotations"].items()}
    assert options["proxy-body-size"] == f"{largest >> 20}m"
    assert options["proxy-buffering"] == "off"
    assert ROUTE["spec"]["rules"][0]["timeouts"] == {"request": "0s"}


def test_a_source_has_no_more_pods_than_its_limit_feeds() -> None:
    """One pod searches PubMed for two dozen questions at once; one request a second feeds one pod of the others."""
    assert most_pods("semanticscholar") == 1
    assert most_pods("clinicaltrials") == 1
    assert most_pods("pubmed") == 1
    assert most_pods("openalex") == 5
    assert most_pods("library") == 10


def test_who_is_not_there_is_found() -> None:
    """References of manifests to each other, checked without a cluster."""
    manifests = [
        {
            "kind": "ScaledObject",
            "metadata": {"name": "x"},
            "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "y"}},
        },
        {"kind": "PodDisruptionBudget", "metadata": {"name": "x"}, "spec": {"selector": {"matchLabels": {"a": "b"}}}},
    ]
    assert len(dangling(manifests)) == 2
    (host,) = yaml.safe_load((ROOT / "k8s/components/api-ingress/ingress.yaml").read_text())["spec"]["rules"]
    target = {"scaleTargetRef": {"kind": "Deployment", "name": "api"}}
    assert dangling(
        [
            {"kind": "Ingress", "metadata": {"name": "api"}, "spec": {"rules": [host]}},
            ROUTE,
            {"kind": "HorizontalPodAutoscaler", "metadata": {"name": "api"}, "spec": target},
        ]
    ) == [
        "Ingress/api refers to Service/api, which is not there",
        "HTTPRoute/api refers to Service/api, which is not there",
        "HorizontalPodAutoscaler/api refers to Deployment/api, which is not there",
    ]


def test_every_password_of_the_server_is_made_by_the_script_and_given_to_it() -> None:
    """The users of accounts.conf, of scripts/passwords.sh, and of the NATS pods are the same."""
    variables = {*password_variables()}
    pod = (ROOT / "k8s/base/nats/statefulset.yaml").read_text()
    named = {line.split("name: ")[1].strip() for line in pod.splitlines() if "- name: OPENWORK_NATS_PASSWORD_" in line}
    assert named == variables
    script = (ROOT / "scripts/passwords.sh").read_text()
    users = next(line for line in script.splitlines() if line.startswith("users=")).split('"')[1].split()
    assert {f"OPENWORK_NATS_PASSWORD_{user.upper()}" for user in users} == variables


def test_the_settings_of_the_cluster_are_settings() -> None:
    """A misspelt variable would be ignored without a word."""
    known = {f"OPENWORK_{name.upper()}" for name in ServiceSettings.model_fields}
    lines = (ROOT / "k8s/base/settings.env").read_text().splitlines()
    assert {line.split("=")[0] for line in lines if not line.startswith("#")} <= known
    known |= {f"OPENWORK_{name.upper()}" for service in services() for name in settings_of(service).model_fields}
    for path in (*ROOT.glob("k8s/components/*/kustomization.yaml"), *ROOT.glob("k8s/overlays/*/kustomization.yaml")):
        for config in yaml.safe_load(path.read_text()).get("configMapGenerator", ()):
            if config["name"] == "openwork-settings":
                assert {line.split("=")[0] for line in config["literals"]} <= known, path


def test_the_streams_may_have_no_more_than_the_servers_store() -> None:
    """OPENWORK_STORE_GB is divided over the streams and reserved; it stands beside the server's own limit."""
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    settings = dict(
        line.split("=", 1) for line in (ROOT / "k8s/base/settings.env").read_text().splitlines() if line[0] != "#"
    )
    places = [
        ("deploy/nats/server.conf", compose["x-environment"]["OPENWORK_STORE_GB"]),
        ("k8s/base/nats/nats.conf", settings["OPENWORK_STORE_GB"]),
        ("k8s/components/nats-cluster/nats.conf", settings["OPENWORK_STORE_GB"]),
    ]
    for path, store_gb in places:
        found = re.search(r"max_file_store: (\d+)GB", (ROOT / path).read_text())
        assert found is not None
        assert found[1] == store_gb, path
    volume = yaml.safe_load((ROOT / "k8s/base/nats/statefulset.yaml").read_text())["spec"]["volumeClaimTemplates"][0]
    assert int(volume["spec"]["resources"]["requests"]["storage"].removesuffix("Gi")) > int(
        settings["OPENWORK_STORE_GB"]
    )


def passwords(tmp_path: Path, kubectl: str, argument: str = "kubernetes") -> subprocess.CompletedProcess[str]:
    """scripts/passwords.sh with a cluster that answers so."""
    program = tmp_path / "kubectl"
    program.write_text(f"#!/bin/sh\n{kubectl}\n")
    program.chmod(0o755)
    environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = ["bash", "scripts/passwords.sh", argument]
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)


def made(done: subprocess.CompletedProcess[str]) -> set[str]:
    return {secret["metadata"]["name"] for secret in yaml.safe_load_all(done.stdout) if secret}


def test_passwords_that_a_cluster_has_are_kept(tmp_path: Path) -> None:
    """Another password would lock out what runs; an empty list of accounts would remove them all."""
    everything = made(passwords(tmp_path, "exit 1", "new"))
    assert everything >= {"openwork-nats-gateway", "openwork-nats-operator", "openwork-nats-askers", "openwork-phoenix"}
    there = "echo secret/openwork-nats-gateway; echo secret/openwork-nats-askers"
    missing = made(passwords(tmp_path, there))
    assert missing == everything - {"openwork-nats-gateway", "openwork-nats-askers"}
    complete = passwords(tmp_path, "\n".join(f"echo secret/{name}" for name in everything))
    assert (complete.stdout, "nothing to apply" in complete.stderr) == ("", True)
    unknown = passwords(tmp_path, "exit 1")
    assert (unknown.returncode, unknown.stdout) == (1, "")


def test_every_secret_of_the_server_is_made_by_the_script(tmp_path: Path) -> None:
    statefulset = yaml.safe_load((ROOT / "k8s/base/nats/statefulset.yaml").read_text())
    assert {*secrets([statefulset])} <= made(passwords(tmp_path, "true"))
