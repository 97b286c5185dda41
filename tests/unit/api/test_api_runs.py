"""Runs over HTTP: asking once, lists, what is shown of a run, deleting; and what goes wrong, as problem details."""

from __future__ import annotations

import json

import httpx
import pytest
from openwork_api.people import Person
from openwork_bus.run_ids import new_run_id
from openwork_contracts.question import AskContext, AskOptions, AskReply, AskRequest
from openwork_gateway.results import put_document

from tests.memory_asker import MemoryAsker, api_client
from tests.requesting import OTHER, bus_with, of, refusal, with_document
from tests.run_events import RUN, completed, concluded, planned, rejected, submitted

QUESTION = {"question": "Does apixaban prevent stroke?"}


async def _answered() -> MemoryAsker:
    bus = await bus_with(submitted(), planned(), concluded(), completed())
    return MemoryAsker(bus, await with_document(bus))


def _problem(response: httpx.Response) -> tuple[int, str, str]:
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == response.status_code
    assert body["type"] == "about:blank"
    return response.status_code, body["code"], body["detail"]


async def test_a_question_begins_a_run_and_says_where_it_is_followed() -> None:
    asker = MemoryAsker()
    async with api_client(asker) as client:
        response = await client.post("/api/v1/runs", json=QUESTION)
    run_id = response.json()["run_id"]
    assert (response.status_code, response.headers["location"]) == (202, f"/api/v1/runs/{run_id}")
    assert [request.question for request in asker.asked] == [QUESTION["question"]]
    assert response.json()["links"]["events"] == f"/api/v1/runs/{run_id}/events"


async def test_the_same_idempotency_key_is_the_same_run() -> None:
    asker = MemoryAsker()
    async with api_client(asker) as client:
        replies = [
            (await client.post("/api/v1/runs", json=QUESTION, headers={"Idempotency-Key": key})).json()
            for key in ("a", "a", "b")
        ]
    assert replies[0]["run_id"] == replies[1]["run_id"] != replies[2]["run_id"]
    assert [reply["already_known"] for reply in replies] == [False, True, False]


async def test_another_question_under_a_used_idempotency_key_is_refused() -> None:
    async with api_client(MemoryAsker()) as client:
        await client.post("/api/v1/runs", json=QUESTION, headers={"Idempotency-Key": "a"})
        again = await client.post("/api/v1/runs", json={"question": "Another?"}, headers={"Idempotency-Key": "a"})
    assert _problem(again)[:2] == (409, "IdempotencyKeyReused")


async def test_a_run_is_shown_with_its_record_only_when_that_is_asked_for() -> None:
    async with api_client(await _answered()) as client:
        plain = (await client.get(f"/api/v1/runs/{RUN.lower()}")).json()
        whole = (await client.get(f"/api/v1/runs/{RUN}?record=true")).json()
    assert (plain["status"], plain["record"]) == ("answered", None)
    assert whole["record"]["rounds"]


async def test_runs_are_listed_a_page_at_a_time_and_found_by_their_words() -> None:
    bus = await bus_with(submitted("Does apixaban prevent stroke?"), rejected(), of(submitted("Statins?"), OTHER))
    async with api_client(MemoryAsker(bus, await with_document(bus))) as client:
        first = (await client.get("/api/v1/runs?limit=1")).json()
        second = (await client.get("/api/v1/runs", params={"limit": 1, "before": first["next"]})).json()
        found = (await client.get("/api/v1/runs", params={"query": "apixaban"})).json()
    assert [run["run_id"] for run in first["runs"] + second["runs"]] == [OTHER, RUN]
    assert [run["run_id"] for run in found["runs"]] == [RUN]


async def test_a_deleted_run_is_not_found_any_more() -> None:
    async with api_client(await _answered()) as client:
        assert (await client.delete(f"/api/v1/runs/{RUN}")).status_code == 204
        for method, path in (
            ("GET", ""), ("DELETE", ""), ("GET", "/events"), ("GET", "/evidence"), ("GET", "/history"),
            ("GET", "/searches"), ("GET", "/passages/x"), ("POST", "/replay"),
        ):  # fmt: skip
            gone = await client.request(method, f"/api/v1/runs/{RUN}{path}")
            assert _problem(gone)[:2] == (404, "RunNotFound"), path


async def test_a_run_that_goes_on_is_cancelled_before_it_is_deleted() -> None:
    bus = await bus_with(submitted())
    async with api_client(MemoryAsker(bus)) as client:
        assert _problem(await client.delete(f"/api/v1/runs/{RUN}"))[:2] == (409, "RunGoesOn")
        cancelled = await client.post(f"/api/v1/runs/{RUN}/cancel", json={"reason": "enough"})
        assert cancelled.json() == {"run_id": RUN, "cancelled": True}
        assert (await client.post(f"/api/v1/runs/{RUN}/cancel")).json()["cancelled"] is False


async def test_a_run_asked_again_is_a_new_one_that_knows_the_first() -> None:
    asker = await _answered()
    async with api_client(asker) as client:
        again = (await client.post(f"/api/v1/runs/{RUN}/replay")).json()
    (request,) = asker.asked
    assert again["run_id"] != RUN
    assert request.context is not None
    assert request.context.parent_run == RUN


