"""The language model's judgement of the evidence, and what of it is taken over.

Counts, years and coverage stay the code's. The model may lower an assessment, name what is missing in words that cannot
carry a claim, point to a contradiction that both sources state in words it quotes, and ask for the one further search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openwork_contracts.evidence import EvidenceCandidate, TextOrigin
from openwork_contracts.gap import Assessment, Contradiction, GapAssessment, GapRecommendation
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import RankedPassage
from openwork_evidence.quotes import find_quote
from openwork_knowledge.tables import words
from openwork_language.effects.find import conflict, find_effects
from openwork_language.tokens import token_set, tokenise
from openwork_llm.prompts import Filling, Prompt, Theirs, load_prompt
from openwork_llm.sources import source_entries
from pydantic import BaseModel, ConfigDict, Field

from openwork_gap.domain.result_sentences import result_sentences
from openwork_gap.domain.thresholds import GapThresholds

RESULT_CHARS = 700
"""Of each work: four or five sentences that tell results, which is what coverage and contradictions are judged by."""
MAX_MISSING = 3
MAX_MISSING_WORDS = 12
MAX_OUTCOME_WORDS = 8
MAX_QUOTE_CHARS = 300
_STUDY_WORDS = frozenset(tokenise(" ".join(words("gap-words", "kind_of_evidence"))))
"""Words for kinds of evidence: with the question's own words, all that a missing element may be made of."""
_STATING_WORDS = frozenset(words("gap-words", "statement"))
"""Words that make a statement of a phrase."""


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ModelContradiction(_Shape):
    """Two sources that, as the model reads them, report opposite directions."""

    first: int
    second: int
    comparison: str
    outcome: str
    first_quote: str
    second_quote: str


class ModelGap(_Shape):
    """What the model is asked to say of the evidence."""

    assessment: Assessment
    contradictions: list[ModelContradiction] = Field(max_length=10)
    missing_elements: list[str] = Field(max_length=10)
    recommendation: GapRecommendation


def gap_prompt() -> Prompt:
    """The prompt in use."""
    return load_prompt("openwork_gap", "gap", 2)


def fillings_of(
    analysis: QuestionAnalysis, passages: Sequence[RankedPassage], documents: Sequence[EvidenceCandidate]
) -> dict[str, Filling]:
    """What fills the prompt."""
    return {
        "question": Theirs("question", analysis.question),
        "sources": source_entries(passages, documents, max_chars=RESULT_CHARS, shortened=result_sentences),
    }


def merge(
    gap: GapAssessment,
    judgement: ModelGap,
    analysis: QuestionAnalysis,
    passages: Sequence[RankedPassage],
    *,
    model: str,
    thresholds: GapThresholds,
) -> GapAssessment:
    """The deterministic assessment with what of the model's judgement passes the checks."""
    missing = _missing(gap, judgement.missing_elements, analysis)
    contradictions = _contradictions(gap, judgement.contradictions, passages)
    added = len(missing) > len(gap.missing_elements)
    return gap.model_copy(
        update={
            "assessment": _assessment(gap, judgement.assessment, added=added, thresholds=thresholds),
            "missing_elements": missing,
            "contradictions": contradictions,
            "recommendation": _recommendation(gap, judgement.recommendation, added=added, thresholds=thresholds),
            "method": f"code and {model}",
        }
    )


def _assessment(gap: GapAssessment, judged: Assessment, *, added: bool, thresholds: GapThresholds) -> Assessment:
    """Never better than the code's. "Insufficient" ends the run, so it also needs low coverage by code."""
    if gap.assessment is Assessment.INSUFFICIENT:
        return gap.assessment
    if judged is Assessment.INSUFFICIENT and gap.coverage < thresholds.model_insufficient_below:
        return Assessment.INSUFFICIENT
    if judged is not Assessment.SUFFICIENT or added:
        return Assessment.PARTIAL
    return gap.assessment


