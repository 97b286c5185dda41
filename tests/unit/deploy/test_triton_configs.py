"""The configs of the model repository, read as Triton reads them; variants of a model agree where they must."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tritonclient.grpc", reason="the extra openwork-serving[client] is not installed")

from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2  # type: ignore[import-not-found,import-untyped,unused-ignore]

from deploy.triton.assemble import read_config

REPOSITORY = Path(__file__).resolve().parents[3] / "triton_models"
CONFIGS = sorted(REPOSITORY.glob("**/*.pbtxt"))
CROSS_ENCODER = REPOSITORY / "bge_reranker_onnx"
VARIANTS = [CROSS_ENCODER / "config.pbtxt", *sorted((CROSS_ENCODER / "configs").iterdir())]


def parsed(path: Path) -> Any:
    return text_format.Parse(path.read_text(), model_config_pb2.ModelConfig())


def parameters(config: Any) -> dict[str, str]:
    return {key: value.string_value for key, value in config.parameters.items()}


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_the_assembler_reads_a_config_as_triton_does(path: Path) -> None:
    """It has the standard library alone, so it reads by pattern; protobuf is the judge."""
    config, ours = parsed(path), read_config(path.read_text())
    named = [config.default_model_filename, *(parameters(config).get(n) for n in ("model_file", "tokenizer_file"))]
    assert list(ours.files) == [name for name in named if name]
    assert ours.parameters == parameters(config)
    assert list(ours.steps) == [step.model_name for step in config.ensemble_scheduling.step]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_a_model_with_files_says_from_which_folder_of_weights(path: Path) -> None:
    config = read_config(path.read_text())
    assert not config.files or config.parameters["weights_folder"]


@pytest.mark.parametrize("path", VARIANTS, ids=lambda path: path.stem)
def test_variants_of_the_cross_encoder_have_the_same_tensors_batches_and_buckets(path: Path) -> None:
    """So what is tested on the twin holds for the GPU's."""
    first, other = parsed(VARIANTS[0]), parsed(path)
    for field in ("name", "max_batch_size", "input", "output", "response_cache"):
        assert getattr(other, field) == getattr(first, field), field
    batching = [config.dynamic_batching for config in (first, other)]
    assert batching[0].preferred_batch_size == batching[1].preferred_batch_size
    assert batching[0].max_queue_delay_microseconds == batching[1].max_queue_delay_microseconds
    assert widths(other) == widths(first)
    for name in ("weights", "weights_folder"):
        assert parameters(other)[name] == parameters(first)[name]


def widths(config: Any) -> list[int]:
    return sorted(one.inputs["input_ids"].dims[0] for one in config.model_warmup)


def test_each_twin_reads_the_file_of_its_gpu_config() -> None:
    for gpu, twin in (
        ("config.pbtxt", "twin"),
        ("configs/tensorrt.pbtxt", "twin-fp16"),
        ("configs/fp32.pbtxt", "twin-fp32"),
    ):
        file = parsed(CROSS_ENCODER / gpu).default_model_filename
        assert parameters(parsed(CROSS_ENCODER / f"configs/{twin}.pbtxt"))["model_file"] == file


def test_buckets_are_warmed_up_and_within_the_engine_of_tensorrt() -> None:
    tokenizer = parsed(REPOSITORY / "rerank_tokenize/config.pbtxt")
    buckets = [int(size) for size in parameters(tokenizer)["buckets"].split(",")]
    tensorrt = parsed(CROSS_ENCODER / "configs/tensorrt.pbtxt")
    assert widths(tensorrt) == buckets
    assert parameters(tokenizer)["max_pair_tokens"] == str(buckets[-1])
    (accelerator,) = tensorrt.optimization.execution_accelerators.gpu_execution_accelerator
    shapes = accelerator.parameters
    for name in ("input_ids", "attention_mask"):
        assert f"{name}:1x{buckets[0]}" in shapes["trt_profile_min_shapes"]
        assert f"{name}:{tensorrt.max_batch_size}x{buckets[-1]}" in shapes["trt_profile_max_shapes"]


def test_the_cuda_provider_is_first_and_tensorrt_is_chosen() -> None:
    first = parsed(CROSS_ENCODER / "config.pbtxt")
    assert first.backend == "onnxruntime"
    assert first.default_model_filename == "model.cuda.onnx"
    assert not first.optimization.execution_accelerators.gpu_execution_accelerator


def test_a_gpu_gets_requests_that_fill_it_and_a_cpu_small_ones() -> None:
    budget = {
        path: int(parameters(parsed(REPOSITORY / path))["batch_tokens"])
        for path in ("reranker/config.pbtxt", "reranker/configs/cpu.pbtxt")
    }
    assert budget == {"reranker/config.pbtxt": 16_384, "reranker/configs/cpu.pbtxt": 512}
