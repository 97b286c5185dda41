"""Whether a question is about medicine or the biology behind it.

A question counts as biomedical when it names a disease, drug or procedure of the lexicon, holds a word of the field
(`biomedical_words`, `mesh_words`), a word built like a nonproprietary name, a clinical short form, or an identifier
such as a gene, or asks whether something changes how often people die, relapse or fall, and is not plainly a task of
another kind (`other_tasks`). What that lets through and turns away: docs/evaluation.md, "Word lists".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from openwork_contracts.question import Entity
from openwork_knowledge.inn import inn_words
from openwork_knowledge.tables import alternatives, table, words
from openwork_language.abbreviations import meanings_of

from openwork_query.domain.thresholds import THRESHOLDS

_WORD = re.compile(r"[^\W\d_]{5,}")
# Genes, proteins, cell lines and compounds by their spelling: TP53, miR-21, HIF1A, mTOR, lncRNA, IgG.
_IDENTIFIER = re.compile(
    r"\b(?:[A-Z]{2,}[a-z]?\d+[A-Z\d]*|[A-Z]{1,5}-?\d{1,4}[A-Za-z]{0,2}|[a-z]{1,3}[A-Z]{2,}\w*|"
    r"[A-Z]{2,}[a-z]{0,2}RNAs?|[A-Z][a-z]{1,3}\d{1,3}|[A-Z][a-z]{2}[A-Z]|miR-?\d+\w*|"
    r"[a-z]{2}[A-Z][a-z])\b"
)
_NUMBERED = re.compile(r"(?:COP|SHA-|SHA|SQL|Windows-?|GPT-?)\d+\w*")
"""Series of other things that are written like identifiers."""


def is_biomedical(question: str, entities: Sequence[Entity]) -> bool:
    """Whether the question is one that the biomedical literature may answer."""
    if _patterns()["task"].search(question):
        return False
    if _patterns()["other"].search(question):
        enough = bool(entities) or len(_field().findall(question)) >= THRESHOLDS.enough_words
        return enough and bool(_patterns()["anyway"].search(question))
    return (
        bool(entities)
        or _speaks_of_the_field(question)
        or _has_a_clinical_short_form(question)
        or _names_a_study(question)
        or _changed().search(question) is not None
    )


@cache
def _changed() -> re.Pattern[str]:
    """ "Does [what no list knows] reduce death?": what is changed is of medicine, whatever changes it."""
    listed = table("biomedical_words")
    change, changed = (alternatives(listed.words(group)) for group in ("change, beginning", "changed"))
    return re.compile(rf"\b{change}\w*\s+(?:[\w-]+\s+){{0,4}}?{changed}\b", re.IGNORECASE)


_STUDY_NAME = re.compile(r"\b[A-Z]{4,}(?:-[A-Z\d]+)*\b")
_STUDY = re.compile(
    r"\b(?:trials?|stud(?:y|ies)|participants|enrol\w*|randomi[sz]\w*|compared|arms?|follow-?up|control group"
    r"|observed|stopped"
    r"|results?|findings?|show(?:ed|n)?|recruit\w*|NNT|NNH|deaths?|mortality|outcomes?|doses?|side effects)\b",
    re.IGNORECASE,
)


def _names_a_study(question: str) -> bool:
    """Whether a study is asked about by its acronym: "What was compared in SEPSISPAM?"."""
    return not question.isupper() and _STUDY_NAME.search(question) is not None and _STUDY.search(question) is not None


_SHORT_FORM = re.compile(r"(?<![\w.@/-])[A-Za-z][A-Za-z\d]{2,6}\b(?![.@/]\w)")
_BLOOD_PRESSURE = re.compile(
    r"\bBP (?:of |is )?\d{2,3}\b|\bBP\b.*\b\d{2,3}/\d{2,3}\b"
    r"|\b(?:[Ii]ntensive|[Ss]trict|[Tt]ight|[Ss]ystolic|[Dd]iastolic|[Hh]igh|[Hh]ome|[Aa]mbulatory) BP\b"
    r"|\b(?:BP (?:goal|target)|(?:LDL(?:-C)?|HbA1c|A1[cC]|INR|TSH|SBP) (?:goals?|targets?|thresholds?|cut-?offs?))"
    r"(?=\s(?:for|in|of|after|with)\b|\?|$)"
    r"|\bBP[- ](?:lowering|control|reduction|drugs?|medications?|medicines?|treatment)\b"
)


def _has_a_clinical_short_form(question: str) -> bool:
    """Whether a short form of clinical language stands beside a figure: "1 mmol/L of LDL", "stage 1 htn", "BP 176".

    Without one "ESC" may be a key and "ACS" a union; of two letters only a blood pressure is told, by its figure or by
    what is done to it.
    """
    if question.isupper():
        return False
    if _BLOOD_PRESSURE.search(question):
        return True
    if not any(map(str.isdigit, question)):
        return False
    words = (match[0] for match in _SHORT_FORM.finditer(question))
    known = (meanings_of(w.upper() if w.islower() else w) for w in words if not w.islower() or w not in _ordinary())
    return any(known)


@cache
def _ordinary() -> frozenset[str]:
    return frozenset((*words("ordinary_words"), *words("common-words"), *words("stop-words")))


def _speaks_of_the_field(question: str) -> bool:
    if _field().search(question) or any(True for _ in inn_words(question)):
        return True
    ends, ordinary, rare = _single_words()
    for match in _WORD.finditer(question):
        word = match[0].casefold()
        if word.endswith(ends) and len(word) >= THRESHOLDS.shortest_with_ending and word not in ordinary:
            return True
        # A capital within a sentence is a name: "Aldrin" is an astronaut, "aldrin" an insecticide.
        named = match[0][0].isupper() and question[: match.start()].endswith((" ", "(")) and not question.istitle()
        if not named and (word in rare or word.removesuffix("s") in rare):
            return True
    return any(not _is_another_identifier(match[0]) for match in _IDENTIFIER.finditer(question))


@cache
def _field() -> re.Pattern[str]:
    """Beginnings of words of the field, whole words and phrases."""
    listed = table("biomedical_words")
    beginnings = [row[1] for row in listed.rows if row[0].startswith("begins: ")]
    whole = alternatives((*listed.words("word"), *listed.words("phrase")), plural=True)
    return re.compile(
        rf"\b(?:{alternatives(listed.words('prefix'))}?{alternatives(beginnings)}|{whole}\b)", re.IGNORECASE
    )


@cache
def _single_words() -> tuple[tuple[str, ...], frozenset[str], frozenset[str]]:
    """Endings of medical words, ordinary words that end so, rare words of MeSH headings."""
    return (
        words("biomedical_words", "ends"),
        frozenset(words("biomedical_words", "ordinary")),
        frozenset(words("mesh_words")),
    )


def _is_another_identifier(text: str) -> bool:
    return text.casefold() in _other_identifiers() or _NUMBERED.fullmatch(text) is not None


@cache
def _other_identifiers() -> frozenset[str]:
    return frozenset(w.casefold() for w in words("other_tasks", "identifier of something else"))


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """`task`: another task whatever it is about; `other`: likely another one; `anyway`: medicine all the same."""
    listed = table("other_tasks")
    order = r"\b(?:write|compose|draft|sing|tell)\b(?: me| us)?(?: an?| the| some)?[\w\s,-]{0,30}"
    any_order = (
        r"\b(?:write|compose|draft|create|generate|tell|give|provide|make|develop|produce|sing)\b"
        r"(?: me| us)?(?: an?| the| some)?[\w\s,-]{0,30}"
    )
    dish = alternatives(listed.words("dish"))
    language = alternatives(listed.words("language"))
    cooking = (
        rf"\brecipe (?:for|of)|how (?:do i|to|can i|do you) (?:bake|cook|make (?:an? )?{dish}|fry|grill|brew)"
        rf"|bake a|cook a|ingredients (?:for|of) (?:a )?\w+ {dish}\b"
    )
    code = (
        r"\b(?:def \w+\(|print\(|console\.log|#include|public static void|select \* from|import \w+ as|function\s*\("
        r"|for i in range|=>|while\s*\(true\))"
    )
    who = r"\b(?:what(?:'s| is| was) the population of|who (?:wrote|painted|won(?!')|directed|composed|sang))\b"
    task = (
        rf"{order}\b{alternatives(listed.words('writing, whatever it is about'))}\b",
        r"\brecipe\b|\bdef \w+\(|\bimport \w+ as\b",
    )
    other = (
        rf"{any_order}\b{alternatives(listed.words('writing'))}\b",
        rf"(?<!\w){alternatives(listed.words('programming'))}(?!\w)",
        rf"\b{alternatives((*listed.words('general knowledge'), *listed.words('small talk')))}\b",
        rf"\btranslate\b.{{0,40}}\b(?:to|into)\b|\bin {language}\?",
        cooking,
        code,
        who,
    )
    beginnings = alternatives(listed.words("medical anyway, beginning"))
    anyway = rf"\b(?:{alternatives(listed.words('medical anyway'))}|{beginnings}\w*)\b"
    flags = re.IGNORECASE
    return {
        "task": re.compile("|".join(task), flags),
        "other": re.compile("|".join(other), flags),
        "anyway": re.compile(anyway, flags),
    }
