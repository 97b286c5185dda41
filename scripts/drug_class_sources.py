"""What ChEBI, MeSH and INN stems say of drug classes, for `build_drug_classes.py`."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from build_lexicon import SALTS, MeshRecord, usable
from openwork_contracts.question import EntityKind
from openwork_knowledge.inn import inn_stem, stem_meaning
from openwork_knowledge.lexicon import Concept, lexicon

DRUG_ROLE = "CHEBI:23888"
BIOLOGICAL_ROLE = "CHEBI:24432"
ACTION = re.compile(
    r"(inhibitor|agonist|antagonist|blocker|modulator|activator|potentiator|stabiliser|mimetic|donor|secretagogue"
    r"|agent|drug|anaesthetic|analgesic|antibiotic)$"
)
"""How a biological role that is a pharmacological action ends; every role under ChEBI's "drug" is one already."""
NO_ACTION = re.compile(
    r"\b(metabolite|allergen|poison|agrochemical|pesticide|insecticide|herbicide|acaricide|fungicide|pathway|growth|plant"
    r"|auxin|chemical|prodrug|orphan|aetiopathogenetic|endocrine disruptor)\b"
    r"|^(food|flavour|sweeten)|insecti|xenoestrogen|-chain |toxi[nc]|carcinogen|mutagen|teratogen|sensiti[sz]er|\*"
    r"|^(enzyme )?(activator|agonist|antagonist|inhibitor|modulator|donor|drug|agent)$|^hormone agonist$"
)
STRUCTURE_TREES = ("D02", "D03", "D04", "D05", "D06", "D09", "D10", "D12", "D20")
DRUG_SHARE = 0.5
"""Share of a structural heading's substances that must be drugs: "Benzodiazepines" is a class, "Alcohols" is not."""
MAX_STRUCTURE = 60


@dataclass(slots=True, eq=False)
class Candidate:
    """A class with its members: `searched` are those that only ChEBI or MeSH give, `stems` those of an INN stem."""

    name: str
    mesh_id: str = ""
    names: list[str] = field(default_factory=list)
    wider: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    members: set[str] = field(default_factory=set)
    searched: set[str] = field(default_factory=set)
    stems: set[str] = field(default_factory=set)

    @property
    def all_members(self) -> set[str]:
        """Members of either kind."""
        return self.members | self.searched


class Resolver:
    """Names and identifiers of substances -> generic names of the lexicon."""

    def __init__(self, resources: Path) -> None:
        self.resources = resources
        self.book = lexicon()
        concepts = map(self.book.concept, range(len(self.book.lines)))
        self.drugs = [c for c in concepts if is_drug(c) and self.drug(c.name) == c.name]
        self.by_mesh = {c.mesh_id: c.name for c in self.drugs if c.mesh_id}

    def drug(self, name: str) -> str | None:
        """The generic name, also of a salt or stereoisomer; `None` = no drug of the lexicon."""
        bare = re.sub(r"^(\([\dRSZE,+\-±]+\)-|[LD]-|rac-|dex(?=tro))", "", name)
        for tried in (name, bare, " ".join(w for w in bare.split() if w.lower() not in SALTS)):
            found = self.book.lookup(tried) if tried else None
            if found and not found[1] and is_drug(found[0]):
                return found[0].name
        return None


def is_drug(concept: Concept) -> bool:
    """A single drug, not a class."""
    return concept.kind is EntityKind.DRUG and not concept.is_class


class Chebi:
    """ChEBI's substances that are drugs of the lexicon, with their roles and all wider ones."""

    def __init__(self, resolver: Resolver) -> None:
        text = (resolver.resources / "chebi.json").read_text(encoding="utf-8")
        self.entries: dict[str, dict[str, Any]] = {e["id"]: e for e in json.loads(text)}
        self._above: dict[str, frozenset[str]] = {}
        self.members: dict[str, set[str]] = defaultdict(set)
        for entry, drugs in _chebi_drugs(resolver, self.entries).items():
            for role in self.entries[entry].get("relations", {}).get("has_role", ()):
                for wider in self.upwards(role):
                    self.members[wider] |= drugs

    def upwards(self, entry: str) -> frozenset[str]:
        """The entry and everything above it by `is_a`."""
        if entry not in self._above:
            parents = self.entries.get(entry, {}).get("relations", {}).get("is_a", ())
            self._above[entry] = frozenset({entry}).union(*(self.upwards(p) for p in parents))
        return self._above[entry]

    def medicines(self) -> set[str]:
        """Substances with any role under "drug": a pesticide or a reagent may inhibit an enzyme too."""
        return self.members[DRUG_ROLE]

    def roles(self, medicines: set[str]) -> Iterator[Candidate]:
        """The roles that name a pharmacological action, with every medicine that has the role or a narrower one."""
        kept = {r for r in self.members if _is_action(self.entries[r]["name"], self.upwards(r) - {r})}
        for role in sorted(kept):
            above = self.entries[role]["relations"].get("is_a", ())
            nearest = {role_name(self.entries[w]["name"]) for w in above if w in kept}
            name = role_name(self.entries[role]["name"])
            yield Candidate(name, "", [], nearest, {"chebi"}, searched=self.members[role] & medicines)


