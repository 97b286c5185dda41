"""`openwork fulltext parse FILE`: sections, offsets and tables of a JATS or PDF file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from openwork_laptop.errors import as_client_errors

app = typer.Typer(no_args_is_help=True, help="Full texts.")


@app.callback()
def main() -> None:
    """Keeps `parse` a command of its own."""


@app.command()
@as_client_errors()
def parse(
    file: Annotated[Path, typer.Argument(help="A JATS XML or PDF file.")],
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Sections with their nesting and offsets, tables as rows and columns."""
    from openwork.errors import UsageError
    from openwork_fulltext.domain.parse import parse_fulltext

    try:
        body = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    document = parse_fulltext(body, filename=file.name)
    if json_:
        sys.stdout.write(document.model_dump_json(indent=1) + "\n")
        return 0
    sys.stdout.write(f"{document.title or 'untitled'} ({document.format})\n")
    for section in document.sections:
        size = f"{len(section.table.rows)} rows" if section.table else f"{len(section.text)} characters"
        sys.stdout.write(f"{'  ' * len(section.path)}{section.path[-1] if section.path else section.kind}: {size}\n")
    for warning in document.warnings:
        sys.stdout.write(f"note: {warning}\n")
    return 0
