"""Digests of base images, asked of a registry on loopback that wants a token, moves its tags, and lies when told to."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deploy.supply import digests
from deploy.supply.bases import bases, with_digest
from deploy.supply.digests import DigestError, Reference, reference

TOKEN = "t0ken"
FIRST, SECOND = b'{"first": 1}', b'{"second": 2}'


class Registry(ThreadingHTTPServer):
    """One manifest per tag; `said` is the digest that it claims, whatever it sends."""

    manifests: dict[str, bytes]
    said: str | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"


class Answers(BaseHTTPRequestHandler):
    server: Registry

    def log_message(self, *_: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        path, _, asked = self.path.partition("?")
        if path == "/token":
            assert "scope=repository%3Atools%2Fpython%3Apull" in asked
            self._send(200, b'{"token": "%s"}' % TOKEN.encode())
        elif self.headers.get("Authorization") != f"Bearer {TOKEN}":
            challenge = (
                f'Bearer realm="http://{self.server.address}/token",service="r",scope="repository:tools/python:pull"'
            )
            self._send(401, b"{}", {"WWW-Authenticate": challenge})
        elif (body := self.server.manifests.get(path)) is None:
            self._send(404, b"{}")
        else:
            assert "application/vnd.oci.image.index.v1+json" in self.headers["Accept"]
            self._send(200, body, {"Docker-Content-Digest": self.server.said or digest(body)})

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def digest(body: bytes) -> str:
    return f"sha256:{hashlib.sha256(body).hexdigest()}"


@pytest.fixture
def registry() -> Iterator[Registry]:
    server = Registry(("127.0.0.1", 0), Answers)
    server.manifests = {"/v2/tools/python/manifests/3.11": FIRST}
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(5)


@pytest.fixture
def file(registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A list of base images with one of that registry."""
    path = tmp_path / "bases.env"
    path.write_text(f"# why\nPYTHON_IMAGE={registry.address}/tools/python:3.11\n")
    monkeypatch.setattr(digests, "FILE", path)
    return path


@pytest.mark.parametrize(
    ("image", "where"),
    [
        ("nats:2.15", Reference("registry-1.docker.io", "library/nats", "2.15")),
        ("openwork/api:1@sha256:00", Reference("registry-1.docker.io", "openwork/api", "1")),
        ("ghcr.io/astral-sh/uv:0.13", Reference("ghcr.io", "astral-sh/uv", "0.13")),
        ("localhost:5000/a/b:1", Reference("localhost:5000", "a/b", "1")),
    ],
)
def test_an_image_is_read_as_docker_reads_it(image: str, where: Reference) -> None:
    assert reference(image) == where


def test_an_image_without_a_tag_is_refused() -> None:
    with pytest.raises(DigestError, match="needs a tag"):
        reference("localhost:5000/a")


def test_the_digest_is_written_and_the_rest_of_the_file_stays(registry: Registry, file: Path) -> None:
    assert digests.main([]) == 0
    expected = f"{registry.address}/tools/python:3.11@{digest(FIRST)}"
    assert file.read_text() == f"# why\nPYTHON_IMAGE={expected}\n"
    assert digests.main(["--check"]) == 0


def test_a_tag_that_moved_is_noticed_and_taken_when_asked(registry: Registry, file: Path) -> None:
    assert digests.main([]) == 0
    before = file.read_text()
    registry.manifests = {"/v2/tools/python/manifests/3.11": SECOND}
    assert digests.main(["--check"]) == 1
    assert file.read_text() == before
    assert digests.main([]) == 0
    assert bases(file)["PYTHON_IMAGE"].endswith(digest(SECOND))


def test_nothing_is_written_when_one_cannot_be_asked(
    registry: Registry, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(f"{file.read_text()}NATS_IMAGE={registry.address}/tools/python:9\n")
    before = file.read_text()
    assert digests.main([]) == 1
    assert file.read_text() == before
    assert "404" in capsys.readouterr().err


def test_a_registry_that_says_another_digest_than_it_sends_is_not_believed(registry: Registry, file: Path) -> None:
    registry.said = f"sha256:{'0' * 64}"
    before = file.read_text()
    assert digests.main([]) == 1
    assert file.read_text() == before


def test_a_former_digest_is_replaced() -> None:
    assert with_digest("a/b:1@sha256:00", "sha256:11") == "a/b:1@sha256:11"
