"""What holds of every page: one first heading, a language, a title, nothing that a strict policy forbids."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from openwork_contracts.answer import RunStatus
from openwork_gateway.results import put_document

from tests.exports import RUN
from tests.memory_asker import MemoryAsker, api_client
from tests.observed_runs import bad_hour
from tests.reviews import reviewed
from tests.unit.api.pages.made import PASSAGE_ID, Read, answered, nothing_found, told

OTHER = "01ARZ3NDEKTSV4RRFFQ69G5FAW"
REVIEW = "01ARZ3NDEKTSV4RRFFQ69G5FAX"
PAGES = (
    "/",
    "/?q=a+question",
    f"/runs/{RUN}",
    f"/runs/{OTHER}",
    f"/runs/{RUN}/passages/pmid%3A1001%230%2Fx%20y%3Fz?claim=1",
    f"/runs/{RUN}/evidence",
    f"/runs/{RUN}/evidence?q=nothing+like+this",
    "/check",
    "/check?example=true",
    f"/check?run={RUN}",
    "/history",
    "/history?q=nothing+like+this",
    f"/compare?a={RUN}&b={OTHER}",
    "/docs",
    "/login",
    "/observatory",
    "/observatory?window=week",
    f"/runs/{REVIEW}",
    f"/runs/{REVIEW}/screening",
    f"/runs/{REVIEW}/screening?q=nothing+like+this",
    "/no/such/page",
    "/compare",
)
_IN_ORDER = re.compile(r"h([1-6])")


async def _page(path: str) -> str:
    asker = MemoryAsker()
    await put_document(asker.results, answered())
    await put_document(asker.results, told(RunStatus.REJECTED, "No.").model_copy(update={"run_id": OTHER}))
    await put_document(asker.results, reviewed().model_copy(update={"run_id": REVIEW}))
    for one in bad_hour(8, now=datetime.now(UTC) - timedelta(days=2)):
        await asker.statistics.put(one)
    async with api_client(asker) as client:
        return (await client.get(path, headers={"Accept": "text/html"})).text


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_has_one_heading_a_language_a_title_landmarks_and_the_disclaimer(path: str) -> None:
    read = Read(await _page(path))
    assert len(read.all("h1")) == 1
    assert read.all("html")[0]["lang"] == "en"
    assert read.title.endswith(" · Open Work")
    assert [len(read.all(tag)) for tag in ("main", "header", "footer")] == [1, 1, 1]
    assert "does not diagnose, prescribe or advise" in read.text
    assert any(link.get("href") == "#main" for link in read.all("a"))


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_has_no_script_and_no_style_of_its_own(path: str) -> None:
    read = Read(await _page(path))
    assert all(str(one["src"]).startswith("/static/") for one in read.all("script"))
    assert all(str(one["href"]).startswith("/static/") for one in read.all("link"))
    assert read.all("style") == []
    assert read.with_attribute("style") == []
    assert [one for _, attributes in read.elements for one in attributes if one.startswith("on")] == []
    assert read.all("iframe") == read.all("object") == read.all("embed") == []


@pytest.mark.parametrize("path", PAGES)
async def test_headings_leave_no_rank_out(path: str) -> None:
    ranks = [int(found[1]) for tag, _ in Read(await _page(path)).elements if (found := _IN_ORDER.fullmatch(tag))]
    assert all(after <= before + 1 for before, after in pairwise(ranks)), ranks


@pytest.mark.parametrize("path", PAGES)
async def test_ids_are_there_once_and_what_points_to_one_finds_it(path: str) -> None:
    read = Read(await _page(path))
    ids = [one["id"] for one in read.with_attribute("id")]
    assert len(ids) == len(set(ids))
    wanted = [str(one["href"])[1:] for one in read.all("a") if str(one.get("href", "")).startswith("#")]
    named = [part for one in read.with_attribute("aria-labelledby") for part in str(one["aria-labelledby"]).split()]
    assert set(wanted) | set(named) <= set(ids)


@pytest.mark.parametrize("path", PAGES)
async def test_every_field_has_a_name(path: str) -> None:
    read = Read(await _page(path))
    labelled = {one.get("for") for one in read.all("label")}
    fields = [one for tag in ("input", "textarea", "select") for one in read.all(tag) if one.get("type") != "hidden"]
    named = [one for one in fields if one.get("id") in labelled or "aria-label" in one]
    assert len(named) + path.startswith("/check") * 8 >= len(fields)  # those of a source stand within their labels


async def test_an_answer_reads_in_the_order_in_which_it_is_to_be_understood() -> None:
    text = Read(await _page(f"/runs/{RUN}")).text
    parts = ("Does apixaban", "Benefit", "Yes, in atrial fibrillation", "8 fewer per 1,000", "Studied in", "Harms")
    parts = (*parts, "Certainty", "Studies", "Guidelines", "References", "How this came about", "Flow of records")
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


async def test_too_little_evidence_has_no_empty_parts() -> None:
    asker = MemoryAsker()
    await put_document(asker.results, nothing_found())
    async with api_client(asker) as client:
        text = Read((await client.get(f"/runs/{RUN}", headers={"Accept": "text/html"})).text).text
    assert "Not found" in text
    assert "Harms" not in text


async def test_the_passage_page_is_where_a_link_of_the_answer_leads() -> None:
    read = Read(await _page(f"/runs/{RUN}"))
    addresses = {str(one["href"]) for one in read.all("a") if "data-passage" in one}
    assert addresses
    for address in addresses:
        assert 'id="passage"' in await _page(address)
    assert PASSAGE_ID not in addresses


async def test_exports_of_references_are_offered_only_where_there_are_some() -> None:
    assert f"/api/v1/runs/{RUN}/export/ris" in await _page(f"/runs/{RUN}")
    asker = MemoryAsker()
    await put_document(asker.results, nothing_found().model_copy(update={"references": ()}))
    async with api_client(asker) as client:
        html = (await client.get(f"/runs/{RUN}", headers={"Accept": "text/html"})).text
    assert "/export/ris" not in html
    assert "/export/pdf" in html


async def test_an_error_is_a_page_for_a_browser_and_a_problem_for_a_program() -> None:
    asker = MemoryAsker()
    async with api_client(asker) as client:
        page = await client.get(f"/runs/{OTHER}", headers={"Accept": "text/html"})
        problem = await client.get(f"/runs/{OTHER}")
        asker.away = True
        away = await client.get(f"/runs/{OTHER}", headers={"Accept": "text/html"})
        first = await client.get("/", headers={"Accept": "text/html"})
    assert (page.status_code, away.status_code) == (404, 503)
    assert OTHER in page.text
    assert problem.json()["code"] == "RunNotFound"
    assert away.headers["Retry-After"]
    assert first.status_code == 200, "a question may be typed while the services are away"
