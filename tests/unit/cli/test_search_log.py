"""`openwork runs log`: what was looked for, what each source was sent, what came of it, after PRISMA-S."""

from __future__ import annotations

from openwork.models import AnswerBody, AnswerDocument, Method, MethodSource, Timings, VerificationScores
from openwork.record import (
    BlockGroup,
    Heading,
    RoundRecord,
    RunRecord,
    SearchBlock,
    SearchConcept,
    SearchFilters,
    SearchRecord,
    SearchRequestLog,
    SearchRung,
    SearchStrategy,
    SearchTerm,
)
from openwork_cli.search_log import as_json, search_log_lines

from tests.run_events import AT

TERM = SearchTerm(text="apixaban", kind="asked")
CONCEPT = SearchConcept(
    name="apixaban", terms=(TERM,), headings=(Heading(text="apixaban", kind="supplementary", mesh_id="C522181"),)
)
ABSENT = SearchConcept(name="aspirin", terms=(SearchTerm(text="aspirin", kind="asked"),))
STRATEGY = SearchStrategy(
    blocks=(
        SearchBlock(role="intervention", concepts=(CONCEPT,)),
        SearchBlock(role="population", concepts=(ABSENT,), negated=True),
    ),
    rungs=(
        SearchRung(
            name="every concept",
            groups=(BlockGroup(any_of=(0,)),),
            filters=SearchFilters(studies=("randomised_trial",), english=True, since_year=2020),
        ),
        SearchRung(name="broad", groups=(BlockGroup(any_of=(0,)),)),
    ),
    plain="apixaban",
    left_out=("absence of aspirin: not sent as NOT",),
)
REQUESTS = (
    SearchRequestLog(
        request="GET https://example.org/esearch.fcgi?term=%22apixaban%22%5Btw%5D",
        hits=811,
        fetched=120,
        rung="every concept",
        warnings=("not found, left out: a", "other", "not found, left out: b"),
    ),
    SearchRequestLog(request="GET https://example.org/2", rung="broad", not_asked="the rung before found 811 records"),
)


def document(record: RunRecord | None) -> AnswerDocument:
    return AnswerDocument(
        run_id="01J",
        status="answered",
        question="Is apixaban safe?",
        pipeline="answer",
        track="affirmative",
        record=record,
        answer=AnswerBody(markdown=""),
        verification=VerificationScores(
            claims=0, supported=0, unsupported=0, grounding_score=1.0, citation_coverage=1.0
        ),
        timings=Timings(total_s=1.0),
        method=Method(
            sources=(MethodSource(name="pubmed", status="completed", found=120, kept=100),),
            counts={"identified": 120, "duplicates": 20, "screened": 100},
        ),
    )


def record(*searches: SearchRecord) -> RunRecord:
    planned = RoundRecord(
        track="affirmative", round=1, planned_at=AT, sources=("pubmed",), search_variants=(), strategy=STRATEGY
    )
    return RunRecord(rounds=(planned,), searches=searches)


def lines(*searches: SearchRecord) -> list[str]:
    return list(search_log_lines(document(record(*searches))))


def search(**changes: object) -> SearchRecord:
    known = {"track": "affirmative", "round": 1, "source": "pubmed", "status": "completed", "requests": REQUESTS}
    return SearchRecord(**{**known, "found": 120, **changes})  # type: ignore[arg-type]


def test_blocks_are_told_with_heading_names_and_what_is_wanted_absent() -> None:
    told = lines(search())
    assert "  1. intervention: apixaban [MeSH: apixaban]: apixaban" in told
    assert "  2. population, absent: aspirin: aspirin" in told
    assert "  not searched for: absence of aspirin: not sent as NOT" in told


def test_rungs_are_told_with_their_filters() -> None:
    told = lines(search())
    assert "  every concept: (1); randomised trial, English, from 2020" in told
    assert "  broad: (1); no limit, no filter" in told


def test_requests_can_be_read_and_repeated_and_say_their_hits() -> None:
    told = lines(search())
    assert "    every concept: 811 hits, 120 read" in told
    assert '      sent: GET https://example.org/esearch.fcgi?term="apixaban"[tw]' in told
    assert "      not found, left out: a; b" in told
    assert "    broad: not asked: the rung before found 811 records" in told


def test_source_that_failed_is_named_with_the_reason() -> None:
    told = lines(search(status="failed", message="asked too often", found=0, requests=()))
    assert "  pubmed: failed: asked too often" in told


def test_registries_are_told_apart_and_records_and_duplicates_counted() -> None:
    told = lines(search(), search(source="clinicaltrials"))
    assert "Study registries [3]: clinicaltrials" in told
    assert "Records identified [15]: 120" in told
    assert any(line.endswith("[16]: 20") for line in told)


def test_run_that_ended_before_a_search_says_so() -> None:
    assert list(search_log_lines(document(None)))[-1] == "No search: the run ended before one was planned"


def test_json_has_rounds_searches_and_counts() -> None:
    raw = {"run_id": "01J", "question": "?", "record": {"rounds": [1], "searches": [2]}, "method": {"counts": {"a": 1}}}
    assert as_json(raw) == {"run_id": "01J", "question": "?", "rounds": [1], "searches": [2], "counts": {"a": 1}}
    assert as_json({"run_id": "01J"})["searches"] == []
