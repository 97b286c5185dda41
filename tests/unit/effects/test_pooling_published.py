"""Pooled figures of reviews and textbooks, within their printed digits; skipped where the tables are absent."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from openwork_effects import Group, Sample
from openwork_effects.pooling import (
    Measure,
    Pooled,
    StudyEffect,
    dersimonian_laird,
    effect_of_counts,
    effect_of_samples,
    inverse_variance,
    mantel_haenszel,
    peto,
    reml,
    synthesise,
)

pytestmark = pytest.mark.data

DATA = Path(os.environ.get("OPENWORK_DATA") or Path(__file__).resolve().parents[4] / "shared" / "data")
TABLES = DATA / "benchmarks/meta-analysis"


def rows(name: str) -> Iterator[dict[str, str]]:
    path = TABLES / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def whole(text: str) -> int:
    return int(float(text))


def read(name: str, columns: tuple[str, str, str, str], keep: Callable[[int, dict[str, str]], bool]) -> list[Group]:
    groups = []
    for number, row in enumerate(rows(name), 1):
        if keep(number, row) and all(row[column] for column in columns):
            a, n1, c, n2 = (whole(row[column]) for column in columns)
            groups += [Group(a, n1), Group(c, n2)]
    return groups


def everything(number: int, row: dict[str, str]) -> bool:
    return True


METAFOR = ("ai", "n1i", "ci", "n2i")


def studies(
    name: str,
    measure: Measure,
    columns: tuple[str, str, str, str] = METAFOR,
    keep: Callable[[int, dict[str, str]], bool] = everything,
) -> list[StudyEffect]:
    """Of ratios those that have one."""
    groups = read(name, columns, keep)
    pairs = list(zip(groups[::2], groups[1::2], strict=True))
    defined = [(a, b) for a, b in pairs if measure is Measure.RISK_DIFFERENCE or 0 < a.events + b.events < a.n + b.n]
    return [effect_of_counts(f"{name} {i}", a, b, measure) for i, (a, b) in enumerate(defined)]


def printed(pooled: Pooled, digits: int) -> tuple[float, float, float]:
    effect = pooled.estimate
    return round(effect.estimate, digits), round(effect.low, digits), round(effect.high, digits)


def bcg(measure: Measure) -> list[StudyEffect]:
    found = []
    for row in rows("bcg"):
        a, b, c, d = (whole(row[column]) for column in ("tpos", "tneg", "cpos", "cneg"))
        found.append(effect_of_counts(f"{row['author']} {row['year']}", Group(a, a + b), Group(c, c + d), measure))
    return found


def test_bcg_vaccine_is_as_stata_prints_it() -> None:
    """Colditz 1994 by metan: RR 0.4896 (0.3449 to 0.6950), tau squared 0.3088; MH RR 0.6353, Q 152.5676; OR 0.6229."""
    random = dersimonian_laird(bcg(Measure.RISK_RATIO))
    assert printed(random, 4) == (0.4896, 0.3449, 0.6950)
    assert random.heterogeneity.tau2 == pytest.approx(0.3088, abs=5e-5)
    assert random.heterogeneity.i2 == pytest.approx(0.921173, abs=5e-7)
    fixed = mantel_haenszel(bcg(Measure.RISK_RATIO))
    assert printed(fixed, 4) == (0.6353, 0.5881, 0.6862)
    assert fixed.heterogeneity.q == pytest.approx(152.5676, abs=5e-5)
    assert printed(mantel_haenszel(bcg(Measure.ODDS_RATIO)), 4) == (0.6229, 0.5748, 0.6750)


def test_lidocaine_after_infarction_is_as_normand_prints_it() -> None:
    """Normand 1999, Table VII: risk difference 2.9444 (0.3831 to 5.5058) of 100; REML finds no variance either."""
    found = studies("hine1989", Measure.RISK_DIFFERENCE)
    for pooled in (inverse_variance(found), reml(found, hartung_knapp=False), dersimonian_laird(found)):
        effect = pooled.estimate
        assert [round(100 * v, 4) for v in (effect.estimate, effect.low, effect.high)] == [2.9444, 0.3831, 5.5058]


def test_intensive_statins_are_as_cannon_prints_them() -> None:
    """OR 0.84 (0.77 to 0.91)."""
    columns = ("ep1t", "nt", "ep1c", "nc")
    assert printed(mantel_haenszel(studies("cannon2006", Measure.ODDS_RATIO, columns)), 2) == (0.84, 0.77, 0.91)


def test_nicotine_replacement_is_as_cochrane_prints_it() -> None:
    """CD000146: RR 1.55 (1.49 to 1.61)."""
    columns = ("x.nrt", "n.nrt", "x.ctrl", "n.ctrl")
    found = studies("hartmannboyce2018", Measure.RISK_RATIO, columns)
    assert len(found) > 130
    assert printed(mantel_haenszel(found), 2) == (1.55, 1.49, 1.61)


def test_st_johns_wort_is_as_viechtbauer_prints_it() -> None:
    """Viechtbauer 2007, rows 7 to 10 and 13 to 25: fixed 1.3840 (1.2599 to 1.5204), Q 51.5454; DL 1.5722."""
    chosen = {*range(7, 11), *range(13, 26)}
    found = studies("linde2005", Measure.RISK_RATIO, keep=lambda number, _: number in chosen)
    assert len(found) == 17
    fixed = inverse_variance(found)
    assert printed(fixed, 4) == (1.3840, 1.2599, 1.5204)
    assert fixed.heterogeneity.q == pytest.approx(51.5454, abs=5e-5)
    random = dersimonian_laird(found)
    assert printed(random, 4) == (1.5722, 1.3103, 1.8864)
    assert random.heterogeneity.tau2 == pytest.approx(0.0903, abs=5e-5)


def test_coated_catheters_are_as_stijnen_prints_them() -> None:
    """Stijnen 2010, Table III: REML OR 0.3752 (0.2328 to 0.6046), tau 0.1886, studies without events left out."""
    pooled = reml(studies("nielweise2007", Measure.ODDS_RATIO), hartung_knapp=False)
    assert printed(pooled, 4) == (0.3752, 0.2328, 0.6046)
    assert pooled.heterogeneity.tau2 == pytest.approx(0.1886**2, abs=5e-5)


def test_beta_blockers_are_as_yusuf_prints_them() -> None:
    """Table 6: Peto's OR 0.9332 (0.7385 to 1.1792)."""
    found = studies("yusuf1985", Measure.ODDS_RATIO, keep=lambda _, row: row["table"] == "6")
    assert printed(peto(found), 4) == (0.9332, 0.7385, 1.1792)


