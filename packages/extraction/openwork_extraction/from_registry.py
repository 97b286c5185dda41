"""Results as a trial registry gives them in fields, for what is asked."""

from __future__ import annotations

from openwork_contracts.cells import CellInterval, CellPlace, ResultCell
from openwork_contracts.evidence import ArmResult, EffectEstimate, OutcomeResult, TextOrigin

from openwork_extraction.arms import LEAST_MARGIN, LEAST_SCORE, AskedArms
from openwork_extraction.choice import LEAST_SCORE as LEAST_OUTCOME
from openwork_extraction.names import Names, arm_score, arm_words, outcome_score
from openwork_extraction.results import ArmNumbers, Source, StudyResult
from openwork_extraction.study import Asked, StudyText

_SPREADS = {
    "sd": "deviation",
    "standard deviation": "deviation",
    "se": "standard_error",
    "standard error": "standard_error",
}
_MEANS = frozenset({"mean", "least squares mean"})


def results_of_registry(study: StudyText, asked: Asked, names: Names) -> tuple[StudyResult, ...]:
    """The registered results whose name is the asked outcome and whose arms are the asked ones; none where two fit."""
    wanted = names.words(asked.outcome)
    scored = [(outcome_score(wanted, names.words(one.outcome), frozenset()), one) for one in study.registered]
    best = max((score for score, _ in scored), default=0.0)
    if best < LEAST_OUTCOME:
        return ()
    chosen = [one for score, one in scored if score == best]
    arms = AskedArms.of(asked, names)
    found = []
    for outcome in chosen:
        pair = _pair(outcome, arms, names)
        if pair is not None:
            numbers = [_numbers(arm, outcome, study) for arm in pair]
            effect = _effect(outcome.effect, outcome, study) if len(outcome.arms) == 2 else None
            found.append(
                StudyResult(Source.REGISTRY, outcome.outcome, outcome.time_point, None, numbers[0], numbers[1], effect)
            )
    return tuple(found)


def _pair(outcome: OutcomeResult, arms: AskedArms, names: Names) -> tuple[ArmResult, ArmResult] | None:
    """The arms that were asked, the tested one first; `None` where the names do not say which they are."""
    words = [arm_words(names, arm.arm) for arm in outcome.arms]
    pairs = sorted(
        (
            (arm_score(arms.intervention, words[a]) + arm_score(arms.comparator, words[b]), a, b)
            for a in range(len(words))
            for b in range(len(words))
            if a != b
        ),
        key=lambda pair: -pair[0],
    )
    if not pairs or (len(pairs) > 1 and pairs[0][0] - pairs[1][0] < LEAST_MARGIN):
        return None
    _, a, b = pairs[0]
    if min(arm_score(arms.intervention, words[a]), arm_score(arms.comparator, words[b])) < LEAST_SCORE:
        return None
    return outcome.arms[a], outcome.arms[b]


def _numbers(arm: ArmResult, outcome: OutcomeResult, study: StudyText) -> ArmNumbers:
    def cell(measure: str, value: float, **more: CellInterval | str | None) -> ResultCell:
        return ResultCell(
            study=study.study,
            arm=arm.arm,
            outcome=outcome.outcome,
            time=outcome.time_point,
            measure=measure,
            value=f"{value:g}" if isinstance(value, float) else str(value),
            place=CellPlace(row=outcome.outcome, column=arm.arm),
            text_origin=TextOrigin.REGISTRY,
            **more,  # type: ignore[arg-type]
        )

    measured = arm.measured
    found = ArmNumbers(
        arm.arm,
        n=None if arm.n is None else cell("n", arm.n),
        events=None if arm.events is None else cell("count", arm.events),
    )
    if measured is None or (measured.kind or "").casefold() not in _MEANS:
        return found
    spread = _SPREADS.get((measured.dispersion or "").casefold())
    cells = {"mean": cell("mean", measured.value, unit=measured.unit)}
    if spread is not None and measured.spread is not None:
        cells[spread] = cell("SD" if spread == "deviation" else "SE", measured.spread, unit=measured.unit)
    return ArmNumbers(
        found.arm,
        n=found.n,
        events=found.events,
        mean=cells["mean"],
        deviation=cells.get("deviation"),
        standard_error=cells.get("standard_error"),
    )


def _effect(effect: EffectEstimate | None, outcome: OutcomeResult, study: StudyText) -> ResultCell | None:
    if effect is None:
        return None
    interval = None
    if effect.ci_low is not None and effect.ci_high is not None:
        level = None if effect.ci_level is None else f"{100 * effect.ci_level:g}"
        interval = CellInterval(low=f"{effect.ci_low:g}", high=f"{effect.ci_high:g}", level=level)
    return ResultCell(
        study=study.study,
        outcome=outcome.outcome,
        time=outcome.time_point,
        measure=effect.measure,
        value=f"{effect.estimate:g}",
        interval=interval,
        p_value=effect.p_value,
        place=CellPlace(row=outcome.outcome),
        text_origin=TextOrigin.REGISTRY,
    )
