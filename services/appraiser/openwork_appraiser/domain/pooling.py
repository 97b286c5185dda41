"""One outcome of a review: what is pooled of it, by which model, and what is not and why."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from statistics import median

from openwork_contracts.tabulation import (
    ArmCount,
    EffectValue,
    ForestRow,
    LeaveOneOut,
    NotPooled,
    PooledOutcome,
    PredictionInterval,
    SmallStudies,
)
from openwork_effects.absolute import BaselineRisk, absolute_from_risk_ratio
from openwork_effects.errors import EffectError
from openwork_effects.estimates import Estimate, RiskRatio
from openwork_effects.numbers_needed import per_thousand
from openwork_effects.pooling import (
    Candidate,
    Measure,
    Poolable,
    Pooled,
    StudyEffect,
    Synthesis,
    sort_candidates,
    synthesise,
)
from openwork_effects.pooling.pooled import as_estimate, limits

from openwork_appraiser.domain.effects import effects_of, window_of
from openwork_appraiser.domain.grouping import OutcomeGroup, Row, one_of_each

_ANALYSIS_NOT_SAID = "not stated"


def pooled_outcomes(group: OutcomeGroup, level: float = 0.95) -> list[PooledOutcome]:
    """The outcome once for each set of studies that may be pooled; once without a pooled effect where there is none.

    Args:
        group: everything that the studies report of one comparison and outcome.
        level: of the intervals, in [0.5, 0.9999].
    """
    chosen, left = one_of_each(group.rows)
    left += [(row, "what it was compared with was not read") for row in group.unread]
    by_name = {row.study.study_id: row for row in chosen}
    candidates = [candidate for row in chosen for candidate in _candidates(row, group)]
    found = sort_candidates(candidates)
    sets = [made for one in found.sets if (made := _of_set(one, group, by_name, level)) is not None]
    best = _one_measure_each(sets)
    in_sets = {row.study_id for one in best for row in one.rows}
    alone = [(by_name[one.study], one.because) for one in found.refused if one.study not in in_sets]
    silent = [row for row in chosen if not any(c.effect.study == row.study.study_id for c in candidates)]
    not_pooled = _each_once(
        [*alone, *((row, "no counts, means or effect with an interval were read") for row in silent), *left], in_sets
    )
    if best:
        first = best[0].model_copy(update={"not_pooled": not_pooled})
        return [first, *best[1:]]
    shown = _shown(chosen, level) or ([(None, ())] if not_pooled else [])
    return [
        _outcome(group, measure, rows, not_pooled=() if place else not_pooled)
        for place, (measure, rows) in enumerate(shown)
    ]


def _candidates(row: Row, group: OutcomeGroup) -> list[Candidate]:
    result = row.result
    kind = " (observational)" if row.study.is_observational else ""
    return [
        Candidate(
            effect,
            comparison=f"{group.comparison}{kind}",
            outcome=group.name,
            analysis=result.analysis.value if result.analysis else _ANALYSIS_NOT_SAID,
            window=window_of(result.time),
            adjusted=result.adjusted and effect.table is None,
        )
        for effect in effects_of(row.study.study_id, result)
    ]


def _of_set(one: Poolable, group: OutcomeGroup, rows: dict[str, Row], level: float) -> PooledOutcome | None:
    try:
        synthesis = synthesise(one.effects, level)
    except EffectError:
        return None
    pooled = synthesis.headline
    weights = {weighted.effect.study: weighted.weight for weighted in pooled.studies}
    shown = [_row(rows[effect.study], effect, weights.get(effect.study, 0.0), level) for effect in one.effects]
    small = synthesis.small_studies
    return _outcome(
        group,
        one.measure,
        tuple(sorted(shown, key=lambda row: (rows[row.study_id].study.document.year or 0, row.study))),
        comparison=one.comparison,
        analysis=None if one.analysis == _ANALYSIS_NOT_SAID else one.analysis,
        window=one.window,
        pooled=_value(pooled.estimate),
        model=pooled.model.value,
        compared=_value(synthesis.compared.estimate) if synthesis.compared else None,
        prediction=_prediction(pooled),
        q=pooled.heterogeneity.q,
        degrees_of_freedom=pooled.heterogeneity.degrees_of_freedom,
        q_p_value=pooled.heterogeneity.p_value,
        i2=pooled.heterogeneity.i2,
        tau2=pooled.heterogeneity.tau2,
        without=_without(synthesis, rows),
        small_studies=SmallStudies(test=small.test.value, bias=small.bias, p_value=small.p_value) if small else None,
        absolute=_absolute(pooled, one.effects),
        notes=synthesis.notes,
    )


def _outcome(
    group: OutcomeGroup, measure: Measure | None, rows: tuple[ForestRow, ...], **more: object
) -> PooledOutcome:
    given = {"comparison": group.comparison, **more}
    return PooledOutcome(
        outcome=group.name,
        outcome_fit=group.fit,
        measure=measure.value if measure else "",
        rows=rows,
        bad=group.bad,
        harm=group.harm,
        **given,  # type: ignore[arg-type]
    )


def _row(row: Row, effect: StudyEffect, weight: float, level: float) -> ForestRow:
    low, high = limits(effect.value, effect.standard_error, level)
    estimate = as_estimate(effect.measure, effect.value, low, high, level, effect.standard_error)
    table = effect.table
    return ForestRow(
        study_id=row.study.study_id,
        study=row.study.name,
        result=row.place,
        effect=_value(estimate),
        weight=min(1.0, max(0.0, weight)),
        tested=ArmCount(events=table[0].events, n=table[0].n) if table else None,
        other=ArmCount(events=table[1].events, n=table[1].n) if table else None,
        corrected=effect.corrected,
    )


def _shown(rows: Sequence[Row], level: float) -> list[tuple[Measure | None, tuple[ForestRow, ...]]]:
    """Studies by themselves, where nothing is pooled: those of one measure together, never under another's name."""
    found: dict[Measure | None, list[ForestRow]] = {}
    for row in rows:
        effect = next(effects_of(row.study.study_id, row.result), None)
        if effect is not None:
            with suppress(EffectError):
                found.setdefault(effect.measure, []).append(_row(row, effect, 0.0, level))
    return [(measure, tuple(of_it)) for measure, of_it in found.items()]


