"""How well our drug classes cover the groups of a classification made by others.

    python -m tests.eval.search.classes --atc FILE [--table FILE]

FILE is a table of the ATC classification as CSV with the columns `atc_code` and `atc_name` (WHO's; it may not be given
on changed, so it is not in the repository; for instance github.com/fabkury/atcd). For every group of level 4 with at
least three single substances the class of ours that overlaps most (Jaccard index) is taken: recall is the share of the
group's substances among its members, outside the share of its members that are not in the group. A substance that the
lexicon does not know counts as not found. `--table` measures another table than the committed one, such as one made by
`scripts/build_drug_classes.py --without-curated --out FILE`.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from openwork_contracts.question import EntityKind
from openwork_knowledge.lexicon import lexicon, read_data

MIN_SUBSTANCES = 3
GROUP, SUBSTANCE = 5, 7
"""Lengths of the codes of levels 4 and 5."""
REMAINDERS = ("Other", "Various")
"""How the groups begin that hold what belongs to no other: no class of anybody's."""
NOT_SINGLE = (" and ", "combinations", "various", ",", "other ")


@dataclass(frozen=True, slots=True)
class Fit:
    """A group, the class of ours that overlaps most, and how well it does."""

    code: str
    group: str
    best: str
    n: int
    found: int
    members: int

    @property
    def recall(self) -> float:
        """Share of the group's substances among the members, in [0, 1]."""
        return self.found / self.n

    @property
    def outside(self) -> float:
        """Share of the members that are not in the group, in [0, 1]; 0 without members."""
        return 1 - self.found / self.members if self.members else 0.0


def read_groups(path: Path) -> dict[tuple[str, str], set[str]]:
    """(code, name) of each level-4 group -> generic names of its substances; one we do not know as "?its name"."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = {row["atc_code"]: row["atc_name"] for row in csv.DictReader(file)}
    groups: dict[tuple[str, str], set[str]] = defaultdict(set)
    for code, name in rows.items():
        if len(code) == SUBSTANCE and not any(sign in name.casefold() for sign in NOT_SINGLE):
            groups[code[:GROUP], rows.get(code[:GROUP], "")].add(generic(name))
    return {group: found for group, found in groups.items() if len(found) >= MIN_SUBSTANCES}


def generic(name: str) -> str:
    """The lexicon's name of a substance, also where it is listed as a salt or with its source in brackets."""
    bare = name.partition(" (")[0]
    for tried in (name, bare, bare.rpartition(" ")[0]):
        known = lexicon().lookup(tried) if tried else None
        if known and known[0].kind is EntityKind.DRUG and not known[0].is_class and not known[1]:
            return known[0].name
    return f"?{name}"


def read_classes(table: str, *, searching: bool) -> dict[str, set[str]]:
    """Class -> members, strict or with those to search for."""
    classes: dict[str, set[str]] = {}
    for line in table.splitlines():
        if line and not line.startswith("#"):
            cells = line.split("\t")
            lists = cells[4:6] if searching else cells[4:5]
            classes[cells[0]] = {drug for cell in lists if cell != "-" for drug in cell.split(";")}
    return classes


def fit(groups: dict[tuple[str, str], set[str]], classes: dict[str, set[str]]) -> list[Fit]:
    """For each group its best class."""
    fits = []
    for (code, name), substances in sorted(groups.items()):
        best = max(classes, key=lambda c: (len(substances & classes[c]) / len(substances | classes[c]), c))
        found = len(substances & classes[best])
        fits.append(Fit(code, name, best if found else "-", len(substances), found, len(classes[best]) if found else 0))
    return fits


def summary(name: str, fits: Iterable[Fit]) -> str:
    """One line: groups, mean recall of the groups, recall over all substances, mean share outside, groups not met."""
    fits = list(fits)
    recall = sum(f.recall for f in fits) / len(fits)
    pooled = sum(f.found for f in fits) / sum(f.n for f in fits)
    outside = sum(f.outside for f in fits) / len(fits)
    good = sum(f.recall >= 0.8 for f in fits)
    missed = sum(not f.found for f in fits)
    return f"{name:30} {len(fits):6} {recall:7.3f} {pooled:7.3f} {outside:8.3f} {good:6} {missed:6}"


def main() -> int:
    """Print every group and the totals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--atc", type=Path, help="CSV with atc_code and atc_name")
    parser.add_argument("--table", type=Path, help="a table of classes in the form of data/drug_classes.tsv")
    parser.add_argument("--groups", action="store_true", help="print each group as well")
    args = parser.parse_args()
    if args.atc is None or not args.atc.is_file():
        print("skipped: no table of ATC given (--atc FILE); it may not be kept in the repository")
        return 0
    groups = read_groups(args.atc)
    table = args.table.read_text(encoding="utf-8") if args.table else read_data("drug_classes.tsv")
    print(f"{'':30} groups  recall  pooled  outside >=0.8  none")
    unknown = sum(s.startswith("?") for found in groups.values() for s in found)
    for kind, searching in (("strict members", False), ("members to search for", True)):
        fits = fit(groups, read_classes(table, searching=searching))
        print(summary(kind, fits))
        named = (f for f in fits if not f.group.startswith(REMAINDERS))
        print(summary("  groups that are no remainder", named))
        for letter in sorted({f.code[0] for f in fits}):
            print(summary(f"  {letter}", (f for f in fits if f.code[0] == letter)))
        if args.groups:
            for f in fits:
                print(f"  {f.code} {f.group[:50]:50} {f.best[:40]:40} {f.found:3}/{f.n:<3} outside {f.outside:.2f}")
    print(f"substances of these groups that the lexicon does not know: {unknown}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
