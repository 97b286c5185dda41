"""Posted results: counts and effects per arm, outcome and time point, and the same as sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from openwork_contracts.evidence import AbstractPart, ArmResult, EffectEstimate, Measured, OutcomeResult
from openwork_http.jsonbody import JsonObject, count_at, objects_at, text_at

from openwork_retrievers.adapters.ctgov.arms import Arms
from openwork_retrievers.adapters.ctgov.harms import read_harms

_PEOPLE = re.compile(
    r"\b(?:participants?|patients?|subjects?|people|persons?|individuals?|women|men|children|infants?)\b"
)
_SHARE = re.compile(r"percent|proportion|%|\brate\b|probability|fraction", re.IGNORECASE)
# The registry's words for effects -> the contract's. Anything else stays as printed.
_MEASURES = (
    (re.compile(r"hazard", re.IGNORECASE), "HR"),
    (re.compile(r"odds ratio", re.IGNORECASE), "OR"),
    (re.compile(r"incidence rate ratio|rate ratio", re.IGNORECASE), "IRR"),
    (re.compile(r"risk ratio|relative risk", re.IGNORECASE), "RR"),
    (re.compile(r"risk difference|difference in (?:percent|proportion)|percentage difference", re.IGNORECASE), "RD"),
    (re.compile(r"standardi[sz]ed mean difference|cohen", re.IGNORECASE), "SMD"),
    (re.compile(r"mean difference|difference in (?:ls |least.squares? )?means?", re.IGNORECASE), "MD"),
)
_ESCAPE = re.compile(r"\\([<>\[\]*_~^#])")
_NO_EFFECT = re.compile(r"\bstatistics?\b|chi[- ]?square|\btest\b", re.IGNORECASE)
"""Posted where an effect belongs, but the value of a test."""
_LIMITS = {"Standard Deviation": "SD", "Standard Error": "SE"}
_PARAMS = {"LEAST_SQUARES_MEAN": "least squares mean", "GEOMETRIC_MEAN": "geometric mean",
           "COUNT_OF_PARTICIPANTS": "count of participants", "COUNT_OF_UNITS": "count of units"}  # fmt: skip


_TESTED = {
    "SUPERIORITY": "superiority",
    "NON_INFERIORITY": "non-inferiority",
    "EQUIVALENCE": "equivalence",
    "NON_INFERIORITY_OR_EQUIVALENCE": "non-inferiority or equivalence",
    "NON_INFERIORITY_OR_EQUIVALENCE_LEGACY": "non-inferiority or equivalence",
}
"""The registry's names of hypotheses; "SUPERIORITY_OR_OTHER" and "OTHER" do not say which."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One arm's value in one row of an outcome's table."""

    arm: str
    value: str | None
    """As posted; `None` = NA or empty."""
    spread: str
    """" (SD 1.2)", " (95% CI 1 to 2)" or empty."""
    measured: Measured | None
    n: int | None
    """Denominator of this row: the class' own, else the outcome's."""
    comment: str | None


@dataclass(frozen=True, slots=True)
class Row:
    """One class and category of an outcome: a time point, a subgroup, a level."""

    title: str
    cells: tuple[Cell, ...]


def read_results(study: JsonObject, arms: Arms) -> tuple[tuple[OutcomeResult, ...], tuple[AbstractPart, ...]]:
    """Results as structures and as readable parts, both in the order of posting; empty without posted results."""
    results: list[OutcomeResult] = []
    parts: list[AbstractPart] = []
    section = study.get("resultsSection")
    for outcome in objects_at(section, "outcomeMeasuresModule", "outcomeMeasures"):
        rows = _rows(outcome, arms)
        effects = [(effect, analysis) for analysis in objects_at(outcome, "analyses") if (effect := _effect(analysis))]
        results.extend(_structures(outcome, rows, effects, arms))
        parts.append(AbstractPart(label=_part_label(outcome), text=plain(_sentences(outcome, rows, arms))))
    harms, text = read_harms(section, arms)
    results.extend(harms)
    if text:
        parts.append(AbstractPart(label="Adverse events", text=plain(text)))
    if caveats := text_at(section, "moreInfoModule", "limitationsAndCaveats", "description"):
        parts.append(AbstractPart(label="Limitations and caveats", text=plain(caveats)))
    return tuple(results), tuple(parts)


