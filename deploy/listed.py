"""Where a service is named in files that people write: README's table, the import rules, the workspace, the laptop."""

from __future__ import annotations

from openwork_bus.settings import DEFAULT_SOURCES

from deploy import compose
from deploy.chart import CPU_PER_POD
from deploy.permissions import users
from deploy.readmes import events_tables
from deploy.registry import services
from deploy.workloads import workloads

SYSTEM_USER = "sys"
"""The server's own account. Its password is made with the others; no service has it."""


def regions() -> dict[str, dict[str, str]]:
    """The lines between marks (deploy/regions.py), by the path of the file and the name of the mark."""
    names = [service.name for service in services()]
    packages = [service.package for service in services()]
    workspace = "\n".join(f"openwork-{name} = {{ workspace = true }}" for name in names)
    return {
        "README.md": {"services": readme_table()},
        ".importlinter": {"services": "\n".join(packages), "layer": " | ".join(packages)},
        "pyproject.toml": {"services": workspace},
        "apps/laptop/pyproject.toml": {
            "dependencies": "\n".join(f'"openwork-{name}",' for name in names),
            "services": workspace,
        },
        "scripts/passwords.sh": {"users": f'users="{" ".join((*users(), SYSTEM_USER))}"'},
        "docker-compose.yml": {
            "sources": compose.default_sources(": ${{OPENWORK_SOURCES:-{sources}}}"),
            "passwords": compose.server_passwords(),
            "topology": compose.topology_login(),
            "services": compose.blocks(),
        },
        "deploy/compose/secured.yml": {"passwords": compose.required_passwords(), "services": compose.closed()},
        "deploy/compose/observability.yml": {"services": compose.traced()},
        "deploy/compose/offline.yml": {"services": compose.offline()},
        "deploy/compose/language-model.yml": {"services": compose.with_model()},
        "deploy/compose/live-sources.yml": {
            "sources": compose.default_sources(": ${{OPENWORK_SOURCES:-{sources},tavily}}"),
            "services": compose.with_keys(),
        },
        "deploy/compose/scholar.yml": {
            "sources": compose.default_sources(": ${{OPENWORK_SOURCES:-{sources},google-scholar}}"),
            "services": compose.with_sources(),
        },
        "k8s/nats-values.yaml": {"passwords": _passwords()},
        "docs/deployment-kubernetes.md": {"workloads": workload_table()},
        "k8s/openwork/values.yaml": {"sources": f"sources: [{', '.join(DEFAULT_SOURCES.split(','))}]"},
        **{f"services/{service.name}/README.md": {"events": events_tables(service)} for service in services()},
    }


def readme_table() -> str:
    """A row per service: what it reads, decides, publishes."""
    rows = [
        f"| [{service.name}](services/{service.name}) | {service.reads} | {service.decides} | {service.publishes} |"
        for service in services()
    ]
    return "\n".join(("| service | reads | decides | publishes |", "|---|---|---|---|", *rows))


def workload_table() -> str:
    """A row per deployment that runs by default: what it scales on, and within which bounds."""
    rows = []
    for workload in filter(lambda workload: workload.by_default, workloads()):
        durables = ", ".join(spec.durable for spec in workload.consumers) or "none: processor time"
        at_once = f"{CPU_PER_POD} of a core" if workload.service.asker else workload.per_pod
        pods = f"{workload.service.resources.minimum}-{workload.maximum}"
        rows.append(f"| {workload.name} | {durables} | {at_once} | {pods} | {workload.why} |")
    return "\n".join(("| workload | consumers | a pod at a time | pods | why |", "|---|---|---|---|---|", *rows))


def _passwords() -> str:
    return "\n".join(
        f"OPENWORK_NATS_PASSWORD_{user.upper()}: "
        f"{{valueFrom: {{secretKeyRef: {{name: openwork-nats-{user}, key: password}}}}}}"
        for user in (*users(), SYSTEM_USER)
    )
