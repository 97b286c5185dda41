"""How an answer came about, and what was held back from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.verdict import OPEN_VERDICTS, ClaimVerdict
from openwork_knowledge.source_names import source_name
from openwork_report.figures.drawn import svg_of
from openwork_report.figures.groups import forest_groups
from openwork_report.held_back import held_back_parts
from openwork_report.prisma import PrismaFlow, prisma_flow
from openwork_report.render import method_lines
from openwork_report.tables import SearchRow, outcome_of, readable, search_rows
from openwork_report.whole.content import SHARED

from openwork_api.pages.views.sentences import LONGEST
from openwork_api.pages.views.verdicts import verdict_words

MOST_SEARCHES = 60
"""Requests that a page lists; the export has all."""


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A sentence that did not pass, and why."""

    text: str
    verdict: str
    reasons: tuple[tuple[str, str], ...]
    """What was found, and the words of the source to look at, where there are some."""


@dataclass(frozen=True, slots=True)
class HeldBackGroup:
    """Those against which something is proved, or those that nobody could confirm."""

    words: str
    sentences: tuple[HeldBack, ...]


@dataclass(frozen=True, slots=True)
class SearchView:
    """A request as it was sent."""

    source: str
    step: str
    query: str
    hits: str
    read: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A forest plot."""

    title: str
    caption: str
    svg: Markup


@dataclass(frozen=True, slots=True)
class MethodView:
    """What is folded beneath an answer."""

    lines: tuple[str, ...]
    degradations: tuple[str, ...]
    searches: tuple[SearchView, ...]
    n_more_searches: int
    flow: PrismaFlow
    flow_svg: Markup | None


def method_view(document: AnswerDocument) -> MethodView:
    """Searches as sent, the flow of records, what went less well, checks, cost, time."""
    flow = prisma_flow(document)
    rows = search_rows(document)
    return MethodView(
        lines=tuple(line for line in method_lines(document) if not line.startswith("note: ")),
        degradations=document.method.degradations,
        searches=tuple(map(_search, rows[:MOST_SEARCHES])),
        n_more_searches=max(0, len(rows) - MOST_SEARCHES),
        flow=flow,
        flow_svg=Markup(svg_of(flow)) if flow.steps else None,  # noqa: S704 - our own drawing, whose letters are escaped
    )


def plots(document: AnswerDocument) -> tuple[Plot, ...]:
    """Results of one comparison and outcome, where there are several."""
    return tuple(
        Plot(group.title, SHARED.format(measure=group.measure), Markup(svg_of(group)))  # noqa: S704 - as above
        for group in forest_groups(document)
    )


def held_back_groups(document: AnswerDocument) -> tuple[HeldBackGroup, ...]:
    """The two groups, each under the words that every output has for it."""
    open_ = [claim for claim in document.withheld if claim.verdict in OPEN_VERDICTS]
    proved = [claim for claim in document.withheld if claim.verdict not in OPEN_VERDICTS]
    words = (part.partition("\n\n")[0] for part in held_back_parts(document.withheld))
    groups = (group for group in (proved, open_) if group)
    return tuple(HeldBackGroup(told, tuple(map(_held_back, group))) for told, group in zip(words, groups, strict=True))


def _held_back(claim: ClaimVerdict) -> HeldBack:
    return HeldBack(claim.text[:LONGEST], verdict_words(claim.verdict), tuple(_reasons(claim)))


def _reasons(claim: ClaimVerdict) -> Iterator[tuple[str, str]]:
    shown = set[str]()
    for reason in claim.reasons:
        quote = reason.look_at.quote if reason.look_at else ""
        yield reason.detail, "" if quote in shown else quote[:1_000]
        shown.add(quote)


def _search(row: SearchRow) -> SearchView:
    request = row.request
    told = request is not None and not request.not_asked
    return SearchView(
        source=source_name(row.search.source),
        step=(request.rung or "") if request else "",
        query=readable(request.request)[:2_000] if request is not None and told else "",
        hits=f"{request.hits:,}" if request is not None and told and request.hits is not None else "",
        read=f"{request.fetched:,}" if request is not None and told else "",
        outcome=outcome_of(row),
    )
