"""The parts of the evaluation: each gives its figures, and the judged cases they are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.eval.fidelity import benchmarks, cells, directions, handwritten, planted
from tests.eval.fidelity.benchmarks import SUPPORT
from tests.eval.fidelity.judging import Figure, Judged, judge_all
from tests.eval.fidelity.statistics import macro_f1


@dataclass(frozen=True, slots=True)
class Options:
    """What a run may be told."""

    data: Path | None
    held_out: bool = False
    """Run the sentences that are kept apart as well. Once: looking at them again makes them development data."""


@dataclass
class Result:
    """What one part found."""

    figures: list[Figure] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    scores: dict[str, float] = field(default_factory=dict)
    """Figures that are no shares, by name."""
    text: str = ""
    """What else is worth printing."""


class DataMissingError(RuntimeError):
    """A part needs the data set, which is not here: set OPENWORK_DATA."""


def run_cells(options: Options) -> Result:
    """Figures of trials and of tables of studies, told of the right cell and of wrong ones."""
    data = _data(options)
    judged = judge_all(cells.cases(data))
    return Result(cells.figures(judged), judged, text=cells.fallen_out(data))


def run_planted(options: Options) -> Result:
    """Errors by rule, verbatim and faithful sentences. Without the data set, from the library's records alone."""
    judged = judge_all(planted.cases(options.data))
    return Result(planted.figures(judged), judged)


def run_directions(options: Options) -> Result:
    """Claims by template from Evidence Inference."""
    judged = judge_all(directions.cases(_data(options)))
    return Result(directions.figures(judged), judged)


def run_handwritten(options: Options) -> Result:
    """Sentences written by hand; the ones kept apart only if asked for."""
    result, first = Result(), []
    files = {name: path for name, path in handwritten.files().items() if name != "held_out" or options.held_out}
    for name, path in files.items():
        judged = judge_all(handwritten.cases(handwritten.read(path), handwritten.texts(options.data)))
        result.figures += handwritten.figures(name.replace("_", " "), judged)
        first += judged if name in handwritten.FIRST else []
        if name != "held_out":  # whoever reads its misses has made it development data
            result.judged += judged
    if set(handwritten.FIRST) <= set(files):
        result.figures = handwritten.summary("both together", first) + result.figures
    if not files:
        result.text = f"no sentences in {handwritten.HERE}"
    return result


def run_benchmarks(options: Options) -> Result:
    """Labelled claim sets of others."""
    data, result = _data(options), Result()
    for name, (_, labels) in benchmarks.SETS.items():
        pairs = benchmarks.results(name, data)
        right = [said for truth, said in pairs if truth == SUPPORT]
        wrong = [said for truth, said in pairs if truth != SUPPORT]
        result.figures += [
            Figure("benchmarks", f"{name}: right, supported", right.count(SUPPORT), len(right)),
            Figure("benchmarks", f"{name}: right, called contradicted", right.count(benchmarks.REFUTE), len(right)),
            Figure("benchmarks", f"{name}: wrong or unsupported, shown", wrong.count(SUPPORT), len(wrong)),
        ]
        if len(labels) == 3:
            result.scores[f"{name}: macro F1, 3 labels"] = macro_f1(pairs, labels)
        two = [(str(truth == SUPPORT), str(said == SUPPORT)) for truth, said in pairs]
        result.scores[f"{name}: macro F1, support or not"] = macro_f1(two, ("True", "False"))
    return result


PARTS: dict[str, Callable[[Options], Result]] = {
    "handwritten": run_handwritten,
    "directions": run_directions,
    "cells": run_cells,
    "planted": run_planted,
    "benchmarks": run_benchmarks,
}


def _data(options: Options) -> Path:
    if options.data is None:
        raise DataMissingError("this part reads the recorded data set: set OPENWORK_DATA to it")
    return options.data
