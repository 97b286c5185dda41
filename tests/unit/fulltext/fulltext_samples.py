"""Small JATS articles after the JATS 1.3 tag library and small PDFs after ISO 32000-1, made here; nothing is copied."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

DATA = Path(os.environ.get("OPENWORK_DATA") or Path(__file__).resolve().parents[4] / "shared" / "data")


def data_path(relative: str) -> Path:
    """A file or folder of the recorded data; skips the test where it is absent."""
    path = DATA / relative
    if not path.exists():
        pytest.skip(f"the recorded data set is not there: {relative} (set OPENWORK_DATA to its folder)")
    return path


def article(
    body: str = "", *, meta: str = "", back: str = "", floats: str = "", kind: str = "research-article"
) -> bytes:
    """A JATS article around the given parts."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD v1.3 20210610//EN"
  "JATS-archivearticle1-3.dtd">
<article article-type="{kind}" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML">
<front><journal-meta><journal-title-group><journal-title>Trials of Note</journal-title></journal-title-group>
</journal-meta><article-meta>
<article-id pub-id-type="pmid">30000001</article-id><article-id pub-id-type="pmc">6000001</article-id>
<article-id pub-id-type="doi">10.1234/TRIAL.1</article-id>
<title-group><article-title>Drug A <italic>versus</italic> placebo</article-title></title-group>
<pub-date pub-type="ppub"><year>2017</year></pub-date><pub-date pub-type="epub"><year>2016</year></pub-date>
{meta}</article-meta></front>
<body>{body}</body><back>{back}</back>{floats}</article>""".encode()


class PdfText:
    """Lines of text at places on a page, in Helvetica or its bold face."""

    def __init__(self) -> None:
        self.commands: list[str] = []

    def line(self, x: float, y: float, words: str, size: float = 10, *, bold: bool = False) -> PdfText:
        escaped = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        self.commands.append(f"BT /F{2 if bold else 1} {size} Tf 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET")
        return self

    def rule(self, x0: float, x1: float, y: float) -> PdfText:
        """A level rule of half a point."""
        self.commands.append(f"0.5 w {x0} {y} m {x1} {y} l S")
        return self

    def upright(self, x: float, y0: float, y1: float) -> PdfText:
        self.commands.append(f"0.5 w {x} {y0} m {x} {y1} l S")
        return self

    def cells(self, xs: Sequence[float], y: float, words: Sequence[str], size: float = 8) -> PdfText:
        """A row of a table; an empty cell is left out."""
        for x, cell in zip(xs, words, strict=True):
            if cell:
                self.line(x, y, cell, size)
        return self

    def paragraph(self, x: float, y: float, lines: Sequence[str], size: float = 10, step: float = 12) -> PdfText:
        """Lines below one another."""
        for words in lines:
            self.line(x, y, words, size)
            y -= step
        return self


def pdf_of(
    content: str, *, resources: str = "", page: str = "", catalog: str = "", objects: Sequence[bytes] = ()
) -> bytes:
    """A PDF of one page, 595 x 842 points, from its content stream. `objects` are numbered from 6; /F1 is Helvetica."""
    body = content.encode("cp1252")
    return written([
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode(),
        b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        f"<< /Type /Page /Parent 2 0 R {page or '/MediaBox [0 0 595 842]'} "
        f"/Resources << /Font << /F1 3 0 R >> {resources} >> /Contents 5 0 R >>".encode(),
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(body), body),
        *objects,
    ])  # fmt: skip


def written(objects: Sequence[bytes], trailer: str = "") -> bytes:
    """The file with these objects, numbered from 1; the first is the catalogue."""
    out = b"%PDF-1.5\n"
    places = []
    for number, text in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, text)
    start = len(out)
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
    return out + f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R{trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()


def pdf(pages: Sequence[PdfText], *, title: str | None = None) -> bytes:
    """A PDF of A4-like pages, 595 x 842 points."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{5 + 2 * n} 0 R" for n in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>")
    objects += [f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica{face} /Encoding /WinAnsiEncoding >>"
                for face in ("", "-Bold")]  # fmt: skip
    for n, page in enumerate(pages):
        content = "\n".join(page.commands)
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents {6 + 2 * n} 0 R >>"
        )
        objects.append(f"<< /Length {len(content.encode('cp1252'))} >>\nstream\n{content}\nendstream")
    if title:
        objects.append(f"<< /Title ({title}) >>")
    info = f" /Info {len(objects)} 0 R" if title else ""
    return written([text.encode("cp1252") for text in objects], info)
