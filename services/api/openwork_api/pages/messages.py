"""Text of ours in Markdown as HTML: what a reader is told in the place of an answer."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup
from openwork_report.whole.parsing import parser

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


def inline(markdown: str) -> Markup:
    """A paragraph's words; HTML and images in it are text, links lead to http and https alone."""
    return Markup(_parser().renderInline(markdown))  # noqa: S704 - the parser escapes what it prints


@cache
def _parser() -> MarkdownIt:
    made = parser()
    made.validateLink = lambda url: url.lower().startswith(("http://", "https://"))  # type: ignore[method-assign]
    return made
