"""The question's slots: population, intervention, comparison, outcome.

The question is cut at the words that introduce a slot ("versus", "in patients with", "reduce", "effect of ... on"); the
terms found in a piece fill its slot. Numbers that restrict who is meant ("eGFR 30-50", "aged >= 75") go to the
population.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from openwork_contracts.question import Entity, EntityKind, Pico
from openwork_knowledge.notation import group
from openwork_language.asking.being_on import people_are_on
from openwork_language.asking.pieces import is_how_found
from openwork_language.asking.read import people_of
from openwork_language.asking.times import doses_of, times_of
from openwork_language.asking.words import asking
from openwork_language.identity import code_before

_NUMBER = r"\d+(?:[.,]\d+)?"
_RANGE = rf"(?:{_NUMBER}\s*(?:-|–|—|to|and)\s*)?{_NUMBER}"
_COMPARATOR = (
    r"(?:<=|>=|≤|≥|<|>|=|of|below|above|under|over|between|less than|more than|greater than|at least|at most|up to)"
)
_UNIT = (
    r"(?:\s*(?:%|mg/dL|mmol/L|mmol/mol|mL/min(?:/1\.73\s?m(?:2|²))?|ml/min(?:/1\.73\s?m(?:2|"
    r"²))?|mm\s?Hg|mmHg|kg/m(?:2|²)|kg|years?(?: old| of age)?|months?(?: old)?|weeks?|"
    r"days?|pg/mL|ng/mL|g/dL))?"
)
QUALIFIER = re.compile(
    rf"\b{group('question_slots', 'measure')}\s*(?:is\s+|was\s+)?(?:{_COMPARATOR}\s*)*{_RANGE}{_UNIT}"
    rf"|(?:≥|≤|>=|<=|>|<)\s*{_NUMBER}\s*(?:years?|yrs?|months?|weeks?)(?: old| of age)?"
    rf"|\b(?:over|under|above|below|older than|younger than|at least|aged)\s+(?:the age of\s+)?{_RANGE}\s*(?:years?(?: "
    rf"old| of age)?)?(?=\W|$)"
    rf"|\b{_RANGE}[- ]years?[- ](?:old|of age)\b|\bstages?\s+(?:\d[ab]?(?:\s*(?:-|–|to|"
    rf"or)\s*\d[ab]?)?|I{{1,3}}V?[ABC]?)\b",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    rf"\b(?:{group('question_slots', 'people, before')} )?{group('question_slots', 'people')}\b", re.IGNORECASE
)
_VERSUS = re.compile(
    rf"\b(?:{group('question_slots', 'versus')}|(?-i:v\.?)"
    r"|as (?:\w+ly )?(?:effective|efficacious|safe|good|well|useful|potent|beneficial) (?:\w+ )?as"
    r"|as (?:(?:much|many|often|fast) (?:[\w-]+ ){0,3}?|[a-z]{3,}ly )as(?! possible\b| it\b| they\b| he\b| she\b)"
    r"|(?:\w+er|more|less)(?:\s+\w+){0,3}\s+than(?!\s+\d)"
    r"|(?:more|less|fewer|lower|higher)(?:\s+[\w-]+(?:,\w[\w-]*)?){4,6}\s+than(?!\s+\d)"
    r"|(?:non-?)?(?:superior|inferior)(?:ity)?\s+(?:than|to)"
    r"|(?:the )?same(?: \w+)? as (?:with|for|on|after|under))\s",
    re.IGNORECASE,
)
_ONE_OR_OTHER = re.compile(
    r"(?:\s+\d[\d.,]*\s?(?:mg|g|mcg|µg|units?|IU)(?:\s(?:daily|od|bd|b\.d\.|tds|once daily|twice daily))?)?"
    r"\s*,?\s+(?:or|against|over|versus|vs\.?|v\.?|to)\s+(?:\w+\s){0,2}",
    re.IGNORECASE,
)
"""Between two treatments these words set the one against the other; elsewhere they mean something else."""
_AGAINST = re.compile(r"\b(?:against|over)\s+(?:[\w-]+\s)?$", re.IGNORECASE)
_SET_AGAINST = re.compile(r",?\s+(?:against|rather than|instead of|in place of)\s", re.IGNORECASE)
""" "In atrial fibrillation, [against] dabigatran": behind it is nobody's."""
_OPENS_AGAINST = re.compile(r",\s+(?:against|rather than|instead of|compared with)\s+$", re.IGNORECASE)
""" "In atrial fibrillation, [against] warfarin, does apixaban ..."."""
_NOT_AGAINST = re.compile(
    r"\b(?:antibod\w+|resistan\w+|immun\w+|reactions?|protect\w*|allerg\w+|active|activity|effective|works?|acts?"
    r"|antidotes?|reversal)\s+$",
    re.IGNORECASE,
)
""" "Antibodies against rituximab" compare nothing."""
_AGAINST_CONTROL = re.compile(
    r"\b(?:against|over)\s+(?P<control>placebo|(?:usual|standard) care|(?:standard|no) (?:treatment|therapy))\b",
    re.IGNORECASE,
)
_NOT_TO = re.compile(
    r"\b(?:add\w*|switch\w*|chang\w+|convert\w*|transition\w*|from|respon\w+|resist\w+)\b", re.IGNORECASE
)
"""Before "A to B": a change from one to the other, or B on top of A."""
_AND_COMPARED = re.compile(
    r"\b(?:compare|compared(?! (?:with|to)\b)|comparing|comparison of|differences? between|between|choose between)\b"
    r"(.+?)\b(?:and|or|with|to)\b",
    re.IGNORECASE,
)
_POPULATION = re.compile(
    rf"\b(?:in|among|for|of|on)\s+(?=(?:\w+[ -]){{0,4}}{group('question_slots', 'people, after in or for')}\b)"
    rf"|\b{group('question_slots', 'people, before with or who')} (?:with|who|undergoing|receiving|on|aged)\b",
    re.IGNORECASE,
)
_IN = re.compile(
    r"\b(?:in|among|with|for|during|after|undergoing|(?:if (?:you|we|one) )?(?:look(?:ing)? )?only at)\s",
    re.IGNORECASE,
)
_AT = re.compile(r"\b(?:at|by|within|over)\s+(?:\d|an?\b|one\b)", re.IGNORECASE)
_EFFECT_VERB = re.compile(rf"(?<![\w-]){group('question_slots', 'effect')}\s", re.IGNORECASE)
_GIVES_MORE = re.compile(
    r"\b(?:gives?|causes?|means?|produces?|brings?|leads? to|results? in|carr(?:y|ies)|needs?)\s+(?:an?\s+)?"
    r"(?:fewer|more|less|lower|higher|better|worse|longer|shorter|earlier|faster)\s",
    re.IGNORECASE,
)
""" "Does [block-and-replace] give fewer relapses than ...?"."""
_EFFECT_ON = re.compile(r"\b(?:effects?|impact|influence|efficacy|benefits?) of\s(.+?)\son\s", re.IGNORECASE)
_BETTER_FOR = re.compile(
    r"\b(?:better|worse|superior|inferior|safer|more effective|as (?:good|effective|safe|well))\b[^?.;:]*?"
    r"\b(?:than|to|as|compared (?:with|to)|versus|vs)\b[^?.;:]*?\sfor\s(?P<outcome>"
    r"(?!patients|people|adults|children|women|men|those)[^?.;:,]{3,80}?)\s(?:in|among)\s",
    re.IGNORECASE,
)
""" "Is A better than B for [pain] in sciatica?"."""
_BETTER_THAN = re.compile(
    r"(?:^|[.,:;?]\s+)\W*(?:is|are|was|were)\s+(?:an?\s+|the\s+)?(?P<subject>[^?.,;:\d]{3,60}?)\s+"
    r"(?:any\s+|really\s+|\w+ly\s+)?(?:better|worse|safer|superior|(?:non-?)?inferior"
    r"|(?:more|less|as) (?:good|effective|safe|well))\s+(?:than|to|as)\s",
    re.IGNORECASE,
)
""" "Is [early surgery] better than waiting ...?": what no list may hold."""
_HOW_GOOD = re.compile(
    r"(?:\bhow\s+(?:effective|good|efficacious|protective|useful)\s+(?:is|are|was|were)"
    r"|\b(?:efficacy|effectiveness)\s+of|^\W*(?:does|do|did|will|can)(?=\s[^?,;:]{2,60}\swork\b))\s+(?:the\s+|an?\s+)?"
    r"(?P<subject>[^?,;:]{2,60}?)(?=\s+(?:in|for|at|against|after|among|when|with|to|(?:still\s+|really\s+)?work)\b|\s*\?|$)",
    re.IGNORECASE,
)
""" "How effective is [TAK-003] in children?", "does [TAK-003] work in ...?"."""
_AT_DOING = re.compile(r"\bat\s+(?:\w+ly\s+)?\w+ing\s", re.IGNORECASE)
""" "Better than B [at preventing] recurrence"."""
_EFFECT_FOR = re.compile(r"\bfor (?:preventing|the prevention of|prevention of|reducing|improving)\s", re.IGNORECASE)
_COMPARE_ON = re.compile(
    r"\b(?:does|do|did)\s+(?:(?:the|an?)\s+)?(?P<subject>[^?.;:,]{2,80}?)\s+compares?\s+(?:with|to|against)\s"
    r"(?!(?:those|people|patients|being)\b)"
    r"(?:(?![?.;:])(?!\b(?:on|in|among|for|at|after|with|who|based|depend\w*)\b).){2,80}?\son\s(?!(?:top of|a|the)\s)"
    r"(?P<outcome>[^?.;:]{3,80}?)(?=\s(?:in|among|for|at|after|based|depend\w*)\s|[?.;:]|$)",
    re.IGNORECASE,
)
""" "How does A compare with B on [death] in sepsis?"."""
_COMPARE_FOR = re.compile(
    r"\b(?:does|do|did)\s[^?.;:,]{2,80}?\s+compares?\s+(?:with|to|against)\s[^?.;:]{2,80}?\sfor\s"
    r"(?P<outcome>(?!patients|people|adults|children|women|men|those)[^?.;:,]{3,80}?)\s(?:in|among)\s",
    re.IGNORECASE,
)
""" "How does A compare with B for [unfavourable outcome] in tuberculosis?"."""
_PASSIVE = re.compile(
    r"(?:^|[.,:;?]\s+|\bhow (?:much|many|far)\s+)\W*(?:is|are|was|were|can|could|will|would)\s+"
    r"(?P<outcome>[^.,:;?]{3,80}?)"
    r"\s+(?:be\s+|being\s+|made\s+)?(?:any\s+|\w+ly\s+)?(?:reduced|lowered|decreased|increased|raised|improved|worsened"
    r"|prevented|delayed|slowed|prolonged|shortened|avoided|cut|affected|rarer|commoner"
    r"|(?:less|more) (?:common|frequent|likely))\s+(?:by|with|on|under|through)\s",
    re.IGNORECASE,
)
""" "Is kidney failure delayed by canagliflozin?": what stands before the verb is the outcome."""
_RISK_OF = re.compile(r"\b(?:risks? of|incidence of|rates? of|odds of|prevention of)\s", re.IGNORECASE)
_MORE_OR_LESS = re.compile(
    r"\b(?:any\s+)?(?:fewer|less|more|lower|higher|better|worse|improved|reduced|increased|extra)\s+"
    r"(?!(?:than|or|on|with|in|if|for|of|from|to|after|when|by|at)\b|(?:\w+\s+){1,4}than\b"
    r"|(?:would|will|does|do|did|is|are|was|were|can|could|should|has|have"
    r"|\w+ly|less|more|effective|likely|common|frequent|safe|often|beneficial)\b)(?=[a-z])"
    r"(?=[^.,:;?]*(?:[?]|$|,?\s(?:at|by|in|with|after|within|over|during|vs\.?|versus)\b))",
    re.IGNORECASE,
)
""" "Any fewer deaths at a year?", where no verb says what changes."""
_OUTCOME_WORDS = re.compile(rf"\b{group('question_slots', 'outcome')}\b", re.IGNORECASE)
_ADVERB = re.compile(r"\s+(?:\w+ly|ha[sd] an?|have an?|help|also)$", re.IGNORECASE)
_WAY = re.compile(
    r"(?:[\w-]*dose|early|earlier|late|later|short\w*|long\w*|intensive|standard|liberal|restrictive|immediate"
    r"|delayed)\s*",
    re.IGNORECASE,
)
""" "[Low-dose] versus high-dose vitamin D": a way of giving what comes behind."""
_WAYS = re.compile(rf"(?:{_WAY.pattern}|[a-z]+(?:ive|al|ous|id|ic)\s+)*{_WAY.pattern}", re.IGNORECASE)
""" "[Aggressive high-dose] versus cautious low-dose"; of "oxygen liberal versus restrictive" oxygen is given."""
_DETERMINER = re.compile(r"\s*(?:the|an?|his|her|their|my|our)?\s*", re.IGNORECASE)
_BLANK = re.compile(r"\s*")
_CLAUSE = re.compile(r"[.,:;?]\s")
_SENTENCE_OR_DASH = re.compile(r"[.:;?]\s+|\s[-–—]\s+")
_ROUTINE = re.compile(r"^(?:routine(?:ly)?|regular|using|giving|adding|use of)\s+(?=\w)", re.IGNORECASE)
_BESIDE = re.compile(
    r"\s+(?:and|plus|with|on top of|added to|in addition to)\s+(?:the\s+)?"
    r"(?:usual|standard|routine|conventional|best)\s+(?:\w+\s+)?(?:care|treatment|therapy)$"
    r"|\s+(?:and|plus|with)\s+standard of care$",
    re.IGNORECASE,
)
""" "Intraarterial treatment [and usual care]": what everybody gets makes no other treatment."""
_LOWER_PART = re.compile(group("outcome-phrases", "lower"), re.IGNORECASE)
_IT = re.compile(
    r"[.:;,–—-]\s+(?:and\s+)?(?:does|do|did|is|are|will|would|can|could)\s+(?:it|this|that|they)\b", re.IGNORECASE
)
_TOLD_FIRST = re.compile(
    r"^\W*(?P<subject>(?!(?:what|which|who|how|when|why|where|is|are|does|do|did|can|should|will|has|have)\b)"
    r"(?:[\w/+-]+\s+){1,4}?)(?=(?:in|for|after|during|among|before|following|vs\.?|versus|compared)\s)",
    re.IGNORECASE,
)
""" "[IABP] in cardiogenic shock: does it save lives?"."""
_TOLD_ALONE = re.compile(
    r"^\W*(?P<subject>(?!(?:what|which|who|how|when|why|where|is|are|does|do|did|can|should|will|has|have)\b)"
    r"[A-Za-z][\w/+-]*(?:\s+(?!(?:in|for|after|during|among|before|following|with|and|or)\b)[\w/+-]+){0,4})"
    r"(?=[.:;,–—-]\s+(?:and\s+)?(?:does|do|did|can|could|will|would)\s+(?:it|they)\s+(?:\w+ly\s+)?\w+)",
    re.IGNORECASE,
)
""" "[Wolbachia mosquito releases]: do they lower dengue?"."""
_LEAD = re.compile(
    r"^\W*(?:(?:does|do|did|can|could|is|are|was|were|should|will|would|has|have|which|compare|comparing|the|an?)"
    r"|what (?:is|are)|how (?:(?:much|far|often|well|quickly|soon)\s+)?"
    r"(?:does|do|did|can|will|effective (?:is|are)|safe (?:is|are)))\s+",
    re.IGNORECASE,
)
_LEAD_BEHIND = re.compile(
    r"[,:.]\s+(?:does|do|did|can|could|will|would|should)\s+(?!(?:it|this|that|they|these|he|she|we|i)\b)",
    re.IGNORECASE,
)
""" "In Graves' disease, does [block-and-replace] ..."."""
_ASKS = re.compile(
    r",\s+(?:does|do|did|is|are|was|were|can|could|will|would|should|may|has|have|which|what|how)\b"
    r"|\bfrom\s+(?:adding|taking|giving|using|starting|switching|having)\b",
    re.IGNORECASE,
)
"""Behind who is meant: "In people with diabetes on insulin, does ..."."""
_ON = re.compile(r"\son\s", re.IGNORECASE)
""" "The effect of A compared with B [on] death"."""
_GIVEN = re.compile(r"\b(?:on|taking|given|receiving|using)\s+(?:\w+\s+)?$", re.IGNORECASE)
_THAN = re.compile(r"\s+than\b", re.IGNORECASE)
_COMMA = re.compile(r",\s")
_COUNTED = re.compile(
    r"\s(?:new(?:-onset)?|incident|recurrent|any|all-cause|overall|fewer|less|more)\s+(?=[a-z])", re.IGNORECASE
)
""" "Vs corn oil [new AF]": these words count events and describe no comparator."""
_CHANGES_RISK = re.compile(
    r"\s[a-z]+\s+(?:his|her|their|the)\s+(?:risks?|chances?|odds|rates?|likelihood)\b", re.IGNORECASE
)
""" "Rather than placebo [change his chance of ...]"."""
_BARE_VERSUS = re.compile(r"\s+(?:versus|vs\.?|v\.?)\s", re.IGNORECASE)
_SEGMENT = re.compile(r"(?:^|[.:;?]|\s[-–—])\s+")
_END = re.compile(
    r"[?;:]|\s[-–—]\s|(?<![\s(][A-Z])\.(?:\s|$)|\b(?:according to|based on|when|while|because|since|if)\b",
    re.IGNORECASE,
)
"""What ends a piece; the dot of "P. vivax" ends none."""


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Where each slot's words stand: [start, end) in the question; empty = (0, 0)."""

    comparison: tuple[int, int]
    outcome: tuple[int, int]
    population: tuple[int, int]
    is_outcome: bool
    """Whether the words of the outcome's piece are an outcome whatever they are: "better for [pain] in sciatica"."""


