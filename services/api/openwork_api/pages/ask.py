"""The first page: a question, what may be chosen for its run, the person's newest runs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.pipelines import ANSWER, PIPELINES, REVIEW
from openwork_contracts.requests import ListRequest
from openwork_knowledge.source_names import is_live, source_name

from openwork_api.depend import Bus, Reader
from openwork_api.pages.frame import page
from openwork_api.pages.views.listing import run_line
from openwork_api.settings import Settings

router = APIRouter()

EXAMPLES = (
    "Does dapagliflozin reduce death in heart failure with reduced ejection fraction?",
    "Do omega-3 fatty acids reduce cardiovascular events?",
    "What dose of apixaban is used in atrial fibrillation?",
    "What do guidelines recommend for blood pressure targets?",
)
"""Asked of the starter library they come out differently: shown, conflicting, a description, a recommendation."""
RECENT = 6
KINDS = {
    ANSWER: ("Short answer", "cited and checked, within seconds"),
    REVIEW: ("Deep review", "searches for and against, screening, studies pooled"),
}
"""What the kinds of run are called where one is chosen, and what they are."""


@router.get("/")
async def ask(request: Request, bus: Bus, person: Reader, q: Annotated[str, Query(max_length=20_000)] = "") -> Response:
    """Where a question is typed."""
    settings: Settings = request.app.state.settings
    try:
        runs = (await bus.runs(person, ListRequest(limit=RECENT))).runs
    except OpenWorkError:  # a question may be typed all the same
        runs = ()
    names = dict.fromkeys(part.strip() for part in settings.sources.split(",") if part.strip())
    return page(
        request,
        "ask.html",
        title="Ask",
        here="/",
        question=q,
        examples=EXAMPLES,
        sources=[(name, source_name(name), is_live(name)) for name in names],
        pipelines=[(one.name, *KINDS.get(one.name, (one.name, one.in_words))) for one in PIPELINES if one.installed],
        runs=tuple(map(run_line, runs)),
    )
