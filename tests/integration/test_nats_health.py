"""The probe of containers, in the shell of their image: what it says of a real nats-server on a real small disk."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import nats
import pytest
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.api import StreamConfig

from deploy.registry import ROOT
from tests.integration.small_disk import fill, small_disk
from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which the commands are busybox', as in the image."""
    busybox = shutil.which("busybox")
    if busybox is None:
        pytest.skip("busybox is not installed")
    for name in ("sh", "nc", "df", "awk"):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).symlink_to(busybox)
    return {**os.environ, "PATH": str(tmp_path / "bin")}


def probe(server: OpenServer, shell: dict[str, str], *, room_kib: int = 4096) -> tuple[int, str]:
    port = urlsplit(server.monitor_url).port
    command = ["sh", "deploy/nats/health.sh", str(server.folder), str(port), str(room_kib)]
    done = subprocess.run(command, cwd=ROOT, env=shell, capture_output=True, text=True, timeout=10, check=False)
    return done.returncode, done.stdout + done.stderr


async def test_the_probe_tells_well_full_to_be_restarted_and_gone_apart(tmp_path: Path, shell: dict[str, str]) -> None:
    with small_disk(tmp_path / "disk", size_mb=64) as disk:
        server = OpenServer(disk)
        await server.start()
        try:
            connection = await nats.connect(server.url)
            await connection.jetstream().add_stream(StreamConfig(name="S", subjects=["s"]))
            assert probe(server, shell) == (0, "")
            fill(disk / "somebody-elses")
            with pytest.raises(NatsTimeoutError):
                await connection.jetstream().publish("s", bytes(100_000), timeout=1)
            await connection.close()
            code, words = probe(server, shell)
            assert (code, "is full (0 KiB free)" in words) == (4, True), words
            (disk / "somebody-elses").unlink()
            code, words = probe(server, shell)
            assert (code, "must be restarted" in words) == (3, True), words
            await server.stop()
            assert probe(server, shell)[0] == 1
            await server.start()
            assert probe(server, shell) == (0, "")
        finally:
            await server.stop()
