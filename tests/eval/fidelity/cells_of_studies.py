"""Cells of published tables of meta-analyses (facts, re-saved as CSV), and the effects pooled from them.

A table is rendered as the product renders tables: a caption, a line per row, cells parted by " | ".
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from openwork_contracts.verdict import EvidenceItem

from tests.eval.fidelity.cell_claims import Cell, Figures, claims_of, of_another, told
from tests.eval.fidelity.judging import Case

TABLES = "tables of studies"
POOLED = "pooled effects"
OTHER_STUDY = "figures of another study"
POOLED_KINDS = ("right effect", "effect of another measure or model", "direction turned", "number off")
SEED = 20241204
MAX_ROWS = 25
"""Rows of one table: longer ones are cut as a page would cut them."""
CELLS_PER_TABLE = 10
PER_CELL = 1


@dataclass(frozen=True, slots=True)
class Table:
    """How a data set is read: label columns, outcome, arms, (events, group) columns of both arms."""

    name: str
    label: tuple[str, ...]
    arms: tuple[str, str]
    outcomes: tuple[tuple[str, str, str], ...]
    """(outcome, events column of the first arm, of the second); further ones give figures of another outcome."""
    sizes: tuple[str, str]
    only: tuple[str, str] = ("", "")
    """Rows with this value in this column."""


_TABLES = (
    Table("axfors2021", ("acronym",), ("with hydroxychloroquine or chloroquine", "in the control arm"),
          (("death", "hcq_arm_event", "control_arm_event"),), ("hcq_arm_total", "control_arm_total")),
    Table("cannon2006", ("trial",), ("with intensive statin therapy", "with moderate statin therapy"),
          (("coronary death or myocardial infarction", "ep1t", "ep1c"), ("endpoint 2", "ep2t", "ep2c"),
           ("endpoint 3", "ep3t", "ep3c"), ("endpoint 4", "ep4t", "ep4c"), ("endpoint 5", "ep5t", "ep5c")),
          ("nt", "nc")),
    Table("collins1985a", ("trial", "year"), ("with an H2 antagonist", "in the control group"),
          (("persistent or recurrent bleeding", "b.xti", "b.xci"), ("operation", "o.xti", "o.xci"),
           ("death", "d.xti", "d.xci")), ("nti", "nci")),
    Table("damico2009", ("study", "year"), ("with antibiotic prophylaxis", "in the control group"),
          (("respiratory tract infection", "xt", "xc"),), ("nt", "nc")),
    Table("hartmannboyce2018", ("study",), ("with nicotine replacement therapy", "in the control group"),
          (("abstinence", "x.nrt", "x.ctrl"),), ("n.nrt", "n.ctrl")),
    Table("hine1989", ("source",), ("with lidocaine", "in the control group"), (("death", "ai", "ci"),),
          ("n1i", "n2i")),
    Table("lau1992", ("trial",), ("with streptokinase", "in the control group"), (("death", "ai", "ci"),),
          ("n1i", "n2i")),
    Table("linde2005", ("study", "year"), ("with St John's wort", "with placebo"), (("response", "ai", "ci"),),
          ("n1i", "n2i")),
    Table("nielweise2007", ("author", "year"), ("with an anti-infective catheter", "with a standard catheter"),
          (("catheter-related bloodstream infection", "ai", "ci"),), ("n1i", "n2i")),
    Table("yusuf1985", ("trial",), ("with a beta blocker", "in the control group"), (("death", "ai", "ci"),),
          ("n1i", "n2i"), only=("table", "6")),
    Table("bcg", ("author", "year"), ("with BCG vaccination", "without vaccination"),
          (("tuberculosis", "tpos", "cpos"),), ("tall", "call")),
)  # fmt: skip
_MEASURES = {"RR": "risk ratio", "OR": "odds ratio"}
_MODELS = {
    "Mantel-Haenszel": "Mantel-Haenszel",
    "inverse-variance": "inverse-variance fixed-effect",
    "DerSimonian": "DerSimonian-Laird random-effects",
    "Peto": "Peto",
}


def cases(data: Path) -> Iterator[Case]:
    """Cells of every table, then the pooled effects."""
    folder = data / "benchmarks/meta-analysis"
    pooled = json.loads((folder / "pooled-effects.json").read_text(encoding="utf-8"))
    for table in _TABLES:
        random = Random(f"{SEED}:{table.name}")
        found = cells(folder, table, pooled[table.name]["title"])
        studies = list(dict.fromkeys(cell.study for cell in found))
        for study in random.sample(studies, min(CELLS_PER_TABLE, len(studies))):
            of_study = [cell for cell in found if cell.study == study]
            cell = random.choice(of_study)
            yield from claims_of(cell, of_study, TABLES, random, PER_CELL)
            yield from _of_another_study(cell, found, random)
        yield from pooled_cases(table, pooled[table.name], random)


def cells(folder: Path, table: Table, title: str) -> list[Cell]:
    """The cells of the first rows of a table, all with the same evidence."""
    rows = _rows(folder, table)[:MAX_ROWS]
    names = [" ".join(_digits(row[column]) for column in table.label) for row in rows]
    evidence = EvidenceItem(n=1, title=title, text=_rendered(table, title, rows, names))
    return [
        Cell(
            key=f"{table.name}: {name}",
            outcome=outcome,
            arms=table.arms,
            figures=(
                Figures(_digits(row[one]), _size(row, table, 0)),
                Figures(_digits(row[two]), _size(row, table, 1)),
            ),
            evidence=evidence,
            study=name,
        )
        for row, name in zip(rows, names, strict=True)
        for outcome, one, two in table.outcomes
        if row[one] and row[two] and names.count(name) == 1 and float(row[one]) + float(row[two]) > 0
    ]


def pooled_cases(table: Table, pooled: dict[str, Any], random: Random) -> Iterator[Case]:
    """Each pooled risk and odds ratio, told right and in three wrong ways."""
    effects = [e for e in pooled["recomputed"] if e["measure"] in _MEASURES]
    lines = [f"Pooled results. {pooled['title']}", "Measure | Model | Trials | Estimate | 95% CI"]
    for e in effects:
        interval = f"{e['ci_low']:.2f} to {e['ci_high']:.2f}"
        lines.append(f"{_MEASURES[e['measure']]} | {_model(e)} | {e['k']} | {e['estimate']:.2f} | {interval}")
    evidence = (EvidenceItem(n=1, title=pooled["title"], text="\n".join(lines)),)

    def case(kind: int, text: str) -> Case:
        return Case(f"{POOLED} | {POOLED_KINDS[kind]}", text, evidence, kind == 0, origin=table.name)

    for e in effects:
        shown = _wordings(e, e, table)
        for text in random.sample(shown, min(2, len(shown))):
            yield case(0, text)
        others = [o for o in effects if abs(o["estimate"] - e["estimate"]) >= 0.015]
        for other in random.sample(others, min(2, len(others))):
            yield case(1, random.choice(_wordings(e, other, table)))
        for text in _wordings(e, e, table, turned=True)[:-1]:
            yield case(2, text)
        for step in random.sample((0.11, 0.17, 0.23), 2):
            yield case(3, random.choice(_wordings(e, {**e, "estimate": e["estimate"] + step}, table)))


def _wordings(named: dict[str, Any], figures: dict[str, Any], table: Table, *, turned: bool = False) -> list[str]:
    """Sentences that name one effect's measure and model and tell the figures of another, or the same.

    A direction is told only of an effect whose interval leaves 1 out: of the others "less frequent" is not right.
    """
    outcome, treated, model = table.outcomes[0][0], table.arms[0], _model(named)
    value, measure = f"{figures['estimate']:.2f}", _MEASURES[named["measure"]]
    interval = f"95% CI {figures['ci_low']:.2f} to {figures['ci_high']:.2f}"
    less = (named["estimate"] < 1) != turned
    directed = (
        f"{outcome} was {'less' if less else 'more'} frequent {treated} ({model} {measure} {value}, {interval}).",
        f"By the {model} model, {outcome} was {'low' if less else 'high'}er {treated}: {measure} {value} ({interval}).",
    )
    settled = named["ci_high"] < 1 or named["ci_low"] > 1
    plain = f"The pooled {measure} for {outcome} {treated} was {value} ({interval}; {model})."
    return [text[0].upper() + text[1:] for text in (*(directed if settled else ()), plain)]


def _of_another_study(cell: Cell, found: Sequence[Cell], random: Random) -> Iterator[Case]:
    """The figures of another study of the table, told of this one."""
    others = [replace(o, study=cell.study, outcome=f"{o.outcome} of {o.study}") for o in found if o.study != cell.study]
    changed = of_another(cell, [o for o in others if o.outcome.startswith(cell.outcome)], random)
    for text in told(changed, random, PER_CELL) if changed else ():
        yield Case(f"{TABLES} | {OTHER_STUDY}", text, (cell.evidence,), False, origin=cell.key)


def _rows(folder: Path, table: Table) -> list[dict[str, str]]:
    with (folder / f"{table.name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    column, value = table.only
    for row in rows:
        if table.name == "bcg":  # the table has those without tuberculosis, not the groups
            row["tall"] = str(int(row["tpos"]) + int(row["tneg"]))
            row["call"] = str(int(row["cpos"]) + int(row["cneg"]))
    chosen = [row for row in rows if not column or row[column] == value]
    return [row for row in chosen if all(row[size] for size in table.sizes)]


def _rendered(table: Table, title: str, rows: Sequence[dict[str, str]], names: Sequence[str]) -> str:
    first, second = (arm.removeprefix("with ").removeprefix("in the ") for arm in table.arms)
    columns = [f"{outcome}, {arm}" for outcome, _, _ in table.outcomes for arm in (first, second)]
    lines = [f"Table 1. {title}", " | ".join(["Study", f"n, {first}", f"n, {second}", *columns])]
    for row, name in zip(rows, names, strict=True):
        events = [_digits(row[column]) for _, one, two in table.outcomes for column in (one, two)]
        lines.append(" | ".join([name, *(str(_size(row, table, i)) for i in (0, 1)), *events]))
    return "\n".join(lines)


def _size(row: dict[str, str], table: Table, arm: int) -> int:
    return int(float(row[table.sizes[arm]]))


def _digits(value: str) -> str:
    """ "8.0" is 8."""
    return value.removesuffix(".0")


def _model(effect: dict[str, Any]) -> str:
    return next(name for start, name in _MODELS.items() if effect["model"].startswith(start))
