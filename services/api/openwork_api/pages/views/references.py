"""The references of an answer: what each is, where it stands, and whose words were cited."""

from __future__ import annotations

from dataclasses import dataclass

from openwork_contracts.answer import AnswerDocument, Reference
from openwork_contracts.evidence import EvidenceStatus, TextOrigin
from openwork_knowledge import designs
from openwork_report.whose_words import cited_text
from openwork_report.words import STATUS_WORDS, authors_of, one_line

from openwork_api.pages.views.links import Link, links_of_reference, passage_address

_WARNS = frozenset({EvidenceStatus.RETRACTED, EvidenceStatus.WITHDRAWN, EvidenceStatus.CONCERN})
NOT_CHECKED = "retraction status not checked"
_MOST_TITLE = 600


@dataclass(frozen=True, slots=True)
class ReferenceView:
    """One reference."""

    n: int
    title: str
    authors: str
    where: str
    """Journal and year."""
    design: str
    links: tuple[Link, ...]
    status: str
    warns: bool
    """Whether the status is one that a reader must not miss."""
    note: str
    cited_text: str
    ours: bool
    """Whether the cited text is a summary of ours."""
    passages: tuple[tuple[str, str], ...]
    """Address and section of what was read of it."""


def reference_views(document: AnswerDocument) -> tuple[ReferenceView, ...]:
    """In their order."""
    passages: dict[int, list[tuple[str, str]]] = {}
    for one in document.record.passages if document.record else ():
        address = passage_address(document.run_id, one.passage_id)
        passages.setdefault(one.n, []).append((address, one_line(one.section)[:120]))
    return tuple(_view(reference, tuple(passages.get(reference.n, ()))) for reference in document.references)


def _view(reference: Reference, passages: tuple[tuple[str, str], ...]) -> ReferenceView:
    collective = one_line(reference.collective_author)
    where = [one_line(str(part)) for part in (reference.journal, reference.year) if part]
    return ReferenceView(
        n=reference.n,
        title=one_line(reference.title)[:_MOST_TITLE] or "Without a title",
        authors="; ".join(filter(None, (authors_of(reference), collective))),
        where=", ".join(where),
        design=designs.label(reference.study_design) or "",
        links=links_of_reference(reference),
        status=status_in_words(reference.status),
        warns=warns(reference.status),
        note=reference.note or "",
        cited_text=cited_text(reference) or "",
        ours=reference.text_origin is TextOrigin.OUR_SUMMARY,
        passages=passages,
    )


def warns(status: EvidenceStatus) -> bool:
    """Whether it is one that a reader must not miss."""
    return status in _WARNS


def status_in_words(status: EvidenceStatus) -> str:
    """Empty where somebody looked and no notice is known."""
    if status is EvidenceStatus.NONE:
        return ""
    if status is EvidenceStatus.NOT_CHECKED:
        return NOT_CHECKED
    return STATUS_WORDS.get(status, status.value.replace("_", " "))
