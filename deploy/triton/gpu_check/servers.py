"""Servers to be checked, each started as it is deployed: by the image's command `serve_gpu.sh`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

from openwork_contracts.errors import ModelUnavailable, UsageError

from deploy.triton import probe
from deploy.triton.local import REPOSITORY, LocalTriton, find_triton, free_port

START_S = 1_800.0
"""TensorRT builds its engine on the first start: minutes, more on small GPUs."""
_SERVE = REPOSITORY / "deploy/triton/serve_gpu.sh"
_ENGINES = "openwork-gpu-check-engines"
"""Volume in which TensorRT keeps its engines between two starts."""


class Server(ABC):
    """One tritonserver with the models of a GPU, on ports of its own on loopback."""

    def __init__(self, config_name: str | None, weights: Path) -> None:
        """Args:
        config_name: of the cross-encoder; `None` = config.pbtxt.
        weights: the folder with `bge-reranker-v2-m3/`.
        """
        self._choose_ports()
        self._config_name = config_name
        self._weights = weights.resolve()

    @property
    def url(self) -> str:
        """Where gRPC clients connect."""
        return f"127.0.0.1:{self.grpc_port}"

    def start(self, timeout_s: float = START_S) -> float:
        """Start it; seconds until it has answered an inference.

        Raises:
            ModelUnavailable: it ended, or did not answer in time; the message has the end of its log.
        """
        try:
            return self._start(timeout_s)
        except ModelUnavailable as error:
            if "already in use" not in str(error):
                raise
            self._choose_ports()  # somebody took one between its being found free and its being opened
            return self._start(timeout_s)

    def _choose_ports(self) -> None:
        self.http_port, self.grpc_port, self.metrics_port = (free_port() for _ in range(3))

    def _start(self, timeout_s: float) -> float:
        begun = time.monotonic()
        self._launch()
        try:
            while self._problem():
                if not self._runs() or time.monotonic() - begun > timeout_s:
                    raise ModelUnavailable(f"it did not start: {self._log()}")
                time.sleep(0.25)
        except BaseException:
            self.stop()
            raise
        return time.monotonic() - begun

    def _problem(self) -> str:
        try:
            probe.infer("reranker", self.http_port)
        except (OSError, ValueError, KeyError) as error:
            return str(error) or type(error).__name__
        return ""

    @abstractmethod
    def stop(self) -> None:
        """Stop it and wait for its end."""

    @abstractmethod
    def _launch(self) -> None:
        """Start it, without waiting."""

    @abstractmethod
    def _runs(self) -> bool:
        """Whether it has not ended."""

    @abstractmethod
    def _log(self) -> str:
        """The last lines that it wrote."""


class Program(Server):
    """The program `tritonserver` on PATH: inside NVIDIA's container, or the wheel's on a CPU for a rehearsal."""

    def __init__(self, config_name: str | None, weights: Path, environment: Mapping[str, str] | None = None) -> None:
        """Args:
        environment: of the server, PATH included; `None` = this process's.
        """
        super().__init__(config_name, weights)
        self._scratch = Path(tempfile.mkdtemp(prefix="openwork-gpu-check-"))
        self._environment = {
            **(environment or os.environ),
            "OPENWORK_MODELS": str(self._weights),
            "OPENWORK_MODEL_CONFIGS": str(REPOSITORY / "triton_models"),
            "OPENWORK_TRITON_CONFIG": config_name or "",
            "TMPDIR": str(self._scratch),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def stop(self) -> None:
        """See `Server`."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _launch(self) -> None:
        ports = {"http": self.http_port, "grpc": self.grpc_port, "metrics": self.metrics_port}
        options = [option for name, port in ports.items() for option in (f"--{name}-port={port}", _loopback(name))]
        self._scratch.mkdir(exist_ok=True)
        with self._log_file.open("wb") as log:
            self._process = subprocess.Popen(
                ["sh", str(_SERVE), *options],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def _log_file(self) -> Path:
        return self._scratch / "log"

    def _log(self) -> str:
        return last_lines(self._log_file.read_text(errors="replace"))


class Container(Server):
    """The image, with every GPU of the machine."""

    def __init__(self, config_name: str | None, weights: Path, image: str) -> None:
        super().__init__(config_name, weights)
        self._image = image
        self._name = f"openwork-gpu-check-{os.getpid()}-{self.http_port}"

    def stop(self) -> None:
        """See `Server`."""
        subprocess.run(["docker", "stop", "-t", "40", self._name], capture_output=True, check=False)
        subprocess.run(["docker", "rm", "--force", self._name], capture_output=True, check=False)

    def _launch(self) -> None:
        ports = {8000: self.http_port, 8001: self.grpc_port, 8002: self.metrics_port}
        command = ["docker", "run", "--detach", "--gpus", "all", "--name", self._name, "--shm-size", "1g"]
        command += [part for inside, port in ports.items() for part in ("--publish", f"127.0.0.1:{port}:{inside}")]
        command += ["--volume", f"{self._weights}:/models/weights:ro", "--volume", f"{_ENGINES}:/var/cache/trt"]
        command += ["--env", f"OPENWORK_TRITON_CONFIG={self._config_name or ''}", self._image]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ModelUnavailable(f"it did not start: {done.stderr.strip()}")

    def _runs(self) -> bool:
        command = ["docker", "inspect", "--format", "{{.State.Running}}", self._name]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() == "true"

    def _log(self) -> str:
        done = subprocess.run(["docker", "logs", self._name], capture_output=True, text=True, check=False)
        return last_lines(done.stdout + done.stderr)


def forget_engines() -> None:
    """Remove what TensorRT has kept, so that the first start builds its engine."""
    if shutil.which("docker"):
        subprocess.run(["docker", "volume", "rm", "--force", _ENGINES], capture_output=True, check=False)


def rehearsal_environment(folder: Path) -> dict[str, str]:
    """An environment in which `tritonserver` is the wheel's, on this CPU.

    Raises:
        UsageError: it is not installed.
    """
    files = find_triton(REPOSITORY / ".triton-venv/bin/python")
    model = LocalTriton(repository=REPOSITORY / "triton_models", weights=None, files=files, config_name=None)
    model.write_program(folder)
    return model.environment


def check_there_is_a_server(image: str) -> str:
    """ "program" or "container": what there is to start.

    Raises:
        UsageError: neither.
    """
    if shutil.which("tritonserver"):
        return "program"
    if shutil.which("docker"):
        done = subprocess.run(["docker", "image", "inspect", image], capture_output=True, check=False)
        if done.returncode == 0:
            return "container"
        raise UsageError(f"there is no image {image}: docker build -f deploy/docker/triton-gpu.Dockerfile -t {image} .")
    raise UsageError("neither `tritonserver` nor `docker` is here; --cpu-rehearsal needs neither")


def last_lines(text: str, most: int = 6) -> str:
    """The last errors of a log, else its last lines, in one line."""
    lines = [line for line in text.splitlines() if line.strip()]
    wrong = [line for line in lines if line.startswith("E") or "rror" in line]
    return " | ".join((wrong or lines)[-most:])[-2_000:]


def gpus() -> Sequence[str]:
    """Names, drivers and memory of the machine's GPUs; empty where there is none."""
    if not shutil.which("nvidia-smi"):
        return ()
    command = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return tuple(done.stdout.strip().splitlines()) if done.returncode == 0 else ()


def _loopback(name: str) -> str:
    return f"--{name}-address=127.0.0.1"
