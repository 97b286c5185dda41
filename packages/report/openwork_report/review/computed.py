"""Every outcome with its numbers: studies, weights, model, heterogeneity, without each study, and the formulae."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from openwork_contracts.tabulation import ArmCount, ForestRow, PooledOutcome

from openwork_report.markdown import escaped
from openwork_report.review.forest import effect_words, heterogeneity, prediction_words
from openwork_report.review.words import title_of
from openwork_report.whole.parts import Bullets, Cell, Grid, Section
from openwork_report.words import measure_words, one_line

HANDBOOK = "Cochrane Handbook, doi:10.1002/9781119536604"
_COUNTED = frozenset({"RR", "OR", "RD"})
_BY_MEASURE = {
    "RR": "Risk ratio of counts: log-Wald interval (Katz 1978, doi:10.2307/2530610)",
    "OR": "Odds ratio of counts: log-Wald interval (Woolf 1955, doi:10.1111/j.1469-1809.1955.tb01348.x)",
    "RD": "Risk difference of counts: Newcombe's method 10 for one study (Newcombe 1998, "
    "doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I)",
    "HR": f"Hazard ratios as published: the standard error of the logarithm from the interval ({HANDBOOK}, 6.3.2)",
    "IRR": f"Rate ratio per person-time: variance of the logarithm 1/E1 + 1/E2 ({HANDBOOK}, 6.7)",
    "MD": "Mean difference (Welch 1947, doi:10.1093/biomet/34.1-2.28)",
    "SMD": "Standardised mean difference: Hedges' g (Hedges 1981, doi:10.3102/10769986006002107)",
}
_BY_MODEL = {
    "REML": "Random effects: tau² by restricted maximum likelihood (Viechtbauer 2005, doi:10.3102/10769986030003261)",
    "Hartung-Knapp": "Interval after Hartung and Knapp (2001, doi:10.1002/sim.791), never narrower than Wald's "
    "(Roever 2015, doi:10.1186/s12874-015-0091-1)",
    "Mantel-Haenszel": "Fixed effect of counts: Mantel and Haenszel (1959, doi:10.1093/jnci/22.4.719)",
    "Peto": "Rare events: Peto's method (Yusuf 1985, doi:10.1016/S0033-0620(85)80003-7)",
    "inverse variance": f"Fixed effect: inverse variance ({HANDBOOK}, 10.3.2)",
}
_BY_TEST = {
    "Egger": "Egger's test (1997, doi:10.1136/bmj.315.7109.629)",
    "Harbord": "Harbord's test (2006, doi:10.1002/sim.2380)",
    "Peters": "Peters' test (2006, doi:10.1001/jama.295.6.676)",
}
_PREDICTION = "Prediction interval: Higgins 2009, doi:10.1111/j.1467-985X.2008.00552.x"
_I2 = "I²: Higgins 2003, doi:10.1136/bmj.327.7414.557"
_DL = "Beside it DerSimonian and Laird (1986, doi:10.1016/0197-2456(86)90046-2)"
_CORRECTION = f"0.5 added to every cell of a study with an empty one ({HANDBOOK}, 10.4.4)"
_ABSOLUTE = f"People per 1,000: the relative effect at the stated risk ({HANDBOOK}, 15.4.4)"


def computed_sections(outcomes: Sequence[PooledOutcome]) -> Iterator[Section]:
    """A part for each outcome, those that nothing was pooled of too; the formulae last."""
    for place, outcome in enumerate(outcomes, 1):
        yield Section(f"computed-{place}", f"{place}. {escaped_title(outcome)}", tuple(_blocks(outcome)))
    if told := formulae(outcomes):
        yield Section("formulae", "How it was computed", (Bullets(tuple(map(escaped, told))),))


def escaped_title(outcome: PooledOutcome) -> str:
    """The title of a part: a heading is plain text, so that marks of Markdown are left out."""
    measure = f" ({outcome.measure})" if outcome.measure else ""
    return f"{title_of(outcome)}{measure}"


def formulae(outcomes: Sequence[PooledOutcome]) -> tuple[str, ...]:
    """The formulae that these outcomes used, each once, with their sources."""
    told: dict[str, None] = {}
    for outcome in outcomes:
        told |= dict.fromkeys(_formulae(outcome))
    return tuple(told)


def _formulae(outcome: PooledOutcome) -> Iterator[str]:
    if outcome.rows and outcome.measure in _BY_MEASURE:
        yield _BY_MEASURE[outcome.measure]
    if any(row.corrected for row in outcome.rows):
        yield _CORRECTION
    yield from (words for name, words in _BY_MODEL.items() if name in (outcome.model or ""))
    if outcome.i2 is not None:
        yield _I2
    if outcome.prediction is not None:
        yield _PREDICTION
    if outcome.compared is not None:
        yield _DL
    if outcome.small_studies is not None:
        yield _BY_TEST.get(outcome.small_studies.test, outcome.small_studies.test)
    if outcome.absolute:
        yield _ABSOLUTE


def _blocks(outcome: PooledOutcome) -> Iterator[Grid | Bullets]:
    if told := tuple(map(escaped, _facts(outcome))):
        yield Bullets(told)
    if outcome.rows:
        counted = any(row.tested or row.other for row in outcome.rows)
        without = {one.study_id: effect_words(one.effect, outcome) for one in outcome.without}
        header = (
            "Study",
            *(("Tested arm", "Other arm") if counted else ()),
            "Effect (CI)",
            "Weight",
            "Pooled without it",
        )
        rows = tuple(_row(row, outcome, without.get(row.study_id, ""), counted=counted) for row in outcome.rows)
        yield Grid(f"Studies: {measure_words(outcome.measure)}", header, rows)
    if outcome.not_pooled:
        cells = tuple(((escaped(one.study),), (escaped(one.reason),)) for one in outcome.not_pooled)
        yield Grid("Not pooled, and why", ("Study", "Reason"), cells)


def _facts(outcome: PooledOutcome) -> Iterator[str]:
    if outcome.pooled is not None:
        level = f"{100 * outcome.pooled.level:g}% interval"
        effect = effect_words(outcome.pooled, outcome)
        yield f"Pooled: {measure_words(outcome.measure)} {effect}, {level}; {outcome.model}."
    if outcome.compared is not None:
        yield f"By DerSimonian and Laird: {effect_words(outcome.compared, outcome)}."
    if prediction := prediction_words(outcome):
        yield f"Prediction interval: {prediction}."
    yield from heterogeneity(outcome)
    if outcome.absolute:
        yield f"In absolute numbers: {outcome.absolute}."
    told = (one_line(outcome.window), one_line(outcome.analysis).replace("_", " "))
    if any(told):
        yield f"Of: {'; '.join(filter(None, told))}."


def _row(row: ForestRow, outcome: PooledOutcome, without: str, *, counted: bool) -> tuple[Cell, ...]:
    arms = ((_count(row.tested),), (_count(row.other),)) if counted else ()
    mark = " (0.5 added to every cell)" if row.corrected else ""
    weight = f"{100 * row.weight:.1f}%" if outcome.pooled is not None else ""
    return (escaped(row.study),), *arms, (f"{effect_words(row.effect, outcome)}{mark}",), (weight,), (without,)


def _count(count: ArmCount | None) -> str:
    return f"{count.events:,}/{count.n:,}" if count is not None else ""
