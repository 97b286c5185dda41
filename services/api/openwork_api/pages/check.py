"""A text and what it cites in, the gate's remarks out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from openwork_bus.run_ids import is_run_id
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.errors import RunNotFound
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.record import CandidateRecord
from openwork_contracts.verdict import EvidenceItem

from openwork_api.api.runs import document_of
from openwork_api.api.verify import Verify, report_of
from openwork_api.depend import Bus, Questioner, Reader
from openwork_api.pages.frame import page
from openwork_api.pages.views.copied import marked
from openwork_api.pages.views.remarks import report_view
from openwork_api.pages.views.sentences import Citing

router = APIRouter()

EXAMPLE_TEXT = """\
Apixaban lowered stroke or systemic embolism compared with warfarin in atrial fibrillation (HR 0.79, 95% CI 0.66 to \
0.95) [1].

Major bleeding was less frequent with apixaban (2.13% versus 3.90% per year) [1].

Warfarin lowered death from any cause compared with apixaban [1].

Apixaban is the best choice for every patient with atrial fibrillation."""
EXAMPLE_ITEM = EvidenceItem(
    n=1,
    pmid="21870978",
    title="Apixaban versus warfarin in patients with atrial fibrillation",
    text=(
        "In 18,201 people with atrial fibrillation, apixaban lowered stroke or systemic embolism compared with "
        "warfarin (1.27% versus 1.60% per year; HR 0.79, 95% CI 0.66 to 0.95). Major bleeding was less frequent with "
        "apixaban than with warfarin (2.13% versus 3.09% per year; HR 0.69, 95% CI 0.60 to 0.80). Death from "
        "any cause was less frequent with apixaban than with warfarin "
        "(3.52% versus 3.94% per year; HR 0.89, 95% CI 0.80 to 0.99)."
    ),
)
"""The same text and source as in examples/."""
MOST_ROWS = 60


@router.get("/check")
async def check(
    request: Request,
    bus: Bus,
    person: Reader,
    run: Annotated[str, Query(max_length=60)] = "",
    example: bool = False,
) -> Response:
    """Where a draft and its sources are pasted; those of a run, or of an example, stand in it already."""
    text, fault = "", ""
    items: tuple[EvidenceItem, ...] = ()
    if example:
        text, items = EXAMPLE_TEXT, (EXAMPLE_ITEM,)
    elif wanted := run.strip().rpartition("/")[2].upper():
        text, items, fault = await _of_run(bus, person, wanted)
    return page(
        request, "check.html", title="Check a text", here="/check", text=text, items=items, run=run, fault=fault
    )


@router.post("/check")
async def report(request: Request, body: Verify, bus: Bus, person: Questioner) -> Response:
    """The remarks as a part of that page."""
    view = report_view(await report_of(bus, person, body))
    return page(request, "report.html", title="", view=view)


async def _of_run(bus: Bus, person: Reader, run_id: str) -> tuple[str, tuple[EvidenceItem, ...], str]:
    if not is_run_id(run_id):
        return "", (), "That is no run id: it is the last part of the address of an answer, 26 letters and digits."
    try:
        document = await document_of(bus, person, run_id, record=True)
    except RunNotFound:
        return "", (), "There is no such run, or it is somebody else's."
    items = sources_of(document)
    return text_of(document), items, "" if items else "That run has no passages to check a text against."


def text_of(document: AnswerDocument) -> str:
    """The sentences of an answer with their marks."""
    citing = Citing(document)
    return "\n\n".join(marked(citing.sentence(place)) for place in range(len(document.answer.claims)))


def sources_of(document: AnswerDocument) -> tuple[EvidenceItem, ...]:
    """The passages of a run, those of one source together."""
    texts: dict[int, list[str]] = {}
    record = document.record
    passages = record.passages if record else ()
    works = {work.candidate_id: work for work in record.candidates} if record else {}
    for one in sorted(passages, key=lambda passage: (passage.n, passage.start)):
        texts.setdefault(one.n, []).append(one.text)
    first = {one.n: one for one in reversed(passages)}
    return tuple(_item(n, "\n".join(parts), first[n], works) for n, parts in list(texts.items())[:MOST_ROWS])


def _item(n: int, text: str, passage: RankedPassage, works: Mapping[str, CandidateRecord]) -> EvidenceItem:
    work = works.get(passage.candidate_id)
    ids = work.identifiers if work else None
    return EvidenceItem(
        n=n,
        title=work.title if work else "",
        text=text,
        pmid=ids.pmid if ids else None,
        doi=ids.doi if ids else None,
        nct_id=ids.nct_ids[0] if ids and ids.nct_ids else None,
        year=work.year if work else None,
        status=work.status.value if work else None,
        text_origin=passage.text_origin,
    )
