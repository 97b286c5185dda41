"""The repository that Triton starts: every file that its configs name lies where Triton looks for it."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from openwork_reranker.export.manifest import Manifest, write_manifest

from deploy.triton import assemble
from tests.triton_server import REPOSITORY, ROOT, stand_in_weights

FOLDER = "bge-reranker-v2-m3"
NAMED = {None: "model.cuda.onnx", "tensorrt": "model.fp16.onnx", "fp32": "model.onnx"}
"""What the onnxruntime backend opens, by config."""


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    return stand_in_weights(tmp_path / "weights")


def run(weights: Path, target: Path, *options: str) -> int:
    return assemble.main([str(REPOSITORY), str(weights), str(target), *options])


@pytest.mark.parametrize("config_name", [None, "tensorrt", "fp32", "twin", "twin-fp16", "twin-fp32"])
def test_every_file_that_a_config_in_use_names_lies_in_its_version_folder(
    weights: Path, tmp_path: Path, config_name: str | None
) -> None:
    target = tmp_path / "repository"
    assert run(weights, target, *(["--config-name", config_name] if config_name else [])) == 0
    configs = assemble.configs_of(target, ["reranker"], config_name)
    assert set(configs) == {"reranker", "rerank_tokenize", "bge_reranker_onnx"}
    assert {name for config in configs.values() for name in config.files} >= {"tokenizer.json"}
    for model, config in configs.items():
        assert all((target / model / "1" / name).is_file() for name in config.files)
    if config_name in NAMED:
        assert configs["bge_reranker_onnx"].files == (NAMED[config_name],)


def test_weights_are_not_copied_within_a_file_system(weights: Path, tmp_path: Path) -> None:
    """They are gigabytes."""
    target = tmp_path / "repository"
    assert run(weights, target) == 0
    linked = target / "bge_reranker_onnx/1/model.cuda.onnx"
    assert linked.samefile(weights / FOLDER / "model.cuda.onnx")
    assert not linked.is_symlink()


def test_weights_of_another_file_system_are_reached_by_symbolic_links(
    weights: Path, tmp_path: Path, other_file_system: Path
) -> None:
    add_data(weights / FOLDER)
    target = other_file_system / "repository"
    assert run(weights, target, "--config-name", "fp32") == 0
    folder = target / "bge_reranker_onnx/1"
    for name in ("model.onnx", "model.onnx.data", "export.json"):
        assert (folder / name).is_symlink()
        assert (folder / name).samefile(weights / FOLDER / name)


@pytest.fixture
def other_file_system(tmp_path: Path) -> Iterator[Path]:
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK) or shared.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system here")
    folder = shared / f"openwork-{os.getpid()}-{tmp_path.name}"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def add_data(folder: Path) -> None:
    """Weights beside the graph, as large models have them."""
    (folder / "model.onnx.data").write_bytes(b"weights")
    found = json.loads((folder / "export.json").read_text())
    manifest = Manifest(found["model"], found["revision"], found["licence"])
    write_manifest(folder, manifest, [*found["sha256"], "model.onnx.data"])


def test_weights_beside_the_graph_come_along(weights: Path, tmp_path: Path) -> None:
    add_data(weights / FOLDER)
    target = tmp_path / "repository"
    assert run(weights, target, "--config-name", "fp32") == 0
    assert (target / "bge_reranker_onnx/1/model.onnx.data").read_bytes() == b"weights"
    (weights / FOLDER / "model.onnx.data").unlink()
    assert run(weights, target, "--config-name", "fp32") == 1


def test_a_repository_is_written_anew(weights: Path, tmp_path: Path) -> None:
    """What an older one had is gone; what Python left beside the models does not come along."""
    target = tmp_path / "repository"
    (target / "old_model/1").mkdir(parents=True)
    (tmp_path / "repository.new/half").mkdir(parents=True)  # left by one that was killed
    assert run(weights, target) == 0
    assert run(weights, target) == 0
    assert {path.name for path in target.iterdir()} == {path.name for path in REPOSITORY.iterdir()}
    assert not [*target.rglob("__pycache__")]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["repository", "weights"]


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda folder: folder.rename(folder.with_name("elsewhere")), "list every file of the export"),
        (lambda folder: (folder / "export.json").unlink(), "openwork_reranker.export.cross_encoder"),
        (lambda folder: (folder / "model.cuda.onnx").unlink(), "model.cuda.onnx is missing: list it in weights.txt"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "tokenizer.json is missing"),
        (lambda folder: (folder / "model.cuda.onnx").write_bytes(b"damaged"), "SHA-256"),
        (
            lambda folder: write_manifest(folder, Manifest("someone/else", "r1", "none"), ("model.cuda.onnx",)),
            "holds 'someone/else', the config promises 'BAAI/bge-reranker-v2-m3'",
        ),
        (
            lambda folder: write_manifest(folder, Manifest("BAAI/bge-reranker-v2-m3", "r1", "none"), ("model.onnx",)),
            "does not list model.cuda.onnx",
        ),
    ],
    ids=["no folder", "no export.json", "no file", "no tokenizer", "damaged", "others", "not listed"],
)
def test_what_is_missing_is_said_with_what_to_do_and_the_repository_stays_as_it_was(
    weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], break_it: Callable[[Path], object], said: str
) -> None:
    target = tmp_path / "repository"
    assert run(weights, target) == 0
    (target / "as it was").touch()
    capsys.readouterr()
    break_it(weights / FOLDER)
    assert run(weights, target) == 1
    assert said in capsys.readouterr().err
    assert (target / "as it was").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--config-name", "tensort"], "no model behind reranker has configs/tensort.pbtxt"),
        (["--model", "rerankr"], "there is no model 'rerankr'"),
    ],
)
def test_a_misspelt_name_is_an_error_and_not_another_config(
    weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert run(weights, tmp_path / "repository", *options) == 1
    assert said in capsys.readouterr().err


def test_an_empty_config_name_is_none(weights: Path, tmp_path: Path) -> None:
    """What a setting that is not set gives."""
    assert run(weights, tmp_path / "repository", "--config-name", "") == 0


def test_comments_name_no_files() -> None:
    text = '# default_model_filename: "a"\nname: "x#y" # model_name: "b"\ndefault_model_filename: "c"  # "d"\n'
    assert assemble.read_config(text) == assemble.ModelConfig(("c",), {}, ())


def test_compose_mounts_the_weights_where_the_image_looks_for_them() -> None:
    image = (ROOT / "deploy/docker/triton-gpu.Dockerfile").read_text()
    block = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["triton-gpu"]
    (looked_for,) = re.findall(r"\bOPENWORK_MODELS=(\S+)", image)
    assert f"./models:{looked_for}:ro" in block["volumes"]
    assert "OPENWORK_TRITON_CONFIG" in block["environment"]
    assert 'CMD ["sh", "/opt/openwork/serve_gpu.sh"]' in image
