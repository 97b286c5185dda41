"""Style sheets and scripts: read once, served under an address that changes with any of them.

Modules import each other by relative addresses, so that all of one version lie in one folder and none is ever stale.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from fastapi import APIRouter, Response

from openwork_api.problems import ProblemError

router = APIRouter()

_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
_FOR_EVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent."""

    body: bytes
    media_type: str


def _read() -> Mapping[str, Asset]:
    folder = files("openwork_api").joinpath("static")
    found = {}
    for one in sorted(folder.iterdir(), key=lambda file: file.name):
        media_type = _TYPES.get(one.name.rpartition(".")[2])
        if media_type:
            found[one.name] = Asset(one.read_bytes(), media_type)
    return found


ASSETS = _read()
VERSION = hashlib.sha256(b"".join(name.encode() + one.body for name, one in ASSETS.items())).hexdigest()[:12]
"""Of all files together."""


def address(name: str) -> str:
    """Where a file is. Raises: KeyError, there is none of that name."""
    ASSETS[name]
    return f"/static/{VERSION}/{name}"


@router.get("/static/{version}/{name}")
async def asset(version: str, name: str) -> Response:
    """A file; under the address of another version it is this version's, and not kept."""
    found = ASSETS.get(name)
    if found is None:
        raise ProblemError(404, "NoSuchFile", "there is no such file")
    kept = _FOR_EVER if version == VERSION else "no-cache"
    return Response(found.body, media_type=found.media_type, headers={"Cache-Control": kept})


@router.get("/favicon.ico")
async def icon() -> Response:
    """What browsers ask for by themselves."""
    found = ASSETS["icon.svg"]
    return Response(found.body, media_type=found.media_type, headers={"Cache-Control": "public, max-age=86400"})
