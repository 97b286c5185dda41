"""How likely each of several things is the one that a question asks for: a conditional logit.

The rest of this package decides by what it read of a question, slot by slot; a slot that is misread decides wrongly.
Here a row or a sentence of the evidence is weighed by everything that it shares with the question, and nothing that was
read rules it in or out. The weights of what is shared were learned from questions of which the answer is known
(`python -m tests.eval.answers.weights`), so that what comes out is a probability, and can be held against what came
true: docs/evaluation.md, "Which row is meant".

McFadden D. Conditional logit analysis of qualitative choice behavior. In: Frontiers in Econometrics, 1974, 105-142.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Features = Mapping[str, float]
"""What one of them shares with the question, by name."""


def probabilities(rows: Sequence[Features], weights: Features) -> list[float]:
    """How likely each is the one, in [0, 1]; of all together 1.

    Args:
        rows: the features of each; all have those that have a weight.
    """
    scores = [sum(weight * row[name] for name, weight in weights.items()) for row in rows]
    most = max(scores, default=0.0)
    parts = [math.exp(score - most) for score in scores]
    of_all = sum(parts)
    return [part / of_all for part in parts]
