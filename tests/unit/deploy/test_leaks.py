"""A secret that was planted is found: in a file, in a version that is gone, in a message, in a test, in a page."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from deploy.supply import ROOT, leaks

pytestmark = pytest.mark.skipif(
    not (ROOT / ".tools-venv/bin/trivy").exists(), reason="trivy is not here; scripts/tools.sh installs it"
)
# In two parts each, so that these lines are no secrets.
SEED = "SUAM5NXCUDHYBRQCRBJ44HWN5QYOGXG4X" + "LU5JZ2U4MSMUOZPLPGQDGFLGI"
KEY = "ow_" + "a1b2c3d4e5f6_" + "0123456789abcdef" * 3
AWS = "AKIA" + "IOSFODNN7REALKEY"
GEMINI = "AIza" + "SyB1c2D3e4F5g6H7i8J9k0L1m2N3o4P5q6R"


class Repository:
    """A new one, with one commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "main")
        self.commit("README.md", "nothing\n", "first")

    def git(self, *arguments: str) -> None:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", "-C", str(self.folder), *arguments]
        subprocess.run(command, check=True, capture_output=True)

    def write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def commit(self, path: str, text: str, message: str) -> None:
        self.write(path, text)
        self.git("add", "-A")
        self.git("commit", "-qm", message)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    (tmp_path / "here").mkdir()
    return Repository(tmp_path / "here")


def found(repository: Repository, capsys: pytest.CaptureFixture[str], status: int = 1) -> list[str]:
    assert leaks.main(["--repository", str(repository.folder)]) == status
    return [line for line in capsys.readouterr().out.splitlines() if line.startswith("SECRET")]


def test_a_repository_without_secrets_is_clean(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert found(repository, capsys, status=0) == []


@pytest.mark.parametrize("path", ["settings.py", "tests/test_settings.py", "docs/guide.md", "deploy/secret.yaml"])
@pytest.mark.parametrize("secret", [SEED, KEY, AWS, GEMINI], ids=["nats", "ours", "aws", "gemini"])
def test_a_secret_is_found_wherever_it_stands(
    repository: Repository, path: str, secret: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also before it was added; trivy by itself passes over tests and pages."""
    repository.write(path, f'first line\nkey = "{secret}"\n')
    (line,) = found(repository, capsys)
    assert line.startswith(f"SECRET {path}:2: ")


def test_a_secret_that_was_taken_out_again_is_found_with_its_commits(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.commit("settings.py", f'key = "{SEED}"\n', "in")
    repository.commit("settings.py", "key = environ\n", "out")
    (line,) = found(repository, capsys)
    assert line.startswith("SECRET settings.py:1: nats-seed (commits ")
    assert line.count(",") == 1


def test_a_secret_on_another_branch_and_in_a_message_is_found(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.git("checkout", "-qb", "other")
    repository.commit("settings.py", f'key = "{SEED}"\n', f"with {KEY}")
    repository.git("checkout", "-q", "main")
    lines = found(repository, capsys)
    assert [line.split()[1] for line in lines] == ["message", "settings.py:1:"]


def test_what_git_ignores_is_not_read(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of passwords that never leaves the machine is where they belong."""
    repository.commit(".gitignore", ".env\n", "ignore")
    repository.write(".env", f"SEED={SEED}\n")
    assert found(repository, capsys, status=0) == []


def test_half_a_history_is_not_called_clean(
    repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.commit("settings.py", f'key = "{SEED}"\n', "in")
    repository.commit("settings.py", "key = environ\n", "out")
    there = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{repository.folder}", str(there)], check=True)
    assert leaks.main(["--repository", str(there)]) == 3
    assert "NOT ALL OF THE HISTORY" in capsys.readouterr().out