def numeric_qualifiers(question: str) -> tuple[str, ...]:
    """Numbers that say who is meant, as written: "eGFR 30-50", "aged >= 75", "LDL < 70"."""
    return _unique(m[0].strip() for m in QUALIFIER.finditer(question))


def pico_of(question: str, entities: Sequence[Entity]) -> Pico:
    """The slots; the asker's own words for terms, so that a reader recognises them."""
    pieces = _pieces(question, entities)
    population: list[str] = []
    intervention: list[str] = []
    comparison: list[str] = []
    outcome: list[str] = []
    outcomes: list[tuple[int, int]] = []
    treatments: list[tuple[int, int]] = []
    treated_elsewhere = any(e.kind is not EntityKind.DISEASE and not _inside(e, pieces.population) for e in entities)
    for entity in entities:
        if is_how_found(question, entity.end):
            continue
        treats = entity.kind is not EntityKind.DISEASE
        if people_are_on(question, entity, entities) or _NON.search(question, 0, entity.start):
            population.append(entity.text)
        elif treats and _inside(entity, pieces.comparison):
            comparison.append(_whole_name(question, entity))
            treatments.append((entity.start, entity.end))
        elif _inside(entity, pieces.outcome) and not (treats and _is_given(question, entity)):
            outcome.append(entity.text)
            outcomes.append((entity.start, entity.end))
        elif treats and not (treated_elsewhere and _inside(entity, pieces.population)):
            intervention.append(_whole_name(question, entity))
            treatments.append((entity.start, entity.end))
        else:
            population.append(entity.text)
    population += [m[0].strip() for m in _PEOPLE.finditer(question)]
    population += numeric_qualifiers(question)
    if not outcome or pieces.is_outcome:
        outcome += _phrase(question, pieces.outcome)
    if pieces.is_outcome:
        outcomes.append(pieces.outcome)
    named = tuple(_OUTCOME_WORDS.finditer(question))
    outcome += [m[0] for m in named]
    outcomes += [m.span() for m in named]
    if not comparison and any(pieces.comparison):
        comparison += _phrase(question, _within(question, pieces.comparison))
    if not intervention:
        intervention += _subject(question, entities)
    if (pair := _either_at_the_end(question, entities)) is not None:
        intervention, comparison = [[one.text] for one in pair]
    return Pico(
        population=tuple(p for p in _unique(population) if p.casefold() not in {o.casefold() for o in outcome}),
        intervention=_unique(intervention),
        comparison=_unique(comparison),
        outcome=_unique(outcome),
        people=people_of(question, entities, outcomes=outcomes, treatments=treatments),
        times=times_of(question),
        doses=doses_of(question, entities),
    )


