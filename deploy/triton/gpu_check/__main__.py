"""Start each config of the cross-encoder, compare its scores with PyTorch's, time it, and print one table.

    scripts/gpu-check.sh [--image localhost/openwork/triton-gpu:0.1.0] [--configs fp16,tensorrt,fp32] [--cpu-rehearsal]

Starts `tritonserver` where it is on PATH (inside NVIDIA's container), else the image with `--gpus all`. Status 1 when a
config did not start or its scores are not the reference's.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from openwork_contracts.errors import OpenWorkError, UsageError
from openwork_reranker.export.checks import MAX_DIFFERENCE, SAMPLE_PAIRS

from deploy.triton.gpu_check import servers
from deploy.triton.gpu_check.cells import PAIRS, TF32
from deploy.triton.gpu_check.measuring import Effort, Figures, Pair, measure
from deploy.triton.gpu_check.table import is_right, table, write_json
from deploy.triton.gpu_check.weights import find_or_make, reference_logits
from deploy.triton.local import REPOSITORY

IMAGE = "localhost/openwork/triton-gpu:0.1.0"
_FP16 = MAX_DIFFERENCE["model.cuda.onnx"]


@dataclass(frozen=True, slots=True)
class Config:
    """One way to serve the cross-encoder."""

    title: str
    name: str | None
    """As tritonserver's --model-config-name."""
    twin: str
    """What stands for it on a CPU."""
    bound: float
    """Largest difference of a logit that its precision explains."""


CONFIGS = {
    "fp16": Config("CUDA FP16", None, "twin", _FP16),
    "tensorrt": Config("TensorRT FP16", "tensorrt", "twin-fp16", _FP16),
    "fp32": Config("CUDA FP32", "fp32", "twin-fp32", TF32),
}
REHEARSAL = Effort(times=3, rounds=1, together=2, batches=(1, 8))


def words_of_english() -> list[str]:
    """Of this repository's pages: texts never sent before are cut from them."""
    return [word for page in sorted((REPOSITORY / "docs").glob("*.md")) for word in page.read_text().split()]


def config_named(key: str) -> Config:
    """Raises: UsageError: there is no such config."""
    if key not in CONFIGS:
        raise UsageError(f"there is no config {key!r}; there are {', '.join(CONFIGS)}")
    return CONFIGS[key]


def check_one(start_as: Callable[[], servers.Server], run: Callable[[servers.Server], Figures]) -> Figures:
    """Start, measure, stop, start again; what failed ends it, and what was found before is kept."""
    figures = Figures()
    server = start_as()
    try:
        first_start_s = server.start()
        figures = run(server)
        figures.first_start_s = first_start_s
        server.stop()
        server = start_as()
        figures.second_start_s = server.start()
    except (OpenWorkError, OSError) as error:
        figures.failed = str(error)
    finally:
        server.stop()
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, print, write."""
    chosen = _parser().parse_args(arguments)
    try:
        columns, facts = check(chosen)
    except UsageError as error:
        say(str(error))
        return 2
    bounds = {_title(config, chosen): config.bound for config in CONFIGS.values()}
    print(f"{facts['machine']}; {facts['weights']}; compared with: {facts['reference']}\n")  # noqa: T201
    print(table(columns, bounds))  # noqa: T201
    write_json(chosen.json, facts, columns)
    say(f"written to {chosen.json}")
    return 0 if all(is_right(figures, bounds[title]) for title, figures in columns.items()) else 1


def check(chosen: argparse.Namespace) -> tuple[dict[str, Figures], dict[str, object]]:
    """Figures by config, and what they are of.

    Raises:
        UsageError: something is not installed, or no GPU's server is there.
    """
    scratch: Path = chosen.folder
    scratch.mkdir(parents=True, exist_ok=True)
    rehearsal = chosen.cpu_rehearsal
    environment = servers.rehearsal_environment(scratch / "bin") if rehearsal else None
    kind = "program" if rehearsal else servers.check_there_is_a_server(chosen.image)
    say("weights: looked for, else made and exported (minutes, 13 GB of memory)")
    weights = find_or_make(REPOSITORY / "models", scratch, "tiny" if rehearsal else "bge", chosen.original)
    pairs: list[Pair] = [*SAMPLE_PAIRS, *PAIRS]
    say(f"{weights.words}: reference scores of {len(pairs)} pairs")
    logits, reference = reference_logits(weights, pairs)
    words, effort = words_of_english(), REHEARSAL if rehearsal else Effort()

    def server_of(config: Config) -> servers.Server:
        name = config.twin if rehearsal else config.name
        if kind == "container":
            return servers.Container(name, weights.models, chosen.image)
        return servers.Program(name, weights.models, environment)

    columns = {}
    servers.forget_engines()
    for key in chosen.configs.split(","):
        config = config_named(key)
        say(f"{config.title}: started, compared, timed")
        columns[_title(config, chosen)] = check_one(
            lambda config=config: server_of(config),  # type: ignore[misc]
            lambda server: asyncio.run(measure(server.url, server.metrics_port, words, pairs, logits, effort)),
        )
    machine = (
        "a rehearsal on a CPU: the times mean nothing" if rehearsal else "; ".join(servers.gpus()) or "no GPU found"
    )
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return columns, {"machine": machine, "weights": weights.words, "reference": reference, "at": at}


def _title(config: Config, chosen: argparse.Namespace) -> str:
    return f"{config.title}: its twin" if chosen.cpu_rehearsal else config.title


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/gpu-check.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--image", default=IMAGE, help="of deploy/docker/triton-gpu.Dockerfile")
    parser.add_argument("--configs", default=",".join(CONFIGS), help="which, separated by commas")
    parser.add_argument("--original", help="where PyTorch finds the exported weights: a folder or a name on the hub")
    parser.add_argument("--folder", type=Path, default=REPOSITORY / ".gpu-check", help="for what is made, 8 GB")
    parser.add_argument("--json", type=Path, default=Path("gpu-check.json"), help="file for the figures")
    parser.add_argument("--cpu-rehearsal", action="store_true", help="the same with a tiny model on this CPU")
    return parser


def say(text: str) -> None:
    """A line of progress, beside the table."""
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
