"""Works that stand in one another's place: versions of Cochrane reviews, guidelines printed in several journals.

A Cochrane review keeps its number (CD012345) through all versions; its DOI ends in `.pub2`, `.pub3`, ..., that of the
first version (or of the protocol) in the number itself (Cochrane Handbook, chapter IV; DOIs 10.1002/14651858.*).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from openwork_contracts.evidence import EvidenceCandidate, NoticeLink, Provenance, StudyDesign
from openwork_evidence.origins import precedence
from openwork_knowledge.statuses import is_void, worst_status

from openwork_normaliser.domain.merging import has_text
from openwork_normaliser.domain.thresholds import THRESHOLDS
from openwork_normaliser.domain.titles import fold_title, n_words

_COCHRANE = re.compile(r"^10\.1002/14651858\.(?P<number>[a-z]{2}\d{6})(?:\.pub(?P<version>\d+))?$")
_COCHRANE_JOURNAL = re.compile(r"^(?:the )?cochrane database", re.IGNORECASE)
_SUBTITLE = re.compile(
    r" (?:(?:a )?report (?:of|from|by) the|the task force (?:for|on|of)|developed (?:by|with|in)|"
    r"(?:a )?guideline for healthcare professionals from) .*$"
)
"""Of a folded title: who made it, which journals print or leave out."""
CO_PUBLISHED = "co_published_as"
"""Kind of the links to the other places where one guideline was printed."""


@dataclass(frozen=True, slots=True)
class Superseded:
    """A version of a Cochrane review, and the newer one in whose favour it goes out."""

    work: EvidenceCandidate
    by: EvidenceCandidate

    @property
    def reason(self) -> str:
        """In words."""
        version = cochrane_version(self.by)
        number = f"{version[0].upper()}.pub{version[1]}" if version else "the review"
        year = f", {self.by.year}" if self.by.year else ""
        withdrawn = " and withdrawn" if is_void(self.by.status) else ""
        return f"an older version of a Cochrane review: superseded by {number}{year}{withdrawn}"


def cochrane_version(work: EvidenceCandidate) -> tuple[str, int] | None:
    """(number of the review, version) of a Cochrane review, by its DOI alone; `None` = it is none, or has no DOI."""
    found = _COCHRANE.match(work.identifiers.doi or "")
    return (found["number"], int(found["version"] or 1)) if found else None


def superseded(works: Sequence[EvidenceCandidate]) -> list[Superseded]:
    """Versions of which a newer one is among the works, with something to read or withdrawn."""
    newest: dict[str, tuple[int, EvidenceCandidate]] = {}
    for work in works:
        version = cochrane_version(work)
        if version and (has_text(work) or is_void(work.status)) and version[1] > newest.get(version[0], (0, work))[0]:
            newest[version[0]] = (version[1], work)
    out = []
    for work in works:
        version = cochrane_version(work)
        if version and version[1] < newest.get(version[0], (0, work))[0]:
            out.append(Superseded(work, newest[version[0]][1]))
    return out


def known_to_be_old(works: Sequence[EvidenceCandidate]) -> list[str]:
    """What is said of Cochrane reviews that PubMed links to a newer version, which was not found."""
    pmids = {work.identifiers.pmid for work in works}
    lines = []
    for work in works:
        is_cochrane = cochrane_version(work) or _COCHRANE_JOURNAL.match(work.journal or "")
        newer = [link.pmid for link in work.links if link.kind == "updated_by" and link.pmid]
        if is_cochrane and newer and pmids.isdisjoint(newer):
            own = work.identifiers.pmid or work.candidate_id
            lines.append(f"Cochrane review {own} has a newer version that was not found: PMID {newer[-1]}")
    return sorted(lines)


def co_published(works: Sequence[EvidenceCandidate], known_ids: Collection[str] = ()) -> list[EvidenceCandidate]:
    """The works, each guideline once however many journals printed it; the order of the first of each is kept.

    Args:
        known_ids: of candidates of earlier rounds, which keep their ids.
    """
    clusters: dict[str, list[list[EvidenceCandidate]]] = defaultdict(list)
    order: list[list[EvidenceCandidate]] = []
    for work in works:
        title = _guideline_title(work)
        cluster = (
            next((one for one in clusters[title] if all(_one_print(work, w) for w in one)), None) if title else None
        )
        if cluster is not None:
            cluster.append(work)
            continue
        order.append([work])
        if title:
            clusters[title].append(order[-1])
    return [_folded(cluster, known_ids) if len(cluster) > 1 else cluster[0] for cluster in order]


def _guideline_title(work: EvidenceCandidate) -> str:
    """What the prints of a guideline share; empty for works that are none, and for titles that many may have."""
    if work.study_design is not StudyDesign.GUIDELINE:
        return ""
    title = fold_title(work.title)
    head = _SUBTITLE.sub("", title)
    shared = head if n_words(head) >= THRESHOLDS.min_words_without_author else title
    return shared if n_words(shared) >= THRESHOLDS.min_title_words else ""


def _one_print(first: EvidenceCandidate, second: EvidenceCandidate) -> bool:
    """Two places of one guideline: the same year or the next, and not twice in one journal."""
    if first.year is None or second.year is None or abs(first.year - second.year) > THRESHOLDS.max_year_gap:
        return False
    journals = (fold_title(first.journal or ""), fold_title(second.journal or ""))
    return bool(all(journals)) and journals[0] != journals[1]


def _folded(cluster: Sequence[EvidenceCandidate], known_ids: Collection[str]) -> EvidenceCandidate:
    """One candidate of several prints: the first that was known, has a text of its own, and was ranked best."""
    lead, *others = sorted(cluster, key=lambda work: _precedence(work, known_ids))
    links = [link for work in (lead, *others) for link in work.links] + [_link_to(work) for work in others]
    own = {lead.identifiers.pmid, lead.identifiers.doi} - {None}
    kept = [link for link in links if link.kind != CO_PUBLISHED or own.isdisjoint({link.pmid, link.doi})]
    changes: dict[str, object] = {
        "links": tuple(dict.fromkeys(kept)),
        "provenance": _provenance([lead, *others]),
        "status": worst_status([work.status for work in cluster]),
        "status_reports": tuple(dict.fromkeys(report for work in (lead, *others) for report in work.status_reports)),
        "our_summary": next((work.our_summary for work in (lead, *others) if work.our_summary), None),
    }
    adviser = next((work for work in (lead, *others) if work.recommendations), None)
    if adviser is not None and adviser is not lead and not (lead.arms or lead.results):
        origin = adviser.structured_origin or adviser.text_origin
        changes["recommendations"] = adviser.recommendations
        changes["structured_origin"] = origin if origin is not lead.text_origin else None
    return lead.model_copy(update=changes)


def _precedence(work: EvidenceCandidate, known_ids: Collection[str]) -> tuple[bool, bool, int, int, str]:
    best = min(place.rank for place in work.provenance)
    known = work.candidate_id in known_ids
    return (not known, not has_text(work), precedence(work.text_origin), best, work.candidate_id)


def _link_to(work: EvidenceCandidate) -> NoticeLink:
    return NoticeLink(kind=CO_PUBLISHED, pmid=work.identifiers.pmid, doi=work.identifiers.doi)


def _provenance(works: Sequence[EvidenceCandidate]) -> tuple[Provenance, ...]:
    """Every place where one of them was found, best rank first, each once."""
    places: dict[tuple[str, str], Provenance] = {}
    for place in (place for work in works for place in work.provenance):
        places.setdefault((place.source, place.source_id), place)
    return tuple(sorted(places.values(), key=lambda p: (p.rank, p.source, p.source_id)))
