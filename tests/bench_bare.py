"""The bare model's time, for `tests.bench_triton`: onnxruntime alone, in the environment of the Triton server.

    python tests/bench_bare.py FOLDER FILE.onnx

As many sessions of one thread as the server has instances; sorted by length, 512 tokens per batch, as the server does.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np  # type: ignore[import-not-found,import-untyped,unused-ignore]
import onnxruntime  # type: ignore[import-not-found,import-untyped,unused-ignore]
from tokenizers import Tokenizer  # type: ignore[import-not-found,import-untyped,unused-ignore]

INSTANCES = 2
BATCH_TOKENS = 512


def main(folder: str, name: str) -> None:
    """One round of pairs per line of standard input; its seconds as one line of JSON."""
    tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(Path(folder) / name), options, providers=["CPUExecutionProvider"])

    def run(batch: list[list[int]]) -> None:
        ids = np.zeros((len(batch), max(map(len, batch))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        session.run(["score"], {"input_ids": ids, "attention_mask": mask})

    with ThreadPoolExecutor(INSTANCES) as pool:
        for line in sys.stdin:
            pairs = [tuple(pair) for pair in json.loads(line)]
            start, cpu = time.perf_counter(), time.process_time()
            batches: list[list[list[int]]] = [[]]
            for encoding in sorted(tokenizer.encode_batch(pairs), key=lambda e: len(e.ids)):
                if batches[-1] and (len(batches[-1]) + 1) * len(encoding.ids) > BATCH_TOKENS:
                    batches.append([])
                batches[-1].append(encoding.ids)
            list(pool.map(run, reversed(batches)))
            spent = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
            print(json.dumps(spent), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
