"""Traces, annotations, sessions and experiments: read back over the API of a real Phoenix.

make test ARGS="-m phoenix"          starts one from .phoenix-venv on a free port (half a minute)
OPENWORK_PHOENIX_URL=http://...      uses that one
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from openwork_bus.run_ids import root_span_id_of, trace_id_of
from openwork_bus.settings import ServiceSettings
from openwork_contracts.pipelines import REVIEW
from openwork_contracts.question import AskContext, AskRequest
from openwork_contracts.subjects import CONSUMERS
from openwork_gateway.watch import watch
from openwork_laptop.stack import SERVICES, client, prepare

from tests.asking import submit
from tests.eval.phoenix import COLUMNS, THIRTEEN, arguments_of, examples_of
from tests.eval.phoenix import main as evaluate
from tests.fakes.models.server import fake_models
from tests.free_ports import free_port
from tests.nats_server import OpenServer

pytestmark = [pytest.mark.nats, pytest.mark.phoenix]

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "Compare apixaban versus rivaroxaban in atrial fibrillation with chronic kidney disease"
Span = dict[str, Any]


@pytest.fixture(scope="module")
def phoenix(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a Phoenix that runs."""
    if url := os.environ.get("OPENWORK_PHOENIX_URL"):
        yield url
        return
    if "phoenix" not in request.config.option.markexpr:
        pytest.skip("Phoenix takes half a minute to start; run with -m phoenix, or set OPENWORK_PHOENIX_URL")
    if not (ROOT / ".phoenix-venv/bin/phoenix").exists():
        pytest.skip("Phoenix is not installed; run `make phoenix` once")
    env = {
        **os.environ,
        "PHOENIX_PORT": str(free_port()),
        "PHOENIX_GRPC_PORT": str(free_port()),
        "PHOENIX_WORKING_DIR": str(tmp_path_factory.mktemp("phoenix")),
    }
    script = str(ROOT / "scripts/phoenix.sh")
    subprocess.run([script, "start"], env=env, check=True, timeout=240)
    yield f"http://127.0.0.1:{env['PHOENIX_PORT']}"
    subprocess.run([script, "stop"], env=env, check=True, timeout=30)


def spans_of(url: str, project: str, trace_id: str) -> list[Span]:
    """What Phoenix holds of a trace; nothing while it has not made the project yet."""
    query = urllib.parse.urlencode({"limit": 500, "trace_id": trace_id})
    try:
        return list(read(f"{url}/v1/projects/{project}/spans?{query}")["data"])
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return []
        raise


async def read_until(read: Callable[[], list[Any]], is_all: Callable[[list[Any]], bool]) -> list[Any]:
    """Phoenix takes things in later than it accepts them: ask until all are there."""
    found: list[Any] = []
    for _ in range(120):
        found = await asyncio.to_thread(read)
        if is_all(found):
            return found
        await asyncio.sleep(0.5)
    return found


async def wait_for_spans(url: str, project: str, trace_id: str, names: set[str]) -> list[Span]:
    """A trace that has spans of all these names, and of each its parent: a service sends its spans in batches."""
    return await read_until(
        lambda: spans_of(url, project, trace_id),
        lambda spans: names <= {span["name"] for span in spans} and is_one_tree(spans),
    )


def is_one_tree(spans: list[Span]) -> bool:
    """Whether the parent of every span but the root is there. A span comes before its parent, which ends later."""
    return {span["parent_id"] for span in spans} - {span["context"]["span_id"] for span in spans} == {None}


def is_whole(spans: list[Span]) -> bool:
    """Whether a trace is complete: root, evaluation, every parent, and as many calls of models as the root counts."""
    by_name = {span["name"]: span for span in spans}
    if not {"openwork run", "evaluation"} <= by_name.keys() or not is_one_tree(spans):
        return False
    calls = sum(span["span_kind"] == "LLM" for span in spans)
    return bool(calls == by_name["openwork run"]["attributes"]["openwork.total.model_calls"])


def annotations_of(url: str, project: str, span_id: str) -> list[Span]:
    """What Phoenix holds of annotations of a span."""
    query = urllib.parse.urlencode({"span_ids": span_id, "limit": 100})
    try:
        return list(read(f"{url}/v1/projects/{project}/span_annotations?{query}")["data"])
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return []
        raise


def read(address: str) -> Any:
    with urllib.request.urlopen(address, timeout=20) as answer:
        return json.load(answer)


