"""A run: while it goes on, when it is over, and any passage that it rests on."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.requests import ShowReply, ShowRequest
from openwork_contracts.review import Review
from openwork_report.words import one_line, run_status_words

from openwork_api.api.runs import document_in, document_of, is_whole
from openwork_api.depend import Bus, Reader, RunPath
from openwork_api.pages.frame import page
from openwork_api.pages.messages import inline
from openwork_api.pages.views.answer import answer_view
from openwork_api.pages.views.copied import as_text
from openwork_api.pages.views.links import trace_address
from openwork_api.pages.views.method import held_back_groups, method_view, plots
from openwork_api.pages.views.passages import passage_view
from openwork_api.pages.views.progress import progress_view, words_of_progress
from openwork_api.pages.views.references import reference_views
from openwork_api.pages.views.review import review_view
from openwork_api.pages.views.verdicts import Mark, mark_of_answer
from openwork_api.problems import ProblemError

router = APIRouter()

LONGEST_QUESTION = 320
"""Characters of a question that stand in a heading; the rest is folded."""
EXPORTS = (
    ("pdf", "PDF"),
    ("docx", "Word"),
    ("html", "Web page"),
    ("markdown", "Markdown"),
    ("ris", "RIS"),
    ("bibtex", "BibTeX"),
    ("csl-json", "CSL JSON"),
    ("references", "Reference list"),
    ("csv", "Tables (CSV)"),
)
_ONLY_REFERENCES = frozenset({"ris", "bibtex", "csl-json", "references"})
_WITH_ANSWER = frozenset({RunStatus.ANSWERED, RunStatus.TOO_LITTLE_EVIDENCE})
_WITHOUT_ANSWER = frozenset({RunStatus.FAILED, RunStatus.CANCELLED, RunStatus.REFUSED})
"""Asked again it may have one."""


@router.get("/runs/{run_id}")
async def run(request: Request, run_id: RunPath, bus: Bus, person: Reader) -> Response:
    """A run as far as it has come."""
    reply = await bus.show(person, ShowRequest(run_id=run_id, record=True))
    document = document_in(reply)
    if document.status is RunStatus.RUNNING:
        return _running(request, document, reply)
    if document.review is not None:
        return _review(request, document, document.review)
    if document.status in _WITH_ANSWER:
        return _answer(request, document)
    return _message(request, document)


@router.get("/runs/{run_id}/passages/{passage_id:path}")
async def passage(
    request: Request,
    run_id: RunPath,
    passage_id: str,
    bus: Bus,
    person: Reader,
    claim: Annotated[int | None, Query(ge=1, le=10_000)] = None,
    whole: Annotated[bool, Query(alias="all")] = False,
) -> Response:
    """A passage, with the words that sentences rest on."""
    document = await document_of(bus, person, run_id, record=True)
    view = passage_view(document, passage_id, claim=claim, whole=whole)
    if view is None:
        raise ProblemError(404, "PassageNotFound", "this run has no passage of that id")
    question = one_line(document.question)
    return page(
        request, "passage.html", title=f"Passage: {view.title}", view=view, run_id=run_id, question=question[:300]
    )


def question_parts(question: str) -> tuple[str, str]:
    """What stands in the heading, and the whole where that is longer."""
    line = one_line(question)
    if len(line) <= LONGEST_QUESTION:
        return line, ""
    return f"{line[:LONGEST_QUESTION].rstrip()} ...", question


def _running(request: Request, document: AnswerDocument, reply: ShowReply) -> Response:
    return page(
        request,
        "running.html",
        title=f"Running: {one_line(document.question)}",
        document=document,
        question=question_parts(document.question),
        view=progress_view(document, reply.progress),
        words=words_of_progress(request.app.state.settings.source_names, document.pipeline),
    )


def _answer(request: Request, document: AnswerDocument) -> Response:
    view, references = answer_view(document), reference_views(document)
    told = document.answer.claims and document.status is RunStatus.ANSWERED
    message = [] if told else _first_sentence(document.answer.markdown.partition("\n\n")[0])
    return page(
        request,
        "answer.html",
        title=one_line(document.question),
        document=document,
        question=question_parts(document.question),
        view=view,
        message=[inline(part) for part in message],
        last_words=inline(view.last_words) if told and view.last_words else "",
        references=references,
        plots=plots(document),
        held_back=held_back_groups(document),
        method=method_view(document),
        trace=trace_address(request.app.state.settings.api_traces_url, document.trace_id),
        exports=[one for one in EXPORTS if references or one[0] not in _ONLY_REFERENCES],
        copied=as_text(document, references),
        n_works=len(document.record.candidates) if document.record else 0,
    )


def _review(request: Request, document: AnswerDocument, review: Review) -> Response:
    view = review_view(document, review)
    told = f"{len(review.studies)} {'study' if len(review.studies) == 1 else 'studies'} read"
    return page(
        request,
        "review.html",
        title=one_line(document.question),
        document=document,
        question=question_parts(document.question),
        view=view,
        mark=Mark("Deep review", "text", told),
        method=method_view(document),
        trace=trace_address(request.app.state.settings.api_traces_url, document.trace_id),
        exports=[one for one in EXPORTS if view.references or one[0] not in _ONLY_REFERENCES],
    )


def _first_sentence(text: str) -> list[str]:
    """What is told first apart from the rest."""
    first, stop, rest = text.partition(". ")
    return [f"{first}.", rest] if stop else [text]


def _message(request: Request, document: AnswerDocument) -> Response:
    text = document.answer.markdown
    return page(
        request,
        "message.html",
        title=f"{run_status_words(document.status)}: {one_line(document.question)}",
        document=document,
        question=question_parts(document.question),
        mark=mark_of_answer(document.status, None),
        heading=run_status_words(document.status),
        message=[inline(part) for part in text.split("\n\n") if part],
        again=document.status in _WITHOUT_ANSWER and is_whole(document),
    )
