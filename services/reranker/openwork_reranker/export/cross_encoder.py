"""Fetch the cross-encoder and write the files that Triton serves; for whoever builds the model server's image.

    scripts/export-setup.sh
    .export-venv/bin/python -m openwork_reranker.export.cross_encoder --to models/bge-reranker-v2-m3

Writes `model.onnx` (FP32, its weights in a `.data` file beside it), `model.cuda.onnx` (FP16 with fused operators, what
a GPU serves), `model.fp16.onnx` (FP16 without them, for TensorRT), `model.int8.onnx` (for a CPU), `tokenizer.json`, and
at last `export.json`, without which no model loads the folder. Each file is checked against the original on sample
pairs first. Needs about 13 GB of memory and 9 GB of disk; the network only to fetch the weights.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openwork_reranker.export.checks import SAMPLE_PAIRS, failures, largest_difference
from openwork_reranker.export.fused import GraphUnknown, write_fused
from openwork_reranker.export.manifest import Manifest, write_manifest

MODEL = "BAAI/bge-reranker-v2-m3"
LICENCE = "Apache-2.0"
"""Of the weights, as their model card says."""
MAX_TOKENS = 512
OPSET = 18
ONE_FILE_BYTES = 2**31 - 2**26
"""Most bytes of weights in one file: protobuf's messages end at 2 GB, and the graph needs a little of it."""
FULL, CUDA, HALF, INT8 = "model.onnx", "model.cuda.onnx", "model.fp16.onnx", "model.int8.onnx"


class ExportFailed(Exception):  # noqa: N818 - named by what happened, as all our errors
    """The files were written and are wrong; `export.json` was not written."""


def export(source: str, folder: Path, *, revision: str | None = None, name: str | None = None) -> Manifest:
    """Fetch, write, check.

    Args:
        source: name of the model on the hub, or a folder that holds it.
        folder: where the files go.
        revision: commit of the model repository; the newest when left out. Pin it for a build that can be repeated.
        name: what `export.json` calls the weights, when `source` is a folder.
    Raises:
        ExportFailed: a file strays further from the original than its precision explains.
        GraphUnknown: the model's attention is not BERT's: there is nothing to fuse.
    """
    from transformers import (  # type: ignore[import-not-found,unused-ignore]
        AutoModelForSequenceClassification,
        AutoTokenizer,
    )

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = AutoTokenizer.from_pretrained(source, revision=revision)
    model = AutoModelForSequenceClassification.from_pretrained(
        source, revision=revision, use_safetensors=True, attn_implementation="eager"
    ).eval()  # eager: attention is written out, and can be found and fused
    tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"))
    _write_full(model, folder / FULL)
    _write_half(folder / FULL, folder / HALF)
    sizes = model.config
    write_fused(folder / FULL, folder / CUDA, heads=sizes.num_attention_heads, hidden=sizes.hidden_size)
    _write_int8(folder / FULL, folder / INT8)
    original = _original_logits(model, tokenizer)
    differences = {n: largest_difference(original, onnx_logits(folder, n)) for n in (FULL, CUDA, HALF, INT8)}
    if wrong := failures(differences):
        raise ExportFailed("; ".join(wrong))
    commit = getattr(model.config, "_commit_hash", None) or revision or "unknown"
    manifest = Manifest(name or source, commit, LICENCE, checks=differences)
    files = sorted(p.name for p in folder.iterdir() if p.suffix in {".onnx", ".data"} or p.name == "tokenizer.json")
    for file in files:
        (folder / file).chmod(0o644)  # onnx leaves some to their owner alone, who is not the one that serves them
    return write_manifest(folder, manifest, files)


def _write_full(model: Any, path: Path) -> None:
    """FP32. The graph has the tokenizer's two outputs as inputs and one output, the logit of each pair, shape (n,)."""
    import torch  # type: ignore[import-not-found,unused-ignore]

    class OneLogit(torch.nn.Module):  # type: ignore[misc,name-defined,unused-ignore]
        def __init__(self, inner: Any) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            return self.inner(input_ids=input_ids, attention_mask=attention_mask).logits[:, 0]

    batch, length = torch.export.Dim("batch"), torch.export.Dim("length", max=MAX_TOKENS)
    # Two tensors: one given twice would be taken for one input, and the mask would be read as the ids.
    example = tuple(torch.ones((2, 16), dtype=torch.int64) for _ in range(2))
    shapes = {name: {0: batch, 1: length} for name in ("input_ids", "attention_mask")}
    torch.onnx.export(
        OneLogit(model).eval(),
        example,
        str(path),
        input_names=["input_ids", "attention_mask"],
        output_names=["score"],
        dynamo=True,
        dynamic_shapes=shapes,
        opset_version=OPSET,
        external_data=True,  # 2.3 GB do not fit into one protobuf message
    )