def test_aspirin_after_infarction_is_as_review_manager_exports_it() -> None:
    """Fleiss 1993 in a RevMan file: MH OR 0.89686556 (0.8405144 to 0.95699471), Q 9.94605598, I2 39.67 %.

    Its P of Q, 0.12694225, is exact to six digits only: metafor gives 0.12694218.
    """
    table = list(rows("Fleiss1993_RevMan"))
    whole_row = next(row for row in table if row["Statistical Method"] == "MH")
    found = [
        effect_of_counts(
            row["Name"],
            Group(whole(row["Events 1"]), whole(row["Total 1"])),
            Group(whole(row["Events 2"]), whole(row["Total 2"])),
            Measure.ODDS_RATIO,
        )
        for row in table
        if row["Outcome Number"] == whole_row["Outcome Number"] and row["Events 1"] and not row["Statistical Method"]
    ]
    pooled = mantel_haenszel(found)
    effect = pooled.estimate
    theirs = [float(whole_row[column]) for column in ("Effect Estimate", "CI Start", "CI End")]
    assert [effect.estimate, effect.low, effect.high] == pytest.approx(theirs, abs=5e-9)
    assert pooled.heterogeneity.q == pytest.approx(float(whole_row["Q"]), abs=5e-9)
    assert pooled.heterogeneity.p_value == pytest.approx(float(whole_row["P(Q)"]), abs=1e-6)
    assert 100 * pooled.heterogeneity.i2 == pytest.approx(float(whole_row["I²(Q)"]), abs=5e-9)


def test_streptokinase_and_hydroxychloroquine_lead_with_what_the_rule_names() -> None:
    """Trials without events stay out of a ratio and are in a risk difference."""
    lead = synthesise(studies("lau1992", Measure.ODDS_RATIO))
    assert (lead.headline.model.value, lead.compared is not None) == ("random effects, REML, Hartung-Knapp", True)
    assert lead.small_studies is not None
    assert lead.small_studies.test.value == "Harbord"
    assert len(lead.without) == 33
    columns = ("hcq_arm_event", "hcq_arm_total", "control_arm_event", "control_arm_total")
    differences = studies("axfors2021", Measure.RISK_DIFFERENCE, columns)
    ratios = studies("axfors2021", Measure.RISK_RATIO, columns)
    assert len(differences) > len(ratios)
    assert synthesise(ratios).headline.estimate.estimate == pytest.approx(1.07, abs=0.01)


def test_length_of_stay_is_a_mean_difference_in_days() -> None:
    found = []
    for row in rows("normand1999"):
        first = Sample(float(row["m1i"]), float(row["sd1i"]), whole(row["n1i"]))
        second = Sample(float(row["m2i"]), float(row["sd2i"]), whole(row["n2i"]))
        found.append(effect_of_samples(row["source"], first, second, Measure.MEAN_DIFFERENCE))
    pooled = synthesise(found).headline
    assert pooled.measure is Measure.MEAN_DIFFERENCE
    assert pooled.heterogeneity.i2 > 0.9
    assert pooled.estimate.estimate < 0
