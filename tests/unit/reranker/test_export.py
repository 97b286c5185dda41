"""The export of the weights: its checks and manifest; the whole of it on a tiny model where torch is installed."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path

import pytest
from openwork_reranker.adapters.minilm import TOKENIZER_FILE
from openwork_reranker.export.checks import MAX_DIFFERENCE, SAMPLE_PAIRS, failures, largest_difference
from openwork_reranker.export.manifest import Manifest, read_manifest, sha256_of, write_manifest
from openwork_reranker.export.minilm import main, prepare

_LIBRARIES = ("torch", "transformers", "onnx", "onnxscript", "onnxruntime", "tokenizers")


def test_manifest_names_every_file_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"abc")
    written = write_manifest(tmp_path, Manifest("a/model", "r1", "Apache-2.0"), ["model.onnx"])
    assert written.sha256 == {"model.onnx": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}
    assert read_manifest(tmp_path) == written


def test_exports_within_their_bounds_pass_and_others_are_named() -> None:
    fine = {name: bound / 2 for name, bound in MAX_DIFFERENCE.items()}
    assert failures(fine) == []
    assert len(failures({**fine, "model.onnx": 0.1})) == 1
    assert len(failures({**fine, "model.int8.onnx": math.nan})) == 1


@pytest.mark.parametrize("exported", [[1.0], [1.0, math.nan], [1.0, math.inf]])
def test_short_or_infinite_logits_are_infinitely_wrong(exported: list[float]) -> None:
    assert largest_difference([1.0, 2.0], exported) == math.inf


def test_sample_pairs_hold_what_breaks_exports() -> None:
    """A pair that is cut, one without a passage, and none twice."""
    assert len(set(SAMPLE_PAIRS)) == len(SAMPLE_PAIRS)
    assert any(len(passage.split()) > 200 for _, passage in SAMPLE_PAIRS)
    assert any(not passage for _, passage in SAMPLE_PAIRS)


def test_tokenizer_is_the_published_one() -> None:
    """Its digest is the one that the README beside it names."""
    assert sha256_of(TOKENIZER_FILE) in TOKENIZER_FILE.with_name("README.md").read_text()


def test_other_weights_than_those_measured_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx = tmp_path / "other.onnx"
    onnx.write_bytes(b"something else")
    with pytest.raises(ValueError, match="expected"):
        prepare(onnx, tmp_path / "minilm")
    assert main(["--onnx", str(onnx), "--to", str(tmp_path / "minilm")]) == 1
    assert "SHA-256" in capsys.readouterr().err


@pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in _LIBRARIES),
    reason="the extra openwork-reranker[export] is not installed",
)
@pytest.mark.filterwarnings("default")
def test_tiny_model_of_the_same_shape_is_exported_and_agrees(tmp_path: Path) -> None:
    """XLM-RoBERTa with random weights goes the whole way that BGE goes."""
    import transformers  # type: ignore[import-not-found,unused-ignore]
    from openwork_reranker.export.cross_encoder import export

    config = transformers.XLMRobertaConfig(
        vocab_size=30_522,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=514,
        type_vocab_size=1,
        pad_token_id=0,
        num_labels=1,
    )
    source = tmp_path / "original"
    transformers.XLMRobertaForSequenceClassification(config).save_pretrained(source)
    transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(TOKENIZER_FILE), pad_token="[PAD]", model_input_names=["input_ids", "attention_mask"]
    ).save_pretrained(source)
    manifest = export(str(source), tmp_path / "exported", name="test/tiny")
    assert failures(manifest.checks) == []
    assert json.loads((tmp_path / "exported" / "export.json").read_text())["model"] == "test/tiny"
