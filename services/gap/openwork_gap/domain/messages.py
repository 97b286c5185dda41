"""What the asker is told when there is too little evidence: what was looked for, what is missing, what to try."""

from __future__ import annotations

from openwork_answers.searched import answered_and_missed
from openwork_contracts.conclusion import Conclusion
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.gap import GapAssessment

_MOST_MISSING = 4


def too_little_message(searched: EvidenceNormalised, gap: GapAssessment, conclusion: Conclusion) -> str:
    """Plain words, complete sentences: what was not found first, then what was searched and what was not reached."""
    answered, missed = answered_and_missed(searched)
    found = searched.counts.screened
    where = ", ".join(answered) or "none"
    lines = [f"Not found in what was searched: {conclusion.missing[0]}."] if conclusion.missing else []
    lines.append(f"There is too little evidence to answer this question from the sources searched ({where}).")
    if found:
        short = "is about all that was asked" if conclusion.tells_nearest else "speaks of what was asked"
        lines.append(f"{found} record{'s were' if found != 1 else ' was'} read, but none {short}.")
    else:
        lines.append("No record was found.")
    missing = [m for m in gap.missing_elements if m not in conclusion.missing[:1]][:_MOST_MISSING]
    if missing and not conclusion.tells_nearest:  # beside what stands nearest it is said what that does not tell
        lines.append(f"Missing: {'; '.join(missing)}.")
    if missed:
        lines.append(f"Not reached: {', '.join(missed)}; the same question may be answered when they are.")
    if conclusion.tells_nearest:
        lines.append("What stands nearest to the question is told below; it is no answer to it.")
    else:
        lines.append("No answer was written: what was found neither supports nor refutes one.")
    return " ".join(lines)