_NON = re.compile(r"\bnon-$", re.IGNORECASE)
""" "Non-[dialysis] CKD" is of people."""
_WHICH = re.compile(r"\b(?:which|what)\b[^?]*[,:;]\s*$", re.IGNORECASE)


def _either_at_the_end(question: str, entities: Sequence[Entity]) -> tuple[Entity, Entity] | None:
    """The two of "Which pressor gives fewer arrhythmias in shock, [dopamine] or [norepinephrine]?"."""
    given = [entity for entity in entities if entity.kind is not EntityKind.DISEASE]
    for one, other in pairwise(given):
        is_last = not question[other.end :].strip(" ?.!")
        either = question[one.end : other.start].strip().casefold() == "or"
        if is_last and either and _WHICH.search(question, 0, one.start):
            return one, other
    return None


def _is_given(question: str, entity: Entity) -> bool:
    """ "Risk of further stroke [on] prasugrel"; the effect of amiodarone "on warfarin" is on its level."""
    return _EFFECT_ON.search(question) is None and _GIVEN.search(question[: entity.start]) is not None


def _whole_name(question: str, entity: Entity) -> str:
    """A treatment with the code before it, which makes it another one: "R21 vaccine"."""
    code = code_before(question, entity.start)
    return f"{code} {entity.text}" if code else entity.text


