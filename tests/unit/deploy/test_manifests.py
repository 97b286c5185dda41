"""What the deployment is made of agrees with the contracts; the generated files are current."""

from __future__ import annotations

from pathlib import Path

import yaml
from openwork_bus.settings import DEFAULT_SOURCES
from openwork_retrievers.domain.registry import SOURCES

from deploy.generate import differing
from deploy.permissions import all_permissions
from deploy.registry import services
from deploy.sources import most_pods
from deploy.workloads import workloads

ROOT = Path(__file__).resolve().parents[3]
WORKLOADS = workloads()


def test_the_committed_files_are_what_the_contracts_say() -> None:
    """When this fails: `make manifests`."""
    assert differing() == []


def test_every_service_and_every_source_has_a_workload() -> None:
    assert {workload.service for workload in WORKLOADS} == set(services())
    routes = {workload.route: workload for workload in WORKLOADS if workload.service.name == "retrievers"}
    assert {"library", *(source.route for source in SOURCES)} == set(routes)
    assert {route for route, workload in routes.items() if workload.by_default} == set(DEFAULT_SOURCES.split(","))


def test_who_takes_no_event_is_an_asker_and_the_other_way_round() -> None:
    """An asker has no consumer to scale on and no user among the services."""
    assert [w.name for w in WORKLOADS if not w.consumers] == [w.name for w in WORKLOADS if w.service.asker]
    users = {permissions.user for permissions in all_permissions()}
    assert {service.name for service in services() if service.name not in users} == {
        service.name for service in services() if service.asker
    }


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


def test_a_source_has_no_more_pods_than_its_limit_feeds() -> None:
    """One pod searches PubMed for two dozen questions at once; one request a second feeds one pod of the others."""
    assert most_pods("semanticscholar") == 1
    assert most_pods("clinicaltrials") == 1
    assert most_pods("pubmed") == 1
    assert most_pods("openalex") == 5
    assert most_pods("library") == 10
