"""What the starter library holds, by topic: kinds of records, shares with counts, harms, funding, a second reading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from openwork_evidence.library.record import LibraryRecord


class Kind(StrEnum):
    """What a record is, by what it holds and by PubMed's publication types."""

    GUIDELINE = "guideline"
    REVIEW = "review"
    TRIAL = "trial"
    OTHER = "other"


@dataclass(frozen=True)
class Coverage:
    """Counts of a topic, or of all."""

    topic: str
    records: int
    kinds: tuple[int, ...]
    """Records of each `Kind`, in its order."""
    results: int
    with_counts: int
    """Results with people and events of at least two arms."""
    studies: int
    """Records that are no guideline: of these harms and funding are wanted."""
    with_harms: int
    with_funding: int
    read_twice: int
    """Of all records."""
    unconfirmed: int
    """Facts that were looked for and left out."""


def kind_of(record: LibraryRecord) -> Kind:
    """Guideline before review before trial: a guideline often is a systematic review too."""
    types = " ".join(record.publication_types).casefold()
    if record.recommendations or "guideline" in types or "consensus" in types:
        return Kind.GUIDELINE
    if "meta-analysis" in types or "systematic review" in types:
        return Kind.REVIEW
    return Kind.TRIAL if "trial" in types else Kind.OTHER


def coverage(records: Sequence[LibraryRecord]) -> tuple[Coverage, ...]:
    """A row for each topic, by name, and one for all, named "all"."""
    topics = sorted({record.topic for record in records})
    rows = [_row(topic, [record for record in records if record.topic == topic]) for topic in topics]
    return (*rows, _row("all", records))


def reports_harm(record: LibraryRecord) -> bool:
    """A result that is an unwanted effect, or a part of the summary that is about harms."""
    return any(result.harm for result in record.results) or any(part.label == "Harms" for part in record.summary)


def unconfirmed(records: Iterable[LibraryRecord]) -> tuple[tuple[str, str], ...]:
    """Key of the record, and the fact that could not be confirmed and is left out of it."""
    return tuple((record.key, fact) for record in records for fact in record.unconfirmed)


def _row(topic: str, records: Sequence[LibraryRecord]) -> Coverage:
    kinds = [kind_of(record) for record in records]
    studies = [record for record, kind in zip(records, kinds, strict=True) if kind is not Kind.GUIDELINE]
    results = [result for record in records for result in record.results]
    counted = [sum(arm.n is not None and arm.events is not None for arm in result.arms) >= 2 for result in results]
    return Coverage(
        topic=topic,
        records=len(records),
        kinds=tuple(kinds.count(kind) for kind in Kind),
        results=len(results),
        with_counts=sum(counted),
        studies=len(studies),
        with_harms=sum(map(reports_harm, studies)),
        with_funding=sum(record.funding is not None for record in studies),
        read_twice=sum(record.second_reading is not None for record in records),
        unconfirmed=len(unconfirmed(records)),
    )
