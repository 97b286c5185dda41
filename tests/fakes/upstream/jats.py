"""A work of the library as full text: JATS with sections, a table of results, and references; and as a small PDF."""

from __future__ import annotations

import textwrap
from typing import Any

from tests.fakes.upstream.corpus import Work
from tests.fakes.upstream.messages import element, tag


def article_jats(work: Work) -> str:
    """One `article`, after the JATS Archiving tag set 1.3."""
    ids = (("pmid", work.pmid), ("pmc", (work.pmcid or "").removeprefix("PMC") or None), ("doi", work.doi))
    meta = (
        "".join(tag("article-id", value, **{"pub-id-type": kind}) for kind, value in ids)
        + element("title-group", tag("article-title", work.title))
        + element("pub-date", tag("year", work.year), **{"pub-type": "epub"})
        + element("abstract", tag("p", next((p.text for p in work.parts if p.label == "Conclusion"), work.abstract)))
    )
    journal = element("journal-meta", element("journal-title-group", tag("journal-title", work.journal or "")))
    sections = "".join(
        element("sec", tag("title", part.label or "Text") + tag("p", part.text) + _table_after(part.label, work))
        for part in work.parts
    )
    front = element("front", journal + element("article-meta", meta))
    return element("article", front + element("body", sections), **{"article-type": "research-article"})


def _table_after(label: str | None, work: Work) -> str:
    rows = [row for result in work.results if (row := _row(result))]
    if label != "Results" or not rows:
        return ""
    head = element("thead", element("tr", tag("th", "Outcome") + tag("th", "Time point") + tag("th", "Effect")))
    table = element("table", head + element("tbody", "".join(rows)))
    caption = element("caption", tag("p", "Effects by outcome."))
    return element("table-wrap", tag("label", "Table 1") + caption + table, id="t1")


def _row(result: dict[str, Any]) -> str:
    effect = result.get("effect")
    if not effect or effect.get("estimate") is None:
        return ""
    interval = f" ({effect['ci_low']} to {effect['ci_high']})" if effect.get("ci_low") is not None else ""
    cells = (result["outcome"], result.get("time_point") or "", f"{effect['measure']} {effect['estimate']}{interval}")
    return element("tr", "".join(tag("td", cell) for cell in cells))


def article_pdf(work: Work) -> bytes:
    """One page of plain text in Helvetica, by hand: enough for a PDF library to read."""
    lines = [*textwrap.wrap(work.title, 90), ""]
    for part in work.parts:
        lines += [part.label or "", *textwrap.wrap(part.text, 95), ""]
    shown = "\n".join(f"({_escaped(line)}) Tj T*" for line in lines[:70])
    content = f"BT /F1 9 Tf 11 TL 40 800 Td\n{shown}\nET".encode("latin-1", "replace")
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    )
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    n = len(objects) + 1
    return out + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        n,
        table,
        n,
        len(out),
    )


def _escaped(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
