"""Which words of a question are its outcome: what is asked about, told from whom it is asked about.

A disease is either: "stroke in atrial fibrillation", "dabigatran after stroke". What a population cue opens ("in",
"with", "after") is who is meant; an event without such a cue, and what stands behind an outcome's cue ("risk of",
"prevent"), is what is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from openwork_contracts.question import Entity, EntityKind, PopulationKind, PopulationTerm, QuestionAnalysis
from openwork_knowledge import mesh
from openwork_knowledge.notation import any_of
from openwork_knowledge.tables import words
from openwork_language.abbreviations import meanings_of
from openwork_language.asking.words import asking
from openwork_language.quantities.number_words import NUMBER_WORDS
from openwork_language.searching.information import NOTHING, SOME, information
from openwork_language.terms import Term, find_terms, whole_term

from openwork_answers.attacks import attacks_had
from openwork_answers.given import asking_part
from openwork_answers.last_segment import before, last_segment, outcome_in
from openwork_answers.nobody import is_nobody, makes_no_difference, said_either_way
from openwork_answers.opening import opening_disease
from openwork_answers.outcome_names import places, standard_name
from openwork_answers.outcome_spans import (
    Span,
    completed,
    in_lists,
    is_died_of,
    meet,
    whole_phrase,
    widest,
    with_event,
    within_slot,
)
from openwork_answers.outcomes import event_names, groups_in, is_neutral, kinds_before
from openwork_answers.places import places_of
from openwork_answers.targets import names_measure
from openwork_answers.terms_asked_about import (
    CUE_BEFORE_EVENT,
    OF_WHOM,
    OUTCOME_BEFORE,
    begins_with_arms,
    is_asked_about,
    is_event,
    is_joined_to_people,
    is_last_told,
)
from openwork_answers.told_before import counted_forms, had_before, helped
from openwork_answers.told_last import ends_behind_people, listed_with, told_last

_OF_GUIDELINES = re.compile(r"\s+(?:guid|recommendation|statement|study|trial)", re.IGNORECASE)
""" "The US cholesterol guidelines" ask about no cholesterol, "STEP, the blood pressure study" about no pressure."""
_NEEDS_MORE = r"(?:needs?|requires?) (?:more|fewer|less)"
_NEED_FOR = re.compile(
    r"\b(?:(?:needs?|risks?|rates?|incidence|use|requirement) (?:for|of)"
    r"|(?:progress\w*|go|goes|going|move|moving|escalat\w*) (?:on )?to|end(?:s|ing)? up on"
    rf"|needing|requiring|{_NEEDS_MORE}|(?:not |un)?related to"
    r"|avoid\w*|keep\w*\b[^.?]{0,90}\boff)\s+"
    r"(?:an?\s+)?(?:\w+\s)?$",
    re.IGNORECASE,
)
"""What is given then is an outcome: "need for dialysis", "progressing to mechanical ventilation"."""
_IS_NEEDED = re.compile(r"(?:needing|requiring)\b", re.IGNORECASE)
_COMPOUND = re.compile(
    r"(?:-(?:detected|induced|treated)"
    r"|[- ](?:intolerant|intolerance|na[iï]ve|resistant|refractory|dependent|ineligible|susceptible|sensitive))\b",
    re.IGNORECASE,
)


_FREE_SURVIVAL = re.compile(r"-free survival\b", re.IGNORECASE)
""" "[Dementia]-free survival" is what is asked about."""
_COURSE = re.compile(rf"(?:{any_of(words('groups-of-people', 'time course'))}\s*)+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Roles:
    """Outcomes in the asker's words, and the terms of the population that are left."""

    outcomes: tuple[str, ...]
    people: tuple[PopulationTerm, ...]


