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
from openwork_bus.settings import DEFAULT_SOURCES, ServiceSettings
from openwork_contracts.subjects import STREAM, fixed_consumers
from openwork_http.settings import HttpSettings
from openwork_llm.settings import ModelSettings

from deploy.generate import differing, stale
from deploy.manifests import DRAIN_S, GRACE_S, deployment, scaled_object
from deploy.permissions import ACCOUNT, password_variables
from deploy.registry import services
from deploy.sources import most_pods
from deploy.validate import custom_findings, dangling, secrets
from deploy.workloads import Workload, workloads

ROOT = Path(__file__).resolve().parents[3]
WORKLOADS = workloads()
by_name = pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)


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


@by_name
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


@by_name
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
