"""The real `openwork` command: what it prints, what it ends with, and that it never shows a stack trace."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from jsonschema import Draft202012Validator
from openwork_laptop.stack import ASKERS, SERVICES

from tests.integration.command_machine import LIMIT_S, OPENWORK, Ended, Machine
from tests.reading_figures import samples

pytestmark = pytest.mark.nats

SCHEMA = Path(__file__).resolve().parents[2] / "contracts" / "schemas" / "answer-document.v1.json"
QUESTION = "Do omega-3 fatty acids reduce major cardiovascular events?"
IMPORTED = "Does sumatriptan relieve headache in acute migraine compared with placebo?"
UNKNOWN_RUN = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    return Machine(tmp_path_factory.mktemp("cli"))


@pytest.fixture(scope="module")
def asked(machine: Machine) -> Ended:
    """The first question of this machine, on a bus of its own. A record was imported before."""
    assert machine.run("library", "import", "mine.ris").code == 0
    return machine.run("ask", QUESTION, "--json", "--out", "out")


@pytest.fixture(scope="module")
def health_port() -> int:
    """A port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as tried:
        return int(tried.getsockname()[1])


@pytest.fixture(scope="module")
def up(machine: Machine, asked: Ended, health_port: int) -> Iterator[None]:
    """`openwork up` on the same home: the commands that follow find it by themselves."""
    process = subprocess.Popen(
        [OPENWORK, "up", "--nats-port", "0", "--health-port", str(health_port)],
        cwd=machine.folder,
        env=machine.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "Ctrl-C" in line:
            break
    yield
    process.send_signal(signal.SIGINT)
    process.stdout.close()
    assert process.wait(LIMIT_S) == 0


BAD_USAGE = {
    "ask": "argument",
    "ask x --no-such-option": "no-such-option",
    "ask x --run-id abc": "not a run id",
    "ask x --source nowhere": "nowhere",
    "verify": "--evidence",
    "verify missing.md --evidence evidence.json": "missing.md cannot be read",
    "verify latin.md --evidence evidence.json": "not UTF-8",
    "verify good.md --evidence no-list.json": "must be a list",
    "verify --batch broken.jsonl": "broken.jsonl, line 2 is not JSON",
    "rank": "--query",
    "rank --query x --candidates missing.jsonl": "missing.jsonl cannot be read",
    "sources parse nowhere saved.xml": "nowhere",
    "fulltext parse missing.xml": "missing.xml cannot be read",
    "export nothing": "neither a file nor a run id",
    "export missing.json": "missing.json cannot be read",
    "export evidence.json": "evidence.json is not an answer",
    "export out/answer.json --format csv": "--table",
    "export out/answer.json --format csv --table search": "needs the run's record",
    "export out/answer.json --format mp3": "mp3",
}
OFFLINE = (
    "library list --json",
    "library check",
    "verify good.md --evidence evidence.json --json",
    "verify bad.md --evidence evidence.json",
    "verify page.md --evidence evidence.json",
    "verify page.md --evidence evidence.json --json",
    "verify --batch gate.jsonl",
    "rank --query apixaban --candidates candidates.jsonl --json",
    "rank --batch rank.jsonl",
    "sources list --json",
    "sources parse pubmed saved.xml --json",
    "fulltext parse article.xml --json",
    "doctor --json",
    "library import empty.ris",
    "export out/answer.json --format markdown",
    "--help",
)


@pytest.fixture(scope="module")
def ended(machine: Machine, asked: Ended) -> dict[str, Ended]:
    """Every command that needs no run."""
    return machine.run_all([*BAD_USAGE, *OFFLINE])


@pytest.mark.parametrize("command", BAD_USAGE)
def test_bad_usage_ends_with_4_and_says_what_was_wrong(ended: dict[str, Ended], command: str) -> None:
    done = ended[command]
    assert (done.code, BAD_USAGE[command] in done.err) == (4, True), done
    assert len(done.err) < 1000


def test_an_answer_is_one_json_object_of_the_published_schema(asked: Ended) -> None:
    assert (asked.code, asked.err) == (0, "")
    document = asked.json
    Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(document)
    wanted = "run_id status question pipeline track owner answer references method verification usage timings trace_id"
    assert set(wanted.split()) <= set(document)
    assert (document["status"], document["question"]) == ("answered", QUESTION)
    assert {"markdown", "claims"} <= set(document["answer"])
    for claim in document["answer"]["claims"]:
        assert {"text", "citations", "verdict", "evidence"} <= set(claim)
        assert all({"n", "quote", "start", "end"} <= set(span) for span in claim["evidence"])
    keys = "n source id pmid doi nct_id title authors journal year url study_design"
    assert all(set(keys.split()) <= set(reference) for reference in document["references"])
    assert {"sources", "degradations", "counts"} <= set(document["method"])
    (library,) = document["method"]["sources"]
    assert {"name", "status", "found", "kept", "elapsed_s", "reason"} <= set(library)
    scores = {"grounding_score", "citation_coverage", "claims", "unsupported", "removed"}
    assert scores <= set(document["verification"])
    assert {"input_tokens", "output_tokens", "cost_usd"} <= set(document["usage"])


def test_the_folder_gets_the_answer_for_eyes_for_programs_and_its_history(machine: Machine, asked: Ended) -> None:
    folder = machine.folder / "out"
    assert {path.name for path in folder.iterdir()} == {"answer.md", "answer.json", "events.jsonl"}
    assert (folder / "answer.json").read_text(encoding="utf-8") == asked.out
    written = (folder / "answer.md").read_text(encoding="utf-8")
    assert written.startswith(f"# {QUESTION}")
    assert "## References" in written
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {event["meta"]["run_id"] for event in events} == {asked.json["run_id"]}
    assert events[-1]["kind"] == "completed"


def test_a_stored_run_is_shown_and_replayed_byte_for_byte(machine: Machine, asked: Ended, up: None) -> None:
    run_id = asked.json["run_id"]
    assert machine.run("runs", "replay", run_id, "--json") == asked
    shown = machine.run("runs", "show", run_id.lower())
    assert shown.code == 0
    assert "References" in shown.out
    assert "[1]" in shown.out


def test_the_history_of_a_run_is_listed_and_printed(machine: Machine, asked: Ended, up: None) -> None:
    run_id = asked.json["run_id"]
    rows = machine.run("runs", "list", "--json").json
    assert rows[-1]["run_id"] == run_id
    assert (rows[-1]["status"], rows[-1]["question"]) == ("answered", QUESTION)
    events = machine.run("runs", "events", run_id)
    assert (events.code, events.err) == (0, "")
    names = [line.split()[2] for line in events.out.splitlines()]
    assert names[:2] == ["query-submitted", "search-planned"]
    assert names[names.index("end") - 1] == "answer-concluded"
    assert set(names[names.index("end") + 1 :]) <= {"deadline-reached"}


def test_a_run_that_has_ended_cannot_be_cancelled(machine: Machine, asked: Ended, up: None) -> None:
    done = machine.run("runs", "cancel", asked.json["run_id"])
    assert (done.code, "had ended already" in done.out) == (1, True)


def test_the_gate_of_services_that_run_says_what_the_gate_alone_says(machine: Machine, up: None) -> None:
    done = machine.run("verify", "bad.md", "--evidence", "evidence.json")
    assert done.code == 1
    assert "  Contradicted: '0.39' is in no cited passage; [1] has '0.69' in its place." in done.out


def test_an_unknown_run_is_bad_usage(machine: Machine, up: None) -> None:
    unknown = machine.run("runs", "show", UNKNOWN_RUN)
    assert (unknown.code, UNKNOWN_RUN in unknown.err, unknown.out) == (4, True, "")


def test_a_stored_run_is_exported_with_its_record_and_read_back(machine: Machine, asked: Ended, up: None) -> None:
    run_id = asked.json["run_id"]
    page = machine.run("export", run_id, "--format", "html", "--output", "answer.html")
    assert (page.code, page.out, page.err) == (0, "", "written: answer.html\n")
    assert "Searches as they were sent" in (machine.folder / "answer.html").read_text(encoding="utf-8")
    tables = machine.run("export", run_id, "--format", "csv", "--output", "tables")
    assert (tables.code, len(tables.err.splitlines())) == (0, 4)
    items = machine.run("export", run_id, "--format", "csl-json")
    assert [item["PMID"] for item in items.json] == [r["pmid"] for r in asked.json["references"]]


def test_an_unknown_run_cannot_be_exported(machine: Machine, up: None) -> None:
    unknown = machine.run("export", UNKNOWN_RUN)
    assert (unknown.code, UNKNOWN_RUN in unknown.err, unknown.out) == (4, True, "")


def test_an_answer_saved_without_its_record_is_exported_with_a_remark(ended: dict[str, Ended]) -> None:
    done = ended["export out/answer.json --format markdown"]
    assert (done.code, done.err.startswith("note: saved without the run's record")) == (0, True)
    assert done.out.startswith("# Do omega-3")


def test_all_services_of_the_process_have_their_health_and_their_figures_on_one_port(
    up: None, health_port: int
) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{health_port}", timeout=30) as client:
        assert client.get("/readyz").json() == {"status": "ready", "service": "openwork", "warnings": []}
        text = client.get("/metrics").content
    services = {one.labels["service"] for one in samples(text) if one.name == "openwork_ready" and one.value}
    assert services == {*SERVICES, *ASKERS}


def test_a_rejected_question_ends_with_2_and_says_what_to_ask(machine: Machine, up: None) -> None:
    done = machine.run("ask", "Should I stop my warfarin?")
    assert (done.code, done.err) == (2, "")
    assert "Not searched for" in done.out
    assert "doctor" in done.out


def test_too_little_evidence_ends_with_3_and_is_an_object_too(machine: Machine, up: None) -> None:
    done = machine.run("ask", "Ocrelizumab versus rituximab in relapsing multiple sclerosis?", "--json")
    assert (done.code, done.err) == (3, "")
    assert done.json["status"] == "too_little_evidence"
    assert done.json["answer"]["claims"] == []
    assert done.json["references"] == []


def test_an_imported_record_is_found_by_a_question(machine: Machine, up: None) -> None:
    found = machine.run("ask", IMPORTED, "--json").json
    (library,) = found["method"]["sources"]
    assert library["found"] == 1
    assert [reference["doi"] for reference in found["references"]] == ["10.5555/example.1"]


def test_importing_the_same_file_again_adds_nothing(machine: Machine, asked: Ended) -> None:
    again = machine.run("library", "import", "mine.ris", "--json")
    assert again.code == 0
    assert (again.json["added"], again.json["known"], again.json["total"]) == (0, 1, 1)


def test_a_file_without_records_ends_with_1(ended: dict[str, Ended]) -> None:
    assert ended["library import empty.ris"].code == 1


def test_the_library_is_listed_and_checked(ended: dict[str, Ended]) -> None:
    records = ended["library list --json"].json
    assert len(records) >= 60
    check = ended["library check"]
    assert (check.code, f"{len(records)} records" in check.out, "0 findings" in check.out) == (0, True, True)


def test_the_gate_alone_ends_with_0_or_1(ended: dict[str, Ended]) -> None:
    good = ended["verify good.md --evidence evidence.json --json"]
    assert (good.code, good.json["scores"]["grounding_score"]) == (0, 1.0)
    bad = ended["verify bad.md --evidence evidence.json"]
    assert bad.code == 1
    assert bad.out.splitlines() == [
        "Apixaban lowered major bleeding compared with warfarin (HR 0.39). [1]",
        "  Contradicted: '0.39' is in no cited passage; [1] has '0.69' in its place.",
        '    [1] "Apixaban lowered major bleeding compared with warfarin (HR 0.69)."',
        "",
        "1 sentence claims something: 1 contradicted. Grounding 0.00, citation coverage 1.00.",
    ]


def test_a_page_of_prose_gets_a_remark_on_each_sentence(ended: dict[str, Ended]) -> None:
    """Nothing proved, and still not 0: what is not confirmed has to be looked at."""
    page = ended["verify page.md --evidence evidence.json"]
    assert (page.code, page.err) == (1, "")
    heading, supported, open_, uncited, about, summary = page.out.split("\n\n")
    assert heading == "Bleeding"
    assert supported.splitlines()[1] == "  Supported."
    assert open_.splitlines()[1].startswith("  Not confirmed. Look at ")
    assert uncited.splitlines()[1] == "  No citation: there is nothing to lay it beside."
    assert about.splitlines()[1:] == ["  Nothing to check."]
    assert summary.startswith("3 sentences claim something: 1 supported, 1 not confirmed, 1 without a citation.")


def test_the_json_of_a_page_holds_kinds_and_codes(ended: dict[str, Ended]) -> None:
    page = ended["verify page.md --evidence evidence.json --json"]
    assert page.code == 1
    assert set(page.json) == {"claims", "scores"}
    reasons = [reason for claim in page.json["claims"] for reason in claim["reasons"]]
    assert {reason["kind"] for reason in reasons} == {"suspicion", "proof"}
    assert all({"code", "kind", "detail", "look_at"} == set(reason) for reason in reasons)


def test_the_gate_takes_many_answers_one_result_a_line(ended: dict[str, Ended]) -> None:
    first, empty = (json.loads(line) for line in ended["verify --batch gate.jsonl"].out.splitlines())
    assert (first["id"], first["grounding_score"]) == ("a", 1.0)
    assert {"text", "citations", "verdict", "reasons"} <= set(first["claims"][0])
    assert (empty["id"], empty["claims"], empty["grounding_score"]) == ("b", [], 1.0)


def test_what_was_judged_before_a_broken_line_is_still_printed(ended: dict[str, Ended]) -> None:
    assert json.loads(ended["verify --batch broken.jsonl"].out)["id"] == "a"


def test_the_ranking_alone_puts_the_fitting_text_first(ended: dict[str, Ended]) -> None:
    alone = ended["rank --query apixaban --candidates candidates.jsonl --json"].json
    batch = ended["rank --batch rank.jsonl"].json
    assert alone["query"] == "apixaban"
    assert batch["id"] == "b"
    assert alone["scorer"]["name"] == batch["scorer"]["name"]
    for ranking in (alone["ranking"], batch["ranking"]):
        assert [row["id"] for row in ranking] == ["on", "off"]
        assert 0 <= ranking[1]["score"] <= ranking[0]["score"] <= 1


def test_sources_are_listed_with_what_is_on(ended: dict[str, Ended]) -> None:
    rows = {row["name"]: row for row in ended["sources list --json"].json}
    assert [name for name, row in rows.items() if row["on"]] == ["library"]
    assert {"pubmed", "clinicaltrials", "dailymed"} <= set(rows)


def test_a_saved_answer_is_parsed_into_candidates(ended: dict[str, Ended]) -> None:
    (row,) = ended["sources parse pubmed saved.xml --json"].json
    assert (row["pmid"], row["doi"], row["year"]) == ("12345678", "10.5555/example.2", 2020)
    assert (row["study_design"], row["authors"], row["journal"]) == ("rct", ["Example A"], "Journal of Examples")
    assert row["title"] == "An example trial of apixaban in atrial fibrillation."
    (section,) = row["abstract"]
    assert (section["label"], section["text"]) == ("RESULTS", "Stroke occurred in 5 of 100 people.")


def test_a_full_text_is_parsed_into_nested_sections_and_tables(ended: dict[str, Ended]) -> None:
    document = ended["fulltext parse article.xml --json"].json
    assert document["title"] == "An example article"
    paths = [section["path"] for section in document["sections"]]
    assert ["Results", "Bleeding"] in paths
    (table,) = [section["table"] for section in document["sections"] if section["table"]]
    assert (table["rows"], table["n_header_rows"]) == ([["Arm", "Events"], ["Apixaban", "7"]], 1)


def test_the_doctor_finds_nothing_wrong(ended: dict[str, Ended]) -> None:
    done = ended["doctor --json"]
    assert done.code == 0, done
    assert {row["state"] for row in done.json} <= {"ok", "off"}


def test_help_names_every_command(ended: dict[str, Ended]) -> None:
    done = ended["--help"]
    assert done.code == 0
    for name in (
        "ask",
        "up",
        "doctor",
        "runs",
        "export",
        "library",
        "guidelines",
        "verify",
        "rank",
        "sources",
        "fulltext",
    ):
        assert name in done.out


@pytest.mark.parametrize("arguments", [("library", "list", "--json"), ("--help",)])
def test_a_reader_that_goes_away_is_no_fault(machine: Machine, arguments: tuple[str, ...]) -> None:
    """`openwork ... | head`: with more output than a pipe holds, and with less."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(
            [OPENWORK, *arguments], env=machine.environment, stdout=closed, stderr=subprocess.PIPE, timeout=LIMIT_S
        )
    assert (done.returncode, done.stderr) == (0, b"")
