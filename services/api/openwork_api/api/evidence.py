"""The evidence of a run: every work that was found with what became of it, and any passage with its context."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from openwork_contracts.answer import AnswerDocument, Reference
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.record import CandidateRecord, RoundRecord, SearchRecord
from openwork_contracts.verdict import ClaimVerdict
from pydantic import BaseModel, ConfigDict

from openwork_api.api.runs import document_of
from openwork_api.depend import Bus, Reader, RunPath
from openwork_api.evidence import Order, Which, chosen, passage_in
from openwork_api.problems import ProblemError

router = APIRouter(tags=["evidence"])


class Evidence(BaseModel):
    """Works that were found."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    run_id: str
    total: int
    """How many there are in all, before any filter."""
    works: tuple[CandidateRecord, ...]


class Passage(BaseModel):
    """A passage, the work it stands in, and the sentences that rest on it."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    run_id: str
    passage: RankedPassage
    work: CandidateRecord | None
    reference: Reference | None
    """`None` = the answer does not cite its work."""
    claims: tuple[ClaimVerdict, ...]
    """Sentences of the answer that rest on words of this passage; their spans count in the text of its section."""


class Searches(BaseModel):
    """What was searched, as it was sent, and what each source answered."""

    run_id: str
    rounds: tuple[RoundRecord, ...]
    searches: tuple[SearchRecord, ...]


@router.get("/runs/{run_id}/evidence", summary="The works that were found")
async def evidence(
    run_id: RunPath,
    bus: Bus,
    person: Reader,
    which: Annotated[Which, Query(description="cited, read, left out, or all.")] = Which.ALL,
    source: Annotated[str | None, Query(description="Only works that this source gave.")] = None,
    design: Annotated[str | None, Query(description="Only works of this study design.")] = None,
    order: Annotated[Order, Query()] = Order.RANK,
) -> Evidence:
    """Every work with what became of it and why, its score, and which source gave it."""
    document = await _whole(bus, person, run_id)
    works = document.record.candidates if document.record else ()
    return Evidence(
        run_id=run_id, total=len(works), works=chosen(works, which=which, source=source, design=design, order=order)
    )


@router.get("/runs/{run_id}/passages/{passage_id:path}", summary="A passage with its context")
async def passage(run_id: RunPath, passage_id: str, bus: Bus, person: Reader) -> Passage:
    """The words that sentences rest on: where they stand, whose they are, and what rests on them."""
    document = await _whole(bus, person, run_id)
    found = passage_in(document, passage_id)
    if found is None:
        raise ProblemError(404, "PassageNotFound", "this run has no passage of that id; its passages are in its record")
    return Passage(run_id=run_id, **found)


@router.get("/runs/{run_id}/searches", summary="The search log")
async def searches(run_id: RunPath, bus: Bus, person: Reader) -> Searches:
    """Each request as it was sent, with what the engine made of it: what PRISMA-S asks for."""
    document = await _whole(bus, person, run_id)
    record = document.record
    return Searches(run_id=run_id, rounds=record.rounds if record else (), searches=record.searches if record else ())


async def _whole(bus: Bus, person: Reader, run_id: str) -> AnswerDocument:
    return await document_of(bus, person, run_id, record=True)
