"""Every place that names a service, looked at from outside: which of them lack one. What is made is not trusted.

python -m deploy.places      exit 1 and a line for each place that lacks a service
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from openwork_contracts.subjects import fixed_consumers

from deploy import sources
from deploy.pins import pinned, third_party
from deploy.registry import ROOT, RegistryError, ServiceSpec, folders, read_service

_OWN = (
    ("services/{name}/README.md", r"^# {name}$", 1),
    ("services/{name}/{package}/__init__.py", r'^"""', 1),
    ("services/{name}/{package}/__main__.py", r"\bcreate_service\b", 1),
    ("services/{name}/{package}/app.py", r"^def create_service\(", 1),
    ("services/{name}/{package}/settings.py", r"^class Settings\(", 1),
    ("services/{name}/{package}/py.typed", "", 1),
    ("services/{name}/pyproject.toml", r'^\[.*"{group}"\]\n{name} = "{package}\.app:create_service"$', 1),
    (".importlinter", r"^    {package}$", 4),
    (".importlinter", r"^    .*\b{package}\b.* \| |^    .* \| .*\b{package}\b", 1),
    ("pyproject.toml", r"^openwork-{name} = ", 1),
    ("apps/laptop/pyproject.toml", r'^    "openwork-{name}",$', 1),
    ("apps/laptop/pyproject.toml", r"^openwork-{name} = ", 1),
    ("README.md", r"^\| \[{name}\]\(services/{name}\) \|", 1),
    ("docs/settings.md", r"^## The service `{name}`$", 1),
    ("scripts/passwords.sh", r'^users=".*\b{user}\b', 1),
    ("k8s/nats-values.yaml", r"\bopenwork-nats-{user},", 1),
    ("docker-compose.yml", r"\bargs: .*\bSERVICE: {name}\b", 1),
    ("requirements/{name}.txt", "", 1),
    ("requirements/{requirements}.txt", "", 1),
)
"""Path, what must stand there, and how often at least; `{name}` and so on are those of the service."""
_ON_THE_BUS = (
    ("services/{name}/README.md", r"^\| \[`.*\({package}/handlers\.py\) \|$", 1),
    ("contracts/openwork_contracts/subjects.py", r'"{name}"', 1),
    ("k8s/openwork/files/accounts.conf", r"^ +user: {name},", 1),
)
"""Beside those, of a service that takes events."""
_ASKING = (
    ("services/{name}/README.md", r"^\| asks \| what for \|$", 1),
    ("k8s/openwork/files/accounts.conf", r"\{{ user: {user},", 1),
    ("deploy/compose/secured.yml", r"^  {name}: \*closed$", 1),
    ("docker-compose.yml", r'^    ports: \["127\.0\.0\.1:.*:8000"\]$', 1),
)
"""Beside those, of one that is an asker."""
_PER_CONTAINER = tuple(
    (f"{path}.yml", r"^  {container}:", 1)
    for path in ("docker-compose", *(f"deploy/compose/{name}" for name in ("observability", "offline")))
)
_PER_WORKLOAD = (
    ("k8s/openwork/files/workloads.yaml", r"^- name: {workload}$", 1),
    ("docs/deployment-kubernetes.md", r"^\| {workload} \|", 1),
)


def lacking(root: Path = ROOT) -> list[str]:
    """A line per place that lacks a service: the service, the file, and what should stand there."""
    found: list[str] = []
    for folder in folders(root):
        try:
            service = read_service(folder)
        except RegistryError as error:
            found.append(str(error))
            continue
        found += _missing(root, service)
        found += _unpinned(root, service)
        if not (service.asker or service.containers or service.name in {spec.service for spec in fixed_consumers()}):
            found.append(f"{service.name}: openwork_contracts.subjects: no row of CONSUMERS")
        if not list((root / "tests/unit" / service.name).glob("test_*.py")):
            found.append(f"{service.name}: tests/unit/{service.name}: no test")
    return found


def _missing(root: Path, service: ServiceSpec) -> Iterator[str]:
    words = {
        "name": service.name,
        "package": service.package,
        "requirements": service.requirements,
        "user": service.user,
        "group": re.escape("openwork.askers" if service.asker else "openwork.services"),
    }
    for path, pattern, times in _expected(service):
        file = root / path.format(**words)
        pattern = pattern.format(**words)
        if not file.is_file():
            yield f"{service.name}: {file.relative_to(root)}: there is no such file"
        elif pattern and len(re.findall(pattern, file.read_text(), re.MULTILINE)) < times:
            yield f"{service.name}: {file.relative_to(root)}: nothing like {pattern!r}"


def _expected(service: ServiceSpec) -> Iterator[tuple[str, str, int]]:
    yield from _OWN
    yield from _ASKING if service.asker else _ON_THE_BUS
    for path, pattern, times in _PER_CONTAINER:
        yield from ((path, pattern.replace("{container}", name), times) for name in service.container_names)
    named = [f"retriever-{route}" for route in sources.DEFAULTS] if service.containers else [service.name]
    for path, pattern, times in _PER_WORKLOAD:
        for workload in named:
            yield path.replace("{workload}", workload), pattern.replace("{workload}", workload), times


def _unpinned(root: Path, service: ServiceSpec) -> Iterator[str]:
    """A package that an image would lack: the service would be installed and not start."""
    extras = (service.image_extra,) if service.image_extra else ()
    for pins, wanted in ((service.name, ()), (service.requirements, extras), ("all", ())):
        path = root / f"requirements/{pins}.txt"
        needed = third_party(f"services/{service.name}", wanted, root)
        if path.is_file() and (left_out := needed - pinned(path)):
            yield f"{service.name}: requirements/{pins}.txt: no pin of {', '.join(sorted(left_out))}"


def main() -> int:
    """Look and say."""
    found = lacking()
    sys.stderr.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