def plain(text: str) -> str:
    """The registry's Markdown escapes undone: `\\>126 mg/dL`, `\\[QOL\\]`."""
    return _ESCAPE.sub(r"\1", text)


def _rows(outcome: JsonObject, arms: Arms) -> list[Row]:
    """The rows of an outcome's table; none where the outcome was posted without data."""
    names = arms.named(objects_at(outcome, "groups"))
    whole = _denominators(outcome)
    rows = []
    for group in objects_at(outcome, "classes"):
        counts = whole | _denominators(group)
        for category in objects_at(group, "categories"):
            heads = (text_at(group, "title"), text_at(category, "title"))
            cells = [_cell(m, outcome, names, counts) for m in objects_at(category, "measurements")]
            cells.sort(key=lambda cell: arms.place(cell.arm))
            rows.append(Row(": ".join(head for head in heads if head), tuple(cells)))
    return [row for row in rows if row.cells]


def _denominators(where: JsonObject) -> dict[str, int]:
    """People per group id. A class' own denominators override the outcome's; units other than people are no `n`."""
    counts: dict[str, int] = {}
    for denominator in objects_at(where, "denoms"):
        if (text_at(denominator, "units") or "Participants").lower() == "participants":
            for entry in objects_at(denominator, "counts"):
                if (n := count_at(entry, "value")) is not None:
                    counts[text_at(entry, "groupId") or ""] = n
    return counts


def _cell(measurement: JsonObject, outcome: JsonObject, names: dict[str, str], counts: dict[str, int]) -> Cell:
    group_id = text_at(measurement, "groupId") or ""
    value = text_at(measurement, "value")
    missing = value is None or value.upper() in ("NA", "N/A")
    spread = _spread(measurement, text_at(outcome, "dispersionType") or "")
    return Cell(
        names.get(group_id, group_id),
        None if missing else value,
        spread,
        _measured(measurement, outcome),
        counts.get(group_id),
        text_at(measurement, "comment"),
    )


def _measured(measurement: JsonObject, outcome: JsonObject) -> Measured | None:
    """The value as a number with its dispersion; `None` for a count of people, and where no number was posted."""
    value, kind = _number(text_at(measurement, "value")), text_at(outcome, "paramType") or ""
    if value is None or kind == "COUNT_OF_PARTICIPANTS":
        return None
    single, low, high = (_number(text_at(measurement, key)) for key in ("spread", "lowerLimit", "upperLimit"))
    known = not (single is low is high is None)
    return Measured(
        value=value,
        kind=_words(kind) or None,
        unit=plain(text_at(outcome, "unitOfMeasure") or "") or None,
        dispersion=_dispersion(text_at(outcome, "dispersionType") or "") or None if known else None,
        spread=single,
        low=low,
        high=high,
    )


def _dispersion(kind: str) -> str:
    return _LIMITS.get(kind, kind.replace("Confidence Interval", "CI"))


def _words(kind: str) -> str:
    """LEAST_SQUARES_MEAN as a reader says it."""
    return _PARAMS.get(kind, kind.replace("_", " ").lower())


def _spread(measurement: JsonObject, kind: str) -> str:
    single, low, high = (text_at(measurement, key) for key in ("spread", "lowerLimit", "upperLimit"))
    name = _dispersion(kind)
    if low is not None or high is not None:
        return f" ({' '.join(filter(None, (name, low or 'NA', 'to', high or 'NA')))})"
    return f" ({' '.join(filter(None, (name, single)))})" if single is not None and single.upper() != "NA" else ""


