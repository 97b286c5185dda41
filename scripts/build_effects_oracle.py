"""Write tests/unit/effects/oracle.json: what statsmodels and SciPy give for the arithmetic of `openwork_effects`.

Neither is a dependency, nor of the tests: install `statsmodels` into an environment of its own and run this with its
Python. The tables are drawn once, with a fixed seed, beside the corners that are written out here.

    python scripts/build_effects_oracle.py
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy
import scipy
import statsmodels
from scipy import stats
from statsmodels.stats.contingency_tables import Table2x2
from statsmodels.stats.meta_analysis import effectsize_smd
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint
from statsmodels.stats.rates import confint_poisson, confint_poisson_2indep
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

OUT = Path(__file__).resolve().parent.parent / "tests/unit/effects/oracle.json"
LEVELS = (0.9, 0.95, 0.99)
TABLES = (
    (56, 70, 48, 80), (0, 10, 0, 20), (10, 10, 0, 20), (5, 56, 0, 29), (1, 1, 0, 1), (276, 2373, 329, 2371),
    (0, 5000, 3, 5000), (20, 20, 19, 20), (123456, 9876543, 123999, 9876000), (1, 10**9, 5, 10**9),
)  # fmt: skip
TIMES = (
    (0, 12.5, 3, 14.0),
    (0, 100.0, 0, 80.0),
    (1, 9.0, 7, 11.0),
    (182, 12025.0, 269, 11794.0),
    (9999, 5e5, 10001, 5e5),
)


def two_by_two(rng: random.Random) -> list[dict[str, object]]:
    drawn = []
    for _ in range(40):
        n, m = rng.choice((9, 57, 480, 12000)), rng.choice((11, 63, 510, 15000))
        drawn.append((rng.randint(0, n), n, rng.randint(0, m), m))
    return [row(*table, rng.choice(LEVELS)) for table in (*TABLES, *drawn)]


def row(a: int, n: int, c: int, m: int, level: float) -> dict[str, object]:
    alpha = 1 - level
    out: dict[str, object] = {"table": [a, n, c, m], "level": level}
    out["risk"] = floats(proportion_confint(a, n, alpha, method="wilson"))
    out["risk_difference"] = floats(confint_proportions_2indep(a, n, c, m, "newcomb", "diff", alpha))
    if 0 < a + c < n + m:
        cells = numpy.array([[a, n - a], [c, m - c]], float)
        # Corrected here: `shift_zeros` of statsmodels 0.15 adds 0.5 to the zero cell alone, Cochrane to all four.
        made = Table2x2(cells + 0.5 if cells.min() == 0 else cells, shift_zeros=False)
        out["risk_ratio"] = floats((made.riskratio, *made.riskratio_confint(alpha)))
        out["odds_ratio"] = floats((made.oddsratio, *made.oddsratio_confint(alpha)))
    return out


def person_time(rng: random.Random) -> list[dict[str, object]]:
    drawn = [(rng.randint(0, 400), rng.uniform(5, 9000), rng.randint(0, 400), rng.uniform(5, 9000)) for _ in range(20)]
    out = []
    for a, t, c, u in (*TIMES, *drawn):
        level = rng.choice(LEVELS)
        made: dict[str, object] = {"times": [a, t, c, u], "level": level}
        made["rate"] = floats(confint_poisson(a, t, method="exact-c", alpha=1 - level), zero=a == 0)
        made["rate_difference"] = difference_of_rates(a, t, c, u, 1 - level)
        if a and c:
            made["rate_ratio"] = floats(confint_poisson_2indep(a, t, c, u, "wald-log", "ratio", 1 - level))
        out.append(made)
    return out


def difference_of_rates(a: int, t: float, c: int, u: float, alpha: float) -> list[float] | None:
    """`None` where statsmodels gives no limit for a count of 0."""
    made = floats(confint_poisson_2indep(a, t, c, u, "mover", "diff", alpha, method_mover="exact-c"))
    return None if any(value != value for value in made) else made


def means(rng: random.Random) -> list[dict[str, object]]:
    out = []
    for _ in range(25):
        groups = [
            [rng.gauss(rng.uniform(-40, 90), rng.uniform(0.5, 30)) for _ in range(rng.choice((2, 5, 30, 400)))]
            for _ in "ab"
        ]
        level = rng.choice(LEVELS)
        first, second = (DescrStatsW(numpy.array(g)) for g in groups)
        samples = [[float(d.mean), float(d.std_ddof(1)), len(g)] for d, g in zip((first, second), groups, strict=True)]
        low, high = CompareMeans(first, second).tconfint_diff(1 - level, usevar="unequal")
        (m1, s1, n1), (m2, s2, n2) = samples
        g, variance = effectsize_smd(m1, s1, n1, m2, s2, n2)
        out.append(
            {"samples": samples, "level": level, "mean_difference": floats((low, high)), "smd": floats((g, variance))}
        )
    return out


def quantiles() -> dict[str, object]:
    tails = (0.4999, 0.3, 0.05, 0.025, 0.005, 1e-4, 1e-8, 5e-15)
    degrees = (1.0, 1.5, 2.0, 7.3, 30.0, 45.0, 500.0, 1999.0, 2001.0, 1e5, 1e9)
    counts = (0, 1, 2, 3, 7, 50, 1234, 9998, 9999, 10000, 10001, 10**6, 10**9)
    return {
        "t": [[tail, df, float(stats.t.isf(tail, df))] for tail in tails for df in degrees],
        "poisson": [
            [
                k,
                level,
                float(stats.gamma.ppf((1 - level) / 2, k)) if k else 0.0,
                float(stats.gamma.isf((1 - level) / 2, k + 1)),
            ]
            for k in counts
            for level in (0.5, 0.95, 0.9999)
        ],
    }


def floats(values: object, zero: bool = False) -> list[float]:
    out = [float(value) for value in values]  # type: ignore[attr-defined]
    return [0.0, *out[1:]] if zero else out


def main() -> None:
    rng = random.Random(1998)
    made = f"statsmodels {statsmodels.__version__}, SciPy {scipy.__version__}, NumPy {numpy.__version__}"
    body = {
        "made": made,
        "two_by_two": two_by_two(rng),
        "person_time": person_time(rng),
        "means": means(rng),
        **quantiles(),
    }
    OUT.write_text(json.dumps(body, indent=None, separators=(",", ":")).replace('},{"', '},\n{"') + "\n", "utf-8")


if __name__ == "__main__":
    main()
