"""What python-docx has no word for: links, bookmarks, page numbers, a header that repeats, a language."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING

import docx
from docx.enum.section import WD_ORIENT
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

from openwork_report.whole.runs import Run

if TYPE_CHECKING:
    from docx.document import Document
    from docx.oxml.xmlchemy import BaseOxmlElement
    from docx.table import Table
    from docx.text.paragraph import Paragraph

_LANGUAGE = "en-GB"
_FONT = "Arial"
_INK, _SOFT, _LINK = RGBColor(0x1B, 0x1F, 0x24), RGBColor(0x4B, 0x54, 0x5E), RGBColor(0x0B, 0x4A, 0x94)
_TEXT_MM = 170.0
_AFTER_BORDERS = ("w:shd", "w:tblLayout", "w:tblCellMar", "w:tblLook", "w:tblCaption", "w:tblDescription")
"""Word wants the properties of a table in the order of its schema."""
_SIZES = {"Title": 18, "Heading 1": 14, "Heading 2": 11.5, "Heading 3": 10.5}


def new_document(title: str, author: str, at: datetime | None) -> Document:
    """An empty A4 document with our styles, a running title and page numbers."""
    file = docx.Document()
    _properties(file, title, author, at)
    section = file.sections[0]
    section.orientation = WD_ORIENT.PORTRAIT
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(20)
    section.top_margin, section.bottom_margin = Mm(22), Mm(20)
    section.different_first_page_header_footer = True
    _styles(file)
    running = title if len(title) <= 110 else f"{title[:110].rstrip()} ..."
    section.header.paragraphs[0].text = running
    section.header.paragraphs[0].style = file.styles["Open Work Small"]
    for footer in (section.footer, section.first_page_footer):
        paragraph = footer.paragraphs[0]
        paragraph.style = file.styles["Open Work Small"]
        paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
        _field(paragraph, "PAGE")
        paragraph.add_run(" / ")
        _field(paragraph, "NUMPAGES")
    return file


def _properties(file: Document, title: str, author: str, at: datetime | None) -> None:
    properties = file.core_properties
    properties.title = title[:255]
    properties.author = properties.last_modified_by = author
    properties.language = _LANGUAGE
    properties.comments = properties.keywords = ""
    if at is not None:
        properties.created = properties.modified = at


def _styles(file: Document) -> None:
    defaults = file.styles.element.find(f".//{qn('w:rPrDefault')}//{qn('w:lang')}")
    if defaults is not None:
        defaults.set(qn("w:val"), _LANGUAGE)
    _font(file, "Normal", 10)
    for name, size in _SIZES.items():
        _font(file, name, size, bold=True)
    _without_rule(file.styles["Title"].element)
    made = (("Open Work Small", 8.5), ("Open Work Caption", 8.5), ("Open Work Cell", 8.0), ("Open Work Reference", 9.0))
    for name, size in made:
        style = file.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = file.styles["Normal"]
        _font(file, name, size, soft=name in {"Open Work Small", "Open Work Caption"})
        style.paragraph_format.space_after = Pt(2 if name == "Open Work Cell" else 5)
    file.styles["Open Work Caption"].paragraph_format.keep_with_next = False
    entry = file.styles["Open Work Reference"].paragraph_format
    entry.left_indent, entry.first_line_indent = Mm(8), Mm(-8)
    entry.tab_stops.add_tab_stop(Mm(8))
    link = file.styles.add_style("Open Work Link", WD_STYLE_TYPE.CHARACTER)
    link.font.color.rgb = _LINK


def _font(file: Document, name: str, size: float, *, bold: bool = False, soft: bool = False) -> None:
    """A style's letters: one font for every script that it has, so that a theme gives no other to headings."""
    font = file.styles[name].font
    font.name, font.size, font.bold = _FONT, Pt(size), bold or None
    font.color.rgb = _SOFT if soft else _INK
    fonts = font.element.rPr.rFonts
    for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
        fonts.attrib.pop(qn(f"w:{theme}"), None)


def _without_rule(style: BaseOxmlElement) -> None:
    for border in style.findall(f".//{qn('w:pBdr')}"):
        border.getparent().remove(border)


def _field(paragraph: Paragraph, code: str) -> None:
    """A number that Word counts itself."""
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), code)
    run = OxmlElement("w:r")
    text = OxmlElement("w:t")
    text.text = "1"
    run.append(text)
    field.append(run)
    paragraph._p.append(field)


class Links:
    """Runs with their links, and the places in the document to which citation marks lead."""

    def __init__(self, file: Document) -> None:
        self._file = file

    def add(self, paragraph: Paragraph, run: Run) -> None:
        """The run at the end of the paragraph."""
        made = paragraph.add_run(run.text)
        made.bold, made.italic = run.bold or None, run.italic or None
        if run.address is None and run.mark is None:
            return
        made.style = self._file.styles["Open Work Link"]
        link = OxmlElement("w:hyperlink")
        if run.mark is not None:
            link.set(qn("w:anchor"), f"reference_{run.mark}")
        else:
            address = run.address or ""
            link.set(qn("r:id"), paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
        paragraph._p.remove(made._r)
        link.append(made._r)
        paragraph._p.append(link)

    def target(self, paragraph: Paragraph, n: int) -> None:
        """The number of a reference, with a bookmark around it."""
        start, end = OxmlElement("w:bookmarkStart"), OxmlElement("w:bookmarkEnd")
        for mark in (start, end):
            mark.set(qn("w:id"), str(n))
        start.set(qn("w:name"), f"reference_{n}")
        paragraph._p.append(start)
        paragraph.add_run(f"{n}.\t")
        paragraph._p.append(end)


def new_table(file: Document, n_rows: int, widths: Sequence[float], words: str) -> Table:
    """A table with thin lines below its rows, whose first row stands on every page."""
    table: Table = file.add_table(rows=n_rows, cols=len(widths))
    table.autofit = False
    _lines(table, words)
    millimetres = [_TEXT_MM * width / sum(widths) for width in widths]
    for column, width in zip(table.columns, millimetres, strict=True):
        column.width = Mm(width)
    for row in table.rows:
        row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))
        for cell, width in zip(row.cells, millimetres, strict=True):
            cell.width = Mm(width)
            cell.paragraphs[0].style = file.styles["Open Work Cell"]
    if n_rows:
        table.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
    return table


def _lines(table: Table, words: str) -> None:
    properties = table._tbl.tblPr
    borders = OxmlElement("w:tblBorders")
    for side in ("bottom", "insideH"):
        line = OxmlElement(f"w:{side}")
        for name, value in (("val", "single"), ("sz", "4"), ("space", "0"), ("color", "C9D0D7")):
            line.set(qn(f"w:{name}"), value)
        borders.append(line)
    properties.insert_element_before(borders, *_AFTER_BORDERS)
    caption = OxmlElement("w:tblCaption")
    caption.set(qn("w:val"), words)
    properties.append(caption)


def add_picture(file: Document, png: bytes, width_mm: float, words: str) -> None:
    """A picture in a paragraph of its own, which stays with its caption."""
    shape = file.add_picture(BytesIO(png), width=Mm(width_mm))
    shape._inline.docPr.set("descr", words)
    for side in ("distT", "distB", "distL", "distR"):  # LibreOffice takes 3 mm where nothing is said
        shape._inline.set(side, "0")
    file.paragraphs[-1].paragraph_format.keep_with_next = True
