"""How the two sides of a result stand to what the question compares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from openwork_contracts.conclusion import Fit
from openwork_contracts.question import EntityKind, PopulationKind
from openwork_knowledge.lexicon import lexicon
from openwork_language.asking.people import Told, told_of
from openwork_language.identity import codes_of, has_code
from openwork_language.mentions import Idea, idea_tokens, names_in, speaks_of
from openwork_language.terms import find_terms, is_member

from openwork_answers.asked import Question
from openwork_answers.asked_targets import SET_AGAINST
from openwork_answers.asked_treatments import LITTLE
from openwork_answers.outcomes import NEAR
from openwork_answers.stopping import tells_of_stopping
from openwork_answers.targets import Target, is_about, is_lowered, is_tested
from openwork_answers.treatments import (
    best_fit,
    by_parts,
    differ_in_dose,
    doses_of,
    generic,
    is_control,
    is_either,
    is_named_in,
    is_one_alone,
    named_by,
    share_a_dose,
    weaker,
)
from openwork_answers.variants import Contrast, order_of

_BOTH = {
    Fit.ASKED: frozenset({Fit.ASKED, Fit.PART}),
    Fit.PART: frozenset({Fit.ASKED, Fit.PART, Fit.WIDER}),
    Fit.WIDER: frozenset({Fit.ASKED, Fit.PART, Fit.WIDER}),
}
"""How the other side stands to the treatment where both hold it; a class beside the drug itself is another thing."""


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
    if question.compared:
        return _as_compared(question.compared, comparison)
    if question.target is not None:
        return _to_target(question.target, comparison, about)
    if question.treated and question.contrast is not None:
        turned = order_of(question.contrast, comparison) if len(comparison) == 2 else None
        same = turned is not None and _treats_it(question, " ".join(comparison), about)
        return Sides(Fit.ASKED if same else Fit.OTHER, bool(turned))
    if question.treated:
        held = len(comparison) == 2 and is_control(comparison[1]) and _treats_it(question, comparison[0], about)
        return Sides(Fit.ASKED if held else Fit.OTHER)
    if not question.treatments:
        return Sides(Fit.NOT_TOLD)
    if question.contrast is not None:
        return _of_ways(question, question.contrast, comparison, about)
    if question.stops:
        return _of_stopping(question, comparison) if len(comparison) == 2 else _told_of_stopping(question, about)
    if len(comparison) != 2:
        return _undivided(question, about)
    first = _in_full(question, comparison[0], about, comparison[1])
    second = _in_full(question, comparison[1], about, comparison[0])
    beside = frozenset(names_in(first) & names_in(second))
    for one, other, turned in ((first, second, False), (second, first, True)):
        tested = _all_together(question, one, best_fit(question.treatments, one, beside))
        if question.heads and not question.heads <= idea_tokens(one):
            tested = Fit.OTHER
        if tested is Fit.OTHER or _is_in_place_of(question, one, other):
            continue
        if _NOTHING_ADDED.match(one) and not question.comparators:
            continue  # "placebo added to aspirin" tells of no aspirin
        if tested is Fit.WIDER and asks_for_it_alone(question):
            continue
        if _lacks_what_is_there(question, one, other):
            continue
        if question.together:
            if is_either(one) or is_one_alone(one):
                continue  # "a sulphonylurea or insulin", "vaccine alone": nobody got both
            if all(named_by(idea, one) is not Fit.OTHER for idea in question.treatments) and not all(
                named_by(idea, other) is not Fit.OTHER for idea in question.treatments
            ):
                return Sides(Fit.ASKED, turned)
            continue
        is_its_way = _is_the_way_of(question.comparators, question, other, one)  # "culprit-only PCI" of two ways of it
        if _are_named_apart(question) and _holds_both(question, one, tested) and not is_its_way:
            if best_fit((*question.treatments, *question.comparators), other) is Fit.OTHER:
                return Sides(Fit.ASKED if is_either(one) else tested, turned)  # "A or B": both are tested
            continue
        if not question.comparators:
            own = best_fit(question.treatments, other)
            told_apart = differ_in_dose(one, other, question.treatments) or _is_the_way(question, one, other)
            if tested is Fit.ASKED and own is Fit.WIDER and any(speaks_of(other, idea) for idea in question.treatments):
                continue  # "aspirin against clopidogrel and aspirin" tells of clopidogrel
            if own in _BOTH[tested] and not told_apart:
                continue  # both sides hold it: "with ezetimibe", "high against low dose"
            each_alone = is_one_alone(one) and is_one_alone(other)  # neither is the other's control
            if question.control_asked and (each_alone or not is_control(other)):
                return Sides(Fit.OTHER, turned)
            return Sides(tested, turned)
        if len(question.comparators) > 1 and all(speaks_of(other, idea) for idea in question.comparators):
            return Sides(tested, turned)  # "rather than enoxaparin, then warfarin"
        against = best_fit(question.comparators, other, beside)
        if against is Fit.OTHER and is_its_way:
            against = best_fit(question.comparators, other)
        if against is not Fit.OTHER and _lacks_one_of_both(question, other):
            continue  # "aspirin" of "against aspirin plus clopidogrel"
        if against is not Fit.OTHER:
            if _are_given_together(question, one, other):
                against = Fit.WIDER  # of one added to the other, where one is asked about against the other
            return Sides(weaker(tested, against), turned)
    return Sides(Fit.OTHER)


_NOTHING_ADDED = re.compile(r"(?:placebo|sham|nothing|usual care|standard care)\s+(?:added to|on top of|plus)\b", re.I)


def _all_together(question: Question, side: str, tested: Fit) -> Fit:
    """The fit of a side; that of one with several drugs is exact where these and no others are asked about together."""
    asked = (*question.treatments, *question.background)
    if tested not in {Fit.WIDER, Fit.OTHER} or len(asked) < len(("one", "other")):
        return tested
    given = {t.name.casefold() for t in find_terms(by_parts(side)) if t.kind is EntityKind.DRUG}
    named = [_drugs_of(idea) for idea in asked]
    every = frozenset().union(*named)
    exact = all(drug in every or any(is_member(drug, name) for name in every) for drug in given)
    each = all(any(drug in own or any(is_member(drug, name) for name in own) for drug in given) for own in named if own)
    return Fit.ASKED if given and exact and each else tested


def _drugs_of(idea: Idea) -> frozenset[str]:
    """The names of a treatment; of a fixed combination its drugs too."""
    return idea.names | {t.name.casefold() for name in idea.names for t in find_terms(by_parts(name))}


def _are_given_together(question: Question, one: str, other: str) -> bool:
    """Whether one side has both that are asked about against each other: "clopidogrel and aspirin" v "aspirin"."""
    if ADDS.search(question.analysis.question) or _PLUS.search(question.analysis.question):
        return False
    return any(
        _JOINED.search(side) is not None
        and not is_either(side)
        and any(speaks_of(side, idea) for idea in question.treatments)
        and any(speaks_of(side, idea) for idea in question.comparators)
        for side in (one, other)
    )


def _lacks_what_is_there(question: Question, one: str, other: str) -> bool:
    """Whether of what a treatment is to be added to, the arm with both is told, and the other has not even that:
    "hydrocortisone plus fludrocortisone" against placebo tells nothing of what the second adds."""
    if question.comparators or not question.background:
        return False
    there = [idea for idea in question.background if idea.names and _JOINED.search(one) and speaks_of(one, idea)]
    return bool(there) and not any(speaks_of(other, idea) for idea in there) and is_control(other)


def gives_both(question: Question) -> bool:
    """Whether two are what is compared with, given together: "alteplase plus thrombectomy"."""
    names = [idea for idea in question.comparators if idea.names]
    return len(names) > 1 and _joined(names[0].term, names[1].term).search(question.analysis.question) is not None


def comparators_in_words(question: Question) -> str:
    """ "alteplase plus thrombectomy", "warfarin or aspirin"."""
    return (" plus " if gives_both(question) else " or ").join(map(generic, question.comparators))


def _lacks_one_of_both(question: Question, side: str) -> bool:
    """Whether two are what is compared with, given together, and an arm names one of them alone."""
    names = [idea for idea in question.comparators if idea.names]
    return gives_both(question) and len({is_named_in(side, idea) for idea in names}) > 1


@lru_cache(maxsize=512)
def _joined(one: str, other: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(one)}\s*(?:\bplus\b|\+|\bwith\b|\bcombined with\b|-)\s*{re.escape(other)}", re.I)


_PLUS = re.compile(r"\bplus\b|\+|\bwith or without\b", re.IGNORECASE)
_JOINED = re.compile(r"\b(?:and|plus)\b|\+|\badded to\b", re.IGNORECASE)


def _as_compared(compared: Sequence[tuple[str, str]], comparison: Sequence[str]) -> Sides:
    """Of a second reading: the very arms that were found."""
    for first, second in compared:
        if tuple(comparison) == (first, second):
            return Sides(Fit.ASKED)
        if tuple(comparison) == (second, first):
            return Sides(Fit.ASKED, turned=True)
    return Sides(Fit.OTHER)


def _told_of_stopping(question: Question, about: str) -> Sides:
    """A pooled result without arms is of stopping where its source is: of giving it nothing follows."""
    return _undivided(question, about) if tells_of_stopping(about) else Sides(Fit.OTHER)


def _of_stopping(question: Question, comparison: Sequence[str]) -> Sides:
    """Only a study that stopped the treatment on one side tells what stopping it does."""
    first, second = comparison
    for one, other, turned in ((first, second, False), (second, first, True)):
        if not tells_of_stopping(one) or tells_of_stopping(other):
            continue
        if (fit := best_fit(question.treatments, one)) is not Fit.OTHER:
            return Sides(fit, turned)
    return Sides(Fit.OTHER)


def _is_the_way(question: Question, one: str, other: str) -> bool:
    """Whether the word before an asked treatment is that of one side alone: "restrictive transfusion"."""
    return _is_the_way_of(question.treatments, question, one, other)


def _is_the_way_of(ideas: Sequence[Idea], question: Question, one: str, other: str) -> bool:
    """Whether the word before one of the ideas is that of one side alone."""
    text = question.analysis.question
    before = {w.casefold() for idea in ideas for w in re.findall(rf"([\w-]+)\s+{re.escape(idea.term)}", text)}
    told, untold = idea_tokens(one), idea_tokens(other)
    return any((way := idea_tokens(word.replace("-", " "))) and way <= told and not way <= untold for word in before)


_TREATS = re.compile(
    r"\b(?:treat\w*|therap\w+|management|control\w*|lower\w*|correct\w*|anti\w{5,}|intensive|active)\b", re.IGNORECASE
)


def _treats_it(question: Question, tested: str, title: str) -> bool:
    """Whether what was tested treats the disease asked about: by a title about it, which says so, or an arm that does.

    Anything given to people who have the disease besides is no treatment of it.
    """
    diseases = [t for t in question.people if t.kind is PopulationKind.CONDITION and t.wanted]
    own = any(told_of(term, title) in {Told.SAME, Told.PART} for term in diseases)
    return own and (_TREATS.search(title) is not None or _TREATS.search(tested) is not None)


def _are_named_apart(question: Question) -> bool:
    """Whether treatments and comparators are different things by name: of "7 days" no arm can be told to give both."""
    names = frozenset().union(*(idea.names for idea in question.treatments))
    return bool(question.comparators) and all(idea.names and not idea.names & names for idea in question.comparators)


def _holds_both(question: Question, side: str, tested: Fit) -> bool:
    """Whether an arm is of the comparators too: with the treatments, or of one or the other.

    Of haemodialysis haemodiafiltration is a kind; where that is what was asked about, an arm of it is not of both.
    """
    fit = best_fit(question.comparators, side)
    return fit is Fit.ASKED or (fit is Fit.PART and tested is not Fit.ASKED) or (fit is Fit.WIDER and is_either(side))


def _to_target(target: Target, comparison: Sequence[str], title: str) -> Sides:
    if len(comparison) != 2:
        pooled = is_about(target, title) and (target.per_unit or not (target.tested or target.compared))
        return Sides(Fit.ASKED if pooled else Fit.OTHER)
    first, second = comparison
    if is_tested(target, first, second, title):
        return Sides(Fit.ASKED)
    if is_tested(target, second, first, title):
        return Sides(Fit.ASKED, turned=True)
    lowers = is_control(second) and is_about(target, title) and is_lowered(target, first)
    return Sides(Fit.PART if lowers else Fit.OTHER)


def _in_full(question: Question, side: str, title: str, against: str = "") -> str:
    """An arm that is called by a word of its treatment ("intensive treatment") where the title tells of which.

    Args:
        against: the other arm; where it has the treatment by its name, this one is another: "corn oil" of fish oil.
    """
    if is_control(side):
        return side
    for idea in question.treatments:
        if idea.names and speaks_of(against, idea) and not speaks_of(side, idea):
            continue
        besides = names_in(side) - _names_beside(question) - (frozenset() if codes_of(side) else idea.names)
        own = _words_of(idea) if idea.names and not besides else idea.free
        if idea.names and _has_code_of(title, side) and speaks_of(title, idea):
            return f"{side}, {idea.term}"
        if own & idea_tokens(side) - LITTLE and speaks_of(title, idea):
            return f"{side}, {idea.term}"
    return side


def _has_code_of(title: str, side: str) -> bool:
    """Whether an arm is a vaccine by its code, and the title says against what: "TAK-003 vaccine" is of dengue."""
    codes = codes_of(side)
    return bool(codes) and _VACCINE.search(side) is not None and has_code(title, codes)


_VACCINE = re.compile(r"\bvaccines?\b", re.IGNORECASE)
ADDS = re.compile(r"\b(?:add\w*|on top|combin\w+|together)\b", re.IGNORECASE)
""" "X on top of Y"."""
_ALONE = re.compile(r"\b(?:alone|only|by itself|monotherapy)\b", re.IGNORECASE)


def asks_for_it_alone(question: Question) -> bool:
    """Whether one treatment is asked about by itself: "fludrocortisone alone" is not what a combination does."""
    text = question.analysis.question
    alone = (re.search(rf"{re.escape(idea.term)}\s+(?:{_BY_ITSELF})\b", text, re.I) for idea in question.treatments)
    return any(alone)


_BY_ITSELF = "alone|by itself|on its own|monotherapy|as monotherapy"


def _names_beside(question: Question) -> frozenset[str]:
    """Of what a treatment is added to or set against: "vaccine plus chemoprevention" may be the vaccine asked about."""
    return frozenset(name for idea in (*question.background, *question.comparators) for name in idea.names)


def _is_in_place_of(question: Question, one: str, other: str) -> bool:
    """Whether a side has, instead of what the treatment is to be added to, the treatment alone."""
    if not (ADDS.search(question.analysis.question) and _ALONE.search(one)):
        return False
    told, against = idea_tokens(one), idea_tokens(other)
    added_to = (idea_tokens(idea.term) for idea in question.background)
    return any(2 * len(own & against) >= len(own) > 0 and not own & told for own in added_to)


def _words_of(idea: Idea) -> frozenset[str]:
    """Words of a treatment as it was asked for, and those of its other names that hold a figure: "n-3" of fish oil."""
    known = (lexicon().lookup(name) for name in idea.names)
    others = (word for found in known if found for name in found[0].synonyms for word in idea_tokens(name))
    return idea_tokens(idea.term) | {word for word in others if any(c.isdigit() for c in word)}


def _of_ways(question: Question, contrast: Contrast, comparison: Sequence[str], about: str) -> Sides:
    """Of one treatment in two ways: both ways, each on its side, and the treatment on the one that is tested."""
    turned = order_of(contrast, comparison) if len(comparison) == 2 else None
    if turned is None:
        return Sides(Fit.OTHER)
    first, second = (_in_full(question, side, about) for side in comparison)
    tested = best_fit(question.treatments, second if turned else first)
    if tested is Fit.OTHER:  # "short course, 5 days": of what, the title tells
        tested = weaker(best_fit(question.treatments, about), Fit.PART)
    if question.together and not all(named_by(i, second if turned else first) in NEAR for i in question.treatments):
        return Sides(Fit.OTHER)
    return Sides(tested, turned) if tested in NEAR else Sides(Fit.OTHER)


def _undivided(question: Question, about: str) -> Sides:
    """A pooled result without arms: what its source is about decides; of "A versus B" it is A's, as trials are read.

    What both sides of such a title hold is not what it compares, and of treatments given together it names each.
    """
    sides = SET_AGAINST.split(about, maxsplit=1)
    if len(sides) == 2 and not question.comparators:
        first, second = (best_fit(question.treatments, side) for side in sides)
        if first is Fit.OTHER or (second in NEAR and not differ_in_dose(sides[0], sides[1], question.treatments)):
            return Sides(Fit.OTHER)
    if question.together and not all(named_by(idea, about) in NEAR for idea in question.treatments):
        return Sides(Fit.OTHER)
    tested = best_fit(question.treatments, about)
    if tested is Fit.OTHER:
        return Sides(Fit.OTHER)
    if question.comparators:
        against = best_fit(question.comparators, about)
        return Sides(Fit.NOT_TOLD if against is not Fit.OTHER else Fit.OTHER)
    return Sides(tested)


_DOSE_IN_WORDS = re.compile(r"\b(?:(?P<low>low|lower|reduced|half)|high|higher|full)[- ]dose\b", re.IGNORECASE)


def is_another_dose(question: Question, comparison: Sequence[str], *, turned: bool) -> bool:
    """Whether the tested side gives the asked drug in another dose than the one asked about."""
    if len(comparison) != 2:
        return False
    asked, arm = _DOSE_IN_WORDS.search(question.analysis.question), comparison[1 if turned else 0]
    if asked and (told := _DOSE_IN_WORDS.search(arm)) and bool(told["low"]) is not bool(asked["low"]):
        return True  # "low-dose edoxaban" of "edoxaban 60 mg once daily (high dose)"
    if not question.doses:
        return False
    given = doses_of(comparison[1 if turned else 0], question.treatments)
    return bool(given) and not share_a_dose(given, question.doses)
