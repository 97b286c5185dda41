"""Which words of a question are the treatments asked about, and how they stand to each other.

Names of the slots become ideas; what is found on a test, who is meant by a drug ("statin-intolerant") and the class of
what is asked about are no treatment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, combinations, pairwise

from openwork_contracts.question import Entity, EntityKind, PopulationKind, QuestionAnalysis
from openwork_contracts.strategy import BlockRole, SearchStrategy
from openwork_knowledge import mesh
from openwork_knowledge.classes import class_named
from openwork_knowledge.notation import group
from openwork_language.asking.words import asking
from openwork_language.mentions import Idea, idea_of, idea_tokens
from openwork_language.searching.information import SOME, information, is_everyday
from openwork_language.searching.spellings import describes
from openwork_language.terms import find_terms, is_member, whole_term

from openwork_answers.given import is_alike
from openwork_answers.roles import Roles, is_compound
from openwork_answers.treatments import without_dose

LITTLE = idea_tokens("treatment therapy care control group standard usual")
_TOGETHER = re.compile(
    r"\s*(?:,\s*)?(?:when\s+)?(?:added to|on top of|plus|\+|combined with|in combination with|together with|with|and)"
    r"\s+"
    r"(?:an?\s+|the\s+)?(?:\w+\s+)?",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*[,;(]\s*")
"""Between names of which each is asked about."""
_AGAINST = re.compile(r"\b(?:than|versus|vs|against|compared (?:with|to)|rather than|instead of)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_][\w']*")
_FOUND_ON = re.compile(r"\b(?:on|by|at|with)\s+(?:an?\s+|the\s+)?$", re.IGNORECASE)
_BY_ROUTE = re.compile(r"(?:oral|inhaled|topical|intravenous|injectable|subcutaneous|nasal|rectal)\s", re.IGNORECASE)


def drugs_once(ideas: Iterable[Idea]) -> tuple[Idea, ...]:
    """A drug under two names is one: "Giapreza (angiotensin II)"."""
    kept: list[Idea] = []
    for idea in ideas:
        if not any(idea.names and idea.names == other.names for other in kept):
            kept.append(idea)
    return tuple(kept)


def _is_of_somebody(word: str) -> bool:
    """Whether a word says who or how somebody is, and names nothing that is given."""
    return describes(word.casefold()) or _people().fullmatch(word) is not None


@cache
def _people() -> re.Pattern[str]:
    return re.compile(asking("head"), re.IGNORECASE)


@cache
def _measures() -> re.Pattern[str]:
    return re.compile(group("question_slots", "measure"), re.IGNORECASE)


def is_something(idea: Idea) -> bool:
    """Whether a treatment that no list knows is told by any telling word; "hospitals provide" is nothing, nor is a
    measure."""
    words = _WORD.findall(idea.term)
    if not idea.names and any(map(_is_of_somebody, words)) and all(_is_of_somebody(w) or is_everyday(w) for w in words):
        return False  # "Frail lady", "septic and hypotensive"
    told = bool(idea.names) or any(information(word) >= SOME for word in words) or len(idea.free - LITTLE) > 1
    return told and not _measures().fullmatch(idea.term)


def are_tests(treatments: Sequence[Idea], entities: Sequence[Entity]) -> bool:
    """Whether what is asked about are tests (MeSH's E01, diagnosis) and nothing that treats."""
    ids = [e.mesh_id for e in entities for idea in treatments if e.text == idea.term and e.mesh_id]
    trees = [tree for mesh_id in ids for tree in mesh.trees_of(mesh_id)]
    return bool(trees) and all(tree.startswith("E01") for tree in trees)


def without_tests(treatments: tuple[Idea, ...], analysis: QuestionAnalysis) -> tuple[Idea, ...]:
    """By what something was found is no treatment: "a lacunar infarct on MRI"."""
    return tuple(
        idea
        for idea in treatments
        if not (are_tests([idea], analysis.entities) and _FOUND_ON.search(analysis.question.partition(idea.term)[0]))
    )


_COMES_OFF = re.compile(
    r"\b(?:gets?|getting|got|comes?|coming|wean(?:s|ed|ing)?)\s+(?:[\w-]+\s+){0,2}?off\s+(?:of\s+|the\s+)?(?:their\s+)?$",
    re.IGNORECASE,
)
""" "Do steroids get people off [noradrenaline]" asks what becomes of them."""
_NOT = re.compile(r"\bnot\s+$|\bnon-?$", re.IGNORECASE)
""" "Hydrocortisone specifically (not [dexamethasone])", "non-[dialysis] CKD"."""
_RELATED = re.compile(r"-(?:related|associated)\b", re.IGNORECASE)
""" "[PICC]-related thrombosis"."""


def is_given(term: str, roles: Roles, analysis: QuestionAnalysis) -> bool:
    """Not who is meant ("statin-intolerant") and not what is asked about ("need for renal replacement therapy")."""
    at = analysis.question.find(term)
    before, behind = analysis.question[: max(0, at)], analysis.question[at + len(term) :]
    if at >= 0 and (is_compound(behind) or _RELATED.match(behind) or _NOT.search(before)):
        return False
    # "Hydrocortisone alone, without fludrocortisone"; a list that goes on has no such word: "without PE, rivaroxaban".
    absent = (t for t in analysis.pico.people if t.kind is PopulationKind.TREATMENT and not t.wanted and t.text != term)
    if any(t.start <= at < t.end for t in chain(roles.people, absent)):
        return False
    if at >= 0 and _COMES_OFF.search(analysis.question[:at]):
        return False
    return not any(term.casefold() in outcome.casefold() for outcome in roles.outcomes)


def named_elsewhere(
    analysis: QuestionAnalysis, strategy: SearchStrategy, comparators: Sequence[Idea]
) -> tuple[Idea, ...]:
    """Where no slot holds a treatment: "people on dabigatran" of a comparison, and what the search takes for one."""
    on = [t for t in analysis.pico.people if t.kind is PopulationKind.TREATMENT and t.wanted and t.name]
    if on and comparators:
        return tuple(idea_of(t.name or t.text) for t in on)
    compared = {name for idea in comparators for name in idea.names}
    who = [(t.start, t.end) for t in analysis.pico.people]
    drugs = [e for e in analysis.entities if e.kind is EntityKind.DRUG and not any(a <= e.start < b for a, b in who)]
    drugs = [
        e
        for e in drugs
        if not is_compound(analysis.question[e.end :]) and not _COMES_OFF.search(analysis.question[: e.start])
    ]
    given = [idea_of(e.text, (e.name, *e.synonyms)) for e in drugs]
    if any(not idea.names & compared for idea in given):
        return tuple(idea for idea in given if not idea.names & compared)
    found = []
    for block in strategy.blocks:
        if block.role is BlockRole.INTERVENTION and not block.negated:
            for concept in block.concepts:
                idea = idea_of(concept.spoken, [concept.name, *concept.names()[:12]])
                if not idea.names & compared and not _is_of_compound(concept.spoken, analysis.question):
                    found.append(idea)
    return tuple(found) or tuple(_classes_in(analysis.question))


def _is_of_compound(term: str, question: str) -> bool:
    """Whether every place of a drug in a question describes a disease or people by it: "rifampicin-resistant"."""
    places = [m.end() for m in re.finditer(re.escape(term), question, re.IGNORECASE)]
    return bool(places) and all(is_compound(question[end:]) for end in places)


def _classes_in(question: str) -> Iterator[Idea]:
    """Classes of drugs by names that no lexicon begins with: "n-3 PUFA"."""
    words = question.replace("?", " ").replace(",", " ").split()
    for n in range(min(4, len(words)), 1, -1):
        for i in range(len(words) - n + 1):
            found = class_named(" ".join(words[i : i + n]))
            if found is not None:
                yield idea_of(found.name, found.names)
                return


def set_apart(terms: list[str], question: str) -> tuple[list[str], list[str]]:
    """Treatments that the question sets against each other: "less bleeding with apixaban than with warfarin"."""
    placed = sorted((question.find(term), term) for term in terms)
    for (at, one), (then, _) in pairwise(placed):
        if at >= 0 and _AGAINST.search(question[at + len(one) : then]):
            return [t for place, t in placed if place < then], [t for place, t in placed if place >= then]
    return terms, []


def parted(terms: Sequence[str]) -> tuple[list[str], bool]:
    """A combination written with a stroke as its drugs: "nirmatrelvir/ritonavir"; and whether there is one."""
    parted: list[str] = []
    joined = False
    for term in terms:
        if whole_term(term) is not None:
            parted.append(term)  # a combination that has a name of its own
            continue
        parts = [part.strip() for part in term.split("/") if part.strip()]
        drugs = [part for part in parts if any(t.kind is EntityKind.DRUG for t in find_terms(part))]
        joined = joined or (len(drugs) > 1 and len(drugs) == len(parts))
        parted += drugs if len(drugs) > 1 and len(drugs) == len(parts) else [term]
    return parted, joined


def ideas_of(terms: Sequence[str], entities: Sequence[Entity]) -> tuple[Idea, ...]:
    found = []
    for term in dict.fromkeys(without_dose(t) for t in terms):
        synonyms = [s for e in entities if _stands_in(e.text, term) for s in (e.name, *e.synonyms)]
        found.append(idea_of(term, synonyms))
    return tuple(found)


def _stands_in(name: str, term: str) -> bool:
    """Whether a name stands in a term as a word: neither the MI of "aiming" nor the PE of "penicillin"."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", term, re.IGNORECASE) is not None


def are_together(analysis: QuestionAnalysis, treatments: Sequence[Idea], comparators: Sequence[Idea]) -> bool:
    """Two treatments that the question joins by "added to", "plus" and the like, or at least does not set apart."""
    given = [e for e in analysis.entities if e.text in analysis.pico.intervention]
    gaps = [analysis.question[a.end : b.start] for a, b in pairwise(sorted(given, key=lambda e: e.start))]
    if any(_TOGETHER.fullmatch(gap) for gap in gaps):
        return True
    alternatives = any(is_alike(one.term, [other.term]) for one, other in combinations(treatments, 2))
    if any(gap == "/" for gap in gaps) and not (comparators or alternatives):
        return True  # "rifapentine/moxifloxacin"; "enoxaparin/dalteparin" is one or the other
    if len(treatments) < 2 or comparators or re.search(r"\bor\b|/", analysis.question):
        return False
    return not any(_LISTED.fullmatch(gap) for gap in gaps)


def is_class_of(idea: Idea, treatments: Sequence[Idea], question: str) -> bool:
    """ "Norepinephrine versus vasopressin as vasopressor": the class of what is asked about is nothing beside it.

    A class with its route ("oral", "inhaled") is spoken of as another thing than the drug beside it.
    """
    before = question[: max(0, question.find(idea.term))]
    if _BY_ROUTE.match(idea.term) or _BY_ROUTE.fullmatch(before[before[:-1].rfind(" ") + 1 :]):
        return False
    return any(is_member(drug, name) for other in treatments for drug in other.names for name in idea.names)


def is_without(term: str, question: str) -> bool:
    """Whether what is compared with is going without: "a balloon pump versus no balloon pump"."""
    return re.search(rf"\b(?:no|without|not)\s+(?:\w+\s+)?{re.escape(term)}", question, re.IGNORECASE) is not None
