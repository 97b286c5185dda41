"""The labelled results of rct-extraction that are complete and have their text, split by the trial's PMCID.

Beside them `further.tsv`: results read by hand out of other articles, 42 before rules were changed (the first set,
which was then looked at), 21 after (the second, read before it was scored, then looked at) and 56 (the third, read
and stored before it was scored). Their texts are no part of the data here: JATS files `PMC....nxml` in the folder that
OPENWORK_FURTHER_TEXTS names (all of them stand in github.com/jayded/evidence-inference under annotations/xml_files).
The third set takes these files by the SHA-256 of "third" before the PMCID, after the last of the first two sets.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any

from openwork_extraction.one_group import has_one_group
from openwork_extraction.study import Asked, StudyText
from openwork_fulltext.domain.parse import parse_fulltext

DATA = Path(os.environ.get("OPENWORK_DATA", "../shared/data")) / "benchmarks" / "rct-extraction"
FURTHER = Path(__file__).with_name("further.tsv")
FURTHER_TEXTS = Path(os.environ.get("OPENWORK_FURTHER_TEXTS", "../further-texts"))
FURTHER_SETS = ("first", "second", "third")
DEVELOPMENT, SECOND, APART = "development", "second development", "apart"
PARTS = (DEVELOPMENT, SECOND, APART)


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled result: what is asked, and the numbers that a person read."""

    pmcid: str
    kind: str
    """binary or continuous."""
    asked: Asked
    numbers: tuple[Decimal, ...]
    """Binary: events and people, tested arm then comparator. Continuous: mean, deviation and people of each."""

    @property
    def part(self) -> str:
        """Three fifths of the trials develop, half of the rest since the first round; nobody chooses which.

        The other half, "apart", was looked at in the fifth round: no part of rct-extraction is unseen since.
        """
        return part_of(self.pmcid)


def part_of(pmcid: str) -> str:
    """The part that a trial belongs to, by the letters of its PMCID."""
    digest = hashlib.sha256(pmcid.encode()).digest()
    if digest[0] % 5 < 3:
        return DEVELOPMENT
    return SECOND if digest[1] % 2 == 0 else APART


def rows() -> tuple[Row, ...]:
    """All complete rows with text, in the order of the file."""
    labelled = json.loads(gzip.decompress((DATA / "annotated_rct.json.gz").read_bytes()))
    have = {path.name.split(".")[0] for path in (DATA / "nxml").iterdir()}
    return tuple(_row(one) for one in labelled if one["is_data_complete"] == "TRUE" and f"PMC{one['pmcid']}" in have)


def further(which: str) -> tuple[Row, ...]:
    """The results of other articles whose text is there, of one of `FURTHER_SETS`."""
    return tuple(
        Row(
            one["pmcid"],
            one["kind"],
            Asked(one["intervention"], one["comparator"], one["outcome"]),
            tuple(map(_number, one["numbers"].split())),
        )
        for one in _labelled(which)
        if _stored(one["pmcid"]).exists()
    )


def further_without_text(which: str) -> tuple[str, ...]:
    """PMCIDs of one of `FURTHER_SETS` whose text is not in the folder, each once, in the order of the file."""
    return tuple(dict.fromkeys(one["pmcid"] for one in _labelled(which) if not _stored(one["pmcid"]).exists()))


def _labelled(which: str) -> list[dict[str, str]]:
    if which not in FURTHER_SETS:
        raise ValueError(f"no set {which!r} of further articles: name one of {', '.join(FURTHER_SETS)}")
    return [one for one in lines_of(FURTHER, "\t") if one["set"] == which]


def _stored(pmcid: str) -> Path:
    return FURTHER_TEXTS / f"{pmcid}.nxml"


def _row(one: dict[str, Any]) -> Row:
    binary = ("intervention_events", "intervention_group_size", "comparator_events", "comparator_group_size")
    continuous = tuple(
        f"{side}_{what}"
        for side in ("intervention", "comparator")
        for what in ("mean", "standard_deviation", "group_size")
    )
    names = binary if one["outcome_type"] == "binary" else continuous
    return Row(
        f"PMC{one['pmcid']}",
        one["outcome_type"],
        Asked(one["intervention"], one["comparator"], one["outcome"]),
        tuple(_number(str(one[name])) for name in names),
    )


def _number(label: str) -> Decimal:
    """A label's number; a label that is none ("NaN") equals nothing, so that its row is never right."""
    try:
        return Decimal(label.replace(",", "").strip().rstrip("%"))
    except InvalidOperation:
        return Decimal("NaN")


def one_group() -> dict[str, dict[str, bool]]:
    """Part -> PMCID -> whether the paper is said to have one group; of all papers with a text, labelled or not."""
    told: dict[str, dict[str, bool]] = {part: {} for part in PARTS}
    for path in sorted((DATA / "nxml").iterdir()):
        pmcid = path.name.split(".")[0]
        told[part_of(pmcid)][pmcid] = has_one_group(study(pmcid))
    return told


@cache
def study(pmcid: str) -> StudyText:
    """The text of a trial as the product reads it."""
    stored = DATA / "nxml" / f"{pmcid}.nxml.gz"
    return study_in(stored if stored.exists() else _stored(pmcid), pmcid)


def study_in(path: Path, pmcid: str) -> StudyText:
    """An article of a file as the product reads it.

    Raises:
        FileNotFoundError: there is no such file.
    """
    document = parse_fulltext(path.read_bytes())
    return StudyText(pmcid, document.title or "", document.readable_sections, identifiers=document.identifiers)


def lines_of(path: Path, delimiter: str) -> list[dict[str, str]]:
    """The lines of a table in a file, by its header's names."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter=delimiter))
