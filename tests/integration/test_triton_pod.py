"""What a pod of Triton does, command by command, on the real server: weights, repository, probes, deaths.

The commands are those of the Helm chart and of the image; only the GPU's backend is changed for the twin on a CPU.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator, Sequence
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from openwork_contracts.errors import ModelUnavailable
from openwork_reranker.adapters.triton.scorer import TritonScorer
from openwork_reranker.domain.focus import focus_of_text
from openwork_reranker.domain.scoring import ScorableText
from openwork_serving.client import TritonOptions

from deploy.triton import probe
from deploy.triton.assemble import configs_of
from deploy.triton.gpu_check.servers import Program, rehearsal_environment
from deploy.triton.local import LocalTriton, TritonFiles
from tests.triton_server import (
    REPOSITORY,
    ROOT,
    assembled,
    processes_of_model,
    stand_in_weights,
    triton_files,
)

pytestmark = pytest.mark.triton
pytest.importorskip("tritonclient.grpc", reason="the extra openwork-serving[client] is not installed")

IMAGE = ROOT / "deploy/docker/triton-gpu.Dockerfile"
TOOLS = ROOT / ".tools-venv/bin/python"
RENDER = """
import json, sys
from deploy.render import CHART, template, yaml_in
made = template(CHART, json.load(sys.stdin))
print(json.dumps([o for text in made.values() for o in yaml_in(text) if o["metadata"]["name"] == "triton"]))
"""


@pytest.fixture(scope="module")
def files() -> TritonFiles:
    return triton_files()


@pytest.fixture(scope="module")
def pod() -> dict[str, Any]:
    """The pod of the chart, as Helm renders it."""
    python = str(TOOLS) if TOOLS.exists() else sys.executable
    values = {
        "image": {"registry": "registry.example.org/openwork"},
        "triton": {"enabled": True, "weights": f"{'a' * 64}  x  https://models.example.org/x\n"},
    }
    done = subprocess.run(
        [python, "-c", RENDER], cwd=ROOT, input=json.dumps(values), capture_output=True, text=True, check=False
    )
    if "helm_python" in done.stderr and "No module" in done.stderr:
        pytest.skip("no Helm here; scripts/tools-setup.sh installs it")
    assert done.returncode == 0, done.stderr
    (found,) = [o for o in json.loads(done.stdout) if o["kind"] == "StatefulSet"]
    spec: dict[str, Any] = found["spec"]["template"]["spec"]
    return spec


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder, without a line for each."""

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def download(tmp_path: Path) -> Iterator[Path]:
    """A list of weights as an operator writes it, of files that are served on loopback."""
    folder = stand_in_weights(tmp_path / "published")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    listed = [path for path in sorted(folder.rglob("*.*")) if "int8" not in path.name]
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}  "
        f"http://127.0.0.1:{server.server_port}/{path.relative_to(folder)}"
        for path in listed
    ]
    weights = tmp_path / "weights.txt"
    weights.write_text("\n".join(lines) + "\n")
    yield weights
    server.shutdown()
    thread.join()
    server.server_close()


class Container:
    """Runs the commands of a pod with its paths below a folder."""

    def __init__(self, root: Path, weights: Path) -> None:
        self.root = root
        self._paths = {
            "/opt/openwork": ROOT / "deploy/triton",
            "/triton_models": REPOSITORY,
            "/etc/weights/weights.txt": weights,
            "/models": root / "models",
        }

    def path(self, text: str) -> str:
        """A path of the container's as one of this machine's."""
        for inside, here in self._paths.items():
            text = re.sub(rf"^(--\S+=)?{inside}(?=/|$)", lambda match, here=here: f"{match[1] or ''}{here}", text)
        return text

    def run(self, command: Sequence[str], *more: str) -> subprocess.CompletedProcess[str]:
        program, *arguments = [self.path(part) for part in command]
        assert program == "python3"
        return subprocess.run(
            [sys.executable, "-I", *arguments, *more], capture_output=True, text=True, check=False, cwd=self.root
        )


def test_every_file_that_a_config_names_is_in_the_pod_before_triton_starts(
    pod: dict[str, Any], tmp_path: Path, download: Path
) -> None:
    """It looked for model.onnx beside the config, while the weights were put elsewhere."""
    container = Container(tmp_path, download)
    for step in pod["initContainers"]:
        done = container.run(step["command"])
        assert done.returncode == 0, done.stderr
    (server,) = pod["containers"]
    repository = next(arg for arg in server["args"] if arg.startswith("--model-repository="))
    folder = Path(container.path(repository).partition("=")[2])
    loaded = [arg.partition("=")[2] for arg in server["args"] if arg.startswith("--load-model=")]
    configs = configs_of(folder, loaded, None)
    assert configs["bge_reranker_onnx"].files == ("model.cuda.onnx",)
    for model, config in configs.items():
        for name in config.files:
            assert (folder / model / "1" / name).is_file()


def test_a_pod_without_a_list_of_weights_stops_at_its_first_step_and_says_why(
    pod: dict[str, Any], tmp_path: Path
) -> None:
    weights = tmp_path / "weights.txt"
    weights.write_text("# nothing yet\n")
    done = Container(tmp_path, weights).run(pod["initContainers"][0]["command"])
    assert done.returncode == 1
    assert "write one line per file of the exported model" in done.stderr


