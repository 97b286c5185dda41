"""The exported files on onnxruntime's CUDA provider, without Triton: what its onnxruntime backend does inside.

    python -m deploy.triton.gpu_check.bare --weights models/bge-reranker-v2-m3 --original FOLDER [--json FILE]

For a machine that has a GPU and Python, and neither `tritonserver` nor Docker. Run by a Python that has
onnxruntime-gpu, tokenizers, Transformers and PyTorch with CUDA; needs nothing else of ours installed. Opens each file,
compares its logits with PyTorch's in FP32 on the CPU, times a batch by tokens and pairs, and one against two sessions
at once. Status 1 when a file does not open on the GPU or strays further than its precision explains.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from deploy.triton.gpu_check.cells import BATCHES, BUCKETS, PAIRS, TF32, median_and_95th
from deploy.triton.stand_in import logits as original_logits

_FP16 = 0.05
BOUNDS = {"model.cuda.onnx": _FP16, "model.fp16.onnx": _FP16, "model.onnx": TF32}
"""Largest difference of a logit that the precision explains; FP16's is the exporter's."""
TIMES = 30
"""Batches per median."""
SECONDS = 4.0
"""Of each figure of the throughput."""


def tokens(tokenizer: Any, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Ids and mask of a batch, padded to its longest; shape (pairs, tokens)."""
    import numpy  # type: ignore[import-not-found,unused-ignore]

    encoded = tokenizer.encode_batch(list(pairs))
    return {
        "input_ids": numpy.array([e.ids for e in encoded], dtype=numpy.int64),
        "attention_mask": numpy.array([e.attention_mask for e in encoded], dtype=numpy.int64),
    }


def opened(file: Path) -> Any:
    """A session whose first provider is CUDA.

    Raises:
        RuntimeError: CUDA's provider did not load: onnxruntime would go on, on the CPU.
    """
    import onnxruntime  # type: ignore[import-not-found,import-untyped,unused-ignore]

    onnxruntime.preload_dlls()  # CUDA's libraries as PyTorch's packages brought them
    session = onnxruntime.InferenceSession(str(file), providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
    if session.get_providers()[0] != "CUDAExecutionProvider":
        raise RuntimeError(f"{file.name} was opened by {session.get_providers()[0]}")
    return session


def difference(session: Any, tokenizer: Any, pairs: Sequence[tuple[str, str]], logits: Sequence[float]) -> float:
    """The largest of a logit, each pair alone, all together, and in five groups."""
    everyone = list(range(len(pairs)))
    found = []
    for group in [[i] for i in everyone] + [everyone] + [everyone[n::5] for n in range(5)]:
        scores = session.run(["score"], tokens(tokenizer, [pairs[i] for i in group]))[0]
        found += [abs(float(score) - logits[i]) for i, score in zip(group, scores, strict=True)]
    return max(found)


def random_batch(pairs: int, length: int) -> dict[str, Any]:
    """Ids of a batch without padding; what they are does not change the time."""
    import numpy  # type: ignore[import-not-found,unused-ignore]

    ids = numpy.random.default_rng(0).integers(5, 1_000, size=(pairs, length), dtype=numpy.int64)
    return {"input_ids": ids, "attention_mask": numpy.ones_like(ids)}


def milliseconds(run: Callable[[], object]) -> tuple[float, float]:
    """Median and 95th percentile, copying in and out included."""
    taken = []
    for _ in range(TIMES + 3):
        begun = time.perf_counter()
        run()
        taken.append(1_000 * (time.perf_counter() - begun))
    return median_and_95th(taken[3:])


def pairs_per_s(runs: Sequence[Callable[[], object]], pairs: int) -> float:
    """Of batches of `pairs`, one caller per run, all at once."""
    done = [0] * len(runs)
    end = time.perf_counter() + SECONDS

    def work(n: int) -> None:
        while time.perf_counter() < end:
            runs[n]()
            done[n] += pairs

    begun = time.perf_counter()
    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(runs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - begun)


def check(file: Path, tokenizer: Any, pairs: Sequence[tuple[str, str]], logits: Sequence[float]) -> dict[str, Any]:
    """What one file shows: seconds to open, difference, milliseconds by batch, pairs per second by sessions at once."""
    begun = time.perf_counter()
    session = opened(file)
    opened_s = time.perf_counter() - begun
    found: dict[str, Any] = {"open_s": opened_s, "logit_difference": difference(session, tokenizer, pairs, logits)}
    cells = [(length, size) for length in BUCKETS for size in BATCHES]
    found["ms"] = {f"{length} x {size}": milliseconds(_run(session, size, length)) for length, size in cells}
    runs = [_run(one, 64, 256) for one in (session, opened(file))]
    runs[1]()
    found["pairs_per_s"] = {n: pairs_per_s(runs[:n], 64) for n in (1, 2)}
    return found


def _run(session: Any, pairs: int, length: int) -> Callable[[], object]:
    batch = random_batch(pairs, length)
    return lambda: session.run(["score"], batch)


def torch_pairs_per_s(original: str) -> float:
    """What PyTorch's own FP16 with fused attention does on the same batch: a ceiling to compare with."""
    import torch  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from transformers import AutoModelForSequenceClassification  # type: ignore[import-not-found,unused-ignore]

    model = AutoModelForSequenceClassification.from_pretrained(original, dtype=torch.float16).eval().cuda()
    batch = {name: torch.from_numpy(values).cuda() for name, values in random_batch(64, 256).items()}

    def run() -> None:
        with torch.inference_mode():
            model(**batch).logits.cpu()

    milliseconds(run)
    return pairs_per_s([run], 64)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, required=True, help="folder that the exporter wrote")
    parser.add_argument("--original", required=True, help="where PyTorch finds the same weights")
    parser.add_argument("--files", default=",".join(BOUNDS), help="which, separated by commas")
    parser.add_argument("--json", type=Path, default=Path("gpu-check-bare.json"), help="file for the figures")
    chosen = parser.parse_args(arguments)
    from tokenizers import Tokenizer  # type: ignore[import-not-found,unused-ignore]

    tokenizer = Tokenizer.from_file(str(chosen.weights / "tokenizer.json"))
    tokenizer.enable_padding(pad_id=1, pad_token="<pad>")  # noqa: S106 - no password
    tokenizer.enable_truncation(512)
    logits = original_logits(chosen.original, list(PAIRS))
    columns: dict[str, dict[str, Any]] = {}
    right = True
    for name in chosen.files.split(","):
        columns[name] = check(chosen.weights / name, tokenizer, PAIRS, logits)
        right = right and columns[name]["logit_difference"] <= BOUNDS.get(name, _FP16)
        print(name, json.dumps(columns[name]), flush=True)  # noqa: T201
    facts = {"logits": logits, "torch_fp16_pairs_per_s": torch_pairs_per_s(chosen.original), "files": columns}
    print("PyTorch FP16, pairs/s", facts["torch_fp16_pairs_per_s"])  # noqa: T201
    chosen.json.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
