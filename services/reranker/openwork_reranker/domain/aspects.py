"""What a question asks about, and the words in which texts answer that.

"How many people have X?" is answered by "the incidence of X is", "Is X inherited?" by "autosomal dominant": the answer
often does not repeat the question's word. The table holds everyday words of medicine per aspect; it names no disease
and no drug. Which aspects a question has is read from its words and its intent.
"""

from __future__ import annotations

import re
from functools import cache

from openwork_contracts.question import Intent
from openwork_knowledge.patterns import pattern
from openwork_knowledge.tables import table, words
from openwork_language.tokens import fold, stem

_NOT_A_DEFINITION = r"(?! the\b)"
"""After "what are": "what are the symptoms" asks for the symptoms."""


@cache
def _answers(aspect: str) -> frozenset[str]:
    """Stems of the words in which texts speak of it."""
    return frozenset(stem(word) for word in words("aspect-words", aspect))


def _cue(aspect: str) -> re.Pattern[str]:
    return re.compile(rf"\b{pattern('aspect-cues', aspect)}\b" + (_NOT_A_DEFINITION if aspect == "definition" else ""))


_CUES = {aspect: _cue(aspect) for aspect in table("aspect-cues").groups() if aspect != "comparison"}
_INTENTS: dict[Intent, tuple[str, ...]] = {
    Intent.DOSING: ("dose",),
    Intent.ADVERSE_EVENTS: ("harms",),
    Intent.MECHANISM: ("mechanism",),
    Intent.PROGNOSIS: ("prognosis",),
    Intent.DIAGNOSTIC_CRITERIA: ("diagnosis", "accuracy"),
    Intent.DIAGNOSIS: ("diagnosis", "accuracy"),
    Intent.SCREENING: ("diagnosis",),
}
"""Intents whose texts have a language of their own; treatment and comparison show in the question's own words."""

_COMPARING = frozenset({Intent.COMPARATIVE_ANALYSIS, Intent.EFFICACY})
_COMPARISON = _cue("comparison")
RESULT_TOKENS = _answers("comparison")
"""Words of a text that reports a comparison."""


def aspect_tokens(question: str, intent: Intent | None = None) -> frozenset[str]:
    """Tokens in which texts speak of what the question asks about; empty when it has no such cue."""
    folded = fold(question)
    asked = {aspect for aspect, cue in _CUES.items() if cue.search(folded)}
    asked.update(_INTENTS.get(intent, ()) if intent else ())
    return frozenset().union(*(_answers(aspect) for aspect in asked))


def asks_for_comparison(question: str, intent: Intent | None = None) -> bool:
    """Whether studies that compare answer it: alternatives with each other, or a treatment with none."""
    return intent in _COMPARING or bool(_COMPARISON.search(fold(question)))
