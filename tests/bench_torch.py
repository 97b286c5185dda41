"""The torch side of `tests.bench_triton`, run by the Python of an environment that has it. Imports nothing of ours.

    python tests/bench_torch.py make FOLDER TOKENIZER.json   a cross-encoder of 6 layers with random weights
    python tests/bench_torch.py predict FOLDER               answers rounds of pairs, a line each

Random weights cost what trained ones cost; nothing can be said of their order.
"""

from __future__ import annotations

import json
import sys
import time


def make(folder: str, tokenizer: str) -> None:
    """XLM-RoBERTa in the size of MiniLM: 6 layers, 384 wide."""
    import torch  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from transformers import (  # type: ignore[import-not-found,unused-ignore]
        PreTrainedTokenizerFast,
        XLMRobertaConfig,
        XLMRobertaForSequenceClassification,
    )

    torch.manual_seed(0)
    config = XLMRobertaConfig(
        vocab_size=30_522,
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
        max_position_embeddings=514,
        type_vocab_size=1,
        pad_token_id=0,
        num_labels=1,
        initializer_range=0.08,  # wide enough for logits that differ
    )
    XLMRobertaForSequenceClassification(config).save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_file=tokenizer,
        pad_token="[PAD]",
        model_max_length=512,
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)


def predict(folder: str) -> None:
    """One round of pairs per line of standard input; seconds and scores of each as one line of JSON."""
    from sentence_transformers import CrossEncoder  # type: ignore[import-not-found,import-untyped,unused-ignore]

    model = CrossEncoder(folder, device="cpu", max_length=512)
    for line in sys.stdin:
        pairs = [tuple(pair) for pair in json.loads(line)]
        start, cpu = time.perf_counter(), time.process_time()
        scores = [float(x) for x in model.predict(pairs, show_progress_bar=False)]
        spent = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
        print(json.dumps({**spent, "scores": scores}), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(*sys.argv[2:])
    else:
        predict(*sys.argv[2:])
