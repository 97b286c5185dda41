"""The question as results are held against it: treatments, comparators, outcomes, people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from openwork_contracts.conclusion import Conclusion
from openwork_contracts.question import (
    Entity,
    EntityKind,
    Intent,
    PopulationTerm,
    QuestionAnalysis,
)
from openwork_contracts.strategy import SearchStrategy
from openwork_knowledge.bodies import bodies_in
from openwork_language.asking.groups import is_country
from openwork_language.asking.guidance import guideline_cue
from openwork_language.mentions import Idea, speaks_of
from openwork_language.terms import find_terms

from openwork_answers.asked_targets import (
    aims_without_drug,
    apart_from_targets,
    are_classes_to_a_target,
    is_bound,
    is_of_target,
)
from openwork_answers.asked_treatments import (
    are_tests,
    are_together,
    drugs_once,
    ideas_of,
    is_class_of,
    is_given,
    is_something,
    is_without,
    named_elsewhere,
    parted,
    set_apart,
    without_tests,
)
from openwork_answers.courses import are_amounts, are_only_figures, asks_if_enough, is_a_course, is_treated
from openwork_answers.degrees import with_degrees
from openwork_answers.details import with_details
from openwork_answers.given import asking_from, given_in, is_only_given, without_whom
from openwork_answers.heads import heads_of
from openwork_answers.naming_people import in_words
from openwork_answers.nobody import said_either_way
from openwork_answers.opening import opening_people
from openwork_answers.outcome_spans import tells_what_it_led_to
from openwork_answers.outcomes import Outcome, Thing, is_kind, read_outcome
from openwork_answers.people import alternatives
from openwork_answers.people_states import with_states
from openwork_answers.places import is_within, places_of
from openwork_answers.prevention_terms import prevention_terms
from openwork_answers.procedures import procedures_done, vaccines_named
from openwork_answers.roles import Roles, is_compound, roles_of
from openwork_answers.side_by_side import parted_names, whose_names
from openwork_answers.stopping import is_to_go_without, is_to_stop
from openwork_answers.targets import Target, is_measure, is_what_is_done, target_of
from openwork_answers.terms_asked_about import unsure_terms
from openwork_answers.time_windows import windows_asked
from openwork_answers.told_behind import with_told_behind
from openwork_answers.told_first import parted_by_place
from openwork_answers.treatments import doses_of, is_any, is_control
from openwork_answers.unread import asks_what_it_is, unread_words
from openwork_answers.variants import Contrast, contrast_of, without_ways
from openwork_answers.when import days_in
from openwork_answers.young import without_offspring

_YES_OR_NO = re.compile(
    r"^\W*(?:(?:in|among|for|after|with)\s[^,?]{3,120},\s*)?"
    r"(?:does|do|did|is|are|was|were|can|could|should|will|would|has|have|may|might)\b(?!.*\bor\b.*\?)",
    re.IGNORECASE,
)
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
_IS_LOWERED = re.compile(
    r"\b(?:targets?|goals?)\b|\b(?:intensive|tight(?:er)?|strict(?:er)?|aggressive)\s+(?:[\w-]+\s+){1,3}(?:lowering|control|reduction|targets?|goals?)\b",
    re.IGNORECASE,
)
"""What is done to a measure, and nothing that foretells: "the effect of [intensive blood pressure lowering]"."""
_ASKS_DOSE = re.compile(
    r"\bdos(?:e|es|ing|age)\b|\bhow (?:much|many|often)\b|\bwhat (?:strength|amount)\b", re.IGNORECASE
)
_INDICATION = re.compile(r"\b(?:indications?|indicated|approved|approval|licen[cs]ed|used for)\b", re.IGNORECASE)
_WHAT_TO_DO = frozenset(
    {Intent.TREATMENT_GUIDELINE, Intent.EFFICACY, Intent.COMPARATIVE_ANALYSIS, Intent.DOSING, Intent.SCREENING}
)


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, read once."""

    analysis: QuestionAnalysis
    treatments: tuple[Idea, ...]
    background: tuple[Idea, ...]
    """What people have already, beside the treatments asked about: "added to a statin"."""
    together: bool
    """Whether all treatments are given at once: "ezetimibe added to a statin"."""
    comparators: tuple[Idea, ...]
    """Empty = anything that it was compared with."""
    contrast: Contrast | None
    """Two ways of giving the one treatment that are set against each other: "5 or 10 days"; then no comparators."""
    control_asked: bool
    """Whether the comparator asked about is a control: "placebo", "usual care"."""
    target: Target | None
    """What is treated to a target, where no drug is named."""
    heads: frozenset[str]
    """Words of what is given with a treatment that a list knows: "minimally invasive evacuation with alteplase"."""
    stops: bool
    """Whether stopping a treatment is what is asked about, not giving it."""
    treated: bool
    """Whether treatment as such is asked about: "treating hypertension"."""
    doses: frozenset[str]
    """Figures of the doses in which the treatments are asked about: "dabigatran 110 mg"."""
    days: frozenset[float]
    """When the outcome is asked about, in days; empty = at any time."""
    outcomes: tuple[Outcome, ...]
    unread: tuple[str, ...]
    """Of a question in which no outcome was read, telling words that nothing took: they are what it asks about."""
    people: tuple[PopulationTerm, ...]
    yes_or_no: bool
    asks_for_harm: bool
    asks_for_knowledge: bool
    """What something is, what causes it, how it is found or goes on: no question of treatment."""
    asks_for_indication: bool
    asks_for_dose: bool
    asks_for_guideline: bool
    names_guidance: bool
    """Whether it says so itself: "guideline", "recommended", "first-line"."""
    asks_what_to_do: bool
    """Whether guidelines may answer it: treatment, dose, screening, diagnosis."""
    studies: bool
    """Whether trials are asked about by their names."""
    asks_for_effect: bool
    """Whether results of studies answer it: a treatment is named, and what it does is asked."""
    compared: tuple[tuple[str, str], ...] = ()
    """Of a second reading (`read_again`), the arms that were found to be what is asked about, the tested one first."""
    left_out: tuple[str, ...] = ()
    """Of a second reading, words for people of whom the source says nothing."""

    @property
    def asks_for_words(self) -> bool:
        """Whether no result answers, but what a source says: what something is, is advised, is given or is used for."""
        told = self.asks_for_knowledge or self.asks_for_guideline
        return told or self.asks_for_dose or self.asks_for_indication

    @property
    def outcome_texts(self) -> tuple[str, ...]:
        """The asker's words for the outcomes."""
        return tuple(outcome.text for outcome in self.outcomes)

    @property
    def people_texts(self) -> tuple[str, ...]:
        """The asker's words for the people."""
        return tuple(in_words(group) for group in alternatives(self.people))