async def asked(folder: Path, phoenix: str, project: str, *requests: AskRequest, **settings: str) -> list[str]:
    """Runs that ended, all their spans sent to Phoenix."""
    server = OpenServer(folder)
    await server.start()
    await prepare(server.url)
    services = []
    given = {"nats_url": server.url, "otlp_endpoint": phoenix, "trace_project": project, **settings}
    for name in SERVICES:
        known = importlib.import_module(f"openwork_{name}.settings").Settings
        used = {key: value for key, value in given.items() if key in known.model_fields}
        services.append(importlib.import_module(f"openwork_{name}.app").create_service(known(**used)))
    await asyncio.gather(*(service.start() for service in services))
    try:
        runs = []
        async with client(server.url) as bus:
            for request in requests:
                reply = await submit(bus, request, ServiceSettings())
                assert reply.run_id is not None
                async with asyncio.timeout(60):
                    async for _ in watch(bus, reply.run_id):
                        pass
                runs.append(reply.run_id)
        return runs
    finally:
        await asyncio.gather(*(service.stop() for service in services))
        await server.stop()


async def test_one_question_is_one_tree_over_all_services(phoenix: str, tmp_path: Path) -> None:
    """Root `openwork run` with the bits of the run id as trace id; every span hangs below it; documents have scores."""
    project = f"test-{os.getpid()}"
    (run_id,) = await asked(tmp_path / "nats", phoenix, project, AskRequest(question=QUESTION))
    steps = {"openwork run", "evaluation", "search library", "rerank documents", "rerank passages", "verification"}
    spans = await wait_for_spans(phoenix, project, trace_id_of(run_id), steps)
    names = Counter(span["name"] for span in spans)
    assert steps <= set(names)
    by_id = {span["context"]["span_id"]: span for span in spans}
    roots = [span for span in spans if span["parent_id"] not in by_id]
    assert [(span["name"], span["parent_id"]) for span in roots] == [("openwork run", None)]
    assert roots[0]["context"] == {"trace_id": trace_id_of(run_id), "span_id": root_span_id_of(run_id)}
    assert roots[0]["attributes"]["input.value"] == QUESTION
    assert roots[0]["attributes"]["openwork.outcome"] == "answered"
    # No full text is asked for what the library gave; some services are of reviews alone.
    seen = {span["attributes"].get("openwork.service") for span in spans}
    of_reviews = {spec.service for spec in CONSUMERS if spec.only == REVIEW}
    of_answers = {spec.service for spec in CONSUMERS if spec.only != REVIEW}
    assert set(SERVICES) - {"fulltext"} - (of_reviews - of_answers) <= seen
    assert {span["status_code"] for span in spans} == {"OK"}
    kinds = {span["name"]: span["span_kind"] for span in spans}
    assert kinds["search library"] == "RETRIEVER"
    assert kinds["rerank documents"] == kinds["rerank passages"] == "RERANKER"
    assert kinds["verification"] == kinds["evaluation"] == "EVALUATOR"
    (found,) = (span["attributes"] for span in spans if span["name"] == "search library")
    assert len(found["retrieval.documents.0.document.content"]) > 200
    assert found["retrieval.documents.0.document.score"] == 1.0
    (reranked,) = (span["attributes"] for span in spans if span["name"] == "rerank documents")
    for side in ("input", "output"):
        assert reranked[f"reranker.{side}_documents.0.document.id"].startswith("pmid:")
        assert reranked[f"reranker.{side}_documents.0.document.content"]
    assert 0 < reranked["reranker.output_documents.0.document.score"] <= 1


ABOUT_SOMEBODY = (
    "Do SGLT2 inhibitors reduce hospitalisation in heart failure with preserved ejection fraction? My patient "
    "Mrs. Anita Sharma (anita.sharma@example.org, DOB 03/04/1951, MRN 4471120) takes dapagliflozin 10 mg."
)
# Long enough that no random id and no time of a span can hold one: four figures of a telephone number did, once.
NOBODYS = ("Anita", "Sharma", "example.org", "03/04/1951", "4471120", "Smithers", "7946 0958", "79460958", "Rao")
KEY = "planted-key-of-a-provider-0001"


