"""A run as a file: for a reference manager, a spreadsheet, a colleague. The formats are those of `openwork export`."""

from __future__ import annotations

import asyncio
import io
import zipfile
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query, Response
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_report.delimited import TABLES, csv_table
from openwork_report.formats import CSV, FORMATS, Choices, FigureName, Format
from openwork_report.styles.entries import StyleName

from openwork_api.api.runs import document_of
from openwork_api.depend import Bus, Reader, RunPath
from openwork_api.problems import ProblemError

router = APIRouter(tags=["exports"])

MARK = "\ufeff"
"""Before a CSV file: without it a spreadsheet takes UTF-8 for the letters of its own country."""

FormatName = StrEnum("FormatName", {name.upper().replace("-", "_"): name for name in (*FORMATS, CSV)})  # type: ignore[misc]
TableName = StrEnum("TableName", {name.upper(): name for name in TABLES})  # type: ignore[misc]
_FILE = {"type": "string", "format": "binary"}
_TYPES = {**{one.media_type: {"schema": _FILE} for one in FORMATS.values()}, "text/csv": {"schema": _FILE}}


@router.get(
    "/runs/{run_id}/export/{format}",
    summary="A run as a file",
    response_class=Response,
    responses={200: {"content": {**_TYPES, "application/zip": {"schema": _FILE}}}},
)
async def export(
    run_id: RunPath,
    format: FormatName,  # noqa: A002 - the name in the address
    bus: Bus,
    person: Reader,
    style: Annotated[StyleName, Query(description="Of references, docx and pdf.")] = StyleName.VANCOUVER,
    figure: Annotated[FigureName, Query(description="Of svg and png.")] = FigureName.PRISMA,
    part: Annotated[int, Query(ge=1, le=1000, description="Which of several forest plots.")] = 1,
    table: Annotated[TableName | None, Query(description="Of csv; without it all, in a zip file.")] = None,
) -> Response:
    """References (ris, bibtex, csl-json, references), tables (csv), the whole document, pictures of it."""
    document = await document_of(bus, person, run_id, record=True)
    if document.status is RunStatus.RUNNING:
        raise ProblemError(409, "RunGoesOn", f"run {run_id} has not ended yet; follow it, then export it")
    if format.value == CSV:
        return _tables(document, table.value if table else None)
    made = FORMATS[format.value]
    if made.only_references and not document.references:
        raise ProblemError(422, "NothingCited", f"run {run_id} cites nothing, so there are no references to export")
    # A PDF is work for a processor, and others read in the meantime.
    content = await asyncio.to_thread(made.write, document, Choices(style, figure, part))
    return _file(content, made.media_type, _name(document, made, figure if made.takes & {"figure"} else None))


def _tables(document: AnswerDocument, table: str | None) -> Response:
    if table is not None:
        return _file(MARK + csv_table(document, table), "text/csv", f"openwork-{document.run_id}-{table}.csv")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in TABLES:
            archive.writestr(f"{name}.csv", MARK + csv_table(document, name))
    return _file(packed.getvalue(), "application/zip", f"openwork-{document.run_id}-tables.zip")


def _name(document: AnswerDocument, made: Format, figure: FigureName | None) -> str:
    return f"openwork-{document.run_id}{f'-{figure.value}' if figure else ''}.{made.suffix}"


def _file(content: str | bytes, media_type: str, name: str) -> Response:
    """A download; a page of ours is never opened under our own address, where it would have our cookies."""
    body = content.encode("utf-8", "replace") if isinstance(content, str) else content
    charset = "; charset=utf-8" if media_type.startswith("text/") else ""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Content-Type": f"{media_type}{charset}"}
    return Response(body, headers=headers)