def roles_of(analysis: QuestionAnalysis, exchanged: frozenset[int] = frozenset()) -> Roles:
    """What of the question is its outcome.

    Args:
        exchanged: where terms begin that are to be read the other way: one of `unsure_terms`.
    """
    question, pico = analysis.question, analysis.pico
    treating = [
        e
        for e in analysis.entities
        if e.text in (*pico.intervention, *pico.comparison)
        and (e.kind is not EntityKind.DISEASE or e.text not in pico.comparison)
        and not _NEED_FOR.search(question[: e.start])
    ]
    treating = [e for e in treating if not _is_done_for_harm(e, treating, question)] or treating
    # "For an acute [DVT or PE]", "people with [DVT or PE]": a name that begins within or as what somebody has is no
    # outcome's.
    attacks = tuple(attacks_had(analysis, treating))
    counted = [
        (a, b)
        for a, b in places(question)
        if not any(t.start < a < t.end or (t.start == a and _is_of_people(t, question)) for t in pico.people)
        and not any(meet(Span(a, b), Span(t.start, t.end)) for t in attacks)
    ]
    treating = [e for e in treating if not _is_within(e, counted)]  # "days on the [ventilator]"
    asked = [e for e in treating if not _had().search(question[: e.start])]
    # "Aspirin for somebody on haemodialysis" asks about aspirin, and nothing about "patients on haemodialysis" alone.
    treating = asked or [e for e in treating if e.kind is not EntityKind.PROCEDURE]
    aimed = [t for t in pico.people if t.kind is PopulationKind.MEASURE and _AIMED_AT.search(question[: t.start])]
    asked_about = frozenset(t.start for t in pico.people if is_asked_about(t, question))
    asked_about |= listed_with(asked_about, pico.people, question, places_of(pico.outcome, question))
    last = told_last([t for t in pico.people if not _is_within(t, counted)], treating, question)
    ending = ends_behind_people(pico.people, treating, question) if not pico.outcome else frozenset()
    people = [
        t
        for t in pico.people
        if (
            t.start in ending
            or ((t.start in asked_about or t.start in last) and not is_joined_to_people(t, pico.people, question))
        )
        is (t.start in exchanged)
        and not _is_treatment(t, treating, question)
        and not _is_of_treatment(t, treating, question)
        and not _COMPLAINT.search(question[: t.start])
        and not is_died_of(question[: t.start])
        and t not in aimed
        and not _says_nothing(t)
        and not (t.kind is PopulationKind.OTHER and _OF_A_STUDY.match(question, t.end))
        and not is_nobody(t, analysis)
        and not _FREE_SURVIVAL.match(question, t.end)
        and not _is_within(t, counted)
    ]
    people = [t for t in people if not any(a.start < t.end and t.start < a.end for a in attacks)] + list(attacks)
    people = [part for term in people for part in _parts_of(_had_and_asked(term, analysis) or term)]
    forms = [Span(start, end) for start, end in counted_forms(question, analysis.entities)]
    people = [t for t in people if not any(meet(Span(t.start, t.end), form) for form in forms)]
    people += _compounds(question, [*people, *(e for e in analysis.entities if e.kind is EntityKind.DISEASE)])
    people += had_before(question, analysis.entities, people)
    people += helped(question, analysis.entities, people)
    opening = opening_disease(analysis, treating)
    people = [t for t in people if not any(t.start < one.end and one.start < t.end for one in opening)] + opening
    if any(_IS_NEEDED.match(t.text) for t in people):
        events = [question[s.start : s.end] for s in _candidates(analysis, people)]
        events += [*pico.outcome, *_at_the_end(question, treating, [t for t in people if not _IS_NEEDED.match(t.text)])]
        people = [t for t in people if not _is_what_it_led_to(t, events, question)]
    said = (*people, *aimed, *said_either_way(analysis))
    taken = [*_spans_of(treating), *(Span(t.start, t.end) for t in said)]
    turned = [Span(kinds_before(question, t.start), t.end) for t in pico.people if t.start in exchanged]
    candidates = [*_candidates(analysis, people), *turned, *forms]
    found = [s for s in candidates if not any(meet(s, other) for other in taken)]
    spans = [completed(s, question, taken) for s in in_lists(sorted(widest(found), key=lambda s: s.start), question)]
    spans = sorted(widest(with_event(s, question, taken) for s in spans), key=lambda s: s.start)
    spans = [within_slot(s, pico.outcome, question, [*taken, *(o for o in spans if o != s)]) for s in spans]
    others = [*taken, *_spans_of(e for e in analysis.entities if e.kind is not EntityKind.DISEASE)]
    spans = [whole_phrase(s, question, [*others, *(o for o in spans if o != s)]) for s in spans]
    spans = in_lists(sorted(widest(spans), key=lambda s: s.start), question)  # "stroke/[systemic] embolism"
    outcomes = tuple(dict.fromkeys(_bare(question[s.start : s.end]) for s in spans))
    start = asking_part(question)
    if all(question.find(one) < start for one in outcomes):  # a disease that is told before is no more than that
        told = (one for one in _told(pico.outcome, taken, question) if question.find(one) >= start)
        outcomes += tuple(one for one in told if _tells(one, question))
    outcomes = outcomes or _told(pico.outcome, taken, question)
    at_the_end = _at_the_end(question, treating, people)
    if at_the_end and not treating and all(map(names_measure, outcomes)):
        outcomes = at_the_end  # "intensive glucose control: [retinopathy]"
    return Roles(outcomes or at_the_end, tuple(people))


