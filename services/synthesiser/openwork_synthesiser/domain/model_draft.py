"""The language model's draft and revision: which model, what it is shown, what of its text is taken over.

Its text is never an answer: it becomes claims with citations, within the limit of words, and goes to the verifier. What
the evidence as a set lacks is said by the program in its own words.
"""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.answer import DraftClaim, DraftSection, RevisionRequested, SectionKind
from openwork_contracts.gap import GapAssessment
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.verdict import ClaimVerdict
from openwork_llm.messages import Tier
from openwork_llm.prompts import Filling, Ours, Prompt, Theirs, load_prompt
from openwork_llm.sources import source_entries

from openwork_synthesiser.domain.assignment import Assignment
from openwork_synthesiser.domain.draft import DIRECT_HEADING, LIMITATION_HEADING
from openwork_synthesiser.domain.limitations import leading_gap, limitation_claims
from openwork_synthesiser.domain.model_text import cut_to_words, parse_draft
from openwork_synthesiser.domain.selection import n_words
from openwork_synthesiser.domain.thresholds import LIMITS, SynthesisLimits

SMART_ABOVE = 0.5
"""Complexity above which the smart model writes; it also does when sources contradict each other."""
SOURCE_CHARS = 3_000
"""Of the passages of one work: about 700 tokens; ten works make a prompt of 8,000."""
MOST_FAILED = 0.5
"""Share of claims that failed above which the model does not revise its own draft: it did not keep to the sources."""


def synthesis_prompt() -> Prompt:
    """The prompt of the draft."""
    return load_prompt("openwork_synthesiser", "synthesiser", 1)


def revision_prompt() -> Prompt:
    """The prompt of the revision."""
    return load_prompt("openwork_synthesiser", "reviser", 1)


def tier_of(analysis: QuestionAnalysis, gap: GapAssessment) -> Tier:
    """The smart model for complex questions and evidence that disagrees, else the fast one."""
    return Tier.SMART if analysis.complexity > SMART_ABOVE or gap.contradictions else Tier.FAST


def synthesis_fillings(assignment: Assignment) -> dict[str, Filling]:
    """What fills the prompt of the draft."""
    return {
        "question": Theirs("question", assignment.analysis.question),
        "assessment": _assessment(assignment.gap),
        "sources": source_entries(assignment.passages, assignment.documents, max_chars=SOURCE_CHARS),
    }


def revision_fillings(
    draft: Sequence[DraftSection], event: RevisionRequested, assignment: Assignment
) -> dict[str, Filling]:
    """What fills the prompt of the revision: only the sources that the draft cites, and what failed and why."""
    cited = {n for section in draft for claim in section.claims for n in claim.citations}
    passages = [p for p in assignment.passages if p.n in cited] or list(assignment.passages)
    failed: list[Ours | Theirs] = []
    for i, verdict in enumerate(event.failed, start=1):
        why = "; ".join(f"{r.code.value.replace('_', ' ')}: {r.detail}" for r in verdict.reasons)
        failed.append(
            Theirs(f"failed {i}, {verdict.verdict.value.replace('_', ' ')}", f"{_marked(verdict)}\nWhy: {why}")
        )
    return {
        "question": Theirs("question", assignment.analysis.question),
        "draft": Theirs("draft", _markdown(draft)),
        "failed": tuple(failed) or Ours("none"),
        "sources": source_entries(passages, assignment.documents, max_chars=SOURCE_CHARS),
    }


def may_revise(event: RevisionRequested) -> bool:
    """Whether a model's draft is worth the model's own revision."""
    n_claims = event.verification.claims
    return bool(n_claims) and len(event.failed) / n_claims <= MOST_FAILED


def drafted_sections(
    markdown: str, assignment: Assignment, limits: SynthesisLimits = LIMITS
) -> tuple[DraftSection, ...]:
    """A model's text as the draft, with the program's words on what the evidence lacks; empty = no cited sentence."""
    written = _without_misfits(parse_draft(markdown), assignment)
    if not any(claim.citations for section in written for claim in section.claims):
        return ()
    opening = leading_gap(assignment.gap)
    closing = tuple(limitation_claims((), (), assignment.passages, assignment.documents, assignment.gap, limits))
    own_words = sum(n_words(claim.text) for claim in (*opening, *closing))
    written = cut_to_words(written, limits.max_words - own_words)
    sections = _with(written, SectionKind.DIRECT_ANSWER, DIRECT_HEADING, before=opening)
    return _with(sections, SectionKind.LIMITATIONS, LIMITATION_HEADING, before=closing)


def _without_misfits(sections: Sequence[DraftSection], assignment: Assignment) -> tuple[DraftSection, ...]:
    """The sections without claims that rest only on works marked as not testing what is asked."""
    fitting = {p.n for p in assignment.passages if not p.fit.misfit}
    misfits = {p.n for p in assignment.passages} - fitting
    kept = (
        s.model_copy(
            update={"claims": tuple(c for c in s.claims if not c.citations or not set(c.citations) <= misfits)}
        )
        for s in sections
    )
    return tuple(section for section in kept if section.claims)


def _with(
    sections: Sequence[DraftSection], kind: SectionKind, heading: str, *, before: tuple[DraftClaim, ...]
) -> tuple[DraftSection, ...]:
    """The sections with these claims at the beginning of one of them, which is made if there is none."""
    if not before:
        return tuple(sections)
    own = next((s for s in sections if s.kind is kind), DraftSection(kind=kind, heading=heading))
    whole = own.model_copy(update={"claims": (*before, *(c for c in own.claims if c not in before))})
    order = list(SectionKind)
    return tuple(sorted([*(s for s in sections if s is not own), whole], key=lambda s: order.index(s.kind)))


def _assessment(gap: GapAssessment) -> tuple[Ours | Theirs, ...]:
    """Counts and shares of the code as ours; what is made of names as data."""
    lines: list[Ours | Theirs] = [
        Ours(f"- coverage of the question: {gap.coverage:.0%}; assessment: {gap.assessment.value}"),
        Ours(f"- contradictions between sources: {'yes' if gap.contradictions else 'none found'}"),
    ]
    if gap.contradictions:
        lines.append(Theirs("contradictions", "\n".join(c.summary for c in gap.contradictions[:3])))
    if gap.missing_elements:
        lines.append(Theirs("missing", "; ".join(gap.missing_elements[:3])))
    return tuple(lines)


def _markdown(sections: Sequence[DraftSection]) -> str:
    blocks = []
    for section in sections:
        lines = [f"- {_marked(claim)}" for claim in section.claims if claim.citations]
        if lines:
            blocks.append("\n".join([f"## {section.heading}", *lines]))
    return "\n\n".join(blocks)


def _marked(claim: DraftClaim | ClaimVerdict) -> str:
    return f"{claim.text.rstrip('.')} {''.join(f'[{n}]' for n in claim.citations)}.".replace("  ", " ").replace(
        " .", "."
    )