def _pieces(question: str, entities: Sequence[Entity]) -> _Pieces:
    population = _population_piece(question)
    comparison = (0, 0)
    versus = _VERSUS.search(question)
    pair = _AND_COMPARED.search(question)
    compared_on = _compared_on(question, entities)
    is_on = compared_on is not None or _EFFECT_ON.search(question) is not None
    stops = (_IN, _ON, _CHANGES_RISK, _END) if is_on else (_IN, _AT_DOING, _CHANGES_RISK, _END)
    if versus:
        comparison = _until(question, versus.end(), stops)
    elif pair and _lists_alternatives(pair, entities):
        comparison = _until(question, pair.end(), (_IN, _END))
    else:
        comparison = _or_piece(question, entities, population)
    better = compared_on or _compared_for(question, entities)
    better = better or (_BETTER_FOR.search(question) if not _PASSIVE.search(question) else None)
    outcome = better.span("outcome") if better else _outcome_piece(question, entities)
    return _Pieces(comparison, outcome, population, is_outcome=better is not None)


def _compared_on(question: str, entities: Sequence[Entity]) -> re.Match[str] | None:
    """What two are compared on; what somebody is on is no outcome: "compare with B on [dialysis]"."""
    match = _COMPARE_ON.search(question)
    if match is None:
        return None
    given = (e for e in entities if e.kind is not EntityKind.DISEASE)
    return None if any(match.start("outcome") <= e.start < match.end("outcome") for e in given) else match