def _value(estimate: Estimate) -> EffectValue:
    return EffectValue(value=estimate.estimate, low=estimate.low, high=estimate.high, level=estimate.level)


def _prediction(pooled: Pooled) -> PredictionInterval | None:
    read = pooled.prediction_read
    return PredictionInterval(low=read[0], high=read[1]) if read else None


def _without(synthesis: Synthesis, rows: dict[str, Row]) -> tuple[LeaveOneOut, ...]:
    return tuple(
        LeaveOneOut(study_id=one.study, study=rows[one.study].study.name, effect=_value(one.pooled.estimate))
        for one in synthesis.without
    )


def _one_measure_each(sets: Sequence[PooledOutcome]) -> list[PooledOutcome]:
    """Of the same studies in two measures the one with more studies, counts before published effects."""
    kept: list[PooledOutcome] = []
    for one in sorted(sets, key=lambda s: (-len(s.rows), s.rows[0].tested is None)):
        studies = {row.study_id for row in one.rows}
        if not any(studies <= {row.study_id for row in other.rows} for other in kept):
            kept.append(one)
    return kept


def _each_once(left: Sequence[tuple[Row, str]], in_sets: set[str]) -> tuple[NotPooled, ...]:
    """Each study that is in no pooled effect, with the first reason."""
    told: dict[str, NotPooled] = {}
    for row, why in left:
        study = row.study
        if study.study_id not in in_sets:
            told.setdefault(
                study.study_id, NotPooled(study_id=study.study_id, study=study.name, result=row.place, reason=why)
            )
    return tuple(told.values())


def _absolute(pooled: Pooled, effects: Sequence[StudyEffect]) -> str | None:
    """People per 1,000 at the median risk of the control groups."""
    risks = [effect.table[1].events / effect.table[1].n for effect in effects if effect.table]
    estimate = pooled.estimate
    if not isinstance(estimate, RiskRatio) or len(risks) < len(effects) or not 0 < (risk := median(risks)) < 1:
        return None
    try:
        baseline = BaselineRisk(risk, "median risk of the control groups", "follow-up of the studies")
        told = per_thousand(absolute_from_risk_ratio(estimate, baseline).difference)
    except EffectError:
        return None
    return f"{told.in_words} at a risk of {1000 * risk:.0f} per 1,000, the median of the control groups"
