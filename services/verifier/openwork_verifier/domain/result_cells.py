"""A cell of a source as the contract says it, for answers and for whoever reads a verdict."""

from __future__ import annotations

from openwork_contracts.cells import CellInterval, CellPlace, ResultCell
from openwork_language.quantities.compare import QuantityKind

from openwork_verifier.domain.rivals import Place


def result_cell(place: Place) -> ResultCell:
    """The cell with its place; what was not read is left out."""
    cell, quantity = place.cell, place.cell.quantity
    rate = quantity.unit if quantity.kind is QuantityKind.RATE else None
    interval = cell.interval
    return ResultCell(
        study=place.passage.item.nct_id or place.passage.item.pmid or place.passage.item.doi,
        arm=cell.arm_text,
        outcome=cell.outcome_text,
        time=", ".join(sorted(cell.times)) or None,
        per=rate.lstrip("/") if rate else None,
        measure=quantity.measure or quantity.kind.value,
        value=str(quantity.value),
        total=str(quantity.total) if quantity.total is not None else None,
        unit=quantity.unit,
        interval=CellInterval(
            low=str(interval.value), high=str(interval.high), level=str(interval.level) if interval.level else None
        )
        if interval is not None
        else None,
        p_value=f"{cell.p_value.operator}{cell.p_value.value}" if cell.p_value else None,
        text_origin=place.passage.item.text_origin,
        place=CellPlace(
            n=place.passage.item.n,
            start=place.sentence.start + quantity.start,
            end=place.sentence.start + quantity.end,
        ),
    )
