"""What MeSH says of the lexicon's concepts: the heading as printed, and which concepts are narrower."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from openwork_knowledge.folding import key_of
from openwork_knowledge.lexicon import Concept, lexicon, read_data
from openwork_knowledge.tables import table

_CONDITIONS = ("C", "F03")
_DASHES = re.compile(r"[-\u2010-\u2015\u2212]")


def heading(mesh_id: str, name: str) -> tuple[str, bool]:
    """The heading of a descriptor as MeSH prints it, and whether it is a pharmacological action (tree D27).

    Args:
        name: the lexicon's name, which is the heading, but for its capital, where the table has no other.
    """
    return _headings().get(mesh_id, (name[:1].upper() + name[1:], False))


def narrower(mesh_id: str) -> tuple[Concept, ...]:
    """The lexicon's concepts below a descriptor in any of MeSH's trees, in the order of the tree; without itself.

    PubMed's [mh] finds what is indexed under them too. Diseases and procedures only: drugs have classes.
    """
    trees, ids = _places()
    below: dict[str, None] = {}
    for own in _trees_of().get(mesh_id, ()):
        prefix = f"{own}."
        i = bisect_left(trees, prefix)
        while i < len(trees) and trees[i].startswith(prefix):
            below[ids[i]] = None
            i += 1
    by_id = _concepts()
    return tuple(by_id[one] for one in below if one != mesh_id and one in by_id)


def trees_of(mesh_id: str) -> tuple[str, ...]:
    """The tree numbers of a disease or procedure of the lexicon; empty for what has none."""
    return _trees_of().get(mesh_id, ())


def descriptors_at(trees: Iterable[str]) -> frozenset[str]:
    """The descriptors that stand at these very places."""
    at = _ids_at()
    return frozenset(mesh_id for tree in trees for mesh_id in at.get(tree, ()))


@lru_cache(maxsize=32_768)
def is_same_or_kind(mesh_id: str | None, of: str | None) -> bool:
    """Whether what one descriptor names is what another names, or a kind of it; `None` is nothing."""
    return mesh_id is not None and of is not None and (mesh_id == of or is_kind(mesh_id, of))


def is_kind(mesh_id: str, of: str) -> bool:
    """Whether what one descriptor names is a kind of what another names; nothing is a kind of itself.

    By MeSH's trees, but for what stands there for the shelf alone (`kinds.tsv`): pulmonary hypertension.
    """
    trees = _trees_of()
    wider = tuple(f"{above}." for above in trees.get(of, ()))
    return (
        mesh_id != of
        and (mesh_id, of) not in _not_kinds()
        and any(own.startswith(wider) for own in trees.get(mesh_id, ()))
    )


@cache
def _not_kinds() -> frozenset[tuple[str, str]]:
    return frozenset((row[1], row[2]) for row in table("kinds").rows if row[0] == "not a kind")


@lru_cache(maxsize=32_768)
def is_sequel(mesh_id: str, of: str) -> bool:
    """Whether what one descriptor names comes of what another above it names, and is no kind of it.

    "Post-Acute COVID-19 Syndrome" by its first letters. "Shock, Cardiogenic" stands below Myocardial Infarction and
    below Shock: it is a kind of what shares its noun. An organ's infection ("Pericarditis, Tuberculous") is a kind of
    both, and so is what stands below a class ("Lung Diseases", "Myocardial Ischemia").
    """
    own, above = _name_of(mesh_id), _name_of(of)
    if own is None or above is None or not is_kind(mesh_id, of):
        return False
    noun = noun_of(own)
    if _AFTER.match(own) and not _AFTER.match(above) and noun != noun_of(above):
        return True
    if noun_of(above) in {noun, *_classes()} or noun in _classes():
        return False
    if any(tree.startswith(_INFECTIONS) for tree in trees_of(of)):
        return False
    kin = [one for one in _above(mesh_id) if noun_of(_name_of(one) or "") == noun]
    return bool(kin) and not any(is_kind(of, one) for one in kin) and not all(is_kind(one, of) for one in kin)


_AFTER = re.compile(r"Post-?(?!ur|er|mort|harv)", re.IGNORECASE)
"""Not "Postural", "Posterior"."""
_INFECTIONS = "C01"


def noun_of(heading: str) -> str:
    """The noun of a heading as MeSH turns it, folded: hepatitis of "Hepatitis B, Chronic"."""
    words = [word for word in heading.partition(", ")[0].split() if len(word) > 1]
    return key_of(words[-1]) if words else ""


@cache
def _classes() -> frozenset[str]:
    return frozenset(map(key_of, table("kinds").words("class")))


@lru_cache(maxsize=4096)
def _above(mesh_id: str) -> frozenset[str]:
    """Every descriptor above one, in any of its trees."""
    paths = (tree.split(".") for tree in trees_of(mesh_id))
    trees = {".".join(path[:n]) for path in paths for n in range(1, len(path))}
    return descriptors_at(trees) - {mesh_id}


@lru_cache(maxsize=32_768)
def _name_of(mesh_id: str) -> str | None:
    concept = _concepts().get(mesh_id)
    return concept.name if concept else None


def _rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in read_data(name).splitlines() if line and not line.startswith("#")]


@cache
def _headings() -> dict[str, tuple[str, bool]]:
    return {mesh_id: (printed, action == "action") for mesh_id, printed, action in _rows("mesh_headings.tsv")}


@cache
def _places() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tree numbers in order, and whose each is."""
    rows = sorted(_rows("mesh_trees.tsv"))
    return tuple(row[0] for row in rows), tuple(row[1] for row in rows)


