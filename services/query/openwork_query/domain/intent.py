"""What the asker wants to know: the first rule that fits decides; the order is from the most to the least specific."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.question import Entity, EntityKind, Intent

_COMPARES = (
    r"\b(?:vs\.?|versus|compar(?:e|es|ed|ing|ison|isons|ative)|head-to-head|superior(?:ity)?|"
    r"non-?inferior(?:ity)?|rather than|"
    r"differences? between|better than|safer than|(?:more|less) (?:\w+ )?(?:effective|"
    r"safe|efficacious)\w* than|instead of)\b"
)
_RULES: tuple[tuple[Intent, str], ...] = (
    (
        Intent.TREATMENT_GUIDELINE,
        r"\bguidelines?\b|\bguidance\b|\brecommendations?\b|\brecommended\b|\bconsensus statement|"
        r"\bfirst[- ]line\b|\bsecond[- ]line\b|"
        r"\bstandard of care\b|\b(?:treatment|drug|therapy) of choice\b|\bprotocols? for\b",
    ),
    (
        Intent.DOSING,
        (
            r"(?<![\w-])(?:dos(?:e|es|ing|age|ages)(?!-)|loading dose|how (?:much|many mg)|titration|dose adjust\w+|"
            r"maximum daily|mg/kg|how often should)\b"
        ),
    ),
    (Intent.COMPARATIVE_ANALYSIS, _COMPARES),
    (Intent.SCREENING, r"\b(?:screen(?:ing|ed|s)?|early detection|case[- ]finding|mammograph\w+ use|check-?ups?)\b"),
    (
        Intent.DIAGNOSTIC_CRITERIA,
        (
            r"\b(?:criteria|diagnostic threshold|case definition|cut-?off|definition of|how is .{1,60} defined|"
            r"classification of|staging (?:of|system))\b"
        ),
    ),
    (
        Intent.ADVERSE_EVENTS,
        r"\b(?:adverse|side[- ]effects?|safety|safe|unsafe|toxicit\w+|harms?|harmful|contraindicat\w+|"
        r"interactions? (?:of|between|with)|complications?|"
        r"tolerab\w+|overdose|teratogen\w*|induced by)\b",
    ),
    (
        Intent.PROGNOSIS,
        r"\b(?:prognos\w+|surviv\w+|outlook|life expectancy|predict\w*|risk factors?|recurrence|"
        r"natural history|long[- ]term outcomes?|at risk for|"
        r"prevalence|incidence|epidemiolog\w+|how many people|likelihood of|mortality (?:rate|risk)s?|how long)\b",
    ),
    (
        Intent.DIAGNOSIS,
        r"\b(?:diagnos\w+|sensitivity|specificity|accura\w+|detect\w*|symptoms?|signs?|differentiat\w+|"
        r"distinguish\w*|test(?:s|ing)? for|biomarkers?|"
        r"imaging|useful in assess\w+|identify)\b",
    ),
    (
        Intent.TREATMENT_GUIDELINE,
        r"\b(?:how (?:should|do you|to) (?:be )?(?:treat|manag)\w*|treatments? (?:for|of)|"
        r"management of|how is .{1,60} (?:treated|managed)|"
        r"what (?:drugs?|medications?|therap\w+|treatments?)|should .{1,80} (?:receive|be (?:given|"
        r"offered|treated|used)|get)|what to do for|how to prevent)\b",
    ),
    (
        Intent.MECHANISM,
        r"\b(?:mechanisms?|pathways?|pathophysiolog\w+|pathogenesis|how (?:does|do|did|is|"
        r"are)|why|role of|functions? of|genes?|genetic|mutations?|proteins?|"
        r"receptors?|signal\w+|causes?|caused|caus(?:al|ing)|inherited|expression|encod\w+|"
        r"bind\w*|target(?:s|ed)?|origin)\b",
    ),
)
_COMPILED = tuple((intent, re.compile(pattern, re.IGNORECASE)) for intent, pattern in _RULES)
_TREATING = re.compile(
    r"\b(?:therap(?:y|ies)|interventions?|surgery|treating|preventing|improving|program(?:me)?s?|effective\w*|efficac\w+)\b",
    re.IGNORECASE,
)
_COMPARISON = re.compile(_COMPARES, re.IGNORECASE)


def intent_of(question: str, entities: Sequence[Entity]) -> Intent:
    """The intent of the question.

    Without any telling word, a question about a drug or procedure asks how it does against its alternatives; one about
    a disease alone or about biology asks what it is and how it comes about.
    """
    for intent, pattern in _COMPILED:
        if pattern.search(question):
            return intent
    treated = any(e.kind is not EntityKind.DISEASE for e in entities) or bool(_TREATING.search(question))
    return Intent.COMPARATIVE_ANALYSIS if treated else Intent.MECHANISM


def compares(question: str) -> bool:
    """Whether the question sets alternatives against each other."""
    return bool(_COMPARISON.search(question))
