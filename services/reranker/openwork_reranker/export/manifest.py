"""`export.json`: what a folder of weights holds and where it came from. Models refuse a folder without it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

FILE_NAME = "export.json"
_CHUNK_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Manifest:
    """Origin of a folder of weights."""

    model: str
    """As `config.pbtxt` names it in its parameter `weights`, e.g. "BAAI/bge-reranker-v2-m3"."""
    revision: str
    """Commit of the model repository, or version of the package, that the files were made from."""
    licence: str
    sha256: dict[str, str] = field(default_factory=dict)
    """Per file of the folder."""
    checks: dict[str, float] = field(default_factory=dict)
    """Per file, the largest difference to the original's logits on the sample pairs."""


def sha256_of(path: Path) -> str:
    """Hexadecimal digest of a file, read in pieces: weights are larger than memory should be."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def write_manifest(folder: Path, manifest: Manifest, files: Iterable[str]) -> Manifest:
    """Write `export.json` with the digests of the named files; the manifest as written."""
    digests = {name: sha256_of(folder / name) for name in files}
    written = Manifest(manifest.model, manifest.revision, manifest.licence, digests, manifest.checks)
    scratch = folder / f"{FILE_NAME}.tmp"
    scratch.write_text(json.dumps(asdict(written), indent=2) + "\n")
    scratch.replace(folder / FILE_NAME)
    return written


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder.

    Raises:
        FileNotFoundError: there is none.
    """
    return Manifest(**json.loads((folder / FILE_NAME).read_text()))
