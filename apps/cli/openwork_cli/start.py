"""Where the command starts: an interrupt while it is still being loaded is an interrupt too."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the command and end the process with its exit code."""
    try:
        from openwork_cli.main import main

        code = main()
    except KeyboardInterrupt:
        sys.stderr.write("openwork: interrupted\n")
        code = 130
    sys.exit(code)
