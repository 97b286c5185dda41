"""A real Triton Inference Server on this machine, on loopback: `python -m deploy.triton.local`, or `make triton`.

The server is the one that the `nvidia-pytriton` wheel carries (Triton 2.51, CPU, Python backend only). It lives in an
environment of its own, `.triton-venv`, made by `scripts/triton-setup.sh`, since the wheel needs numpy below 2.
The models are those of `triton_models/` with their CPU configs; the weights come from the folder `models/`.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from openwork_contracts.errors import ModelUnavailable, UsageError

REPOSITORY = Path(__file__).resolve().parents[2]
"""The checkout, when this package is installed from one."""
CACHE_BYTES = 64 * 2**20
"""Triton's own response cache: a score is a few bytes, a vector 1.5 kB, so this holds tens of thousands."""
WEIGHTS = {"embedder": "minilm", "reranker": "bge-reranker-v2-m3", "nli": "nli"}
"""Folder of `models/` that each model needs before it can be loaded."""
_TRIES = 3
"""Starts, each with other ports, when one of them was taken."""
_DRAIN_S = 8
"""Seconds a stopping server waits for requests in work before it ends with status 1."""
_FACTS = """
import importlib.util, json, sys, sysconfig
found = importlib.util.find_spec("pytriton")
print(json.dumps([found and found.origin, "%d.%d" % sys.version_info[:2], sysconfig.get_config_var("LIBDIR")]))
"""


@dataclass(frozen=True, slots=True)
class TritonFiles:
    """Where an environment keeps the server."""

    python: Path
    """The environment's interpreter, not resolved: resolving it would leave the environment."""
    root: Path
    """Folder `tritonserver` of the wheel."""
    version: str
    """Of Python, e.g. "3.11": chooses the stub."""
    library_folder: str
    """Of libpython, which the stub links to."""


def find_triton(python: Path) -> TritonFiles:
    """The server of an environment.

    Raises:
        UsageError: no such environment, or nvidia-pytriton is not in it.
    """
    if not python.exists():
        raise UsageError(f"{python} does not exist; run scripts/triton-setup.sh")
    answer = subprocess.run([str(python), "-c", _FACTS], capture_output=True, text=True, check=True)
    origin, version, library_folder = json.loads(answer.stdout)
    if origin is None:
        raise UsageError(f"nvidia-pytriton is not installed for {python}; run scripts/triton-setup.sh")
    return TritonFiles(python, Path(origin).parent / "tritonserver", version, library_folder)


def available_models(weights: Path) -> tuple[str, ...]:
    """Models of the repository whose weights are there; each names its origin in `export.json`."""
    return tuple(model for model, folder in WEIGHTS.items() if (weights / folder / "export.json").is_file())


