"""What the verification gate is given without a bus, with errors that name the item and the field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openwork_contracts.errors import UsageError
from openwork_contracts.verdict import EvidenceItem
from pydantic import ValidationError


def evidence_items(rows: Sequence[Mapping[str, Any]], where: str) -> tuple[EvidenceItem, ...]:
    """A list of evidence as items.

    Raises:
        UsageError: an item has no text, or a field of another type.
    """
    items = []
    for place, raw in enumerate(rows, start=1):
        try:
            items.append(EvidenceItem.model_validate(raw))
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            field = ".".join(map(str, first["loc"])) or "item"
            raise UsageError(f"{where}: evidence {place}, {field}: {first['msg']}") from error
    return tuple(items)
