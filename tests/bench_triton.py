"""Pairs per second through Triton on this CPU, beside sentence-transformers and beside the bare model.

    scripts/export-setup.sh && .export-venv/bin/python -m pip install sentence-transformers
    python -m tests.bench_triton [--weights FOLDER --original FOLDER]

Without `--weights` a stand-in is made and exported: 6 layers, 384 wide, random weights. Every round has other words in
its questions, so that no response cache answers. Prints one Markdown table, of the best round of each. On a machine
that does other work read the figures per core-second.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from openwork_reranker.adapters.minilm import TOKENIZER_FILE
from openwork_reranker.adapters.triton.scorer import TritonScorer
from openwork_reranker.domain.focus import QuestionFocus
from openwork_reranker.domain.scoring import ScorableText
from openwork_reranker.export.manifest import FILE_NAME
from openwork_serving.client import TritonOptions

from deploy.triton.local import LocalTriton, find_triton

ROOT = Path(__file__).resolve().parent.parent
N_QUESTIONS = 3
N_PASSAGES = 24
"""Per question; 72 pairs in a round."""
N_ROUNDS = 3
FOLDER = "bge-reranker-v2-m3"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and its candidates, in one round."""

    question: str
    passages: tuple[str, ...]


def rounds(data: Path) -> list[list[Asked]]:
    """Questions of PubMedQA with sections of its abstracts, a realistic mix of lengths; one round more, to warm up."""
    with gzip.open(data / "benchmarks/pubmedqa/pqa_labeled.json.gz", "rt", encoding="utf-8") as file:
        entries = list(json.load(file).values())
    questions = [entry["QUESTION"] for entry in entries[:N_QUESTIONS]]
    sections = [section for entry in entries for section in entry["CONTEXTS"]][: N_QUESTIONS * N_PASSAGES]
    parts = [tuple(sections[i * N_PASSAGES : (i + 1) * N_PASSAGES]) for i in range(N_QUESTIONS)]
    return [
        [Asked(f"({n}) {question}", part) for question, part in zip(questions, parts, strict=True)]
        for n in range(N_ROUNDS + 1)
    ]


def stand_in(torch_python: Path, folder: Path) -> tuple[Path, Path]:
    """A model with random weights and its export: (original, folder of weights)."""
    original, weights = folder / "original", folder / "models"
    bench = str(ROOT / "tests" / "bench_torch.py")
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    subprocess.run([torch_python, bench, "make", original, TOKENIZER_FILE], check=True, capture_output=True)
    command: list[str | Path] = [torch_python, "-m", "openwork_reranker.export.cross_encoder", "--model", original]
    command += ["--to", weights / FOLDER, "--name", "BAAI/bge-reranker-v2-m3"]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    # It goes by the name that the config promises for as long as this benchmark runs, and is deleted with its folder.
    assert (weights / FOLDER / FILE_NAME).exists()
    return original, weights


