"""The extractive draft: the direct answer first, then the evidence by level, conflicts, and limitations.

Every cited claim is one sentence of one passage, at most lightly edited, so that a reader can find it there. Nothing is
composed from two sources. Uncited claims say something about the evidence set itself and about nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from openwork_answers.about import is_sentence_about
from openwork_answers.asked import Question, reading_of
from openwork_answers.forms import lines_of
from openwork_contracts.answer import DraftClaim, DraftSection, SectionKind
from openwork_contracts.conclusion import Conclusion
from openwork_contracts.evidence import EvidenceCandidate, StudyDesign
from openwork_contracts.gap import GapAssessment
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.strategy import SearchStrategy
from openwork_contracts.verdict import ClaimVerdict
from openwork_evidence.findable import is_findable
from openwork_knowledge.designs import OBSERVATIONAL, SUMMARIES, SYNTHESES
from openwork_language.searching.ladder import strategy_of

from openwork_synthesiser.domain.conflicts import conflict_pairs
from openwork_synthesiser.domain.limitations import leading_gap, limitation_claims
from openwork_synthesiser.domain.relevance import Scorer
from openwork_synthesiser.domain.selection import n_words, select
from openwork_synthesiser.domain.statements import Role, Statement, read_statements
from openwork_synthesiser.domain.thresholds import LIMITS, SynthesisLimits
from openwork_synthesiser.domain.wording import called_preprint, dated

DIRECT_HEADING = "Answer"
CONFLICT_HEADING = "Where the evidence disagrees"
LIMITATION_HEADING = "Limitations"
NEAREST_HEADING = "Nearest to the question"


@dataclass(frozen=True, slots=True)
class Level:
    """A part of the evidence section."""

    heading: str
    designs: frozenset[StudyDesign]
    max_claims: int


LEVELS = (
    Level("Guidelines", frozenset({StudyDesign.GUIDELINE}), 3),
    Level("Meta-analyses and systematic reviews", SYNTHESES, 3),
    Level("Randomised trials", frozenset({StudyDesign.RCT, StudyDesign.CLINICAL_TRIAL}), 4),
    Level("Observational studies", OBSERVATIONAL, 3),
    Level("Drug labels", frozenset({StudyDesign.DRUG_LABEL}), 2),
    Level("Preprints", frozenset({StudyDesign.PREPRINT}), 1),
)
OTHER_LEVEL = Level("Other sources", frozenset(StudyDesign) - frozenset(d for x in LEVELS for d in x.designs), 1)


@dataclass(slots=True)
class Pool:
    """All statements, scored, and those already used."""

    statements: list[Statement]
    scorer: Scorer
    limits: SynthesisLimits
    used: list[Statement] = field(default_factory=list)
    is_about_alone: bool = False
    """Whether it holds only what was read to be about the question (`_about`)."""

    def use(self, statements: Sequence[Statement]) -> tuple[DraftClaim, ...]:
        """Claims of the statements, which are then not used again."""
        self.used += statements
        return tuple(claim_of(s) for s in statements)


def make_pool(
    analysis: QuestionAnalysis,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
    gap: GapAssessment,
    limits: SynthesisLimits,
) -> Pool:
    """Every sentence that may be used, scored against the question."""
    scorer = Scorer(analysis, gap, limits.relevance)
    read = read_statements(passages, documents, min_words=limits.min_claim_words, max_words=limits.max_claim_words)
    return Pool([scorer.score(s) for s in read], scorer, limits)


def claim_of(statement: Statement) -> DraftClaim:
    """The sentence with its year and its citation."""
    text = called_preprint(dated(statement.text, statement.document), statement.document)
    return DraftClaim(text=text, citations=(statement.n,))


def draft(
    analysis: QuestionAnalysis,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
    gap: GapAssessment,
    limits: SynthesisLimits = LIMITS,
    *,
    conclusion: Conclusion | None = None,
    strategy: SearchStrategy | None = None,
) -> tuple[DraftSection, ...]:
    """The answer as sections of cited sentences; empty when no sentence of the passages can stand in it.

    Args:
        analysis: the question as understood.
        passages: the ranked passages; `n` is the place (from 1) of their document in `documents`.
        documents: the works they come from.
        gap: what the evidence covers; its missing elements and contradictions are said.
        conclusion: the answer object: where it holds a result, the direct answer is its forms, and sentences of sources
            stand beside them; where it does not, sentences of the sources that are about the question are the answer.
    """
    pool = make_pool(analysis, passages, documents, gap, limits)
    likely: list[Statement] = []
    names_both = False
    if conclusion is not None and lines_of(conclusion):
        beside: list[Statement] = []
        if conclusion.regimens:  # what a source tells of the dose besides: when it is lowered
            strategy = strategy or strategy_of(analysis)
            about = _about(pool.statements, reading_of(analysis, strategy, conclusion), conclusion, strategy)
            beside = [s for s in about if is_wanted(s, limits) and may_lead(s)][:1]
        return _from_results(pool, conclusion, passages, documents, gap, beside)
    if conclusion is not None:
        strategy = strategy or strategy_of(analysis)
        question = reading_of(analysis, strategy, conclusion)
        likely = _in_words(pool.statements, conclusion, limits)
        pool.statements = _about(pool.statements, question, conclusion, strategy)
        pool.is_about_alone = True
        names_both = bool(question.contrast or question.comparators)  # each of its sentences does
        if question.treatments and not question.asks_for_words:
            pool.statements = _with_figures(pool.statements)
    pairs = conflict_pairs(pool.statements, gap, limits)
    reserved = [s for pair in pairs for s in pair]
    likely = [s for s in likely if s not in reserved]
    opening = () if names_both else leading_gap(gap)
    direct = _direct(pool, reserved, likely)
    if not direct:
        pairs, reserved = [], []
        direct = _direct(pool, reserved, likely)
    if not direct:
        return ()
    sections = [
        DraftSection(kind=SectionKind.DIRECT_ANSWER, heading=DIRECT_HEADING, claims=(*opening, *pool.use(direct)))
    ]
    conflicts = tuple(claim for pair in pairs for claim in _conflict_claims(pool, pair))
    used = sum(n_words(c.text) for c in (*sections[0].claims, *conflicts))
    sections += _evidence(pool, min(limits.evidence_words, limits.max_words - used - limits.limitation_words))
    if conflicts:
        sections.append(DraftSection(kind=SectionKind.CONFLICTS, heading=CONFLICT_HEADING, claims=conflicts))
    limitations = limitation_claims(pool.statements, pool.used, passages, documents, gap, limits)
    if limitations:
        sections.append(
            DraftSection(kind=SectionKind.LIMITATIONS, heading=LIMITATION_HEADING, claims=tuple(limitations))
        )
    return tuple(sections)


def nearest(conclusion: Conclusion) -> tuple[DraftSection, ...]:
    """Beside the statement that nothing was found: the forms of what stands nearest, which are no answer."""
    claims = tuple(DraftClaim(text=line.text, citations=line.citations) for line in lines_of(conclusion))
    return (DraftSection(kind=SectionKind.EVIDENCE, heading=NEAREST_HEADING, claims=claims),)


def without_failed(sections: Sequence[DraftSection], failed: Sequence[ClaimVerdict]) -> tuple[DraftSection, ...]:
    """What is left of a draft of forms: nothing stands for one that does not pass."""
    texts = {verdict.text for verdict in failed}
    return tuple(s.model_copy(update={"claims": tuple(c for c in s.claims if c.text not in texts)}) for s in sections)


def _about(
    statements: Sequence[Statement], question: Question, conclusion: Conclusion, strategy: SearchStrategy
) -> list[Statement]:
    """The sentences that are about the question; a limitation is of its source."""
    sources = conclusion.sources_read
    return [
        s
        for s in statements
        if s.n in sources
        and (s.role is Role.LIMITATION or is_sentence_about(question, strategy, s.document, s.verbatim))
    ]


def _with_figures(statements: Sequence[Statement]) -> list[Statement]:
    """Of a work that tells the effect in figures none of its sentences without: "... cut exacerbations" says less."""
    told = {s.n for s in statements if s.role is not Role.LIMITATION and _FIGURES.search(s.verbatim)}
    return [s for s in statements if s.role is Role.LIMITATION or s.n not in told or _FIGURES.search(s.verbatim)]


_FIGURES = re.compile(
    r"\d\s?%(?!\s?CI)|\b(?:HR|RR|OR|IRR)\s\d|\d\s(?:of|versus|v)\s\d|\bper\s(?:\d|(?:patient|person)-year)"
)


def _from_results(
    pool: Pool,
    conclusion: Conclusion,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
    gap: GapAssessment,
    beside: Sequence[Statement],
) -> tuple[DraftSection, ...]:
    """The forms of the answer object, then what guidelines say, then limitations of the sources named."""
    forms = (DraftClaim(text=line.text, citations=line.citations) for line in lines_of(conclusion))
    direct = (*forms, *pool.use(beside))
    sections = [DraftSection(kind=SectionKind.DIRECT_ANSWER, heading=DIRECT_HEADING, claims=direct)]
    guidelines = LEVELS[0]
    said = {one.text.rstrip(".") for one in conclusion.guidelines}
    wanted = [
        s
        for s in pool.statements
        if s.document.study_design in guidelines.designs
        and s.n in conclusion.sources
        and is_wanted(s, pool.limits)
        and s.verbatim.rstrip(".") not in said
    ]
    chosen = select(wanted, (), pool.limits, max_claims=guidelines.max_claims, max_words=pool.limits.conflict_words)
    if chosen:
        sections.append(DraftSection(kind=SectionKind.EVIDENCE, heading=guidelines.heading, claims=pool.use(chosen)))
    cited = {*(n for claim in direct for n in claim.citations), *(s.n for s in chosen)}
    pool.used += [s for s in pool.statements if s.n in cited and s not in pool.used]
    missing = gap.model_copy(update={"missing_elements": ()})  # the direct answer says what is missing
    limitations = limitation_claims(pool.statements, pool.used, passages, documents, missing, pool.limits)
    if limitations:
        sections.append(
            DraftSection(kind=SectionKind.LIMITATIONS, heading=LIMITATION_HEADING, claims=tuple(limitations))
        )
    return tuple(sections)


def _in_words(statements: Sequence[Statement], conclusion: Conclusion, limits: SynthesisLimits) -> list[Statement]:
    """The sentences that are likely to be asked for, as far as they may lead an answer and it has room."""
    may_stand = [s for s in statements if may_lead(s) and s.role is not Role.LIMITATION and not s.passage.fit.misfit]
    at = {(s.n, s.verbatim): s for s in reversed(may_stand)}
    found = [at[one.n, one.text] for one in conclusion.sentences_beside if (one.n, one.text) in at]
    while len(found) > 1 and sum(n_words(s.text) for s in found) > limits.direct_words:
        found.pop()
    return found[: limits.direct_claims]


def _direct(pool: Pool, reserved: Sequence[Statement], first: Sequence[Statement] = ()) -> list[Statement]:
    """Two or three sentences that answer the question; where none does, the most relevant ones there are, and where
    none scores as relevant, those that an answer object holds to be about it.

    Args:
        first: what stands before them.
    """
    limits = pool.limits
    free = [s for s in pool.statements if s not in reserved and s.role is not Role.LIMITATION]
    relevant = [s for s in free if is_wanted(s, limits) and may_lead(s)]
    fitting = [s for s in relevant if s.answers and s.document.study_design is not StudyDesign.PREPRINT]
    about = [s for s in free if pool.is_about_alone and may_lead(s) and not s.passage.fit.misfit]
    for candidates in (fitting, relevant, about):
        chosen = select(
            candidates,
            first,
            limits,
            max_claims=limits.direct_claims - len(first),
            max_words=limits.direct_words - sum(n_words(s.text) for s in first),
            diversity=limits.direct_diversity,
        )
        if chosen:
            return [*first, *sorted(chosen, key=lambda s: s.document.study_design not in SUMMARIES)]
    return [*first]


def _conflict_claims(pool: Pool, pair: tuple[Statement, Statement]) -> tuple[DraftClaim, DraftClaim]:
    """Two sentences side by side, each verbatim from its own source."""
    first, second = pool.use(pair)
    keeps_capital = second.text.split()[0].rstrip(",").lower() not in {"in", "the", "among", "a", "an"}
    text = second.text if keeps_capital else second.text[0].lower() + second.text[1:]
    return first, DraftClaim(text=f"By contrast, {text}", citations=second.citations)


def is_wanted(statement: Statement, limits: SynthesisLimits) -> bool:
    """Whether a statement may stand in the evidence section."""
    fits = statement.on_topic and not statement.passage.fit.misfit
    return fits and statement.role is not Role.LIMITATION and statement.relevance >= limits.min_relevance


def may_lead(statement: Statement) -> bool:
    """Whether a reader can look up the work it stands in: what nobody can find may be listed, and leads no answer."""
    return is_findable(statement.document.identifiers)


def _is_restated(statement: Statement, used: Sequence[Statement]) -> bool:
    """Used already, or the conclusion of a source whose result is."""
    return statement in used or (statement.role is Role.CONCLUSION and any(s.n == statement.n for s in used))


def _most_direct(statements: Sequence[Statement], level: Level) -> list[Statement]:
    """Statements of a level; where one compares what was asked, those that name only one side are left out."""
    own = [s for s in statements if s.document.study_design in level.designs]
    return [s for s in own if s.directness >= 1.0] or own


def _evidence(pool: Pool, max_words: int) -> list[DraftSection]:
    """A section per level that has something to add; the budget is shared so that each level is heard."""
    chosen: dict[str, list[Statement]] = {}
    words = max_words
    wanted = [s for s in pool.statements if is_wanted(s, pool.limits)]
    levels = (*LEVELS, OTHER_LEVEL)
    used = list(pool.used)
    for n_each in (1, 4):
        for level in levels:
            have = chosen.setdefault(level.heading, [])
            cited = {s.n for s in have}
            fresh = [s for s in wanted if not _is_restated(s, used)]
            candidates = [s for s in _most_direct(fresh, level) if s.n not in cited]
            room = min(n_each, level.max_claims - len(have))
            more = select(candidates, used, pool.limits, max_claims=room, max_words=words)
            words -= sum(n_words(s.text) + 4 for s in more)
            have += more
            used += more
    return [
        DraftSection(kind=SectionKind.EVIDENCE, heading=level.heading, claims=pool.use(chosen[level.heading]))
        for level in levels
        if chosen[level.heading]
    ]
