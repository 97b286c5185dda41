"""A run as a file: what may be made of a document, and how it is written, whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from openwork.errors import UsageError
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_report.delimited import csv_table, tables_of
from openwork_report.formats import AS_USUAL, CSV, FORMATS, Choices, Content, FigureName, forest_plots
from openwork_report.review.references import cited

MARK = "\ufeff"
"""Before a CSV file: without it a spreadsheet takes UTF-8 for the letters of its own country."""
BINARY = "{format} is no text for a terminal: name a file with --output, or send it into a pipe"


def document_in(text: str, name: str) -> AnswerDocument:
    """The document that `openwork ask --json`, `openwork runs show --json` or `answer.json` holds.

    Args:
        name: of the file, for errors.
    Raises:
        UsageError: it is something else.
    """
    from pydantic import ValidationError

    try:
        return AnswerDocument.model_validate_json(text)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in found["loc"])
        why = f"{where}: {found['msg']}" if where else found["msg"]
        raise UsageError(
            f"{name} is not an answer as `openwork ask --json` or `openwork runs show --json` prints it ({why})"
        ) from error


def check(document: AnswerDocument, format_: str, table: str | None, choices: Choices = AS_USUAL) -> str | None:
    """Whether what is asked for can be made of the document; a remark for the asker, or `None`.

    Raises:
        UsageError: the run goes on, or the table needs the record, which the document was saved without.
    """
    run_id = document.run_id
    if document.status is RunStatus.RUNNING:
        raise UsageError(f"run {run_id} has not ended yet; `openwork runs show {run_id}` tells how far it has come")
    if format_ != CSV and "figure" in FORMATS[format_].takes and choices.figure is FigureName.FOREST:
        plots = len(forest_plots(document))
        return f"run {run_id} has {plots} forest plots; this is number {choices.part}" if plots > 1 else None
    tables = tables_of(document)
    if table is not None and table not in tables:
        raise UsageError(f"the table {table!r} is of a deep review; run {run_id} is {document.pipeline}")
    if document.record is None:
        how = (
            f"`openwork export {run_id}` while the run is stored, or save it with `openwork runs show --record --json`"
        )
        if format_ == CSV and table is not None and tables[table].needs_record:
            raise UsageError(
                f"the table {table!r} needs the run's record, which this document was saved without: {how}"
            )
        if format_ == CSV or FORMATS[format_].needs_record:
            return f"saved without the run's record, so that searches and excluded records are missing: {how}"
    if not cited(document).references and (
        table == "references" or (format_ != CSV and FORMATS[format_].only_references)
    ):
        return f"run {run_id} cites nothing ({document.status.value.replace('_', ' ')}): there are no references"
    return None


def contents(
    document: AnswerDocument, format_: str, table: str | None, choices: Choices = AS_USUAL
) -> Mapping[str, Content]:
    """What is to be written: name -> content; the name "" where it is one file.

    Raises:
        UsageError: of the contracts; a package is not installed, or the run has no such picture.
    """
    if format_ != CSV:
        return {"": FORMATS[format_].write(document, choices)}
    if table is not None:
        return {"": csv_table(document, table)}
    tables = tables_of(document)
    names = [name for name, one in tables.items() if document.record is not None or not one.needs_record]
    return {f"{name}.csv": csv_table(document, name) for name in names}


def write(files: Mapping[str, Content], output: Path, *, mark: str = "") -> tuple[Path, ...]:
    """Write the file, or the files into a folder, texts in UTF-8; the paths.

    Args:
        mark: what stands before each text.
    Raises:
        UsageError: it cannot be written; a file that was there is untouched.
    """
    try:
        if "" in files:
            _replace(output, _bytes(files[""], mark))
            return (output,)
        output.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            _replace(output / name, _bytes(content, mark))
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}") from error
    return tuple(output / name for name in files)


def _replace(path: Path, content: bytes) -> None:
    """Beside the file first, then in its place: nobody reads a half of it. What is no file is written to as it is."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        path.write_bytes(content)
        return
    scratch = path.with_name(f".{path.name[:200]}.{os.getpid()}.tmp")
    try:
        scratch.write_bytes(content)
        scratch.replace(path)
    except BaseException:
        with suppress(OSError):
            scratch.unlink()
        raise


def _bytes(content: Content, mark: str = "") -> bytes:
    return content if isinstance(content, bytes) else (mark + content).encode("utf-8", "replace")


def show(content: Content, format_: str) -> None:
    """To stdout: a terminal gets what it can show; a pipe or a file gets UTF-8, whatever the terminal's encoding is.

    Raises:
        UsageError: stdout is a terminal and the content no text.
    """
    stream = sys.stdout
    if stream.isatty():
        if isinstance(content, bytes):
            raise UsageError(BINARY.format(format=format_))
        stream.write(content if format_ != "csl-json" or _is_utf8(stream.encoding) else _ascii_json(content))
        return
    stream.flush()
    stream.buffer.write(_bytes(content))
    stream.buffer.flush()


def _is_utf8(encoding: str | None) -> bool:
    return (encoding or "").lower().replace("-", "") == "utf8"


def _ascii_json(text: str) -> str:
    import json

    return json.dumps(json.loads(text), indent=2) + "\n"
