"""The language model's draft and revision: which model, what it is shown, how its claims become sections.

The direct answer is the program's: forms filled from the answer object (`openwork_answers.forms`). A model writes the
sentences around them, each with the words of its source, and only where there is no form the answer itself. What it
writes is never an answer yet: it is sifted (`model_claims`), cut to the limit of words, and goes to the verifier.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from openwork_answers.forms import lines_of
from openwork_answers.lines import Line
from openwork_answers.table import table_of
from openwork_contracts.answer import DraftClaim, DraftSection, RevisionRequested, SectionKind
from openwork_contracts.gap import GapAssessment
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.verdict import ClaimVerdict
from openwork_language.mentions import idea_tokens
from openwork_llm.messages import Tier
from openwork_llm.prompts import Filling, Ours, Prompt, Theirs, load_prompt
from openwork_llm.sources import source_entries

from openwork_synthesiser.domain.assignment import Assignment
from openwork_synthesiser.domain.draft import (
    CONFLICT_HEADING,
    DIRECT_HEADING,
    LEVELS,
    LIMITATION_HEADING,
    OTHER_LEVEL,
    Level,
)
from openwork_synthesiser.domain.limitations import leading_gap, limitation_claims
from openwork_synthesiser.domain.model_claims import Held, Part
from openwork_synthesiser.domain.model_text import cut_to_words
from openwork_synthesiser.domain.selection import n_words
from openwork_synthesiser.domain.thresholds import LIMITS, SynthesisLimits

SMART_ABOVE = 0.5
"""Complexity above which the smart model writes; it also does when sources contradict each other."""
SOURCE_CHARS = 3_000
"""Of the passages of one work: about 700 tokens; ten works make a prompt of 8,000."""
MOST_FAILED = 0.5
"""Share of a model's claims that failed above which it does not revise them: it did not keep to the sources."""
_FIGURE = re.compile(r"\d+\.\d+|\d+(?=\s?%)(?!\s?%\s(?:CI|CrI|confidence|credible))", re.IGNORECASE)
"""Decimals and percentages, but for the level of an interval; years, doses and counts of people set no result apart."""
_MOST_LEADING = 2
"""Claims of the evidence that become the direct answer where a model names none as such."""
_LEAST_FIGURES = 2
"""A sentence with fewer figures is not told again by a form that happens to hold one."""


def synthesis_prompt() -> Prompt:
    """The prompt of the draft."""
    return load_prompt("openwork_synthesiser", "synthesiser", 2)


def revision_prompt() -> Prompt:
    """The prompt of the revision."""
    return load_prompt("openwork_synthesiser", "reviser", 2)


def tier_of(analysis: QuestionAnalysis, gap: GapAssessment) -> Tier:
    """The smart model for complex questions and evidence that disagrees, else the fast one; for draft and revision."""
    return Tier.SMART if analysis.complexity > SMART_ABOVE or gap.contradictions else Tier.FAST


def forms_of(assignment: Assignment) -> tuple[Line, ...]:
    """What the program says itself; empty where the answer object holds no result."""
    return lines_of(assignment.conclusion) if assignment.conclusion is not None else ()


def synthesis_fillings(assignment: Assignment, sources: frozenset[int]) -> dict[str, Filling]:
    """What fills the prompt of the draft.

    Args:
        sources: citation numbers of the works that are shown (`held_sources`).
    """
    passages = [p for p in assignment.passages if p.n in sources]
    return {
        "sources": source_entries(passages, assignment.documents, max_chars=SOURCE_CHARS),
        "printed": _printed(assignment),
        "question": Theirs("question", assignment.analysis.question),
    }


def _printed(assignment: Assignment) -> tuple[Ours | Theirs, ...]:
    """Lines and table of the answer, and what the program says is missing: data, since they hold a source's words."""
    lines = [f"{line.text} {_marks(line.citations)}".strip() for line in forms_of(assignment)]
    if assignment.conclusion is not None:
        lines += [" | ".join(row.cells) for row in table_of(assignment.conclusion)]
    parts: list[Ours | Theirs] = [Theirs("printed lines", "\n".join(lines)) if lines else Ours("no lines")]
    if assignment.gap.contradictions:
        parts.append(Theirs("contradictions", "\n".join(c.summary for c in assignment.gap.contradictions[:3])))
    if assignment.gap.missing_elements:
        parts.append(Theirs("missing", "; ".join(assignment.gap.missing_elements[:3])))
    return tuple(parts)


def drafted_sections(
    held: Sequence[Held], assignment: Assignment, limits: SynthesisLimits = LIMITS
) -> tuple[DraftSection, ...]:
    """A model's claims around the program's words; empty = nothing of the model's is left, or nothing answers."""
    lines = forms_of(assignment)
    kept = [one for one in held if not _is_told_again(one.claim, lines, limits)]
    if not lines:
        kept = _with_answer(kept)
    if not kept:
        return ()
    gap = assignment.gap.model_copy(update={"missing_elements": ()}) if lines else assignment.gap
    closing = tuple(limitation_claims((), (), assignment.passages, assignment.documents, gap, limits))
    own = tuple(DraftClaim(text=line.text, citations=line.citations) for line in lines) or leading_gap(gap)
    written = _sections(kept, assignment, leads=not lines)
    left = limits.max_words - sum(n_words(claim.text) for claim in (*own, *closing))
    sections = _with(cut_to_words(written, left), SectionKind.DIRECT_ANSWER, DIRECT_HEADING, before=own)
    return _with(sections, SectionKind.LIMITATIONS, LIMITATION_HEADING, before=closing)


