"""What readers call a source, and whether it is asked live: "europepmc-cited" is Europe PMC."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from openwork_knowledge.tables import table


def source_name(source: str) -> str:
    """What readers call a source; its id where the table has no name for it."""
    return _names().get(_family(source), source)


def source_names(sources: Iterable[str]) -> tuple[str, ...]:
    """The names of sources, each once, in their order: three searches of one service are one source."""
    return tuple(dict.fromkeys(map(source_name, sources)))


def is_live(source: str) -> bool:
    """Whether a source is asked when the question is, rather than stored with the program."""
    return _family(source) not in table("source-names").values("stored")


def _family(source: str) -> str:
    return source.partition("-")[0]


@cache
def _names() -> dict[str, str]:
    listed = table("source-names")
    return {word: name for group in listed.groups() for word, name in listed.values(group).items()}
