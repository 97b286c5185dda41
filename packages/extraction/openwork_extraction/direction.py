"""Which way a study says that an outcome went with the intervention, against the comparator: in its own sentences.

Sentences of results and of the abstract that name the outcome are read for what they state; who is compared with whom
turns the direction. A figure that is printed decides only where no sentence does: an interval on one side of no effect.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from openwork_contracts.cells import CellPlace
from openwork_contracts.measures import RATIOS
from openwork_language.cells.cell import BEFORE, CONTROL
from openwork_language.cells.times import read_phase
from openwork_language.effects.find import Certainty, EffectStatement, find_effects
from openwork_language.effects.find import Direction as Stated
from openwork_language.sentences import split_sentences
from openwork_language.wording import concept_of

from openwork_extraction.arms import AskedArms
from openwork_extraction.effects import excludes_none
from openwork_extraction.extract import extract
from openwork_extraction.from_prose import result_sections
from openwork_extraction.names import Names, names_of, overlap, total
from openwork_extraction.printed import number
from openwork_extraction.results import Source
from openwork_extraction.study import Asked, StudyText

LEAST_RECALL = 0.6
"""Share of the outcome's words that a sentence has to have."""
_NOT_SIGNIFICANT = re.compile(
    r"\b(?:no|not|non-?|without)\s?(?:a\s+|any\s+|statistically\s+)*(?:significant|signi)|\bdid\s+not\s+(?:differ|change|affect|improve|reduce|increase)|"
    r"\b(?:similar|comparable|no\s+differences?|unchanged|ns)\b|\b[pP]\s*(?:=|>|≥)\s*0?\.(?:0[6-9]|[1-9])",
    re.IGNORECASE,
)


_CLAUSE = re.compile(
    r";|,?\s+(?:but|whereas|while|although|though|however)\b|,\s+and\s+(?=\w+(?:\s\w+){0,4}\s(?:was|were|did|had)\b)",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:groups?|arms?|both|between|among|compar\w+|than|versus|vs\.?|placebo|controls?|treatments?|interventions?)\b",
    re.IGNORECASE,
)
_SIGNIFICANTLY = re.compile(
    r"(?<!not\s)(?<!no\s)\bsignificantly\s+(?:\w+ly\s+)?(?:lower|higher|greater|more|less|fewer|better|worse|increas|decreas|reduc|improv)",
    re.IGNORECASE,
)
_LESS_BEHIND = re.compile(r"\s+(?:significantly\s+)?(?:less|to\s+a\s+lesser)\b", re.IGNORECASE)
"""Behind a change: "decreased significantly less" is higher in the end."""
_AIM = re.compile(
    r"\b(?:aim|objective|purpose|hypothes[ie]s|explores?|investigates?|sought|to\s+(?:assess|determine|evaluate|examine|compare|test))\b",
    re.IGNORECASE,
)


class Direction(StrEnum):
    """Which way the outcome went with the intervention."""

    INCREASED = "increased"
    DECREASED = "decreased"
    NO_DIFFERENCE = "no_difference"


@dataclass(frozen=True, slots=True)
class Told:
    """A direction with the words it stands on."""

    direction: Direction
    words: str
    place: CellPlace


def direction_of(study: StudyText, asked: Asked) -> Told | None:
    """The direction that most sentences about the outcome state, the nearest ones first; `None` = none, or a draw."""
    names = names_of(study.sections)
    arms = AskedArms.of(asked, names)
    wanted = names.words(asked.outcome)
    said = [(fit, told) for fit, told in _stated(study, wanted, arms, names) if fit >= LEAST_RECALL]
    if said:
        best = max(fit for fit, _ in said)
        counts: Counter[Direction] = Counter(told.direction for fit, told in said if fit == best)
        ranked = counts.most_common()
        if len(ranked) == 1 or ranked[0][1] > ranked[1][1]:
            return next(told for fit, told in said if fit == best and told.direction is ranked[0][0])
        return None
    return _of_figures(study, asked)


