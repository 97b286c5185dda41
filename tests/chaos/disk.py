"""(e) The disk under the server is full, and has room again. A system of its own, on a small filesystem."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from openwork_laptop.supervision import supervised

from tests.chaos.report import Row
from tests.chaos.scenarios import Size, row_of, steadily
from tests.chaos.system import System, running
from tests.integration.small_disk import fill, small_disk

NAME = "disk full and back"
SIZE_MB = 128
FULL_S = 8.0


async def disk_full(scratch: Path, size: Size, chance: random.Random) -> Row:
    """Questions while nothing can be stored: they are asked again until they are accepted, and then kept."""
    try:
        with small_disk(scratch / "disk", size_mb=SIZE_MB) as folder:
            async with running(folder) as system, supervised(system.server):
                return await _filled(system, folder)
    except pytest.skip.Exception as error:
        return Row(NAME, skipped=str(error.msg))


async def _filled(system: System, folder: Path) -> Row:
    async def harm() -> None:
        other = folder / "somebody-elses"
        fill(other, leave_kb=64)
        await asyncio.sleep(FULL_S)
        other.unlink()
        await asyncio.sleep(4.0)

    return row_of(NAME, await steadily(system, harm, every_s=1.0))
