"""Exports over HTTP: each format with its type and name, never as a page under our own address; and metrics."""

from __future__ import annotations

import io
import zipfile

import pytest
from openwork_api.settings import Settings
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_gateway.results import put_document
from openwork_report.delimited import TABLES
from openwork_report.formats import FORMATS
from pydantic import ValidationError

from tests import exports
from tests.memory_asker import MemoryAsker, api_client
from tests.requesting import bus_with
from tests.reviews import reviewed
from tests.run_events import submitted

RUN = exports.RUN


async def _asker(document: AnswerDocument) -> MemoryAsker:
    asker = MemoryAsker()
    await put_document(asker.results, document)
    return asker


@pytest.mark.parametrize("name", FORMATS)
async def test_every_format_is_a_download_with_its_type_and_name(name: str) -> None:
    if name in ("pdf", "png"):
        pytest.importorskip("typst", reason="the extra pdf is not installed")
    async with api_client(await _asker(exports.full())) as client:
        response = await client.get(f"/api/v1/runs/{RUN}/export/{name}")
    made = FORMATS[name]
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].split(";")[0] == made.media_type
    assert response.headers["content-disposition"].startswith(f'attachment; filename="openwork-{RUN}')
    assert response.headers["content-disposition"].endswith(f'.{made.suffix}"')
    assert response.content


async def test_tables_are_one_file_each_or_all_in_one() -> None:
    async with api_client(await _asker(exports.full())) as client:
        one = await client.get(f"/api/v1/runs/{RUN}/export/csv?table=search")
        packed = await client.get(f"/api/v1/runs/{RUN}/export/csv")
    assert one.text.startswith("\ufeffsource,date")
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        assert archive.namelist() == [f"{name}.csv" for name in TABLES]


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("nothing", 422, "ris"),
        ("svg?figure=forest", 422, "forest plot"),
        ("references?style=mla", 422, "vancouver"),
        ("csv?table=nothing", 422, "references"),
    ],
)
async def test_what_there_is_not_is_told_in_words(query: str, status: int, words: str) -> None:
    async with api_client(await _asker(exports.full())) as client:
        response = await client.get(f"/api/v1/runs/{RUN}/export/{query}")
    assert (response.status_code, words in response.json()["detail"]) == (status, True), response.text


async def test_a_run_that_cites_nothing_or_goes_on_has_no_references_to_export() -> None:
    nothing = exports.document(status=RunStatus.TOO_LITTLE_EVIDENCE).model_copy(update={"references": ()})
    async with api_client(await _asker(nothing)) as client:
        assert (await client.get(f"/api/v1/runs/{RUN}/export/ris")).json()["code"] == "NothingCited"
        assert (await client.get(f"/api/v1/runs/{RUN}/export/markdown")).status_code == 200
    async with api_client(MemoryAsker(await bus_with(submitted()))) as client:
        assert (await client.get(f"/api/v1/runs/{RUN}/export/ris")).json()["code"] == "RunGoesOn"


def test_nobody_is_let_in_without_a_key_where_others_come() -> None:
    """Behind a proxy on the same machine everybody comes from loopback."""
    assert Settings().is_open
    assert not Settings(api_names="ask.example.org").is_open
    assert not Settings(api_host="0.0.0.0").is_open
    assert Settings(api_host="0.0.0.0", api_open=True).is_open
    with pytest.raises(ValidationError, match="OPENWORK_API_NAMES"):
        Settings(api_open=True, api_names="ask.example.org")


async def test_metrics_count_by_route_and_never_by_what_a_stranger_wrote() -> None:
    async with api_client(await _asker(exports.full())) as client:
        await client.get(f"/api/v1/runs/{RUN}")
        await client.get("/api/v1/secret-name")
        await client.request("X1", "/")
        text = (await client.get("/metrics")).text
    shown = 'openwork_api_requests_total{method="GET",route="/api/v1/runs/{run_id}",service="api",status="200"} 1.0'
    assert shown in text
    assert 'openwork_api_stream_readers{service="api"} 0.0' in text
    assert "secret-name" not in text
    assert "X1" not in text
    assert RUN not in text


async def test_all_files_of_a_review_come_in_one_and_an_answer_has_none() -> None:
    async with api_client(await _asker(reviewed())) as client:
        packed = await client.get(f"/api/v1/runs/{RUN}/export/review")
        cells = await client.get(f"/api/v1/runs/{RUN}/export/csv?table=cells")
        references = await client.get(f"/api/v1/runs/{RUN}/export/ris")
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        assert {"deep_research_lead.md", "cells.csv", "flow.svg", "review.html"} <= set(archive.namelist())
    assert cells.text.startswith("\ufeffstudy,study id,comparison")
    assert references.text.count("TY  - ") == 3
    async with api_client(await _asker(exports.full())) as client:
        refused = [await client.get(f"/api/v1/runs/{RUN}/export/{name}") for name in ("review", "csv?table=cells")]
    assert [one.status_code for one in refused] == [422, 422]
    assert "deep review" in refused[1].text