async def test_what_runs_cost_whose_they_are_and_what_they_are_worth_is_read_back_and_nobody_is_named(
    phoenix: str, tmp_path: Path
) -> None:
    """Answered with models, without evidence, turned away; two of them in one conversation, whose id is a name."""
    project, talk = f"cost-{os.getpid()}", AskContext(conversation_id="round of Dr. Rao")
    requests = (
        AskRequest(question=ABOUT_SOMEBODY, context=talk),
        AskRequest(question="Does ocrelizumab slow primary progressive multiple sclerosis?", context=talk),
        AskRequest(question="Should I stop my warfarin? I am Mr. Smithers, phone +44 20 7946 0958"),
    )
    async with fake_models() as fake:
        models = {"model_provider": "gemini", "gemini_api_key": KEY, "model_base_url": fake.url}
        runs = await asked(tmp_path / "nats", phoenix, project, *requests, **models)
    traces = [
        await read_until(lambda run=run: spans_of(phoenix, project, trace_id_of(run)), is_whole)  # type: ignore[misc]
        for run in runs
    ]
    assert [word for word in (*NOBODYS, KEY) if word in json.dumps(traces, ensure_ascii=False)] == []
    roots = [next(span for span in trace if span["name"] == "openwork run")["attributes"] for trace in traces]
    assert [root["openwork.outcome"] for root in roots] == ["answered", "too_little_evidence", "rejected"]
    assert "takes dapagliflozin 10 mg." in roots[0]["input.value"]
    calls = [span["attributes"] for span in traces[0] if span["span_kind"] == "LLM"]
    assert len(calls) == roots[0]["openwork.total.model_calls"] > 2
    assert all(call["llm.prompt_template.version"] and call["llm.output_messages.0.message.content"] for call in calls)
    assert sum(call["llm.cost.total"] for call in calls) == pytest.approx(roots[0]["openwork.total.cost_usd"], abs=1e-5)
    await _assert_sessions(phoenix, project, roots, calls)
    await _assert_annotations(phoenix, project, runs)


async def _assert_sessions(phoenix: str, project: str, roots: list[Span], calls: list[Span]) -> None:
    """Two, neither of which is a run; the tokens of a trace are counted once."""
    address = f"{phoenix}/v1/projects/{project}/sessions"
    sessions = await read_until(lambda: list(read(address)["data"]), lambda found: len(found) == 2)
    by_id = {session["session_id"]: session for session in sessions}
    assert [root["session.id"] for root in roots[:2]] == [roots[0]["session.id"]] * 2
    assert by_id.keys() == {root["session.id"] for root in roots}
    assert [len(by_id[root["session.id"]]["traces"]) for root in (roots[0], roots[2])] == [2, 1]
    of_second = roots[1]["openwork.total.input_tokens"] + roots[1]["openwork.total.output_tokens"]
    tokens = sum(call["llm.token_count.total"] for call in calls)
    assert by_id[roots[0]["session.id"]]["token_count_total"] == tokens + of_second


async def _assert_annotations(phoenix: str, project: str, runs: list[str]) -> None:
    of_answers = {"grounding", "citation_coverage", "unsupported_share", "retrieval_ndcg", "latency_s", "cost_usd"}
    for run, wanted in zip(runs, (of_answers, {"latency_s", "cost_usd"}, {"latency_s", "cost_usd"}), strict=True):
        span_id = root_span_id_of(run)
        found = await read_until(
            lambda span_id=span_id: annotations_of(phoenix, project, span_id),  # type: ignore[misc]
            lambda found, wanted=wanted: len(found) >= len(wanted),  # type: ignore[misc]
        )
        assert {one["name"] for one in found} == wanted
        assert all(one["annotator_kind"] == "CODE" and one["result"]["explanation"] for one in found)


async def test_the_evaluation_questions_become_a_dataset_and_a_run_of_them_an_experiment(
    phoenix: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice: one dataset, two experiments; each run with its figures and with a trace in the experiment's project."""
    changed = ("OTLP_ENDPOINT", "TRACE_PROJECT", "MODEL_PROVIDER", "GEMINI_API_KEY", "MODEL_BASE_URL")
    for name in changed:
        monkeypatch.setenv(f"OPENWORK_{name}", "")  # put back afterwards, whatever the command sets
    monkeypatch.setenv("OPENWORK_SOURCES", "library")
    names = [f"{word} {os.getpid()}" for word in ("one", "two")]
    for name in names:
        assert await evaluate(arguments_of(["--url", phoenix, "--first", "2", "--name", name, "--stand-in"])) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["question", "doac-ckd", "t2dm-india", "mean"]
    (dataset,) = read(f"{phoenix}/v1/datasets?name=openwork-thirteen")["data"]
    assert dataset["example_count"] == len(examples_of(THIRTEEN))
    known = read(f"{phoenix}/v1/datasets/{dataset['id']}/experiments")["data"]
    experiments = [one for one in known if one["name"] in names]
    assert len(experiments) == 2
    for experiment in experiments:
        rows = read(f"{phoenix}/v1/experiments/{experiment['id']}/json")
        assert len(rows) == 2
        assert {one["name"] for row in rows for one in row["annotations"]} == set(COLUMNS)
        for row in rows:
            spans = await wait_for_spans(phoenix, experiment["project_name"], row["trace_id"], {"openwork run"})
            assert any(span["name"] == "openwork run" for span in spans)


async def test_without_phoenix_a_question_is_answered_all_the_same(tmp_path: Path) -> None:
    """Nothing listens where the traces should go: the run ends, and so do the services."""
    nowhere = f"http://127.0.0.1:{free_port()}"
    runs = await asyncio.wait_for(asked(tmp_path / "nats", nowhere, "nowhere", AskRequest(question=QUESTION)), 90)
    assert runs
