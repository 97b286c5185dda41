"""scripts/passwords.sh: each password made once, kept, and changed only where somebody says so."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from deploy.validate import secrets

ROOT = Path(__file__).resolve().parents[3]


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


def test_every_secret_of_the_server_and_of_the_chart_is_made_by_the_script(tmp_path: Path) -> None:
    """But for those that somebody has to bring: certificates, and keys of outside services."""
    values = yaml.safe_load((ROOT / "k8s/nats-values.yaml").read_text())
    objects = [o for o in yaml.safe_load_all((ROOT / "k8s/rendered/production.yaml").read_text()) if o]
    brought = {"openwork-nats-tls", "openwork-api-tls", "openwork-model", "openwork-source-keys", "openwork-api"}
    brought |= {"openwork-phoenix-client"}
    assert {*secrets([values])} | {*secrets(objects)} <= made(passwords(tmp_path, "true")) | brought


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the script and no more."""
    (tmp_path / "scripts").mkdir()
    shutil.copy2(ROOT / "scripts/passwords.sh", tmp_path / "scripts/passwords.sh")
    return tmp_path


def run(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "scripts/passwords.sh", *arguments]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)


def env_of(checkout: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in (checkout / ".env").read_text().splitlines())


def test_passwords_of_compose_stay_and_only_those_named_are_changed(checkout: Path) -> None:
    (checkout / ".env").write_text("OPENWORK_CONTACT_EMAIL=a@example.org\n")
    assert run(checkout, "env").returncode == 0
    first = env_of(checkout)
    assert len({*first.values()}) == len(first) > 10
    assert run(checkout, "env").returncode == 0
    assert env_of(checkout) == first
    assert run(checkout, "rotate", "env", "query", "api").returncode == 0
    second = env_of(checkout)
    assert second.keys() == first.keys()
    changed = {name for name in first if first[name] != second[name]}
    assert changed == {"OPENWORK_NATS_PASSWORD_QUERY", "OPENWORK_NATS_PASSWORD_API"}
    assert (checkout / ".env").stat().st_mode & 0o077 == 0
    assert run(checkout, "rotate", "env", "all").returncode == 0
    kept = {name for name, value in env_of(checkout).items() if second[name] == value}
    assert kept == {"OPENWORK_CONTACT_EMAIL"}


@pytest.mark.parametrize(
    "arguments", [("env",), ("env", "nobody"), ("kubernetes",), ("kubernetes", "query", "nobody"), ()]
)
def test_nothing_is_changed_for_a_name_that_is_none(checkout: Path, arguments: tuple[str, ...]) -> None:
    run(checkout, "env")
    before = env_of(checkout)
    done = run(checkout, "rotate", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr
    assert env_of(checkout) == before


def test_a_secret_of_the_cluster_is_changed_in_its_namespace(checkout: Path) -> None:
    environ = {**os.environ, "NAMESPACE": "elsewhere"}
    command = ["bash", "scripts/passwords.sh", "rotate", "kubernetes", "query"]
    done = subprocess.run(command, cwd=checkout, env=environ, capture_output=True, text=True, check=True)
    (secret,) = [found for found in yaml.safe_load_all(done.stdout) if found]
    assert secret["metadata"] == {"name": "openwork-nats-query", "namespace": "elsewhere"}
    assert secret["stringData"]["password"][0] == "p"  # a digit would be read as a number
