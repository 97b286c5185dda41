"""The least score of a text worth reading, for the model that a Triton server has, on the labelled sets.

    make calibrate-reranker ARGS="--url 127.0.0.1:8001 --model reranker --questions 40 [set ...]"

Each question has its relevant texts and about a hundred others of the same collection, half of them the likeliest by
words: what a search brings. On a CPU the cross-encoder needs most of a minute for a question, on a GPU a part of a
second.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from openwork_reranker.calibrate import LabelledPair, add_options, run
from openwork_reranker.domain.scoring import ScorableText
from ranking_sets import SETS, data_root


def pairs_of(names: Sequence[str], n_questions: int) -> Iterator[LabelledPair]:
    """Every candidate of the first questions of each set."""
    root = data_root()
    assert root is not None
    for name in names:
        for task in SETS[name](root, None)[:n_questions]:
            for text in task.candidates:
                yield LabelledPair(
                    name, task.query, ScorableText(text.title, text.text), task.gains.get(text.id, 0) > 0
                )


def main(arguments: Sequence[str] | None = None) -> int:
    """Calibrate on the sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="set", help=f"of {', '.join(SETS)}; all when left out")
    parser.add_argument("--questions", type=int, default=40, help="per set; half to choose on (%(default)s)")
    add_options(parser)
    chosen = parser.parse_args(arguments)
    if unknown := [name for name in chosen.sets if name not in SETS]:
        parser.error(f"no such set: {', '.join(unknown)}")
    if data_root() is None:
        print("no benchmark data: set OPENWORK_DATA to the data folder")
        return 2
    return run(chosen, list(pairs_of(chosen.sets or list(SETS), chosen.questions)))


if __name__ == "__main__":
    sys.exit(main())
