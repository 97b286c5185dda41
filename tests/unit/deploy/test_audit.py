"""The audit against a service that speaks OSV: it tells what is known, what is accepted, and what it could not ask."""

from __future__ import annotations

import datetime
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deploy.supply import ROOT, audit
from deploy.supply.audit import CLEAN, FOUND, NOT_ASKED, accepted, pins, read, rounds

TOMORROW = datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(days=1)
needs_tool = pytest.mark.skipif(
    not (ROOT / ".tools-venv/bin/pip-audit").exists(), reason="pip-audit is not here; scripts/tools.sh installs it"
)


class Service(ThreadingHTTPServer):
    """Knows the vulnerabilities of `known`, by package; answers `status` to everything when that is set."""

    known: dict[str, list[str]]
    status = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1/query"


class Answers(BaseHTTPRequestHandler):
    server: Service

    def log_message(self, *_: object) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        name = asked["package"]["name"]
        vulnerabilities = [
            {
                "id": known,
                "summary": "something",
                "aliases": [f"CVE-{known}"],
                "affected": [{"package": {"name": name, "ecosystem": "PyPI"}, "ranges": [], "versions": []}],
            }
            for known in self.server.known.get(name, ())
        ]
        body = json.dumps({"vulns": vulnerabilities} if vulnerabilities else {}).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def service() -> Iterator[Service]:
    """One that knows what is known of the version that is asked for as a trial."""
    server = Service(("127.0.0.1", 0), Answers)
    server.known = {"urllib3": ["PYSEC-1"]}
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two lists of pins; they have two versions of one package."""
    (tmp_path / "one.txt").write_text("leftpad==1.0 \\\n    --hash=sha256:00\nsix==1.0 ; python_version > '3'\n")
    (tmp_path / "two.txt").write_text("Left.Pad==3.0\nsix==2.0\n")
    (tmp_path / "none.toml").touch()
    return tmp_path


def run(folder: Path, url: str, *more: str) -> int:
    return audit.main(["--requirements", str(folder), "--osv-url", url, "--accepted", str(folder / "none.toml"), *more])


@needs_tool
@pytest.mark.slow
def test_nothing_known_of_anything_is_clean(service: Service, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, service.url) == CLEAN
    assert "asked about 4; 0 known vulnerabilities, 0 accepted; everything was asked" in capsys.readouterr().out


@needs_tool
@pytest.mark.slow
def test_what_is_known_is_said_and_can_be_accepted_for_a_time(
    service: Service, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service.known["six"] = ["PYSEC-2"]
    assert run(folder, service.url) == FOUND
    assert "VULNERABLE six 1.0: PYSEC-2" in capsys.readouterr().out
    (folder / "none.toml").write_text(
        f'[[accepted]]\nid = "CVE-PYSEC-2"\nreason = "never called"\nuntil = {TOMORROW}\n'
    )
    assert run(folder, service.url) == CLEAN
    assert "accepted   six 1.0: PYSEC-2" in capsys.readouterr().out


@needs_tool
@pytest.mark.slow
@pytest.mark.parametrize("fault", ["refuses", "is not there", "knows nothing"])
def test_what_could_not_be_asked_is_never_clean(
    service: Service, folder: Path, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A service that knows nothing of a version that is vulnerable, such as a mirror's, counts as not asked."""
    if fault == "refuses":
        service.status = 503
    elif fault == "knows nothing":
        service.known = {}
    url = "http://127.0.0.1:1/v1/query" if fault == "is not there" else service.url
    assert run(folder, url) == NOT_ASKED
    said = capsys.readouterr().out
    assert "NOT ASKED  4 packages of PyPI: " in said
    assert "asked about 0;" in said
    assert "NOT EVERYTHING COULD BE ASKED" in said


@needs_tool
@pytest.mark.slow
def test_what_is_known_outweighs_what_could_not_be_asked(service: Service, folder: Path) -> None:
    service.known["six"] = ["PYSEC-2"]
    assert run(folder, service.url, "--not-asked", "images: no engine") == FOUND
    service.known.pop("six")
    assert run(folder, service.url, "--not-asked", "images: no engine") == NOT_ASKED


def test_a_package_that_was_skipped_was_not_asked_about() -> None:
    """pip-audit itself calls that "No known vulnerabilities found", and ends with 0."""
    skipped = {"name": "six", "skip_reason": "Dependency not found on PyPI and could not be audited: six (1.0)"}
    found = read({"dependencies": [skipped, {"name": "leftpad", "version": "1.0", "vulns": []}]})
    assert (found.n_asked, found.status) == (1, NOT_ASKED)


def test_every_version_of_every_package_is_asked_about_once(folder: Path) -> None:
    found = pins([folder / "one.txt", folder / "two.txt"])
    assert list(rounds(found)) == [["left-pad==3.0", "leftpad==1.0", "six==1.0"], ["six==2.0"]]


def test_what_is_accepted_has_a_reason_and_a_day() -> None:
    entry = '[[accepted]]\nid = "A"\n'
    today = datetime.date(2026, 1, 2)
    assert accepted(f'{entry}reason = "r"\nuntil = 2026-01-02\n', today) == {"A"}
    assert accepted(f'{entry}reason = "r"\nuntil = 2026-01-01\n', today) == set()
    with pytest.raises(KeyError):
        accepted(f"{entry}until = 2026-01-02\n", today)
