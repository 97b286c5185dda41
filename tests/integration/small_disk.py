"""A folder on a small filesystem of its own, to be filled."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_BLOCK = bytes(2**20)


@contextmanager
def small_disk(folder: Path, *, size_mb: int) -> Iterator[Path]:
    """Mounts a tmpfs on the folder; skips the test where that is not allowed."""
    folder.mkdir(parents=True)
    mount = shutil.which("mount")
    if mount is None:
        pytest.skip("a small filesystem cannot be had: there is no `mount`")
    command = [mount, "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", str(folder)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"a small filesystem cannot be had (it takes root on Linux): {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(file: Path, *, leave_kb: int = 0) -> None:
    """Another program's file: takes what there is but for so much."""
    left = shutil.disk_usage(file.parent).free - leave_kb * 1024
    with file.open("wb", buffering=0) as out:
        while left > 0:
            left -= out.write(_BLOCK[:left])
