"""Identifiers in, records out: what a draft cites, for `POST /verify`, without pasting any text."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from openwork_contracts.requests import MOST_IDS, LookedUp, LookupRequest, Missing
from pydantic import BaseModel, ConfigDict, Field

from openwork_api.depend import Bus, Questioner

router = APIRouter(tags=["verify"])


class Lookup(BaseModel):
    """Identifiers of works."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        use_attribute_docstrings=True,
        json_schema_extra={"examples": [{"ids": ["PMID 32678530", "doi:10.1056/NEJMoa1911303", "NCT04381936"]}]},
    )

    ids: list[Annotated[str, Field(max_length=500)]] = Field(min_length=1, max_length=MOST_IDS)
    """One each, as people write them: a PMID, a PMCID, a DOI, an NCT number, or an address that holds one."""


class Works(BaseModel):
    """Each identifier once: with its record, or with the reason why there is none; both in the order of the request."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    found: tuple[LookedUp, ...]
    """What `/verify` takes as evidence has the same names in `item`; its `n` is the place of the identifier, from 1."""
    missing: tuple[Missing, ...]
    degradations: tuple[str, ...]
    """What went less well, e.g. a source that could not be reached."""


@router.post("/lookup", summary="Find works by their identifiers")
async def lookup(body: Lookup, bus: Bus, person: Questioner) -> Works:
    """Title, text, identifiers and status of each work: its abstract from Europe PMC, a registration from
    ClinicalTrials.gov, else the library's summary, as `text_origin` says. Nothing is kept. Takes up to 10 s."""
    reply = await bus.lookup(person, LookupRequest(ids=tuple(body.ids)))
    return Works(found=reply.found, missing=reply.missing, degradations=reply.degradations)
