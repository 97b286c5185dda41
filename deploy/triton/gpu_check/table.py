"""One table of what was measured, and one file of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from deploy.triton.gpu_check.measuring import CANDIDATE_TOKENS, CANDIDATES, Figures, as_json

Row = tuple[str, Callable[[Figures], str]]


def table(columns: Mapping[str, Figures], bounds: Mapping[str, float]) -> str:
    """Markdown: a column per config.

    Args:
        bounds: by config, the largest difference of a logit that its precision explains.
    """
    lines = [f"| | {' | '.join(columns)} |", f"|{'---|' * (len(columns) + 1)}"]
    lines += [f"| {name} | {' | '.join(map(say, columns.values()))} |" for name, say in _rows(columns)]
    verdicts = [_verdict(figures, bounds[name]) for name, figures in columns.items()]
    lines.append(f"| scores are the reference's | {' | '.join(verdicts)} |")
    return "\n".join(lines)


def is_right(figures: Figures, bound: float) -> bool:
    """Whether it ran, with differences that its precision explains."""
    return not figures.failed and figures.logit_difference is not None and figures.logit_difference <= bound


def _verdict(figures: Figures, bound: float) -> str:
    if figures.failed:
        return f"FAILED: {figures.failed[:300].replace('|', '/')}"
    return f"yes, within {bound:g}" if is_right(figures, bound) else f"NO: more than {bound:g}"


def _rows(columns: Mapping[str, Figures]) -> Sequence[Row]:
    rows: list[Row] = [
        ("first start, s", lambda f: _number(f.first_start_s, ".1f")),
        ("second start, s", lambda f: _number(f.second_start_s, ".1f")),
        ("GPU memory, GB", lambda f: _number(f.gpu_memory_gb, ".1f")),
        ("largest difference of a logit", lambda f: _number(f.logit_difference, ".1e")),
        ("largest difference of a score", lambda f: _number(f.score_difference, ".1e")),
    ]
    for together in sorted({n for figures in columns.values() for n in figures.pairs_per_s}):
        name = f"pairs/s, {together} question{'s at once' if together > 1 else ''}"
        rows.append((f"{name} ({CANDIDATES} x {CANDIDATE_TOKENS} tokens)", _throughput(together)))
    cells = dict.fromkeys(cell for figures in columns.values() for cell in figures.latency_ms)
    return [*rows, *((f"ms at {cell} (tokens x pairs), p50 / p95", _latency(cell)) for cell in cells)]


def _throughput(together: int) -> Callable[[Figures], str]:
    return lambda figures: _number(figures.pairs_per_s.get(together), ",.0f")


def _latency(cell: str) -> Callable[[Figures], str]:
    def say(figures: Figures) -> str:
        found = figures.latency_ms.get(cell)
        return "-" if found is None else f"{found[0]:.1f} / {found[1]:.1f}"

    return say


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def write_json(path: Path, facts: Mapping[str, object], columns: Mapping[str, Figures]) -> None:
    """The same as a file, for whoever compares two machines."""
    body = {**facts, "configs": {name: as_json(figures) for name, figures in columns.items()}}
    path.write_text(json.dumps(body, indent=2) + "\n")