def _is_of_people(term: PopulationTerm, question: str) -> bool:
    """Whether words for people stand right before a condition: "in patients with [DVT]"."""
    return term.kind is PopulationKind.CONDITION and _PEOPLE_WITH.search(question[: term.start]) is not None


_PEOPLE_WITH = re.compile(
    r"\b(?:people|patients?|adults?|those|women|men|children|person|somebody|someone)\s+(?:with|who have|having)\s+"
    r"(?:(?:an?|acute|recent|known|confirmed|proven)\s+){0,2}$",
    re.IGNORECASE,
)


def _at_the_end(question: str, treating: Sequence[Entity], people: Sequence[PopulationTerm]) -> tuple[str, ...]:
    """What stands in the last segment of a question that names before it its treatments, or what is treated to a
    target."""
    segment = last_segment(question)
    if segment is None or not (before(_spans_of(treating), segment) or names_measure(question[: segment.start])):
        return ()
    given = [e for e in treating if meet(Span(e.start, e.end), segment)]
    if any(standard_name(e.text) is None for e in given):
        return ()  # "RA on methotrexate; add baricitinib?"
    found = outcome_in(segment, question, [Span(t.start, t.end) for t in people])
    return (question[found.start : found.end],) if found is not None else ()


def _is_within(entity: Entity | PopulationTerm, phrases: Iterable[tuple[int, int]]) -> bool:
    """Whether it is one word of an outcome's name, and not all of it."""
    return any(a <= entity.start and entity.end <= b and (a, b) != (entity.start, entity.end) for a, b in phrases)


def _is_done_for_harm(entity: Entity, treating: Iterable[Entity], question: str) -> bool:
    """Whether a procedure beside what is given is what may happen: "canagliflozin amputation risk", "aspirin vs
    placebo: [percutaneous coronary intervention]?", "does ticagrelor prevent [revascularisation]"."""
    if entity.kind is not EntityKind.PROCEDURE or _GIVEN_BEFORE.search(question[: entity.start]):
        return False
    if is_event(entity.text) and any(e.kind is EntityKind.DRUG for e in treating):
        return True
    if not any(e.end < entity.start and e.kind is not EntityKind.DISEASE for e in treating):
        return False
    is_changed = OUTCOME_BEFORE.search(question[: entity.start]) is not None
    return is_changed or is_last_told(entity.start, entity.end, question)


_GIVEN_BEFORE = re.compile(
    r"\b(?:after|before|during|undergoing|versus|vs|v|or|and|plus|with|against|than|to|from|for|on)\s+"
    r"(?:(?!(?:more|fewer|less|extra|additional)\b)\w+\s+)?$",
    re.IGNORECASE,
)


def _is_of_treatment(term: PopulationTerm, treating: Iterable[Entity], question: str) -> bool:
    """ "Hydrocortisone alone, without fludrocortisone" says what is given, not to whom."""
    if term.wanted or term.kind is not PopulationKind.TREATMENT:
        return False
    return any(_ALONE.fullmatch(question[e.end : term.start]) for e in treating if e.end <= term.start)


_ALONE = re.compile(r"\s*(?:alone|only|by itself|monotherapy)?\s*,?\s*(?:\(\s*)?", re.IGNORECASE)


