"""The one parser of our Markdown: CommonMark and tables, with HTML and images of a text switched off."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MARK = re.compile(r"\[(\d{1,4})\]")
"""A citation mark, where a reference has that number."""


def parser() -> MarkdownIt:
    """A parser of one's own, to which rules may be added."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").disable("image")
