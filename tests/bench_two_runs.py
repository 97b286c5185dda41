"""Two runs at once through Triton's `embedder` on this CPU, against one: `python -m tests.bench_two_runs`.

A round asks about the same 20 sections of abstracts three times, each time marked so that no cache knows them. Needs
`make triton` once (the server and the small weights) and the data set. Prints medians of twelve rounds.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import statistics
import sys
import time
from itertools import count
from pathlib import Path

from openwork_reranker.adapters.triton.embedder import TritonEmbedder
from openwork_reranker.domain.hybrid import DEPTH, MAX_CHARS
from openwork_serving.client import TritonOptions

from deploy.triton.local import LocalTriton, find_triton

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 12


async def measure(server: LocalTriton, data: Path) -> tuple[float, float]:
    """Median seconds of one run, and of two at once."""
    with gzip.open(data / "benchmarks/pubmedqa/pqa_labeled.json.gz", "rt", encoding="utf-8") as file:
        entries = list(json.load(file).values())
    sections = [section for entry in entries for section in entry["CONTEXTS"]]
    embedder = TritonEmbedder(TritonOptions(server.url, timeout_s=60))
    numbers = count()

    async def run(k: int) -> None:
        n = next(numbers)  # makes the texts new to every cache, and leaves their lengths as they are
        texts = [f"{n:04} {sections[k * DEPTH + i]}"[:MAX_CHARS] for i in range(DEPTH)]
        await embedder.similarities(f"{entries[k]['QUESTION']} ({n:04})", texts)

    await run(0)
    one_s, two_s = [], []
    for k in range(ROUNDS):
        start = time.perf_counter()
        await run(k)
        one_s.append(time.perf_counter() - start)
        start = time.perf_counter()
        await asyncio.gather(run(k), run(k))
        two_s.append(time.perf_counter() - start)
    await embedder.close()
    return statistics.median(one_s), statistics.median(two_s)


def main() -> int:
    """Measure and print."""
    data = Path(os.environ.get("OPENWORK_DATA", ROOT.parent / "shared" / "data"))
    python = ROOT / ".triton-venv/bin/python"
    for needed in (python, ROOT / "models" / "minilm", data):
        if not needed.exists():
            print(f"{needed} is not here; `make triton` makes the server and its weights")
            return 2
    server = LocalTriton(
        repository=ROOT / "triton_models", weights=ROOT / "models", files=find_triton(python), models=("embedder",)
    )
    server.start()
    try:
        one_s, two_s = asyncio.run(measure(server, data))
    finally:
        server.stop()
    print(f"one run of {DEPTH} texts {one_s:.2f} s; two at once {two_s:.2f} s: {two_s / one_s:.2f} times")
    print(f"{os.cpu_count()} cores, load average over the last 5 minutes: {os.getloadavg()[1]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