def _stated(study: StudyText, wanted: frozenset[str], arms: AskedArms, names: Names) -> Iterator[tuple[float, Told]]:
    """(fit to the outcome, what is told) of each clause that states one direction."""
    if not wanted:
        return
    for section, _ in result_sections(study):
        for sentence in split_sentences(section.text):
            if overlap(wanted, names.words(sentence.text)) / total(wanted) < LEAST_RECALL:
                continue
            for start, clause in _clauses(sentence.text, wanted, names):
                fit = overlap(wanted, names.words(clause)) / total(wanted)
                direction = _direction(clause, sentence.text, arms, wanted) if fit >= LEAST_RECALL else None
                if direction is not None:
                    at = sentence.start + start
                    place = CellPlace(section=" > ".join(section.path), start=at, end=at + len(clause))
                    yield round(fit, 1), Told(direction, sentence.text, place)


def _clauses(text: str, wanted: frozenset[str], names: Names) -> list[tuple[int, str]]:
    """The parts of a sentence that name the outcome, where one part names it whole; else the sentence."""
    parts = []
    start = 0
    for match in _CLAUSE.finditer(text):
        parts.append((start, text[start : match.start()]))
        start = match.end()
    parts.append((start, text[start:]))
    own = [(at, part) for at, part in parts if overlap(wanted, names.words(part)) / total(wanted) >= LEAST_RECALL]
    return own or [(0, text)]


def _direction(clause: str, sentence: str, arms: AskedArms, wanted: frozenset[str]) -> Direction | None:
    if read_phase(clause) == BEFORE or _AIM.search(sentence):
        return None
    effects = [e for e in find_effects(clause) if e.certainty in (Certainty.ASSERTED, Certainty.SUGGESTED)]
    signed = [e for e in effects if e.net in (Stated.LOWER, Stated.HIGHER)]
    denies = _NOT_SIGNIFICANT.search(clause) or any(e.net is Stated.NO_DIFFERENCE for e in effects)
    if denies:
        is_of_groups = _COMPARES.search(sentence) is not None
        return Direction.NO_DIFFERENCE if is_of_groups and not _SIGNIFICANTLY.search(clause) else None
    nearest = _about(signed, wanted) or signed
    directions = {e.net for e in nearest}
    if len(directions) != 1:
        return None
    turned = _is_of_comparator(nearest[0], arms)
    if turned is None:
        return None
    higher = (nearest[0].net is Stated.HIGHER) is not turned
    if _LESS_BEHIND.match(clause[nearest[0].end :]):
        higher = not higher
    return Direction.INCREASED if higher else Direction.DECREASED


def _about(effects: list[EffectStatement], wanted: frozenset[str]) -> list[EffectStatement]:
    return [e for e in effects if {concept_of(token) for token in e.outcome} & wanted]


def _is_of_comparator(effect: EffectStatement, arms: AskedArms) -> bool | None:
    """Whether a statement is about the comparator against the intervention; `None` = it names neither."""
    subject = {concept_of(token) for token in effect.intervention}
    other = {concept_of(token) for token in effect.comparator}
    first = arms.intervention - arms.comparator
    second = arms.comparator - arms.intervention
    control = {"control"} if CONTROL in arms.comparator else set()
    straight = len(first & subject) + len((second | control) & other)
    crossed = len((second | control) & subject) + len(first & other)
    if straight == crossed:
        return None
    return crossed > straight


def _of_figures(study: StudyText, asked: Asked) -> Told | None:
    for result in extract(study, asked).results:
        effect = result.effect
        if effect is None or effect.place is None or result.source is Source.REGISTRY:
            continue
        excludes = excludes_none(effect)
        if excludes is None:
            continue
        if not excludes:
            return Told(Direction.NO_DIFFERENCE, effect.words or "", effect.place)
        over = number(effect.value) > (1 if effect.measure in RATIOS else 0)
        return Told(Direction.INCREASED if over else Direction.DECREASED, effect.words or "", effect.place)
    return None
