"""The table of formats: each writes what it says it is, and a choice changes what knows of it."""

from __future__ import annotations

import struct
import sys
from xml.etree import ElementTree

import pytest
from openwork_contracts.errors import UsageError
from openwork_report.formats import FORMATS, Choices, FigureName
from openwork_report.styles.entries import StyleName

from tests.exports import document, full
from tests.unit.report.made import concluded, result

BEGINS = {"docx": b"PK", "pdf": b"%PDF-", "png": b"\x89PNG"}
FOREST = Choices(figure=FigureName.FOREST)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_writes_text_or_the_bytes_of_its_kind(name: str) -> None:
    made = FORMATS[name].write(full(), Choices())
    assert isinstance(made, bytes) == FORMATS[name].is_binary
    if isinstance(made, bytes):
        assert made.startswith(BEGINS[name])


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("choice", [Choices(style=StyleName.APA), FOREST])
def test_a_choice_changes_the_formats_that_take_it_and_no_other(name: str, choice: Choices) -> None:
    taken = {"style"} if choice.figure is FigureName.PRISMA else {"figure"}
    found = concluded(result(1), result(2))
    usual, chosen = (FORMATS[name].write(found, one) for one in (Choices(), choice))
    if name != "docx":  # two archives differ in the times of their files
        assert (usual != chosen) == bool(FORMATS[name].takes & taken)


def test_a_picture_as_png_is_twice_as_large_as_its_svg() -> None:
    svg, png = (FORMATS[name].write(full(), Choices()) for name in ("svg", "png"))
    assert isinstance(png, bytes)
    size = struct.unpack(">II", png[16:24])
    root = ElementTree.fromstring(str(svg))
    assert size == (2 * int(root.attrib["width"]), 2 * int(root.attrib["height"]))


def test_one_of_several_plots_is_chosen_by_its_number() -> None:
    others = (result(n, comparison=("apixaban", "aspirin")) for n in (3, 4))
    found = concluded(result(1), result(2), *others)
    second = FORMATS["svg"].write(found, Choices(figure=FigureName.FOREST, part=2))
    assert "favours aspirin" in str(second)
    with pytest.raises(UsageError, match="this run has 2 forest plots; there is no number 3"):
        FORMATS["svg"].write(found, Choices(figure=FigureName.FOREST, part=3))


@pytest.mark.parametrize("found", [full(), document()])
def test_a_plot_of_nothing_is_refused_with_the_reason(found: object) -> None:
    with pytest.raises(UsageError, match="no two results"):
        FORMATS["svg"].write(found, FOREST)  # type: ignore[arg-type]


def test_a_png_without_typst_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(UsageError, match=r"typst, which is not installed: pip install 'openwork-report\[pdf\]'"):
        FORMATS["png"].write(full(), Choices())