def readings_of(analysis: QuestionAnalysis, strategy: SearchStrategy) -> Iterator[Question]:
    """The question as it reads, then with terms in the other role whose own is not told: "fish oil: stroke?"."""
    yield read_question(analysis, strategy)
    starts = [term.start for term in unsure_terms(analysis)]
    for n in range(1, len(starts) + 1):
        for exchanged in combinations(starts, n):
            yield read_question(analysis, strategy, frozenset(exchanged))


def reading_of(analysis: QuestionAnalysis, strategy: SearchStrategy, conclusion: Conclusion | None) -> Question:
    """The reading that an answer object is of; the first where there is no object."""
    readings = readings_of(analysis, strategy)
    first = next(readings)
    if conclusion is None:
        return first
    outcome, people = conclusion.asked.outcome, set(conclusion.asked.people)
    same = (q for q in chain([first], readings) if q.outcome_texts == outcome and people <= set(q.people_texts))
    return next(same, first)


def read_question(
    analysis: QuestionAnalysis, strategy: SearchStrategy, exchanged: frozenset[int] = frozenset()
) -> Question:
    """The slots as ideas and outcomes.

    Args:
        strategy: names treatments that no slot has ("prevented by empagliflozin", "n-3 fatty acids").
        exchanged: where terms begin that are read in the other role (`roles.unsure_terms`).
    """
    analysis = _with_procedures(analysis)
    pico = analysis.pico
    roles = with_told_behind(roles_of(analysis, exchanged), analysis)
    figures = [term for term in roles.people if term.measure is not None]
    named = [without_whom(t, figures, analysis.question) for t in pico.intervention]
    named = [t for t in named if is_given(t, roles, analysis)]
    outcomes, told_first = parted_by_place(_outcomes(roles.outcomes, named), roles.people, analysis)
    counted = places_of((one.text for one in outcomes if tells_what_it_led_to(one.text)), analysis.question)
    named = [
        t
        for t in named
        if not _stands_in(t, told_first, analysis.question) and not is_within(analysis.question.find(t), counted)
    ]
    given = given_in(named, analysis)
    terms, joined = parted(given.asked)
    told = [without_whom(t, roles.people, analysis.question) for t in pico.comparison]
    compared = [t for t in told if not (_is_people(t, roles, analysis) or _GOES_ON.match(t))]
    without = [t for t in compared if is_without(t, analysis.question)]
    compared = [t for t in compared if t not in without]
    if not compared and not without:
        terms, compared = set_apart(terms, analysis.question)
    compared = compared or list(given.instead)
    treatments = drugs_once(idea for idea in ideas_of(terms, analysis.entities) if is_something(idea))
    without += [t for t in compared if is_to_go_without(t)]
    comparators = ideas_of([t for t in compared if t not in without], analysis.entities)
    treatments = without_tests(treatments, analysis)
    treatments = tuple(
        one for one in treatments if not is_class_of(one, [o for o in treatments if o is not one], analysis.question)
    )
    target = None
    defines = _DEFINES.search(analysis.question) is not None
    knowledge = defines or analysis.intent in _KNOWLEDGE
    aimed = are_classes_to_a_target(treatments, analysis) or aims_without_drug((*treatments, *comparators), analysis)
    named_drug = any(idea.names for idea in (*treatments, *comparators))
    if (not named_drug or aimed) and not defines:
        places = tuple((e.start, e.end) for e in analysis.entities)
        who = [t for t in roles.people if treatments or not is_bound(t)]
        target = target_of(analysis.question, apart_from_targets(who, analysis.question), places)
        if target is not None and not is_what_is_done(target, pico.intervention):
            target = None
        if target is not None and knowledge:
            target = target if target.tested or _IS_LOWERED.search(analysis.question) else None
            knowledge = target is None
        if target is not None:
            outcomes = tuple(o for o in outcomes if not is_measure(target, o.text))
    people = tuple(
        t
        for t in roles.people
        if not (_is_whose_guidance(t, analysis) or _is_to_be_prevented(t, outcomes, analysis.question))
    )
    people = (*opening_people(analysis, (*people, *told_first)), *told_first, *people)
    people = tuple(t for t in people if not is_only_given(t, analysis))
    people = (*with_degrees(people, analysis.question), *prevention_terms(analysis, people))
    if target is not None:
        treatments, comparators = (), ()
        people = tuple(t for t in people if not is_of_target(t, target))
    elif not treatments:
        others = named_elsewhere(analysis, strategy, comparators)
        treatments = tuple(one for one in others if not any(speaks_of(outcome.text, one) for outcome in outcomes))
    a_course = is_a_course(analysis.question, people)
    if a_course and are_only_figures(treatments, comparators):
        # "4 or 6 months of treatment": whatever it is that the disease is treated with
        treatments, comparators = (), ()
    treated = not treatments and target is None and is_treated(analysis.question, people)
    of_class = tuple(c for c in comparators if is_class_of(c, treatments, analysis.question))
    comparators = tuple(c for c in comparators if c not in of_class)
    if are_amounts(treatments) and comparators:
        treatments, comparators = comparators, ()  # "10 mg vs 40 mg prednisone"
    contrast = None
    if target is None and ((given_ways := treatments or comparators) or a_course):
        contrast = contrast_of(analysis.question, given_ways, comparators, asking_from(analysis.question))
        treated = treated or (contrast is not None and not given_ways)
    if contrast is not None and _is_in_outcome(contrast, outcomes, analysis.question):
        contrast = None  # "haemorrhage or haemorrhagic death" sets nothing against anything
    if contrast is not None:
        treatments = treatments or tuple(map(without_ways, comparators))
        comparators = ()
        people = tuple(t for t in people if not contrast.overlaps(t.start, t.end))
    outcomes, people = whose_names(outcomes, people, analysis.question)
    taken = (*(outcome.text for outcome in outcomes), *(idea.term for idea in (*treatments, *comparators)))
    people = with_states(analysis.question, people, places_of(taken, analysis.question))
    people = parted_names(people, analysis.entities)
    people = (*people, *windows_asked(analysis, people))
    people = without_offspring(with_details(analysis, people), analysis.question)
    cues = [match[0].casefold() for match in guideline_cue().finditer(analysis.question)]
    # Of two ways of giving it "first-line treatment" is what is given, and no guideline is asked for.
    names_guidance = any(contrast is None or not cue.startswith("first") for cue in cues)
    what_it_is = asks_what_it_is(analysis.question) and not outcomes
    what_it_is = what_it_is or (defines and not (outcomes or comparators or people or target))
    beside = ideas_of(given.beside, analysis.entities)
    said = (*people, *said_either_way(analysis))
    is_told = outcomes or target is not None or treated
    ways = (contrast.start, contrast.end) if contrast is not None else (0, 0)
    named_all = (*treatments, *comparators, *beside)
    return Question(
        analysis=analysis,
        treatments=treatments,
        background=beside,
        target=target,
        heads=heads_of(analysis.question, treatments, (outcome.text for outcome in outcomes)),
        stops=is_to_stop(analysis.question, treatments),
        treated=treated,
        together=joined or are_together(analysis, treatments, comparators),
        contrast=contrast,
        comparators=tuple(c for c in comparators if not is_control(c.term) and not is_any(c.term)),
        control_asked=bool(without)
        or is_to_stop(analysis.question, of_class)
        or any(is_control(c.term) and not is_any(c.term) for c in comparators),
        doses=doses_of(analysis.question, treatments),
        days=days_in(_apart_from_ways(analysis.question, ways)),
        outcomes=outcomes,
        unread=() if is_told else unread_words(analysis, asking_from(analysis.question), said, named_all, ways),
        people=people,
        yes_or_no=_YES_OR_NO.search(analysis.question) is not None,
        asks_for_harm=analysis.intent is Intent.ADVERSE_EVENTS,
        asks_for_knowledge=knowledge or what_it_is,
        asks_for_indication=_INDICATION.search(analysis.question) is not None,
        asks_for_dose=bool(treatments)
        and analysis.intent is Intent.DOSING
        and (_ASKS_DOSE.search(analysis.question) is not None or not doses_of(analysis.question, treatments))
        and not (
            outcomes
            or what_it_is
            or asks_if_enough(analysis.question)
            or (contrast is not None and not contrast.is_of_doses)
        ),
        asks_what_to_do=analysis.intent in _WHAT_TO_DO and not (what_it_is or are_tests(treatments, analysis.entities)),
        studies=False,
        asks_for_effect=_INDICATION.search(analysis.question) is None
        and not are_tests(treatments, analysis.entities)
        and not what_it_is
        and (bool(treatments) or target is not None or treated)
        and (bool(outcomes) or contrast is not None or analysis.intent in _EFFECTS),
        names_guidance=names_guidance,
        asks_for_guideline=names_guidance or bool(bodies_in(analysis.question)) or analysis.guidance is not None,
    )


