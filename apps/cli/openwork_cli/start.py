"""Where the command starts: an interrupt while it is still being loaded is an interrupt too."""

from __future__ import annotations

import atexit
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

ON_WINDOWS = (
    "openwork: Windows is not supported; it runs on Linux and macOS, and on Windows inside WSL 2 (README, Platforms)"
)


def run() -> None:
    """Run the command and end the process with its exit code."""
    if sys.platform == "win32":
        sys.exit(ON_WINDOWS)
    _end_quietly()
    try:
        from openwork_cli.main import main

        code = main()
    except KeyboardInterrupt:
        sys.stderr.write("openwork: interrupted\n")
        code = 130
    sys.exit(code)


def _end_quietly() -> None:
    """A second Ctrl-C while the command ends changes neither its one line nor its exit code.

    One that falls into a finaliser is not raised but printed, with a stack trace, by `sys.unraisablehook`: it is lost,
    here without a word. One that falls after the last line, where the interpreter has put the signals back as they
    were, kills the process (-2).
    """
    told = sys.unraisablehook

    def tell(unraisable: UnraisableHookArgs) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            told(unraisable)

    sys.unraisablehook = tell
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # the first that is registered runs last
