"""How the names in a text relate to who is asked about: the same, a kind, what it is a kind of."""

from __future__ import annotations

from enum import StrEnum
from functools import cache

from openwork_contracts.question import PopulationKind, PopulationTerm
from openwork_knowledge import mesh
from openwork_knowledge.folding import key_of
from openwork_knowledge.tables import table


class Told(StrEnum):
    """What a text says of the people asked about."""

    SAME = "same"
    """It is about such people."""
    WIDER = "wider"
    """It is about people of whom these are a part, and does not exclude them."""
    PART = "part"
    """It is about some of them only."""
    OTHER = "other"
    """It is about others, or excludes them."""
    NOT_TOLD = "not_told"


def relation_of(
    term: PopulationTerm, mesh_id: str | None, name: str, *, absent: bool = False, of_people: bool = False
) -> Told | None:
    """How what a text names relates to what is asked about; `None` = another matter.

    Args:
        absent: nobody has what the text names; then nobody has any kind of it either, however far below.
        of_people: it is told of people: "patients with cancer"; then some top headings are of people with each kind.
    """
    if (mesh_id and mesh_id == term.mesh_id) or name == term.name:
        return Told.SAME
    if (term.name, name) in _kinds_elsewhere():
        return Told.WIDER
    if (name, term.name) in _kinds_elsewhere():
        return Told.PART
    if not (mesh_id and term.mesh_id):
        given = term.kind in {
            PopulationKind.TREATMENT,
            PopulationKind.PROCEDURE,
        }  # "without aspirin" of "low-dose aspirin"
        return None if given else _by_name(term.name or "", name)
    if mesh.is_sequel(mesh_id, term.mesh_id) or mesh.is_sequel(term.mesh_id, mesh_id):
        return Told.OTHER if absent else None  # who has no infarction may be in shock, but of another cause
    if mesh.is_kind(mesh_id, term.mesh_id):
        return None if (name, term.name) in _no_patients() else Told.PART
    if mesh.is_kind(term.mesh_id, mesh_id):
        near = absent or _is_near(mesh_id, term.mesh_id) or (of_people and _is_taken_with(name, term.mesh_id))
        return Told.WIDER if near else None
    return Told.OTHER if _head(name) == _head(term.name or "") else None


def _by_name(asked: str, named: str) -> Told | None:
    """Of a name without a heading: with words before it a heading's name is a kind, "Community-Acquired Pneumonia"."""
    if asked and named.endswith(f" {asked}"):
        return Told.PART
    return Told.WIDER if named and asked.endswith(f" {named}") else None


@cache
def _kinds_elsewhere() -> frozenset[tuple[str | None, str | None]]:
    return frozenset(table("disease-parts").values("kind of").items())


@cache
def _no_patients() -> frozenset[tuple[str, str]]:
    """Kinds of a disease by MeSH whom nobody means by it: a risk factor of it."""
    return frozenset(table("disease-parts").values("no patient of").items())


_FAR = 2
"""So many levels up, a heading says little of who is meant: heart disease of systolic heart failure."""


def _is_near(above: str, below: str) -> bool:
    """Whether a heading stands less than `_FAR` levels above another one in one of the trees, and not at its top."""
    return any(
        "." in top and one.startswith(f"{top}.") and one.count(".") - top.count(".") < _FAR
        for one in mesh.trees_of(below)
        for top in mesh.trees_of(above)
    )


def _is_taken_with(above: str, mesh_id: str) -> bool:
    """Whether trials of "patients with cancer" take a kind of it: those by site but for the brain's.

    Neither leukaemias nor metastases: of them such trials tell nothing.
    """
    listed = table("disease-parts")
    tree, apart = listed.values("enrolled together").get(above), tuple(listed.values("never together").values())
    own = mesh.trees_of(mesh_id)
    return (
        tree is not None and any(one.startswith(tree) for one in own) and not any(one.startswith(apart) for one in own)
    )


@cache
def _head(name: str) -> str:
    """The head of a name as MeSH turns it: "Diabetes Mellitus, Type 1", "Ischemic Stroke"."""
    first, comma, _ = name.partition(", ")
    words = [word for word in first.split() if len(word) > 1] or first.split()  # "Hepatitis B"
    return key_of(" ".join(words) if comma else words[-1])
