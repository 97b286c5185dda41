"""What is known of each source of a set: year, status, design; each may be unknown, and unknown speaks for nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from openwork_contracts.evidence import EvidenceCandidate, EvidenceStatus, StudyDesign
from openwork_contracts.verdict import EvidenceItem
from openwork_knowledge.designs import OBSERVATIONAL, SAYS_LITTLE, SYNTHESES, title_patterns
from openwork_knowledge.notation import expression, group
from openwork_knowledge.statuses import is_void
from openwork_knowledge.tables import table

from openwork_verifier.domain.set_statements import ANY

RETRACTED, PUBLICATION, STUDY = "retracted source", "publication", "study"
"""Kinds that are told by more than a design; a source of which none is known is one of "the cited studies"."""
_SHOWN = 80
"""Characters of a title in a reason."""
_TABLE = table("evidence-set")


def _designs(name: str) -> dict[str, frozenset[StudyDesign]]:
    rows = [row for row in _TABLE.rows if row[0] == name]
    return {
        kind: frozenset(StudyDesign(r[3]) for r in rows if r[2] == kind) for kind in dict.fromkeys(r[2] for r in rows)
    }


_IS, _MAY_BE = _designs("is"), _designs("may be")
_OPEN = SAYS_LITTLE | {StudyDesign.PREPRINT}
"""These may be of any kind that is not told by its source."""
_BY_TITLE = (
    *title_patterns().items(),
    *(
        (StudyDesign(design), re.compile(rf"(?<!non-)(?<!non )\b{expression(word)}\b", re.IGNORECASE))
        for word, design in _TABLE.values("title").items()
    ),
)
_UNCLEAR_TITLE = re.compile(rf"\b{group('evidence-set', 'title that tells nothing')}\b", re.IGNORECASE)
_SAYS_RANDOMISED = re.compile(rf"(?<!non-)\b{group('evidence-set', 'text of a randomised trial')}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SetRecord:
    """One source; `None` = not known."""

    n: int
    title: str = ""
    year: int | None = None
    status: str | None = None
    design: StudyDesign | None = None
    is_published: bool = False
    """Whether it has an identifier of publications."""

    @property
    def named(self) -> str:
        """The source in a reason."""
        shown = self.title if len(self.title) <= _SHOWN else f"{self.title[:_SHOWN].rsplit(maxsplit=1)[0]} ..."
        return f"[{self.n}] {shown!r}" if shown else f"[{self.n}]"


def records_of_items(items: Sequence[EvidenceItem]) -> tuple[SetRecord, ...]:
    """Of the numbered texts: their designs are told by their titles and, of randomised trials, by their texts."""
    first = {item.n: item for item in reversed(items)}
    return tuple(
        SetRecord(
            n=item.n,
            title=item.title,
            year=item.year,
            status=item.status,
            design=told_design(item.title, item.text),
            is_published=bool(item.pmid or item.doi),
        )
        for _, item in sorted(first.items())
    )


def records_of_documents(documents: Sequence[EvidenceCandidate]) -> tuple[SetRecord, ...]:
    """Of a run's works, as its sources described them."""
    return tuple(
        SetRecord(
            n=n,
            title=document.title,
            year=document.year,
            status=document.status.value,
            design=document.study_design,
            is_published=bool(document.identifiers.pmid or document.identifiers.doi),
        )
        for n, document in enumerate(documents, start=1)
    )


@lru_cache(maxsize=512)
def told_design(title: str, text: str) -> StudyDesign | None:
    """The design that a title names, or a text that says whom it assigned at random; `None` = none, or two."""
    if _UNCLEAR_TITLE.search(title):
        return None
    named = {design for design, words in _BY_TITLE if words.search(title)}
    if synthesis := named & SYNTHESES:
        return StudyDesign.META_ANALYSIS if StudyDesign.META_ANALYSIS in synthesis else StudyDesign.SYSTEMATIC_REVIEW
    if named & OBSERVATIONAL and not named - OBSERVATIONAL:
        return next(iter(named)) if len(named) == 1 else StudyDesign.OBSERVATIONAL
    if len(named) > 1:
        return None
    if named:
        return next(iter(named))
    return StudyDesign.RCT if _SAYS_RANDOMISED.search(text) else None


def is_of_kind(record: SetRecord, kind: str) -> bool | None:
    """Whether a source is of a kind; `None` = its record does not tell."""
    if kind == ANY:
        return True
    if kind == RETRACTED:
        unknown = record.status is None or record.status not in EvidenceStatus._value2member_map_
        checked = not unknown and record.status != EvidenceStatus.NOT_CHECKED.value
        return True if is_void(record.status) else False if checked else None
    if kind == PUBLICATION:
        return True if record.is_published else None
    if record.design is None:
        return True if kind == STUDY else None
    if record.design in _IS[kind]:
        return True
    return None if record.design in _OPEN | _MAY_BE.get(kind, frozenset()) else False
