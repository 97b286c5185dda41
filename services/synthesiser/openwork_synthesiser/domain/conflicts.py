"""The two sentences that show a contradiction."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.gap import Contradiction, GapAssessment
from openwork_language.mentions import idea_tokens
from openwork_language.tokens import COMMON_TOKENS

from openwork_synthesiser.domain.selection import n_words
from openwork_synthesiser.domain.statements import Role, Statement
from openwork_synthesiser.domain.thresholds import SynthesisLimits

_DECIMAL = re.compile(r"\d+\.\d+")


def conflict_pairs(
    statements: Sequence[Statement], gap: GapAssessment, limits: SynthesisLimits
) -> list[tuple[Statement, Statement]]:
    """A pair of sentences for each contradiction that both sources state in words, within the budget."""
    pairs: list[tuple[Statement, Statement]] = []
    words = 0
    for contradiction in gap.contradictions:
        first = _stating(statements, contradiction, contradiction.first, limits)
        second = _stating(statements, contradiction, contradiction.second, limits)
        taken = {s.verbatim for pair in pairs for s in pair}
        if first is None or second is None or {first.verbatim, second.verbatim} & taken:
            continue
        words += n_words(first.text) + n_words(second.text) + 6
        if words > limits.conflict_words:
            break
        pairs.append((first, second))
    return pairs


def _stating(
    statements: Sequence[Statement], contradiction: Contradiction, n: int, limits: SynthesisLimits
) -> Statement | None:
    """The sentence of document n with the very figures that oppose, else the one that says most of the outcome."""
    outcome = idea_tokens(contradiction.outcome) - COMMON_TOKENS
    own = [s for s in statements if s.n == n and s.role in {Role.RESULT, Role.CONCLUSION}]
    figures = _figures_of(contradiction, n)
    exact = [s for s in own if figures and figures <= _figures(s.verbatim)]
    if exact:
        return max(exact, key=lambda s: (s.relevance, s.verbatim))
    shares = [(len(outcome & s.tokens) / len(outcome) if outcome else 0.0, s) for s in own]
    stating = [(share, s) for share, s in shares if share >= limits.conflict_outcome_share]
    if not stating:
        return None
    return max(stating, key=lambda x: (" CI " in x[1].verbatim, x[0], x[1].relevance, x[1].verbatim))[1]


def _figures_of(contradiction: Contradiction, n: int) -> frozenset[float]:
    """Estimate and interval of document n as the summary prints them: "[n] reports less stroke (HR 0.75, ...)"."""
    sides = re.split(r"(?=\[\d+\] reports )", contradiction.summary)
    return next((_figures(side) for side in sides if side.startswith(f"[{n}] ")), frozenset())


def _figures(text: str) -> frozenset[float]:
    return frozenset(float(number) for number in _DECIMAL.findall(text))