def _compared_for(question: str, entities: Sequence[Entity]) -> re.Match[str] | None:
    """What two are compared for, unless it is a disease, which is as often why they are given: "for [AF] in men"."""
    match = _COMPARE_FOR.search(question)
    if match is None:
        return None
    start, end = match.span("outcome")
    diseases = (e for e in entities if e.kind is EntityKind.DISEASE and e.end == end)
    return None if any(question[start : e.start].count(" ") <= 1 for e in diseases) else match


def _lists_alternatives(pair: re.Match[str], entities: Sequence[Entity]) -> bool:
    """Whether a drug or procedure stands before the "and", so that "compare A and B" sets them against each other."""
    return any(e.kind is not EntityKind.DISEASE and pair.start(1) <= e.start < pair.end(1) for e in entities)


def _or_piece(question: str, entities: Sequence[Entity], population: tuple[int, int]) -> tuple[int, int]:
    """The second of "A or B", "A against B", "A over B", "A to B" when both are drugs or procedures.

    What people have already is not asked about where another is: "in people on A or B, does C ...".
    """
    treating = [e for e in entities if e.kind is not EntityKind.DISEASE]
    elsewhere = [e for e in treating if not _inside(e, population)]
    treating = elsewhere or treating
    for a, b in pairwise(treating):
        between = question[a.end : b.start]
        if _ONE_OR_OTHER.fullmatch(between) and not (" to " in between and _NOT_TO.search(question[: a.start])):
            return (b.start, b.end)
    return _set_against(question, treating)


