"""Drug classes and their members, in both directions.

One generated file (`data/drug_classes.tsv`, made by scripts/build_drug_classes.py from the hand-written tables, ChEBI,
MeSH and INN stems), read on first use. A class has members in the strict sense, by which two names are held to agree,
and more of them to search for: those only ChEBI or MeSH give.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache

from openwork_knowledge.folding import key_of
from openwork_knowledge.lexicon import lexicon, read_data


@dataclass(frozen=True, slots=True)
class DrugClass:
    """A drug class of the table."""

    name: str
    mesh_id: str | None
    names: tuple[str, ...]
    """Other names, singular and plural, without the name itself."""
    wider: tuple[str, ...]
    """Names of the classes directly above."""
    members: tuple[str, ...]
    """Generic names as in the lexicon, those of narrower classes too. Empty for a class that is only searched for."""
    searched: tuple[str, ...]
    """Further members, for searching only: a substance may be here for a property that is not what it is given for."""
    sources: tuple[str, ...]
    """Of curated, inn, chebi, mesh: who gave the class or a member."""


@cache
def drug_classes() -> dict[str, DrugClass]:
    """All classes by name."""
    classes: dict[str, DrugClass] = {}
    for line in read_data("drug_classes.tsv").splitlines():
        if line and not line.startswith("#"):
            name, mesh_id, *lists = line.split("\t")
            names, wider, members, searched, sources = (() if c == "-" else tuple(c.split(";")) for c in lists)
            classes[name] = DrugClass(
                name, None if mesh_id == "-" else mesh_id, names, wider, members, searched, sources
            )
    return classes


@cache
def class_table() -> dict[str, tuple[str, ...]]:
    """Class -> its drugs in the strict sense, of the classes that have any."""
    return {c.name: c.members for c in drug_classes().values() if c.members}


@cache
def _names() -> dict[str, DrugClass]:
    """Folded name -> class; the name of one class goes before another name of a second."""
    keys = {key_of(c.name): c for c in drug_classes().values()}
    for c in drug_classes().values():
        for name in c.names:
            keys.setdefault(key_of(name), c)
    return keys


def class_named(name: str) -> DrugClass | None:
    """The class with that name in any spelling or number; `None` = none, or a name that is first a drug's."""
    found = drug_classes().get(name)
    if found is not None:
        return found
    known = lexicon().lookup(name)
    if known is not None:
        return drug_classes().get(known[0].name) if known[0].is_class and not known[1] else None
    return _names().get(key_of(name))


@cache
def _classes_by_drug(searching: bool) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    drugs = {c.name: c.members + c.searched if searching else c.members for c in drug_classes().values()}
    for name in sorted(drugs, key=lambda name: (len(drugs[name]), name)):
        for drug in drugs[name]:
            found[drug].append(name)
    return {drug: tuple(names) for drug, names in found.items()}


def classes_of(drug: str, *, searching: bool = False) -> tuple[str, ...]:
    """The classes a drug, by any of its names, belongs to, narrowest first; with `searching` also the loose ones."""
    table = _classes_by_drug(searching)
    known = lexicon().lookup(drug)
    return table.get(known[0].name if known else drug, ())


def wider(drug_class: str) -> tuple[str, ...]:
    """The classes directly above a class; empty for one without, and for what is no class."""
    found = class_named(drug_class)
    return found.wider if found else ()
