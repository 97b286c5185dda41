"""Is the evidence enough to answer, what is missing, and what would a further search look for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_answers.outcomes import NEAR, OF_IT
from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate, StudyDesign
from openwork_contracts.gap import (
    AspectCoverage,
    Assessment,
    GapAssessment,
    GapRecommendation,
    QualityDistribution,
)
from openwork_contracts.question import Intent, QuestionAnalysis
from openwork_contracts.ranking import RankedPassage
from openwork_knowledge.designs import HIGH_QUALITY, OBSERVATIONAL, SYNTHESES
from openwork_knowledge.patterns import pattern
from openwork_knowledge.statuses import is_void
from openwork_language.mentions import idea_of, speaks_of

from openwork_gap.domain.aspects import (
    COMPARISON,
    INTERVENTION,
    OUTCOME,
    PAIR,
    POPULATION,
    SETTING,
    Aspect,
    DocumentText,
    aspects_of,
    covers,
    is_on_topic,
    read_documents,
)
from openwork_gap.domain.contradictions import find_contradictions
from openwork_gap.domain.thresholds import THRESHOLDS, GapThresholds

_ASKS_FOR_GUIDELINE = re.compile(rf"\b{pattern('question-cues', 'guideline')}\b", re.IGNORECASE)


def assess(
    analysis: QuestionAnalysis,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
    *,
    current_year: int,
    thresholds: GapThresholds = THRESHOLDS,
) -> GapAssessment:
    """Judge an evidence pack by what it speaks of.

    Args:
        analysis: the question as understood.
        passages: the ranked passages; `n` is the place (from 1) of their document in `documents`.
        documents: the works that they come from.
        current_year: for recency; passed in since domain code has no clock.
    """
    read = read_documents(documents, passages)
    aspects = aspects_of(analysis)
    usable = [d for d in read if not is_void(d.document.status)]
    least = thresholds.min_free_text_share
    on_topic = [d for d in usable if is_on_topic(d, aspects, analysis.question, min_free_text_share=least)]
    coverage = [_coverage(aspect, on_topic) for aspect in aspects]
    missing = _missing(analysis, aspects, coverage, on_topic)
    years = [d.document.year for d in usable if d.document.year is not None]
    recency_concern = not years or max(years) < current_year - thresholds.recent_years
    share = sum(c.covered for c in coverage) / len(coverage) if coverage else float(bool(on_topic))
    return GapAssessment(
        assessment=_assessment(share, missing, on_topic, thresholds),
        coverage=share,
        aspects=tuple(coverage),
        recency_concern=recency_concern,
        oldest_year=min(years, default=None),
        newest_year=max(years, default=None),
        quality=quality_of(documents),
        contradictions=find_contradictions(on_topic, aspects, thresholds=thresholds),
        missing_elements=(*missing, *_missing_recent(analysis, years)),
        recommendation=_recommendation(analysis, recency_concern, bool(missing), on_topic, thresholds),
    )


def with_conclusion(gap: GapAssessment, conclusion: Conclusion) -> GapAssessment:
    """The assessment, insufficient where nothing found is about the question: these people, treatment and outcome.

    Where a result or a guideline's statement is about it, the evidence is something, whatever its words have in common.
    """
    if conclusion.verdict is not ConclusionVerdict.NOT_FOUND:
        if gap.assessment is Assessment.INSUFFICIENT and _is_answered(conclusion):
            return gap.model_copy(update={"assessment": Assessment.PARTIAL})
        return gap
    missing = tuple(dict.fromkeys((*conclusion.missing, *gap.missing_elements)))
    return gap.model_copy(update={"assessment": Assessment.INSUFFICIENT, "missing_elements": missing})


def _is_answered(conclusion: Conclusion) -> bool:
    """Whether the leading result is of the asked comparison, outcome and people; of no asked outcome, of these people.

    Guidelines that speak of treatment and people, and what a trial gave, answer too; so do results of each of two
    treatments that nothing compares, since the answer begins with that.
    """
    lead = conclusion.lead
    if lead is None:
        apart = (
            conclusion.verdict is ConclusionVerdict.TOO_LITTLE
            and len(conclusion.others) > 1
            and (not conclusion.asked.people or _are_of_these(conclusion.others))
        )
        return apart or bool(conclusion.regimens) or conclusion.verdict is ConclusionVerdict.RECOMMENDATION
    if lead.comparison_fit not in OF_IT and not (conclusion.asked.outcome and _gives_what_is_asked(lead, conclusion)):
        return False
    if conclusion.asked.people and lead.people_fit not in OF_IT:
        # Of wider people, which the answer says first, with all else as asked.
        return lead.people_fit is Fit.WIDER and lead.outcome_fit in OF_IT
    return lead.outcome_fit in NEAR if conclusion.asked.outcome else bool(conclusion.people_told)


def _gives_what_is_asked(lead: StudyResult, conclusion: Conclusion) -> bool:
    """Whether the arm that leads has a drug that is asked about.

    Its comparison is then wider for one of two reasons: the other arm has the class of the asked comparator, which the
    answer names, or nothing is told of what the drug is added to, which the answer says.
    """
    ideas = (idea for idea in map(idea_of, conclusion.asked.intervention) if idea.names)
    return any(speaks_of(arm, idea) for idea in ideas for arm in lead.comparison[:1])


def _are_of_these(results: Sequence[StudyResult]) -> bool:
    """Whether results are of the people asked about, one of them at least of no wider ones."""
    fits = {result.people_fit for result in results}
    return fits <= set(NEAR) and bool(fits & set(OF_IT))


def quality_of(documents: Sequence[EvidenceCandidate]) -> QualityDistribution:
    """How many documents of each kind of evidence."""
    designs = [d.study_design for d in documents]
    counts = {
        "guidelines": sum(d is StudyDesign.GUIDELINE for d in designs),
        "meta_analyses": sum(d in SYNTHESES for d in designs),
        "rcts": sum(d is StudyDesign.RCT for d in designs),
        "observational": sum(d in OBSERVATIONAL for d in designs),
        "reviews": sum(d is StudyDesign.REVIEW for d in designs),
        "labels": sum(d is StudyDesign.DRUG_LABEL for d in designs),
    }
    return QualityDistribution(**counts, other=len(designs) - sum(counts.values()))


def _coverage(aspect: Aspect, on_topic: Sequence[DocumentText]) -> AspectCoverage:
    citations = tuple(d.n for d in on_topic if covers(d, aspect))
    return AspectCoverage(slot=aspect.slot, term=aspect.term, covered=bool(citations), citations=citations)


def _assessment(
    share: float, missing: Sequence[str], on_topic: Sequence[DocumentText], thresholds: GapThresholds
) -> Assessment:
    if len(on_topic) < thresholds.min_on_topic:
        return Assessment.INSUFFICIENT
    high_quality = _n_high_quality(on_topic)
    if share >= thresholds.sufficient_coverage and not missing and high_quality >= thresholds.enough_high_quality:
        return Assessment.SUFFICIENT
    return Assessment.PARTIAL


def _recommendation(
    analysis: QuestionAnalysis,
    recency_concern: bool,
    has_gap: bool,
    on_topic: Sequence[DocumentText],
    thresholds: GapThresholds,
) -> GapRecommendation:
    asks_for_recent = bool(analysis.temporal_markers) or analysis.recent_since_year is not None
    if recency_concern and asks_for_recent:
        return GapRecommendation.SEARCH_RECENT
    high_quality = _n_high_quality(on_topic)
    if (
        (has_gap and high_quality < thresholds.plenty_high_quality)
        or len(on_topic) < thresholds.enough_documents
        or high_quality < thresholds.enough_high_quality
    ):
        return GapRecommendation.SEARCH_SPECIFIC_GAP
    return GapRecommendation.PROCEED


def _n_high_quality(documents: Sequence[DocumentText]) -> int:
    return sum(d.document.study_design in HIGH_QUALITY for d in documents)


def _missing(
    analysis: QuestionAnalysis,
    aspects: Sequence[Aspect],
    coverage: Sequence[AspectCoverage],
    on_topic: Sequence[DocumentText],
) -> list[str]:
    """What the documents on the topic do not speak of, in words that finish "there is no ..."."""
    if not on_topic:
        names = [a.term for a in aspects if a.slot in {POPULATION, INTERVENTION, COMPARISON}]
        return [f"source about {' and '.join(names)}" if names else "source about the question"]
    missing = [words for a, c in zip(aspects, coverage, strict=True) if (words := _missing_aspect(a, c, on_topic))]
    missing += _missing_together(aspects, coverage, on_topic)
    asks_for_guideline = analysis.intent is Intent.TREATMENT_GUIDELINE and _ASKS_FOR_GUIDELINE.search(analysis.question)
    if asks_for_guideline and not any(d.document.study_design is StudyDesign.GUIDELINE for d in on_topic):
        missing.append("guideline")
    return missing


_WORDS_OF_SLOT = {
    POPULATION: "evidence in {}",
    INTERVENTION: "evidence on {}",
    COMPARISON: "evidence on {}",
    OUTCOME: "evidence on the outcome {}",
    SETTING: "evidence or guideline from {}",
}


def _missing_aspect(aspect: Aspect, coverage: AspectCoverage, on_topic: Sequence[DocumentText]) -> str | None:
    if aspect.slot != PAIR:
        return None if coverage.covered else _WORDS_OF_SLOT[aspect.slot].format(aspect.term)
    if not coverage.covered:
        return f"direct comparison of {aspect.term}"
    compared = [d for d in on_topic if d.n in coverage.citations]
    if any(_compares_randomised(d, aspect) for d in compared):
        return None
    return f"direct comparison of {aspect.term} in a randomised trial"


def _compares_randomised(document: DocumentText, pair: Aspect) -> bool:
    """A trial with both arms, or a synthesis that sets both against each other."""
    design = document.document.study_design
    if design in SYNTHESES:
        return True
    if design is not StudyDesign.RCT:
        return False
    arms = " ; ".join(arm.name for arm in document.document.arms) or document.document.title
    return covers(DocumentText(document.n, document.document, arms, (arms,)), pair)


def _missing_together(
    aspects: Sequence[Aspect], coverage: Sequence[AspectCoverage], on_topic: Sequence[DocumentText]
) -> list[str]:
    """The whole population with the intervention in no single document, though each is spoken of somewhere."""
    groups = [
        [c for a, c in zip(aspects, coverage, strict=True) if a.slot == slot] for slot in (POPULATION, INTERVENTION)
    ]
    parts = [c for group in groups for c in group]
    if not all(groups) or len(parts) < 2 or not all(c.covered for c in parts):
        return []
    if any(all(d.n in c.citations for c in parts) for d in on_topic):
        return []
    people, treatments = (" and ".join(c.term for c in group) for group in groups)
    return [f"single study of {treatments} in {people}"]


def _missing_recent(analysis: QuestionAnalysis, years: Sequence[int]) -> list[str]:
    since = analysis.recent_since_year
    if since is None or (years and max(years) >= since):
        return []
    return [f"evidence from {since} or later"]
