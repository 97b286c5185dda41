"""What one source reports, result by result: from its table of results, and from its sentences.

A source's name for an outcome may hold more than the outcome: "major bleeding, rivaroxaban versus apixaban, CKD stage
4-5" tells the comparison and the people too. They are told apart here, so that each is compared with what was asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from openwork_contracts.evidence import ArmResult, EffectEstimate, EvidenceCandidate, OutcomeResult, TextOrigin
from openwork_language.ranges import ranges_in
from openwork_language.terms import find_terms

from openwork_answers.outcomes import read_outcome

_VERSUS = re.compile(r"\s+(?:versus|vs\.?|compared (?:with|to)|against)\s+", re.IGNORECASE)
_BRACKETS = re.compile(r"\(([^()]*)\)")
_ANALYSIS = re.compile(
    r"\b(?:per[- ]protocol|on[- ]treatment|intention[- ]to[- ]treat|as[- ]treated|modified intention[- ]to[- ]treat"
    r"|interim analysis|post[- ]hoc|matched cohort|unadjusted|adjusted)\b",
    re.IGNORECASE,
)
OF_SOME = re.compile(
    r"\b(?:per[- ]protocol|on[- ]treatment|as[- ]treated|interim|post[- ]hoc|matched|unadjusted|adjusted)\b",
    re.IGNORECASE,
)
"""Analyses that leave out people or were not planned."""
_PEOPLE = re.compile(
    r"\s+(?:in|among)\s+"
    r"(?=(?:\w+[- ]){0,3}"
    r"(?:people|patients|participants|adults|children|infants|babies|neonates|newborns|women|men|those|individuals)\b)"
    r"|\s+(?:(?:estimates?|effects?|results?)\s+)?(?:restricted|limited|confined)\s+to\s+"
    r"|\s+(?=(?:with|without)\s+(?:\w+[- ]){1,6}at (?:baseline|randomi[sz]ation|entry)\b)",
    re.IGNORECASE,
)
_AT_BASELINE = re.compile(
    r"\bat (?:baseline|randomi[sz]ation|entry)\b|\b(?:with|without|previous|prior)\b", re.IGNORECASE
)
_PER_UNIT = re.compile(r"\bper \d", re.IGNORECASE)
_CONJUNCTION = re.compile(r"\b(?:or|and/or|and|plus)\b", re.IGNORECASE)

"""Measures whose value of no difference is 1."""


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm with its figures."""

    name: str
    n: int | None = None
    events: int | None = None
    percent: str | None = None
    per: str | None = None
    measured: str | None = None
    """A value that is no share, with its unit: "3 days"."""


@dataclass(frozen=True, slots=True)
class Reported:
    """One result as its source words it."""

    n: int
    document: EvidenceCandidate
    outcome: str
    comparison: tuple[str, ...] = ()
    people: str | None = None
    """Of a part of the source's people."""
    time: str | None = None
    analysis: str | None = None
    per_unit: bool = False
    """A ratio "per 10 mm Hg lower": no arms stand behind it."""
    arms: tuple[Arm, ...] = ()
    effect: EffectEstimate | None = None
    text_origin: TextOrigin = TextOrigin.UNKNOWN_ORIGIN
    place: int = 0
    """Its place among the source's results: the first is what the study was made for, as a rule."""
    passage_id: str | None = None
    quote: str | None = None
    harm: bool = False
    """Listed as a harm by the source, whatever its outcome is called."""


@dataclass(frozen=True, slots=True)
class Named:
    """A source's name for an outcome, taken apart."""

    outcome: str
    comparison: tuple[str, ...] = ()
    people: str | None = None
    analysis: str | None = None
    per_unit: bool = False


