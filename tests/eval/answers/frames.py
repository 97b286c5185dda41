"""Results of the library asked for in their own words and in 28 forms: which forms of a question are read alike?

    python -m tests.eval.answers.frames [N] [SEED]      N results by chance (default 40), each in every form

A form that finds less than another is misread, since nothing else differs. Prints of each form how many results had
their estimate in the first part of the answer or its table, and what another form found and it did not.
Writes nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass

from openwork_bus import loop
from openwork_evidence.library.record import load_shipped

from tests.eval.answers.asking import ask_all
from tests.eval.answers.reading import holds, read

FORMS = (
    "Does {a} reduce {o} compared with {b} in {p}?",
    "Does {a} affect {o} compared with {b} in {p}?",
    "In {p}, does {a} reduce {o} compared with {b}?",
    "In {p}, is there less {o} with {a} than with {b}?",
    "Does {a} lead to less {o} than {b} in {p}?",
    "{p}: {a} or {b} to reduce {o}?",
    "Which has less {o} in {p}, {a} or {b}?",
    "Is {a} superior to {b} for {o} in {p}?",
    "Is the risk of {o} lower with {a} than with {b} in {p}?",
    "What happens to {o} with {a} compared with {b} in {p}?",
    "Does {a} rather than {b} reduce {o} in {p}?",
    "By how much does {a} reduce {o} in {p} compared with {b}?",
    "How does {a} compare with {b} for {o} in {p}?",
    "Can {a} prevent {o} in {p}?",
    "Is {o} reduced by {a} in {p}?",
    "Rate of {o}: {a} vs {b} in {p}",
    "Effect of {a} on {o} in {p} vs {b}",
    "Is there evidence that {a} reduces {o} compared with {b} in {p}?",
    "How many {p} get {o} on {a} versus {b}?",
    "{a} in {p}: effect on {o}?",
    "{o} in {p} on {a}?",
    "What does {a} do to {o} in {p}?",
    "How likely is {o} in {p} on {a} compared with {b}?",
    "Any difference in {o} between {a} and {b} in {p}?",
    "Compared with {b}, does {a} reduce {o} in {p}?",
    "Do {p} given {a} have less {o} than those given {b}?",
    "Does {a} have any effect on {o} in {p}?",
    "{p} taking {a}: is {o} less frequent than with {b}?",
)
MOST_WORDS_OF_PEOPLE, MOST_WORDS_OF_AN_ARM = 10, 6
_PEOPLE = re.compile(
    r"\b(?:in|among) ((?:(?!in\b)[\w-]+ ){0,4}?(?:patients|adults|people|women|children|persons|individuals|men|infants"
    r"|adolescents|older)\b[^:;?(]*?)(?=:|;|\?|\(|$|\.)",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_ABBREVIATED = 2
"""Capitals with which a short form begins."""


@dataclass(frozen=True, slots=True)
class Case:
    """A result in the words of its record."""

    tested: str
    control: str
    outcome: str
    people: str
    estimate: str


def cases() -> list[Case]:
    """Every result of two arms with an effect, of records whose title says in whom, but for composites."""
    found = []
    for record in load_shipped():
        people = _PEOPLE.search(record.title)
        if people is None or len(people[1].split()) > MOST_WORDS_OF_PEOPLE:
            continue
        for result in record.results:
            arms = [_BRACKETS.sub("", arm.arm).strip() for arm in result.arms]
            plain = "(composite" not in result.outcome and not any("," in text for text in (result.outcome, *arms))
            short = all(len(arm.split()) <= MOST_WORDS_OF_AN_ARM for arm in arms)
            if len(arms) == len(("tested", "control")) and result.effect is not None and plain and short:
                outcome, estimate = _BRACKETS.sub("", result.outcome).strip(), f"{abs(result.effect.estimate):g}"
                found.append(Case(_small(arms[0]), _small(arms[1]), _small(outcome), _small(people[1]), estimate))
    return found


def _small(text: str) -> str:
    """Words as they stand inside of a sentence; short forms stay."""
    return text if text[:_ABBREVIATED].isupper() else f"{text[:1].lower()}{text[1:]}"


def asked(case: Case, form: str) -> str:
    """A result as a question of that form."""
    text = form.format(a=case.tested, b=case.control, o=case.outcome, p=case.people)
    return f"{text[0].upper()}{text[1:]}"


def main() -> int:
    """Print what each form finds, and what it does not that another does."""
    parser = argparse.ArgumentParser(prog="python -m tests.eval.answers.frames", description=__doc__)
    parser.add_argument("n", type=int, nargs="?", default=40, metavar="N")
    parser.add_argument("seed", type=int, nargs="?", default=1, metavar="SEED")
    given = parser.parse_args()
    os.environ.setdefault("OPENWORK_SOURCES", "library")
    os.environ.setdefault("OPENWORK_LOG_LEVEL", "ERROR")
    chosen = random.Random(given.seed).sample(cases(), given.n)
    questions = [asked(case, form) for case in chosen for form in FORMS]
    fronts = [read(document).front for document in loop.run(ask_all(questions))]
    found: Counter[str] = Counter()
    told_at_all = 0
    for i, case in enumerate(chosen):
        own = [holds(front, case.estimate) for front in fronts[i * len(FORMS) : (i + 1) * len(FORMS)]]
        told_at_all += any(own)
        found.update(form for form, is_found in zip(FORMS, own, strict=True) if is_found)
        missed = [form for form, is_found in zip(FORMS, own, strict=True) if not is_found]
        if any(own) and missed:
            sys.stdout.write(f"{case}\n")
            sys.stdout.writelines(f"    not found by: {asked(case, form)}\n" for form in missed)
    sys.stdout.write(f"{told_at_all} of {given.n} results found by some form; by each:\n")
    sys.stdout.writelines(f"{found[form]:4d}  {form}\n" for form in FORMS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