class LocalTriton:
    """Starts and stops one tritonserver. Several may run beside each other."""

    def __init__(
        self,
        *,
        repository: Path,
        weights: Path | None,
        files: TritonFiles,
        models: Sequence[str] | None = None,
        ports: tuple[int, int, int] = (0, 0, 0),
        config_name: str | None = "cpu",
        options: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Args:
        repository: a model repository, such as `triton_models`.
        weights: the folder `models`, given to the models as $OPENWORK_MODELS; `None` = the repository is one that
            `assemble.py` has written, with its weights in it.
        files: see `find_triton`.
        models: what to load; `None` = all, and any that cannot be loaded ends the server.
        ports: HTTP, gRPC, metrics; 0 = any free one.
        config_name: which of a model's `configs/` is used where it has one; `None` = `config.pbtxt`, for GPUs.
        options: more options of tritonserver.
        environment: more variables for the models.
        """
        self._files = files
        self._scratch = Path(tempfile.mkdtemp(prefix="openwork-triton-"))
        self.log = self._scratch / "tritonserver.log"
        self._ports = ports
        self._choose_ports()
        chosen = [] if models is None else ["--model-control-mode=explicit", *(f"--load-model={m}" for m in models)]
        self._models = tuple(models or ())
        self.command: list[str] = [
            str(files.root / "bin" / "tritonserver"),
            f"--model-repository={repository}",
            *([f"--model-config-name={config_name}"] if config_name else []),
            f"--backend-directory={self._backends()}",
            f"--cache-directory={files.root / 'caches'}",
            f"--cache-config=local,size={CACHE_BYTES}",
            "--allow-gpu-metrics=false",
            "--pinned-memory-pool-byte-size=0",
            f"--exit-timeout-secs={_DRAIN_S}",
            # Servers beside each other must not share the names of their shared memory.
            f"--backend-config=python,shm-region-prefix-name=openwork_{os.getpid()}_{self.grpc_port}",
            *chosen,
            *options,
        ]
        self.environment = _environment(files, weights, environment or {})
        self.process: subprocess.Popen[bytes] | None = None

    def write_program(self, folder: Path) -> None:
        """Write a program `tritonserver` that is this server; whoever calls it names repository, models and ports."""
        kept = ("--backend", "--cache-dir", "--allow", "--pinned")
        options = [part for part in self.command[1:] if part.startswith(kept)]
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / "tritonserver"
        program.write_text(f'#!/bin/sh\nexec {shlex.join([self.command[0], *options])} "$@"\n')
        program.chmod(0o755)
        self.environment["PATH"] = f"{folder}:{self.environment['PATH']}"

    @property
    def url(self) -> str:
        """Where gRPC clients connect."""
        return f"127.0.0.1:{self.grpc_port}"

    def start(self, *, timeout_s: float = 120.0) -> None:
        """Start, and wait until the server and each chosen model are ready.

        Raises:
            ModelUnavailable: it ended or did not get ready; the message has its last errors.
        """
        give_up = time.monotonic() + timeout_s
        for left in reversed(range(_TRIES)):
            self._launch()
            try:
                self._wait_until_ready(give_up)
            except ModelUnavailable as error:
                self._end()
                # Its ports are opened last, seconds after they were found free; somebody else may have taken one.
                if not left or "already in use" not in str(error) or all(self._ports):
                    self.stop()
                    raise
                self._choose_ports()
            except BaseException:  # Ctrl-C included: nobody else knows of this process
                self.stop()
                raise
            else:
                return

    def _choose_ports(self) -> None:
        self.http_port, self.grpc_port, self.metrics_port = (port or free_port() for port in self._ports)

    def _launch(self) -> None:
        ports = {"http": self.http_port, "grpc": self.grpc_port, "metrics": self.metrics_port}
        # Triton listens on every address unless it is told otherwise.
        listening = [part for n, port in ports.items() for part in (f"--{n}-address=127.0.0.1", f"--{n}-port={port}")]
        with self.log.open("wb") as log:
            # A session of its own, so that its stubs can be ended with it and Ctrl-C does not reach it first.
            self.process = subprocess.Popen(
                [*self.command, *listening],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment,
                start_new_session=True,
            )

    def _wait_until_ready(self, give_up: float) -> None:
        assert self.process is not None
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > give_up:
                raise ModelUnavailable(f"tritonserver did not get ready: {self.errors()}")
            time.sleep(0.05)

    def is_ready(self) -> bool:
        """What the server says of itself; it goes on saying so when a model's process has died."""
        paths = ["health/ready", *(f"models/{model}/ready" for model in self._models)]
        return all(self._says_ok(path) for path in paths)

    def errors(self, last: int = 5) -> str:
        """The last errors of the log, without the harmless one about the missing CUDA driver."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        wrong = [line for line in lines if line.startswith("E") and "CudaDriverHelper" not in line]
        return " | ".join((wrong or lines)[-last:])

    def stop(self, *, timeout_s: float = 15.0) -> int | None:
        """Stop it: requests in work are finished first. The exit status; `None` when it was not running."""
        status = self._end(timeout_s)
        shutil.rmtree(self._scratch, ignore_errors=True)
        return status

    def _end(self, timeout_s: float = 15.0) -> int | None:
        process, self.process = self.process, None
        status = None
        if process is not None:
            process.terminate()
            try:
                status = process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                status = process.wait()
        return status

    def _backends(self) -> Path:
        """A backend folder made of links: the stub must lie beside the backend, and the wheel stays as it is."""
        folder = self._scratch / "backends" / "python"
        folder.mkdir(parents=True)
        for file in (self._files.root / "backends" / "python").iterdir():
            if file.is_file():
                (folder / file.name).symlink_to(file)
        stub = self._files.root / "python_backend_stubs" / self._files.version / "triton_python_backend_stub"
        (folder / stub.name).symlink_to(stub)
        return folder.parent

    def _says_ok(self, path: str) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.http_port}/v2/{path}", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


def _environment(files: TritonFiles, weights: Path | None, more: Mapping[str, str]) -> dict[str, str]:
    """The stub finds the environment's packages by the `python3` that is first on PATH; PYTHONPATH would mix two."""
    inherited = {k: v for k, v in os.environ.items() if k not in {"PYTHONHOME", "PYTHONPATH", "OPENWORK_MODELS"}}
    libraries = [files.library_folder, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    return {
        **inherited,
        "PATH": f"{files.python.parent}:{os.environ.get('PATH', '')}",
        "LD_LIBRARY_PATH": ":".join(libraries),
        "OMP_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        **({"OPENWORK_MODELS": str(weights.resolve())} if weights else {}),
        **more,
    }


def free_port(preferred: int = 0) -> int:
    """A port of loopback that nothing listens on now: the preferred one, if it is such."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", preferred))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the server in the foreground until it is told to stop."""
    parser = argparse.ArgumentParser(prog="python -m deploy.triton.local", description=main.__doc__)
    parser.add_argument("--repository", type=Path, default=REPOSITORY / "triton_models", help="model repository")
    parser.add_argument("--models", type=Path, default=REPOSITORY / "models", help="folder of the weights")
    parser.add_argument(
        "--python", type=Path, default=REPOSITORY / ".triton-venv/bin/python", help="of its environment"
    )
    parser.add_argument("--grpc-port", type=int, default=free_port(8001), help="default 8001, another when it is taken")
    chosen = parser.parse_args(arguments)
    models = available_models(chosen.models)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the server is stopped with us
    try:
        if not models:
            raise UsageError(f"no weights in {chosen.models}; run scripts/triton-setup.sh")
        server = LocalTriton(
            repository=chosen.repository,
            weights=chosen.models,
            files=find_triton(chosen.python),
            models=models,
            ports=(0, chosen.grpc_port, 0),
        )
        server.start()
    except (UsageError, ModelUnavailable) as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 2
    except KeyboardInterrupt:
        return 130
    return _stay(server, models)


def _stay(server: LocalTriton, models: Sequence[str]) -> int:
    """Print where the server is, and wait for its end or for ours."""
    assert server.process is not None
    model = "reranker" if "reranker" in models else "embedder"
    judge = " OPENWORK_NLI_MODEL=nli" if "nli" in models else ""
    print(  # noqa: T201
        f"Triton is ready: gRPC {server.url}, metrics http://127.0.0.1:{server.metrics_port}/metrics\n"
        f"models: {', '.join(models)}; log: {server.log}\n\n"
        "In another terminal, before `make ask` or `make up`:\n\n"
        f"  export OPENWORK_TRITON_URL={server.url} OPENWORK_TRITON_MODEL={model}{judge}\n\n"
        "Ctrl-C stops it.",
        flush=True,
    )
    try:
        return server.process.wait()
    except KeyboardInterrupt:
        return server.stop() or 0
    finally:
        server.stop()


if __name__ == "__main__":
    sys.exit(main())
