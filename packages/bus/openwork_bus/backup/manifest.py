"""The list beside the snapshots: what is in a backup, and how it is told that it is whole.

A folder of a backup has `manifest.json` when it is complete, and `INCOMPLETE.txt` until then. The digests tell damage;
they do not tell a forgery, since who can change a snapshot can change the list: keep the folder as you keep the server.
"""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from openwork_contracts.accounts import API_ACCOUNT, SERVICES_ACCOUNT
from openwork_contracts.errors import UsageError
from openwork_contracts.meta import CONTRACT_VERSION
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

FORMAT = 1
"""Of the folder. A version that reads another one says so."""
NAME = "manifest.json"
INCOMPLETE = "INCOMPLETE.txt"
_BEGUN = "A backup was begun here at {at} and is not complete: it cannot be restored. Delete the folder.\n"
_BLOCK_BYTES = 2**20
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600

FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.snapshot$")]
StreamName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+$")]


class SavedStream(BaseModel):
    """One stream of a backup."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    account: StreamName
    """The NATS account that it belongs to."""
    name: StreamName
    file: FileName
    """Its snapshot, in the folder of the manifest."""
    bytes: int = Field(ge=0)
    """Of the file."""
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    """Of the file."""
    messages: int = Field(ge=0)
    """Stored when the snapshot began."""
    last_sequence: int = Field(ge=0)
    with_consumers: bool
    """Whether its durables are in the snapshot, with what they have acknowledged."""
    config: dict[str, Any]
    """As the server had it."""
    state: dict[str, Any]
    """As the server had it when the snapshot began; it wants it back."""


class Manifest(BaseModel):
    """What is in a backup."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: int = FORMAT
    contract_version: int = CONTRACT_VERSION
    saved_at: AwareDatetime
    """When the first snapshot began."""
    revision: str
    """Of the code that saved it; "unknown" outside an image."""
    server_version: str
    """Of the nats-server that it comes from, e.g. "2.15.1"; an older one may not understand its snapshots."""
    everything: bool
    """Whether runs at work are in it."""
    streams: tuple[SavedStream, ...]

    def of(self, account: str) -> tuple[SavedStream, ...]:
        """The streams of an account."""
        return tuple(saved for saved in self.streams if saved.account == account)


def begin(folder: Path) -> None:
    """Make the folder of a backup, for its owner alone.

    Raises:
        UsageError: something is in it already, or it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty; a backup is saved into a folder of its own")
        folder.chmod(_PRIVATE_FOLDER)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        _write(folder / INCOMPLETE, _BEGUN.format(at=now))
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror or error}") from error


def finish(folder: Path, manifest: Manifest) -> None:
    """Write the manifest: from here on the backup is complete."""
    scratch = folder / f"{NAME}.tmp"
    _write(scratch, f"{manifest.model_dump_json(indent=1)}\n")
    scratch.replace(folder / NAME)
    (folder / INCOMPLETE).unlink(missing_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def private_file(path: Path) -> int:
    """A descriptor of a new file that nobody else reads."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_FILE)


def read(folder: Path) -> Manifest:
    """The manifest of a complete backup. The snapshots are not looked at: `check` does that.

    Raises:
        UsageError: there is none, it is incomplete, or of a version that cannot be restored by this one.
    """
    try:
        text = (folder / NAME).read_text(encoding="utf-8")
    except FileNotFoundError:
        if (folder / INCOMPLETE).exists():
            raise UsageError(
                f"the backup in {folder} was interrupted and is incomplete: take another one, or save again"
            ) from None
        raise UsageError(f"there is no backup in {folder}: it has no {NAME}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{folder / NAME} cannot be read: {error}") from error
    try:
        raw = json.loads(text)
        _check_versions(folder, raw)
        manifest = Manifest.model_validate(raw)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        found = error.errors(include_input=False)[0] if isinstance(error, ValidationError) else None
        why = f"{'.'.join(map(str, found['loc']))}: {found['msg']}" if found else str(error)
        raise UsageError(f"{folder / NAME} is damaged ({why}): take another backup") from error
    _check_names(folder, manifest)
    return manifest


def check(folder: Path, manifest: Manifest) -> None:
    """Read every snapshot, and compare it with the manifest.

    Raises:
        UsageError: one is missing or is not what was saved; each is named.
    """
    wrong = [words for saved in manifest.streams if (words := _wrong(folder / saved.file, saved))]
    if wrong:
        raise UsageError(
            f"the backup in {folder} is damaged, and nothing of it was restored: {'; '.join(wrong)}. Take another one"
        )


def _check_versions(folder: Path, raw: dict[str, Any]) -> None:
    if raw.get("format") != FORMAT:
        raise UsageError(f"the backup in {folder} has format {raw.get('format')}, and this version reads {FORMAT}")
    if raw.get("contract_version") != CONTRACT_VERSION:
        raise UsageError(
            f"the backup in {folder} is of subjects `v{raw.get('contract_version')}`, and this version has "
            f"`v{CONTRACT_VERSION}`: restore it with the version that saved it"
        )


def _check_names(folder: Path, manifest: Manifest) -> None:
    """A list that was changed by hand names no stream twice, and no file of another."""
    for saved in manifest.streams:
        if saved.account not in (SERVICES_ACCOUNT, API_ACCOUNT) or saved.config.get("name") != saved.name:
            raise UsageError(f"{folder / NAME} is damaged: {saved.account} has no stream {saved.name}")
        if saved.file != file_name(saved.account, saved.name):
            raise UsageError(f"{folder / NAME} is damaged: {saved.file} is not the snapshot of {saved.name}")
    if len({saved.file for saved in manifest.streams}) != len(manifest.streams):
        raise UsageError(f"{folder / NAME} is damaged: it has a stream twice")


def file_name(account: str, stream: str) -> str:
    """Where the snapshot of a stream is, in the folder."""
    return f"{account}.{stream}.snapshot"


def _wrong(path: Path, saved: SavedStream) -> str | None:
    try:
        size = path.stat().st_size
        if size != saved.bytes:
            return f"{path.name} has {size} bytes and had {saved.bytes}"
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                digest.update(block)
    except OSError as error:
        return f"{path.name} cannot be read ({error.strerror or error})"
    return None if digest.hexdigest() == saved.sha256 else f"{path.name} has another SHA-256 than when it was saved"


def _write(path: Path, text: str) -> None:
    with os.fdopen(private_file(path), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