def _set_against(question: str, given: Sequence[Entity]) -> tuple[int, int]:
    """What stands behind "against" or "over" further on: "does A reduce bleeding against [B]?", "against [placebo]"."""
    if len(given) > 1 and _OPENS_AGAINST.search(question[: given[0].start]):
        return (given[0].start, given[0].end)
    for entity in given[1:]:
        if (before := _AGAINST.search(question[: entity.start])) and not _NOT_AGAINST.search(
            question[: before.start()]
        ):
            return (entity.start, entity.end)
    control = _AGAINST_CONTROL.search(question)
    return control.span("control") if control else (0, 0)


def _outcome_piece(question: str, entities: Sequence[Entity]) -> tuple[int, int]:
    if passive := _PASSIVE.search(question):
        return passive.span("outcome")
    for pattern in (_EFFECT_ON, _EFFECT_FOR, _EFFECT_VERB, _RISK_OF):
        match = next((m for m in pattern.finditer(question) if not _is_done_to_treatment(m, question, entities)), None)
        if match:
            return _until(question, match.end(), (_AT, _IN, _VERSUS, _POPULATION, _END))
    told = _MORE_OR_LESS.search(question, _last_clause(question))
    if told is not None and not (told[0].strip().lower() == "lower" and _LOWER_PART.match(question, told.end())):
        return _until(question, told.end(), (_AT, _IN, _VERSUS, _POPULATION, _END))
    return (0, 0)


