"""A result as cells: each number with the place where it stands and the words around it."""

from __future__ import annotations

import re

from openwork_contracts.cells import AnalysisSet, CellInterval, CellPlace, ResultCell
from openwork_contracts.conclusion import ArmFigures, StudyResult
from openwork_contracts.evidence import EffectEstimate, EvidenceCandidate, TextOrigin
from openwork_contracts.extraction import ArmCells, CellMark, ExtractedResult, MarkKind, ResultSource

_SETS = (
    (re.compile(r"intention[- ]to[- ]treat", re.IGNORECASE), AnalysisSet.INTENTION_TO_TREAT),
    (re.compile(r"per[- ]protocol", re.IGNORECASE), AnalysisSet.PER_PROTOCOL),
    (re.compile(r"(?:on[- ]treatment|as[- ]treated)", re.IGNORECASE), AnalysisSet.AS_TREATED),
    (re.compile(r"safety", re.IGNORECASE), AnalysisSet.SAFETY),
)
_ADJUSTED = re.compile(r"(?<!un)(?<!un-)adjusted|multivariab|propensity", re.IGNORECASE)


def as_cells(result: StudyResult, document: EvidenceCandidate, source: ResultSource) -> ExtractedResult:
    """A result of one source with its numbers bound to their place.

    Args:
        result: as `openwork_answers.choosing.results_about` gives it: the tested arm first.
        document: the report that it was read from.
        source: whether it stands in the source's own fields, in its abstract or in the full text.
    """
    words = result.quote or _row(result)
    effect = _effect(result, words) if result.effect else None
    return ExtractedResult(
        outcome=result.outcome,
        outcome_fit=result.outcome_fit,
        comparison_fit=result.comparison_fit,
        people_fit=result.people_fit,
        components=result.components,
        people=result.people,
        is_subgroup=result.is_subgroup,
        time=result.time,
        analysis=analysis_set(result.analysis),
        source=source,
        candidate_id=document.candidate_id,
        text_origin=_origin(document, source),
        arms=tuple(_arm(arm, result, words) for arm in result.arms),
        effect=effect,
        adjusted=_ADJUSTED.search(f"{result.analysis or ''} {result.quote or ''}") is not None,
        bad=result.bad,
        harm=result.harm,
        marks=tuple(_marks(result)),
    )


def analysis_set(words: str | None) -> AnalysisSet | None:
    """Who was counted, as the source says it; `None` = it does not."""
    return next((which for pattern, which in _SETS if pattern.search(words or "")), None)


def _origin(document: EvidenceCandidate, source: ResultSource) -> TextOrigin:
    if source is ResultSource.REGISTRY:
        return document.structured_origin or document.text_origin
    return TextOrigin.PUBLISHER if source is ResultSource.TEXT else document.text_origin


def _row(result: StudyResult) -> str:
    """How a result in a source's own fields reads, for a reader who looks for it there."""
    parts = [result.outcome, *filter(None, (result.people, result.time, result.analysis))]
    arms = [f"{arm.name}: {_printed(arm)}" for arm in result.arms]
    return "; ".join((", ".join(parts), *arms))


def _printed(arm: ArmFigures) -> str:
    if arm.events is not None and arm.n is not None:
        return f"{arm.events} of {arm.n}"
    return next((str(value) for value in (arm.percent, arm.events, arm.n) if value is not None), "no figure")


def _arm(arm: ArmFigures, result: StudyResult, words: str) -> ArmCells:
    def cell(value: str | None, measure: str, *, per: str | None = None) -> ResultCell | None:
        if value is None:
            return None
        place = _place(result, arm.name, value)
        return ResultCell(
            study=result.study,
            comparison=result.comparison,
            arm=arm.name,
            outcome=result.outcome,
            time=result.time,
            per=per,
            population=result.people,
            measure=measure,
            value=value,
            place=place,
            words=words,
            text_origin=result.text_origin,
        )

    return ArmCells(
        arm=arm.name,
        n=cell(None if arm.n is None else str(arm.n), "people"),
        events=cell(None if arm.events is None else str(arm.events), "count"),
        percent=cell(arm.percent, "rate" if arm.per else "percent", per=arm.per),
    )


def _effect(result: StudyResult, words: str) -> ResultCell:
    effect = result.effect
    assert effect is not None
    return ResultCell(
        study=result.study,
        comparison=result.comparison,
        outcome=result.outcome,
        time=result.time,
        population=result.people,
        measure=effect.measure,
        value=f"{effect.estimate:g}",
        interval=_interval(effect),
        p_value=effect.p_value,
        is_composite_of=result.components,
        place=_place(result, None, f"{effect.estimate:g}"),
        words=words,
        text_origin=result.text_origin,
    )


def _interval(effect: EffectEstimate) -> CellInterval | None:
    if effect.ci_low is None or effect.ci_high is None:
        return None
    level = f"{effect.ci_level * 100:g}" if effect.ci_level else None
    return CellInterval(low=f"{effect.ci_low:g}", high=f"{effect.ci_high:g}", level=level)


def _place(result: StudyResult, arm: str | None, value: str) -> CellPlace:
    """Row and column of a source's own fields; the span of the number in the sentence that tells it."""
    if result.quote is None:
        return CellPlace(row=result.outcome, column=arm or "effect")
    found = re.search(rf"(?<![\d.,]){re.escape(value)}(?![\d]|[.,]\d)", result.quote)
    start, end = found.span() if found else (None, None)
    return CellPlace(passage_id=result.passage_id, start=start, end=end)


def _marks(result: StudyResult) -> list[CellMark]:
    """Counts of both arms and an effect that give no absolute one disagree about no difference (`weighing.py`)."""
    counted = len(result.arms) == 2 and all(arm.n and arm.events is not None for arm in result.arms)
    if counted and result.effect is not None and result.absolute is None and not any(arm.per for arm in result.arms):
        words = "the counts and the printed effect disagree about no difference; it may be adjusted or timed"
        return [CellMark(kind=MarkKind.EFFECT, words=words)]
    return []
