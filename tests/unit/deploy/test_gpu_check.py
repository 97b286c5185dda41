"""What the check of a GPU says of what it measured; tests/integration/test_gpu_rehearsal.py rehearses it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from openwork_contracts.errors import ModelUnavailable, UsageError
from openwork_reranker.export.checks import MAX_DIFFERENCE

from deploy.triton.assemble import configs_of
from deploy.triton.gpu_check import bare
from deploy.triton.gpu_check.__main__ import CONFIGS, check_one, config_named
from deploy.triton.gpu_check.cells import TF32, median_and_95th
from deploy.triton.gpu_check.measuring import Figures
from deploy.triton.gpu_check.servers import Container, Server, last_lines
from deploy.triton.gpu_check.table import is_right, table, write_json
from tests.triton_server import REPOSITORY

GOOD = Figures(12.5, 8.0, 0.004, 0.001, {1: 1234.5, 8: 5678.0}, {"64 x 1": (3.21, 4.56)}, 2.5)


class Scripted(Server):
    """A server that starts as often as it is told to."""

    starts: list[bool]
    stopped = 0

    def start(self, timeout_s: float = 1) -> float:
        if not self.starts.pop(0):
            raise ModelUnavailable("it did not start: no CUDA-capable device is detected")
        return 2.0

    def stop(self) -> None:
        Scripted.stopped += 1

    def _launch(self) -> None:
        pass

    def _runs(self) -> bool:
        return True

    def _log(self) -> str:
        return ""


def test_the_table_has_a_column_per_config_and_says_whether_the_scores_are_right() -> None:
    wrong = Figures(1.0, 1.0, 0.2, 0.05, {1: 10.0})
    dead = Figures(failed="it did not start: CUDA error | out of memory")
    text = table({"A": GOOD, "B": wrong, "C": dead}, {"A": 0.05, "B": 0.05, "C": 0.05})
    rows = {cells[0]: cells[1:] for cells in (line.strip("| ").split(" | ") for line in text.splitlines())}
    assert rows["first start, s"] == ["12.5", "1.0", "-"]
    assert rows["pairs/s, 8 questions at once (100 x 256 tokens)"] == ["5,678", "-", "-"]
    assert rows["ms at 64 x 1 (tokens x pairs), p50 / p95"] == ["3.2 / 4.6", "-", "-"]
    assert rows["scores are the reference's"] == [
        "yes, within 0.05",
        "NO: more than 0.05",
        "FAILED: it did not start: CUDA error / out of memory",
    ]
    assert len({line.count("|") for line in text.splitlines()}) == 1


@pytest.mark.parametrize(("difference", "right"), [(0.05, True), (0.051, False), (float("nan"), False), (None, False)])
def test_scores_are_right_within_the_bound_alone(difference: float | None, right: bool) -> None:
    assert is_right(Figures(logit_difference=difference), 0.05) is right


@pytest.mark.parametrize(
    ("starts", "first", "second", "failed"),
    [([True, True], 2.0, 2.0, ""), ([False], None, None, "no CUDA"), ([True, False], 2.0, None, "no CUDA")],
)
def test_a_start_that_fails_is_said_and_nothing_is_left_running(
    starts: list[bool], first: float | None, second: float | None, failed: str
) -> None:
    made: list[Scripted] = []

    def start_as() -> Scripted:
        server = Scripted(None, Path())
        server.starts = starts
        made.append(server)
        return server

    Scripted.stopped = 0
    figures = check_one(start_as, lambda server: Figures(logit_difference=0.0))
    assert (figures.first_start_s, figures.second_start_s) == (first, second)
    assert failed in figures.failed
    assert Scripted.stopped >= len(made)


def test_a_container_gets_every_gpu_the_weights_and_the_config_and_its_end_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a `docker` that writes down what it is told and whose container ends at once."""
    docker = tmp_path / "docker"
    docker.write_text(
        f'#!/bin/sh\necho "$@" >>{tmp_path}/told\n'
        'case $1 in inspect) echo false ;; logs) echo "E1 no CUDA-capable device is detected" >&2 ;; esac\n'
    )
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    server = Container("tensorrt", tmp_path, "localhost/openwork/triton-gpu:0.1.0")
    with pytest.raises(ModelUnavailable, match="no CUDA-capable device"):
        server.start()
    run, *_, stop, remove = (tmp_path / "told").read_text().splitlines()
    assert run.startswith("run --detach --gpus all ")
    assert f"--publish 127.0.0.1:{server.grpc_port}:8001" in run
    assert f"--volume {tmp_path}:/models/weights:ro" in run
    assert run.endswith("--env OPENWORK_TRITON_CONFIG=tensorrt localhost/openwork/triton-gpu:0.1.0")
    assert (stop.split()[0], remove.split()[0]) == ("stop", "rm")


def test_the_file_has_every_figure_with_its_unit(tmp_path: Path) -> None:
    write_json(tmp_path / "x.json", {"machine": "m"}, {"A": GOOD})
    found = json.loads((tmp_path / "x.json").read_text())
    assert found["machine"] == "m"
    assert found["configs"]["A"]["pairs_per_s"] == {"1 at once": 1234.5, "8 at once": 5678.0}
    assert found["configs"]["A"]["latency_ms"]["64 x 1"] == {"p50": 3.21, "p95": 4.56}
    assert found["configs"]["A"]["failed"] is None


@pytest.mark.parametrize(
    ("values", "expected"), [([5.0], (5.0, 5.0)), ([*range(1, 21)], (10.5, 19)), ([*range(100, 0, -1)], (50.5, 95))]
)
def test_percentiles_are_of_the_values_themselves(values: list[float], expected: tuple[float, float]) -> None:
    assert median_and_95th(values) == expected


def test_the_checks_configs_are_the_repositorys() -> None:
    """Each exists, and its twin reads the same file."""
    for config in CONFIGS.values():
        gpu, twin = (configs_of(REPOSITORY, ["reranker"], name) for name in (config.name, config.twin))
        assert gpu["bge_reranker_onnx"].files == twin["bge_reranker_onnx"].files


def test_a_config_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match="no config 'fp8'; there are fp16, tensorrt, fp32"):
        config_named("fp8")


def test_the_errors_of_a_log_come_before_its_last_lines() -> None:
    assert last_lines("I a\nE1 bad\nI b\n") == "E1 bad"
    assert last_lines("a\nb\n") == "a | b"


def test_the_check_without_a_server_has_the_bounds_of_the_one_with_it() -> None:
    """Its FP16 bound is written there again: it runs where the exporter is not installed."""
    exported = {name: MAX_DIFFERENCE[name] for name in ("model.cuda.onnx", "model.fp16.onnx")}
    assert exported | {"model.onnx": TF32} == bare.BOUNDS
