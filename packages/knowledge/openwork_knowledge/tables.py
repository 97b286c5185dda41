"""The one loader of word lists: what the program knows by name stands in `data/words/*.tsv`, with source and date.

A file opens with `# source:`, `# date:` (ISO) and `# owner:` (the module that uses it); its rows are
`group<TAB>word[<TAB>more cells]`. A list has one owner; who needs it too imports the owner or this loader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_HEADER = re.compile(r"#\s*(source|date|owner):\s*(.+)")


@dataclass(frozen=True, slots=True)
class Table:
    """One file: its provenance and its rows."""

    name: str
    source: str
    """Where the words come from, in a line; "written for Open Work" where nobody else lists them."""
    date: str
    """ISO date on which they were last checked against the source."""
    owner: str
    """The module that decides about the list."""
    rows: tuple[tuple[str, ...], ...]
    """Cells of each row; the first is the group, the second the word."""

    def words(self, group: str | None = None) -> tuple[str, ...]:
        """The words of a group, or of all groups, in the order of the file.

        Raises:
            KeyError: no row has that group: a misspelt group must not be an empty list.
        """
        found = tuple(row[1] for row in self.rows if group is None or row[0] == group)
        if not found:
            raise KeyError(f"{self.name}.tsv has no group {group!r}")
        return found

    def values(self, group: str) -> dict[str, str]:
        """Word -> third cell of a group; a group of that name must be there."""
        self.words(group)
        return {row[1]: row[2] for row in self.rows if row[0] == group}

    def groups(self) -> tuple[str, ...]:
        """Names of the groups, each once, in the order of the file."""
        return tuple(dict.fromkeys(row[0] for row in self.rows))


@cache
def table(name: str) -> Table:
    """A file of `data/words`, read once.

    Raises:
        FileNotFoundError: there is no such file. ValueError: its header lacks source, date or owner.
    """
    text = files("openwork_knowledge").joinpath("data", "words", f"{name}.tsv").read_text(encoding="utf-8")
    head: dict[str, str] = {}
    rows: list[tuple[str, ...]] = []
    for line in text.splitlines():
        if line.startswith("#"):
            if found := _HEADER.match(line):
                head.setdefault(found[1], found[2].strip())
        elif line.strip():
            rows.append(tuple(line.split("\t")))
    if missing := {"source", "date", "owner"} - head.keys():
        raise ValueError(f"{name}.tsv says no {', '.join(sorted(missing))}")
    return Table(name, head["source"], head["date"], head["owner"], tuple(rows))


def words(name: str, group: str | None = None) -> tuple[str, ...]:
    """The words of one group of a file; see `Table.words`."""
    return table(name).words(group)


def alternatives(listed: Iterable[str], *, plural: bool = False) -> str:
    """A non-capturing regular expression of plain words, longest first; white space matches any white space.

    Args:
        listed: words as they are written, not expressions.
        plural: also with a final `s`.
    """
    ordered = sorted(set(listed), key=lambda word: (-len(word), word))
    escaped = (r"\s+".join(re.escape(part) for part in word.split()) for word in ordered)
    return f"(?:{'|'.join(escaped)})" + ("s?" if plural else "")
