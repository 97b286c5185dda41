"""What the asker wants to know: the first rule that fits decides; the order is from the most to the least specific."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from openwork_contracts.question import Entity, EntityKind, Intent
from openwork_knowledge.notation import group

_MORE_THAN = r"(?:more|less) (?:\w+ )?(?:effective|safe|efficacious)\w* than"
_DEFINED = r"how is .{1,60} defined"
_TREATED = r"how is .{1,60} (?:treated|managed)|should .{1,80} (?:receive|be (?:given|offered|treated|used)|get)"


@cache
def _rules() -> tuple[tuple[Intent, re.Pattern[str]], ...]:
    """From the most to the least specific."""

    def rule(intent: Intent, name: str, *more: str) -> tuple[Intent, re.Pattern[str]]:
        return intent, re.compile(rf"\b(?:{'|'.join((group('intents', name), *more))})\b", re.IGNORECASE)

    # "Dose-response" and "low-dose" name a kind of study and a treatment; they do not ask for a dose.
    dosing = re.compile(rf"(?<![\w-]){group('intents', 'dosing')}\b(?!-)", re.IGNORECASE)
    return (
        rule(Intent.TREATMENT_GUIDELINE, "asks for a guideline"),
        (Intent.DOSING, dosing),
        rule(Intent.COMPARATIVE_ANALYSIS, "compares", _MORE_THAN),
        rule(Intent.SCREENING, "screening"),
        rule(Intent.DIAGNOSTIC_CRITERIA, "diagnostic criteria", _DEFINED),
        rule(Intent.ADVERSE_EVENTS, "adverse events"),
        rule(Intent.PROGNOSIS, "prognosis"),
        rule(Intent.DIAGNOSIS, "diagnosis"),
        rule(Intent.TREATMENT_GUIDELINE, "asks for a treatment", _TREATED),
        rule(Intent.MECHANISM, "mechanism"),
    )


@cache
def _treating() -> re.Pattern[str]:
    return re.compile(rf"\b{group('intents', 'treats')}\b", re.IGNORECASE)


def intent_of(question: str, entities: Sequence[Entity]) -> Intent:
    """The intent of the question.

    Without any telling word, a question about a drug or procedure asks how it does against its alternatives; one about
    a disease alone or about biology asks what it is and how it comes about.
    """
    for intent, pattern in _rules():
        if pattern.search(question):
            return intent
    treated = any(e.kind is not EntityKind.DISEASE for e in entities) or bool(_treating().search(question))
    return Intent.COMPARATIVE_ANALYSIS if treated else Intent.MECHANISM


def compares(question: str) -> bool:
    """Whether the question sets alternatives against each other."""
    return any(i is Intent.COMPARATIVE_ANALYSIS and p.search(question) for i, p in _rules())