def _within(question: str, piece: tuple[int, int]) -> tuple[int, int]:
    """A piece up to its first comma or to what is counted: "vs [usual care], deaths?", "vs [corn oil] new AF"."""
    stops = (stop for cue in (_COMMA, _COUNTED) if (stop := cue.search(question, *piece)) is not None)
    end = min((stop.start() for stop in stops if stop.start() > piece[0]), default=piece[1])
    return (piece[0], end)


def _is_done_to_treatment(verb: re.Match[str], question: str, entities: Sequence[Entity]) -> bool:
    """ "Stop aspirin before surgery" stops no outcome, "lower limb" lowers none, "women at risk of" it are people."""
    if verb[0].lower().startswith("risk") and _people_at().search(question, 0, verb.start()):
        return True
    if verb[0].lower().startswith("lower"):
        return _LOWER_PART.match(question, verb.end()) is not None
    if not verb[0].lower().startswith("stop"):
        return False
    behind = (e for e in entities if e.kind is not EntityKind.DISEASE and e.start >= verb.end())
    clause = _after_last(_CLAUSE, question, verb.start())
    # "Does idarucizumab stop the dabigatran bleeding?" stops no dabigatran.
    given = any(e.kind is not EntityKind.DISEASE and clause <= e.start < verb.start() for e in entities)
    between = _BLANK if given else _DETERMINER
    return any(between.fullmatch(question, verb.end(), e.start) for e in behind)


@cache
def _people_at() -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\bput )(?<!\bputs )\b(?:mothers|{asking('head')})\s+(?:who are\s+)?at\s+(?:[\w-]+\s+){{0,3}}$",
        re.IGNORECASE,
    )


def _last_clause(question: str) -> int:
    """Where the words begin that ask, behind those that tell of whom: "72-year-old, tired. Fewer falls with ...?"."""
    return _after_last(_SENTENCE_OR_DASH, question, len(question))


