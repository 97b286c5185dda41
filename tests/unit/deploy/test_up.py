"""scripts/up.sh with a `docker` that writes down what it is asked: which files, which images, how many containers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.supply.inputs import digest_of

ROOT = Path(__file__).resolve().parents[3]
PLAIN = "docker-compose.yml"
TRACED = f"{PLAIN}:deploy/compose/observability.yml"
SECURED = f"{PLAIN}:deploy/compose/secured.yml"
DOCKER = """\
#!/bin/bash
[ "$1 $2" = "compose version" ] || echo "$COMPOSE_FILE|${OPENWORK_REVISION:-}|$*" >>"$SAID/log"
case "$*" in
  "compose config --format json") cat "$SAID/config.json" ;;
  "compose config --services") printf 'gap\\nnats\\nphoenix\\ntopology\\n' ;;
  "compose config --hash"*) printf 'gap 1\\nnats 2\\n' ;;
  *config_files*) cat "$SAID/files" 2>/dev/null ;;
  *compose.service*) cat "$SAID/services" 2>/dev/null ;;
  "image inspect"*gap*) cat "$SAID/label" 2>/dev/null ;;
esac
true
"""


class Checkout:
    """As much of a checkout as the script needs, and what its `docker` was asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "checkout"
        self.said = folder / "said"
        self.said.mkdir()
        shutil.copytree(ROOT / "deploy/supply", self.folder / "deploy/supply")
        (self.folder / "deploy/__init__.py").touch()
        (self.folder / ".dockerignore").write_text("**/__pycache__\n")
        (self.folder / ".gitignore").write_text(".env\n.venv/\n__pycache__/\n")
        (self.folder / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/up.sh", self.folder / "scripts/up.sh")
        self.program(self.folder / ".venv/bin/python", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        self.program(folder / "bin/docker", DOCKER)
        (self.folder / "Dockerfile").write_text("FROM scratch\nCOPY code /code\n")
        (self.folder / "code").write_text("one")
        self.block = {"image": "gap:1", "build": {"dockerfile": "Dockerfile"}}
        blocks = {"gap": self.block, "nats": {"image": "nats:1"}}
        (self.said / "config.json").write_text(json.dumps({"services": blocks}))
        self._path = folder / "bin"

    @staticmethod
    def program(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def __call__(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run the script with nothing of this machine's Compose in its environment."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMPOSE_", "OPENWORK_"))}
        kept |= {"PATH": f"{self._path}:{os.environ['PATH']}", "SAID": str(self.said), **environ}
        command = ["bash", "scripts/up.sh", *arguments]
        (self.said / "log").write_text("")
        return subprocess.run(command, cwd=self.folder, env=kept, capture_output=True, text=True, check=False)

    def asked(self, what: str) -> list[tuple[str, str]]:
        """Files and arguments of each call whose arguments begin so."""
        calls = [line.split("|", 2) for line in (self.said / "log").read_text().splitlines()]
        return [(files, words) for files, _, words in calls if words.startswith(what)]

    def revisions(self) -> set[str]:
        """What was said to be built."""
        calls = [line.split("|", 2) for line in (self.said / "log").read_text().splitlines()]
        return {revision for _, revision, words in calls if words.startswith("compose build")}

    @property
    def env(self) -> Path:
        """Where Compose looks by itself."""
        return self.folder / ".env"

    def is_built(self) -> None:
        """From now on the image is what lies here."""
        (self.said / "label").write_text(digest_of(self.block["build"], self.folder) + "\n")  # type: ignore[arg-type]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_without_a_word_there_are_traces(checkout: Checkout) -> None:
    done = checkout("up")
    assert done.returncode == 0, done.stderr
    assert {files for files, _ in checkout.asked("compose up")} == {TRACED}
    assert checkout.asked("compose up")[-1][1].endswith(" phoenix")


def test_overlays_are_kept_for_the_next_time_and_for_compose_itself(checkout: Checkout) -> None:
    """In .env, where `docker compose` looks: its other lines and its mode stay."""
    checkout.env.write_text("OPENWORK_CONTACT_EMAIL=a@b.example\nCOMPOSE_FILE=old.yml\n")
    checkout.env.chmod(0o640)
    assert checkout("up", OPENWORK_OVERLAYS="secured").returncode == 0
    assert checkout.env.read_text() == f"OPENWORK_CONTACT_EMAIL=a@b.example\nCOMPOSE_FILE={SECURED}\n"
    assert checkout.env.stat().st_mode & 0o777 == 0o640
    assert checkout("up").returncode == 0
    assert {files for files, _ in checkout.asked("compose up")} == {SECURED}
    assert checkout("up", OPENWORK_OVERLAYS="").returncode == 0
    assert {files for files, _ in checkout.asked("compose up")} == {PLAIN}
    assert not [words for _, words in checkout.asked("compose up") if words.endswith(" phoenix")]


def test_files_that_the_environment_names_are_used_and_not_kept(checkout: Checkout) -> None:
    assert checkout("up", COMPOSE_FILE=SECURED).returncode == 0
    assert {files for files, _ in checkout.asked("compose up")} == {SECURED}
    assert not checkout.env.exists()


@pytest.mark.parametrize("verb", ["scale", "compose", "down", "erase"])
def test_what_runs_is_told_with_the_files_that_it_was_started_with(checkout: Checkout, verb: str) -> None:
    """Whatever .env says; files of another checkout are those of the same name here."""
    checkout.env.write_text(f"COMPOSE_FILE={PLAIN}\n")
    (checkout.said / "files").write_text(
        "/old/place/docker-compose.yml,/old/place/deploy/compose/secured.yml\nother.yml\n"
    )
    words = {"scale": ("gap=2",), "compose": ("logs",)}.get(verb, ())
    done = checkout(verb, *words, OPENWORK_UP="containers")
    assert done.returncode == 0, done.stderr
    assert {files for files, _ in checkout.asked("compose")} == {SECURED}
    assert checkout.env.read_text() == f"COMPOSE_FILE={PLAIN}\n"


def test_scaling_touches_the_named_services_alone(checkout: Checkout) -> None:
    assert checkout("scale", "gap=2", "retrievers-library=3").returncode == 0
    fixed = "compose up --detach --no-build --no-recreate --no-deps"
    scales = "--scale gap=2 --scale retrievers-library=3"
    assert [words for _, words in checkout.asked("compose up")] == [f"{fixed} {scales} gap retrievers-library"]


@pytest.mark.parametrize("words", [(), ("gap",), ("gap=two",), ("gap=2", "--no-recreate")])
def test_what_is_no_number_of_a_service_starts_nothing(checkout: Checkout, words: tuple[str, ...]) -> None:
    assert checkout("scale", *words).returncode == 2
    assert checkout.asked("compose up") == []


def test_starting_again_keeps_the_numbers_that_were_asked_for(checkout: Checkout) -> None:
    """Compose alone would go back to one container of each."""
    (checkout.said / "services").write_text("gap\nnats\ngap\ngap\n")
    assert checkout("up").returncode == 0
    waited = [words for _, words in checkout.asked("compose up") if "--wait" in words]
    assert ["--scale gap=3" in words and "nats=" not in words for words in waited] == [True]


def test_an_image_is_built_when_what_it_is_made_of_changed(checkout: Checkout) -> None:
    assert "images to build: gap" in checkout("up").stdout
    ((files, words),) = checkout.asked("compose build")
    assert words == "compose build gap"
    assert files.startswith(f"{TRACED}:")
    checkout.is_built()
    assert "nothing to build" in checkout("up").stdout
    assert checkout.asked("compose build") == []
    (checkout.folder / "code").write_text("two")
    assert "images to build: gap" in checkout("build").stdout
    assert not [words for _, words in checkout.asked("compose up") if "--build" in words.split()]


def test_an_image_says_which_revision_it_was_built_from(checkout: Checkout) -> None:
    """A change that is in no commit is said too."""
    assert checkout("build").returncode == 0
    assert checkout.revisions() == {"unknown"}
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=checkout.folder, check=True)
    read = subprocess.run(["git", "rev-parse", "HEAD"], cwd=checkout.folder, capture_output=True, text=True, check=True)
    commit = read.stdout.strip()
    checkout("build")
    assert checkout.revisions() == {commit}
    (checkout.folder / "code").write_text("two")
    checkout("build")
    assert checkout.revisions() == {f"{commit}-dirty"}


def test_any_command_of_compose_can_be_given(checkout: Checkout) -> None:
    assert checkout("compose", "exec", "nats", "sh", "-c", "echo a  b").returncode == 0
    assert checkout.asked("compose exec") == [(TRACED, "compose exec nats sh -c echo a  b")]
    assert checkout("compose").returncode == 2
