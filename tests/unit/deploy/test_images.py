"""What an image is made of, which containers are not what they should be, and the labels that say so."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from deploy.registry import ROOT, services
from deploy.supply.bases import bases
from deploy.supply.inputs import LABEL, copied, digest_of, overlay
from deploy.supply.running import Container, Wanted, outdated

DOCKERFILE = """\
ARG BASE=python:3
FROM ${BASE} AS first
ARG NAME
ARG PINS=${NAME}
COPY requirements/${PINS}.txt \\
     ./requirements.txt
COPY --chown=1:1 code/ other.txt ./
COPY --from=first /built /built
"""
BUILD = {"dockerfile": "Dockerfile", "args": {"NAME": "gap", "REVISION": "1"}}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for path, text in (
        ("Dockerfile", DOCKERFILE),
        (".dockerignore", "**/__pycache__\n**/*.egg-info\n"),
        ("requirements/gap.txt", "a==1"),
        ("code/one.py", "1"),
        ("code/deep/two.py", "2"),
        ("other.txt", "3"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_a_dockerfile_says_what_it_takes() -> None:
    assert copied(DOCKERFILE, {"NAME": "gap"}) == ["requirements/gap.txt", "code/", "other.txt"]
    assert copied(DOCKERFILE, {"NAME": "gap", "PINS": "gap-more"})[0] == "requirements/gap-more.txt"


@pytest.mark.parametrize("path", ["Dockerfile", "requirements/gap.txt", "code/deep/two.py", "other.txt"])
def test_another_content_is_another_image(repository: Path, path: str) -> None:
    before = digest_of(BUILD, repository)
    (repository / path).write_text((repository / path).read_text() + "\n")
    assert digest_of(BUILD, repository) != before


def test_a_name_a_mode_a_target_and_an_argument_count_too(repository: Path) -> None:
    seen = {digest_of(BUILD, repository), digest_of({**BUILD, "target": "first"}, repository)}
    seen.add(digest_of({**BUILD, "args": {"NAME": "gap", "BASE": "python:4"}}, repository))
    (repository / "other.txt").chmod(0o755)
    seen.add(digest_of(BUILD, repository))
    (repository / "code/one.py").rename(repository / "code/three.py")
    seen.add(digest_of(BUILD, repository))
    assert len(seen) == 5


def test_what_enters_no_image_changes_none(repository: Path) -> None:
    """Caches, and the commit: it stands in a label, and is another one with every change of anything."""
    before = digest_of(BUILD, repository)
    (repository / "code/__pycache__").mkdir()
    (repository / "code/__pycache__/one.pyc").write_text("x")
    (repository / "elsewhere.txt").write_text("x")
    assert digest_of({**BUILD, "args": {"NAME": "gap", "REVISION": "2"}}, repository) == before


def test_a_file_that_an_image_lacks_is_an_error(repository: Path) -> None:
    with pytest.raises(FileNotFoundError, match="gone"):
        digest_of({**BUILD, "args": {"NAME": "gone"}}, repository)


def test_every_image_of_compose_can_be_told_by_its_inputs() -> None:
    """The real recipes: of every block that builds, another digest than of any other."""
    found = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    builds = {name: block["build"] for name, block in found.items() if "build" in block}
    digests = {name: digest_of(build) for name, build in builds.items()}
    assert len(set(digests.values())) == len(digests) >= len(services()) + 1
    labelled = json.loads(overlay(digests))["services"]
    digest = digests["gateway"]
    assert labelled["gateway"]["build"] == {"labels": {LABEL: digest}, "args": {"INPUTS": digest}}


NOW = Wanted("hash", "sha256:1", written_at=10.0)
SAME = Container("nats", "hash", "sha256:1", made_at=20.0)


def test_a_container_is_replaced_when_its_configuration_image_or_files_are_others() -> None:
    others = [replace(SAME, configuration="x"), replace(SAME, image="sha256:2"), replace(SAME, made_at=9.0)]
    assert [outdated([one], {"nats": NOW}) for one in (SAME, *others)] == [[], *[["nats"]] * 3]
    assert outdated([replace(SAME, service="gone")], {"nats": NOW}) == []


@pytest.mark.parametrize("path", sorted((ROOT / "deploy/docker").glob("*.Dockerfile")), ids=lambda path: path.stem)
def test_an_image_is_labelled_with_what_the_build_is_told_and_with_nothing_else(path: Path) -> None:
    """A version that stands in a Dockerfile would be another one's after the next release."""
    text = path.read_text()
    assert re.findall(r"^ARG (?:VERSION|REVISION)=(.*)$", text, re.MULTILINE) == ["unknown", "unknown"]
    for name in ("version", "revision"):
        assert f'org.opencontainers.image.{name}="${{{name.upper()}}}"' in text


def test_the_version_of_the_images_is_that_of_the_workspace() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    found = re.findall(r"\$\{OPENWORK_VERSION:-([^}]*)\}", (ROOT / "docker-compose.yml").read_text())
    assert set(found) == {version}


def test_base_images_have_a_tag_that_is_a_version() -> None:
    """`latest` and tags without a number are other images tomorrow."""
    for name, image in bases().items():
        assert re.fullmatch(r"[\w./-]+:[\w.-]*\d[\w.-]*(@sha256:[0-9a-f]{64})?", image), name
