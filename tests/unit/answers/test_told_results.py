"""What is read from sentences of abstracts as a result, with its arms, figures and interval; and what is not."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from openwork_answers.arms import arm_name
from openwork_answers.named_outcomes import outcome_in
from openwork_answers.reported import Arm
from openwork_answers.told import results_in, told_results
from openwork_contracts.evidence import AbstractPart, EvidenceCandidate
from openwork_language.sentences import split_sentences

from tests.unit.answers.made import DATA, passages, record

HERE = Path(__file__).parent


def rows(name: str) -> list[list[str]]:
    lines = (HERE / name).read_text().splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def marks(reason: str | None) -> list[pytest.MarkDecorator]:
    return [pytest.mark.xfail(strict=True, reason=reason)] if reason else []


def to_be_read() -> list[object]:
    found = []
    for sentence, *cells in rows("told_read.tsv"):
        known = cells[-1].removeprefix("known: ") if cells[-1].startswith("known:") else None
        found.append(pytest.param(sentence, cells[:-1] if known else cells, id=sentence[:50], marks=marks(known)))
    return found


def not_to_be_read() -> list[object]:
    """(kind, sentence)."""
    return [
        pytest.param(row[0], row[1], id=f"{row[0]}: {row[1][:50]}", marks=marks(row[2] if len(row) > 2 else None))
        for row in rows("told_not_read.tsv")
    ]


def in_cells(sentence: str) -> list[str]:
    """Each result as the data file writes it."""
    return [
        " | ".join(
            (
                found.outcome,
                " v ".join(found.comparison),
                " v ".join(map(figures, found.arms)),
                effect(found.effect),
                found.time or "",
            )
        )
        for found in results_in(sentence)
    ]


def figures(arm: Arm) -> str:
    counts = f"{arm.events}/{arm.n}" if arm.events is not None else ""
    return " ".join(filter(None, (counts, arm.percent, f"per {arm.per}" if arm.per else "")))


def effect(estimate: object) -> str:
    if estimate is None:
        return ""
    measure, value, low, high, level = (
        getattr(estimate, name) for name in ("measure", "estimate", "ci_low", "ci_high", "ci_level")
    )
    return f"{measure} {value:g} ({low:g} to {high:g})" + ("" if level == 0.95 else f" {level}")


@pytest.mark.parametrize(("sentence", "cells"), to_be_read())
def test_a_result_is_read_with_the_arms_that_its_figures_are_of(sentence: str, cells: list[str]) -> None:
    assert in_cells(sentence) == cells


@pytest.mark.parametrize(("kind", "sentence"), not_to_be_read())
def test_figures_that_compare_no_two_arms_on_an_outcome_are_no_result(kind: str, sentence: str) -> None:
    """A predictor's odds, a dose, who was studied, more than two arms: read as a result it misleads."""
    assert in_cells(sentence) == [], kind


def test_the_sentences_hold_both_sides() -> None:
    assert len(rows("told_read.tsv")) >= 45
    assert len(rows("told_not_read.tsv")) >= 55
    assert len({row[0] for row in rows("told_not_read.tsv")}) >= 6


def abstracts() -> Iterator[str]:
    path = DATA / "benchmarks" / "pubmedqa" / "pqa_labeled.json.gz"
    if not path.is_file():
        pytest.skip("the shared data is not there (set OPENWORK_DATA to its folder)")
    items = json.loads(gzip.decompress(path.read_bytes()))
    for item in items.values() if isinstance(items, dict) else items:
        yield " ".join(item.get("CONTEXTS") or item.get("contexts") or ())


@pytest.mark.slow
def test_of_real_abstracts_every_figure_that_is_read_is_printed_and_none_stands_without_its_arm() -> None:
    n = 0
    for text in abstracts():
        for sentence in split_sentences(text):
            for found in results_in(sentence.text):
                n += 1
                printed = sentence.text.replace("\u2212", "-").replace("\u00b7", ".")
                assert all(arm.name for arm in found.arms)
                assert len(found.arms) in {0, 2}
                assert found.arms == () or len(found.comparison) == 2
                assert found.outcome in sentence.text
                for arm in found.arms:
                    assert arm.percent is None or arm.percent.lstrip("-").lstrip("0") in printed
    assert n >= 20  # most effects in this set are of predictors, which are none


