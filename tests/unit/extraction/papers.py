"""Small papers of our own invention, in the shape in which full texts are read."""

from __future__ import annotations

from openwork_contracts.ranking import TextSection
from openwork_contracts.tables import Table
from openwork_extraction.study import StudyText


def table(
    *rows: str,
    header: int = 1,
    caption: str = "Outcomes at follow-up.",
    notes: tuple[str, ...] = (),
    label: str = "Table 2",
) -> Table:
    """A table out of lines whose cells are parted by bars."""
    cells = tuple(tuple(cell.strip() for cell in row.split("|")) for row in rows)
    return Table(label=label, caption=caption, rows=cells, n_header_rows=header, footnotes=notes)


def paper(
    *tables: Table, results: str = "", methods: str = "", abstract: str = "", title: str = "A trial"
) -> StudyText:
    """A study whose full text has these tables and these sections."""
    sections = [
        TextSection(path=("Results", one.label or ""), text="", start=0, end=0, kind="table", table=one)
        for one in tables
    ]
    for path, text in ((("Results",), results), (("Methods",), methods)):
        if text:
            sections.append(TextSection(path=path, text=text, start=0, end=len(text)))
    if abstract:
        sections.append(
            TextSection(path=("Abstract", "Results"), text=abstract, start=0, end=len(abstract), kind="abstract")
        )
    return StudyText("trial-1", title, tuple(sections))


def section(path: str, text: str) -> TextSection:
    """A section of running text."""
    return TextSection(path=(path,), text=text, start=0, end=len(text))
