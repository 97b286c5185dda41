"""Brackets that say a treatment once more: "DAPT (clopidogrel plus aspirin)", "dabigatran (Pradaxa)", "no aspirin
(placebo)"."""

from __future__ import annotations

import re

from openwork_contracts.question import EntityKind
from openwork_knowledge.tables import words

from openwork_language.terms import Term, find_terms, is_member

_BRACKET = re.compile(r"\s*\((?P<inside>[^()\d]{3,60})\)")
_CONTROL = re.compile(
    r"(?:a |an )?(?:matching )?(?:placebo|dummy|sham|usual care|standard care|control)(?:\s+\w+)?", re.IGNORECASE
)
_WITHOUT = re.compile(r"\b(?:no|without|not (?:having|giving|taking))\s+[^,;()?]{2,40}$", re.IGNORECASE)
_GIVEN = frozenset({EntityKind.DRUG, EntityKind.PROCEDURE})
_BESIDE = frozenset(words("stop-words"))


def without_glosses(question: str) -> str:
    """The question with each such treatment named once, by its drugs where only a class or short form stands before."""
    question = _by_its_drug(question)
    at = 0
    while (match := _BRACKET.search(question, at)) is not None:
        told = _told_once(question, match)
        at = match.start() if told != question else match.end()
        question = told
    return question


def _by_its_drug(question: str) -> str:
    """ "Thrombolysis with alteplase" as alteplase."""
    found = list(_WITH_A_DRUG.finditer(question))
    drugs = {term.start for term in find_terms(question) if term.kind is EntityKind.DRUG} if found else set()
    for match in reversed(found):
        if match.end() in drugs:
            question = f"{question[: match.start()]}{question[match.end() :]}"
    return question


_WITH_A_DRUG = re.compile(
    r"\b(?:(?:iv|intravenous|oral|dual)\s+)?(?:thrombolysis|fibrinolysis|anticoagulation|resuscitation"
    r"|antiplatelet (?:therapy|treatment)|DAPT|monotherapy)\s+with\s+(?:the\s+)?",
    re.IGNORECASE,
)


def _told_once(question: str, match: re.Match[str]) -> str:
    before, behind, inside = question[: match.start()], question[match.end() :], match["inside"]
    if _CONTROL.fullmatch(inside.strip()):
        return f"{before}{behind}" if _WITHOUT.search(before) else question
    inner = [term for term in find_terms(inside) if term.kind in _GIVEN]
    outer = next((term for term in find_terms(before) if term.end == len(before) and term.kind in _GIVEN), None)
    if not inner or outer is None or _says_more(inside, inner):
        return question
    if all(term.name == outer.name or is_member(outer.name, term.name) for term in inner):
        return f"{before}{behind}"
    if all(term.kind is EntityKind.DRUG for term in inner) and (
        outer.kind is EntityKind.PROCEDURE or all(is_member(term.name, outer.name) for term in inner)
    ):
        return f"{before[: outer.start]}{inside.strip()}{behind}"
    return question


def _says_more(inside: str, inner: list[Term]) -> bool:
    """Whether a bracket has telling words besides the treatments that it names."""
    rest = "".join(" " if any(t.start <= i < t.end for t in inner) else c for i, c in enumerate(inside))
    return any(word.casefold() not in _BESIDE | {"plus", "with", "only"} for word in re.findall(r"[^\W\d_]{3,}", rest))