async def test_a_run_is_asked_again_with_what_its_asker_chose() -> None:
    asker = await _answered()
    document = await asker.results.document("local", RUN)
    assert document is not None
    chosen = {
        "options": AskOptions(sources=("library",), deadline_s=40, from_year=2015, to_year=2020),
        "context": AskContext(conversation_id="c", turn=2, standalone_question="Does apixaban prevent stroke?"),
    }
    await put_document(asker.results, document.model_copy(update=chosen))
    async with api_client(asker) as client:
        assert (await client.post(f"/api/v1/runs/{RUN}/replay")).is_success
        cut = {"question": "Does it ...", "record": None}
        await put_document(asker.results, document.model_copy(update=cut))
        assert _problem(await client.post(f"/api/v1/runs/{RUN}/replay"))[:2] == (409, "QuestionCut")
    (request,) = asker.asked
    assert request.options == chosen["options"]
    assert request.context == AskContext(
        conversation_id="c", turn=2, standalone_question="Does apixaban prevent stroke?", parent_run=RUN
    )


async def test_what_happened_in_a_run_is_told_in_order() -> None:
    async with api_client(await _answered()) as client:
        told = (await client.get(f"/api/v1/runs/{RUN}/history")).json()
        rest = (await client.get(f"/api/v1/runs/{RUN}/history", params={"after": told["events"][0]["sequence"]})).json()
    assert [event["name"] for event in told["events"]][:2] == ["query-submitted", "search-planned"]
    assert rest["events"] == told["events"][1:]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "words"),
    [
        ("POST", "/api/v1/runs", {"question": ""}, 422, "question"),
        ("POST", "/api/v1/runs", {"question": "x" * 20_001}, 422, "question"),
        ("POST", "/api/v1/runs", {"question": "a", "sorces": []}, 422, "sorces"),
        ("POST", "/api/v1/runs", {"question": "a", "options": {"from_year": 2020, "to_year": 2015}}, 409, "is after"),
        ("POST", "/api/v1/runs", {"question": "a", "options": {"from_year": 20}}, 422, "from_year"),
        ("POST", "/api/v1/runs", {"question": "a", "pipeline": "nonsense"}, 422, "'answer'"),
        ("POST", "/api/v1/runs", {"question": "a", "pipeline": "check"}, 409, "not installed"),
        ("GET", "/api/v1/runs/none", None, 404, "ULID"),
        ("GET", f"/api/v1/runs/{OTHER}", None, 404, OTHER),
        ("GET", f"/api/v1/runs/{OTHER}?wait_s=31", None, 422, "wait_s"),
        ("GET", "/api/v1/runs?limit=0", None, 422, "limit"),
        ("GET", "/api/v1/runs?before=none", None, 422, "before"),
        ("GET", "/api/v1/nothing", None, 404, "Not Found"),
        ("PUT", "/api/v1/runs", {}, 405, "Method"),
    ],
)
async def test_what_cannot_be_used_is_told_in_words(
    method: str, path: str, body: dict[str, object] | None, status: int, words: str
) -> None:
    async with api_client(await _answered()) as client:
        response = await client.request(method, path, json=body)
    found, _, detail = _problem(response)
    assert (found, words in detail) == (status, True), detail


async def test_a_wrong_value_is_not_repeated_to_whoever_reads_the_error() -> None:
    async with api_client(MemoryAsker()) as client:
        response = await client.post("/api/v1/runs", json={"question": ["Mrs. Secret"]})
    assert "Secret" not in response.text


async def test_a_fault_of_ours_shows_nothing_of_the_inside_and_logs_no_question(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken(MemoryAsker):
        async def ask(self, person: Person, request: AskRequest) -> AskReply:
            raise RuntimeError(f"cannot ask {request.question}")

    async with api_client(Broken()) as client:
        response = await client.post("/api/v1/runs", json={"question": "Mrs. Secret?"})
    assert _problem(response) == (500, "OpenWorkError", "The API failed unexpectedly (RuntimeError).")
    assert "in ask" in caplog.text
    assert "Secret" not in caplog.text


async def test_services_that_are_away_are_told_as_such_with_when_to_come_again() -> None:
    asker = await _answered()
    asker.away = True
    async with api_client(asker) as client:
        response = await client.get(f"/api/v1/runs/{RUN}")
        ready = await client.get("/readyz")
        alive = await client.get("/healthz")
    assert _problem(response)[:2] == (503, "BusUnavailable")
    assert response.headers["retry-after"] == "1"
    assert (ready.status_code, alive.status_code) == (503, 200)


async def test_a_question_that_was_refused_is_shown_as_that() -> None:
    asker = MemoryAsker()
    run_id = new_run_id()
    await put_document(asker.results, refusal(run_id))
    async with api_client(asker) as client:
        shown = (await client.get(f"/api/v1/runs/{run_id}")).json()
    assert shown["status"] == "refused"
    assert json.dumps(shown)


async def test_the_run_that_a_question_follows_up_may_be_in_small_letters() -> None:
    asker = MemoryAsker()
    async with api_client(asker) as client:
        response = await client.post("/api/v1/runs", json=QUESTION | {"context": {"parent_run": RUN.lower()}})
    assert response.status_code == 202
    assert [request.context.parent_run for request in asker.asked if request.context] == [RUN]
