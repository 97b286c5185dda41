"""An event of a run in one line, for those who read its history."""

from __future__ import annotations

from openwork_contracts.answer import AnswerConcluded, AnswerDrafted, RevisionRequested
from openwork_contracts.end import RunEnded
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.gap import SynthesisRequested
from openwork_contracts.meta import Event
from openwork_contracts.plan import RetrievalCompleted, RetrievalFailed, SearchPlanned
from openwork_contracts.ranking import DocumentsRanked, EvidenceRanked


def describe(event: Event) -> str | None:
    """What it tells a reader; `None` for those that tell nothing."""
    match event:
        case SearchPlanned():
            again = f" (round {event.meta.round}: {event.reason})" if event.meta.round > 1 else ""
            return f"searching {', '.join(event.sources)}{again}"
        case RetrievalCompleted():
            return f"{event.source}: {len(event.records)} records"
        case RetrievalFailed():
            return f"{event.source} failed: {event.message}"
        case EvidenceNormalised():
            return f"{event.counts.screened} works after {event.counts.duplicates} duplicates"
        case DocumentsRanked():
            return f"{len(event.shortlist)} works shortlisted by {event.report.scorer}"
        case EvidenceRanked():
            return f"{len(event.passages)} passages of {len(event.documents)} works ranked"
        case _:
            return _describe_text(event)


def _describe_text(event: Event) -> str | None:
    match event:
        case SynthesisRequested():
            return f"evidence {event.gap.assessment.value}, coverage {event.gap.coverage:.2f}"
        case AnswerDrafted():
            return f"draft {event.revision + 1}: {sum(len(s.claims) for s in event.sections)} sentences, now checked"
        case RevisionRequested():
            return f"{len(event.failed)} sentences did not pass; revising"
        case AnswerConcluded():
            return event.status.value.replace("_", " ")
        case RunEnded():
            return event.kind.value
        case _:
            return None
