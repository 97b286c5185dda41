"""How likely a row or a sentence is the one asked for: learns the weights, and holds them against what came true.

    python -m tests.eval.answers.weights            learn them of the questions that may be looked at, and print them
    python -m tests.eval.answers.weights --apart    hold those of the code against the halves that nobody looks at

A question teaches where what it must be answered with stands in one of the rows (sentences) of its evidence. Only
counts of the halves kept apart are printed.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from openwork_answers.conclude import conclude
from openwork_answers.figures_in_words import absolute_in_words, figures_in_words
from openwork_answers.likelihood import Features, probabilities
from openwork_answers.likely_rows import WEIGHTS as OF_ROWS
from openwork_answers.likely_rows import features_of
from openwork_answers.likely_sentences import WEIGHTS as OF_SENTENCES
from openwork_answers.likely_sentences import sentence_features
from openwork_answers.pack import Pack
from openwork_bus import loop
from openwork_contracts.conclusion import StudyResult

from tests.eval.answers.asking import ask_each
from tests.eval.answers.questions import APART, HALVES, PARTS, Question, half_of, load_rows
from tests.eval.answers.reading import holds_all, plain

STEPS, RATE, PENALTY = 200, 0.08, 2e-3
"""Of Adam (Kingma 2015) on the mean log-likelihood of standardised features, with half the squared weights against."""
_MEAN, _SQUARE, _TINY = 0.9, 0.999, 1e-8
BOUNDS = (0.0, 0.1, 0.3, 0.5, 0.8, 0.95, 1.01)


@dataclass(frozen=True, slots=True)
class Choice:
    """What a question chooses from, and which of it is right."""

    features: list[Features]
    right: list[bool]


@dataclass(frozen=True, slots=True)
class Standard:
    """Features of mean 0 and deviation 1, as columns of all choices one after the other."""

    names: tuple[str, ...]
    deviations: list[float]
    choices: list[tuple[list[list[float]], list[bool]]]


def standard(choices: Sequence[Choice], names: Sequence[str]) -> Standard:
    """The features of the choices on one scale."""
    rows = [row for choice in choices for row in choice.features]
    means = [sum(row[name] for row in rows) / len(rows) for name in names]
    deviations = [
        math.sqrt(sum((row[name] - mean) ** 2 for row in rows) / len(rows)) or 1.0
        for name, mean in zip(names, means, strict=True)
    ]
    scale = list(zip(names, means, deviations, strict=True))
    scaled = [
        ([[(row[name] - mean) / deviation for name, mean, deviation in scale] for row in choice.features], choice.right)
        for choice in choices
    ]
    return Standard(tuple(names), deviations, scaled)


def learned(choices: Sequence[Choice], names: Sequence[str]) -> dict[str, float]:
    """The weights by which the right ones are likeliest: a conditional logit, several right ones of a choice being one.

    Args:
        choices: each with a right one at least.
        names: the features that get a weight.
    """
    data = standard(choices, names)
    weights, mean, square = ([0.0] * len(names) for _ in range(3))
    for step in range(1, STEPS + 1):
        slopes = _slopes(data, weights)
        for i, slope in enumerate(slopes):
            mean[i] = _MEAN * mean[i] + (1 - _MEAN) * slope
            square[i] = _SQUARE * square[i] + (1 - _SQUARE) * slope**2
            along = mean[i] / (1 - _MEAN**step)
            weights[i] += RATE * along / (math.sqrt(square[i] / (1 - _SQUARE**step)) + _TINY)
    return {name: w / d for name, w, d in zip(data.names, weights, data.deviations, strict=True)}


def _slopes(data: Standard, weights: Sequence[float]) -> list[float]:
    """The gradient of the mean log-likelihood less the penalty."""
    slopes = [0.0] * len(weights)
    for rows, right in data.choices:
        scores = [sum(w * x for w, x in zip(weights, row, strict=True)) for row in rows]
        most = max(scores)
        parts = [math.exp(score - most) for score in scores]
        of_all = sum(parts)
        of_right = sum(part for part, is_right in zip(parts, right, strict=True) if is_right)
        for row, part, is_right in zip(rows, parts, right, strict=True):
            pull = (part / of_right if is_right else 0.0) - part / of_all
            if abs(pull) > _TINY:
                for i, x in enumerate(row):
                    slopes[i] += pull * x
    return [slope / len(data.choices) - PENALTY * w for slope, w in zip(slopes, weights, strict=True)]


def told_by(row: StudyResult) -> str:
    """What a reader is told of a row."""
    figures = f"{figures_in_words(row, counts=True)}; {absolute_in_words(row)}"
    return plain(f"{row.study}: {row.outcome}: {figures}; {' v '.join(row.comparison)}")


def choices_of(question: Question, pack: Pack) -> tuple[Choice, Choice]:
    """Of rows, and of sentences."""
    analysis = pack.question.analysis
    lead = conclude(analysis, pack.strategy, pack.passages, pack.documents).lead
    rows = features_of(pack.held, pack.works, pack.passages)
    sentences = sentence_features(pack.held, pack.works, pack.passages, pack.likely, lead.n if lead else None)
    return (
        Choice([features for _, features in rows], [_holds(told_by(row), question) for row, _ in rows]),
        Choice([features for _, features in sentences], [_holds(plain(s.text), question) for s, _ in sentences]),
    )


def _holds(text: str, question: Question) -> bool:
    return any(holds_all(text, one) for one in question.must)


def may_teach(question: Question) -> bool:
    """Whether a question may be looked at: of the sets that are kept apart by halves, the even one."""
    if question.part in APART[:2]:
        return False
    return question.part not in APART or half_of(question.id) == HALVES[0]


def calibration(choices: Iterable[Choice], weights: Features) -> Iterator[str]:
    """Of what is likeliest, by how likely it was: how many there are, how likely on average, how many are right."""
    best: list[tuple[float, bool]] = []
    for choice in choices:
        chances = probabilities(choice.features, weights)
        if chances:
            best.append(max(zip(chances, choice.right, strict=True), key=lambda one: one[0]))
    for low, high in pairwise(BOUNDS):
        own = [(chance, right) for chance, right in best if low <= chance < high]
        if own:
            mean = sum(chance for chance, _ in own) / len(own)
            yield f"  {low:.2f} to {min(high, 1):.2f}: {len(own)}, likely {mean:.2f}, right {sum(r for _, r in own)}"


def _printed(name: str, weights: Mapping[str, float]) -> None:
    print(name)
    for feature, weight in weights.items():
        print(f'    "{feature}": {weight:.2f},')


async def main() -> None:
    """Asks every question that has figures to be answered with, and prints what its options say."""
    parser = argparse.ArgumentParser(prog="python -m tests.eval.answers.weights")
    parser.add_argument("--apart", action="store_true", help="hold the weights against the halves nobody looks at")
    apart = parser.parse_args().apart
    questions = [q for part in PARTS for q in load_rows(part) if q.covered and q.must and may_teach(q) is not apart]
    rows: list[Choice] = []
    sentences: list[Choice] = []
    number = 0
    async for asked in ask_each([question.question for question in questions]):
        question, number = questions[number], number + 1
        if asked.pack is not None:
            of_rows, of_sentences = choices_of(question, asked.pack)
            rows.append(of_rows)
            sentences.append(of_sentences)
    for name, choices, weights in (("rows", rows, OF_ROWS), ("sentences", sentences, OF_SENTENCES)):
        teach = [choice for choice in choices if any(choice.right)]
        print(f"{name}: {len(questions)} questions, of {len(teach)} the right one is there")
        if apart:
            print(*calibration(choices, weights), sep="\n")
        else:
            _printed(name, learned(teach, tuple(weights)))


if __name__ == "__main__":
    loop.run(main())
