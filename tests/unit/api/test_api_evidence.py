"""The evidence of a run over HTTP: filters, order, the search log, and a passage with what rests on it."""

from __future__ import annotations

import pytest
from openwork_contracts.answer import AnswerBody, AnswerDocument
from openwork_contracts.evidence import Provenance, StudyDesign
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.record import Decision, RunRecord
from openwork_gateway.results import put_document

from tests import exports
from tests.memory_asker import MemoryAsker, api_client

RUN = exports.RUN


def _from(source: str) -> tuple[Provenance, ...]:
    return (Provenance(source=source, source_id="1", rank=1, retrieved_at=exports.AT),)


WORKS = (
    exports.work("a", Decision.CITED, year=2011, study_design=StudyDesign.RCT, n=1),
    exports.work("b", Decision.FULLTEXT_READ, year=2020, study_design=StudyDesign.GUIDELINE),
    exports.work("c", Decision.BELOW_THRESHOLD, year=None, title="A work", provenance=_from("europepmc")),
)
PASSAGE = RankedPassage(
    n=1, passage_id="a#0/x", candidate_id="a", section="Abstract", start=10, end=34, text="Apixaban lowered stroke.",
    score=0.9, passage_score=0.9, document_score=0.9,
)  # fmt: skip


def _document() -> AnswerDocument:
    claim = exports.claim()
    span = claim.evidence[0].model_copy(update={"passage_id": PASSAGE.passage_id, "start": 10, "end": 34})
    claims = (claim.model_copy(update={"evidence": (span,)}), claim)
    record = RunRecord(candidates=WORKS, passages=(PASSAGE,), searches=(exports.searched(),))
    return exports.document(record=record, answer=AnswerBody(markdown="x", claims=claims))


async def _asker(document: AnswerDocument) -> MemoryAsker:
    asker = MemoryAsker()
    await put_document(asker.results, document)
    return asker


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "abc"),
        ("which=cited", "a"),
        ("which=read", "ab"),
        ("which=left_out", "c"),
        ("source=europepmc", "c"),
        ("design=guideline", "b"),
        ("order=year", "bac"),
        ("order=title", "cab"),
        ("which=read&order=year", "ba"),
    ],
)
async def test_works_are_filtered_and_put_in_order(query: str, found: str) -> None:
    async with api_client(await _asker(_document())) as client:
        body = (await client.get(f"/api/v1/runs/{RUN}/evidence?{query}")).json()
    assert "".join(work["candidate_id"] for work in body["works"]) == found
    assert body["total"] == 3


async def test_a_passage_comes_with_its_work_and_with_the_sentences_that_rest_on_it() -> None:
    async with api_client(await _asker(_document())) as client:
        body = (await client.get(f"/api/v1/runs/{RUN}/passages/a%230/x")).json()
        none = await client.get(f"/api/v1/runs/{RUN}/passages/a")
    assert (body["passage"]["text"], body["work"]["candidate_id"]) == (PASSAGE.text, "a")
    assert body["reference"]["n"] == 1
    assert len(body["claims"]) == 1
    assert (none.status_code, none.json()["code"]) == (404, "PassageNotFound")


async def test_the_search_log_is_told_and_empty_where_nothing_is_recorded() -> None:
    async with api_client(await _asker(_document())) as client:
        assert [s["source"] for s in (await client.get(f"/api/v1/runs/{RUN}/searches")).json()["searches"]] == [
            "pubmed"
        ]
    async with api_client(await _asker(exports.document(record=None))) as client:
        assert (await client.get(f"/api/v1/runs/{RUN}/searches")).json()["searches"] == []
        assert (await client.get(f"/api/v1/runs/{RUN}/evidence")).json()["works"] == []


async def test_a_text_is_checked_without_a_run() -> None:
    text = "Major bleeding was less frequent with apixaban (2.13% versus 3.90% per year) [1]."
    source = "Major bleeding was less frequent with apixaban than with warfarin (2.13% versus 3.09% per year)."
    async with api_client(MemoryAsker()) as client:
        body = {"text": text, "evidence": [{"n": 1, "text": source}]}
        report = (await client.post("/api/v1/verify", json=body)).json()
        empty = await client.post("/api/v1/verify", json={"text": ""})
    assert [claim["verdict"] for claim in report["claims"]] == ["contradicted"]
    assert empty.status_code == 422