def _with_answer(held: Sequence[Held]) -> list[Held]:
    """With a direct answer: what the model calls one, else the first of its claims that may be; empty without any."""
    if any(one.part is Part.ANSWER for one in held):
        return list(held)
    leading = [one for one in held if one.answers][:_MOST_LEADING]
    rest = [one for one in held if one not in leading]
    return [*(replace(one, part=Part.ANSWER) for one in leading), *rest] if leading else []


def _sections(held: Sequence[Held], assignment: Assignment, *, leads: bool) -> list[DraftSection]:
    """The claims by part, those of the evidence by the level of their first source, in the order of an answer."""
    gathered: dict[tuple[SectionKind, str], list[DraftClaim]] = {}
    for one in held:
        part = Part.EVIDENCE if one.part is Part.ANSWER and not leads else one.part
        gathered.setdefault(_place(part, one.claim, assignment), []).append(one.claim)
    headings = [level.heading for level in (*LEVELS, OTHER_LEVEL)]
    order = list(SectionKind)
    places = sorted(gathered, key=lambda p: (order.index(p[0]), headings.index(p[1]) if p[1] in headings else 0))
    return [DraftSection(kind=p[0], heading=p[1], claims=tuple(gathered[p])) for p in places]


def _place(part: Part, claim: DraftClaim, assignment: Assignment) -> tuple[SectionKind, str]:
    match part:
        case Part.ANSWER:
            return SectionKind.DIRECT_ANSWER, DIRECT_HEADING
        case Part.DISAGREEMENT:
            return SectionKind.CONFLICTS, CONFLICT_HEADING
        case Part.LIMITATION:
            return SectionKind.LIMITATIONS, LIMITATION_HEADING
        case Part.EVIDENCE:
            return SectionKind.EVIDENCE, _level(claim, assignment).heading


def _level(claim: DraftClaim, assignment: Assignment) -> Level:
    design = assignment.documents[claim.citations[0] - 1].study_design
    return next((level for level in LEVELS if design in level.designs), OTHER_LEVEL)


def _is_told_again(claim: DraftClaim, lines: Sequence[Line], limits: SynthesisLimits) -> bool:
    """Whether a form of the same source has all figures of a claim, or nearly all of its words."""
    figures, words = frozenset(_FIGURE.findall(claim.text)), idea_tokens(claim.text)
    for line in lines:
        if not set(claim.citations) <= set(line.citations):
            continue
        if len(figures) >= _LEAST_FIGURES and figures <= frozenset(_FIGURE.findall(line.text)):
            return True
        if words and len(words & idea_tokens(line.text)) / len(words) >= limits.duplicate_elsewhere:
            return True
    return False


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


def _marks(citations: Sequence[int]) -> str:
    return "".join(f"[{n}]" for n in citations)


@dataclass(frozen=True, slots=True)
class Returned:
    """What of a draft came back from the check."""

    of_model: tuple[ClaimVerdict, ...]
    """In the order of their numbers in the prompt, from 1."""
    of_program: tuple[ClaimVerdict, ...]
    n_by_model: int
    """Claims of the draft that the model wrote, failed or not."""

    @property
    def may_be_mended(self) -> bool:
        """Whether the model is asked to mend its own: not when most of it failed."""
        return bool(self.of_model) and len(self.of_model) / max(1, self.n_by_model) <= MOST_FAILED


def returned(draft: Sequence[DraftSection], event: RevisionRequested, assignment: Assignment) -> Returned:
    """The failed claims by who wrote them; forms and sentences without a source are the program's."""
    forms = {line.text for line in forms_of(assignment)}
    of_model = tuple(v for v in event.failed if v.citations and v.text not in forms)
    n_by_model = sum(bool(c.citations) and c.text not in forms for s in draft for c in s.claims)
    return Returned(of_model, tuple(v for v in event.failed if v not in of_model), n_by_model)


def revision_fillings(failed: Sequence[ClaimVerdict], assignment: Assignment) -> dict[str, Filling]:
    """What fills the prompt of the revision: the failed claims by number, the reasons, the sources they cite."""
    cited = {n for verdict in failed for n in verdict.citations}
    parts: list[Ours | Theirs] = []
    for number, verdict in enumerate(failed, start=1):
        why = "; ".join(f"{r.code.value.replace('_', ' ')}: {r.detail}" for r in verdict.reasons)
        parts.append(Ours(f"sentence {number}, cites {', '.join(map(str, verdict.citations))}"))
        label = f"failed {number}, {verdict.verdict.value.replace('_', ' ')}"
        parts.append(Theirs(label, f"{verdict.text}\nWhy: {why}"))
    passages = [p for p in assignment.passages if p.n in cited]
    return {
        "sources": source_entries(passages, assignment.documents, max_chars=SOURCE_CHARS),
        "failed": tuple(parts),
        "question": Theirs("question", assignment.analysis.question),
    }
