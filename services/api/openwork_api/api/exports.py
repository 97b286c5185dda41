"""A run as a file: for a reference manager, a spreadsheet, a colleague. The formats are those of `openwork export`."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query, Response
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_report.delimited import ONLY_OF_A_REVIEW, TABLES, csv_table, tables_of
from openwork_report.formats import CSV, FORMATS, Choices, FigureName, Format
from openwork_report.review.files import MARK, review_files
from openwork_report.review.references import cited
from openwork_report.styles.entries import StyleName

from openwork_api.api.runs import document_of
from openwork_api.depend import Bus, Reader, RunPath
from openwork_api.problems import ProblemError

router = APIRouter(tags=["exports"])

REVIEW = "review"
"""All files of a review in one; it is no format of `openwork export`, which writes one file."""
FormatName = StrEnum("FormatName", {name.upper().replace("-", "_"): name for name in (*FORMATS, CSV, REVIEW)})  # type: ignore[misc]
TableName = StrEnum("TableName", {name.upper(): name for name in (*TABLES, *ONLY_OF_A_REVIEW)})  # type: ignore[misc]
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
    """References (ris, bibtex, csl-json, references), tables (csv), the whole document, pictures; all of a review."""
    document = await document_of(bus, person, run_id, record=True)
    if document.status is RunStatus.RUNNING:
        raise ProblemError(409, "RunGoesOn", f"run {run_id} has not ended yet; follow it, then export it")
    if format.value == CSV:
        return _tables(document, table.value if table else None)
    if format.value == REVIEW:
        return _packed(await asyncio.to_thread(review_files, document), f"openwork-{run_id}-review.zip")
    made = FORMATS[format.value]
    if made.only_references and not cited(document).references:
        raise ProblemError(422, "NothingCited", f"run {run_id} cites nothing, so there are no references to export")
    # A PDF is work for a processor, and others read in the meantime.
    content = await asyncio.to_thread(made.write, document, Choices(style, figure, part))
    return _file(content, made.media_type, _name(document, made, figure if made.takes & {"figure"} else None))


def _tables(document: AnswerDocument, table: str | None) -> Response:
    tables = tables_of(document)
    if table is None:
        made = {f"{name}.csv": MARK + csv_table(document, name) for name in tables}
        return _packed(made, f"openwork-{document.run_id}-tables.zip")
    if table not in tables:
        raise ProblemError(
            422, "NotAReview", f"the table {table!r} is of a deep review, which run {document.run_id} is not"
        )
    return _file(MARK + csv_table(document, table), "text/csv", f"openwork-{document.run_id}-{table}.csv")


def _packed(files: Mapping[str, str], name: str) -> Response:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in files.items():
            archive.writestr(file, content.encode("utf-8", "replace"))
    return _file(packed.getvalue(), "application/zip", name)


def _name(document: AnswerDocument, made: Format, figure: FigureName | None) -> str:
    return f"openwork-{document.run_id}{f'-{figure.value}' if figure else ''}.{made.suffix}"


def _file(content: str | bytes, media_type: str, name: str) -> Response:
    """A download; a page of ours is never opened under our own address, where it would have our cookies."""
    body = content.encode("utf-8", "replace") if isinstance(content, str) else content
    charset = "; charset=utf-8" if media_type.startswith("text/") else ""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Content-Type": f"{media_type}{charset}"}
    return Response(body, headers=headers)
