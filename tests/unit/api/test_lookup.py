"""Identifiers over HTTP: what is found goes on to `/verify` as it is, what is not has its reason."""

from __future__ import annotations

import pytest

from tests.memory_asker import MemoryAsker, api_client

RECOVERY, DAPA_HF = "32678530", "31535829"
TEXT = "Death within 28 days was less frequent with dexamethasone (22.9% versus 25.7%) [2]."


async def test_works_are_found_by_their_identifiers_and_the_rest_have_reasons() -> None:
    async with api_client(MemoryAsker()) as client:
        body = (await client.post("/api/v1/lookup", json={"ids": [RECOVERY, "aspirin", DAPA_HF, "1"]})).json()
    assert [(one["item"]["n"], one["asked"]) for one in body["found"]] == [(1, RECOVERY), (3, DAPA_HF)]
    assert [(one["n"], one["kind"]) for one in body["missing"]] == [(2, "not_an_identifier"), (4, "nothing_found")]
    assert body["found"][0]["item"]["text_origin"] == "our_summary"
    assert body["degradations"]


async def test_what_was_found_is_what_a_text_is_checked_against() -> None:
    """The place of an identifier is the number under which the text cites it, and whose words it has goes along."""
    fields = ("n", "title", "text", "pmid", "doi", "nct_id", "year", "status", "text_origin")
    async with api_client(MemoryAsker()) as client:
        found = (await client.post("/api/v1/lookup", json={"ids": [DAPA_HF, RECOVERY]})).json()["found"]
        evidence = [{name: one["item"][name] for name in fields} for one in found]
        report = (await client.post("/api/v1/verify", json={"text": TEXT, "evidence": evidence})).json()
    assert [(claim["verdict"], claim["citations"]) for claim in report["claims"]] == [("supported", [2])]
    assert report["scores"]["against_summaries"] == 1


@pytest.mark.parametrize(
    "body",
    [{}, {"ids": []}, {"ids": "1"}, {"ids": [1]}, {"ids": ["1"] * 51}, {"ids": ["x" * 501]}, {"ids": ["1"], "n": 1}],
)
async def test_a_body_of_another_form_is_refused(body: dict[str, object]) -> None:
    async with api_client(MemoryAsker()) as client:
        response = await client.post("/api/v1/lookup", json=body)
    assert (response.status_code, response.json()["code"]) == (422, "UsageError")


async def test_where_nobody_answers_that_is_said() -> None:
    asker = MemoryAsker()
    asker.away = True
    async with api_client(asker) as client:
        response = await client.post("/api/v1/lookup", json={"ids": ["1"]})
    assert (response.status_code, response.json()["code"]) == (503, "BusUnavailable")
