"""The MCP server to a real client of the SDK: over HTTP, and over stdio with the services wherever they are."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import Request
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult
from openwork.home import running_server
from openwork_api.mcp.endpoint import Endpoint
from openwork_api.people import Person
from openwork_api.problems import ProblemError
from openwork_api.settings import Settings
from openwork_api.web import create_app
from openwork_gateway.results import put_document

from tests import exports
from tests.integration.command_machine import LIMIT_S, OPENWORK, Machine
from tests.integration.up_machine import Up, up_on
from tests.memory_asker import MemoryAsker
from tests.serving_app import served

pytestmark = pytest.mark.nats

QUESTION = "Does dapagliflozin reduce death in heart failure with reduced ejection fraction?"
UNKNOWN = "01BX5ZZKBKACTAV9WEVGEMMVRZ"
EVIDENCE = [{"text": "Major bleeding was less frequent with apixaban (2.13% versus 3.09% per year)."}]
FALSE = "Major bleeding was less frequent with apixaban (2.13% versus 3.90% per year) [1]."
WAYS = ("http", "http before 2026", "stdio beside up", "stdio to http", "stdio to nats", "stdio alone")
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with up_on(Machine(tmp_path_factory.mktemp("up"))) as found:
        yield found


@pytest.fixture
def alone(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def _command(machine: Machine, *more: str) -> StdioServerParameters:
    return StdioServerParameters(command=str(OPENWORK), args=["mcp", *more], env=machine.environment)


@asynccontextmanager
async def _assistant(way: str, up: Up, alone: Machine) -> AsyncIterator[Client]:
    nowhere = Machine(alone.folder)
    nowhere.environment["OPENWORK_HOME"] = str(alone.folder / "nothing runs here")
    servers: dict[str, Any] = {
        "http": f"{up.web}/mcp",
        "http before 2026": f"{up.web}/mcp",
        "stdio beside up": _command(up.machine),
        "stdio to http": _command(nowhere, "--server", up.web),
        "stdio to nats": _command(nowhere, "--server", up.nats),
        "stdio alone": _command(alone),
    }
    async with Client(servers[way], mode="legacy" if "before" in way else "auto") as client:
        yield client


async def _call(client: Client, tool: str, **arguments: Any) -> CallToolResult:
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    return result


async def _done(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await _call(client, tool, **arguments)
    assert not result.is_error, result.content
    return result.structured_content or {}


@pytest.mark.parametrize("way", WAYS)
async def test_an_assistant_asks_reads_and_checks(way: str, up: Up, alone: Machine) -> None:
    steps: list[str] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        steps.append(message or "")

    async with _assistant(way, up, alone) as client:
        asked = await client.call_tool("ask", {"question": QUESTION}, progress_callback=tell)
        assert isinstance(asked, CallToolResult)
        run = asked.structured_content or {}
        assert (run["status"], run["verdict"]) == ("answered", "benefit")
        assert "[1]" in run["answer"]
        assert run["run_id"] in steps[0]
        cited = next(claim for claim in run["claims"] if claim["passage_ids"])
        assert (cited["verdict"], cited["citations"]) == ("supported", [1])
        assert "summary by Open Work" in run["references"][0]["whose_words"]
        assert "does not diagnose" in run["disclaimer"]

        passage = await _done(client, "passage", run_id=run["run_id"], passage_id=cited["passage_ids"][0])
        (words,) = passage["passages"]
        assert cited["text"] in [resting["text"] for resting in words["claims"]]
        assert all(resting["words"] in words["text"] for resting in words["claims"])
        of_work = await _done(client, "passage", run_id=run["run_id"], n=1)
        assert words["passage_id"] in [one["passage_id"] for one in of_work["passages"]]

        searched = await _done(client, "search_log", run_id=run["run_id"])
        assert searched["sources"][0]["source"] == "library"
        assert "dapagliflozin" in searched["requests"][0]["request"]

        assert await _done(client, "show", run_id=run["run_id"], wait_s=5) == run
        assert run["run_id"] in [one["run_id"] for one in (await _done(client, "runs", query="dapagli"))["runs"]]
        page = (await client.read_resource(f"openwork://runs/{run['run_id']}")).contents[0]
        assert page.text.startswith(f"# {QUESTION}")  # type: ignore[union-attr]

        (judged,) = (await _done(client, "verify", text=FALSE, evidence=EVIDENCE))["claims"]
        assert judged["verdict"] == "contradicted"
        assert "3.09%" in judged["findings"][0]["reason"]

        turned_away = await _done(client, "ask", question="What dose of warfarin should I take?")
        assert turned_away["status"] == "rejected"
        assert "cannot advise" in turned_away["answer"]
        unknown = await _call(client, "show", run_id=UNKNOWN)
        assert unknown.is_error
        assert "RunNotFound" in unknown.content[0].text  # type: ignore[union-attr]


# --- stdio ------------------------------------------------------------------------------------------------------------


def _is_clean(machine: Machine) -> bool:
    """No server runs on this folder, and none is announced."""
    home = machine.environment["OPENWORK_HOME"]
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return running_server(Path(home)) is None and f"-c {home}/" not in listed


def _start(machine: Machine, *messages: dict[str, Any]) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [OPENWORK, "mcp"],
        env=machine.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
    process.stdin.flush()
    return process


def _ask(**arguments: Any) -> list[dict[str, Any]]:
    params = {"name": "ask", "arguments": {"question": QUESTION, **arguments}}
    return [
        HELLO,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params},
    ]


def test_only_the_protocol_is_on_stdout_and_it_ends_when_stdin_does(alone: Machine) -> None:
    with _start(alone, HELLO) as process:
        out, err = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, err) == (0, b"")
    (reply,) = [json.loads(line) for line in out.splitlines()]
    assert reply["result"]["serverInfo"]["name"] == "openwork"
    assert not (alone.folder / "home").exists()  # nobody asked, so nothing was started


def test_stdin_may_be_a_file_and_has_to_be_there(alone: Machine) -> None:
    (alone.folder / "requests").write_text(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n")
    command = ["sh", "-c", f"exec {OPENWORK} mcp < requests"]
    done = subprocess.run(command, cwd=alone.folder, env=alone.environment, capture_output=True, timeout=LIMIT_S)
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    command = ["sh", "-c", f"exec {OPENWORK} mcp <&-"]
    closed = subprocess.run(command, env=alone.environment, capture_output=True, timeout=LIMIT_S)
    assert (closed.returncode, closed.stdout) == (4, b"")
    assert b"stdin is closed" in closed.stderr


@pytest.mark.parametrize("how", ["stdin", "SIGTERM", "SIGINT"])
@pytest.mark.parametrize("after_s", [0.0, 1.5])
async def test_what_was_started_is_stopped_in_the_middle_of_it(how: str, after_s: float, alone: Machine) -> None:
    with _start(alone, *_ask()) as process:
        assert process.stdin is not None
        async with asyncio.timeout(LIMIT_S):
            while running_server(alone.folder / "home") is None:  # noqa: ASYNC110 - another process has no event to set
                await asyncio.sleep(0.02)
        await asyncio.sleep(after_s)
        if how == "stdin":
            process.stdin.close()
        else:
            process.send_signal(getattr(signal, how))
        assert await asyncio.to_thread(process.wait, LIMIT_S) == 0
        assert process.stdout is not None
        assert process.stderr is not None
        out, err = process.stdout.read(), process.stderr.read()
    assert {json.loads(line)["jsonrpc"] for line in out.splitlines()} <= {"2.0"}
    assert b"Traceback" not in err
    assert _is_clean(alone)


async def test_a_second_assistant_and_the_terminal_use_what_the_first_has_started(alone: Machine) -> None:
    async with Client(_command(alone)) as first:
        run = await _done(first, "ask", question=QUESTION)
        listed = await asyncio.to_thread(alone.run, "runs", "list")
        assert listed.out.startswith(run["run_id"])
        async with Client(_command(alone)) as second:
            assert (await _done(second, "show", run_id=run["run_id"]))["status"] == "answered"
        assert (await _done(first, "show", run_id=run["run_id"]))["status"] == "answered"
    assert _is_clean(alone)


async def test_where_the_services_that_it_found_have_gone_it_starts_its_own(alone: Machine) -> None:
    with up_on(alone):
        client = Client(_command(alone))
        await client.__aenter__()
        run = await _done(client, "ask", question=QUESTION)
    assert (await _done(client, "show", run_id=run["run_id"]))["status"] == "answered"
    await client.__aexit__(None, None, None)
    assert _is_clean(alone)


async def test_a_server_that_is_away_is_told_in_words(alone: Machine) -> None:
    async with Client(_command(alone, "--server", "nats://127.0.0.1:1")) as client:
        away = await _call(client, "ask", question=QUESTION)
    assert away.is_error
    assert "BusUnavailable: NATS at nats://127.0.0.1:1" in away.content[0].text  # type: ignore[union-attr]


# --- HTTP -------------------------------------------------------------------------------------------------------------


class _Names:
    """Whoever comes is whom their header names."""

    async def person(self, request: Request) -> Person:
        name = request.headers.get("authorization", "").removeprefix("Bearer ow_")
        if not name:
            raise ProblemError(401, "KeyMissing", "send a key", headers={"WWW-Authenticate": "Bearer"})
        return Person(name)


@asynccontextmanager
async def _as_somebody(url: str, name: str, mode: str = "auto") -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer ow_{name}"}) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_another_persons_run_is_not_there_and_nobody_comes_without_a_key(mode: str) -> None:
    asker = MemoryAsker()
    await put_document(asker.results, exports.document(owner="api/dr-weiss"))
    app = create_app(asker, Settings(api_open=False))
    app.state.guard = _Names()
    async with served(app) as url:
        async with _as_somebody(url, "dr-weiss", mode) as client:
            assert (await _done(client, "show", run_id=exports.RUN))["status"] == "answered"
        async with _as_somebody(url, "dr-roth", mode) as client:
            assert (await _call(client, "show", run_id=exports.RUN)).is_error
            assert (await _done(client, "runs"))["runs"] == []
        async with httpx2.AsyncClient() as http:
            nobody = await http.post(f"{url}/mcp", json=HELLO)
    endpoint: Endpoint = app.state.mcp
    await endpoint.stop()
    assert (nobody.status_code, nobody.json()["code"]) == (401, "KeyMissing")
    assert nobody.headers["www-authenticate"] == "Bearer"


async def test_any_replica_answers_any_request() -> None:
    """A proxy gives each request to the next one: no session is kept, in the protocols before 2026 neither."""
    asker = MemoryAsker()
    apps = [create_app(asker, Settings()) for _ in range(2)]
    accept = {"Accept": "application/json, text/event-stream"}
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    async with served(apps[0]) as first, served(apps[1]) as second, httpx2.AsyncClient(headers=accept) as http:
        hello = await http.post(f"{first}/mcp", json=HELLO)
        tools = await http.post(f"{second}/mcp", json=listing, headers={"MCP-Protocol-Version": "2025-06-18"})
        assert (await http.get(f"{first}/mcp")).status_code == 405
    for app in apps:
        await app.state.mcp.stop()
    assert "mcp-session-id" not in hello.headers
    assert '"name":"search_log"' in tools.text.replace(" ", "")


async def test_a_page_under_another_name_is_refused(up: Up) -> None:
    async with httpx2.AsyncClient(headers={"Accept": "application/json, text/event-stream"}) as http:
        rebound = await http.post(f"{up.web}/mcp", json=HELLO, headers={"Host": "evil.example"})
        foreign = await http.post(f"{up.web}/mcp", json=HELLO, headers={"Origin": "https://evil.example"})
        large = await http.post(f"{up.web}/mcp", json={**HELLO, "x": "x" * 3 * 2**20})
    assert (rebound.status_code, foreign.status_code, large.status_code) == (421, 403, 413)


async def test_who_goes_away_leaves_the_run_to_be_found_again(up: Up) -> None:
    async with Client(f"{up.web}/mcp") as client:
        asking = asyncio.ensure_future(client.call_tool("ask", {"question": "Does aspirin prevent stroke?"}))
        async with asyncio.timeout(LIMIT_S):
            while not (found := (await _done(client, "runs", query="aspirin prevent"))["runs"]):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking
        run = await _done(client, "show", run_id=found[0]["run_id"], wait_s=45)
    assert run["status"] in ("answered", "too_little_evidence")
