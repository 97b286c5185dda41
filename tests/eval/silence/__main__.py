"""Whether the product keeps silent about what its library does not hold: the shared questions of three sets.

    python -m tests.eval.silence                  # BioASQ, PubMedQA and MedQuAD: 1,265 questions, library only
    python -m tests.eval.silence --bad            # also those judged to be about something else or wrong
    python -m tests.eval.silence --dump FILE      # also every answered one, with what is read of it, to read
    python -m tests.eval.silence --dump FILE --unread   # of these those alone that nobody has read yet

Beside them the covered rows of tests/eval/answers/open.jsonl: a product that is silent about everything is no better.
Exit code 1 when an answer was not read yet (judged.tsv) or more than three are about something else or wrong; 2 when
the sets are not there.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from openwork_bus import loop
from openwork_contracts.answer import RunStatus

from tests.eval.answers.asking import Asked, ask_each
from tests.eval.answers.questions import load_rows
from tests.eval.answers.reading import parts
from tests.eval.silence.judgements import Answer, Found, digest, judged, load_judgements, passes, table
from tests.eval.silence.questions import shared_questions
from tests.eval.words import BENCHMARKS

JUDGED = Path(__file__).with_name("judged.tsv")
_TOLD_EVERY = 100


async def outcomes(texts: Sequence[str]) -> dict[str, Asked]:
    """What became of each text; a text that stands there twice is asked once. Says on standard error how far it is."""
    distinct = list(dict.fromkeys(texts))
    found: dict[str, Asked] = {}
    began = time.monotonic()
    async for asked in ask_each(distinct):
        found[distinct[len(found)]] = asked
        if len(found) % _TOLD_EVERY == 0 or len(found) == len(distinct):
            print(
                f"{len(found)} of {len(distinct)} asked, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True
            )
    return found


def to_read(answers: Sequence[Answer]) -> str:
    """Answered questions as a reader needs them: asked, read first, table, references. The same wording stands once."""
    alike: dict[str, list[Answer]] = {}
    for answer in answers:
        alike.setdefault(answer.question.text, []).append(answer)
    return "\n".join(map(_to_read, alike.values()))


def _to_read(alike: Sequence[Answer]) -> str:
    document = alike[0].document
    first, rows = parts(document.answer.markdown)
    verdict = document.conclusion.verdict.value if document.conclusion else "no verdict"
    heads = [f"## {a.question.set}\t{a.question.id}\t{digest(document)}" for a in alike]
    notes = [f"{a.judgement.found}: {a.judgement.note}" if a.judgement else "not read" for a in alike]
    head = [*heads, *dict.fromkeys(notes), "", f"Asked: {alike[0].question.text}", f"Verdict: {verdict}", ""]
    references = [f"[{r.n}] {r.title} ({r.journal or r.source}, {r.year or 'no year'})" for r in document.references]
    return "\n".join([*head, first.strip(), "", *([rows, ""] if rows else []), *references, ""])


def covered_line(found: dict[str, Asked]) -> str:
    """The other side: of the questions that the library can answer, how many are answered."""
    rows = [row for row in load_rows("open") if row.covered]
    silent = [row.id for row in rows if found[row.question].document.status is not RunStatus.ANSWERED]
    told = f"; not answered: {', '.join(silent)}" if silent else ""
    return f"covered rows of open.jsonl: {len(rows) - len(silent)} of {len(rows)} answered{told}\n"


def main() -> int:
    """Ask, count, and compare with what was read."""
    os.environ.setdefault("OPENWORK_SOURCES", "library")
    os.environ.setdefault("OPENWORK_LOG_LEVEL", "ERROR")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bad", action="store_true", help="print what is about something else or wrong")
    parser.add_argument("--dump", type=Path, help="write the answered ones to this file")
    parser.add_argument("--unread", action="store_true", help="write those alone that have no judgement")
    arguments = parser.parse_args()
    try:
        questions = shared_questions(BENCHMARKS)
    except FileNotFoundError as error:
        parser.error(str(error))
    covered = [row.question for row in load_rows("open") if row.covered]
    found = loop.run(outcomes([*(question.text for question in questions), *covered]))
    kept = load_judgements(JUDGED)
    answers = [judged(question, found[question.text], kept) for question in questions]
    answered = [answer for answer in answers if answer.answered]
    print(table(answers, kept) + "\n" + covered_line(found), end="")
    if arguments.bad:
        print("\n" + to_read([a for a in answered if a.judgement and a.judgement.found is not Found.RIGHT]))
    if arguments.dump:
        shown = [a for a in answered if a.judgement is None] if arguments.unread else answered
        arguments.dump.write_text(to_read(shown), encoding="utf-8")
    return 0 if passes(answers) else 1


if __name__ == "__main__":
    sys.exit(main())
