"""CI says the same in both places, does what it says, and says at its end what it did not do."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def workflow(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def stages() -> list[tuple[str, str]]:
    """What `.ci/run` runs: target and ARGS."""
    lines = [line for line in (ROOT / ".ci/stages").read_text().splitlines() if not line.startswith("#")]
    return [(target, arguments) for target, _, arguments in (line.partition(" ") for line in lines)]


def made(path: Path) -> Iterator[tuple[str, str]]:
    """What a workflow's jobs make, with their matrix put in."""
    for job in workflow(path)["jobs"].values():
        rows = job.get("strategy", {}).get("matrix", {}).get("include", [{}])
        for step in job["steps"]:
            if not step.get("run", "").startswith("make "):
                continue
            for row in rows:
                variables = {name: _filled(value, row) for name, value in step.get("env", {}).items()}
                words = re.sub(r"\$(\w+)", lambda name, known=variables: known[name[1]], step["run"])  # type: ignore[misc]
                found = re.fullmatch(r'make "?([\w-]+)"?(?: ARGS="([^"]*)")?', words)
                assert found is not None, words
                yield found[1], found[2] or ""


def _filled(text: str, row: Mapping[str, str]) -> str:
    return re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda name: row.get(name[1], ""), text)


def test_the_workflow_makes_what_ci_run_makes() -> None:
    assert sorted(made(ROOT / ".github/workflows/ci.yml")) == sorted(stages())


def test_every_stage_is_a_target_of_make() -> None:
    text = (ROOT / "Makefile").read_text() + "".join(path.read_text() for path in (ROOT / "deploy/make").glob("*.mk"))
    targets = set(re.findall(r"^([a-z][a-z-]*):", text, re.MULTILINE))
    assert {target for target, _ in stages()} <= targets


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_read_the_code_and_no_more_unless_a_job_says_so(path: Path) -> None:
    read = workflow(path)
    assert read["permissions"] == {"contents": "read"}
    for job in read["jobs"].values():
        assert job["timeout-minutes"] <= 90
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"[\w-]+/[\w/-]+@(v\d+|[0-9a-f]{40})", step["uses"])
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


def test_where_everything_is_at_hand_ci_insists_on_it() -> None:
    environ = workflow(ROOT / ".github/workflows/ci.yml")["jobs"]["stage"]["env"]
    assert environ == {"OPENWORK_BROWSER": "required", "OPENWORK_CI_CONTAINERS": "yes", "OPENWORK_CI_AUDIT": "yes"}


def test_python_versions_of_ci_are_those_that_the_project_supports() -> None:
    job = workflow(ROOT / ".github/workflows/ci.yml")["jobs"]["check"]
    lowest = re.search(r'^requires-python = ">=(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert lowest is not None
    assert job["strategy"]["matrix"]["python"][0] == lowest[1]


class Clone:
    """The scripts alone; no `docker` answers, and `make` and `pytest` write down what they are told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "clone"
        for path in (
            ".ci/run",
            ".ci/stages",
            "scripts/engine.sh",
            "scripts/test-containers.sh",
            "scripts/release-check.sh",
        ):
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, self.folder / path)
        self.log = folder / "log"
        self.log.touch()
        self._bin = folder / "bin"
        self.program(self._bin / "docker", "echo no socket; exit 1")
        self.program(self._bin / "chromium", "true")
        self.program(
            self._bin / "make", f'echo "make $*" >>{self.log}; [ -z "$WHAT" ] || echo "$WHAT" >>"$OPENWORK_CI_LEFT_OUT"'
        )
        self.program(self.folder / ".venv/bin/pytest", f'echo "pytest $* ${{OPENWORK_NO_ENGINE:-}}" >>{self.log}')

    def program(self, path: Path, does: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{does}\n")
        path.chmod(0o755)

    def __call__(self, *command: str, **environ: str) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENWORK_", "DOCKER_"))}
        kept |= {"PATH": f"{self._bin}:{os.environ['PATH']}", "OPENWORK_ENGINE_HELPER": "none", "WHAT": "", **environ}
        return subprocess.run(
            ["bash", *command], cwd=self.folder, env=kept, capture_output=True, text=True, check=False
        )


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def test_ci_makes_its_stages_in_their_order(clone: Clone) -> None:
    done = clone(".ci/run")
    assert done.returncode == 0, done.stderr
    assert clone.log.read_text().splitlines() == [f"make {target} ARGS={arguments}" for target, arguments in stages()]
    assert "NOT DONE" not in done.stdout


def test_ci_says_at_its_end_what_was_not_done(clone: Clone) -> None:
    done = clone(".ci/run", WHAT="audit: no network")
    assert done.stdout.splitlines()[-1] == "=== NOT DONE: audit: no network"


def test_ci_ends_at_the_first_stage_that_fails(clone: Clone) -> None:
    clone.program(clone.folder.parent / "bin/make", f'echo "make $*" >>{clone.log}; false')
    assert clone(".ci/run").returncode != 0
    assert len(clone.log.read_text().splitlines()) == 1


def test_containers_that_were_asked_for_and_did_not_run_are_a_failure(clone: Clone) -> None:
    done = clone("scripts/test-containers.sh", OPENWORK_CI_CONTAINERS="yes")
    assert done.returncode == 1
    assert "no container engine answers" in done.stderr
    assert clone.log.read_text() == ""


def test_without_an_engine_what_can_run_runs_and_the_reason_is_kept(clone: Clone, tmp_path: Path) -> None:
    left_out = tmp_path / "left-out"
    done = clone("scripts/test-containers.sh", "-x", OPENWORK_CI_LEFT_OUT=str(left_out))
    assert done.returncode == 0, done.stderr
    assert "NOT DONE, no container engine answers" in done.stdout
    assert left_out.read_text() == "tests in containers: no container engine answers\n"
    assert clone.log.read_text() == "pytest tests/containers -m containers -x no container engine answers\n"


def test_containers_that_nobody_wants_are_left_out_and_that_is_said(clone: Clone) -> None:
    done = clone("scripts/test-containers.sh", OPENWORK_CI_CONTAINERS="no")
    assert (done.returncode, "NOT DONE" in done.stdout, clone.log.read_text()) == (0, True, "")


PROJECT = 'version = "1.2.3"\n'
PINNED = f"NATS_IMAGE=nats:2@sha256:{'0' * 64}\n"


@pytest.mark.parametrize(
    ("tag", "registry", "bases", "said"),
    [
        ("v1.2.3", "ghcr.io/some", PINNED, None),
        ("v1.2.4", "ghcr.io/some", PINNED, "the tag is v1.2.4"),
        ("v1.2.3", "", PINNED, "no registry"),
        ("v1.2.3", "localhost/openwork", PINNED, "no registry"),
        ("v1.2.3", "ghcr.io/some/", PINNED, "is no host with a name"),
        ("v1.2.3", "ghcr.io/some", "NATS_IMAGE=nats:2\n", "NATS_IMAGE has no digest"),
    ],
)
def test_a_release_needs_its_version_a_registry_and_digests(
    clone: Clone, tag: str, registry: str, bases: str, said: str | None
) -> None:
    (clone.folder / "pyproject.toml").write_text(PROJECT)
    (clone.folder / "deploy/docker").mkdir(parents=True)
    (clone.folder / "deploy/docker/bases.env").write_text(bases)
    done = clone("scripts/release-check.sh", tag, OPENWORK_REGISTRY=registry)
    assert (done.returncode, said is None or said in done.stderr) == (0 if said is None else 1, True)