def _after_last(mark: re.Pattern[str], question: str, end: int) -> int:
    """Where the words behind the last of these marks before a place begin; the beginning where there is none."""
    return max((m.end() for m in mark.finditer(question, 0, end)), default=0)


def _population_piece(question: str) -> tuple[int, int]:
    match = _POPULATION.search(question)
    if match is None:
        marks = list(re.finditer(r"\b(?:in|among)\s", question, re.IGNORECASE))
        match = marks[-1] if marks else None
    return _until(question, match.end(), (_VERSUS, _SET_AGAINST, _EFFECT_VERB, _ASKS, _END)) if match else (0, 0)


def _until(question: str, start: int, stops: Sequence[re.Pattern[str]]) -> tuple[int, int]:
    ends = [m.start() for m in (stop.search(question, start) for stop in stops) if m]
    return (start, min([*ends, len(question)]))


def _inside(entity: Entity, piece: tuple[int, int]) -> bool:
    return piece[0] <= entity.start < piece[1]


def _phrase(question: str, piece: tuple[int, int]) -> list[str]:
    """The piece's own words, when they are a short phrase."""
    words = re.sub(
        r"^(?:the|an?|its|their|risk of)\s+", "", question[piece[0] : piece[1]].strip(" ,.?!()"), flags=re.IGNORECASE
    )
    return [words] if words and len(words.split()) <= 8 else []


def _subject(question: str, entities: Sequence[Entity]) -> list[str]:
    """What is said to have an effect when no drug or procedure was recognised: "does [music] reduce stress".

    A disease that has an effect ("does anemia affect survival") stays in the population.
    """
    if passive := _PASSIVE.search(question):
        return _phrase(question, _until(question, passive.end(), (_IN, _VERSUS, _THAN, _POPULATION, _END)))
    compared_on = _compared_on(question, entities)
    effect_on = _EFFECT_ON.search(question)
    verb = _EFFECT_VERB.search(question) or _GIVES_MORE.search(question)
    lead = _LEAD.match(question) or _lead_behind(question, verb.start() if verb else 0)
    piece = (0, 0)
    if compared_on:
        piece = compared_on.span("subject")
    elif effect_on:
        piece = effect_on.span(1)
    elif better := _BETTER_THAN.search(question) or _HOW_GOOD.search(question):
        piece = better.span("subject")
    elif verb and lead and lead.end() < verb.start():
        piece = (lead.end(), verb.start())
    if opened := _IN.search(question, *piece):
        piece = (piece[0], opened.start())
    told = _TOLD_ALONE.match(question) or _TOLD_FIRST.match(question)
    if (
        told
        and not _WAYS.fullmatch(told["subject"])
        and not any(piece)
        and any(cue.search(question, told.end()) for cue in (_IT, _MORE_OR_LESS, _VERSUS))
    ):
        piece = told.span("subject")
    if not any(piece):
        piece = _before_versus(question)
    if any(_inside(e, piece) for e in entities):
        return []
    return [_ROUTINE.sub("", _BESIDE.sub("", _ADVERB.sub("", phrase))) for phrase in _phrase(question, piece)]


def _lead_behind(question: str, verb: int) -> re.Match[str] | None:
    """What opens the asking behind a first clause; `None` before a target, too ("did pushing A1c below 6% ...").

    Args:
        verb: where the verb of effect stands.
    """
    lead = _LEAD_BEHIND.search(question, 0, verb)
    return None if lead is None or any(map(str.isdigit, question[lead.end() : verb])) else lead


def _before_versus(question: str) -> tuple[int, int]:
    """What a segment of its own sets against something: "AECOPD: [titrated oxygen] vs high flow"."""
    versus = _BARE_VERSUS.search(question)
    if versus is None:
        return (0, 0)
    start = _after_last(_SEGMENT, question, versus.start())
    text = question[start : versus.start()]
    asks = _LEAD.match(text) or _IN.search(f"{text} ") or _EFFECT_VERB.search(f"{text} ") or _WAYS.fullmatch(text)
    return (0, 0) if asks else (start, versus.start())


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for word in words:
        seen.setdefault(word.casefold(), word)
    return tuple(seen.values())
