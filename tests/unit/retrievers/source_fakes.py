"""A scripted `HttpPort` and a question, for tests of the source adapters."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from openwork_contracts.pipelines import ANSWER, pipeline_named
from openwork_contracts.question import Entity, EntityKind, Intent, QuestionAnalysis
from openwork_http.messages import HttpResponse
from openwork_language.searching.ladder import strategy_of
from openwork_retrievers.adapters.ports import HttpRequest, SearchRequest

NOW = datetime(2026, 1, 2, tzinfo=UTC)
QUESTION = "Does apixaban cause less bleeding than warfarin in atrial fibrillation?"

Answer = tuple[int, bytes]


def ok(body: str | bytes) -> Answer:
    return 200, body.encode() if isinstance(body, str) else body


@dataclass
class ScriptedHttp:
    """Answers each call by the first rule whose mark is in the call's address and body; keeps what was asked.

    A rule's answers are given one after the other; the last one stays. Bodies come in pieces of 50 bytes.
    """

    rules: dict[str, list[Answer]]
    asked: list[HttpRequest] = field(default_factory=list)

    async def send(self, request: HttpRequest) -> HttpResponse:
        self.asked.append(request)
        shown = request.shown()
        for mark, answers in self.rules.items():
            if mark in shown:
                status, body = answers.pop(0) if len(answers) > 1 else answers[0]
                return HttpResponse(status, {}, _pieces(body))
        raise AssertionError(f"no rule for {shown}")


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), 50):
        yield body[start : start + 50]


@dataclass
class FailingHttp:
    """Raises what it was given."""

    error: Callable[[], Exception]

    async def send(self, request: HttpRequest) -> HttpResponse:
        raise self.error()


def entity(kind: EntityKind, name: str, mesh_id: str | None, *synonyms: str) -> Entity:
    return Entity(kind=kind, text=name, start=0, end=len(name), name=name, mesh_id=mesh_id, synonyms=synonyms)


def analysis(
    question: str = QUESTION,
    *,
    intent: Intent = Intent.COMPARATIVE_ANALYSIS,
    entities: tuple[Entity, ...] | None = None,
    variants: tuple[str, ...] = ("apixaban warfarin major bleeding", "apixaban haemorrhage", "apixaban"),
    recent_since_year: int | None = None,
    years: tuple[int | None, int | None] = (None, None),
) -> QuestionAnalysis:
    """The analysis of a question about apixaban, as the query service makes it."""
    if entities is None:
        entities = (
            entity(EntityKind.DISEASE, "Atrial Fibrillation", "D001281", "AF", "auricular fibrillation"),
            entity(EntityKind.DRUG, "apixaban", "C522181", "Eliquis"),
        )
    return QuestionAnalysis(
        question=question,
        intent=intent,
        entities=entities,
        search_variants=variants,
        complexity=0.4,
        sources=("pubmed",),
        recent_since_year=recent_since_year,
        from_year=years[0],
        to_year=years[1],
    )


def search_request(
    route: str = "pubmed",
    *,
    limit: int = 120,
    question: QuestionAnalysis | None = None,
    pipeline: str = ANSWER,
    round_: int = 1,
) -> SearchRequest:
    """A request with the calls of NCBI that a run of that kind has in that round."""
    budgets, asked = pipeline_named(pipeline).budgets, question or analysis()
    return SearchRequest(
        route,
        asked,
        strategy_of(asked),
        limit=limit,
        retrieved_at=NOW,
        round=round_,
        enough=budgets.enough_records,
        ncbi=budgets.ncbi_calls_of(round_),
    )
