"""The `openwork` command as a client: what it prints, imports and costs while services run elsewhere."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.nats_server import OpenServer
from tests.run_events import RUN, concluded, submitted
from tests.scripted_gateway import ANSWERED, REJECTED, ScriptedGateway, scripted_gateway

pytestmark = pytest.mark.nats

OPENWORK = Path(sys.executable).with_name("openwork")
QUESTION = "Does apixaban lower stroke in atrial fibrillation compared with warfarin?"
HEAVY = {"openwork_laptop", "openwork_bus", "openwork_contracts", "openwork_gateway", "faststream", "rich"}
ONLY_THE_COMMANDS = {"typer", "pydantic", "openwork_cli"}
"""Typer reads arguments with pydantic; who imports the client needs neither."""
LIMIT_S = 30.0
GREEK = concluded(text="Interferon-β lowered relapses by ≥ 30 %.")


@dataclass
class Asker:
    """A folder, a gateway, and the command between them."""

    folder: Path
    gateway: ScriptedGateway
    url: str
    environment: dict[str, str] = field(default_factory=dict)

    async def run(self, *arguments: str, command: tuple[str, ...] = (str(OPENWORK),)) -> tuple[int, str, str]:
        """Exit code, stdout, stderr."""
        process = await asyncio.create_subprocess_exec(
            *command,
            *arguments,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, err = await asyncio.wait_for(process.communicate(), LIMIT_S)
        assert b"Traceback" not in err, err
        assert process.returncode is not None
        return process.returncode, out.decode(), err.decode()

    def start(self, terminal: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
        """`openwork ask`, to be interrupted: a job in the background would ignore that, and so would its children."""
        return subprocess.Popen(
            [OPENWORK, "ask", QUESTION],
            env=self.environment,
            stdout=terminal,
            stderr=terminal,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    async def waits(self) -> None:
        """Until the command waits for the run's end."""
        async with asyncio.timeout(LIMIT_S):
            while "openwork.show" not in self.gateway.asked:  # noqa: ASYNC110 - another process has no event to set
                await asyncio.sleep(0.01)


@pytest.fixture
async def asker(tmp_path: Path) -> AsyncIterator[Asker]:
    """`openwork up` seems to run: its notice lies in the home folder."""
    server = OpenServer(tmp_path / "nats")
    await server.start()
    home = tmp_path / "home"
    home.mkdir()
    notice = {"pid": os.getpid(), "url": server.asker_url, "stays": True}
    (home / "server.json").write_text(json.dumps(notice))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENWORK_")}
    environment |= {"OPENWORK_HOME": str(home), "COLUMNS": "200"}
    async with scripted_gateway(server.url) as gateway:
        yield Asker(tmp_path, gateway, server.asker_url, environment)
    await server.stop()


async def test_an_answer_is_printed_with_its_references_and_its_method(asker: Asker) -> None:
    code, out, err = await asker.run("ask", QUESTION)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    text = "Apixaban lowered stroke [1]. From stored records; not searched live."
    assert lines[:4] == [text, "", "References", "[1] Apixaban versus warfarin."]
    assert lines[4:7] == ["", "", "Held back: these sentences of the draft did not pass the check"]
    assert lines[7].endswith(("proved against these:", "could not be confirmed:"))
    assert (
        "- verification: 1 of 1 sentences passed the check (grounding 1.00, citation coverage 1.00), 0 removed" in lines
    )
    assert lines[-1].startswith("Open Work presents published evidence for professionals.")


async def test_the_folder_and_the_json_hold_what_the_gateway_gave(asker: Asker) -> None:
    code, out, err = await asker.run("ask", QUESTION, "--json", "--out", "out")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert (document["status"], document["question"]) == ("answered", QUESTION)
    folder = asker.folder / "out"
    assert (folder / "answer.json").read_text(encoding="utf-8") == out
    assert (folder / "answer.md").read_text(encoding="utf-8").startswith(f"# {QUESTION}")
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(events) == len(ANSWERED)
    assert events[-1]["kind"] == "completed"
    assert (await asker.run("runs", "show", document["run_id"].lower(), "--json"))[1] == out
    assert (await asker.run("runs", "replay", document["run_id"], "--json"))[1] == out


async def test_a_rejection_ends_with_2_whichever_server_was_named(asker: Asker) -> None:
    asker.gateway.then = REJECTED
    asker.environment["OPENWORK_HOME"] = str(asker.folder / "elsewhere")
    code, out, err = await asker.run("ask", "hi", "--server", asker.url)
    assert (code, err) == (2, "")
    assert out.startswith("Not searched for\nAsk a question.\n")


