"""The gate's part of docs/evaluation.md: what is wanted, what the first run was, what it is now."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.eval.fidelity.judging import MIN_JUDGED
from tests.eval.fidelity.parts import Result
from tests.eval.fidelity.speed import N_ABSTRACTS, N_CLAIMS, WANTED_MS, Timing
from tests.eval.fidelity.statistics import wilson

BEGIN = "<!-- gate:begin -->"
END = "<!-- gate:end -->"
FIRST_RUN = Path(__file__).parent / "first_run.json"
_TITLE = "# Evaluation\n"
_HEAD = ("measure", "wanted", "first run", "now", "95% interval", "n", "")
_INTRODUCTION = f"""\
`python -m tests.eval.fidelity scorecard --write docs/evaluation.md` writes this part. No language model and no
key takes part in any figure here. *First run* is the gate as it was when these sets were made
(`tests/eval/fidelity/first_run.json`), *now* is the gate as it is. Intervals are Wilson's, 95%; several claims of one
abstract count as if they were independent. Of right claims *supported* counts `supported` alone; of wrong ones *shown*
counts `not_a_claim` too, since such a sentence is not checked. Kinds with fewer than {MIN_JUDGED} cases are printed and
not judged.
"""
_PARTS = {
    "handwritten": "### Sentences written by hand, in words of their own\n\n"
    "From the abstracts of the shared sets. Those kept apart (*held out*) guided no change: their figures were read "
    "for the first run and for this table, their misses never. The *second* and *third* set are of other writers and "
    "of other abstracts, written when most of the gate stood; the second was looked at afterwards, of the third only "
    "what was called contradicted.\n",
    "directions": "### Directions of trials\n\n"
    "Claims by template over the prompts of Evidence Inference on which all annotators agree, against the annotated "
    "sentences and against the abstract; `tests/eval/fidelity/directions.py` has the rules. The rows *arms and outcome "
    "named* leave out evidence that does not say which arms were compared or what was measured.\n",
    "cells": "### Cells of tables and texts\n\n"
    "Figures that people extracted from trials, against the paragraph or table they stand in (rendered as the product "
    "renders tables), and published tables of meta-analyses; each told of its cell and of wrong ones.\n",
    "planted": "### Planted errors, and the same sentences told faithfully\n\n"
    "One error by rule in a sentence its abstract bears out (`tests/eval/fidelity/errors/`), against that abstract and "
    "two others; word lists and patterns are the evaluation's own.\n",
    "benchmarks": "### Labelled claim sets of others\n\n"
    "Development halves; nothing was fitted on them. `supported` is read as entailed, `contradicted` as refuted, every "
    "other verdict as not enough information.\n",
}


def as_json(results: Mapping[str, Result], timing: Timing | None) -> dict[str, Any]:
    """Every figure of a run; a first run is kept as this."""
    made: dict[str, Any] = {
        "figures": [figure.as_json() | {"standing": figure.standing} for r in results.values() for figure in r.figures],
        "scores": {name: round(score, 4) for r in results.values() for name, score in r.scores.items()},
        "texts": {part: r.text for part, r in results.items() if r.text},
    }
    if timing:
        made["speed"] = {"cold_ms": round(timing.cold_ms, 1), "warm_ms": round(timing.warm_ms, 1)}
    return made


def first_run(path: Path = FIRST_RUN) -> dict[str, Any]:
    """The figures of the first run, or nothing."""
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def scorecard(now: Mapping[str, Any], first: Mapping[str, Any]) -> str:
    """The whole part, as markdown."""
    blocks = [_INTRODUCTION, _speed(now, first)]
    for part, heading in _PARTS.items():
        rows = _rows(part, now, first)
        if rows:
            blocks += [
                heading,
                *([now["texts"][part] + "\n"] if part in now.get("texts", {}) else []),
                _table(_HEAD, rows),
            ]
    if now["scores"]:
        rows = [[name, _score(first, name), _score(now, name)] for name in now["scores"]]
        blocks.append(_table(("macro F1", "first run", "now"), rows))
    return "\n".join(blocks)


def write(text: str, path: Path) -> None:
    """Put the part between its markers; a document without them gets it at its end."""
    document = path.read_text(encoding="utf-8") if path.exists() else _TITLE
    part = f"{BEGIN}\n\n{text.strip()}\n\n{END}"
    if BEGIN in document and END in document:
        before, rest = document.split(BEGIN, 1)
        document = before + part + rest.split(END, 1)[1]
    else:
        document = f"{document.rstrip()}\n\n{part}\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document, encoding="utf-8")


def _rows(part: str, now: Mapping[str, Any], first: Mapping[str, Any]) -> list[list[str]]:
    """In the order of this run; what only the first run has (sentences run once) comes last."""
    current = {f["measure"]: f for f in now["figures"] if f["part"] == part}
    before = {f["measure"]: f for f in first.get("figures", ()) if f["part"] == part}
    rows = []
    for measure in dict.fromkeys((*current, *before)):
        told = current.get(measure) or before[measure]
        low, high = wilson(told["hits"], told["n"])  # not the rounded ones that are kept
        rows.append(
            [
                measure,
                (told["bar"] or "").replace(">=", "≥").replace("<=", "≤"),
                _share(before.get(measure)),
                _share(current.get(measure)),
                f"[{low:.1%}, {high:.1%}]",
                f"{told['n']:,}",
                current[measure]["standing"] if measure in current else "not run again",
            ]
        )
    return rows


def _speed(now: Mapping[str, Any], first: Mapping[str, Any]) -> str:
    if "speed" not in now:
        return ""
    rows = [
        [name, f"≤ {WANTED_MS} ms", _ms(first.get("speed", {}).get(key)), _ms(now["speed"][key])]
        for name, key in (("empty caches", "cold_ms"), ("texts already read", "warm_ms"))
    ]
    head = (f"CPU, {N_CLAIMS} claims on {N_ABSTRACTS} abstracts", "wanted", "first run", "now")
    return _table(head, rows)


def _ms(value: float | None) -> str:
    return "" if value is None else f"{value:.0f} ms"


def _share(figure: Mapping[str, Any] | None) -> str:
    return "" if figure is None else f"{figure['hits'] / max(figure['n'], 1):.1%}"


def _score(run: Mapping[str, Any], name: str) -> str:
    return f"{run['scores'][name]:.3f}" if name in run.get("scores", {}) else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
