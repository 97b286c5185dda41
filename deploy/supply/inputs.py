"""Which images have to be built anew: those that were not made of what lies in the repository now.

    docker compose config --format json | python -m deploy.supply.inputs --labels FILE

prints the blocks of Compose whose image is missing or was made of something else, one a line, and writes to FILE an
overlay that gives each image the label `dev.openwork.inputs`: the digest of its Dockerfile, of the build's arguments
and of every file that the Dockerfile copies. The revision is no input: an image that nothing was changed in keeps the
label of the revision that it was built from.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from deploy.supply import ROOT

LABEL = "dev.openwork.inputs"
_NO_INPUT = ("REVISION", "INPUTS")


def blocks(config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The blocks of Compose that build an image."""
    return {name: block for name, block in config["services"].items() if "build" in block}


def digest_of(build: Mapping[str, Any], root: Path = ROOT) -> str:
    """Of what an image is made of, 16 hexadecimal digits.

    Raises:
        FileNotFoundError: the Dockerfile copies what is not there.
    """
    dockerfile = (root / build["dockerfile"]).read_text()
    given = {name: value for name, value in (build.get("args") or {}).items() if name not in _NO_INPUT}
    found = hashlib.sha256()
    for part in (dockerfile, build.get("target", ""), json.dumps(given, sort_keys=True)):
        found.update(f"{len(part)}\n{part}".encode())
    for source in copied(dockerfile, given):
        for path in _files(root, source):
            executable = os.access(path, os.X_OK)
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            found.update(f"{path.relative_to(root)} {executable} {content}\n".encode())
    return found.hexdigest()[:16]


def copied(dockerfile: str, given: Mapping[str, str | None]) -> list[str]:
    """Paths that the Dockerfile takes from the repository, with the build's arguments put in."""
    known: dict[str, str] = {}
    found: list[str] = []
    for line in dockerfile.replace("\\\n", " ").splitlines():
        words = line.split()
        if words[:1] == ["ARG"]:
            name, _, default = words[1].partition("=")
            known[name] = given.get(name) or _expanded(default, known)
        elif words[:1] == ["COPY"] and not any(word.startswith("--from=") for word in words):
            paths = [word for word in words[1:] if not word.startswith("--")]
            found += [_expanded(path, known) for path in paths[:-1]]
    return found


def _expanded(text: str, known: Mapping[str, str]) -> str:
    return re.sub(r"\$\{(\w+)\}", lambda name: known.get(name[1], ""), text)


def _files(root: Path, source: str) -> Iterator[Path]:
    """The file, or every file below the folder but for what .dockerignore leaves out anywhere."""
    path = root / source
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        raise FileNotFoundError(f"{source}: an image is made of it, and it is not there")
    ignored = re.findall(r"^\*\*/(\S+)$", (root / ".dockerignore").read_text(), re.MULTILINE)
    for file in sorted(path.rglob("*")):
        parts = file.relative_to(root).parts
        if file.is_file() and not any(fnmatch.fnmatch(part, pattern) for part in parts for pattern in ignored):
            yield file


def label_of(image: str) -> str | None:
    """What the image that the engine has says it was made of; `None` = there is no such image, or no such label."""
    command = ["docker", "image", "inspect", "--format", f'{{{{index .Config.Labels "{LABEL}"}}}}', image]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    return told.stdout.strip() or None if told.returncode == 0 else None


def overlay(digests: Mapping[str, str]) -> str:
    """An overlay of Compose that labels each image and tells its Dockerfile the same; JSON is YAML."""
    builds = {name: {"labels": {LABEL: digest}, "args": {"INPUTS": digest}} for name, digest in digests.items()}
    return json.dumps({"services": {name: {"build": build} for name, build in builds.items()}}, indent=2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, and say which."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=Path, required=True, help="the overlay is written here")
    chosen = parser.parse_args(arguments)
    built = blocks(json.load(sys.stdin))
    digests = {name: digest_of(block["build"]) for name, block in built.items()}
    chosen.labels.write_text(overlay(digests))
    for name, block in built.items():
        if label_of(block["image"]) != digests[name]:
            sys.stdout.write(f"{name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