def _write_half(full: Path, path: Path) -> None:
    """FP16 with inputs and outputs as before."""
    import onnx  # type: ignore[import-not-found,unused-ignore]
    from onnxruntime.transformers.float16 import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        convert_float_to_float16,
    )

    model = onnx.load(str(full))
    del model.graph.value_info[:]
    half = convert_float_to_float16(model, keep_io_types=True, disable_shape_infer=True)
    _save(half, path)


def _write_int8(full: Path, path: Path) -> None:
    """Weights in 8 bits per channel; activations are rounded when it runs, by the largest of the batch."""
    import onnx  # type: ignore[import-not-found,unused-ignore]
    from onnxruntime.quantization import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        QuantType,
        quantize_dynamic,
    )

    model = onnx.load(str(full))
    # The shapes that torch left there contradict those that the quantiser infers, and it gives up.
    del model.graph.value_info[:]
    bare = path.with_name("bare.onnx")
    _save(model, bare)
    try:
        quantize_dynamic(
            bare, path, weight_type=QuantType.QInt8, per_channel=True, use_external_data_format=_is_large(full)
        )
    finally:
        for left in (bare, bare.with_name(f"{bare.name}.data")):
            left.unlink(missing_ok=True)


def _save(model: Any, path: Path) -> None:
    """One file where it fits: it can be linked and fetched alone."""
    import onnx  # type: ignore[import-not-found,unused-ignore]

    data = path.with_name(f"{path.name}.data")
    data.unlink(missing_ok=True)  # of an earlier export; onnx appends to a file that is there
    fits = sum(len(tensor.raw_data) for tensor in model.graph.initializer) <= ONE_FILE_BYTES
    if fits:
        onnx.save_model(model, str(path))
    else:
        onnx.save_model(model, str(path), save_as_external_data=True, location=data.name, all_tensors_to_one_file=True)


def _is_large(full: Path) -> bool:
    """Whether a quarter of the weights could still come near protobuf's limit of 2 GB."""
    return sum(file.stat().st_size for file in full.parent.glob(f"{full.name}*")) > 2**30


def _original_logits(model: Any, tokenizer: Any) -> list[float]:
    """The original's logits of the sample pairs, one by one: no padding, no neighbour."""
    import torch  # type: ignore[import-not-found,unused-ignore]

    logits = []
    with torch.inference_mode():
        for question, passage in SAMPLE_PAIRS:
            tokens = tokenizer([question], [passage], truncation=True, max_length=MAX_TOKENS, return_tensors="pt")
            output = model(input_ids=tokens["input_ids"], attention_mask=tokens["attention_mask"])
            logits.append(float(output.logits[0, 0]))
    return logits


def onnx_logits(folder: Path, name: str, pairs: Sequence[tuple[str, str]] = SAMPLE_PAIRS) -> list[float]:
    """What one of the files says, with the tokenizer as it was written: it is checked too."""
    import numpy  # type: ignore[import-not-found,unused-ignore]
    import onnxruntime  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from tokenizers import Tokenizer  # type: ignore[import-not-found,unused-ignore]

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    session = onnxruntime.InferenceSession(str(folder / name), providers=["CPUExecutionProvider"])
    logits = []
    for question, passage in pairs:
        ids = numpy.array([tokenizer.encode(question, passage).ids], dtype=numpy.int64)
        answer = session.run(["score"], {"input_ids": ids, "attention_mask": numpy.ones_like(ids)})
        logits.append(float(answer[0][0]))
    return logits


def main(arguments: Sequence[str] | None = None) -> int:
    """Export, or say why not."""
    parser = argparse.ArgumentParser(prog="python -m openwork_reranker.export.cross_encoder", description=__doc__)
    parser.add_argument("--to", type=Path, required=True, help="folder to write, e.g. models/bge-reranker-v2-m3")
    parser.add_argument("--model", default=MODEL, help="name on the hub, or a folder that holds the model")
    parser.add_argument("--revision", help="commit of the model repository; pin it")
    parser.add_argument("--name", help="what the weights are called, when --model is a folder")
    chosen = parser.parse_args(arguments)
    try:
        manifest = export(chosen.model, chosen.to, revision=chosen.revision, name=chosen.name)
    except (ExportFailed, GraphUnknown, ImportError, OSError) as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return 1
    for name, difference in manifest.checks.items():
        sys.stdout.write(f"{name}: largest difference to the original {difference:.2g}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
