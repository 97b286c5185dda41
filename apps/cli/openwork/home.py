"""Where the services of this machine tell that they run: a folder, and the notice of `openwork up` in it."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, fields
from pathlib import Path

NOTICE = "server.json"
"""Name of the notice in the folder."""
DEFAULT_URL = "nats://127.0.0.1:4222"


@dataclass(frozen=True, slots=True)
class RunningServer:
    """What the owner of the folder tells others about itself."""

    pid: int
    url: str
    stays: bool
    """True for `openwork up`: others connect to it. False for a command that will be gone in a moment."""
    web: str | None = None
    """Address of its web app; `None` = it has none."""


def default_folder() -> Path:
    """OPENWORK_HOME, else the platform's folder for application data."""
    if chosen := os.environ.get("OPENWORK_HOME"):
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "openwork"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "openwork"


def running_server(folder: Path) -> RunningServer | None:
    """The server that runs on this folder, if its process is alive."""
    try:
        told = json.loads((folder / NOTICE).read_text(encoding="utf-8"))
        known = {field.name for field in fields(RunningServer)}
        server = RunningServer(**{name: value for name, value in told.items() if name in known})
        if sys.platform != "win32":  # there, signal 0 is Ctrl-C
            os.kill(server.pid, 0)
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return server


def running_url() -> str | None:
    """Where `openwork up` of this machine listens; `None` = it does not run."""
    server = running_server(default_folder())
    return server.url if server and server.stays else None


def server_url() -> str:
    """Where to ask when nobody says: OPENWORK_NATS_URL, else `openwork up` of this machine, else NATS's own port."""
    return os.environ.get("OPENWORK_NATS_URL") or running_url() or DEFAULT_URL
