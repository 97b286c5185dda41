"""What the reader of sentences gives for questions to real abstracts: right, wrong, not given, false on "nothing".

python -m tests.eval.prose            # totals of both parts
python -m tests.eval.prose --show     # also each row of the development part; those apart are never shown
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

from openwork_contracts.conclusion import StudyResult

from tests.eval.prose.labels import APART, DEVELOPMENT, rows
from tests.eval.prose.score import NEAR, RIGHT, WRONG, Judged, judged


def scorecard(judged_rows: Sequence[Judged]) -> str:
    """A line per kind of row, then the results that were given."""
    lines = [f"{'rows':12}{'n':>5}{'right':>7}{'wrong':>7}{'not given':>11}{'read at all':>13}"]
    for kind in ("figures", "means"):
        own = [one for one in judged_rows if one.row.kind == kind]
        counts = Counter(one.verdict for one in own)
        read = sum(one.is_read for one in own)
        lines.append(f"{kind:12}{len(own):5}{counts[RIGHT]:7}{counts[WRONG]:7}{counts['not given']:11}{read:13}")
    nothing = [one for one in judged_rows if one.row.kind == "nothing"]
    false = sum(one.verdict == WRONG for one in nothing)
    lines.append(f"{'nothing':12}{len(nothing):5}{'':7}{false:7}   (rows with a false result)")
    given = Counter(verdict for one in judged_rows for _, verdict in one.given)
    told = sum(given.values())
    share = f"{100 * given[WRONG] / told:.0f} %" if told else "-"
    lines.append(f"results given: {told}; right {given[RIGHT]}, near {given[NEAR]}, wrong {given[WRONG]} ({share})")
    return "\n".join(lines)


def shown(one: Judged) -> str:
    """A row for the developer."""
    lines = [f"{one.verdict:10} [{one.row.kind}] {one.row.source} {one.row.key} {one.row.question}"]
    lines += [f"     {verdict:6} {_words(result)}" for result, verdict in one.given]
    lines += [f"     other  {_words(result)}" for result in one.others]
    return "\n".join(lines)


def _words(r: StudyResult) -> str:
    arms = "; ".join(f"{a.name} = {a.events}/{a.n} {a.percent} {a.per or ''}" for a in r.arms)
    e = r.effect
    effect = f"{e.measure} {e.estimate:g} [{e.ci_low:g}, {e.ci_high:g}]" if e and e.ci_low is not None else ""
    fits = f"{r.comparison_fit.value}/{r.outcome_fit.value}"
    return f"{fits} | {r.outcome} | {r.time} | {' v '.join(r.comparison)} | {arms} | {effect}"


def main() -> None:
    """Print the totals of both parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="the rows of the development part")
    arguments = parser.parse_args()
    for part in (DEVELOPMENT, APART):
        own = [row for row in rows() if row.part == part]
        found = [one for one in map(judged, own) if one is not None]
        if not found:
            print(f"{part}: skipped, no abstracts under OPENWORK_DATA (../shared/data)")
            continue
        for one in found if arguments.show and part == DEVELOPMENT else ():
            print(shown(one))
        print(f"== {part}: {len(found)} questions of {len({one.row.key for one in found})} abstracts")
        print(scorecard(found))


if __name__ == "__main__":
    main()
