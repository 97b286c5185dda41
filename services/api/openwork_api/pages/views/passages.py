"""A passage as its reader sees it: the words a sentence rests on, marked, and whose words they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.evidence import TextOrigin
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.record import CandidateRecord
from openwork_contracts.verdict import ClaimVerdict, EvidenceSpan
from openwork_knowledge import designs
from openwork_knowledge.source_names import source_names
from openwork_report.words import one_line, whose_words

from openwork_api.evidence import PassageFound, passage_in
from openwork_api.pages.views.links import Link, links_of_work
from openwork_api.pages.views.references import status_in_words, warns
from openwork_api.pages.views.sentences import Citing, Sentence
from openwork_api.pages.views.verdicts import verdict_words

MOST_SHOWN = 6_000
"""Characters of a passage that are shown at once; a reader may have all of it."""
_BEFORE = 1_500
"""Characters before the first marked words, where a passage is cut."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of the text."""

    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class PassageView:
    """A passage beside the sentence that rests on it."""

    address: str
    n: int
    title: str
    study: str
    facts: tuple[str, ...]
    """Design, journal, year."""
    status: str
    warns: bool
    misfit: str
    """What it tested instead, where it does not answer the question."""
    section: str
    whose: str
    confirmed_at: str
    ours: bool
    paragraphs: tuple[tuple[Piece, ...], ...]
    is_cut: bool
    n_letters: int
    apart: tuple[str, ...]
    """Words that the sentence rests on and that are not in the shown text."""
    number: int | None
    """Of the sentence below, from 1."""
    sentence: Sentence | None
    """What was asked for: the sentence whose words are marked."""
    verdict: str
    others: tuple[Sentence, ...]
    links: tuple[Link, ...]
    found_in: tuple[str, ...]
    scores: str


def passage_view(
    document: AnswerDocument, passage_id: str, *, claim: int | None = None, whole: bool = False
) -> PassageView | None:
    """A passage of a run; `None` = it has none of that id.

    Args:
        claim: the sentence of the answer, from 1, whose words are marked; without it those of every sentence are.
        whole: show all of it, however long it is.
    """
    found = passage_in(document, passage_id)
    if found is None:
        return None
    claims = document.answer.claims
    number = claim if claim and claim <= len(claims) and claims[claim - 1] in found["claims"] else None
    asked = claims[number - 1] if number else None
    spans = [span for one in ([asked] if asked else found["claims"]) for span in _of(one, passage_id)]
    return _view(document, found, asked, spans, number, whole=whole)


def _view(
    document: AnswerDocument,
    found: PassageFound,
    asked: ClaimVerdict | None,
    spans: Sequence[EvidenceSpan],
    number: int | None,
    *,
    whole: bool,
) -> PassageView:
    passage, work, reference = found["passage"], found["work"], found["reference"]
    citing = Citing(document)
    places, apart = _places(passage, spans)
    start, end = (0, len(passage.text)) if whole else _window(passage.text, places)
    others = [p for p, one in enumerate(document.answer.claims) if one in found["claims"] and p + 1 != number]
    status = work.status if work else reference.status if reference else None
    return PassageView(
        address=f"/runs/{document.run_id}",
        n=passage.n,
        title=one_line(work.title if work else reference.title if reference else "")[:600] or "Without a title",
        study=citing.names.get(passage.n, ""),
        facts=tuple(_facts(work)),
        status=status_in_words(status) if status else "",
        warns=status is not None and warns(status),
        misfit=passage.fit.message or "" if passage.fit.misfit or passage.fit.message else "",
        section=one_line(passage.section)[:300],
        whose=whose_words(passage.text_origin),
        confirmed_at=(reference.confirmed_at or "") if reference else "",
        ours=passage.text_origin is TextOrigin.OUR_SUMMARY,
        paragraphs=tuple(_paragraphs(passage.text, places, start, end)),
        is_cut=(start, end) != (0, len(passage.text)),
        n_letters=len(passage.text),
        apart=apart,
        number=number,
        sentence=citing.sentence(number - 1) if number else None,
        verdict=verdict_words(asked.verdict) if asked else "",
        others=tuple(citing.sentence(place) for place in others),
        links=links_of_work(work) if work else (),
        found_in=source_names(one.source for one in work.provenance) if work else (),
        scores=f"passage {passage.passage_score:.2f}, document {passage.document_score:.2f}",
    )


def _of(claim: ClaimVerdict, passage_id: str) -> Iterator[EvidenceSpan]:
    return (span for span in claim.evidence if span.passage_id == passage_id)


def _facts(work: CandidateRecord | None) -> Iterator[str]:
    if work is None:
        return
    yield from filter(None, (designs.label(work.study_design), one_line(work.journal), str(work.year or "")))
    if work.sample_size:
        yield f"{work.sample_size:,} people"


def _places(passage: RankedPassage, spans: Iterable[EvidenceSpan]) -> tuple[list[tuple[int, int]], tuple[str, ...]]:
    """Where the spans lie in the passage's text, joined where they meet; the words of those that lie elsewhere."""
    places: list[tuple[int, int]] = []
    apart: dict[str, None] = {}
    for span in spans:
        start, end = span.start - passage.start, span.end - passage.start
        if passage.text[max(start, 0) : max(end, 0)] != span.quote:
            start = passage.text.find(span.quote)
            end = start + len(span.quote)
        if start < 0:
            apart[span.quote[:MOST_SHOWN]] = None
        elif end > start:
            places.append((start, end))
    joined: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined, tuple(apart)


def _window(text: str, places: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """What is shown of a long text: around the first marked words."""
    if len(text) <= MOST_SHOWN:
        return 0, len(text)
    start = max(0, min(places[0][0] - _BEFORE if places else 0, len(text) - MOST_SHOWN))
    return start, start + MOST_SHOWN


def _paragraphs(text: str, places: Sequence[tuple[int, int]], start: int, end: int) -> Iterator[tuple[Piece, ...]]:
    """Lines of the text, each in pieces that are marked or not."""
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        if pieces := tuple(_pieces(text, places, at, stop)):
            yield pieces
        at = stop + 1


def _pieces(text: str, places: Sequence[tuple[int, int]], at: int, stop: int) -> Iterator[Piece]:
    for low, high in places:
        low, high = max(low, at), min(high, stop)
        if low >= high:
            continue
        if low > at:
            yield Piece(text[at:low])
        yield Piece(text[low:high], marked=True)
        at = high
    if at < stop:
        yield Piece(text[at:stop])
