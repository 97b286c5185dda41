"""Which passages of a work hold the figures of its results, so that a citation of a figure leads to words that have it.

A long abstract is cut into passages, of which a pack takes a few. A result that a work lists in its table is told in
the answer with its figures, whichever passages were taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from openwork_contracts.evidence import EffectEstimate, EvidenceCandidate, OutcomeResult
from openwork_language.mentions import idea_of, speaks_of

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
MOST_RESULTS = 2
"""Results of one work whose passages are looked for."""


def results_asked(candidate: EvidenceCandidate, outcomes: Sequence[str]) -> list[OutcomeResult]:
    """Results of a work with an effect, of the outcomes asked for; where none was named, the first."""
    told = [result for result in candidate.results if result.effect is not None]
    if not outcomes:
        return told[:1]
    ideas = [idea_of(outcome) for outcome in outcomes]
    named = [result for result in told if any(speaks_of(result.outcome, idea) for idea in ideas)]
    # The shorter a name, the more it is the outcome itself and no composite that holds it.
    return sorted(named, key=lambda result: len(result.outcome))[:MOST_RESULTS]


def holds_figures(text: str, effect: EffectEstimate) -> bool:
    """Whether a text has the estimate and both ends of its interval, as a fraction or in percentage points."""
    there = {float(number) for number in _NUMBER.findall(text.replace("\N{MIDDLE DOT}", "."))}
    figures = [value for value in (effect.estimate, effect.ci_low, effect.ci_high) if value is not None]
    return any(all(round(abs(figure) * scale, 6) in there for figure in figures) for scale in (1, 100))


def lacking(
    candidate: EvidenceCandidate, outcomes: Sequence[str], chosen: Sequence[str], others: Sequence[str]
) -> Iterator[int]:
    """Places in `others` of passages to be added: each holds figures of a result that no chosen one has."""
    texts = list(chosen)
    for result in results_asked(candidate, outcomes):
        effect = result.effect
        if effect is None or any(holds_figures(text, effect) for text in texts):
            continue
        place = next((i for i, text in enumerate(others) if holds_figures(text, effect)), None)
        if place is not None:
            texts.append(others[place])
            yield place
