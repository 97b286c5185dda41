"""Pages that take something: the check's remarks, the chosen runs, the sources of a run, who must log in."""

from __future__ import annotations

from openwork_api.settings import Settings
from openwork_api.web import create_app
from openwork_contracts.conclusion import ConclusionVerdict
from openwork_gateway.results import put_document

from tests.exports import RUN
from tests.memory_asker import MemoryAsker, api_client
from tests.unit.api.pages.made import TEXT, Read, answered

OTHER = "01ARZ3NDEKTSV4RRFFQ69G5FAW"
BROWSER = {"Accept": "text/html"}


async def test_a_draft_gets_its_remarks_as_a_part_of_the_page() -> None:
    body = {
        "text": "Stroke fell by 21% with apixaban [1].",
        "evidence": [{"n": 1, "text": "Stroke fell by 12% with apixaban.", "text_origin": "our_summary"}],
    }
    async with api_client(MemoryAsker()) as client:
        response = await client.post("/check", json=body)
        refused = await client.post("/check", json=body | {"text": ""})
    read = Read(response.text)
    assert read.all("html") == []
    assert "not the publication's own" in read.text
    assert "12%" in read.text
    assert refused.status_code == 422


async def test_the_sources_of_a_run_are_taken_by_its_id_or_its_address() -> None:
    asker = MemoryAsker()
    await put_document(asker.results, answered())
    async with api_client(asker) as client:
        by_id = await client.get("/check", params={"run": RUN.lower()}, headers=BROWSER)
        by_address = await client.get("/check", params={"run": f"https://x.example/runs/{RUN}"}, headers=BROWSER)
        unknown = await client.get("/check", params={"run": OTHER}, headers=BROWSER)
        nonsense = await client.get("/check", params={"run": "abc"}, headers=BROWSER)
    for page in (by_id, by_address):
        assert TEXT.split("\n")[2] in page.text
        assert 'value="publisher"' in page.text
        assert "[1]." in page.text
    assert "no such run" in unknown.text
    assert "no run id" in nonsense.text


async def test_two_runs_that_are_ticked_are_compared_at_an_address_of_their_own() -> None:
    asker = MemoryAsker()
    await put_document(asker.results, answered())
    await put_document(asker.results, answered(ConclusionVerdict.NOT_SHOWN).model_copy(update={"run_id": OTHER}))
    async with api_client(asker) as client:
        chosen = await client.get(f"/compare?run={RUN}&run={OTHER}", headers=BROWSER)
        page = await client.get(chosen.headers["Location"], headers=BROWSER)
        one = await client.get(f"/compare?run={RUN}", headers=BROWSER)
    assert chosen.status_code == 303
    assert "changed" in page.text
    assert "Not shown" in page.text
    assert one.status_code == 422
    assert "choose two runs" in one.text


async def test_who_is_not_known_is_asked_who_they_are_and_comes_back() -> None:
    app = create_app(MemoryAsker(), Settings(api_open=False))
    async with api_client(MemoryAsker(), app) as client:
        page = await client.get(f"/runs/{RUN}/evidence?q=a b", headers=BROWSER)
        program = await client.get(f"/runs/{RUN}")
        login = await client.get(page.headers["Location"], headers=BROWSER)
    assert page.status_code == 303
    assert program.status_code == 401
    assert f'data-next="/runs/{RUN}/evidence?q=a%20b"' in login.text.replace("&amp;", "&")
    assert "/login/oidc" not in login.text, "no identity provider is set up"


async def test_a_run_that_goes_on_shows_its_steps_and_looks_again_without_script() -> None:
    asker = MemoryAsker()
    async with api_client(asker) as client:
        asked = (await client.post("/api/v1/runs", json={"question": "Does apixaban reduce stroke?"})).json()
        html = (await client.get(asked["links"]["page"], headers=BROWSER)).text
    assert '<noscript><meta http-equiv="refresh"' in html
    assert 'data-step="search" data-state="now"' in html
    assert Read(html).title.startswith("Running: ")


async def test_a_list_leads_on_and_keeps_its_words() -> None:
    asker = MemoryAsker()
    for n in range(41):
        run_id = f"01ARZ3NDEKTSV4RRFFQ69G5F{n:02d}"
        await put_document(asker.results, answered().model_copy(update={"run_id": run_id}))
    async with api_client(asker) as client:
        first = (await client.get("/history?q=apixaban+stroke", headers=BROWSER)).text
        nothing = (await client.get("/history?q=dapagliflozin", headers=BROWSER)).text
    assert first.count('name="run"') == 40
    assert "&amp;q=apixaban%20stroke" in first
    assert "No run of yours has these words" in nothing
