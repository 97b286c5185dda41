"""Everything that a run found, as a list that can be narrowed: what became of each work, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.evidence import TextOrigin
from openwork_contracts.record import CandidateRecord, Decision
from openwork_knowledge import designs
from openwork_knowledge.source_names import source_name
from openwork_report.words import one_line, why_out

from openwork_api.evidence import Order, Which, chosen
from openwork_api.pages.views.links import Link, links_of_work, passage_address
from openwork_api.pages.views.references import status_in_words, warns

PER_PAGE = 50
MOST_PLACES = 4
"""Sources that are named with a work."""
WHICH = {Which.ALL: "Everything", Which.CITED: "Cited", Which.READ: "Read", Which.LEFT_OUT: "Left out"}
ORDERS = {
    Order.RANK: "How far it came",
    Order.YEAR: "Newest first",
    Order.DESIGN: "Study design",
    Order.SOURCE: "Source",
    Order.TITLE: "Title",
}
_CAME = {
    Decision.CITED: "Cited",
    Decision.PASSAGE_CHOSEN: "Passage chosen",
    Decision.FULLTEXT_READ: "Full text read",
    Decision.ABSTRACT_READ: "Abstract read",
    Decision.SHORTLISTED: "Shortlisted",
}


@dataclass(frozen=True, slots=True)
class Filters:
    """What a reader asked to see."""

    which: Which = Which.ALL
    order: Order = Order.RANK
    source: str = ""
    design: str = ""
    text: str = ""
    page: int = 1

    def address(self, run_id: str, page: int) -> str:
        """The same list, another page of it."""
        told = {"which": self.which.value, "order": self.order.value, "source": self.source, "design": self.design}
        told |= {"q": self.text, "page": str(page)}
        return f"/runs/{run_id}/evidence?{urlencode({name: value for name, value in told.items() if value})}"


@dataclass(frozen=True, slots=True)
class WorkView:
    """One work."""

    title: str
    n: int | None
    facts: tuple[str, ...]
    came: str
    cited: bool
    why: str
    score: float | None
    """Of the document, in [0, 1]."""
    told: tuple[str, ...]
    """How it ranked, whose words were read, what is known of its status."""
    status: str
    warns: bool
    links: tuple[Link, ...]
    passages: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WorksView:
    """A page of the list."""

    works: tuple[WorkView, ...]
    n_fit: int
    n_all: int
    designs: tuple[tuple[str, str], ...]
    sources: tuple[tuple[str, str], ...]
    first: int
    before: str | None
    after: str | None
    scorers: tuple[str, ...]


def works_view(document: AnswerDocument, filters: Filters) -> WorksView:
    """Those that fit, a page of them."""
    works = document.record.candidates if document.record else ()
    fit = chosen(
        works, which=filters.which, source=filters.source or None, design=filters.design or None, order=filters.order
    )
    fit = tuple(work for work in fit if _holds(work, filters.text))
    pages = max(1, -(-len(fit) // PER_PAGE))
    page = min(max(1, filters.page), pages)
    first = (page - 1) * PER_PAGE
    views = _Views(document)
    return WorksView(
        works=tuple(map(views.work, fit[first : first + PER_PAGE])),
        n_fit=len(fit),
        n_all=len(works),
        designs=_designs(works),
        sources=_sources(works),
        first=first + 1 if fit else 0,
        before=filters.address(document.run_id, page - 1) if page > 1 else None,
        after=filters.address(document.run_id, page + 1) if page < pages else None,
        scorers=tuple(_scorers(document)),
    )


class _Views:
    """Works with their passages."""

    def __init__(self, document: AnswerDocument) -> None:
        self._passages: dict[str, list[tuple[str, str, float]]] = {}
        for one in document.record.passages if document.record else ():
            address = passage_address(document.run_id, one.passage_id)
            told = (address, one_line(one.section)[:120] or "Passage", one.passage_score)
            self._passages.setdefault(one.candidate_id, []).append(told)

    def work(self, work: CandidateRecord) -> WorkView:
        """One work."""
        passages = self._passages.get(work.candidate_id, [])
        label = designs.label(work.study_design)
        people = f"{work.sample_size:,} people" if work.sample_size else ""
        facts = filter(None, (label, one_line(work.journal), str(work.year or ""), people))
        return WorkView(
            title=one_line(work.title)[:600] or work.candidate_id,
            n=work.n,
            facts=tuple(facts),
            came=_CAME.get(work.decision, "Left out"),
            cited=work.decision is Decision.CITED,
            why="" if work.decision is Decision.CITED else why_out(work.decision, work.reason),
            score=work.document_score,
            told=tuple(_told(work, passages)),
            status=status_in_words(work.status),
            warns=warns(work.status),
            links=links_of_work(work),
            passages=tuple((address, section) for address, section, _ in passages),
        )


def _told(work: CandidateRecord, passages: Sequence[tuple[str, str, float]]) -> Iterator[str]:
    if passages:
        yield f"best passage {max(score for _, _, score in passages):.2f}"
    for one in work.provenance[:MOST_PLACES]:
        yield f"place {one.rank} in {source_name(one.source)}"
    if len(work.provenance) > MOST_PLACES:
        yield f"and in {len(work.provenance) - MOST_PLACES} more"
    if work.text_origin is TextOrigin.OUR_SUMMARY:
        yield "our summary was read"
    if not warns(work.status) and (status := status_in_words(work.status)):
        yield status


def _holds(work: CandidateRecord, text: str) -> bool:
    told = " ".join(filter(None, (work.title, work.journal, work.identifiers.pmid, work.identifiers.doi))).casefold()
    return all(word in told for word in text.casefold().split())


def _designs(works: Sequence[CandidateRecord]) -> tuple[tuple[str, str], ...]:
    found = {work.study_design for work in works}
    named = ((one.value, designs.label(one) or one.value.replace("_", " ")) for one in found)
    return tuple(sorted(named, key=lambda pair: pair[1]))


def _sources(works: Sequence[CandidateRecord]) -> tuple[tuple[str, str], ...]:
    found = dict.fromkeys(one.source for work in works for one in work.provenance)
    return tuple((source, f"{source_name(source)} ({source})") for source in sorted(found))


def _scorers(document: AnswerDocument) -> Iterator[str]:
    for one in document.record.scorers if document.record else ():
        model = f" ({one.model})" if one.model else ""
        spread = ""
        if one.statistics:
            told = one.statistics
            spread = f": {told.count:,} read, scores {told.minimum:.2f} to {told.maximum:.2f}"
        yield f"{one.stage}: {one.scorer}{model}{spread}"
