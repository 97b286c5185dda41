"""What the asker is told when there is too little evidence: what was looked for, what is missing, what to try."""

from __future__ import annotations

from openwork_contracts.evidence import EvidenceNormalised, SourceStatus
from openwork_contracts.gap import GapAssessment

_MOST_MISSING = 4


def too_little_message(searched: EvidenceNormalised, gap: GapAssessment) -> str:
    """Plain words, complete sentences; names the sources that were searched and those that were not reached."""
    answered = [s.name for s in searched.sources if s.status is SourceStatus.COMPLETED]
    missed = [s.name for s in searched.sources if s.status is not SourceStatus.COMPLETED]
    found = searched.counts.screened
    where = ", ".join(answered) or "none"
    lines = [f"There is too little evidence to answer this question from the sources searched ({where})."]
    if found:
        lines.append(f"{found} record{'s were' if found != 1 else ' was'} read, but none speaks of what was asked.")
    else:
        lines.append("No record was found.")
    missing = gap.missing_elements[:_MOST_MISSING]
    if missing:
        lines.append(f"Missing: {'; '.join(missing)}.")
    if missed:
        lines.append(f"Not reached: {', '.join(missed)}; the same question may be answered when they are.")
    lines.append("No answer was written, since none could be supported.")
    return " ".join(lines)
