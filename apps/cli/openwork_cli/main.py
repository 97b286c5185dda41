"""Entry point of the `openwork` command: its commands, its exit codes, errors in plain words."""

from __future__ import annotations

import logging
import os
import signal
import sys
import warnings
from enum import IntEnum
from typing import Annotated

import typer
from openwork.errors import OpenWorkError, RunNotFound, UsageError

from openwork_cli import ask, doctor, lookup, review, runs, verify
from openwork_cli.plugins import CommandGroup
from openwork_cli.terminal import prepare_streams


class ExitCode(IntEnum):
    """What `openwork` ends with."""

    ANSWERED = 0
    FAILED = 1
    REJECTED = 2
    TOO_LITTLE_EVIDENCE = 3
    BAD_USAGE = 4
    INTERRUPTED = 130


app = typer.Typer(
    name="openwork",
    cls=CommandGroup,
    help="Answers a clinical or biomedical question from the literature: every sentence cited, every number checked. "
    "It presents evidence; it does not diagnose, prescribe or advise a patient.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("ask")(ask.ask)
app.command("doctor")(doctor.doctor)
app.command("lookup")(lookup.lookup)
app.command("verify")(verify.verify)
app.add_typer(review.app, name="review")
app.add_typer(runs.app, name="runs")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        sys.stdout.write(f"openwork {version('openwork-cli')}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of the command itself."""


def main() -> int:
    """Run the command; its exit code, and never a stack trace for what a user can mend."""
    _prepare()
    code: int
    try:
        result = app(standalone_mode=False)
        sys.stdout.flush()
        code = result if isinstance(result, int) else ExitCode.ANSWERED
        if code == ExitCode.INTERRUPTED:  # Typer makes it of Ctrl-C, and says nothing
            code = _interrupted()
    except typer.TyperException as error:
        # Bad options and arguments; without any argument the message is the help.
        typer.echo(_message(error), err=True)
        code = ExitCode.BAD_USAGE
    except (typer.Abort, KeyboardInterrupt):
        code = _interrupted()
    except (UsageError, RunNotFound) as error:
        typer.echo(f"openwork: {error}", err=True)
        code = ExitCode.BAD_USAGE
    except OpenWorkError as error:
        if _comes_of_an_interrupt(error):
            return _interrupted()
        typer.echo(f"openwork: {error}", err=True)
        code = ExitCode.FAILED
    except (BrokenPipeError, SystemExit) as error:
        # Typer turns a closed pipe into the exit code 1 by itself.
        code = _closed_pipe(error)
    except Exception as error:
        code = _unexpected(error)
    return int(code)


def _prepare() -> None:
    """The terminal, logs, warnings and signals."""
    prepare_streams()
    if not sys.warnoptions:  # Python's warnings are for whoever asks for them: -W, PYTHONWARNINGS
        warnings.simplefilter("ignore")
    # Commands speak for themselves; what goes wrong below them is said by the answer or by an error.
    level = os.environ.get("OPENWORK_LOG_LEVEL", "CRITICAL").upper()
    known = level in logging.getLevelNamesMapping()
    logging.basicConfig(level=level if known else "CRITICAL", stream=sys.stderr)
    for name in ("SIGTERM", "SIGHUP"):
        # As Ctrl-C: an embedded server and its services are stopped on the way out.
        if signum := getattr(signal, name, None):
            signal.signal(signum, lambda *_: signal.raise_signal(signal.SIGINT))


def _interrupted() -> ExitCode:
    typer.echo("openwork: interrupted", err=True)
    return ExitCode.INTERRUPTED


def _unexpected(error: Exception) -> ExitCode:
    """What nobody foresaw. An interrupt while pydantic builds a model stands only in the text of its SchemaError."""
    if "KeyboardInterrupt" in str(error) or _comes_of_an_interrupt(error):
        return _interrupted()
    if os.environ.get("OPENWORK_DEBUG"):
        raise error
    typer.echo(
        f"openwork: something unexpected happened ({type(error).__name__}: {error}). With OPENWORK_DEBUG=1 the "
        "same command shows where; please report it.",
        err=True,
    )
    return ExitCode.FAILED


def _comes_of_an_interrupt(error: BaseException | None) -> bool:
    """Whether it was raised while an interrupt was on its way out: what was being ended may fail in any way."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def _closed_pipe(error: BaseException) -> ExitCode:
    """`openwork ... | head` is no fault: what is still to be written goes nowhere. Another broken pipe is one."""
    import select

    output = sys.__stdout__.fileno() if sys.__stdout__ else 1
    poll = select.poll()
    poll.register(output, 0)
    if not any(state & (select.POLLERR | select.POLLHUP) for _, state in poll.poll(0)):
        cause = error.__context__ or error
        typer.echo(f"openwork: a connection was closed ({type(cause).__name__}: {cause})", err=True)
        return ExitCode.FAILED
    os.dup2(os.open(os.devnull, os.O_WRONLY), output)
    return ExitCode.ANSWERED


def _message(error: typer.TyperException) -> str:
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    return text if text.lstrip().startswith("Usage") else f"openwork: {text}"