def _stands_in(text: str, terms: Sequence[PopulationTerm], question: str) -> bool:
    """Whether a name stands within one of some terms: the drug of "opioid withdrawal" is not given."""
    at = question.find(text)
    return any(term.start <= at and at + len(text) <= term.end for term in terms)


def _apart_from_ways(question: str, ways: tuple[int, int]) -> str:
    """The question without the two ways that it sets against each other, whose durations are no time of an outcome."""
    return f"{question[: ways[0]]} {question[ways[1] :]}"


def _is_in_outcome(contrast: Contrast, outcomes: Iterable[Outcome], question: str) -> bool:
    if contrast.tested.figure is not None:
        return False
    places = places_of((outcome.text for outcome in outcomes), question)
    return any(contrast.start < end and start < contrast.end for start, end in places)


def _with_procedures(analysis: QuestionAnalysis) -> QuestionAnalysis:
    """With what the asking clause does to people in a verb ("transfusing platelets") as a treatment."""
    there = [(e.start, e.end) for e in analysis.entities if e.kind is not EntityKind.DISEASE]
    slots = " ".join((*analysis.pico.intervention, *analysis.pico.comparison))
    vaccines = [one for one in vaccines_named(analysis.question) if one.text not in slots]
    done = [
        e
        for e in (*procedures_done(analysis.question, asking_from(analysis.question)), *vaccines)
        if not any(a < e.end and e.start < b for a, b in there)
    ]
    if not done:
        return analysis
    pico = analysis.pico.model_copy(
        update={
            "intervention": (
                *(text for text in analysis.pico.intervention if not any(text in one.text for one in done)),
                *(one.text for one in done),
            ),
            "people": tuple(t for t in analysis.pico.people if not any(_is_vaccines(t, v, analysis) for v in vaccines)),
        }
    )
    return analysis.model_copy(update={"entities": (*analysis.entities, *done), "pico": pico})


