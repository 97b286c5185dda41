"""The check that a person with a GPU runs, on a CPU: weights made, exported, served, compared, timed, written down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deploy.triton.gpu_check.__main__ import main
from tests.triton_server import ROOT, triton_files

pytestmark = pytest.mark.triton
pytest.importorskip("tritonclient.grpc", reason="the extra openwork-serving[client] is not installed")


def test_the_check_of_a_gpu_is_rehearsed_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    triton_files()
    if not (ROOT / ".export-venv/bin/python").exists():
        pytest.skip("no PyTorch here; scripts/export-setup.sh installs it")
    written = tmp_path / "figures.json"
    options = ["--cpu-rehearsal", "--configs", "fp16,fp32", "--folder", str(tmp_path / "made"), "--json", str(written)]
    assert main(options) == 0
    table = capsys.readouterr().out
    assert "a rehearsal on a CPU: the times mean nothing" in table
    assert "| scores are the reference's | yes, within 0.05 | yes, within 0.02 |" in table
    found = json.loads(written.read_text())
    assert found["weights"] == "random weights, size 'tiny'"
    half, full = (found["configs"][f"CUDA {name}: its twin"] for name in ("FP16", "FP32"))
    assert 0 < full["largest_logit_difference"] < half["largest_logit_difference"] < 0.05
    for figures in (half, full):
        assert figures["first_start_s"] > 0
        assert figures["second_start_s"] > 0
        assert len(figures["latency_ms"]) == 8  # four buckets, two sizes
        assert all(cell["p95"] >= cell["p50"] > 0 for cell in figures["latency_ms"].values())
        assert all(rate > 0 for rate in figures["pairs_per_s"].values())
