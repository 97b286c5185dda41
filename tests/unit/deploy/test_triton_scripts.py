"""Fetching weights by checksum, and the probe that infers: against a server of the test's own."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deploy.triton import fetch_weights, probe

BODY = b"weights" * 1000
GOOD = hashlib.sha256(BODY).hexdigest()
INDEX = json.dumps(
    [
        {"name": "reranker", "version": "1", "state": "READY"},
        {"name": "rerank_tokenize", "version": "1", "state": "READY"},
        {"name": "nli", "version": "1", "state": "READY"},
        {"name": "embedder", "version": "1", "state": "UNAVAILABLE"},
    ]
).encode()
"""Of Triton's repository, to whoever asks for it."""
SCORE = json.dumps({"outputs": [{"data": [0.3]}]}).encode()


@contextmanager
def serving(answer: bytes, status: int = 200) -> Iterator[tuple[int, list[str], list[bytes]]]:
    """A server that gives one answer to everything; its port, the paths it was asked for, and with which bodies."""
    asked: list[str] = []
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            bodies.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(INDEX if self.path.endswith("/index") else answer)

        do_POST = do_GET  # noqa: N815 - the base class names it

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port, asked, bodies
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def manifest(folder: Path, checksum: str, port: int) -> str:
    path = folder / "weights.txt"
    path.write_text(f"# comment\n\n{checksum}  model/model.onnx  http://127.0.0.1:{port}/model.onnx\n")
    return str(path)


def test_weights_are_fetched_once(tmp_path: Path) -> None:
    """A pod that starts again downloads nothing."""
    with serving(BODY) as (port, asked, _):
        arguments = [manifest(tmp_path, GOOD, port), str(tmp_path / "models")]
        assert fetch_weights.main(arguments) == 0
        assert fetch_weights.main(arguments) == 0
    assert asked == ["/model.onnx"]
    assert (tmp_path / "models/model/model.onnx").read_bytes() == BODY


def test_another_file_never_gets_the_name(tmp_path: Path) -> None:
    with serving(b"something else") as (port, _, _):
        assert fetch_weights.main([manifest(tmp_path, GOOD, port), str(tmp_path / "models")]) == 1
    assert list((tmp_path / "models").rglob("*.*")) == []


def test_a_damaged_file_is_replaced(tmp_path: Path) -> None:
    target = tmp_path / "models/model/model.onnx"
    target.parent.mkdir(parents=True)
    target.write_bytes(b"half")
    with serving(BODY) as (port, _, _):
        assert fetch_weights.main([manifest(tmp_path, GOOD, port), str(tmp_path / "models")]) == 0
    assert target.read_bytes() == BODY


@pytest.mark.parametrize("text", ["", "# only a comment\n\n"])
def test_an_empty_list_is_an_error_that_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    """Else the pod would go on to a server that has no model."""
    (tmp_path / "weights.txt").write_text(text)
    assert fetch_weights.main([str(tmp_path / "weights.txt"), str(tmp_path / "models")]) == 1
    assert "lists no weights: write one line per file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        f"{GOOD} ../elsewhere https://example.org/x",
        f"{GOOD} /etc/passwd https://example.org/x",
        f"{GOOD} x http://example.org/x",
        f"{GOOD} x file:///etc/passwd",
        "abc x https://example.org/x",
        "one two",
    ],
)
def test_a_manifest_that_leads_elsewhere_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        fetch_weights.read_manifest(line)


@pytest.mark.parametrize(
    ("answer", "status", "code"),
    [
        (SCORE, 200, 0),
        (b'{"outputs": [{"data": [NaN]}]}', 200, 1),
        (b'{"outputs": []}', 200, 1),
        (b'{"error": "Stub process is not healthy."}', 500, 1),
        (b"not json", 200, 1),
        (b"[]", 200, 1),
    ],
)
def test_the_probe_wants_a_number(answer: bytes, status: int, code: int) -> None:
    """A model whose process has died answers every inference with an error, while Triton says that it is ready."""
    with serving(answer, status) as (port, asked, _):
        assert probe.main(["reranker", str(port)]) == code
    assert set(asked) == {"/v2/models/reranker/infer"}


@pytest.mark.parametrize("busy", ["Exceeds maximum queue size", "Request timeout expired"])
def test_a_server_that_is_too_busy_is_alive(busy: str) -> None:
    """A restart would take away what it works on, and load the others."""
    with serving(json.dumps({"error": busy}).encode(), 503) as (port, _, _):
        assert probe.main(["reranker", str(port)]) == 0


def test_the_probe_never_asks_the_same_twice() -> None:
    """The response cache would answer for a model that is dead."""
    with serving(SCORE) as (port, _, bodies):
        for model in ("reranker", "embedder", "nli"):
            for _ in range(3):
                assert probe.main([model, str(port)]) == 0
    texts = [text for body in bodies for tensor in json.loads(body)["inputs"] for text in tensor["data"]]
    assert len(texts) > 20
    assert len(set(texts)) == len(texts)


def test_the_probe_asks_every_model_of_ours_that_is_loaded() -> None:
    with serving(SCORE) as (port, asked, _):
        assert probe.main(["loaded", str(port)]) == 0
    assert set(asked) == {"/v2/repository/index", "/v2/models/reranker/infer", "/v2/models/nli/infer"}


@pytest.mark.parametrize("model", ["reranker", "loaded"])
def test_the_probe_fails_when_nothing_listens(model: str) -> None:
    with serving(b"") as (port, _, _):
        pass
    assert probe.main([model, str(port)]) == 1