@cache
def _ids_at() -> dict[str, tuple[str, ...]]:
    """Tree number -> who stands there."""
    found: dict[str, list[str]] = defaultdict(list)
    for tree, mesh_id in zip(*_places(), strict=True):
        found[tree].append(mesh_id)
    return {tree: tuple(ids) for tree, ids in found.items()}


@cache
def _trees_of() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for tree, mesh_id in zip(*_places(), strict=True):
        found[mesh_id].append(tree)
    return {mesh_id: tuple(trees) for mesh_id, trees in found.items()}


@cache
def _concepts() -> dict[str, Concept]:
    book = lexicon()
    ids = {line.split("\t", 2)[1]: index for index, line in enumerate(book.lines)}
    return {mesh_id: book.concept(index) for mesh_id, index in ids.items() if mesh_id}


@dataclass(frozen=True, slots=True)
class Subject:
    """A heading that is no disease, drug or procedure of the lexicon, with its names."""

    mesh_id: str
    heading: str
    names: tuple[str, ...]
    """As it is said, in small letters."""
    is_condition: bool = False
    """A symptom or a disease whose name alone means too little for a claim to agree by it: fever, pain, shock."""


def subject(words: str) -> Subject | None:
    """The heading that a run of words names, singular or plural; `None` = MeSH beside the lexicon has none."""
    rows = _subjects()
    said = plain(words)
    for form in (said, said.removesuffix("s"), said.removesuffix("es"), f"{said}s"):
        i = bisect_left(rows, f"{form}\t")
        if i < len(rows) and rows[i].startswith(f"{form}\t"):
            return _subject(rows[i].split("\t")[1])
    return None


@cache
def _subject(mesh_id: str) -> Subject:
    own = [row.split("\t") for row in _subjects() if f"\t{mesh_id}\t" in row]
    printed = next((heading for _, _, heading in own if heading != "-"), own[0][0])
    said = (name for name, _, _ in own if "," not in name)
    is_condition = any(tree.startswith(_CONDITIONS) for tree in _trees_of().get(mesh_id, ()))
    return Subject(mesh_id, printed, tuple(said), is_condition)


@cache
def _subjects() -> list[str]:
    return read_data("mesh_terms.tsv").splitlines()[1:]


def plain(words: str) -> str:
    """Small letters, every dash a blank: how a term stands in the table."""
    return " ".join(_DASHES.sub(" ", words.casefold()).split())
