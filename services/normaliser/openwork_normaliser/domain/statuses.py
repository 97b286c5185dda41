"""What others say of the status of works that were found: whom to ask about which, and the worst of it counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from openwork_contracts.evidence import EvidenceCandidate, EvidenceStatus, NoticeLink, StatusReport
from openwork_evidence.retractions import SOURCE as RETRACTION_WATCH
from openwork_evidence.retractions import Notice
from openwork_http.crossref import WorkStatus
from openwork_knowledge.statuses import status_names, worst_status

CROSSREF = "crossref"
_LINK_OF = {
    EvidenceStatus.RETRACTED: "retracted_by",
    EvidenceStatus.WITHDRAWN: "retracted_by",
    EvidenceStatus.CONCERN: "concern_in",
    EvidenceStatus.CORRECTED: "corrected_by",
}
_KNOWN_LINKS = frozenset(status_names("notice link"))


@dataclass(frozen=True, slots=True)
class StatusAnswers:
    """What was found out of some works."""

    reports: Mapping[str, tuple[StatusReport, ...]] = field(default_factory=dict)
    """By candidate id."""
    degradations: tuple[str, ...] = ()


def to_ask(works: Sequence[EvidenceCandidate]) -> list[EvidenceCandidate]:
    """Works with a DOI that Crossref was not asked about in this run, in the order of the works."""
    return [work for work in works if work.identifiers.doi and not any(_is_crossref(r) for r in work.status_reports)]


def _is_crossref(report: StatusReport) -> bool:
    return report.by.partition(":")[0] == CROSSREF


def of_crossref(found: WorkStatus) -> StatusReport:
    """Its answer, with who told Crossref where that is not the publisher."""
    by = f"{CROSSREF}: {found.told_by}" if found.told_by == RETRACTION_WATCH else CROSSREF
    return StatusReport(by=by, status=found.status, notice=found.notice)


def of_file(found: Notice) -> StatusReport:
    """What the imported file says."""
    return StatusReport(by=RETRACTION_WATCH, status=found.status, notice=found.notice_doi)


def with_reports(work: EvidenceCandidate, reports: Iterable[StatusReport]) -> EvidenceCandidate:
    """The work with what was found out about it; the worst that anybody says is its status."""
    new = [report for report in reports if report not in work.status_reports]
    if not new:
        return work
    known = {link.doi for link in work.links if link.kind in _KNOWN_LINKS}
    links = [
        NoticeLink(kind=_LINK_OF[report.status], doi=report.notice)
        for report in new
        if report.notice and report.notice not in known and report.status in _LINK_OF
    ]
    return work.model_copy(
        update={
            "status": worst_status([work.status, *(report.status for report in new)]),
            "status_reports": (*work.status_reports, *new),
            "links": tuple(dict.fromkeys((*work.links, *links))),
        }
    )
