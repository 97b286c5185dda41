"""Third-party packages that a package of ours needs, by name, and those that a list of pins has; without an index."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from deploy.registry import ROOT

_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[(?P<extras>[^\]]*)\])?")


def third_party(folder: str, extras: tuple[str, ...] = (), root: Path = ROOT) -> frozenset[str]:
    """Names of what a package of ours depends on, its own libraries' dependencies included."""
    project = _read((root / folder / "pyproject.toml").read_text())["project"]
    wanted = [*project.get("dependencies", ())]
    for extra in extras:
        wanted += project.get("optional-dependencies", {})[extra]
    found: set[str] = set()
    for requirement in wanted:
        parts = _REQUIREMENT.match(requirement)
        assert parts is not None, requirement
        name = _normal(parts["name"])
        if name.startswith("openwork-"):
            asked = tuple(extra.strip() for extra in (parts["extras"] or "").split(",") if extra.strip())
            found |= third_party(_folder(name.removeprefix("openwork-")), asked, root)
        else:
            found.add(name)
    return frozenset(found)


@cache
def _read(text: str) -> Mapping[str, Any]:
    """A package that others need is read once for each of them."""
    return tomllib.loads(text)


def pinned(path: Path) -> frozenset[str]:
    """Names in a list of pins."""
    return frozenset(map(_normal, re.findall(r"^([A-Za-z0-9._-]+)==", path.read_text(), re.MULTILINE)))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _folder(name: str) -> str:
    return name if name == "contracts" else f"packages/{name}"