def _structures(outcome: JsonObject, rows: list[Row], effects: list[tuple[EffectEstimate, JsonObject]],
                arms: Arms) -> Iterator[OutcomeResult]:  # fmt: skip
    """One result per row. An effect joins the only row there is; of several, it is not said which it is of."""
    title = text_at(outcome, "title") or "Outcome"
    time_point = text_at(outcome, "timeFrame")
    joined = effects[0] if len(rows) == 1 and effects and _covers(effects[0][1], rows[0]) else None
    for row in rows:
        name = f"{title}: {row.title}" if row.title else title
        results = tuple(_arm_result(cell, outcome) for cell in row.cells)
        yield OutcomeResult(outcome=name, time_point=time_point, arms=results, effect=joined[0] if joined else None)
    names = arms.named(objects_at(outcome, "groups"))
    whole = _denominators(outcome)
    for effect, analysis in effects:
        if joined and effect is joined[0]:
            continue
        compared = [(names.get(i, i), whole.get(i)) for i in _group_ids(analysis)]
        compared.sort(key=lambda entry: arms.place(entry[0]))
        yield OutcomeResult(outcome=title, time_point=time_point, effect=effect,
                            arms=tuple(ArmResult(arm=name, n=n) for name, n in compared))  # fmt: skip


def _covers(analysis: JsonObject, row: Row) -> bool:
    """True when the analysis compares all the arms of the row, so that the effect is the row's."""
    return not _group_ids(analysis) or len(_group_ids(analysis)) == len(row.cells)


def _group_ids(analysis: JsonObject) -> tuple[str, ...]:
    ids = analysis.get("groupIds")
    return tuple(str(entry) for entry in ids) if isinstance(ids, list) else ()


def _arm_result(cell: Cell, outcome: JsonObject) -> ArmResult:
    events = _events(cell, outcome)
    return ArmResult(arm=cell.arm, n=cell.n, events=events, measured=cell.measured if events is None else None)


def _events(cell: Cell, outcome: JsonObject) -> int | None:
    """People with the event, only where the value is a count of people: not a percentage, a rate, eyes or a mean."""
    if cell.value is None or not re.fullmatch(r"\d+", cell.value):
        return None
    kind, unit = text_at(outcome, "paramType") or "", (text_at(outcome, "unitOfMeasure") or "").lower()
    of_people = _PEOPLE.search(unit) and not _SHARE.search(unit)
    if kind != "COUNT_OF_PARTICIPANTS" and not (kind in ("NUMBER", "COUNT_OF_UNITS") and of_people):
        return None
    events = int(cell.value)
    # More events than people: the unit is events after all, whatever it is called.
    return None if cell.n is not None and events > cell.n else events


def _effect(analysis: JsonObject) -> EffectEstimate | None:
    """The estimate of an analysis; `None` where only a p-value, or no number, was posted."""
    estimate = _number(text_at(analysis, "paramValue"))
    if estimate is None:
        return None
    printed = text_at(analysis, "paramType") or "estimate"
    if _NO_EFFECT.search(printed):
        return None
    measure = next((name for pattern, name in _MEASURES if pattern.search(printed)), printed)
    if measure == "RD" and not -1 <= estimate <= 1:
        measure = printed  # in percentage points: not the fraction that RD stands for everywhere else
    low, high = _number(text_at(analysis, "ciLowerLimit")), _number(text_at(analysis, "ciUpperLimit"))
    level = _number(text_at(analysis, "ciPctValue")) if low is not None or high is not None else None
    return EffectEstimate(
        measure=measure,
        estimate=estimate,
        ci_low=low,
        ci_high=high,
        ci_level=level / 100 if level is not None and 0 < level < 100 else None,
        p_value=text_at(analysis, "pValue"),
        tested=_TESTED.get(text_at(analysis, "nonInferiorityType") or ""),
        margin=_margin(analysis),
    )


