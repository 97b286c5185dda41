"""A word list becomes one expression: every word of it is found, the longest first, and endings are open."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_knowledge.patterns import any_of, pattern

ROOT = Path(__file__).resolve().parents[3]
MAX_PATTERN_CHARS = 500
READ = (
    *("packages/language", "packages/knowledge", "services/verifier", "services/synthesiser", "services/gap"),
    "services/reranker",
)
"""Folders whose words are data."""
PLAIN = st.text("abcdefgh-.", min_size=1, max_size=8)


@given(st.lists(PLAIN, min_size=1, max_size=30))
def test_every_word_of_a_list_is_matched_whole_and_nothing_else_is(listed: list[str]) -> None:
    """The shared beginnings change nothing: the expression means what plain alternatives mean."""
    found = re.compile(any_of(listed))
    assert all(found.fullmatch(word) for word in listed)
    assert not found.fullmatch("x" + listed[0])


@given(st.lists(PLAIN, min_size=1, max_size=30), st.text("abcdefgh-. ", max_size=40))
def test_a_text_is_read_as_by_plain_alternatives_longest_first(listed: list[str], text: str) -> None:
    plain = "|".join(re.escape(word) for word in sorted(set(listed), key=len, reverse=True))
    assert re.findall(any_of(listed), text) == re.findall(f"(?:{plain})", text)


@pytest.mark.parametrize(
    ("word", "text", "matched"),
    [
        ("increas+", "increasingly", "increasingly"),
        ("increas+", "increas", None),
        ("suppress*", "suppress", "suppress"),
        ("suppress*", "suppression of", "suppression"),
        ("falls in", "falls\nin", "falls\nin"),
        ("no + effect", "no clear effect", "no clear effect"),
    ],
)
def test_endings_are_open_and_white_space_is_any(word: str, text: str, matched: str | None) -> None:
    found = re.match(rf"{any_of([word])}\b", text)
    assert (found.group() if found else None) == matched


def test_groups_of_a_file_are_joined() -> None:
    assert re.fullmatch(pattern("effects", "lower", "higher"), "reduced")
    assert re.fullmatch(pattern("effects", "lower", "higher"), "increased")
    assert not re.fullmatch(pattern("effects", "lower"), "increased")


@pytest.mark.parametrize("folder", READ)
def test_no_pattern_is_longer_than_a_reader_can_check(folder: str) -> None:
    """What is longer is a list of words, and those are data with source and date."""
    long = [
        f"{path.relative_to(ROOT)}:{line}: {n} characters"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, n in _patterns(path)
        if n > MAX_PATTERN_CHARS
    ]
    assert not long, "\n".join(long)


def _patterns(path: Path) -> Iterator[tuple[int, int]]:
    """(line, characters) of each string with alternatives; strings side by side are one."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value for part in node.values if isinstance(part, ast.Constant)]
        else:
            parts = [node.value] if isinstance(node, ast.Constant) else []
        text = "".join(part for part in parts if isinstance(part, str))
        if "|" in text:
            yield getattr(node, "lineno", 0), len(text)
