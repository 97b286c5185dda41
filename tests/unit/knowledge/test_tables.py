"""Word lists are data: each file says where its words come from, and the loader refuses what it cannot account for."""

from __future__ import annotations

import re
from datetime import date
from importlib.resources import files
from importlib.util import find_spec

import pytest
from openwork_knowledge.notation import any_of, group
from openwork_knowledge.tables import alternatives, table

NAMES = sorted(
    path.name.removesuffix(".tsv")
    for path in files("openwork_knowledge").joinpath("data", "words").iterdir()
    if path.name.endswith(".tsv")
)


@pytest.mark.parametrize("name", NAMES)
def test_every_list_says_its_source_its_date_and_its_owner(name: str) -> None:
    """No list without provenance; no row without a word; no word twice in a group."""
    found = table(name)
    assert found.source
    assert found.owner
    date.fromisoformat(found.date)
    assert all(len(row) >= 2 and row[0] and row[1] for row in found.rows)
    pairs = [row[:2] for row in found.rows]
    assert len(pairs) == len(set(pairs))


def test_the_longest_alternative_wins_and_white_space_is_any() -> None:
    """`heart failure` before `heart`; a line break between words is still the name."""
    pattern = re.compile(rf"\b{alternatives(['heart', 'heart failure'])}\b")
    found = pattern.search("of heart\nfailure")
    assert found is not None
    assert found.group() == "heart\nfailure"


def test_a_misspelt_group_is_an_error_and_not_an_empty_list() -> None:
    """An empty list would switch a check off in silence."""
    with pytest.raises(FileNotFoundError):
        table("no-such-list")
    if NAMES:
        with pytest.raises(KeyError):
            table(NAMES[0]).words("no such group")


def test_the_notation_of_data_files_has_four_signs_and_all_else_stands_for_itself() -> None:
    """A word with a bracket or a stop in a file is that word, never an expression."""
    pattern = re.compile(rf"\b{any_of(['diagnos*', 'tumou?r', 'first-line', 'vs.', 'a(b'])}")
    assert [m[0] for m in pattern.finditer("diagnostic tumor first line, vs. vsx a(b")] == [
        "diagnostic",
        "tumor",
        "first line",
        "vs.",
        "a(b",
    ]
    with pytest.raises(KeyError):
        group("intents", "no such group")


@pytest.mark.parametrize("name", NAMES)
def test_every_list_is_owned_by_a_module_that_is_there(name: str) -> None:
    owners = re.findall(r"openwork_[\w.]+", table(name).owner)
    assert owners
    for owner in owners:
        assert find_spec(owner) is not None, owner
