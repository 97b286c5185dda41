"""PDFs are read in a process of their own: its document, its errors, and files that ask for too much."""

from __future__ import annotations

import pytest
from fulltext_samples import PdfText, article, pdf, pdf_of
from openwork_contracts.errors import FailureReason, SourceChanged, SourceRefused
from openwork_fulltext.adapters.apart import Limits, read_apart
from openwork_fulltext.domain.pdf.article import parse_pdf

LINES = ["The trial randomised 240 adults with heart failure to drug A or to placebo."] * 6
FORM = b"<< /Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /X %d 0 R >> >> /Length %d >>"


def text() -> PdfText:
    return PdfText().paragraph(60, 700, LINES)


async def test_document_is_the_same_as_read_here() -> None:
    body = pdf([text()])
    assert await read_apart(body) == parse_pdf(body)


async def test_errors_of_the_reader_come_back_as_they_are() -> None:
    with pytest.raises(SourceChanged, match="cannot be opened"):
        await read_apart(b"%PDF-1.7 nonsense")
    with pytest.raises(SourceRefused, match="no text to read"):
        await read_apart(pdf([PdfText()]))


async def test_xml_is_read_without_another_process() -> None:
    document = await read_apart(article("<p>Read.</p>"), Limits(wall_s=0.0))
    assert document.format == "jats"


def form_bomb(depth: int) -> bytes:
    """Forms that each draw the next one ten times: 10 to the power of `depth` boxes in some kilobytes."""
    objects = []
    for n in range(depth):
        content = b"/X Do " * 10 if n < depth - 1 else b"0 0 5 5 re f"
        objects.append(FORM % (7 + n, len(content)) + b"\nstream\n" + content + b"\nendstream")
    return pdf_of("\n".join(text().commands) + " /X Do", resources="/XObject << /X 6 0 R >>", objects=objects)


def tiles() -> bytes:
    """A page painted with tiles of a hundredth of a point."""
    tile = (
        b"<< /Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] /XStep 0.01 /YStep 0.01 "
        b"/Resources << >> /Length 12 >>\nstream\n0 0 1 1 re f\nendstream"
    )
    content = "/Pattern cs /T scn 0 0 595 842 re f " + "\n".join(text().commands)
    return pdf_of(content, resources="/Pattern << /T 6 0 R >>", objects=[tile])


@pytest.mark.parametrize("body", [form_bomb(9), tiles()], ids=["forms within forms", "a pattern of small tiles"])
async def test_file_that_asks_for_too_much_is_given_up(body: bytes) -> None:
    with pytest.raises(SourceRefused, match="given up") as failure:
        await read_apart(body, Limits(cpu_s=2, memory_mb=300))
    assert failure.value.reason is FailureReason.TOO_LARGE
