"""Sources of pregnant women, children or newborns alone: no answer for everybody, and their harms are nobody else's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from openwork_contracts.conclusion import Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import PopulationKind, QuestionAnalysis
from openwork_knowledge import mesh
from openwork_knowledge.notation import group
from openwork_language.asking.people import clauses
from openwork_language.searching.concepts import people_in
from openwork_language.terms import find_terms

from openwork_answers.studied import studied
from openwork_answers.young import is_young

_AROUND_BIRTH = frozenset({"pregnancy", "newborns", "breast feeding", "infants"})
_YOUNG = frozenset({"children", "adolescents", "infants", "newborns"})
_ADULTS = re.compile(
    r"\b(?:adults?|elderly|older (?:people|persons|patients|men|women)|all ages|any age)\b", re.IGNORECASE
)
_OF_BIRTH = ("C12.050.703", "C13.703", "C16.614", "G08.686", "E04.520")
"""MeSH 2024: pregnancy complications, diseases of newborns, reproduction and pregnancy, obstetric surgery."""


@lru_cache(maxsize=2048)
def special_people(document: EvidenceCandidate) -> frozenset[str]:
    """The groups whom a source studied and nobody else: by its title, or by whom it enrolled; empty where adults too.

    Names of groups as in `search-people.tsv`: pregnancy, newborns, infants, children, adolescents, breast feeding.
    """
    taken = " ".join(clause.text for clause in clauses(studied(document)) if not clause.excluded)
    for text in (document.title, taken):
        if _ADULTS.search(text):
            return frozenset()
        if named := frozenset(one.name for one in people_in(text)) & (_AROUND_BIRTH | _YOUNG):
            return named
    return frozenset()


def unasked_people(analysis: QuestionAnalysis, document: EvidenceCandidate) -> frozenset[str]:
    """Special groups of a source that a question names in none of its words: neither they nor what only they have."""
    return (special_people(document) - groups_asked(analysis)) | _conditions_unasked(analysis, document)


def _conditions_unasked(analysis: QuestionAnalysis, document: EvidenceCandidate) -> frozenset[str]:
    """What all people of a source have, by its title, and nobody was asked about: "on dialysis"; one sex alone."""
    own = _conditions_in(_PREVENTED.sub(_cause, document.title)) - _conditions_in(analysis.question)
    sexes = {match[1].casefold() for match in _SEX.finditer(document.title)}
    is_told = _ONE_OF_A_SEX.search(analysis.question) is not None or bool(groups_asked(analysis) & _AROUND_BIRTH)
    return own | (sexes if len(sexes) == 1 and not is_told else frozenset())


@lru_cache(maxsize=512)
def groups_asked(analysis: QuestionAnalysis) -> frozenset[str]:
    """Special groups whom a question means, also by what only they have: pregnancy by pre-eclampsia."""
    named = {one.name for one in people_in(analysis.question)}
    trees = (tree for e in analysis.entities if e.mesh_id for tree in mesh.trees_of(e.mesh_id))
    if (
        named & _AROUND_BIRTH
        or any(tree.startswith(_OF_BIRTH) for tree in trees)
        or any(term.kind is PopulationKind.PREGNANCY for term in analysis.pico.people)
        or _around_birth().search(analysis.question)
    ):
        named |= _AROUND_BIRTH
    if named & _YOUNG or any(is_young(term) for term in analysis.pico.people):
        named |= _YOUNG
    return frozenset(named)


@cache
def _around_birth() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){group('around-birth', 'word')}(?![\w-])", re.IGNORECASE)


_PREVENTED = re.compile(
    r"\b(?:prevent(?:ion of|ing|s)?|risk of|incidence of|(?:against|screening for))\s.*?"
    r"(?=\s(?:in|among|for|with|after|during|undergoing|on|following|from|before|despite)\s"
    r"|\sof\s(?:[\w-]+\s)?(?:patients|people|adults|children)\b|[:;?]|$)",
    re.IGNORECASE,
)
"""Who is kept from a disease does not have it: "Prevention of Cardiovascular Disease and Cancer"; but what that would
come from: "to Prevent HIV-Related Tuberculosis"."""
_RELATED = re.compile(r"\b([\w-]+)-(?:related|associated)\b", re.IGNORECASE)


_HAD = re.compile(r"\b(?:progress|recurr|relaps|exacerbat|worsen|complication)", re.IGNORECASE)


def _cause(prevented: re.Match[str]) -> str:
    if _HAD.search(prevented[0]):
        return prevented[0]  # who is kept from its progression has it
    return f" {' '.join(_RELATED.findall(prevented[0]))} "


_SEX = re.compile(r"\b(women|men)\b", re.IGNORECASE)
_ONE_OF_A_SEX = re.compile(r"\b(?:wom[ae]n|m[ae]n|fe?males?|males?)\b", re.IGNORECASE)
_CONDITIONS = {
    "on dialysis": ("E02.870",),
    "chronic kidney disease": (
        "C12.050.351.968.419.780.750",
        "C12.200.777.419.780.750",
        "C12.950.419.780.750",
    ),
    "cancer": ("C04",),
    "after a transplant": ("E04.936",),
    "HIV": ("C01.925.782.815.616.400", "C01.778.640.400", "C20.673.480"),
    "cirrhosis": ("C06.552.630",),
}
"""MeSH 2024: who has these is left out of most trials of others, and a trial of them alone tells of nobody else."""
_IN_WORDS = {
    "with a mechanical heart valve": re.compile(r"\b(?:mechanical|prosthetic) (?:heart )?valves?\b", re.IGNORECASE)
}
"""Those whom no heading of MeSH names that the terms know."""


def is_of_unasked(analysis: QuestionAnalysis, document: EvidenceCandidate) -> bool:
    """Whether a source is of special people alone whom the question does not name: of people on dialysis."""
    return bool(unasked_people(analysis, document))


@lru_cache(maxsize=4096)
def _conditions_in(text: str) -> frozenset[str]:
    trees = [tree for term in find_terms(text) if term.mesh_id for tree in mesh.trees_of(term.mesh_id)]
    named = {name for name, of in _CONDITIONS.items() if any(tree.startswith(of) for tree in trees)}
    return frozenset(named | {name for name, words in _IN_WORDS.items() if words.search(text)})


def of_some_alone(
    results: Sequence[StudyResult], analysis: QuestionAnalysis, documents: Sequence[EvidenceCandidate]
) -> list[StudyResult]:
    """Results of special people whom nobody asked about are of a part of those asked about, whatever else fits."""
    return [
        r.model_copy(update={"people_fit": Fit.PART})
        if r.people_fit is Fit.ASKED and unasked_people(analysis, documents[r.n - 1])
        else r
        for r in results
    ]


def sources_of_harm(lead: StudyResult, alike: Sequence[StudyResult]) -> list[int]:
    """Sources of which a sentence may tell the harm: not those of which a subgroup alone is of these people."""
    return list(dict.fromkeys((lead.n, *(r.n for r in alike if not r.is_subgroup))))


def of_like_people(
    results: Sequence[StudyResult], lead: StudyResult, documents: Sequence[EvidenceCandidate]
) -> list[StudyResult]:
    """Results of the lead's source and of sources of such people: of pregnant women beside pregnant women alone."""
    own = special_people(documents[lead.n - 1])
    told = {Fit.ASKED, Fit.PART}
    return [
        r
        for r in results
        if r.n == lead.n
        or (special_people(documents[r.n - 1]) == own and (r.people_fit in told or r.people_fit is lead.people_fit))
    ]