def test_of_real_abstracts_every_effect_that_is_read_lies_within_its_interval() -> None:
    effects = [r.effect for text in abstracts() for s in split_sentences(text) for r in results_in(s.text) if r.effect]
    assert len(effects) >= 8
    for one in effects:
        assert one.ci_low is not None
        assert one.ci_high is not None
        assert one.ci_low <= one.estimate <= one.ci_high


def told(*parts: tuple[str | None, str]) -> list[tuple[str, tuple[str, ...]]]:
    work = record("Example trial", abstract=tuple(AbstractPart(label=label, text=text) for label, text in parts))
    return [(r.outcome, r.comparison) for r in told_results(1, work, ())]


OCCURRED = (
    "The primary outcome occurred in 386 of 2373 patients (16.3%) in the dapagliflozin group and in 502 of 2371 "
    "patients (21.2%) in the placebo group (hazard ratio, 0.74; 95% CI, 0.65 to 0.85)."
)


def test_the_primary_outcome_is_what_the_abstract_says_it_is() -> None:
    defined = "The primary outcome was a composite of worsening heart failure or cardiovascular death."
    assert told(("METHODS", defined), ("RESULTS", OCCURRED)) == [
        ("worsening heart failure or cardiovascular death", ("dapagliflozin", "placebo"))
    ]


def test_a_primary_outcome_that_nobody_defines_is_left_out() -> None:
    assert told(("RESULTS", OCCURRED)) == []


def test_a_sentence_that_is_in_a_passage_and_in_the_abstract_is_one_result() -> None:
    text = "Apixaban reduced stroke compared with warfarin (HR 0.79, 95% CI 0.66 to 0.95)."
    work: EvidenceCandidate = record("Example trial", text)
    found = list(told_results(3, work, passages([work]), first_place=2))
    assert [(r.n, r.outcome, r.place, r.passage_id, r.quote) for r in found] == [(3, "stroke", 2, "p1", text)]


@pytest.mark.parametrize(
    "label",
    [
        "FUNDING",
        "ABBREVIATIONS",
        "BACKGROUND",
    ],
)
def test_what_stands_under_a_heading_without_findings_is_no_result(label: str) -> None:
    text = "Apixaban reduced stroke compared with warfarin (HR 0.79, 95% CI 0.66 to 0.95)."
    assert told((label, text)) == []
    assert len(told(("RESULTS", text))) == 1


@pytest.mark.parametrize(
    ("clause", "outcome"),
    [
        ("The rate of major bleeding was lower", "major bleeding"),
        ("Dapagliflozin reduced the risk of hospitalisation for heart failure", "hospitalisation for heart failure"),
        ("There was no difference in all-cause mortality between the groups", "all-cause mortality"),
        ("In the dapagliflozin group, 276 had died from any cause", "died from any cause"),
        ("Fewer patients died from any cause", "died from any cause"),
        ("Aspiration thrombectomy was associated with a higher risk of stroke", "stroke"),
        ("The combined outcome of death, infarction, or stroke occurred", "death, infarction, or stroke"),
        (
            "Without a difference in infarction: cardiovascular mortality",
            "cardiovascular mortality",
        ),
        ("There was no difference in lower limb amputation", "lower limb amputation"),
        ("There were more ulcer relapses, but it had no effect among men", None),
        ("Gastric ulcers were completely healed", None),
        ("At 90 days, kidney failure had developed", "kidney failure"),
        ("In patients with diabetes, stroke was more frequent", "stroke"),
        ("The mean age of the participants was 66 years", None),
        ("The interquartile range of the scores was wide", None),
    ],
)
def test_an_outcome_is_taken_only_from_where_one_is_named(clause: str, outcome: str | None) -> None:
    assert outcome_in(clause) == outcome


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("women who were randomly assigned to digoxin had a", "digoxin"),
        ("508 losartan", "losartan"),
        ("Although the more intensive therapy group", "more intensive therapy group"),
        ("no charcoal", "no charcoal"),
        ("early", "early"),
        ("regimens using rifamycin for at least", "regimens using rifamycin"),
        ("2010", None),
        ("1 year", None),
        ("2 years later", None),
        ("P=0.03) and significantly", None),
        ("Yes", None),
        ("patients", None),
        ("a higher rate of stroke", None),
        ("reintubation and stroke", None),
        ("adjustment for age", None),
        ("incidence of stroke was significantly", None),
    ],
)
def test_an_arm_is_a_treatment_or_a_group_and_nothing_else(words: str, name: str | None) -> None:
    assert arm_name(words) == name
