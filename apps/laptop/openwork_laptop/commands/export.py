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
    from openwork_report.formats import Choices


class FormatName(StrEnum):
    """What can be made of a run."""

    RIS = "ris"
    BIBTEX = "bibtex"
    CSL_JSON = "csl-json"
    REFERENCES = "references"
    CSV = "csv"
    MARKDOWN = "markdown"
    HTML = "html"
    DOCX = "docx"
    PDF = "pdf"
    SVG = "svg"
    PNG = "png"


class TableName(StrEnum):
    """The tables of `--format csv`; the last three are of a deep review."""

    REFERENCES = "references"
    EVIDENCE = "evidence"
    SEARCH = "search"
    EXCLUDED = "excluded"
    CELLS = "cells"
    SCREENING = "screening"
    VARIABLES = "variables"


class StyleName(StrEnum):
    """The styles of references."""

    VANCOUVER = "vancouver"
    APA = "apa"


class FigureName(StrEnum):
    """The pictures of `--format svg` and `png`."""

    PRISMA = "prisma"
    FOREST = "forest"


@as_client_errors()
def export(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", help="A run id, or a file that `openwork ask --json` has written; '-' reads stdin."
        ),
    ],
    format_: Annotated[
        FormatName,
        typer.Option(
            "--format",
            help="References: ris, bibtex, csl-json, or a list in a style. Tables: csv. The whole document: markdown, "
            "html, docx, pdf. A picture: svg, png.",
        ),
    ] = FormatName.MARKDOWN,
    table: Annotated[
        TableName | None, typer.Option(help="With --format csv: this table alone; without it all, into a folder.")
    ] = None,
    style: Annotated[
        StyleName | None,
        typer.Option(help="Of references, docx and pdf: how a reference is printed. [default: vancouver]"),
    ] = None,
    figure: Annotated[
        FigureName | None,
        typer.Option(
            help="Of svg and png: the flow of records, or results that share comparison and outcome. [default: prisma]"
        ),
    ] = None,
    number: Annotated[
        int | None, typer.Option(min=1, help="With --figure forest: which plot, where there are several. [default: 1]")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="File to write; for all tables a folder. Without it: stdout.")
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(help="NATS URL of services that run elsewhere, e.g. nats://host:4222.", show_default=False),
    ] = None,
) -> int:
    """Write a run as a file: references, tables, a picture, or everything it says.

    Exit code: 0 written, 1 the services cannot be reached, 4 bad usage: no such run, or a document that
    lacks what is asked for.
    """
    from openwork_laptop.exporting import MARK, check, contents, show, write

    chosen = table.value if table else None
    choices = _choices(format_, style, figure, number)
    _check_options(format_, table, output)
    document = _document(run, server)
    remark = check(document, format_.value, chosen, choices)
    files = contents(document, format_.value, chosen, choices)
    if remark:
        typer.echo(f"note: {remark}", err=True)
    if output is None:
        show(files[""], format_.value)
        return 0
    for path in write(files, output, mark=MARK if format_ is FormatName.CSV else ""):
        sys.stderr.write(f"written: {path}\n")
    return 0


def _check_options(format_: FormatName, table: TableName | None, output: Path | None) -> None:
    """What can be said before anything is asked of services."""
    from openwork.errors import UsageError
    from openwork_report.formats import FORMATS

    from openwork_laptop.exporting import BINARY

    if table and format_ is not FormatName.CSV:
        raise UsageError(f"--table is for --format csv; {format_.value} is one file")
    if format_ is FormatName.CSV:
        if table is None and output is None:
            names = ", ".join(name.value for name in TableName)
            raise UsageError(
                f"csv is one file per table: choose one with --table ({names}), or name a folder with --output"
            )
        return
    if FORMATS[format_.value].is_binary and output is None and sys.stdout.isatty():
        raise UsageError(BINARY.format(format=format_.value))


def _choices(format_: FormatName, style: StyleName | None, figure: FigureName | None, number: int | None) -> Choices:
    """What was chosen for the format; an option that it does not know is refused, not passed by."""
    from openwork.errors import UsageError
    from openwork_report import formats
    from openwork_report.styles import entries

    given = {"style": style, "figure": figure, "part": number}
    takes = formats.FORMATS[format_.value].takes if format_ is not FormatName.CSV else frozenset()
    for name, value in given.items():
        if value is not None and name not in takes:
            others = ", ".join(one for one, known in formats.FORMATS.items() if name in known.takes)
            raise UsageError(f"--{_OPTIONS[name]} is for --format {others}; {format_.value} knows nothing of it")
    if number is not None and figure is not FigureName.FOREST:
        raise UsageError("--number is for --figure forest: there is one flow of records")
    return formats.Choices(
        style=entries.StyleName((style or StyleName.VANCOUVER).value),
        figure=formats.FigureName((figure or FigureName.PRISMA).value),
        part=number or 1,
    )


_OPTIONS = {"style": "style", "figure": "figure", "part": "number"}


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
