"""Which containers are not what the files of Compose, the files that they mount and the images say now.

    docker compose config --format json | python -m deploy.supply.running --project openwork --hashes FILE

prints their services, one a line. FILE is what `docker compose config --hash '*'` prints. Compose alone would not do:
it does not see that a file under `configs` was changed, such as the accounts of NATS; and Podman 4.3 answers with a
network's name where its id is asked for, so that every network looks like another one and all containers are made anew.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

_INSPECTED = (
    '{{index .Config.Labels "com.docker.compose.service"}} {{index .Config.Labels "com.docker.compose.config-hash"}} '
    '{{index .Config.Labels "com.docker.compose.image"}} {{.Created}}'
)


@dataclass(frozen=True, slots=True)
class Container:
    """Its service, the hash of its configuration, the id of its image, when it was made (UTC, seconds)."""

    service: str
    configuration: str
    image: str
    made_at: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a service's containers should be, and when the newest file that they mount as configuration was written."""

    configuration: str
    image: str
    written_at: float


def containers(project: str) -> list[Container]:
    """Those of a project, stopped ones too, without those of `compose run`."""
    filters = (f"label=com.docker.compose.project={project}", "label=com.docker.compose.oneoff=False")
    found = _docker("ps", "--all", "--quiet", *(part for one in filters for part in ("--filter", one))).split()
    if not found:
        return []
    made = []
    for line in _docker("inspect", "--format", _INSPECTED, *found).splitlines():
        service, configuration, image, moment = line.split()
        made.append(Container(service, configuration, image, _seconds(moment)))
    return made


def _seconds(moment: str) -> float:
    """Docker gives nanoseconds, which no datetime has."""
    whole, _, rest = moment.partition(".")
    return datetime.fromisoformat(f"{whole}+00:00" if rest else moment).timestamp()


def wanted(config: Mapping[str, Any], hashes: Mapping[str, str]) -> dict[str, Wanted]:
    """By service."""
    names = {block["image"] for block in config["services"].values()}
    ids = {name: image_id(name) for name in names}
    files = {name: Path(one["file"]).stat().st_mtime for name, one in config.get("configs", {}).items()}
    return {
        service: Wanted(
            hashes[service],
            ids[block["image"]],
            max((files[used["source"]] for used in block.get("configs") or ()), default=0.0),
        )
        for service, block in config["services"].items()
    }


def outdated(found: Sequence[Container], should: Mapping[str, Wanted]) -> list[str]:
    """Services with a container that is not what it should be. One of no service any more is left alone."""
    return sorted(
        {
            one.service
            for one in found
            if (now := should.get(one.service))
            and ((one.configuration, one.image) != (now.configuration, now.image) or one.made_at < now.written_at)
        }
    )


def image_id(name: str) -> str:
    """Of the image that the engine has now; empty = none."""
    return _docker("image", "inspect", "--format", "{{.Id}}", name, check=False).strip()


def _docker(*arguments: str, check: bool = True) -> str:
    return subprocess.run(["docker", *arguments], capture_output=True, text=True, check=check).stdout


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, and say which."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--project", required=True)
    parser.add_argument("--hashes", type=Path, required=True)
    chosen = parser.parse_args(arguments)
    hashes = dict(line.split() for line in chosen.hashes.read_text().splitlines())
    should = wanted(json.load(sys.stdin), hashes)
    sys.stdout.write("".join(f"{service}\n" for service in outdated(containers(chosen.project), should)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