def _is_what_it_led_to(term: PopulationTerm, events: Iterable[str], question: str) -> bool:
    """Right behind an event what it needed is no state of anybody: "exacerbations [needing admission]"."""
    if _IS_NEEDED.match(term.text) is None:
        return False
    for event in events:
        at = question.rfind(event, 0, term.end)
        ends = at + len(event)
        if at >= 0 and (ends >= term.end or question[ends : term.start].isspace()):
            return CUE_BEFORE_EVENT.search(question[:at]) is None
    return False


_OF_A_STUDY = re.compile(
    r"\s+(?:[A-Z][\w-]*\s+)?(?:trials?|stud(?:y|ies)|reviews?|meta-analys[ie]s|cohorts?)\b(?!\s+(?:patients|people|participants))"
)
""" "In the [large] WHO trial, ..."."""
_AIMED_AT = re.compile(r"\b(?:control|targets?|goals?|aims?|lowering|therapy|strategy)\s*\(\s*$", re.IGNORECASE)
""" "Tight control ([A1c 6.5 or less])" says what is aimed at, and nobody's figure."""
_COMPLAINT = re.compile(r"\bcomplain(?:s|ed|ing)? (?:of|about)\s+(?:\w+\s+)?$", re.IGNORECASE)
"""What somebody complains of is what is asked about, or why."""


@cache
def _had() -> re.Pattern[str]:
    """Words for people, and what opens a treatment that they have: "somebody on", "patients receiving"."""
    return re.compile(
        rf"\b{asking('head')}\s+(?:who\s+(?:are|is|were)\s+)?"
        r"(?:on|receiving|undergoing|taking|treated with)\s+(?:\w+\s+)?$",
        re.IGNORECASE,
    )


def is_compound(behind: str) -> bool:
    """Whether what stands behind a word makes it a word for people: "statin-intolerant", "pacemaker-detected"."""
    return _COMPOUND.match(behind) is not None


def _had_and_asked(term: PopulationTerm, analysis: QuestionAnalysis) -> PopulationTerm | None:
    """Of "after ACS intracranial haemorrhage", two diseases of which the last is an event, who is meant: what stands
    before it. The rest is asked about. `None` = it is one disease, or nobody."""
    if not term.wanted or term.kind not in {PopulationKind.CONDITION, PopulationKind.TIME_COURSE}:
        return None
    diseases = (e for e in analysis.entities if e.kind is EntityKind.DISEASE)
    event = next((e for e in diseases if e.end == term.end and e.start > term.start and is_event(e.text)), None)
    if event is None or whole_term(term.text) is not None:
        return None
    text = _KIND_BEFORE.sub("", analysis.question[term.start : event.start]).rstrip()
    had = next((t for t in _terms_or_meanings(text) if t.kind is EntityKind.DISEASE), None)
    if had is None:
        return None
    return term.model_copy(
        update={"text": text, "end": term.start + len(text), "name": had.name, "mesh_id": had.mesh_id}
    )


def _terms_or_meanings(text: str) -> Sequence[Term]:
    """The name that a text ends with, or what the short form means that it ends with."""
    if (short := _SHORT_AT_THE_END.search(text)) is not None:
        return [t for meaning in meanings_of(short[0])[:1] for t in find_terms(meaning)]
    return [t for t in find_terms(text) if t.end == len(text)]


_SHORT_AT_THE_END = re.compile(r"\b[A-Z]{2,6}$")
_KIND_BEFORE = re.compile(r"\s(?:recurrent|major|severe|fatal|symptomatic|first|further|new)\s*$", re.IGNORECASE)


def _parts_of(term: PopulationTerm) -> list[PopulationTerm]:
    """Two words before people are two things: of "unvaccinated high-risk" the first alone is an absence."""
    first, blank, rest = term.text.partition(" ")
    if term.wanted or term.kind is not PopulationKind.OTHER or not blank or not _PREFIXED.fullmatch(first):
        return [term]
    middle = term.start + len(first)
    return [
        term.model_copy(update={"text": first, "end": middle}),
        term.model_copy(update={"text": rest, "start": middle + 1, "wanted": True}),
    ]


_PREFIXED = re.compile(r"(?:un|non-?)[a-z]{3,}ed", re.IGNORECASE)


