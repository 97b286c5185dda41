"""python -m tests.eval.extraction [results | further | contradicted | direction | pico] [--show]

results: rct-extraction, three parts that were looked at, the one called "apart" last.
further: results of other articles read by hand, where OPENWORK_FURTHER_TEXTS has their texts.
contradicted: results of further articles of Evidence Inference against the direction that was marked, where
OPENWORK_EVIDENCE_INFERENCE has them (signs.py).
direction: Evidence Inference, the same split. pico: words of people, treatments and outcomes on EBM-NLP.
`first_run.json` has what the first version made of each part; of the second development part, what the rules gave
before anybody had looked at it.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from tests.eval.extraction import direction, pico, results, signs
from tests.eval.extraction.contradicted import contradicted
from tests.eval.extraction.rows import (
    FURTHER_SETS,
    FURTHER_TEXTS,
    PARTS,
    further,
    further_without_text,
    one_group,
    rows,
)

FIRST_RUN = Path(__file__).with_name("first_run.json")


def _results(*, show: bool) -> None:
    first = json.loads(FIRST_RUN.read_text(encoding="utf-8")) if FIRST_RUN.exists() else {}
    every: list[results.Judged] = []
    for part in PARTS:
        judged = [results.judge(row) for row in rows() if row.part == part]
        trials = len({one.row.pmcid for one in judged})
        print(f"== rct-extraction, {part}: {len(judged)} results of {trials} trials; the first run: {first.get(part)}")
        print(results.scorecard(judged))
        every += judged
        print(f"  with the time before as the control: {results.of_time_before(judged)}")
        print(f"  wrong, but printed so at every place, and nothing there prints the label: {contradicted(judged)}")
        for one in judged if show else ():
            print(results.shown(one))
    print(f"== rct-extraction, all parts: {len(every)} results of {len({one.row.pmcid for one in every})} trials")
    print(results.scorecard(every))
    print("== papers that are said to have one group, of those with a text")
    for name, told in (("rct-extraction", one_group()), ("Evidence Inference", direction.one_group())):
        for part in PARTS:
            print(f"  {name}, {part}: {sum(told[part].values())} of {len(told[part])}")


def _further(*, show: bool) -> None:
    first = json.loads(FIRST_RUN.read_text(encoding="utf-8")) if FIRST_RUN.exists() else {}
    for which in FURTHER_SETS:
        if absent := further_without_text(which):
            print(f"   (no text in {FURTHER_TEXTS} of {len(absent)} articles of the {which} set: they are left out)")
        judged = [results.judge(row) for row in further(which)]
        trials = len({one.row.pmcid for one in judged})
        begin = first.get(f"further, {which} set")
        print(f"== further articles, {which} set: {len(judged)} results of {trials} trials; the first run: {begin}")
        print(results.scorecard(judged))
        for one in judged if show and which == "first" else ():
            print(results.shown(one))


def _contradicted(*, show: bool) -> None:
    for part in (signs.LOOKED_AT, signs.COUNTED):
        found = list(signs.compared(part))
        print(signs.scorecard(part, found))
        for one in found if show and part == signs.LOOKED_AT else ():
            if one.agrees is False or one.is_too_near or one.is_too_far:
                print(signs.shown(one))


def first_run() -> str:
    """The counts of both parts as JSON, written once."""
    counts = {
        part: {
            kind: Counter(results.judge(row).verdict for row in rows() if row.part == part and row.kind == kind)
            for kind in ("binary", "continuous")
        }
        for part in PARTS
    }
    return json.dumps(counts, indent=2, sort_keys=True)


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "what", choices=["results", "further", "contradicted", "direction", "pico"], nargs="?", default="results"
    )
    parser.add_argument("--show", action="store_true", help="rows of the parts looked at that are not right")
    arguments = parser.parse_args()
    if arguments.what == "results":
        _results(show=arguments.show)
    elif arguments.what == "further":
        _further(show=arguments.show)
    elif arguments.what == "contradicted":
        _contradicted(show=arguments.show)
    elif arguments.what == "direction":
        for part in PARTS:
            print(direction.scorecard(part))
    else:
        print(pico.scorecard())


if __name__ == "__main__":
    main()
