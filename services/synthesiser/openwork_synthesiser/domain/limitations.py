"""What the evidence cannot say: in its own words (cited), and about the set of sources itself (uncited)."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.answer import DraftClaim
from openwork_contracts.evidence import EvidenceCandidate, EvidenceStatus, StudyDesign
from openwork_contracts.gap import GapAssessment
from openwork_contracts.ranking import RankedPassage
from openwork_knowledge.statuses import is_void

from openwork_synthesiser.domain.selection import is_repeated, n_words
from openwork_synthesiser.domain.statements import Role, Statement
from openwork_synthesiser.domain.thresholds import SynthesisLimits
from openwork_synthesiser.domain.wording import dated, short_title

MISFIT_RANKS = 1
"""A trial that tested something else is named when one of its passages is among so many best ones."""
_DIRECT_COMPARISON = "direct comparison of"


def leading_gap(gap: GapAssessment) -> tuple[DraftClaim, ...]:
    """What a reader must know before the first result: that the question was never tested directly."""
    missing = [m for m in gap.missing_elements if m.startswith(_DIRECT_COMPARISON)]
    return tuple(not_found(m) for m in missing[:1])


def not_found(what: str) -> DraftClaim:
    """A statement about the evidence set, in the form that the verifier knows as such."""
    return DraftClaim(text=f"The evidence found contains no {what}.")


def limitation_claims(
    statements: Sequence[Statement],
    used: Sequence[Statement],
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
    gap: GapAssessment,
    limits: SynthesisLimits,
) -> list[DraftClaim]:
    """What is missing, what was left out and why, then the sources' own limitations, within the budget."""
    claims = [not_found(m) for m in gap.missing_elements if not m.startswith(_DIRECT_COMPARISON)][:3]
    claims += _notes_on_sources(passages, documents)
    if gap.recency_concern and gap.newest_year is not None:
        claims.append(DraftClaim(text=f"The evidence found contains no source published after {gap.newest_year}."))
    words = sum(n_words(c.text) for c in claims)
    cited = [s.n for s in used]
    own = [s for s in statements if s.role is Role.LIMITATION and s.n in cited]
    own.sort(key=lambda s: (cited.index(s.n), -s.relevance))
    taken: list[Statement] = []
    for statement in own:
        fits = words + n_words(statement.text) <= limits.limitation_words
        if len(taken) >= limits.own_limitations or not fits or statement.n in {s.n for s in taken}:
            continue
        if not is_repeated(statement, taken, limits):
            taken.append(statement)
            words += n_words(statement.text)
    claims += [DraftClaim(text=dated(s.text, s.document, only_names=True), citations=(s.n,)) for s in taken]
    return claims


def _notes_on_sources(passages: Sequence[RankedPassage], documents: Sequence[EvidenceCandidate]) -> list[DraftClaim]:
    """Sources that were kept out of the answer, or that a reader must take with care."""
    # Only where the ranking holds it among the best: a reader who knows the field will look for it there.
    misfits = {p.n: p.fit.message for p in passages[:MISFIT_RANKS] if p.fit.misfit}
    claims = []
    for n, document in enumerate(documents, start=1):
        name = short_title(document)
        if is_void(document.status):
            text = f"The evidence found includes a {document.status.value} source, which was not used: {name}."
        elif document.status is EvidenceStatus.CONCERN:
            text = f"The evidence found is limited by an expression of concern about one source: {name}."
        elif n in misfits:
            why = (misfits[n] or "it tested something else").rstrip(". ")
            text = f"The evidence found includes a trial that did not test what was asked: {name} ({why})."
        elif document.study_design is StudyDesign.PREPRINT:
            text = f"The evidence found includes a preprint that is not peer reviewed: {name}."
        else:
            continue
        claims.append(DraftClaim(text=text))
    return claims[:3]