def _compounds(question: str, known: Iterable[PopulationTerm | Entity]) -> list[PopulationTerm]:
    """Such words that no term of the question holds yet."""
    compounds = re.finditer(rf"[^\W_]\w*{_COMPOUND.pattern}", question, re.IGNORECASE)
    return [
        PopulationTerm(text=m[0], kind=PopulationKind.OTHER, wanted=True, start=m.start(), end=m.end())
        for m in compounds
        if not any(one.start < m.end() <= one.end for one in known)
        and ("-" in m[0] or information(m[0].split()[0]) >= SOME)  # "does it help resistant hypertension?"
    ]


_FOR_SO_LONG = re.compile(
    r"(?:(?:during|over|in|within|throughout)\s+(?:\S+\s+){0,3}|\d+\s+)(?:days?|weeks?|months?|years?)\s+(?:of|on)\b",
    re.I,
)


def _is_treatment(term: PopulationTerm, treating: Iterable[Entity], question: str) -> bool:
    """ "On dabigatran" of a question about dabigatran is what is asked about, and nobody; so is "six months of it", and
    what an event is likelier after."""
    if term.kind is PopulationKind.TIME_COURSE:
        named = any(term.start <= e.start < term.end for e in treating)
        if named and (_LIKELIER.search(question[: term.start]) or _DURING.fullmatch(term.text)):
            return True
        whole = any(term.text == e.text for e in treating)
        return whole or (_FOR_SO_LONG.match(term.text) is not None and any(e.text in term.text for e in treating))
    if term.kind is not PopulationKind.TREATMENT:
        return False
    if not term.wanted:  # a list goes on: "without PE, rivaroxaban against enoxaparin"
        return any((term.start, term.end) == (e.start, e.end) for e in treating)
    return any(term.start <= e.start < term.end for e in treating)


_DURING = re.compile(r"during\s+[\w-]+(?:\s+(?:therapy|treatment))?", re.IGNORECASE)
""" "Bleeding [during rivaroxaban]"."""
_LIKELIER = re.compile(
    r"\b(?:(?:more|less|as|equally)\s+(?:likely|common|frequent|often)|commoner|rarer|likelier|than|or)\s+$",
    re.IGNORECASE,
)
""" "Is stillbirth more likely [after A] than [after B]?"."""


def _says_nothing(term: PopulationTerm) -> bool:
    """Words that tell nothing by themselves ("more"), and headings that are no condition ("risk factors")."""
    if term.mesh_id and term.kind is PopulationKind.CONDITION:
        trees = mesh.trees_of(term.mesh_id)
        return (bool(trees) and not any(tree.startswith(("C", "F")) for tree in trees)) or term.name == "Risk Factors"
    if term.name is None and _COURSE.fullmatch(term.text):
        return True
    if term.kind is not PopulationKind.OTHER:
        return False
    return all(_is_bare(word) for word in term.text.split())


def _tells(outcome: str, question: str) -> bool:
    """Whether words are an outcome that no list knows: telling ones, or what is counted ("more [pregnancies]")."""
    counted = _MORE_OF.search(question[: max(0, question.find(outcome))]) is not None
    return counted or any(information(word) >= SOME for word in outcome.split())


_MORE_OF = re.compile(r"\b(?:more|fewer|less|extra|new)\s+$", re.IGNORECASE)


def _is_bare(word: str) -> bool:
    return information(word) == NOTHING or is_neutral(word) or word.casefold() in NUMBER_WORDS


def _told(texts: Iterable[str], taken: Sequence[Span], question: str) -> tuple[str, ...]:
    """The slot's own phrases, where no outcome is known by name."""
    kept = []
    for text in texts:
        at = question.casefold().find(text.casefold())
        if at >= 0 and not any(meet(Span(at, at + len(text)), other) for other in taken):
            whole = completed(Span(kinds_before(question, at), at + len(text)), question, taken)
            whole = whole_phrase(whole, question, taken)
            kept.append(_MORE.sub("", _bare(question[whole.start : whole.end])))
    return tuple(kept)


def _bare(outcome: str) -> str:
    """Without what is done to it: "[stopping] another clot", "[bringing down] severe hypertension", "LDL [down]"."""
    whole = outcome.strip(" ,?.")
    return _DONE_TO_IT.sub("", whole) or whole


