"""The one revision: claims that did not pass are said in the source's own words, replaced, or dropped."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.answer import DraftClaim, DraftSection, SectionKind
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.gap import GapAssessment
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.verdict import ClaimVerdict

from openwork_synthesiser.domain.draft import LEVELS, OTHER_LEVEL, Pool, claim_of, is_wanted, make_pool, may_lead
from openwork_synthesiser.domain.selection import is_repeated, n_words
from openwork_synthesiser.domain.statements import Role, Statement
from openwork_synthesiser.domain.thresholds import LIMITS, SynthesisLimits


def revise(
    sections: Sequence[DraftSection],
    failed: Sequence[ClaimVerdict],
    analysis: QuestionAnalysis,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
    gap: GapAssessment,
    limits: SynthesisLimits = LIMITS,
) -> tuple[DraftSection, ...]:
    """The draft without the claims that failed.

    A failed claim to which a year had been added is tried once more without it; one that stood as in its source, or
    that a model wrote, gives way to the next best sentence for its section; where there is none it is dropped, and a
    section without claims with it. No claim that failed comes back.
    """
    pool = make_pool(analysis, passages, documents, gap, limits)
    rejected = {key_of(v.text, v.citations) for v in failed}
    texts = {c.text for s in sections for c in s.claims}
    pool.used = [s for s in pool.statements if claim_of(s).text in texts or s.verbatim in texts]
    spare = limits.max_words - sum(n_words(c.text) for s in sections for c in s.claims)
    revised = []
    for section in sections:
        claims: list[DraftClaim] = []
        for claim in section.claims:
            if key_of(claim.text, claim.citations) not in rejected:
                claims.append(claim)
                continue
            spare += n_words(claim.text)
            other = _instead(claim, section, pool, rejected, max_words=spare)
            if other is not None:
                spare -= n_words(other.text)
                claims.append(other)
        if claims:
            revised.append(section.model_copy(update={"claims": tuple(claims)}))
    return tuple(revised)


def key_of(text: str, citations: Sequence[int]) -> tuple[str, tuple[int, ...]]:
    """What a claim is known by: the verifier gives it back with white space folded."""
    return " ".join(text.split()), tuple(sorted(citations))


def _instead(
    claim: DraftClaim, section: DraftSection, pool: Pool, rejected: set[tuple[str, tuple[int, ...]]], *, max_words: int
) -> DraftClaim | None:
    if not claim.citations:
        return None
    origin = _origin(claim, pool.statements)
    if origin is not None:
        plain = DraftClaim(text=origin.text, citations=(origin.n,))
        if plain.text != claim.text and key_of(plain.text, plain.citations) not in rejected:
            return plain
    for statement in sorted(pool.statements, key=lambda s: (-s.relevance, s.n, s.verbatim)):
        other = claim_of(statement)
        if (
            _belongs(statement, section, pool)
            and n_words(other.text) <= max_words
            and key_of(other.text, other.citations) not in rejected
            and not is_repeated(statement, pool.used, pool.limits)
        ):
            pool.used.append(statement)
            return other
    return None


def _origin(claim: DraftClaim, statements: Sequence[Statement]) -> Statement | None:
    return next((s for s in statements if s.n in claim.citations and claim_of(s).text == claim.text), None)


def _belongs(statement: Statement, section: DraftSection, pool: Pool) -> bool:
    """Whether a statement may stand in a section. Conflicts are pairs: a half that failed has no substitute."""
    if section.kind is SectionKind.CONFLICTS:
        return False
    if section.kind is SectionKind.LIMITATIONS:
        return statement.role is Role.LIMITATION
    if section.kind is SectionKind.DIRECT_ANSWER:
        return statement.answers and may_lead(statement)
    level = next((x for x in (*LEVELS, OTHER_LEVEL) if x.heading == section.heading), None)
    in_level = level is None or statement.document.study_design in level.designs
    return in_level and is_wanted(statement, pool.limits)