def _is_action(name: str, wider: frozenset[str]) -> bool:
    if NO_ACTION.search(name):
        return False
    return DRUG_ROLE in wider or (BIOLOGICAL_ROLE in wider and ACTION.search(name) is not None)


def role_name(name: str) -> str:
    """ChEBI's name of a role as doctors write it: the enzyme without its number, the plural."""
    name = re.sub(r"EC [\d./EC ]+[\[(](.+)[\])] inhibitor", r"\1 inhibitor", name).replace(" (role)", "")
    return name if name.endswith(("s", "ics")) else f"{name}s"


def _chebi_drugs(resolver: Resolver, entries: dict[str, dict[str, Any]]) -> dict[str, set[str]]:
    """ChEBI entry -> drugs, by the entry's name or by the MeSH identifier mapped to it."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in (resolver.resources / "mesh_mappings.tsv").read_text(encoding="utf-8").splitlines():
        _, mesh_id, _, space, chebi, *_ = line.split("\t")
        if space == "CHEBI" and mesh_id in resolver.by_mesh and chebi in entries:
            found[chebi].add(resolver.by_mesh[mesh_id])
    for entry, content in entries.items():
        name = resolver.drug(content["name"])
        if name:
            found[entry].add(name)
    return found


def mesh_structures(resolver: Resolver, descriptors: dict[str, MeshRecord], medicines: set[str]) -> Iterator[Candidate]:
    """Structural headings most of whose substances are medicines."""
    at = {t: r for r in descriptors.values() for t in r.trees if t.startswith(STRUCTURE_TREES)}
    substances: dict[str, set[str]] = defaultdict(set)
    for tree, record in at.items():
        for wider in _above(tree):
            substances[wider].add(record.mesh_id)
    inner = {at[t].mesh_id for t in substances if t in at}
    members: dict[str, set[str]] = defaultdict(set)
    share: dict[str, float] = {}
    for tree, below in substances.items():
        if tree in at:
            leaves = {i for i in below if i not in inner or i in resolver.by_mesh}
            drugs = {resolver.by_mesh[i] for i in leaves if i in resolver.by_mesh} & medicines
            heading = at[tree].mesh_id
            members[heading] |= drugs
            share[heading] = max(share.get(heading, 0.0), len(drugs) / max(1, len(leaves)))
    for record in descriptors.values():
        drugs = members.get(record.mesh_id, set())
        if share.get(record.mesh_id, 0.0) < DRUG_SHARE or len(drugs) > MAX_STRUCTURE or not _plural(record.name):
            continue
        wider = {at[w].name for t in record.trees if t in at for w in _above(t)[:1] if w in at}
        names = [t for t in record.entry_terms if usable(t)]
        yield Candidate(record.name, record.mesh_id, names, wider, {"mesh"}, searched=set(drugs))


def _plural(name: str) -> bool:
    """Whether a heading can be a class: MeSH names classes in the plural and substances in the singular."""
    return usable(name) and name.endswith("s")


def _above(tree: str) -> list[str]:
    """Tree numbers above one, nearest first."""
    parts = tree.split(".")
    return [".".join(parts[:n]) for n in range(len(parts) - 1, 0, -1)]


def stem_groups(resolver: Resolver) -> Iterator[Candidate]:
    """For each INN stem the drugs of one word that are built with it, named by what the stem means."""
    groups: dict[str, set[str]] = defaultdict(set)
    for concept in resolver.drugs:
        stem = inn_stem(concept.name) if concept.name.isalpha() else None
        if stem:
            groups[stem].add(concept.name)
    for stem, drugs in sorted(groups.items()):
        yield Candidate(stem_meaning(stem), "", [], set(), {"inn"}, members=drugs)