_ALL_OF_IT = re.compile(r",.*\([^()]*\bcomposite\b[^()]*\)$", re.IGNORECASE)
"""A name that says of itself, at its end, that all of it is one composite."""
_INCLUDED = re.compile(r"\b(?:included|excluded|counted|not counted)$", re.IGNORECASE)
""" "Death from major haemorrhage, [haemorrhagic stroke included]": how an event is counted, and nobody."""
_STAGE_OF_AN_EVENT = re.compile(r"\bend[- ]stage\b", re.IGNORECASE)
_WHO = re.compile(
    r"\b(?:among|in|patients|participants|people|receiving|treated|women|men|females?|males?|children|adults|with|without"
    r"|aged|subgroup)\b",
    re.IGNORECASE,
)
_WHAT_OF = re.compile(
    r"\b(?:trials?|stud(?:y|ies)|analys[ie]s|adjusted|pooled|models?|overall|total|all|any|primary|secondary|outcomes?"
    r"|end\s?points?|follow-?up|after|at|by|over|within|days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def parted(name: str) -> Named:
    """The outcome, and what the name tells besides."""
    analysis = "; ".join(found for found in _BRACKETS.findall(name) if _ANALYSIS.search(found)) or None
    kept = _BRACKETS.sub(lambda m: "" if _ANALYSIS.search(m[1]) else m[0], name)
    kept = " ".join(kept.split())
    if _ALL_OF_IT.search(kept) and not _VERSUS.search(kept):
        return Named(kept, analysis=analysis)
    head, _, behind = _split_at_colon(kept)
    outcome, rest = _head_and_rest(head)
    components, others = _head_and_rest(behind) if _ends_list(_last_of_list(behind)) else ("", [behind])
    if components:  # "major adverse events: death, infarction, or stroke"
        outcome = f"{outcome}: {components}"
    named = Named(outcome, analysis=analysis)
    for piece in (*rest, *(p.strip() for other in others for p in other.split(",") if p.strip())):
        named = _with(named, piece)
    if match := _PEOPLE.search(named.outcome):
        people = named.outcome[match.end() :].strip()
        named = replace(named, outcome=named.outcome[: match.start()].strip(), people=named.people or people)
    if match := _PER_UNIT.search(named.outcome):
        named = replace(named, outcome=named.outcome[: match.start()].strip(), per_unit=True)
    return named


def _split_at_colon(name: str) -> tuple[str, str, str]:
    match = re.search(r"[:;]\s+", name)
    return (name[: match.start()], match[0], name[match.end() :]) if match else (name, "", "")


def _head_and_rest(head: str) -> tuple[str, list[str]]:
    """Up to where the list of an outcome's components ends; behind it, pieces about people, arms and so on."""
    pieces = [piece.strip() for piece in re.split(r",\s+", _masked(head))]
    last = 0
    for i in range(len(pieces) - 1, 0, -1):
        if _ends_list(pieces[i]):
            last = i
            break
    return ", ".join(pieces[: last + 1]).replace("\x00", ","), [p.replace("\x00", ",") for p in pieces[last + 1 :]]


def _ends_list(piece: str) -> bool:
    """Whether a list of components ends with it: "feet or legs", "renal or vascular death"; no arms, no people."""
    joined = _CONJUNCTION.search(piece)
    if (
        joined is None
        or re.search(r"\bat (?:baseline|randomi[sz]ation|entry)\b", piece)
        or _VERSUS.search(f" {piece} ")
        or ranges_in(_STAGE_OF_AN_EVENT.sub("", piece))
        or re.search(r"\d", piece)
    ):
        return False
    return joined[0].casefold() == "or" or any(atom.things for atom in read_outcome(piece).atoms)


def _last_of_list(text: str) -> str:
    """What stands behind the first comma of a list to its end; one piece alone is no list of components."""
    return text.partition(", ")[2]


def _masked(text: str) -> str:
    """Commas in brackets do not part."""
    return _BRACKETS.sub(lambda m: m[0].replace(",", "\x00"), text)


_OF_ALL_AGES = re.compile(r"(?:all|any) ages", re.IGNORECASE)


def is_of_all_ages(people: str) -> bool:
    """Whether a result says that it is of all ages: of everybody whom its source took in."""
    return _OF_ALL_AGES.fullmatch(people) is not None


def _with(named: Named, piece: str) -> Named:
    if len(sides := _VERSUS.split(f" {piece} ")) == 2:
        first, second = sides[0].strip(), sides[1].strip()
        if " " not in first and " " in second:  # "more versus less intensive therapy"
            first = f"{first} {second.split(' ', 1)[1]}" if not find_terms(first) else first
        return replace(named, comparison=(first, second))
    if _PER_UNIT.search(piece):
        return replace(named, per_unit=True)
    if _INCLUDED.search(piece):
        return replace(named, outcome=f"{named.outcome} ({piece})")
    if _ANALYSIS.search(piece):
        return replace(named, analysis=f"{named.analysis}; {piece}" if named.analysis else piece)
    if is_of_all_ages(piece):
        return replace(named, people=f"{named.people}, {piece}" if named.people else piece)
    if match := _PEOPLE.match(f" {piece}"):
        piece = f" {piece}"[match.end() :]  # "among patients receiving oxygen alone"
    if ranges_in(piece) or find_terms(piece) or _AT_BASELINE.search(piece):
        return replace(named, people=f"{named.people}, {piece}" if named.people else piece)
    if _WHO.search(piece):
        return replace(named, people=f"{named.people}, {piece}" if named.people else piece)
    if _WHAT_OF.search(piece) or re.search(r"\d", piece):
        return named  # "five trials": what the source is of, which its record says
    return replace(named, outcome=f"{named.outcome}, {piece}")  # "fracture, hip"


def results_of(n: int, document: EvidenceCandidate) -> list[Reported]:
    """The results of a source's table, in its order."""
    return [_of_table(n, document, result, place) for place, result in enumerate(document.results)]


def _of_table(n: int, document: EvidenceCandidate, result: OutcomeResult, place: int) -> Reported:
    named = parted(result.outcome)
    arms = tuple(Arm(arm.arm, arm.n, arm.events, _share_of(arm)) for arm in result.arms)
    sides = named.comparison
    if not sides and len(arms) >= 2:
        sides = (arms[0].name, arms[1].name)
    if not sides and len(document.arms) == 2:
        sides = (document.arms[0].name, document.arms[1].name)
    return Reported(
        n=n,
        document=document,
        outcome=named.outcome,
        comparison=sides,
        people=named.people,
        time=result.time_point,
        analysis=named.analysis or result.analysis,
        per_unit=named.per_unit,
        arms=arms,
        effect=result.effect,
        harm=result.harm,
        text_origin=document.text_origin,
        place=place,
    )


def _share_of(arm: ArmResult) -> str | None:
    """The share of people that a source gives without counts: "63.6"; of anything else that was measured, `None`."""
    told = arm.measured
    if arm.events is not None or told is None or told.unit != "%" or told.spread is not None or told.kind is None:
        return None
    return f"{told.value:g}" if told.kind == "percentage" or told.kind.startswith("share of ") else None


def people_of_arms(reported: Reported) -> tuple[Arm, ...]:
    """The arms, with the people randomised to each where the result does not count them; of a part of them nobody."""
    known = {arm.name: arm.n for arm in reported.document.arms}
    if reported.people is not None or reported.effect is None or len(known) != 2:
        return reported.arms
    if not reported.arms and reported.comparison and all(side in known for side in reported.comparison):
        return tuple(Arm(side, known[side]) for side in reported.comparison)
    return tuple(
        replace(arm, n=known.get(arm.name)) if arm.n is None and arm.events is None and arm.per is None else arm
        for arm in reported.arms
    )
