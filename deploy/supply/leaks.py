"""Secrets in the repository: in its files as they are, in every version that any commit has, in what commits say.

python -m deploy.supply.leaks [--repository FOLDER]

exit 0: none; 1: a line for each; 3: the history is not all here (a shallow clone), and what is here has none.
Looks with trivy's rules and those of leaks.yaml, offline. What is found has to be made invalid where it opens
something: taking it out of the last commit, or of all, undoes no reading.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.supply import ROOT

_RULES = Path(__file__).with_name("leaks.yaml")
_TRIVY = ROOT / ".tools-venv/bin/trivy"


@dataclass(frozen=True, slots=True)
class Leak:
    """Where it is, in which line, and by which rule it was found."""

    where: str
    line: int
    rule: str

    def __str__(self) -> str:
        return f"{self.where}:{self.line}: {self.rule}"


def git(repository: Path, *arguments: str) -> str:
    """What git says; errors are errors."""
    return git_bytes(repository, *arguments).decode(errors="replace")


def git_bytes(repository: Path, *arguments: str, stdin: bytes | None = None) -> bytes:
    """The same, as bytes."""
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, check=True).stdout


def lay_out(repository: Path, to: Path) -> None:
    """Everything to be read, as files: tree/PATH, history/BLOB/PATH, messages/COMMIT."""
    for path in git(repository, "ls-files", "-z", "-co", "--exclude-standard").split("\0"):
        if path and (file := repository / path).is_file() and not file.is_symlink():
            _write(to / "tree" / path, file.read_bytes())
    for blob, path, content in _blobs(repository):
        _write(to / "history" / blob / path, content)
    for entry in git(repository, "log", "--all", "--format=%H%n%B%x00").split("\0"):
        commit, _, message = entry.strip().partition("\n")
        if message:
            _write(to / "messages" / commit, message.encode())


def _blobs(repository: Path) -> Iterator[tuple[str, str, bytes]]:
    """Every version of every file, once, with a path that it had."""
    listed = [line.split(" ", 1) for line in git(repository, "rev-list", "--objects", "--all").splitlines()]
    paths = {words[0]: words[1] for words in listed if len(words) == 2 and words[1]}
    stream = git_bytes(repository, "cat-file", "--batch", stdin="".join(f"{blob}\n" for blob in paths).encode())
    at = 0
    while at < len(stream):
        end = stream.index(b"\n", at)
        blob, kind, size = stream[at:end].decode().split()
        content = stream[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)
        if kind == "blob":
            yield blob, paths[blob], content


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def scan(folder: Path) -> list[Leak]:
    """What trivy finds below a folder."""
    command = [str(_TRIVY), "fs", "--quiet", "--scanners", "secret", "--secret-config", str(_RULES), "--format", "json"]
    command += ["--skip-version-check", str(folder)]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return [
        Leak(result["Target"], found["StartLine"], found["RuleID"])
        for result in report.get("Results") or ()
        for found in result.get("Secrets") or ()
    ]


def named(leak: Leak, repository: Path) -> str:
    """With the commits that brought it or took it away, where it is in the history."""
    part, _, rest = leak.where.partition("/")
    if part == "tree":
        return f"{rest}:{leak.line}: {leak.rule}"
    if part == "messages":
        return f"message of commit {rest[:12]}: {leak.rule}"
    blob, _, path = rest.partition("/")
    commits = git(repository, "log", "--all", "--format=%h", f"--find-object={blob}").split()
    return f"{path}:{leak.line}: {leak.rule} (commits {', '.join(commits)})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Look, and say what was found and in how much."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", type=Path, default=ROOT)
    repository = parser.parse_args(arguments).repository
    with tempfile.TemporaryDirectory() as folder:
        lay_out(repository, Path(folder))
        n_files = {part.name: sum(path.is_file() for path in part.rglob("*")) for part in Path(folder).iterdir()}
        found = scan(Path(folder))
    sys.stdout.write("".join(f"SECRET {line}\n" for line in sorted({named(leak, repository) for leak in found})))
    read = ", ".join(f"{n} of {part}" for part, n in sorted(n_files.items()))
    sys.stdout.write(f"files read: {read}; {len(found)} secrets\n")
    if found:
        return 1
    if git(repository, "rev-parse", "--is-shallow-repository").strip() == "true":
        sys.stdout.write("NOT ALL OF THE HISTORY IS HERE: a shallow clone\n")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
