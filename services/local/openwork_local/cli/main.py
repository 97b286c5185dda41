"""Entry point of the `openwork` command: its commands, its exit codes, errors in plain words."""

from __future__ import annotations

import logging
import os
import sys
from enum import IntEnum

import typer
from openwork_contracts.errors import OpenWorkError, RunNotFound, UsageError

from openwork_local.cli import ask, doctor, fulltext, library, rank, runs, sources, up, verify


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
    help="Answers a clinical or biomedical question from the literature: every sentence cited, every number checked. "
    "It presents evidence; it does not diagnose, prescribe or advise a patient.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("ask")(ask.ask)
app.command("up")(up.up)
app.command("doctor")(doctor.doctor)
app.command("verify")(verify.verify)
app.command("rank")(rank.rank)
app.add_typer(runs.app, name="runs")
app.add_typer(sources.app, name="sources")
app.add_typer(fulltext.app, name="fulltext")
app.add_typer(library.app, name="library")


def run() -> None:
    """Run the command; exit with one of `ExitCode`, never with a stack trace for what a user can mend."""
    # Commands speak for themselves; what goes wrong below them is said by the answer or by an error.
    logging.basicConfig(level=os.environ.get("OPENWORK_LOG_LEVEL", "CRITICAL"), stream=sys.stderr)
    code: int
    try:
        result = app(standalone_mode=False)
        code = result if isinstance(result, int) else ExitCode.ANSWERED
    except typer.TyperException as error:
        # Bad options and arguments; without any argument the message is the help.
        typer.echo(_message(error), err=True)
        code = ExitCode.BAD_USAGE
    except (typer.Abort, KeyboardInterrupt):
        typer.echo("openwork: interrupted", err=True)
        code = ExitCode.INTERRUPTED
    except (UsageError, RunNotFound) as error:
        typer.echo(f"openwork: {error}", err=True)
        code = ExitCode.BAD_USAGE
    except OpenWorkError as error:
        typer.echo(f"openwork: {error}", err=True)
        code = ExitCode.FAILED
    except BrokenPipeError:
        # The reader went away (`openwork ... | head`); nothing is wrong.
        sys.stderr.close()
        code = ExitCode.ANSWERED
    except Exception as error:
        if os.environ.get("OPENWORK_DEBUG"):
            raise
        typer.echo(
            f"openwork: something unexpected happened ({type(error).__name__}: {error}). With OPENWORK_DEBUG=1 the "
            "same command shows where; please report it.",
            err=True,
        )
        code = ExitCode.FAILED
    sys.exit(int(code))


def _message(error: typer.TyperException) -> str:
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    return text if text.lstrip().startswith("Usage") else f"openwork: {text}"
