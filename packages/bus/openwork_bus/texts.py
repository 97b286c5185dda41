"""Full texts out of their store."""

from __future__ import annotations

import logging

from openwork_contracts.errors import ContractViolation
from openwork_contracts.ranking import FullText, FulltextCompleted, TextSection
from pydantic import ValidationError

from openwork_bus.bus import Bus
from openwork_bus.codec import unpack

log = logging.getLogger(__name__)


async def sections_of(bus: Bus, event: FulltextCompleted) -> tuple[TextSection, ...]:
    """The text of one work; empty when there is none, or when its store has it no more."""
    if event.text is None:
        return event.sections
    try:
        return FullText.model_validate_json(unpack(await bus.get_blob(event.text))).sections
    except (LookupError, ContractViolation, ValidationError) as error:
        log.warning("the abstract of %s is read, its text cannot be: %s", event.candidate_id, error)
        return ()
