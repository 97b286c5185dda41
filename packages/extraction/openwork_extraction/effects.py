"""Effects as printed: a ratio or a difference with its interval and p value, out of a table's row or a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.cells import CellInterval, CellPlace, ResultCell
from openwork_contracts.measures import RATIOS
from openwork_language.cells.read import read_cells
from openwork_language.quantities.quantity import QuantityKind

from openwork_extraction.grid import Figure
from openwork_extraction.labels import LabelKind
from openwork_extraction.names import bare
from openwork_extraction.printed import number

_DASHES = str.maketrans(dict.fromkeys("−–‑‒—", "-") | {"·": ".", "\u00a0": " ", "\u2009": " ", "\u202f": " "})
_NUM = r"-?\d+(?:\.\d+)?"
_WITH_LIMITS = re.compile(
    rf"^(?P<value>{_NUM})\s*%?\W*?[(\[]\s*(?:(?P<level>9\d)\s*%?\s*CI\s*[:=,]?\s*)?(?P<low>{_NUM})\s*%?\s*(?:-|to|,|;)\s*(?P<high>{_NUM})\s*%?\s*[)\]]"
)
_P = re.compile(r"^\s*[pP]?\s*(?P<p>[<>=≤≥]?\s*0?\.\d+|1(?:\.0+)?)")
_MEASURES = (
    ("HR", re.compile(r"\bHR\b|(?i:hazards?\s+ratio)")),
    ("OR", re.compile(r"\bOR\b|(?i:odds\s+ratio)")),
    ("IRR", re.compile(r"\bIRR\b|(?i:(?:incidence\s+)?rate\s+ratio)")),
    ("RR", re.compile(r"\bRR\b|(?i:relative\s+risk|risk\s+ratio)")),
    ("RD", re.compile(r"\bRD\b|\bARR\b|(?i:risk\s+difference|absolute\s+(?:risk\s+)?(?:difference|reduction))")),
    ("SMD", re.compile(r"\bSMD\b|(?i:standardi[sz]ed\s+mean\s+difference|cohen)")),
    ("MD", re.compile(r"\bMD\b|(?i:mean\s+difference|difference\s+(?:in|of|between)\s+means?)")),
    ("difference", re.compile(r"(?i:\bdifference|treatment\s+effect|intervention\s+effect)")),
)
_UNADJUSTED = re.compile(r"\bunadjusted\b|\bcrude\b", re.IGNORECASE)
_ADJUSTED = re.compile(r"\badjusted\b|\badj\.?\b|\ba(?:HR|OR|RR)\b", re.IGNORECASE)


def effect_of_row(figures: Sequence[Figure], row: int, study: str, table: str) -> tuple[ResultCell, bool] | None:
    """The effect in a row whose arms are columns, with its p value, and whether it is adjusted; the crude one first."""
    effects: list[tuple[bool, ResultCell]] = []
    for figure in figures:
        if figure.row != row or not any(label.kind is LabelKind.EFFECT for label in figure.labels):
            continue
        cell = _cell(figure, study, table)
        if cell is None:
            continue
        adjusted = is_adjusted(" ".join(figure.column_path))
        p_value = _p_value(figures, figure)
        effects.append((adjusted, cell.model_copy(update={"p_value": p_value}) if p_value else cell))
    effects.sort(key=lambda found: found[0])
    return (effects[0][1], effects[0][0]) if effects else None


def is_adjusted(words: str) -> bool:
    """Whether words say that an effect is adjusted for covariates."""
    return _ADJUSTED.search(_UNADJUSTED.sub(" ", words)) is not None


def measure_in(words: str) -> str | None:
    """The measure that a heading names: HR, OR, RR, RD, MD, SMD, "difference"; `None` = none."""
    return next((name for name, pattern in _MEASURES if pattern.search(words)), None)


def _cell(figure: Figure, study: str, table: str) -> ResultCell | None:
    match = _WITH_LIMITS.match(" ".join(figure.text.translate(_DASHES).split()))
    if match is None:
        return None
    heads = " ".join(label.text for label in figure.labels if label.axis == "column")
    place = CellPlace(
        table=table,
        row=figure.row_path[-1] if figure.row_path else None,
        column=figure.column_path[-1] if figure.column_path else None,
        table_row=figure.row,
        table_column=figure.column,
        row_path=figure.row_path,
        column_path=figure.column_path,
    )
    return ResultCell(
        study=study,
        outcome=figure.row_path[-1] if figure.row_path else None,
        measure=measure_in(heads),
        value=match["value"],
        interval=CellInterval(low=match["low"], high=match["high"], level=match["level"] or _level(heads)),
        place=place,
        words=figure.text,
    )


def _level(heads: str) -> str | None:
    found = re.search(r"\b(9\d(?:\.\d)?)\s?%", heads)
    return found[1] if found else None


def _p_value(figures: Sequence[Figure], effect: Figure) -> str | None:
    """The p value of the first column of them behind an effect."""
    behind = [
        figure
        for figure in figures
        if figure.row == effect.row
        and figure.column > effect.column
        and any(label.kind is LabelKind.P_VALUE for label in figure.labels)
    ]
    match = _P.match(behind[0].text) if behind else None
    return re.sub(r"\s", "", match["p"]) if match else None


def effects_in(text: str) -> tuple[ResultCell, ...]:
    """The effects of a sentence that have an interval, with their places in it."""
    found = []
    for cell in read_cells(text):
        quantity, interval = cell.quantity, cell.interval
        if quantity.kind is not QuantityKind.EFFECT or interval is None or interval.high is None or cell.attached:
            continue
        found.append(
            ResultCell(
                measure=quantity.measure,
                value=str(quantity.value),
                unit=quantity.unit,
                interval=CellInterval(
                    low=str(interval.low),
                    high=str(interval.high),
                    level=str(interval.level) if interval.level else None,
                ),
                p_value=_printed_p(cell.p_value.operator, str(cell.p_value.value)) if cell.p_value else None,
                outcome=cell.outcome_text,
                place=CellPlace(start=quantity.start, end=quantity.end),
                words=bare(text),
            )
        )
    return tuple(found)


def _printed_p(operator: str, value: str) -> str:
    return value if operator == "=" else f"{operator}{value}"


def excludes_none(effect: ResultCell) -> bool | None:
    """Whether the interval of an effect excludes no effect; `None` without an interval or of an unknown measure."""
    if effect.interval is None or effect.measure is None:
        return None
    none = 1 if effect.measure in RATIOS else 0
    return not number(effect.interval.low) <= none <= number(effect.interval.high)
