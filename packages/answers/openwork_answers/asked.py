"""The question as results are held against it: treatments, comparators, outcomes, people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from openwork_contracts.conclusion import Fit
from openwork_contracts.question import (
    Entity,
    EntityKind,
    Intent,
    PopulationKind,
    PopulationTerm,
    QuestionAnalysis,
)
from openwork_contracts.strategy import BlockRole, SearchStrategy
from openwork_knowledge import mesh
from openwork_knowledge.classes import class_named, classes_of
from openwork_knowledge.notation import group
from openwork_knowledge.patterns import pattern
from openwork_language.mentions import Idea, idea_of, idea_tokens, names_in, speaks_of
from openwork_language.searching.information import SOME, information
from openwork_language.terms import find_terms, is_member

from openwork_answers.outcomes import NEAR, Outcome, read_outcome
from openwork_answers.roles import Roles, is_compound, roles_of
from openwork_answers.targets import Target, is_about, is_measure, is_tested, target_of

_YES_OR_NO = re.compile(
    r"^\W*(?:(?:in|among|for|after|with)\s[^,?]{3,120},\s*)?"
    r"(?:does|do|did|is|are|was|were|can|could|should|will|would|has|have|may|might)\b(?!.*\bor\b.*\?)",
    re.IGNORECASE,
)
_LITTLE = idea_tokens("treatment therapy care control group standard usual")
_ASKS_FOR_GUIDELINE = re.compile(rf"\b{pattern('question-cues', 'guideline')}\b", re.IGNORECASE)
_TREATED = re.compile(r"\b(?:treating|treatment of|therapy (?:of|for)|drug treatment|lowering)\s", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\s*\([^()]*\d[^()]*\)")
"""Behind an arm's name a target or a dose, no name: "warfarin (INR 2.0-3.0)"."""
_SET_AGAINST = re.compile(r"\b(?:versus|vs|v|compared (?:with|to)|against)\b", re.IGNORECASE)
_DOSE_WORD = re.compile(r"\b(?:low|high|standard|full|reduced|usual|moderate)(?:er)?[- ]dose\s+", re.IGNORECASE)
_ABSENT = re.compile(r"\s*(?:no|without|not|non|off)\b", re.IGNORECASE)
"""An arm that goes without: "no aspirin"."""
_EFFECTS = frozenset({Intent.EFFICACY, Intent.COMPARATIVE_ANALYSIS, Intent.ADVERSE_EVENTS, Intent.TREATMENT_GUIDELINE})
_KNOWLEDGE = frozenset(
    {Intent.MECHANISM, Intent.DIAGNOSIS, Intent.DIAGNOSTIC_CRITERIA, Intent.PROGNOSIS, Intent.SCREENING}
)
_DEFINES = re.compile(
    r"^\W*(?:what (?:is|are|is \(are\)|causes?)|who is at risk|what are the (?:signs|symptoms|complications|causes)"
    r"|how to (?:prevent|diagnose)"
    r"|is \w+ (?:inherited|genetic))\b"
    r"(?!.*\b(?:treat|therap|drug|dose|effect|harms|benefits?|versus|compared|guideline|recommend|first[- ]line"
    r"|reduction in|increase in|per \d))",
    re.IGNORECASE,
)
_INDICATION = re.compile(r"\b(?:indications?|indicated|approved|approval|licen[cs]ed|used for)\b", re.IGNORECASE)
_WHAT_TO_DO = frozenset(
    {Intent.TREATMENT_GUIDELINE, Intent.EFFICACY, Intent.COMPARATIVE_ANALYSIS, Intent.DOSING, Intent.SCREENING}
)
_TOGETHER = re.compile(
    r"\s*(?:,\s*)?(?:when\s+)?(?:added to|on top of|plus|\+|combined with|in combination with|together with|with|and)"
    r"\s+"
    r"(?:an?\s+|the\s+)?(?:\w+\s+)?",
    re.IGNORECASE,
)
_ANY = re.compile(
    rf"(?:the )?{pattern('comparators', 'unnamed_kind')}(?: available| medical)? "
    rf"{pattern('comparators', 'unnamed_treatment')}|{pattern('comparators', 'unnamed')}",
    re.IGNORECASE,
)
_AGAINST = re.compile(r"\b(?:than|versus|vs|against|compared (?:with|to)|rather than|instead of)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_][\w']*")
_CONTROL = re.compile(rf"\b{pattern('arm-roles', 'control')}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, read once."""

    analysis: QuestionAnalysis
    treatments: tuple[Idea, ...]
    together: bool
    """Whether all treatments are given at once: "ezetimibe added to a statin"."""
    comparators: tuple[Idea, ...]
    """Empty = anything that it was compared with."""
    control_asked: bool
    """Whether the comparator asked about is a control: "placebo", "usual care"."""
    target: Target | None
    """What is treated to a target, where no drug is named."""
    treated: bool
    """Whether treatment as such is asked about: "treating hypertension"."""
    outcomes: tuple[Outcome, ...]
    people: tuple[PopulationTerm, ...]
    yes_or_no: bool
    asks_for_harm: bool
    asks_for_knowledge: bool
    """What something is, what causes it, how it is found or goes on: no question of treatment."""
    asks_for_indication: bool
    asks_for_dose: bool
    asks_for_guideline: bool
    asks_what_to_do: bool
    """Whether guidelines may answer it: treatment, dose, screening, diagnosis."""
    asks_for_effect: bool
    """Whether results of studies answer it: a treatment is named, and what it does is asked."""


def read_question(analysis: QuestionAnalysis, strategy: SearchStrategy) -> Question:
    """The slots as ideas and outcomes.

    Args:
        strategy: names treatments that no slot has ("prevented by empagliflozin", "n-3 fatty acids").
    """
    pico = analysis.pico
    roles = roles_of(analysis)
    outcomes = _outcomes(roles.outcomes, analysis)
    terms, joined = _parted([t for t in pico.intervention if _is_given(t, roles, analysis)])
    compared = [t for t in pico.comparison if not _is_people(t, roles, analysis)]
    if not compared:
        terms, compared = _set_apart(terms, analysis.question)
    treatments = tuple(idea for idea in _ideas(terms, analysis.entities) if _is_something(idea))
    comparators = _ideas(compared, analysis.entities)
    target = None
    defines = _DEFINES.search(analysis.question) is not None
    knowledge = defines or analysis.intent in _KNOWLEDGE
    if not any(idea.names for idea in treatments) and not defines:
        named = tuple((e.start, e.end) for e in analysis.entities)
        target = target_of(analysis.question, roles.people, named)
        if target is not None and knowledge:
            target = target if target.tested else None
            knowledge = target is None
        if target is not None:
            outcomes = tuple(o for o in outcomes if not is_measure(target, o.text))
    if target is not None:
        treatments, comparators = (), ()
    elif not treatments:
        treatments = _named_elsewhere(analysis, strategy, comparators)
    treated = not treatments and target is None and _TREATED.search(analysis.question) is not None
    comparators = tuple(c for c in comparators if not _is_class_of(c, treatments))
    return Question(
        analysis=analysis,
        treatments=treatments,
        target=target,
        treated=treated,
        together=joined or _are_together(analysis, treatments, comparators),
        comparators=tuple(c for c in comparators if not _is_control(c.term) and not _is_any(c.term)),
        control_asked=any(_is_control(c.term) and not _is_any(c.term) for c in comparators),
        outcomes=outcomes,
        people=roles.people,
        yes_or_no=_YES_OR_NO.search(analysis.question) is not None,
        asks_for_harm=analysis.intent is Intent.ADVERSE_EVENTS,
        asks_for_knowledge=knowledge,
        asks_for_indication=_INDICATION.search(analysis.question) is not None,
        asks_for_dose=bool(treatments) and analysis.intent is Intent.DOSING and not outcomes,
        asks_what_to_do=analysis.intent in _WHAT_TO_DO and not _are_tests(treatments, analysis.entities),
        asks_for_effect=_INDICATION.search(analysis.question) is None
        and not _are_tests(treatments, analysis.entities)
        and (bool(treatments) or target is not None or treated)
        and (bool(outcomes) or analysis.intent in _EFFECTS),
        asks_for_guideline=_ASKS_FOR_GUIDELINE.search(analysis.question) is not None,
    )


def _is_something(idea: Idea) -> bool:
    """Whether a treatment that no list knows is told by any telling word; "hospitals provide" is nothing."""
    words = _WORD.findall(idea.term)
    return bool(idea.names) or any(information(word) >= SOME for word in words) or len(idea.free - _LITTLE) > 1


def _are_tests(treatments: Sequence[Idea], entities: Sequence[Entity]) -> bool:
    """Whether what is asked about are tests (MeSH's E01, diagnosis) and nothing that treats."""
    ids = [e.mesh_id for e in entities for idea in treatments if e.text == idea.term and e.mesh_id]
    trees = [tree for mesh_id in ids for tree in mesh.trees_of(mesh_id)]
    return bool(trees) and all(tree.startswith("E01") for tree in trees)


def _is_given(term: str, roles: Roles, analysis: QuestionAnalysis) -> bool:
    """Not who is meant ("statin-intolerant") and not what is asked about ("need for renal replacement therapy")."""
    at = analysis.question.find(term)
    if at >= 0 and is_compound(analysis.question[at + len(term) :]):
        return False
    if any(t.start <= at < t.end for t in roles.people):
        return False
    return not any(term.casefold() in outcome.casefold() for outcome in roles.outcomes)


def _named_elsewhere(
    analysis: QuestionAnalysis, strategy: SearchStrategy, comparators: Sequence[Idea]
) -> tuple[Idea, ...]:
    """Where no slot holds a treatment: "people on dabigatran" of a comparison, and what the search takes for one."""
    on = [t for t in analysis.pico.people if t.kind is PopulationKind.TREATMENT and t.wanted and t.name]
    if on and comparators:
        return tuple(idea_of(t.name or t.text) for t in on)
    compared = {name for idea in comparators for name in idea.names}
    who = [(t.start, t.end) for t in analysis.pico.people]
    drugs = [e for e in analysis.entities if e.kind is EntityKind.DRUG and not any(a <= e.start < b for a, b in who)]
    given = [idea_of(e.text, (e.name, *e.synonyms)) for e in drugs]
    if any(not idea.names & compared for idea in given):
        return tuple(idea for idea in given if not idea.names & compared)
    found = []
    for block in strategy.blocks:
        if block.role is BlockRole.INTERVENTION and not block.negated:
            for concept in block.concepts:
                idea = idea_of(concept.spoken, [concept.name, *concept.names()[:12]])
                if not idea.names & compared:
                    found.append(idea)
    return tuple(found) or tuple(_classes_in(analysis.question))


def _classes_in(question: str) -> Iterator[Idea]:
    """Classes of drugs by names that no lexicon begins with: "n-3 PUFA"."""
    words = question.replace("?", " ").replace(",", " ").split()
    for n in range(min(4, len(words)), 1, -1):
        for i in range(len(words) - n + 1):
            found = class_named(" ".join(words[i : i + n]))
            if found is not None:
                yield idea_of(found.name, found.names)
                return


def _set_apart(terms: list[str], question: str) -> tuple[list[str], list[str]]:
    """Treatments that the question sets against each other: "less bleeding with apixaban than with warfarin"."""
    placed = sorted((question.find(term), term) for term in terms)
    for (at, one), (then, _) in pairwise(placed):
        if at >= 0 and _AGAINST.search(question[at + len(one) : then]):
            return [t for place, t in placed if place < then], [t for place, t in placed if place >= then]
    return terms, []


def _parted(terms: Sequence[str]) -> tuple[list[str], bool]:
    """A combination written with a stroke as its drugs: "nirmatrelvir/ritonavir"; and whether there is one."""
    parted: list[str] = []
    joined = False
    for term in terms:
        whole = find_terms(term)
        if len(whole) == 1 and whole[0].text == term:
            parted.append(term)  # a combination that has a name of its own
            continue
        parts = [part.strip() for part in term.split("/") if part.strip()]
        drugs = [part for part in parts if any(t.kind is EntityKind.DRUG for t in find_terms(part))]
        joined = joined or (len(drugs) > 1 and len(drugs) == len(parts))
        parted += drugs if len(drugs) > 1 and len(drugs) == len(parts) else [term]
    return parted, joined


def _ideas(terms: Sequence[str], entities: Sequence[Entity]) -> tuple[Idea, ...]:
    found = []
    for term in dict.fromkeys(without_dose(t) for t in terms):
        synonyms = [s for e in entities if e.text.casefold() in term.casefold() for s in (e.name, *e.synonyms)]
        found.append(idea_of(term, synonyms))
    return tuple(found)


def _are_together(analysis: QuestionAnalysis, treatments: Sequence[Idea], comparators: Sequence[Idea]) -> bool:
    """Two treatments that the question joins by "added to", "plus" and the like, or at least does not set apart."""
    if len(treatments) > 1 and not comparators and not re.search(r"\bor\b|/", analysis.question):
        return True
    given = [e for e in analysis.entities if e.text in analysis.pico.intervention]
    gaps = (analysis.question[a.end : b.start] for a, b in pairwise(sorted(given, key=lambda e: e.start)))
    return any(_TOGETHER.fullmatch(gap) for gap in gaps)


def _outcomes(texts: Sequence[str], analysis: QuestionAnalysis) -> tuple[Outcome, ...]:
    """Each outcome once; what only says that there is one ("risk", "outcomes") is none."""
    found: dict[str, Outcome] = {}
    for text in texts:
        outcome = read_outcome(text)
        is_treatment = any(text.casefold() in term.casefold() for term in analysis.pico.intervention)
        if not is_treatment and any(atom.things or atom.words for atom in outcome.atoms):
            key = "; ".join(sorted(_key(atom.things, atom.words) for atom in outcome.atoms))
            found.setdefault(key, outcome)
    return tuple(_without_parts(list(found.values())))


def _key(things: frozenset[object], words: frozenset[str]) -> str:
    return f"{sorted(map(str, things))} {sorted(words)}"


def _without_parts(outcomes: list[Outcome]) -> list[Outcome]:
    """ "Mortality" beside "cardiovascular mortality" is the same words read twice."""
    return [
        one
        for one in outcomes
        if not any(one is not other and one.text.casefold() in other.text.casefold() for other in outcomes)
    ]


def _is_people(text: str, roles: Roles, analysis: QuestionAnalysis) -> bool:
    """ "People older than 75 years" sets nothing against anything."""
    at = analysis.question.find(text)
    return any(at < t.end and t.start < at + len(text) for t in roles.people) and not find_terms(text)


def _is_any(term: str) -> bool:
    """ "Conventional therapy" is whatever a study compared with."""
    return _ANY.search(term) is not None and not any(t.kind is EntityKind.DRUG for t in find_terms(term))


def _is_control(term: str) -> bool:
    return bool(_CONTROL.search(term)) and not any(t.kind is EntityKind.DRUG for t in find_terms(term))


@cache
def _group_words() -> re.Pattern[str]:
    return re.compile(rf"\b{group('question_slots', 'people')}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sides:
    """How a result's two sides stand to the question."""

    fit: Fit
    turned: bool = False
    """Whether what was asked about is the second side: its effect is the inverse."""


def sides_of(question: Question, comparison: Sequence[str], about: str) -> Sides:
    """Whether a result compares what was asked.

    Args:
        comparison: the two sides as the source names them; empty where it names none.
        about: title and summary of the source: of whom and what it is where a result does not say.
    """
    if question.target is not None:
        return _to_target(question.target, comparison, about)
    if question.treated:
        held = len(comparison) == 2 and _is_control(comparison[1])
        return Sides(Fit.ASKED if held else Fit.OTHER)
    if not question.treatments:
        return Sides(Fit.NOT_TOLD)
    if len(comparison) != 2:
        return _undivided(question, about)
    first, second = (_in_full(question, side, about) for side in comparison)
    beside = frozenset(names_in(first) & names_in(second))
    for one, other, turned in ((first, second, False), (second, first, True)):
        tested = _best(question.treatments, one, beside)
        if tested is Fit.OTHER:
            continue
        if question.together:
            if all(named_by(idea, one) is not Fit.OTHER for idea in question.treatments) and not all(
                named_by(idea, other) is not Fit.OTHER for idea in question.treatments
            ):
                return Sides(Fit.ASKED, turned)
            continue
        if question.comparators and _best(question.comparators, one) in {Fit.ASKED, Fit.PART}:
            if _best((*question.treatments, *question.comparators), other) is Fit.OTHER:
                return Sides(tested, turned)  # "A or B": both are tested
            continue
        if not question.comparators:
            own = _best(question.treatments, other)
            if own is not Fit.OTHER and not _differ_in_dose(one, other, question.treatments):
                continue  # both sides hold it: "with ezetimibe", "high against low dose"
            if question.control_asked and not _is_control(other):
                return Sides(Fit.OTHER, turned)
            return Sides(tested, turned)
        against = _best(question.comparators, other, beside)
        if against is not Fit.OTHER:
            return Sides(_weaker(tested, against), turned)
    return Sides(Fit.OTHER)


def _to_target(target: Target, comparison: Sequence[str], title: str) -> Sides:
    if len(comparison) != 2:
        pooled = is_about(target, title) and (target.per_unit or not (target.tested or target.compared))
        return Sides(Fit.ASKED if pooled else Fit.OTHER)
    first, second = comparison
    if is_tested(target, first, second, title):
        return Sides(Fit.ASKED)
    return Sides(Fit.ASKED, turned=True) if is_tested(target, second, first, title) else Sides(Fit.OTHER)


def _is_class_of(comparator: Idea, treatments: Sequence[Idea]) -> bool:
    """ "Norepinephrine versus vasopressin as vasopressor": the class of what is asked about is no comparator."""
    return any(is_member(drug, name) for idea in treatments for drug in idea.names for name in comparator.names)


def _in_full(question: Question, side: str, title: str) -> str:
    """An arm that is called by a word of its treatment ("intensive treatment") where the title tells of which."""
    for idea in question.treatments:
        if not idea.names and idea.free & idea_tokens(side) - _LITTLE and speaks_of(title, idea):
            return f"{side} ({idea.term})"
    return side


def _undivided(question: Question, about: str) -> Sides:
    """A pooled result without arms: what its source is about decides; of "A versus B" it is A's, as trials are read."""
    sides = _SET_AGAINST.split(about, maxsplit=1)
    if len(sides) == 2 and _best(question.treatments, sides[0]) is Fit.OTHER and not question.comparators:
        return Sides(Fit.OTHER)
    tested = _best(question.treatments, about)
    if tested is Fit.OTHER:
        return Sides(Fit.OTHER)
    if question.comparators:
        against = _best(question.comparators, about)
        return Sides(Fit.NOT_TOLD if against is not Fit.OTHER else Fit.OTHER)
    return Sides(tested)


def _best(ideas: Sequence[Idea], side: str, beside: frozenset[str] = frozenset()) -> Fit:
    fits = [named_by(idea, side, beside) for idea in ideas]
    for wanted in NEAR:
        if wanted in fits:
            return wanted
    return Fit.OTHER


def without_dose(text: str) -> str:
    """ "Low-dose aspirin" as aspirin: a dose in words is no other drug."""
    return _DOSE_WORD.sub("", text)


def named_by(idea: Idea, side: str, beside: frozenset[str] = frozenset()) -> Fit:
    """How an arm stands to a treatment: it is it, a member of the class, the class of it, it with others, another.

    Args:
        beside: drugs that both arms get, which make no combination of either.
    """
    side = without_dose(_IN_BRACKETS.sub("", side) or side)
    if "/" in idea.term and all(part.strip().casefold() in side.casefold() for part in idea.term.split("/")):
        return Fit.ASKED  # "nirmatrelvir 300 mg plus ritonavir 100 mg"
    if _ABSENT.match(side) or not speaks_of(side, idea):
        own = set() if _ABSENT.match(side) else set(names_in(side))
        above = {wide.casefold() for name in idea.names for wide in classes_of(name, searching=False)}
        return Fit.WIDER if own & above else Fit.OTHER
    drugs = {t.name.casefold() for t in find_terms(side) if t.kind is EntityKind.DRUG}
    exact = idea.names & drugs
    members = {d for d in drugs if any(is_member(d, name) for name in idea.names)}
    others = drugs - exact - members - beside
    if others and (exact or members) and re.search(r"\b(?:plus|and|with|combined|followed)\b|[+/]", side):
        return Fit.WIDER
    return Fit.PART if members and not exact else Fit.ASKED


def _differ_in_dose(one: str, other: str, ideas: Sequence[Idea]) -> bool:
    """Whether the asked drug itself is given in different doses: "300 mg against 75 mg"."""
    doses = [_doses_of(side, ideas) for side in (one, other)]
    return bool(doses[0] and doses[1]) and doses[0] != doses[1]


def _doses_of(side: str, ideas: Sequence[Idea]) -> frozenset[str]:
    own = (t for t in find_terms(side) if any(t.name.casefold() in idea.names for idea in ideas))
    return frozenset(m[0] for t in own if (m := re.match(r"\s*\d[\d.,]*", side[t.end :])))


def _weaker(a: Fit, b: Fit) -> Fit:
    order = (*NEAR, Fit.NOT_TOLD, Fit.OTHER)
    return max((a, b), key=order.index)
