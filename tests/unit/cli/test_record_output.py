"""`openwork runs show --record`: what was searched, and what became of each work, a line each."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest
from openwork.client import Client
from openwork.record import CandidateRecord, Provenance, RoundRecord, RunRecord, SearchRecord, SearchRequestLog
from openwork_cli.record import TITLE_CHARS, record_lines
from openwork_contracts.requests import ShowReply
from openwork_contracts.requests import ShowRequest as Asked
from openwork_gateway.domain.folds import fold

from tests.run_events import AT, RUN, completed, concluded, planned, stored, submitted

QUERY = SearchRequestLog(request="apixaban[tiab]", hits=811, fetched=120, cap=120)
SEARCH = SearchRecord(
    track="affirmative",
    round=1,
    source="pubmed",
    status="completed",
    requests=(QUERY,),
    found=120,
    elapsed_s=0.5,
)
FOUND = (Provenance(source="pubmed", source_id="1", rank=1, retrieved_at=AT),)
WORK = CandidateRecord(
    candidate_id="pmid:1", decision="cited", n=1, title="Apixaban", year=2011, document_score=0.914, provenance=FOUND
)


def printed(record: RunRecord | None) -> list[str]:
    return "\n".join(record_lines(record)).splitlines()


def test_a_search_is_one_line_and_its_requests_below_it() -> None:
    read = replace(QUERY, translation="apixaban[Title/Abstract]", warnings=("phrase not found",), suspect=True)
    assert printed(RunRecord(searches=(replace(SEARCH, requests=(read,)),)))[:6] == [
        "Searches",
        "- pubmed, round 1: 120 found in 0.50 s",
        "    apixaban[tiab]  (120 of 811 read, at most 120)",
        "      read as: apixaban[Title/Abstract]",
        "      warning: phrase not found",
        "      the engine changed the meaning of this search",
    ]


@pytest.mark.parametrize(
    ("search", "line"),
    [
        (
            replace(SEARCH, status="failed", reason="rate_limited", message="asked too often"),
            "- pubmed, round 1: failed: asked too often",
        ),
        (
            replace(SEARCH, status="missed_deadline", reason="deadline", elapsed_s=None),
            "- pubmed, round 1: missed deadline: deadline",
        ),
        (replace(SEARCH, found=0, elapsed_s=None), "- pubmed, round 1: 0 found"),
    ],
)
def test_a_source_that_failed_does_not_look_like_one_that_found_nothing(search: SearchRecord, line: str) -> None:
    assert printed(RunRecord(searches=(search,)))[1] == line


def test_a_request_that_failed_says_how_and_not_how_many_there_were() -> None:
    failed = SearchRequestLog(request="apixaban", error="429")
    lines = printed(RunRecord(searches=(replace(SEARCH, status="failed", requests=(failed,)),)))
    assert lines[2:4] == ["    apixaban", "      error: 429"]


def test_tracks_are_named_where_there_are_several() -> None:
    other = replace(SEARCH, track="falsification", requests=())
    lines = printed(RunRecord(searches=(replace(SEARCH, requests=()), other)))
    assert lines[1:3] == [
        "- pubmed, round 1, affirmative: 120 found in 0.50 s",
        "- pubmed, round 1, falsification: 120 found in 0.50 s",
    ]


def test_a_further_round_says_why_it_was_made() -> None:
    further = RoundRecord(track="affirmative", round=2, planned_at=AT, reason="nothing recent")
    assert "- round 2 was made because: nothing recent" in printed(RunRecord(rounds=(further,)))


def test_works_stand_under_what_became_of_them() -> None:
    below = replace(WORK, candidate_id="pmid:2", decision="below_threshold", n=None, year=None, document_score=None)
    retracted = replace(below, candidate_id="pmid:3", decision="retracted", status="retracted")
    assert printed(RunRecord(candidates=(WORK, below, retracted)))[2:] == [
        "Works found: 3",
        "- cited: 1",
        "     [1] 0.91  2011  Apixaban (pmid:1; pubmed)",
        "- below the threshold: 1",
        "                     Apixaban (pmid:2; pubmed)",
        "- left out: retracted: 1",
        "                     RETRACTED: Apixaban (pmid:3; pubmed)",
    ]


def test_a_decision_of_a_newer_gateway_is_printed_as_it_is() -> None:
    assert "- screened by hand: 1" in printed(RunRecord(candidates=(replace(WORK, decision="screened_by_hand"),)))


def test_a_long_title_is_cut_and_line_breaks_of_others_are_not_ours() -> None:
    line = printed(RunRecord(candidates=(replace(WORK, title="Apixaban\n" + "long " * 40),)))[-1]
    assert "…" in line
    assert len(line) < TITLE_CHARS + 60


def test_a_run_without_a_record_says_so() -> None:
    assert printed(None) == ["No record: of this run no more is known than its end"]


@dataclass
class Gateway:
    """A connection whose other end is a gateway with one run."""

    asked: Asked | None = None

    async def request(self, subject: str, data: bytes, timeout_s: float) -> Any:
        """The run's document, with its record when that is wanted."""
        self.asked = Asked.model_validate_json(data)
        document = fold(stored([submitted(), planned(), concluded(), completed()]))
        shown = document if self.asked.record else document.model_copy(update={"record": None})
        return Message(ShowReply(document=shown).model_dump_json().encode())


@dataclass(frozen=True)
class Message:
    """What was replied."""

    data: bytes


async def test_the_client_gets_the_record_when_it_asks_for_it() -> None:
    gateway = Gateway()
    client = Client(gateway)  # type: ignore[arg-type]
    assert (await client.show(RUN)).document.record is None
    answer = await client.show(RUN, record=True)
    assert answer.document.record is not None
    assert [one.round for one in answer.document.record.rounds] == [1]
    assert json.loads(json.dumps(answer.raw["record"]))["rounds"]


def test_a_work_whose_text_is_a_summary_of_ours_is_named_so() -> None:
    ours = replace(WORK, text_origin="our_summary")
    (line,) = [line for line in printed(RunRecord(candidates=(ours,))) if "Apixaban" in line]
    assert line.endswith("(pmid:1; pubmed; our summary)")
    (other,) = [line for line in printed(RunRecord(candidates=(WORK,))) if "Apixaban" in line]
    assert other.endswith("(pmid:1; pubmed)")