def test_the_image_has_every_script_that_the_pod_and_the_image_call(pod: dict[str, Any]) -> None:
    text = IMAGE.read_text()
    copied = {
        name
        for line in re.findall(r"^COPY deploy/triton/(.*) /opt/openwork/$", text, re.MULTILINE)
        for name in re.findall(r"[\w.]+\.(?:py|sh)", line)
    }
    called = set(re.findall(r"/opt/openwork/([\w.]+\.(?:py|sh))", json.dumps(pod) + text))
    called |= set(re.findall(r'\$\(dirname "\$0"\)/([\w.]+)', (ROOT / "deploy/triton/serve_gpu.sh").read_text()))
    assert called
    assert called <= copied


def test_what_the_pod_has_put_together_answers_its_probes(
    pod: dict[str, Any], files: TritonFiles, tmp_path: Path, download: Path
) -> None:
    """Fetched over HTTP, assembled by its commands (for the twin), started, probed by its own commands."""
    container = Container(tmp_path, download)
    fetch, assemble = (step["command"] for step in pod["initContainers"])
    assert container.run(fetch).returncode == 0
    assert container.run(assemble, "--config-name", "twin").returncode == 0
    triton = twin(files, tmp_path / "models/repository")
    try:
        (server,) = pod["containers"]
        for kind in ("startupProbe", "livenessProbe"):
            done = container.run(server[kind]["exec"]["command"], str(triton.http_port))
            assert done.returncode == 0, done.stdout + done.stderr
        ready = f"http://127.0.0.1:{triton.http_port}{server['readinessProbe']['httpGet']['path']}"
        with urllib.request.urlopen(ready, timeout=5) as answer:
            assert answer.status == 200
    finally:
        triton.stop()


def twin(files: TritonFiles, repository: Path) -> LocalTriton:
    triton = LocalTriton(repository=repository, weights=None, files=files, models=("reranker",), config_name="twin")
    triton.start()
    return triton


@pytest.fixture
def ensemble(files: TritonFiles, tmp_path: Path) -> Iterator[LocalTriton]:
    """The GPU's models on the twin."""
    weights = stand_in_weights(tmp_path / "weights")
    triton = twin(files, assembled(weights, tmp_path / "repository", "twin", "reranker"))
    yield triton
    triton.stop()


def test_the_probe_fails_when_the_models_process_has_died_although_the_cache_still_answers(
    ensemble: LocalTriton,
) -> None:
    """A constant text was answered from the cache for ever: liveness stayed green on a dead replica."""
    constant = {"QUERY": "Is aspirin effective?", "PASSAGE": "Aspirin was effective."}
    assert ask(ensemble, constant) == 200
    assert probe.main(["reranker", str(ensemble.http_port)]) == 0
    for pid in processes_of_model(ensemble, "bge_reranker_onnx"):
        os.kill(pid, signal.SIGKILL)
    assert ask(ensemble, constant) == 200
    assert ensemble.is_ready()
    assert probe.main(["reranker", str(ensemble.http_port)]) == 1


def test_the_probe_finds_one_dead_process_among_those_of_a_model(ensemble: LocalTriton) -> None:
    """The tokenizer has four: a fourth of all requests would fail for ever."""
    pids = processes_of_model(ensemble, "rerank_tokenize")
    assert len(pids) == 4
    os.kill(pids[0], signal.SIGKILL)
    assert [probe.main(["loaded", str(ensemble.http_port)]) for _ in range(5)] == [1] * 5


def ask(triton: LocalTriton, texts: dict[str, str]) -> int:
    inputs = [{"name": n, "shape": [1, 1], "datatype": "BYTES", "data": [text]} for n, text in texts.items()]
    request = urllib.request.Request(
        f"http://127.0.0.1:{triton.http_port}/v2/models/reranker/infer", data=json.dumps({"inputs": inputs}).encode()
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return int(answer.status)


async def test_the_images_command_assembles_and_serves(tmp_path: Path) -> None:
    """serve_gpu.sh as Compose and `docker run` start it, with the wheel's server as `tritonserver`."""
    environment = rehearsal_environment(tmp_path / "bin")
    server = Program("twin", stand_in_weights(tmp_path / "weights"), environment)
    await asyncio.to_thread(server.start, 60)
    scorer = TritonScorer(TritonOptions(server.url))
    try:
        assert probe.main(["loaded", str(server.http_port)]) == 0
        scores = await scorer.score(focus_of_text("stroke?"), [ScorableText("", "a " * n) for n in (5, 1, 9)])
    finally:
        await scorer.close()
        await asyncio.to_thread(server.stop)
    assert scores[1] < scores[0] < scores[2]


def test_the_images_command_says_what_is_missing_and_ends(tmp_path: Path) -> None:
    server = Program("twin", tmp_path / "nothing", rehearsal_environment(tmp_path / "bin"))
    with pytest.raises(ModelUnavailable, match="fetch the weights"):
        server.start(60)
