"""The images of others, deploy/docker/bases.env: read here and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

from deploy.supply import ROOT

FILE = ROOT / "deploy/docker/bases.env"
_LINE = re.compile(r"^(?P<name>[A-Z]+_IMAGE)=(?P<image>\S+)$", re.MULTILINE)


def bases(path: Path = FILE) -> dict[str, str]:
    """Name of the variable -> image, e.g. python:3.11-slim-bookworm, with @sha256:... where the digest is known."""
    return {found["name"]: found["image"] for found in _LINE.finditer(path.read_text())}


def regions() -> dict[str, dict[str, str]]:
    """What every Dockerfile starts from where a build does not say, between its marks (deploy/regions.py)."""
    known = bases()
    made = {}
    for path in sorted(FILE.parent.glob("*.Dockerfile")):
        used = dict.fromkeys(re.findall(r"^FROM \$\{(\w+)\}", path.read_text(), re.MULTILINE))
        names = sorted(used, key=list(known).index)
        made[str(path.relative_to(ROOT))] = {"bases": "\n".join(f"ARG {name}={known[name]}" for name in names)}
    return made


def with_digest(image: str, digest: str) -> str:
    """The image by tag and digest; a former digest is replaced."""
    return f"{image.partition('@')[0]}@{digest}"


def written(text: str, images: dict[str, str]) -> str:
    """The file's text with other images; its comments stay."""
    return _LINE.sub(lambda found: f"{found['name']}={images[found['name']]}", text)
