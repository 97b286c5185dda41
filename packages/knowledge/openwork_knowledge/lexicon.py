"""The medical lexicon: which names mean which concept. Which drugs belong to which class: `openwork_knowledge.classes`.

Two generated files (scripts/build_lexicon.py) and two hand-written tables, read once on first use. The key table maps a
folded name to the line of its concept; lines are split only when a concept is asked for, so loading stays fast.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from openwork_contracts.question import EntityKind

from openwork_knowledge.folding import is_acronym, key_of

MAX_KEY_WORDS = 7
"""Longest name in words."""
_KINDS = {"d": EntityKind.DISEASE, "r": EntityKind.DRUG, "c": EntityKind.DRUG, "p": EntityKind.PROCEDURE}


@dataclass(frozen=True, slots=True)
class Concept:
    """A disease, drug, drug class or procedure with its names."""

    index: int
    kind: EntityKind
    name: str
    mesh_id: str | None
    synonyms: tuple[str, ...]
    """Best known first, without the name."""
    is_class: bool
    """True for drug classes, which have members."""


@dataclass(slots=True)
class Lexicon:
    """All names and concepts. `keys` values are line numbers as text; "~" after one marks a narrower name."""

    keys: dict[str, str]
    lines: list[str]
    starts: frozenset[str]
    """First words of all keys: where none of them stands, no name begins."""
    _concepts: dict[int, Concept] = field(default_factory=dict)

    def concept(self, index: int) -> Concept:
        """The concept on that line."""
        found = self._concepts.get(index)
        if found is None:
            kind, mesh_id, name, synonyms = self.lines[index].split("\t")
            names = tuple(synonyms.split("|")) if synonyms else ()
            found = Concept(index, _KINDS[kind], name, mesh_id or None, names, kind == "c")
            self._concepts[index] = found
        return found

    def lookup(self, name: str) -> tuple[Concept, bool] | None:
        """The concept a whole name stands for, and whether the name is only a kind of it; `None` = not known."""
        bare = name.strip()
        value = None
        if is_acronym(bare) and " " not in bare:
            value = self.keys.get(f"={bare}") or (self.keys.get(f"={bare[:-1]}") if bare.endswith("s") else None)
        value = value or self.keys.get(key_of(bare))
        return (self.concept(int(value.rstrip("~"))), value.endswith("~")) if value else None


def read_data(name: str) -> str:
    """A text file of the package."""
    return files("openwork_knowledge").joinpath("data", name).read_text(encoding="utf-8")


def read_table(name: str) -> list[list[str]]:
    """Rows of a hand-written table; cells of "-" are empty."""
    lines = read_data(f"curated/{name}").splitlines()
    return [["" if c == "-" else c for c in line.split("\t")] for line in lines if line and not line.startswith("#")]


@cache
def lexicon() -> Lexicon:
    """The lexicon, read on first use."""
    # Keys hold no white space, so splitting the whole file is the fastest way to read it.
    flat = read_data("lexicon_keys.tsv").split()
    keys = dict(zip(flat[::2], flat[1::2], strict=True))
    starts = frozenset(key.partition("_")[0] for key in keys)
    return Lexicon(keys=keys, lines=read_data("lexicon.tsv").split("\n")[1:-1], starts=starts)


@cache
def brand_table() -> dict[str, str]:
    """Brand name in lower case -> generic name."""
    rows = read_table("drugs.tsv")
    return {b.lower(): row[0] for row in rows if len(row) > 2 for b in row[2].split(";") if b}
