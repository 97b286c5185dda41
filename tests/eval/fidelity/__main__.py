"""`python -m tests.eval.fidelity [PART] [--misses N] [--json FILE] [--held-out] [--write docs/evaluation.md]`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from tests.eval.fidelity import scorecard, speed
from tests.eval.fidelity.judging import misses, table
from tests.eval.fidelity.parts import PARTS, DataMissingError, Options, Result
from tests.eval.fidelity.sources import data_directory


def main() -> None:
    """Run the chosen parts and print their reports."""
    parser = argparse.ArgumentParser(description="How well the gate tells faithful claims from wrong ones.")
    parser.add_argument("part", nargs="?", choices=(*PARTS, "speed", "model", "scorecard", "all"), default="all")
    parser.add_argument("--misses", type=int, default=0, help="print up to N misses of every kind")
    parser.add_argument("--json", type=Path, help="where every figure is written")
    parser.add_argument("--held-out", action="store_true", help="run the sentences kept apart too: once, at the end")
    parser.add_argument("--write", type=Path, help="with scorecard: the document whose part on the gate is replaced")
    parser.add_argument("--per-set", type=int, default=100, help="with model: claims of each labelled set")
    options = parser.parse_args()
    asked = Options(data_directory(), options.held_out)
    if options.part == "model":
        print(_with_model(asked.data, options.per_set))
        return
    chosen = list(PARTS) if options.part in {"all", "scorecard"} else [p for p in PARTS if p == options.part]
    results = {name: _run(name, asked, options.misses, quiet=options.part == "scorecard") for name in chosen}
    timing = speed.measure(asked.data) if options.part in {"all", "speed", "scorecard"} else None
    if timing:
        print(timing.line)
    made = scorecard.as_json(results, timing)
    if options.json:
        options.json.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    if options.part == "scorecard":
        text = scorecard.scorecard(made, scorecard.first_run())
        print(text) if options.write is None else scorecard.write(text, options.write)


def _run(name: str, options: Options, per_kind: int, *, quiet: bool) -> Result:
    started = time.process_time()
    try:
        result = PARTS[name](options)
    except DataMissingError as missing:
        sys.exit(str(missing))
    if not quiet:
        scores = "\n".join(f"{measure:<58} {score:7.3f}" for measure, score in result.scores.items())
        took = f"{time.process_time() - started:.1f} s of CPU"
        said = (f"\n{name}", table(result.figures), scores, result.text, misses(result.judged, per_kind), took)
        print(*filter(None, said), sep="\n")
    return result


def _with_model(data: Path | None, per_set: int) -> str:
    from tests.eval.fidelity import with_model  # brings in the model client, which no other part needs

    if data is None or not with_model.is_configured():
        return "no model is configured, or no data set is here: judged by code alone"
    return with_model.run_report(data, per_set)


if __name__ == "__main__":
    main()
