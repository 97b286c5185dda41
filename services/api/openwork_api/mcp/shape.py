"""What an assistant is sent of a document: plain functions, each within a `Room`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from openwork_contracts.answer import AnswerDocument, Reference, RunStatus
from openwork_contracts.errors import RunNotFound, UsageError
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.record import SearchRecord
from openwork_contracts.requests import ListReply
from openwork_contracts.verdict import ClaimVerdict, VerificationReport
from openwork_report.render import DISCLAIMER, method_lines, render_reference
from openwork_report.words import STATUS_WORDS, whose_words

from openwork_api.mcp.results import (
    Cited,
    Finding,
    Judged,
    Passages,
    PassageWords,
    RestingClaim,
    Run,
    RunLine,
    RunLines,
    SearchedSource,
    SearchLog,
    Sent,
    Sentence,
    Verified,
)
from openwork_api.mcp.room import Room, cut

MOST_OF_AN_ANSWER = 20_000
"""Characters; an answer has 500 words and a table."""
MOST_OF_A_PASSAGE = 20_000
MOST_OF_EACH = 4_000
"""Of a passage among several."""
MOST_REQUESTS = 100
"""Of a search log, at once."""
_WHOLE = "`openwork runs show {run} --json`, or GET /api/v1/runs/{run}?record=true, has the whole"


def run_of(document: AnswerDocument) -> Run:
    """A run and what it came to."""
    room, rest = Room(), _WHOLE.format(run=document.run_id)
    answer = room.text(document.answer.markdown, MOST_OF_AN_ANSWER, rest)
    references = room.fill(map(_cited, document.references), "references", rest)
    claims = room.fill(map(_sentence, document.answer.claims), "claims", rest)
    held_back = room.fill(map(_sentence, document.withheld), "held back sentences", rest)
    lines = [] if document.status is RunStatus.RUNNING else method_lines(document)
    method = room.fill((cut(line, 500) for line in lines), "lines of the method", rest)
    return Run(
        run_id=document.run_id,
        status=document.status.value,
        question=cut(document.question),
        verdict=document.conclusion.verdict.value if document.conclusion else None,
        answer=answer,
        references=references,
        claims=claims,
        held_back=held_back,
        method=method,
        left_out=tuple(room.left_out),
        next=_next(document),
        disclaimer=DISCLAIMER,
    )


def _next(document: AnswerDocument) -> str | None:
    if document.status is RunStatus.RUNNING:
        return f"The run goes on. Call show with run_id {document.run_id} and wait_s 45 to get what it comes to."
    if document.status is RunStatus.REFUSED and document.retry_after_s is not None:
        return f"Ask again in {document.retry_after_s:.0f} s."
    return None


def _cited(reference: Reference) -> Cited:
    return Cited(
        n=reference.n,
        reference=cut(render_reference(reference)),
        whose_words=whose_words(reference.text_origin),
        status=STATUS_WORDS.get(reference.status),
        pmid=reference.pmid,
        doi=reference.doi,
        nct_id=reference.nct_id,
    )


def _sentence(claim: ClaimVerdict) -> Sentence:
    passages = dict.fromkeys(span.passage_id for span in claim.evidence if span.passage_id)
    return Sentence(
        text=cut(claim.text),
        citations=claim.citations,
        verdict=claim.verdict.value,
        reasons=tuple(cut(reason.detail, 500) for reason in claim.reasons[:5]),
        passage_ids=tuple(passages),
    )


def passages_of(document: AnswerDocument, n: int | None, passage_id: str | None, offset: int) -> Passages:
    """Words of a run: of one passage from `offset` on, or of all passages of one work.

    Raises:
        UsageError: neither or both are named, or it ends before `offset`. RunNotFound: the run has no such passage.
    """
    if (n is None) == (passage_id is None):
        raise UsageError("give either passage_id, as in the claims of the run, or n, a citation number")
    chosen = [p for p in _known(document) if passage_id in (None, p.passage_id) and n in (None, p.n)]
    if not chosen:
        raise RunNotFound(_no_passage(document, n, passage_id))
    if passage_id is not None and offset and offset >= len(chosen[0].text):
        raise UsageError(f"offset {offset} is behind the end: the passage has {len(chosen[0].text)} characters")
    room = Room()
    most = MOST_OF_A_PASSAGE if passage_id else MOST_OF_EACH
    reference = next((one for one in document.references if one.n == chosen[0].n), None)
    rest = f"call passage with run_id {document.run_id} and the passage_id of a claim"
    words = (_words(document, one, offset if passage_id else 0, most) for one in chosen)
    return Passages(
        run_id=document.run_id,
        reference=_cited(reference) if reference else None,
        title=cut(_title(document, chosen[0], reference)),
        passages=room.fill(words, "passages", rest),
        left_out=tuple(room.left_out),
        disclaimer=DISCLAIMER,
    )


def _known(document: AnswerDocument) -> tuple[RankedPassage, ...]:
    return document.record.passages if document.record else ()


def _no_passage(document: AnswerDocument, n: int | None, passage_id: str | None) -> str:
    known = sorted({passage.n for passage in _known(document)})
    if not known:
        return f"run {document.run_id} has no passages: it is {document.status.value}"
    there = f"it has passages of the works {', '.join(f'[{number}]' for number in known)}"
    named = f"[{n}]" if n is not None else repr(cut(passage_id or "", 100))
    return f"run {document.run_id} has no passage {named}; {there}"


def _title(document: AnswerDocument, passage: RankedPassage, reference: Reference | None) -> str:
    if reference is not None:
        return reference.title
    works = document.record.candidates if document.record else ()
    return next((work.title for work in works if work.candidate_id == passage.candidate_id), "")


def _words(document: AnswerDocument, passage: RankedPassage, offset: int, most: int) -> PassageWords:
    end = min(offset + most, len(passage.text))
    return PassageWords(
        passage_id=passage.passage_id,
        n=passage.n,
        section=cut(passage.section, 300),
        whose_words=whose_words(passage.text_origin),
        text=passage.text[offset:end],
        offset=offset,
        characters=len(passage.text),
        next_offset=end if end < len(passage.text) else None,
        claims=tuple(_resting(document.answer.claims, passage.passage_id))[:20],
    )


def _resting(claims: Sequence[ClaimVerdict], passage_id: str) -> Iterator[RestingClaim]:
    for claim in claims:
        spans = [span for span in claim.evidence if span.passage_id == passage_id]
        if spans:
            yield RestingClaim(text=cut(claim.text), verdict=claim.verdict.value, words=cut(spans[0].quote, 1000))


def verified_of(report: VerificationReport) -> Verified:
    """What the check says of a text."""
    room = Room()
    claims = room.fill(map(_judged, report.claims), "sentences", "send the text in parts")
    scores = report.scores
    return Verified(claims=claims, checked=scores.claims, supported=scores.supported, left_out=tuple(room.left_out))


def _judged(claim: ClaimVerdict) -> Judged:
    findings = (
        Finding(
            reason=cut(reason.detail, 500),
            look_at=cut(reason.look_at.quote, 1000) if reason.look_at else None,
            n=reason.look_at.n if reason.look_at else None,
        )
        for reason in claim.reasons[:5]
    )
    return Judged(
        text=cut(claim.text), citations=claim.citations, verdict=claim.verdict.value, findings=tuple(findings)
    )


def search_log_of(document: AnswerDocument, source: str | None, after: int) -> SearchLog:
    """What a run searched.

    Args:
        source: of this source alone.
        after: requests up to this place are known already.
    """
    room = Room()
    searches = document.record.searches if document.record else ()
    searches = tuple(one for one in searches if source is None or one.source == source)
    rest = "name one source to see it alone"
    sources = room.fill(map(_searched, searches), "sources", rest)
    sent = [request for request in _sent(searches) if request.place > after]
    page = room.fill(sent[:MOST_REQUESTS], "requests of this page", "ask again with next_after as after")
    return SearchLog(
        run_id=document.run_id,
        question=cut(document.question),
        sources=sources,
        requests=page,
        counts=dict(document.method.counts),
        next_after=page[-1].place if page and len(page) < len(sent) else None,
        left_out=tuple(room.left_out),
    )


def _searched(search: SearchRecord) -> SearchedSource:
    reason = search.reason.in_words if search.reason else None
    why = "; ".join(dict.fromkeys(part for part in (search.message or reason, *search.degradations) if part))
    return SearchedSource(
        source=search.source,
        round=search.round,
        status=search.status.value,
        found=search.found,
        elapsed_s=search.elapsed_s,
        why=cut(why, 500) or None,
    )


def _sent(searches: Sequence[SearchRecord]) -> Iterator[Sent]:
    place = 0
    for search in searches:
        for request in search.requests:
            place += 1
            yield Sent(
                place=place,
                source=search.source,
                round=search.round,
                request=cut(request.request, 4000),
                translation=cut(request.translation) if request.translation else None,
                hits=request.hits,
                read=request.fetched,
                from_cache=request.from_cache,
                warnings=tuple(cut(warning, 300) for warning in request.warnings[:10]),
                error=cut(request.error, 500) if request.error else None,
                not_asked=cut(request.not_asked, 500) if request.not_asked else None,
            )


def lines_of(found: ListReply) -> RunLines:
    """A page of runs."""
    lines = tuple(
        RunLine(
            run_id=run.run_id,
            status=run.status.value,
            asked_at=run.submitted_at,
            question=cut(run.question, 300),
            verdict=run.verdict.value if run.verdict else None,
        )
        for run in found.runs
    )
    return RunLines(runs=lines, next_before=found.next)
