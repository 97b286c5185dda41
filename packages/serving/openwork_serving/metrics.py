"""What is counted of model servers: requests with their size and time, and how they failed."""

from __future__ import annotations

from openwork_bus.figures import Counter, Figures, Histogram

ROWS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Bounds of a batch; models of ours take 64 rows at most."""

BATCH_ROWS = Histogram(
    "openwork_triton_batch_rows", ("model",), "Texts or pairs in one request that a model server answered.", ROWS
)
BATCH_SECONDS = Histogram(
    "openwork_triton_request_seconds", ("model",), "From one request to a model server to its answer."
)
FAULTS = Counter(
    "openwork_triton_faults_total",
    ("model", "fault"),
    "Requests to a model server that failed, by why; most are tried again.",
)
METRICS = (BATCH_ROWS, BATCH_SECONDS, FAULTS)


def count_batch(figures: Figures, model: str, *, rows: int, seconds: float) -> None:
    """A request that was answered."""
    figures.observe(BATCH_ROWS, model, value=rows)
    figures.observe(BATCH_SECONDS, model, value=seconds)
