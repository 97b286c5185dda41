"""Where the command starts: an interrupt while it is still being loaded is an interrupt too."""

from __future__ import annotations

import sys

ON_WINDOWS = (
    "openwork: Windows is not supported; it runs on Linux and macOS, and on Windows inside WSL 2 (README, Platforms)"
)


def run() -> None:
    """Run the command and end the process with its exit code."""
    if sys.platform == "win32":
        sys.exit(ON_WINDOWS)
    try:
        from openwork_cli.main import main

        code = main()
    except KeyboardInterrupt:
        sys.stderr.write("openwork: interrupted\n")
        code = 130
    sys.exit(code)
