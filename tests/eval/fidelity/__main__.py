"""`python -m tests.eval.fidelity [injected|benchmarks|model|scorecard] [--misses N] [--write docs/evaluation.md]`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.eval.fidelity import injected, scorecard
from tests.eval.fidelity.sources import data_directory


def main() -> None:
    """Run the chosen parts and print their reports."""
    parser = argparse.ArgumentParser(description="How well the gate tells faithful claims from wrong ones.")
    parts = ("injected", "benchmarks", "model", "scorecard", "all")
    parser.add_argument("part", nargs="?", choices=parts, default="all")
    parser.add_argument("--misses", type=int, default=0, help="print up to N misses per kind")
    parser.add_argument("--per-source", type=int, default=600, help="abstracts per source for the injected errors")
    parser.add_argument("--write", type=Path, help="with scorecard: the document whose part on the gate is replaced")
    parser.add_argument("--per-set", type=int, default=100, help="with model: claims of each labelled set")
    options = parser.parse_args()
    data = data_directory()
    if options.part == "scorecard":
        text = scorecard.scorecard(data, options.per_source)
        print(text) if options.write is None else scorecard.write(text, options.write)
        return
    started = time.perf_counter()
    if options.part in {"injected", "all"}:
        tally = injected.run(data, options.per_source)
        print(injected.report(tally))
        shown: dict[str, int] = {}
        for kind, original, text in tally.misses:
            shown[kind] = shown.get(kind, 0) + 1
            if shown[kind] <= options.misses:
                print(f"\n[{kind}]\n  source: {original}\n  text:   {text}")
    if options.part in {"benchmarks", "all"}:
        if data is None:
            sys.exit("benchmarks are not here: set OPENWORK_DATA")
        from tests.eval.fidelity import benchmarks

        print(benchmarks.report(data))
    if options.part in {"model", "all"}:
        from tests.eval.fidelity import with_model

        if data is None or not with_model.is_configured():
            print("\nno model is configured, or no data set is here: judged by code alone")
        else:
            print("\n" + with_model.run_report(data, options.per_set))
    print(f"\n{time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
