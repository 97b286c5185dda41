"""Entry point of the `openwork` command: its commands, its exit codes, errors in plain words."""

from __future__ import annotations

import sys
from enum import IntEnum

import click
import typer
from openwork_contracts.errors import OpenWorkError, RunNotFound, UsageError

from openwork_local.cli import ask, doctor, library, rank, runs, up, verify


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
app.add_typer(library.app, name="library")


def run() -> None:
    """Run the command; exit with one of `ExitCode`, never with a stack trace for what a user can mend."""
    try:
        result = app(standalone_mode=False)
        code = result if isinstance(result, int) else ExitCode.ANSWERED
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        code = ExitCode.BAD_USAGE
    except click.ClickException as error:
        click.echo(f"openwork: {error.format_message()}", err=True)
        code = ExitCode.BAD_USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("openwork: interrupted", err=True)
        code = ExitCode.INTERRUPTED
    except (UsageError, RunNotFound) as error:
        click.echo(f"openwork: {error}", err=True)
        code = ExitCode.BAD_USAGE
    except OpenWorkError as error:
        click.echo(f"openwork: {error}", err=True)
        code = ExitCode.FAILED
    except BrokenPipeError:
        # The reader went away (`openwork ... | head`); nothing is wrong.
        sys.stderr.close()
        code = ExitCode.ANSWERED
    sys.exit(int(code))
