"""Build `data/words/ordinary_words.tsv`: words of everyday English, which tell little about which record is meant.

    apt-get download scowl && dpkg -x scowl_*.deb build/scowl        # Debian's package, 2020.12.07
    python scripts/build_ordinary_words.py --sources build/scowl/usr/share/dict/scowl

SCOWL (Spell Checker Oriented Word Lists, Kevin Atkinson) grades words by how common they are, from 10 to 95. Grades 10
and 20 are kept, as two groups. Its notice stands in data/NOTICE.md.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "packages/knowledge/openwork_knowledge/data/words/ordinary_words.tsv"
GRADES = {"very common": 10, "common": 20}
"""Group of the table -> SCOWL's grade. The next one, 35, has names of diseases in it."""
VARIETIES = ("english", "american", "british")
_PLAIN = re.compile(r"[a-z]{3,}")


def graded(folder: Path, grade: int) -> set[str]:
    """Words of one grade in all varieties, small letters alone."""
    lists = (folder / f"{variety}-words.{grade}" for variety in VARIETIES)
    return {word for path in lists for word in path.read_text(encoding="latin-1").split() if _PLAIN.fullmatch(word)}


def main() -> None:
    """Write the rows below the header, which is kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, required=True)
    folder = parser.parse_args().sources
    rows, seen = [], set[str]()
    for group, grade in GRADES.items():
        new = graded(folder, grade) - seen
        seen |= new
        rows += [f"{group}\t{word}" for word in sorted(new)]
    head = [line for line in OUT.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    OUT.write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(rows)} words\n")


if __name__ == "__main__":
    main()
