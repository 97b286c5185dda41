"""`openwork export`: a run for a reference manager, a spreadsheet, a colleague."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openwork_laptop.errors import as_client_errors

if TYPE_CHECKING:
    from openwork_contracts.answer import AnswerDocument


class FormatName(StrEnum):
    """What can be made of a run."""

    RIS = "ris"
    BIBTEX = "bibtex"
    CSL_JSON = "csl-json"
    CSV = "csv"
    MARKDOWN = "markdown"
    HTML = "html"


class TableName(StrEnum):
    """The tables of `--format csv`."""

    REFERENCES = "references"
    EVIDENCE = "evidence"
    SEARCH = "search"
    EXCLUDED = "excluded"


@as_client_errors()
def export(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", help="A run id, or a file that `openwork ask --json` has written; '-' reads stdin."
        ),
    ],
    format_: Annotated[
        FormatName, typer.Option("--format", help="References as ris, bibtex or csl-json; tables; the whole document.")
    ] = FormatName.MARKDOWN,
    table: Annotated[
        TableName | None, typer.Option(help="With --format csv: this table alone; without it all, into a folder.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="File to write; for all tables a folder. Without it: stdout.")
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(help="NATS URL of services that run elsewhere, e.g. nats://host:4222.", show_default=False),
    ] = None,
) -> int:
    """Write a run as a file: references, tables, or everything it says.

    Exit code: 0 written, 1 the services cannot be reached, 4 bad usage: no such run, or a document that
    lacks what is asked for.
    """
    from openwork.errors import UsageError

    from openwork_laptop.exporting import MARK, check, show, texts, write

    chosen = table.value if table else None
    if table and format_ is not FormatName.CSV:
        raise UsageError(f"--table is for --format csv; {format_.value} is one file")
    if format_ is FormatName.CSV and table is None and output is None:
        names = ", ".join(name.value for name in TableName)
        raise UsageError(
            f"csv is one file per table: choose one with --table ({names}), or name a folder with --output"
        )
    document = _document(run, server)
    remark = check(document, format_.value, chosen)
    files = texts(document, format_.value, chosen)
    if remark:
        typer.echo(f"note: {remark}", err=True)
    if output is None:
        show(files[""], format_.value)
        return 0
    for path in write(files, output, mark=MARK if format_ is FormatName.CSV else ""):
        sys.stderr.write(f"written: {path}\n")
    return 0


def _document(run: str, server: str | None) -> AnswerDocument:
    """By what stands there: a file, stdin, or a run id; a run id is asked of services, or of those started for it."""
    from openwork.client import Client
    from openwork.errors import UsageError
    from openwork.run_ids import check_run_id
    from openwork_cli.files import read_text
    from openwork_cli.session import GATEWAY, with_client
    from openwork_contracts.answer import AnswerDocument

    from openwork_laptop.exporting import document_in

    path = Path(run)
    if run == "-" or path.suffix == ".json" or _is_file(path):
        return document_in(read_text(path), "stdin" if run == "-" else run)
    try:
        wanted = check_run_id(run)
    except UsageError as error:
        raise UsageError(f"{run!r} is neither a file nor a run id; `openwork runs list` shows the runs") from error

    async def work(client: Client) -> AnswerDocument:
        answer = await client.show(wanted, rendered=False, record=True)
        return AnswerDocument.model_validate(answer.raw)

    return with_client(work, server, services=GATEWAY)


def _is_file(path: Path) -> bool:
    """Also of a name that no file can have."""
    try:
        return path.is_file()
    except OSError:
        return False
