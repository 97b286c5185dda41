"""Two runs side by side: what changed from the older one to the newer one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from openwork_answers.figures_in_words import absolute_in_words, figures_in_words
from openwork_contracts.answer import AnswerDocument, Reference
from openwork_knowledge.source_names import source_name
from openwork_report.evidence import study_name
from openwork_report.words import one_line

from openwork_api.pages.views.listing import day_in_words
from openwork_api.pages.views.verdicts import Mark, mark_of_answer


@dataclass(frozen=True, slots=True)
class SideView:
    """One of the two."""

    run_id: str
    question: str
    mark: Mark
    at: str


@dataclass(frozen=True, slots=True)
class Compared:
    """One thing, in both."""

    name: str
    before: str
    after: str

    @property
    def same(self) -> bool:
        """Whether nothing changed."""
        return self.before == self.after


@dataclass(frozen=True, slots=True)
class Cited:
    """A source that one of them cites, or both."""

    study: str
    title: str
    before: int | None
    """Its number there; `None` = not cited."""
    after: int | None


@dataclass(frozen=True, slots=True)
class Difference:
    """What a page of two runs shows."""

    before: SideView
    after: SideView
    same_question: bool
    rows: tuple[Compared, ...]
    both: tuple[Cited, ...]
    added: tuple[Cited, ...]
    removed: tuple[Cited, ...]


def difference(one: AnswerDocument, other: AnswerDocument) -> Difference:
    """The older one first, whichever was named first."""
    before, after = sorted((one, other), key=lambda document: document.run_id)
    cited = tuple(_cited(_by_id(before), _by_id(after)))
    return Difference(
        before=_side(before),
        after=_side(after),
        same_question=before.question.casefold().split() == after.question.casefold().split(),
        rows=tuple(_rows(before, after)),
        both=tuple(c for c in cited if c.before and c.after),
        added=tuple(c for c in cited if c.before is None),
        removed=tuple(c for c in cited if c.after is None),
    )


def _side(document: AnswerDocument) -> SideView:
    at = document.submitted_at
    told = f"{day_in_words(at.date().toordinal())}, {at:%H:%M} UTC" if at else ""
    mark = mark_of_answer(document.status, document.conclusion)
    return SideView(document.run_id, one_line(document.question)[:300], mark, told)


def _rows(before: AnswerDocument, after: AnswerDocument) -> Iterator[Compared]:
    for name, told in _TOLD.items():
        row = Compared(name, told(before), told(after))
        if row.before or row.after:
            yield row


def _verdict(document: AnswerDocument) -> str:
    mark = mark_of_answer(document.status, document.conclusion)
    return f"{mark.words} ({mark.more})" if mark.more else mark.words


def _sentence(document: AnswerDocument) -> str:
    return document.answer.claims[0].text if document.answer.claims else one_line(document.answer.markdown)[:600]


def _result(document: AnswerDocument) -> str:
    lead = document.conclusion.lead if document.conclusion else None
    if lead is None:
        return ""
    figures = "; ".join(part for part in (figures_in_words(lead, counts=True), absolute_in_words(lead)) if part)
    return f"{lead.outcome}: {figures}" if figures else lead.outcome


def _study(document: AnswerDocument) -> str:
    lead = document.conclusion.lead if document.conclusion else None
    return lead.study if lead else ""


def _newest(document: AnswerDocument) -> str:
    year = document.conclusion.newest_year if document.conclusion else None
    return str(year) if year else ""


def _found(document: AnswerDocument) -> str:
    told = (f"{source_name(one.name)} {one.found:,}" for one in document.method.sources if one.reason is None)
    return ", ".join(told)


def _failed(document: AnswerDocument) -> str:
    return ", ".join(source_name(one.name) for one in document.method.sources if one.reason is not None)


def _checked(document: AnswerDocument) -> str:
    scores = document.verification
    return f"{scores.supported} of {scores.claims} passed, {scores.removed} removed" if scores.claims else ""


def _counted(document: AnswerDocument, name: str) -> str:
    n = document.method.counts.get(name)
    return "" if n is None else f"{n:,}"


_TOLD: Mapping[str, Callable[[AnswerDocument], str]] = {
    "Verdict": _verdict,
    "First sentence": _sentence,
    "Leading result": _result,
    "Rests on": _study,
    "Newest source": _newest,
    "Records found": _found,
    "Sources that failed": _failed,
    "Works ranked": lambda document: _counted(document, "screened"),
    "Full texts read": lambda document: _counted(document, "fulltext"),
    "Passages": lambda document: _counted(document, "passages"),
    "Sources cited": lambda document: str(len(document.references)) if document.references else "",
    "Sentences checked": _checked,
    "Time": lambda document: f"{document.timings.total_s:.1f} s",
}


def _by_id(document: AnswerDocument) -> Mapping[str, Reference]:
    return {reference.id: reference for reference in document.references}


def _cited(before: Mapping[str, Reference], after: Mapping[str, Reference]) -> Iterator[Cited]:
    for ident in dict.fromkeys((*after, *before)):
        old, new = before.get(ident), after.get(ident)
        known = new or old
        if known is not None:
            title = one_line(known.title)[:300]
            yield Cited(study_name(known), title, old.n if old else None, new.n if new else None)