def _margin(analysis: JsonObject) -> str | None:
    """What is said of the margin, where one is; the comment of a test of superiority is about something else."""
    words = text_at(analysis, "nonInferiorityComment")
    kind = text_at(analysis, "nonInferiorityType") or ""
    return plain(words) if words and ("NON_INFERIORITY" in kind or "EQUIVALENCE" in kind) else None


def _number(text: str | None) -> float | None:
    """A posted number, also with a Unicode minus or thousands commas; `None` for NA, "<0.001" and words."""
    if text is None:
        return None
    plain = text.replace("\N{MINUS SIGN}", "-").replace(",", "").strip()
    return float(plain) if re.fullmatch(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?", plain) else None


def _part_label(outcome: JsonObject) -> str:
    kind = (text_at(outcome, "type") or "").replace("_", " ").capitalize()
    return f"{kind} outcome: {text_at(outcome, 'title') or 'untitled'}".strip()


def _sentences(outcome: JsonObject, rows: list[Row], arms: Arms) -> str:
    """The outcome's table and analyses as sentences in which every number stands with its arm."""
    sentences = [text for key in ("description", "populationDescription") if (text := text_at(outcome, key))]
    time_point = text_at(outcome, "timeFrame")
    if time_point:
        sentences.append(f"Time frame: {time_point}")
    unit = text_at(outcome, "unitOfMeasure") or ""
    kind = text_at(outcome, "paramType") or ""
    what = _words(kind)
    for row in rows:
        values = "; ".join(_cell_words(cell, unit, kind) for cell in row.cells)
        head = " ".join(filter(None, (f"{row.title}:" if row.title else "", f"{what.capitalize()} -" if what else "")))
        sentences.append(f"{head} {values}".strip())
    names = arms.named(objects_at(outcome, "groups"))
    sentences.extend(words for a in objects_at(outcome, "analyses") if (words := _analysis_words(a, names)))
    if not rows:
        sentences.append("No data posted")
    return " ".join(s if s.endswith((".", "!", "?")) else f"{s}." for s in sentences)


def _cell_words(cell: Cell, unit: str, kind: str) -> str:
    if cell.value is None:
        return f"{cell.arm}: not available" + (f" ({cell.comment})" if cell.comment else "")
    if kind == "COUNT_OF_PARTICIPANTS" and cell.n:
        return f"{cell.arm}: {cell.value} of {cell.n} participants{cell.spread}"
    size = f" (n = {cell.n})" if cell.n is not None else ""
    return f"{cell.arm}{size}: {cell.value}{cell.spread} {unit}".rstrip()


def _analysis_words(analysis: JsonObject, names: dict[str, str]) -> str:
    """ "A vs B: HR 1.29 (95% CI 1.12 to 1.49), P <0.001 (Log Rank)"; empty where nothing was posted."""
    value, p_value = text_at(analysis, "paramValue"), text_at(analysis, "pValue")
    if value is None and p_value is None:
        return ""
    named = [names.get(i, i) for i in _group_ids(analysis)]
    parts = []
    if value is not None:
        low, high = text_at(analysis, "ciLowerLimit"), text_at(analysis, "ciUpperLimit")
        level = text_at(analysis, "ciPctValue") or "95"
        interval = f" ({level}% CI {low or 'NA'} to {high or 'NA'})" if low or high else ""
        parts.append(f"{text_at(analysis, 'paramType') or 'estimate'} {value}{interval}")
    if p_value is not None:
        sign = "" if p_value[:1] in "<>=≤≥" else "= "
        parts.append(f"P {sign}{p_value}")
    tested = _TESTED.get(text_at(analysis, "nonInferiorityType") or "")
    notes = [
        text_at(analysis, "statisticalMethod"),
        f"test of {tested}" if tested and tested != "superiority" else None,
    ]
    if margin := _margin(analysis):
        notes.append(f"margin: {margin.rstrip('.')}")
    told = "; ".join(note for note in notes if note)
    return f"{' vs '.join(named) or 'Analysis'}: {', '.join(parts)}" + (f" ({told})" if told else "")
