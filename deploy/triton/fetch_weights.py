"""Bring a model's weights into a folder, each file only with the checksum that is expected. The standard library alone.

    fetch_weights.py MANIFEST FOLDER

MANIFEST has one file a line: SHA-256, path below FOLDER, URL. A file that is there with its checksum is left alone, so
that a pod that starts again downloads nothing. A file with another checksum never gets its name. Status 1 when one is
missing, or when the list is empty: the server would start without a model.
"""

import hashlib
import os
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

_CHUNK_BYTES = 1 << 20
_TRIES = 5
_TIMEOUT_S = 60


def digest(path: Path) -> str:
    """SHA-256 of a file, as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_manifest(text: str) -> list[tuple[str, str, str]]:
    """Checksum, path and URL of each file; ValueError for anything else, or a path that leads elsewhere."""
    wanted = []
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        fields = line.split()
        if len(fields) != 3 or len(fields[0]) != 64:
            raise ValueError(f"not `SHA-256 path URL`: {line!r}")
        checksum, path, url = fields
        if Path(path).is_absolute() or ".." in Path(path).parts:
            raise ValueError(f"{path!r} leads out of the folder")
        if not url.startswith(("https://", "http://127.0.0.1:")):
            raise ValueError(f"{url!r} is not https")
        wanted.append((checksum.lower(), path, url))
    return wanted


def fetch(checksum: str, target: Path, url: str) -> bool:
    """One file; False when it was there. OSError when it cannot be had, ValueError when it is another file."""
    if target.is_file() and digest(target) == checksum:
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as answer, scratch.open("wb") as file:  # noqa: S310 - checked
            while chunk := answer.read(_CHUNK_BYTES):
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        found = digest(scratch)
        if found != checksum:
            raise ValueError(f"{url} has the checksum {found}, expected was {checksum}")
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)
    return True


def main(arguments: list[str]) -> int:
    """Fetch everything, each file tried a few times."""
    if len(arguments) != 2:
        sys.stderr.write(__doc__ or "")
        return 2
    folder = Path(arguments[1])
    wanted = read_manifest(Path(arguments[0]).read_text())
    if not wanted:
        sys.stderr.write(
            f"{arguments[0]} lists no weights: write one line per file of the exported model, `SHA-256 path URL` "
            "(triton_models/README.md says how to export it; its export.json has the digests)\n"
        )
        return 1
    for checksum, path, url in wanted:
        for attempt in range(1, _TRIES + 1):
            try:
                fetched = fetch(checksum, folder / path, url)
            except ValueError as error:
                sys.stderr.write(f"{error}\n")
                return 1
            except (OSError, urllib.error.URLError) as error:
                sys.stderr.write(f"{path}: {error} (try {attempt} of {_TRIES})\n")
                if attempt == _TRIES:
                    return 1
                time.sleep(2**attempt)
            else:
                sys.stdout.write(f"{path}: {'fetched' if fetched else 'is there'}\n")
                break
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
