"""Where the command starts: an interrupt while it is still being loaded is an interrupt too.

What takes time to import is imported where the interrupt is caught, even of the standard library.
"""

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
        _end_quietly()
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
    import atexit
    import signal

    told = sys.unraisablehook

    def tell(unraisable: sys.UnraisableHookArgs) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            told(unraisable)

    sys.unraisablehook = tell
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # the first that is registered runs last