_DONE_TO_IT = re.compile(
    r"^(?:stopping|preventing|avoiding|averting|halting|reducing|lowering|cutting|bringing down|warding off"
    r"|down)\s+(?=\w)|(?<=\w)\s+(?:down|(?:(?:counted|taken)\s+)?(?:together|combined))$",
    re.IGNORECASE,
)
_MORE = re.compile(r"\s+(?:more|less|most|better|best|worse)$", re.IGNORECASE)
""" "Which slows the renal decline [more]?"."""
_STATE = re.compile(r"(?:ventilated|intubated|hospitali[sz]ed)", re.IGNORECASE)
_BECOMES = re.compile(r"\b(?:be|being|get|gets|getting|become|end(?:s|ing)? up|were|was)\s+$", re.IGNORECASE)
""" "Ventilated patients" are who is meant; "being ventilated" is what is asked about."""
_ACRONYM = 5
_ON_ADMISSION = re.compile(r"\b(?:on|at|since|after|before|upon|of)\s+$", re.IGNORECASE)
_AT_DISCHARGE = re.compile(r"\b(?:on|at|since|after|before|upon|by)\s+(?:hospital\s+)?$", re.IGNORECASE)


def _is_a_time(question: str, start: int, end: int) -> bool:
    """ "On admission" and "at discharge" tell when."""
    when = {"admission": _ON_ADMISSION, "discharge": _AT_DISCHARGE}.get(question[start:end].casefold())
    return when is not None and when.search(question[:start]) is not None


_MORE_LIKELY_TO = re.compile(
    r"\b(?:does|do|did|is|are|was|were|will|would|be|he|she|they|it|i)\s+(?:[\w-]+\s+){0,9}?(?:more|less|as|any)\s+likely\s+to\s+"
    r"(?:be\s+|have\s+(?:an?\s+)?)?$",
    re.IGNORECASE,
)
""" "Is he more likely to [relapse]?"; "patients likely to fall" are who is meant."""


def _candidates(analysis: QuestionAnalysis, people: Iterable[PopulationTerm]) -> Iterator[Span]:
    """Everything in the question that can be an outcome: groups by name, diseases that nobody is said to have."""
    question = analysis.question
    for start, end in groups_in(question):
        if _STATE.fullmatch(question[start:end]) and not _BECOMES.search(question[:start]):
            continue
        if _OF_GUIDELINES.match(question, end) or _is_a_time(question, start, end):
            continue
        if makes_no_difference(question[:start]):
            continue
        if question[start:end].isupper() and end - start >= _ACRONYM and not question.isupper():
            continue  # RECOVERY is a trial
        yield Span(kinds_before(question, start), end)
    known = [(one.start, one.end) for one in analysis.entities]
    known += [(one.start, one.end) for one in analysis.pico.people]
    for start, end in places(question):
        if any(a <= start and end <= b for a, b in known):
            continue  # what has a name of its own is judged by it
        if not OF_WHOM.match(question, end) and not CUE_BEFORE_EVENT.search(question[:start]):
            yield Span(start, end)
    for match in event_names().finditer(question):
        if _MORE_LIKELY_TO.search(question[: match.start()]):
            yield Span(kinds_before(question, match.start()), match.end())
    held = {t.text.casefold() for t in people}
    for entity in analysis.entities:
        again = OUTCOME_BEFORE.search(question[: entity.start]) is not None
        again = again or begins_with_arms(entity.start, entity.end, question)
        if makes_no_difference(question[: entity.start]):
            continue
        if entity.kind is EntityKind.DRUG and not _MORE_NEEDED.search(question[: entity.start]):
            continue
        if not again and any(entity.text.casefold() in text for text in held):
            continue
        needed = _NEED_FOR.search(question[: entity.start]) is not None or _is_done_for_harm(
            entity, analysis.entities, question
        )
        if needed or entity.kind is EntityKind.DISEASE or entity.text in analysis.pico.outcome:
            yield Span(kinds_before(question, entity.start), entity.end)


_MORE_NEEDED = re.compile(rf"\b{_NEEDS_MORE}\s+(?:\w+\s)?$", re.IGNORECASE)
""" "Need more [vasopressors]"."""


def _spans_of(entities: Iterable[Entity]) -> Iterator[Span]:
    for entity in entities:
        yield Span(entity.start, entity.end)
