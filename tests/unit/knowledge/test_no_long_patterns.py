"""What the program knows by name is data: no pattern and no list of words over 500 characters stands in code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LONGEST = 500
"""Characters from which nobody reads a pattern, and a list belongs into `data/words` with its source and date."""
MOST_WORDS = 25
"""Words in a row, without a sign of a sentence, that make a long text a list."""
_SENTENCE = re.compile(r"[.:;!?,]\s|\n\n")


def long_texts(path: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of each string over `LONGEST` that is no docstring; parts of an f-string count together."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documentation = {
        id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        else:
            continue
        if len(text) > LONGEST:
            yield node.lineno, text


def is_list(text: str) -> bool:
    """Alternatives of a pattern, or more words in a row than a sentence has."""
    return "|" in text or (len(text.split()) > MOST_WORDS and not _SENTENCE.search(text))


@pytest.mark.parametrize("folder", ["packages", "services", "apps"])
def test_no_pattern_and_no_word_list_over_500_characters(folder: str) -> None:
    """Each such list is a file of `data/words` with source, date and owner."""
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text[:40]!r}... ({len(text)} characters)"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, text in long_texts(path)
        if is_list(text)
    ]
    assert found == []
