"""Asks the evaluation questions through the whole pipeline, library only, and prints what is right and what is wrong.

    python -m tests.eval.answers [--show]               the thirteen (with --show their answers), then the open rows
    python -m tests.eval.answers --misses               also what was missed, question by question
    python -m tests.eval.answers --kind outside
    python -m tests.eval.answers --part second          the open rows of the second set
    python -m tests.eval.answers --part held_out        rows kept apart (or second_held_out): once, never with --misses
    python -m tests.eval.answers --part twelfth --half odd      the half that nobody has looked at

Exit code 1 when one of the thirteen misses something. Writes nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from openwork_bus import loop

from tests.eval.answers import thirteen
from tests.eval.answers.asking import ask_all
from tests.eval.answers.questions import APART, HALVES, KINDS, PARTS, half_of, load_rows
from tests.eval.answers.score import Judged, is_missed, judge, table


def missed(judged: Sequence[Judged]) -> str:
    """A line for each answer that is not what its row asks for."""
    lines = [
        f"MISS {one.row.id:<32} {one.status:<20} {one.row.question}"
        + (f"  [stands there: {', '.join(one.forbidden)}]" if one.forbidden else "")
        for one in judged
        if is_missed(one)
    ]
    return "\n".join([*lines, as_asked(judged)])


def as_asked(judged: Sequence[Judged]) -> str:
    """How many answers are what their rows ask for."""
    return f"{len(judged) - sum(map(is_missed, judged))} of {len(judged)} as their rows ask\n"


def main() -> int:
    """Print the thirteen and the table."""
    os.environ.setdefault("OPENWORK_SOURCES", "library")
    os.environ.setdefault("OPENWORK_LOG_LEVEL", "ERROR")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print the answers to the thirteen too")
    parser.add_argument("--misses", action="store_true", help="print what was missed of the open rows")
    parser.add_argument("--kind", choices=KINDS, help="rows of this kind alone")
    parser.add_argument("--part", choices=PARTS, default="open", help="whose rows; the misses of those kept apart are "
                        "never printed")  # fmt: skip
    parser.add_argument("--half", choices=HALVES, help="rows of this half alone, by the SHA-256 of the id")
    arguments = parser.parse_args()
    if arguments.part in APART and arguments.misses:
        parser.error("rows kept apart are never printed: leave out --misses")
    rows = load_rows(arguments.part)
    rows = tuple(row for row in rows if arguments.kind in (None, row.kind))
    rows = tuple(row for row in rows if arguments.half in (None, half_of(row.id)))
    asked = [wanted["question"] for wanted in thirteen.load_questions()]
    documents = loop.run(ask_all([*asked, *(row.question for row in rows)]))
    lines, bad = thirteen.report(documents[: len(asked)], show=arguments.show)
    judged = [judge(row, document) for row, document in zip(rows, documents[len(asked) :], strict=True)]
    sys.stdout.write(lines + "\n" + table(judged, [arguments.kind] if arguments.kind else KINDS))
    sys.stdout.write("\n" + (missed(judged) if arguments.misses else as_asked(judged)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
