"""Pairs per second through Triton on this CPU, beside sentence-transformers and beside the bare model.

    python -m tests.bench_triton --torch-python .bench-venv/bin/python [--weights FOLDER --original FOLDER]

Without `--weights` a stand-in is made and exported: 6 layers, 384 wide, random weights. Every round has other words in
its questions, so that no response cache answers. Prints one Markdown table; the median of the rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from openwork_local.triton import LocalTriton, find_triton
from openwork_reranker.adapters.minilm import TOKENIZER_FILE
from openwork_reranker.adapters.triton import TritonScorer
from openwork_reranker.adapters.triton_client import TritonOptions
from openwork_reranker.export.manifest import FILE_NAME
from openwork_reranker.focus import QuestionFocus
from openwork_reranker.scoring import ScorableText

ROOT = Path(__file__).resolve().parent.parent
N_QUESTIONS = 3
N_PASSAGES = 32
"""Per question; 96 pairs in a round."""
N_ROUNDS = 3
FOLDER = "bge-reranker-v2-m3"
_WORKSPACE = ("contracts", "services/chassis", "services/language", "services/reranker")


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


def as_pairs(asked: Sequence[Sequence[Asked]]) -> str:
    """Rounds of pairs, as JSON for the other environments."""
    return json.dumps([[(a.question, p) for a in one for p in a.passages] for one in asked])


def stand_in(torch_python: Path, folder: Path) -> tuple[Path, Path]:
    """A model with random weights and its export: (original, folder of weights)."""
    original, weights = folder / "original", folder / "models"
    bench = str(ROOT / "tests" / "bench_torch.py")
    path = os.pathsep.join(str(ROOT / part) for part in _WORKSPACE)
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"}
    subprocess.run([torch_python, bench, "make", original, TOKENIZER_FILE], check=True, capture_output=True)
    command: list[str | Path] = [torch_python, "-m", "openwork_reranker.export.cross_encoder", "--model", original]
    command += ["--to", weights / FOLDER, "--name", "BAAI/bge-reranker-v2-m3"]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    # It goes by the name that the config promises for as long as this benchmark runs, and is deleted with its folder.
    assert (weights / FOLDER / FILE_NAME).exists()
    return original, weights


@dataclass(frozen=True, slots=True)
class Measured:
    """What a script in another environment found, per round."""

    seconds: list[float]
    scores: list[list[float]] = field(default_factory=list)

    @property
    def median_s(self) -> float:
        """Seconds of a usual round."""
        return statistics.median(self.seconds)


def elsewhere(python: Path, *command: object, stdin: str) -> Measured:
    """Run a script in another environment."""
    words = [str(python), *map(str, command)]
    answer = subprocess.run(words, input=stdin, check=True, capture_output=True, text=True)
    return Measured(**json.loads(answer.stdout))


async def through_triton(url: str, asked: Sequence[Sequence[Asked]]) -> tuple[list[float], list[list[float]]]:
    """Seconds and scores per round, the first left out; the questions of a round one after the other."""
    scorer = TritonScorer(TritonOptions(url, timeout_s=120, max_in_flight=32))
    seconds, scores = [], []
    for one in asked:
        start = time.perf_counter()
        found = [await ask(scorer, a) for a in one]
        seconds.append(time.perf_counter() - start)
        scores.append([score for part in found for score in part])
    await scorer.close()
    return seconds[1:], scores[1:]


async def ask(scorer: TritonScorer, asked: Asked) -> list[float]:
    """Scores of one question's candidates."""
    focus = QuestionFocus(asked.question, ())
    return await scorer.score(focus, [ScorableText("", passage) for passage in asked.passages])


async def together(url: str, asked: Sequence[Sequence[Asked]]) -> tuple[float, float]:
    """Seconds of one run alone and of two at once, medians; a run is one question with its candidates."""
    scorer = TritonScorer(TritonOptions(url, timeout_s=120, max_in_flight=32))
    alone, both = [], []
    for n, one in enumerate(asked):
        fresh = [Asked(f"Again {n}: {a.question}", a.passages) for a in one]
        start = time.perf_counter()
        await ask(scorer, fresh[0])
        alone.append(time.perf_counter() - start)
        start = time.perf_counter()
        await asyncio.gather(ask(scorer, fresh[1]), ask(scorer, fresh[2]))
        both.append(time.perf_counter() - start)
    await scorer.close()
    return statistics.median(alone), statistics.median(both)


def measure(
    torch_python: Path, triton_python: Path, original: Path, weights: Path, data: Path
) -> list[tuple[str, str]]:
    """The table's rows."""
    asked = rounds(data)
    pairs = as_pairs(asked)
    n_pairs = N_QUESTIONS * N_PASSAGES
    torch = elsewhere(torch_python, ROOT / "tests/bench_torch.py", "predict", original, stdin=pairs)
    rows = [("CrossEncoder.predict (torch, FP32, its defaults)", f"{n_pairs / torch.median_s:.1f} pairs/s")]
    by_file: dict[str, list[list[float]]] = {}
    for name, file in (("FP32", "model.onnx"), ("INT8", "model.int8.onnx")):
        server = LocalTriton(
            repository=ROOT / "triton_models",
            weights=weights,
            files=find_triton(triton_python),
            models=("reranker",),
            environment={"OPENWORK_RERANKER_ONNX": file},
        )
        server.start()
        try:
            seconds, by_file[name] = asyncio.run(through_triton(server.url, asked))
            alone, both = asyncio.run(together(server.url, asked))
        finally:
            server.stop()
        bare = elsewhere(triton_python, ROOT / "tests/bench_bare.py", weights / FOLDER, file, stdin=pairs)
        triton_s, bare_s = statistics.median(seconds), bare.median_s
        rows += [
            (f"Triton, {name}", f"{n_pairs / triton_s:.1f} pairs/s, {torch.median_s / triton_s:.2f} times torch"),
            (f"bare onnxruntime, {name}", f"{n_pairs / bare_s:.1f} pairs/s; overhead {triton_s / bare_s - 1:+.0%}"),
            (f"two runs at once, {name}", f"{both:.2f} s, one alone {alone:.2f} s: {both / alone:.2f} times"),
        ]
    rows.append(
        (
            "Triton FP32 against torch, largest difference of a score",
            f"{_drift(by_file['FP32'], torch.scores)[0]:.1e}",
        )
    )
    largest, mean = _drift(by_file["INT8"], by_file["FP32"])
    rows.append(("INT8 against FP32, difference of a score", f"largest {largest:.3f}, mean {mean:.3f}"))
    return rows


def _drift(some: Sequence[Sequence[float]], others: Sequence[Sequence[float]]) -> tuple[float, float]:
    differences = [abs(a - b) for x, y in zip(some, others, strict=True) for a, b in zip(x, y, strict=True)]
    return max(differences), statistics.fmean(differences)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench_triton", description=__doc__)
    parser.add_argument(
        "--torch-python", type=Path, default=ROOT / ".bench-venv/bin/python", help="has the extra export"
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
        before = os.getloadavg()[0]
        rows = measure(chosen.torch_python, chosen.triton_python, original, weights, data)
    load = f"load average {before:.1f} before and {os.getloadavg()[0]:.1f} after"
    print(f"{os.cpu_count()} cores, {load}; {N_QUESTIONS} x {N_PASSAGES} pairs, {N_ROUNDS} rounds\n")
    print("| | |\n|---|---|")
    for name, value in rows:
        print(f"| {name} | {value} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
