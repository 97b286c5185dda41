"""Retractions, corrections and expressions of concern: found, tied to the work they are about, and never evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from openwork_contracts.evidence import NoticeLink

from openwork_normaliser.domain.entries import Entry
from openwork_normaliser.domain.thresholds import THRESHOLDS
from openwork_normaliser.domain.titles import (
    NOTICE_KINDS,
    TitleKind,
    fold_title,
    n_words,
    title_of_subject,
)

_LINK_ON_WORK = {
    TitleKind.RETRACTION: "retracted_by",
    TitleKind.CORRECTION: "corrected_by",
    TitleKind.CONCERN: "concern_in",
}
_LINKS_TO_WORK = frozenset({"retraction_of", "correction_of", "concern_about"})


def is_notice(entries: Sequence[Entry]) -> bool:
    """Whether a group of records is a notice: any of them says so."""
    return any(e.kind in NOTICE_KINDS for e in entries)


def links_from_notices(groups: Sequence[Sequence[Entry]]) -> dict[int, list[NoticeLink]]:
    """For each group (by its index) that a notice among the groups is about, the links to those notices."""
    index = _Index(groups)
    found: dict[int, list[NoticeLink]] = defaultdict(list)
    for group in groups:
        if not is_notice(group):
            continue
        link = _link_to(group)
        for target in sorted(index.targets(group)):
            if link not in found[target]:
                found[target].append(link)
    for links in found.values():
        links.sort(key=lambda x: (x.kind, x.pmid or "", x.doi or ""))
    return found


class _Index:
    """Works by PMID, DOI and folded title."""

    def __init__(self, groups: Sequence[Sequence[Entry]]) -> None:
        self._by_id: dict[str, set[int]] = defaultdict(set)
        self._by_title: dict[str, set[int]] = defaultdict(set)
        for i, group in enumerate(groups):
            if is_notice(group):
                continue
            for entry in group:
                for value in (entry.identifiers.pmid, entry.identifiers.doi):
                    if value:
                        self._by_id[value].add(i)
                if n_words(entry.folded_title) >= THRESHOLDS.min_title_words:
                    self._by_title[entry.folded_title].add(i)

    def targets(self, notice: Sequence[Entry]) -> set[int]:
        """Works that a notice is about: by its links, else by the title it repeats (only if that title is unique)."""
        ids = {
            x
            for e in notice
            for link in e.work.links
            if link.kind in _LINKS_TO_WORK
            for x in (link.pmid, link.doi)
            if x
        }
        by_link = {i for value in ids for i in self._by_id.get(value, ())}
        if by_link:
            return by_link
        for entry in notice:
            named = self._by_title.get(fold_title(title_of_subject(entry.work.title)), set())
            if len(named) == 1:
                return set(named)
        return set()


def _link_to(notice: Sequence[Entry]) -> NoticeLink:
    # The gravest kind that any source gives: one may call a retraction a correction, none the other way round.
    kinds = {e.kind for e in notice}
    gravest = next(k for k in (TitleKind.RETRACTION, TitleKind.CONCERN, TitleKind.CORRECTION) if k in kinds)
    pmid = next((e.identifiers.pmid for e in notice if e.identifiers.pmid), None)
    doi = next((e.identifiers.doi for e in notice if e.identifiers.doi), None)
    return NoticeLink(kind=_LINK_ON_WORK[gravest], pmid=pmid, doi=doi)
