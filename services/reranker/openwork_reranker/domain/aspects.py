"""What a question asks about, and the words in which texts answer that.

"How many people have X?" is answered by "the incidence of X is", "Is X inherited?" by "autosomal dominant": the answer
often does not repeat the question's word. The table holds everyday words of medicine per aspect; it names no disease
and no drug. Which aspects a question has is read from its words and its intent.
"""

from __future__ import annotations

import re

from openwork_contracts.question import Intent
from openwork_language.tokens import fold, stem


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


_TREATMENT = _stems("treatment treat therapy medication medicine drug surgery management resource relieve recommend")
_SYMPTOMS = _stems("symptom sign pain fever feel weakness include characterize appear experience fatigue swelling")
_CAUSES = _stems("cause caused result due mutation gene lead responsible")
_INHERITANCE = _stems("inherit inherited inheritance autosomal dominant recessive linked copy pattern parent")
_GENETICS = _stems("mutation gene protein variant instruction chromosome deletion")
_FREQUENCY = _stems("prevalence incidence occur estimated affect worldwide birth rare common frequency newborn percent")
_DIAGNOSIS = _stems("diagnose diagnosis test exam biopsy imaging blood examination detect history scan mri sample")
_ACCURACY = _stems("sensitivity specificity accuracy predictive roc curve likelihood cutoff threshold criteria")
_PREVENTION = _stems("prevent prevention avoid risk lower reduce protect vaccine")
_PROGNOSIS = _stems(
    "prognosis outlook survival recover recovery expectancy permanent die death mortality improve chance"
)
_RESEARCH = _stems("research conduct support trial investigator institute understand study develop")
_RISK = _stems("risk factor likely increase age history develop chance")
_COMPLICATIONS = _stems("complication lead damage problem failure")
_DEFINITION = _stems("condition disorder disease type called known characterize group")
_DOSE = _stems("dose dosage daily mg titrate maximum initial oral infusion adjust")
_HARMS = _stems("adverse event toxicity safety tolerability discontinuation reaction harm serious side")
_MECHANISM = _stems("mechanism pathway receptor inhibit activate bind signaling mediate target induce")

_CUES: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"\b(?:treat\w*|therap\w+|manag\w+|cure)\b", _TREATMENT),
        (r"\b(?:symptoms?|signs?|features?|presentation)\b", _SYMPTOMS),
        (r"\b(?:causes?|caused|a?etiology)\b", _CAUSES),
        (r"\b(?:inherit\w*|hereditary)\b", _INHERITANCE),
        (r"\b(?:genetic changes?|genes?|mutations?)\b", _GENETICS),
        (r"\b(?:how many|prevalence|incidence|how common|frequency|how often)\b", _FREQUENCY),
        (r"\b(?:diagnos\w+|tests?|exams?|detect\w*)\b", _DIAGNOSIS),
        (r"\b(?:sensitivity|specificity|accuracy|accurate)\b", _ACCURACY),
        (r"\bprevent\w*\b", _PREVENTION),
        (r"\b(?:outlook|prognosis|survival)\b", _PROGNOSIS),
        (r"\b(?:research|clinical trials?)\b", _RESEARCH),
        (r"\b(?:at risk|risk factors?|susceptib\w+)\b", _RISK),
        (r"\bcomplications?\b", _COMPLICATIONS),
        (r"\b(?:dos(?:e|es|ing|age))\b", _DOSE),
        (r"\b(?:side effects?|adverse|toxicit\w+|safe(?:ty)?|harms?)\b", _HARMS),
        (r"\b(?:mechanisms?|mode of action)\b", _MECHANISM),
        (r"\bwhat (?:is|are)\b(?! the\b)", _DEFINITION),
    )
)
_INTENTS: dict[Intent, frozenset[str]] = {
    Intent.DOSING: _DOSE,
    Intent.ADVERSE_EVENTS: _HARMS,
    Intent.MECHANISM: _MECHANISM,
    Intent.PROGNOSIS: _PROGNOSIS,
    Intent.DIAGNOSTIC_CRITERIA: _DIAGNOSIS | _ACCURACY,
    Intent.DIAGNOSIS: _DIAGNOSIS | _ACCURACY,
    Intent.SCREENING: _DIAGNOSIS,
}
"""Intents whose texts have a language of their own; treatment and comparison show in the question's own words."""

_COMPARISON = re.compile(r"\b(?:versus|vs|compare[ds]?|comparison|comparative|superior|inferior|noninferior)\b")
RESULT_TOKENS = _stems(
    "versus compare compared comparison than difference significant superior inferior noninferior ratio ci group "
    "higher lower increase decrease similar p"
)
"""Words of a text that reports a comparison."""


def aspect_tokens(question: str, intent: Intent | None = None) -> frozenset[str]:
    """Tokens in which texts speak of what the question asks about; empty when it has no such cue."""
    folded = fold(question)
    found = set(_INTENTS.get(intent, frozenset())) if intent else set()
    for cue, words in _CUES:
        if cue.search(folded):
            found |= words
    return frozenset(found)


def asks_for_comparison(question: str, intent: Intent | None = None) -> bool:
    """Whether the question sets two things against each other."""
    return intent is Intent.COMPARATIVE_ANALYSIS or bool(_COMPARISON.search(fold(question)))