def _recommendation(
    gap: GapAssessment, judged: GapRecommendation, *, added: bool, thresholds: GapThresholds
) -> GapRecommendation:
    """The code's, or a search for the gap that the model named, where few sources are of high quality."""
    if gap.recommendation is not GapRecommendation.PROCEED:
        return gap.recommendation
    quality = gap.quality
    high = quality.guidelines + quality.meta_analyses + quality.rcts
    if judged is not GapRecommendation.PROCEED and added and high < thresholds.plenty_high_quality:
        return GapRecommendation.SEARCH_SPECIFIC_GAP
    return GapRecommendation.PROCEED


def _missing(gap: GapAssessment, proposed: Sequence[str], analysis: QuestionAnalysis) -> tuple[str, ...]:
    """The code's elements and at most three of the model's, made of the question's words and words for studies alone.

    They are printed as "The evidence found contains no ...", which no source can bear out: so they may hold no word
    that could claim anything.
    """
    names = [n for e in analysis.entities for n in (e.text, e.name, *e.synonyms)]
    allowed = _STUDY_WORDS | token_set(analysis.question) | token_set(" ".join(names))
    found = list(gap.missing_elements)
    for text in proposed[:MAX_MISSING]:
        words = " ".join(text.split()).rstrip(".")
        tokens = token_set(words)
        if not tokens or len(words.split()) > MAX_MISSING_WORDS or not tokens <= allowed:
            continue
        if not all(c.isalnum() or c in " -/(),'’" for c in words) or not _is_noun_phrase(words):
            continue
        if not any(_says_the_same(tokens, token_set(other)) for other in found):
            found.append(words)
    return tuple(found)


def _is_noun_phrase(words: str) -> bool:
    """Whether no negation or statement hides in the phrase ("... that apixaban is safe")."""
    return not {w.strip("(),").lower() for w in words.split()} & _STATING_WORDS


def _says_the_same(a: frozenset[str], b: frozenset[str]) -> bool:
    return bool(a and b) and len(a & b) / min(len(a), len(b)) >= 0.8


def _contradictions(
    gap: GapAssessment, proposed: Sequence[ModelContradiction], passages: Sequence[RankedPassage]
) -> tuple[Contradiction, ...]:
    """The code's and those whose two quotations stand in the two sources and do not point the same way."""
    found = list(gap.contradictions)
    pairs = {frozenset((c.first, c.second)) for c in found}
    for c in proposed:
        pair = frozenset((c.first, c.second))
        if len(pair) < 2 or pair in pairs:
            continue
        first = _quoted(c.first_quote, c.first, passages)
        second = _quoted(c.second_quote, c.second, passages)
        if first is None or second is None or not _may_conflict(first.text, second.text):
            continue
        quoted = token_set(f"{first.text} {second.text}")
        comparison, outcome = (" ".join(t.split()[:MAX_OUTCOME_WORDS]) for t in (c.comparison, c.outcome))
        if not token_set(outcome) or not (token_set(outcome) | token_set(comparison)) <= quoted:
            continue
        pairs.add(pair)
        summary = f"[{c.first}] reports {first.in_words}, while [{c.second}] reports {second.in_words}"
        found.append(
            Contradiction(first=c.first, second=c.second, comparison=comparison, outcome=outcome, summary=summary)
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Quoted:
    """Words of a passage."""

    text: str
    ours: bool
    """Whether they are a summary of ours."""

    @property
    def in_words(self) -> str:
        """Between quotation marks only where they may be the source's own."""
        return f"{self.text} (our summary)" if self.ours else f"“{self.text}”"


def _quoted(quote: str, n: int, passages: Sequence[RankedPassage]) -> _Quoted | None:
    """The words as the evidence n has them; `None` when it does not, or when they are a whole paragraph."""
    for passage in passages:
        if passage.n == n and (found := find_quote(quote, passage.text)):
            ours = passage.text_origin is TextOrigin.OUR_SUMMARY
            return _Quoted(found.text, ours) if len(found.text) <= MAX_QUOTE_CHARS else None
    return None


def _may_conflict(first: str, second: str) -> bool:
    """Whether the two state effects that oppose each other, or an effect and none."""
    ours, theirs = find_effects(first), find_effects(second)
    return any(conflict(a.net, b.net) for a in ours for b in theirs)
