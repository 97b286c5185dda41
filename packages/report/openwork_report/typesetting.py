"""Typst, which sets a document and a picture: to a template of ours a text is data, never markup."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.resources import files
from typing import Literal

from openwork_report.extras import not_installed

_PPI = 192
"""Pixels per inch: twice those at which a picture has its own size (96)."""
ACCESSIBLE: Literal["ua-1"] = "ua-1"
"""PDF/UA-1 (ISO 14289-1), as far as Typst can check it by itself."""


def is_installed() -> bool:
    """Whether anything can be typeset here."""
    try:
        import typst  # noqa: F401
    except ImportError:
        return False
    return True


def typeset(
    template: tuple[str, ...],
    inputs: Mapping[str, str],
    format_: Literal["pdf", "png"],
    *,
    what: str,
    at: datetime | None = None,
) -> bytes:
    """The bytes of a PDF, or of a picture of one page.

    Args:
        template: path within this package.
        inputs: texts, which the template finds in `sys.inputs`.
        what: for the error.
        at: the time that is written into a PDF; without it the present.
    Raises:
        UsageError: typst is not installed.
    """
    try:
        from typst import Compiler, TypstError
    except ImportError as error:
        raise not_installed(what, "typst", "pdf") from error
    source = files("openwork_report").joinpath(*template).read_bytes()
    compiler = Compiler(sys_inputs=dict(inputs))
    second = at.astimezone(UTC).replace(microsecond=0) if at else None
    try:
        made = compiler.compile(source, format=format_, ppi=_PPI, timestamp=second, pdf_standards=[ACCESSIBLE])
    except TypstError:  # a letter that no font here has: the file is written, and claims nothing
        made = compiler.compile(source, format=format_, ppi=_PPI, timestamp=second)
    assert isinstance(made, bytes)
    return made


def png_of(svg: str) -> bytes:
    """A picture as PNG, at twice its own size.

    Raises:
        UsageError: typst is not installed.
    """
    return typeset(("figures", "picture.typ"), {"svg": svg}, "png", what="a picture as PNG")