def _is_vaccines(term: PopulationTerm, vaccine: Entity, analysis: QuestionAnalysis) -> bool:
    """Whether a disease stands with a vaccine's name, which prevents it: who gets it does not have it."""
    return term.start == vaccine.start or analysis.question[vaccine.end : term.start].isspace()


def _is_whose_guidance(term: PopulationTerm, analysis: QuestionAnalysis) -> bool:
    """ "In India" of a question for guidance says whose guidelines are asked for, and of no study who was in it."""
    return analysis.guidance is not None and bool(analysis.guidance.countries) and is_country(term.text)


def _is_to_be_prevented(term: PopulationTerm, outcomes: Iterable[Outcome], question: str) -> bool:
    """ "Not bleeding. Do platelets prevent bleeding?": in whom it is prevented, it is not going on now.

    Only of what goes on at the time, by its participle: who never had a stroke, or has no diabetes, is another patient.
    """
    if term.wanted or not term.name or not term.mesh_id or not term.text.casefold().endswith("ing"):
        return False
    now = _NOT_NOW.search(question[: term.start]) or _NOT_NOW.match(term.text)
    absent = Thing(term.name.casefold(), term.mesh_id)
    things = (thing for one in outcomes for atom in one.atoms for thing in atom.things)
    return now is not None and any(is_kind(thing, absent) and is_kind(absent, thing) for thing in things)


_GOES_ON = re.compile(r"if (?:he|she|they|it|the patient)\b", re.IGNORECASE)
""" "Than [if he stays on it]" sets nothing that is given against what is asked about."""
_NOT_NOW = re.compile(
    r"\b(?:not|isn't|aren't)\s+(?:yet\s+|now\s+|actively\s+|currently\s+)?(?:$|(?=\w+ing\b))", re.IGNORECASE
)


def _outcomes(texts: Sequence[str], given: Sequence[str]) -> tuple[Outcome, ...]:
    """Each outcome once; what only says that there is one ("risk", "outcomes") is none, nor is what is given."""
    found: dict[str, Outcome] = {}
    for text in texts:
        outcome = read_outcome(text)
        is_treatment = any(text.casefold() in term.casefold() for term in given)
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
    """ "People older than 75 years" sets nothing against anything; nor does what is weighed, "lives saved vs AKI"."""
    at = analysis.question.find(text)
    if any(e.text == text and e.kind is EntityKind.DISEASE for e in analysis.entities):
        return True
    if at >= 0 and is_compound(analysis.question[at + len(text) :]):
        return True  # "rifampicin resistant"
    return any(at < t.end and t.start < at + len(text) for t in roles.people) and not find_terms(text)
