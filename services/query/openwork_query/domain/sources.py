"""Which sources a question is sent to, of those that are available."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.question import Entity, EntityKind, Intent

GUIDELINES = "guidelines"
DAILYMED = "dailymed"
LIBRARY = "library"
WEB = frozenset({"web", "tavily"})
"""Asked only in a second round, when the gap analysis found the literature wanting."""

_GUIDELINE_WORDS = re.compile(
    r"\b(?:guidelines?|guidance|recommendations?|recommended|consensus|standards? of care|position statement|policy|"
    r"india\w*|china|chinese|japan\w*|korea\w*|america\w*|usa|u\.s\.|united states|uk|"
    r"britain|british|england|scotland|scottish|canad\w+|"
    r"australia\w*|new zealand|europe\w*|german\w*|france|french|ital(?:y|ian)\w*|spain|"
    r"spanish|brazil\w*|mexic\w+|africa\w*|nigeria\w*|"
    r"kenya\w*|pakistan\w*|bangladesh\w*|sri lanka\w*|nepal\w*|indonesia\w*|singapore\w*|"
    r"malaysia\w*|thai\w*|vietnam\w*|egypt\w*|"
    r"saudi\w*|iran\w*|israel\w*|turk(?:ey|ish)|swed\w+|norw\w+|danish|denmark|dutch|"
    r"netherlands|swiss|switzerland|russia\w*)\b",
    re.IGNORECASE,
)
_ORGANISATIONS = re.compile(
    r"\b(?:WHO|NICE|ESC|AHA|ACC|ADA|EASD|KDIGO|GOLD|GINA|ICMR|RSSDI|IDSA|NCCN|ASCO|ESMO|"
    r"USPSTF|FDA|EMA|CDC|NIH|NHS|SIGN|ACOG|RCOG|AAP|ACP|ACR|"
    r"EULAR|EASL|AASLD|ESH|ISH|CHEST|ATS|ERS|AAN|ESICM|SCCM|FIGO|AGA|ACG|BSG|NHMRC|MOHFW|"
    r"API)\b|World Health Organi[sz]ation|"
    r"\b(?:American|European|British|Canadian|Indian|International|Royal) (?:College|"
    r"Society|Association|Academy|Heart|Diabetes)\b"
)
_LABEL_WORDS = re.compile(
    r"\b(?:dos(?:e|es|ing|age)|side[- ]effects?|adverse|safety|safe|contraindicat\w+|"
    r"toxicit\w+|boxed warning|black box|label(?:l?ed|ling)?|"
    r"package insert|prescribing information|interactions?|renal(?:ly)? adjust\w*|overdose|indications?)\b",
    re.IGNORECASE,
)


def mentions_guidance(question: str) -> bool:
    """Whether guidelines, a country or an organisation that issues them are mentioned."""
    return bool(_GUIDELINE_WORDS.search(question) or _ORGANISATIONS.search(question))


def sources_for(question: str, intent: Intent, entities: Sequence[Entity], available: Sequence[str]) -> tuple[str, ...]:
    """The sources of the first round, in the order they are available.

    Guidelines when guidance is mentioned or asked for; drug labels only for the dosing or safety of a named drug; web
    search never; the user's own library and every source of literature and trials always. When these rules leave
    nothing, everything available is searched: a run needs at least one source.
    """
    drug = any(e.kind is EntityKind.DRUG for e in entities)
    wants_label = drug and (intent in {Intent.DOSING, Intent.ADVERSE_EVENTS} or bool(_LABEL_WORDS.search(question)))
    wants_guidelines = intent is Intent.TREATMENT_GUIDELINE or mentions_guidance(question)
    wanted = {GUIDELINES: wants_guidelines, DAILYMED: wants_label, **dict.fromkeys(WEB, False)}
    chosen = tuple(dict.fromkeys(source for source in available if wanted.get(source, True)))
    return chosen or tuple(dict.fromkeys(available))