class Elsewhere:
    """A script in another environment, which answers a line with a line."""

    def __init__(self, python: Path, *command: object) -> None:
        self._process = subprocess.Popen(
            [str(python), *map(str, command)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.seconds: list[float] = []
        self.cpu_s: list[float] = []
        self.scores: list[list[float]] = []

    def ask(self, asked: Sequence[Asked]) -> None:
        """One round."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([(a.question, p) for a in asked for p in a.passages]) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        self.seconds.append(answer["seconds"])
        self.cpu_s.append(answer["cpu"])
        self.scores.append(answer.get("scores", []))

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


class ThroughTriton:
    """The same through our client and a server."""

    def __init__(self, server: LocalTriton) -> None:
        self._server = server
        self._scorer = TritonScorer(TritonOptions(server.url, timeout_s=120, max_in_flight=32))
        self.seconds: list[float] = []
        self.cpu_s: list[float] = []
        """Of server, model processes and client together."""
        self.scores: list[list[float]] = []
        self.one_s: list[float] = []
        self.two_s: list[float] = []

    async def ask(self, asked: Sequence[Asked]) -> None:
        """One round, its questions one after the other."""
        start, cpu_s = time.perf_counter(), self._cpu_s()
        found = [await self._score(a) for a in asked]
        self.seconds.append(time.perf_counter() - start)
        self.cpu_s.append(self._cpu_s() - cpu_s)
        self.scores.append([score for part in found for score in part])

    async def ask_together(self, asked: Sequence[Asked]) -> None:
        """One question by itself, then two others at once."""
        first, second, third = (Asked(f"Again: {a.question}", a.passages) for a in asked)
        start = time.perf_counter()
        await self._score(first)
        self.one_s.append(time.perf_counter() - start)
        start = time.perf_counter()
        await asyncio.gather(self._score(second), self._score(third))
        self.two_s.append(time.perf_counter() - start)

    async def close(self) -> None:
        """Close the connection."""
        await self._scorer.close()

    def _cpu_s(self) -> float:
        """Seconds of CPU so far: ours, and that of every process of the server's session."""
        assert self._server.process is not None
        ticks = 0
        for status in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                fields = status.read_text().rpartition(")")[2].split()
                if int(fields[3]) == self._server.process.pid:
                    ticks += int(fields[11]) + int(fields[12])
        return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")

    async def _score(self, asked: Asked) -> list[float]:
        focus = QuestionFocus(asked.question, ())
        return await self._scorer.score(focus, [ScorableText("", passage) for passage in asked.passages])


async def side_by_side(
    python: Mapping[str, Path], original: Path, weights: Path, file: str, asked: Sequence[Sequence[Asked]]
) -> tuple[Elsewhere, ThroughTriton, Elsewhere]:
    """Torch, Triton and the bare model in turns, round by round, so that a busy machine slows all of them alike."""
    server = LocalTriton(
        repository=ROOT / "triton_models",
        weights=weights,
        files=find_triton(python["triton"]),
        models=("reranker",),
        environment={"OPENWORK_RERANKER_ONNX": file},
    )
    server.start()
    torch = Elsewhere(python["torch"], ROOT / "tests/bench_torch.py", "predict", original)
    bare = Elsewhere(python["triton"], ROOT / "tests/bench_bare.py", weights / FOLDER, file)
    triton = ThroughTriton(server)
    try:
        for one in asked:
            torch.ask(one)
            await triton.ask(one)
            bare.ask(one)
            await triton.ask_together(one)
    finally:
        await triton.close()
        for other in (torch, bare):
            other.close()
        server.stop()
    return torch, triton, bare


def best(seconds: Sequence[float]) -> float:
    """The fastest round but the first, which warms up: the one that other work on the machine disturbed least."""
    return min(seconds[1:])


def measure(python: Mapping[str, Path], original: Path, weights: Path, data: Path) -> Iterator[tuple[str, str]]:
    """The table's rows, as they become known."""
    asked, n_pairs = rounds(data), N_QUESTIONS * N_PASSAGES
    scores: dict[str, list[list[float]]] = {}
    for name, file in (("FP32", "model.onnx"), ("INT8", "model.int8.onnx")):
        torch, triton, bare = asyncio.run(side_by_side(python, original, weights, file, asked))
        scores[name], scores["torch"] = triton.scores, torch.scores
        one_s, two_s = best(triton.one_s), best(triton.two_s)
        torch_s, triton_s, bare_s = best(torch.seconds), best(triton.seconds), best(bare.seconds)
        torch_cpu_s, triton_cpu_s, bare_cpu_s = best(torch.cpu_s), best(triton.cpu_s), best(bare.cpu_s)
        yield f"torch FP32, CrossEncoder.predict (beside {name})", _cell(n_pairs, torch_s, torch_cpu_s)
        yield f"Triton {name}, server and client", _cell(n_pairs, triton_s, triton_cpu_s)
        yield f"onnxruntime {name}, bare", _cell(n_pairs, bare_s, bare_cpu_s)
        yield (
            "... Triton to torch",
            f"{torch_s / triton_s:.2f} times the rate, {torch_cpu_s / triton_cpu_s:.2f} per core",
        )
        yield (
            "... Triton over the bare model",
            f"{triton_s / bare_s - 1:+.0%} time, {triton_cpu_s / bare_cpu_s - 1:+.0%} CPU",
        )
        yield "... two runs at once", f"{two_s:.2f} s; one alone {one_s:.2f} s: {two_s / one_s:.2f} times"
    largest, _ = _drift(scores["FP32"], scores["torch"])
    yield "Triton FP32 against torch, largest difference of a score", f"{largest:.1e}"
    largest, mean = _drift(scores["INT8"], scores["FP32"])
    yield "INT8 against FP32, difference of a score", f"largest {largest:.3f}, mean {mean:.3f}"


def _cell(n_pairs: int, seconds: float, cpu_s: float) -> str:
    return f"{n_pairs / seconds:.1f} pairs/s, {n_pairs / cpu_s:.1f} per core-second"


def _drift(some: Sequence[Sequence[float]], others: Sequence[Sequence[float]]) -> tuple[float, float]:
    differences = [abs(a - b) for x, y in zip(some, others, strict=True) for a, b in zip(x, y, strict=True)]
    return max(differences), statistics.fmean(differences)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench_triton", description=__doc__)
    parser.add_argument(
        "--torch-python", type=Path, default=ROOT / ".export-venv/bin/python", help="has sentence-transformers too"
    )
    parser.add_argument("--triton-python", type=Path, default=ROOT / ".triton-venv/bin/python")
    parser.add_argument("--weights", type=Path, help="folder with bge-reranker-v2-m3/, e.g. models")
    parser.add_argument("--original", help="the same weights for torch: a folder or a name on the hub")
    chosen = parser.parse_args(arguments)
    data = Path(os.environ.get("OPENWORK_DATA", ROOT.parent / "shared" / "data"))
    for needed in (chosen.torch_python, chosen.triton_python, data):
        if not needed.exists():
            print(f"{needed} is not here; docs/serving.md says how to make it")
            return 2
    with tempfile.TemporaryDirectory() as folder:
        if chosen.weights and chosen.original:
            original, weights = Path(chosen.original), chosen.weights
        else:
            original, weights = stand_in(chosen.torch_python, Path(folder))
        python = {"torch": chosen.torch_python, "triton": chosen.triton_python}
        print(f"{os.cpu_count()} cores; {N_QUESTIONS} x {N_PASSAGES} pairs, {N_ROUNDS} rounds\n\n| | |\n|---|---|")
        for name, value in measure(python, original, weights, data):
            print(f"| {name} | {value} |", flush=True)
    print(f"\nload average over the last 5 minutes: {os.getloadavg()[1]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
