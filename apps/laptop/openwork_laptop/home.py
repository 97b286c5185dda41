"""Where the laptop app keeps its things: one folder, one owner at a time."""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from openwork.home import NOTICE, RunningServer, default_folder, running_server
from openwork_contracts.errors import OpenWorkError

_WAIT_S = 120.0
"""How long a command waits for another that holds the folder; an answer takes less."""


class Home:
    """The folder, by default `~/.local/share/openwork`, elsewhere with OPENWORK_HOME."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    @property
    def library(self) -> Path:
        """Records that were imported."""
        return self.folder / "library"

    @property
    def _notice(self) -> Path:
        return self.folder / NOTICE

    def announce(self, server: RunningServer) -> None:
        """Tell other commands where the server is."""
        scratch = self._notice.with_suffix(".tmp")
        scratch.write_text(json.dumps(asdict(server)))
        scratch.replace(self._notice)

    def withdraw(self) -> None:
        """Tell other commands that there is none any more."""
        self._notice.unlink(missing_ok=True)

    def running(self) -> RunningServer | None:
        """The server that runs on this folder, if its process is alive."""
        return running_server(self.folder)

    @contextmanager
    def owned(self) -> Iterator[None]:
        """Be the only process that runs a server on this folder.

        Raises:
            OpenWorkError: another holds it for longer than two minutes, or the folder cannot be written.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = (self.folder / "lock").open("w")
        except OSError as error:
            raise OpenWorkError(f"{self.folder} cannot be written ({error.strerror}); set OPENWORK_HOME") from error
        with lock:
            give_up = time.monotonic() + _WAIT_S
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    running = self.running()
                    if running and running.stays:
                        raise OpenWorkError(f"`openwork up` runs on {self.folder} already, at {running.url}") from None
                    if time.monotonic() > give_up:
                        raise OpenWorkError(
                            f"another openwork process holds {self.folder}; use `openwork ask --server URL`, "
                            "or another folder with OPENWORK_HOME"
                        ) from None
                    time.sleep(0.05)
            try:
                yield
            finally:
                fcntl.flock(lock, fcntl.LOCK_UN)
