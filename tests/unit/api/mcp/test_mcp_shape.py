"""What an assistant is sent of a document: what it needs, whose words they are, and never more than fits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_api.mcp import shape
from openwork_api.mcp.results import RunLine
from openwork_api.mcp.room import MOST_CHARACTERS, Room, cut
from openwork_contracts.answer import AnswerBody, AnswerDocument, RunStatus
from openwork_contracts.errors import FailureReason, RunNotFound, UsageError
from openwork_contracts.evidence import EvidenceStatus, SourceStatus, TextOrigin
from openwork_contracts.plan import SearchRequestLog
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.record import Decision, RunRecord
from openwork_contracts.requests import ListReply
from openwork_contracts.verdict import (
    FindingKind,
    ReasonCode,
    Verdict,
    VerdictReason,
    VerificationReport,
)
from pydantic import BaseModel

from tests import exports
from tests.exports import AT, RUN, SCORES, claim, document, reference, searched, work

MOST = MOST_CHARACTERS + 25_000
"""Of any result: its room, and what stands beside it: questions, titles, remarks."""


def _passage(name: str, n: int = 1, text: str = "Apixaban lowered stroke.") -> RankedPassage:
    return RankedPassage(
        n=n, passage_id=f"{name}#0:0", candidate_id=name, section="Results", start=0, end=len(text), text=text,
        text_origin=TextOrigin.PUBLISHER, score=0.9, passage_score=0.9, document_score=0.9,
    )  # fmt: skip


def _recorded(*passages: RankedPassage, **changes: object) -> AnswerDocument:
    first = claim()
    span = first.evidence[0].model_copy(update={"passage_id": "a#0:0"})
    cited = first.model_copy(update={"evidence": (span,)})
    record = RunRecord(candidates=(work("a", Decision.CITED),), passages=passages)
    answer = AnswerBody(markdown="Apixaban lowered stroke [1].", claims=(cited, claim(2)))
    return document(record=record, answer=answer, references=(reference(),), **changes)


def _size(result: BaseModel) -> int:
    return len(result.model_dump_json(exclude_none=True))


def test_a_run_says_what_it_came_to_and_whose_words_it_cites() -> None:
    run = shape.run_of(_recorded(_passage("a")))
    assert (run.run_id, run.status, run.answer) == (RUN, "answered", "Apixaban lowered stroke [1].")
    assert run.claims[0].passage_ids == ("a#0:0",)
    assert (run.claims[0].verdict, run.claims[0].citations) == ("supported", (1,))
    assert run.references[0].whose_words == "the publication's own"
    assert "10.1056/nejm1" in run.references[0].reference
    assert "does not diagnose" in run.disclaimer
    assert (run.next, run.left_out) == (None, ())


def test_a_summary_of_ours_and_a_retraction_are_named() -> None:
    one = reference(1, text_origin=TextOrigin.OUR_SUMMARY, status=EvidenceStatus.RETRACTED)
    cited = shape.run_of(document(references=(one,))).references[0]
    assert cited.whose_words == "a summary by Open Work, not the publication's own"
    assert cited.status == "RETRACTED"


def test_a_run_that_goes_on_says_how_to_get_it_and_a_refused_one_when_to_come_again() -> None:
    running = shape.run_of(document(status=RunStatus.RUNNING))
    assert RUN in (running.next or "")
    assert running.method == ()
    refused = shape.run_of(document(status=RunStatus.REFUSED, retry_after_s=7.0))
    assert refused.next == "Ask again in 7 s."
    assert shape.run_of(document(status=RunStatus.REFUSED)).next is None


def test_a_passage_comes_with_the_sentences_that_rest_on_it() -> None:
    found = shape.passages_of(_recorded(_passage("a")), None, "a#0:0", 0)
    assert (found.title, found.reference and found.reference.n) == (reference().title, 1)
    (words,) = found.passages
    assert (words.text, words.whose_words, words.next_offset) == (
        "Apixaban lowered stroke.",
        "the publication's own",
        None,
    )
    assert [resting.words for resting in words.claims] == ["Apixaban lowered stroke."]


def test_all_passages_of_a_work_are_found_by_its_number_and_those_of_others_are_not() -> None:
    run = _recorded(_passage("a"), _passage("b", 2), _passage("c", 1))
    assert [p.passage_id for p in shape.passages_of(run, 1, None, 0).passages] == ["a#0:0", "c#0:0"]
    uncited = shape.passages_of(run, 2, None, 0)
    assert (uncited.reference, uncited.title) == (None, "")


@pytest.mark.parametrize(
    ("n", "passage_id", "offset", "kind", "words"),
    [
        (None, None, 0, UsageError, "either passage_id"),
        (1, "a#0:0", 0, UsageError, "either passage_id"),
        (9, None, 0, RunNotFound, r"no passage \[9\]; it has passages of the works \[1\]"),
        (None, "x" * 500, 0, RunNotFound, "cut: 100 of 500"),
        (None, "a#0:0", 24, UsageError, "24 characters"),
    ],
)
def test_a_passage_that_is_not_there_is_said_with_those_that_are(
    n: int | None, passage_id: str | None, offset: int, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        shape.passages_of(_recorded(_passage("a")), n, passage_id, offset)


def test_a_run_without_passages_says_how_it_stands() -> None:
    with pytest.raises(RunNotFound, match="has no passages: it is rejected"):
        shape.passages_of(document(status=RunStatus.REJECTED), 1, None, 0)


def test_a_long_passage_comes_in_parts_that_are_the_whole() -> None:
    text = "".join(f"{n:09d} " for n in range(5000)) + "end"
    run, parts, offset = _recorded(_passage("a", text=text)), [], 0
    while True:
        (part,) = shape.passages_of(run, None, "a#0:0", offset).passages
        assert part.offset == offset
        parts.append(part.text)
        if part.next_offset is None:
            break
        offset = part.next_offset
    assert "".join(parts) == text
    assert len(parts) == 3


def test_the_search_log_has_each_request_as_it_was_sent_and_why_a_source_failed() -> None:
    failed = searched("europepmc", found=0).model_copy(
        update={"status": SourceStatus.FAILED, "reason": FailureReason.RATE_LIMITED, "degradations": ("asked less",)}
    )
    sent = SearchRequestLog(request="apixaban[tiab]", hits=40, fetched=9, warnings=("a phrase was not found",))
    run = document(record=RunRecord(searches=(searched("pubmed", sent, sent), failed)))
    found = shape.search_log_of(run, None, 0)
    assert [(one.place, one.request, one.hits, one.read) for one in found.requests] == [
        (1, "apixaban[tiab]", 40, 9),
        (2, "apixaban[tiab]", 40, 9),
    ]
    assert found.sources[1].why == "refused more requests for now (its own rate limit); asked less"
    assert [one.place for one in shape.search_log_of(run, "pubmed", 1).requests] == [2]
    assert [one.source for one in shape.search_log_of(run, "europepmc", 0).sources] == ["europepmc"]
    assert shape.search_log_of(document(), None, 0).requests == ()


def test_a_long_search_log_comes_in_pages_that_are_the_whole() -> None:
    requests = [SearchRequestLog(request=f"{n} {'x' * (n * 7 % 900)}") for n in range(321)]
    run, seen, after = document(record=RunRecord(searches=(searched("pubmed", *requests),))), [], 0
    while True:
        page = shape.search_log_of(run, None, after)
        assert _size(page) <= MOST
        seen += [int(one.request.split()[0]) for one in page.requests]
        if page.next_after is None:
            break
        after = page.next_after
    assert seen == list(range(321))


def _giant() -> AnswerDocument:
    long = "ä" * 60_000  # hundreds of times: more than a hundred megabytes in all
    reason = VerdictReason(code=ReasonCode.NUMBER_NOT_FOUND, kind=FindingKind.PROOF, detail=long)
    sentence = claim().model_copy(update={"text": long, "reasons": (reason,) * 9, "verdict": Verdict.UNSUPPORTED})
    request = SearchRequestLog(request=long, translation=long, warnings=(long,) * 30, error=long)
    record = RunRecord(
        candidates=(work("a", Decision.CITED, title=long),),
        passages=tuple(_passage("a", text=long) for _ in range(10)),
        searches=tuple(searched(f"s{n}", *(request,) * 30) for n in range(40)),
    )
    return document(
        question=long,
        answer=AnswerBody(markdown=long, claims=(sentence,) * 300),
        references=tuple(reference(n, title=long) for n in range(1, 200)),
        withheld=(sentence,) * 300,
        record=record,
    )


def test_what_is_too_long_is_never_sent_whole_and_what_is_left_out_is_said() -> None:
    giant = _giant()
    results = [
        shape.run_of(giant),
        shape.passages_of(giant, 1, None, 0),
        shape.passages_of(giant, None, "a#0:0", 0),
        shape.search_log_of(giant, None, 0),
        shape.verified_of(VerificationReport(claims=giant.answer.claims, scores=SCORES)),
    ]
    assert [size for size in map(_size, results) if size > MOST] == []
    run, of_work, of_passage, log, report = results
    assert any("characters are left out" in words for words in run.left_out)  # type: ignore[attr-defined]
    assert any("claims are left out: `openwork runs show" in words for words in run.left_out)  # type: ignore[attr-defined]
    assert of_work.passages[0].next_offset == shape.MOST_OF_EACH  # type: ignore[attr-defined]
    assert of_passage.passages[0].next_offset == shape.MOST_OF_A_PASSAGE  # type: ignore[attr-defined]
    assert log.next_after  # type: ignore[attr-defined]
    assert report.left_out  # type: ignore[attr-defined]


@given(st.lists(st.integers(0, 400), max_size=40), st.integers(0, 4000))
def test_what_fits_is_the_beginning_and_the_rest_is_counted(lengths: list[int], characters: int) -> None:
    room, items = Room(characters), ["x" * length for length in lengths]
    kept = room.fill(items, "words", "ask again")
    assert list(kept) == items[: len(kept)]
    assert sum(map(len, kept)) <= characters
    missing = len(items) - len(kept)
    assert room.left_out == ([f"{missing} of {len(items)} words are left out: ask again"] if missing else [])


def test_a_text_that_was_cut_says_so() -> None:
    assert cut("short") == "short"
    assert cut("x" * 30, 10) == "x" * 10 + " [... cut: 10 of 30 characters]"


def test_a_page_of_runs_says_where_the_next_begins() -> None:
    assert shape.lines_of(ListReply()).next_before is None
    assert shape.lines_of(ListReply(next=RUN)).next_before == RUN
    line = RunLine(run_id=RUN, status="answered", asked_at=AT, question="?")
    assert _size(line) < 300
    assert exports.RUN == RUN