async def test_asking_imports_no_service_and_nothing_that_is_only_theirs(asker: Asker) -> None:
    script = (
        "import sys; from openwork_cli.main import main; sys.argv[0] = 'openwork'; code = main();"
        "print(sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr); sys.exit(code)"
    )
    asker.gateway.then = REJECTED
    for arguments in (("ask", "hi"), ("runs", "list"), ("runs", "cancel", RUN), ("--version",)):
        _, _, err = await asker.run(*arguments, command=(sys.executable, "-c", script))
        loaded = set(re.findall(r"'(\w+)'", err.splitlines()[-1]))
        assert "typer" in loaded
        assert loaded & HEAVY == set(), arguments
    script = (
        "import sys, openwork; openwork.ask('hi', server=sys.argv[1]);"
        "print(sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    _, _, err = await asker.run(asker.url, command=(sys.executable, "-c", script))
    loaded = set(re.findall(r"'(\w+)'", err.splitlines()[-1]))
    assert "nats" in loaded
    assert loaded & (HEAVY | ONLY_THE_COMMANDS) == set()


async def test_runs_are_listed_told_of_and_cancelled(asker: Asker) -> None:
    asker.gateway.after_s = 60
    await asker.gateway.bus.publish(submitted())
    code, out, _ = await asker.run("runs", "cancel", RUN, "--reason", "asked by mistake")
    assert (code, out) == (0, f"run {RUN} is cancelled\n")
    assert (await asker.run("runs", "cancel", RUN))[:2] == (1, f"run {RUN} had ended already\n")
    await asker.gateway.conclude(RUN)
    code, out, _ = await asker.run("runs", "list")
    assert (code, out.split()[0], out.split()[2]) == (0, RUN, "cancelled")
    (row,) = json.loads((await asker.run("runs", "list", "--json"))[1])
    assert (row["run_id"], row["status"], row["owner"]) == (RUN, "cancelled", "local")
    code, out, _ = await asker.run("runs", "show", RUN)
    assert (code, out.splitlines()[:2]) == (
        1,
        ["The run was cancelled", "The run was cancelled: asked by mistake."],
    )
    code, out, _ = await asker.run("runs", "events", RUN)
    assert [line.split()[2:4] for line in out.splitlines()] == [["query-submitted", "test"], ["end", "gateway"]]
    code, out, _ = await asker.run("runs", "events", RUN, "--json")
    assert json.loads(out.splitlines()[-1])["cancelled_by"] == "local"


async def test_without_services_at_the_server_the_command_says_so(asker: Asker) -> None:
    await asker.gateway.stop()
    code, out, err = await asker.run("ask", "hi")
    assert (code, out) == (1, "")
    assert "openwork up" in err


async def test_a_terminal_without_the_characters_still_gets_the_answer(asker: Asker) -> None:
    asker.gateway.then = (*ANSWERED[:-2], GREEK, ANSWERED[-1])
    asker.environment |= {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    code, out, err = await asker.run("ask", QUESTION)
    assert (code, err) == (0, "")
    assert out.startswith("Interferon-beta lowered relapses by >= 30 % [1].")
    code, out, _ = await asker.run("ask", QUESTION, "--json")
    assert code == 0
    assert "Interferon-β lowered relapses by ≥ 30 % [1]." in json.loads(out)["answer"]["markdown"]


async def test_an_interrupt_is_reported_and_ends_with_130(asker: Asker) -> None:
    asker.gateway.after_s = 60
    process = asker.start()
    await asker.waits()
    process.send_signal(signal.SIGINT)
    out, err = await asyncio.to_thread(process.communicate, timeout=LIMIT_S)
    assert (process.returncode, out, err) == (130, b"", b"openwork: interrupted\n")


@pytest.mark.parametrize("after_s", [0.03, 0.06, 0.1, 0.15, 0.2, 0.25])
async def test_an_early_interrupt_shows_no_stack_trace_of_ours(asker: Asker, after_s: float) -> None:
    asker.gateway.after_s = 60
    process = asker.start()
    await asyncio.sleep(after_s)
    process.send_signal(signal.SIGINT)
    try:
        out, err = await asyncio.to_thread(process.communicate, timeout=LIMIT_S / 2)
    except subprocess.TimeoutExpired:  # Python itself printed the interrupt while it looked for its paths, and went on
        process.send_signal(signal.SIGINT)
        out, err = await asyncio.to_thread(process.communicate, timeout=LIMIT_S / 2)
    assert out == b""
    # Before the first line of ours runs, Python itself answers.
    assert b"openwork_cli/" not in err, err
    assert process.returncode in (130, -signal.SIGINT)


async def test_an_interrupt_leaves_the_terminal_as_it_was(asker: Asker) -> None:
    """The live line hides the cursor; it is there again, and the line is gone."""
    asker.gateway.after_s = 60
    terminal, inside = pty.openpty()
    asker.environment["TERM"] = "xterm"
    process = asker.start(inside)
    os.close(inside)
    await asker.waits()
    process.send_signal(signal.SIGINT)
    await asyncio.to_thread(process.wait, LIMIT_S)
    shown = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # Linux: nobody holds the other side any more
            break
        shown += chunk
    os.close(terminal)
    assert shown.rindex(b"\x1b[?25h") > shown.rindex(b"\x1b[?25l")
    assert shown.rstrip().endswith(b"openwork: interrupted")


async def test_the_version_and_the_completion_are_there(asker: Asker) -> None:
    code, out, _ = await asker.run("--version")
    assert (code, re.fullmatch(r"openwork \d+\.\d+\.\d+\S*\n", out) is not None) == (0, True)
    asker.environment |= {
        "_OPENWORK_COMPLETE": "complete_bash",
        "COMP_WORDS": "openwork runs ",
        "COMP_CWORD": "2",
    }
    code, out, _ = await asker.run()
    assert {"list", "show", "events", "cancel", "rerun"} <= set(out.split())


async def test_what_a_lookup_finds_is_printed_and_can_be_cited(asker: Asker) -> None:
    item = {"n": 1, "title": "A trial.", "text": "A.", "pmid": "7", "year": 2020, "status": "retracted", "journal": "J",
            "text_origin": "our_summary", "source": "library", "authors": ["A B", "C D", "E F", "G H"]}  # fmt: skip
    missing = {"n": 2, "asked": "x\ny", "kind": "of_the_future", "reason": "not one identifier"}

    async def retriever(body: bytes) -> bytes:
        assert json.loads(body) == {"ids": ["7", "x"]}
        reply = {"found": [{"asked": "7", "item": item}], "missing": [missing], "degradations": ["No network."]}
        return json.dumps(reply).encode()

    await asker.gateway.add("openwork.lookup", retriever)
    code, out, err = await asker.run("lookup", "7", "x")
    assert (code, err) == (1, "[2] x y: not one identifier\nNo network.\n")
    assert out == ("[1] A B, C D, E F, et al. A trial. J. 2020. PMID 7. RETRACTED. (our summary, not its own words)\n")
    code, out, _ = await asker.run("lookup", "7", "x", "--json")
    (evidence,) = json.loads(out)
    assert evidence == {name: item.get(name) for name in (*list(item)[:6], "doi", "nct_id", "text_origin")}


async def test_a_verifier_that_runs_is_asked(asker: Asker) -> None:
    async def gate(body: bytes) -> bytes:
        if not json.loads(body)["evidence"]:
            return b'{"error": "evidence 1, text: Field required", "error_type": "UsageError"}'
        scores = {"claims": 1, "supported": 0, "unsupported": 1, "grounding_score": 0, "citation_coverage": 1}
        claim = {"text": "A.", "citations": [1], "verdict": "of_the_future"}
        return json.dumps({"report": {"claims": [claim], "scores": scores}}).encode()

    await asker.gateway.add("openwork.verify", gate)
    (asker.folder / "a.md").write_text("A [1].")
    (asker.folder / "e.json").write_text('[{"text": "a"}]')
    (asker.folder / "none.json").write_text("[]")
    code, out, _ = await asker.run("verify", "a.md", "--evidence", "e.json")
    assert (code, out.splitlines()[:2]) == (1, ["A. [1]", "  Of the future."])
    assert out.splitlines()[3].startswith("1 sentence claims something: 1 of the future.")
    code, out, _ = await asker.run("verify", "a.md", "--evidence", "e.json", "--json")
    assert json.loads(out)["scores"]["unsupported"] == 1
    code, out, err = await asker.run("verify", "a.md", "--evidence", "none.json")
    assert (code, out, err) == (4, "", "openwork: none.json: evidence 1, text: Field required\n")
