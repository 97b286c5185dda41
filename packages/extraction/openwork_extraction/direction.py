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
from openwork_language.cells.cell import CONTROL
from openwork_language.effects.find import Certainty, EffectStatement, find_effects
from openwork_language.effects.find import Direction as Stated
from openwork_language.sentences import split_sentences
from openwork_language.wording import concept_of

from openwork_extraction.arms import AskedArms
from openwork_extraction.effects import RATIOS, excludes_none
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
    """(fit to the outcome, what is told) of each sentence that states one direction."""
    if not wanted:
        return
    for section, _ in result_sections(study):
        for sentence in split_sentences(section.text):
            words = names.words(sentence.text)
            fit = overlap(wanted, words) / total(wanted)
            if fit < LEAST_RECALL:
                continue
            direction = _direction(sentence.text, arms, wanted)
            if direction is not None:
                place = CellPlace(section=" > ".join(section.path), start=sentence.start, end=sentence.end)
                yield round(fit, 1), Told(direction, sentence.text, place)


def _direction(text: str, arms: AskedArms, wanted: frozenset[str]) -> Direction | None:
    effects = [e for e in find_effects(text) if e.certainty in (Certainty.ASSERTED, Certainty.SUGGESTED)]
    signed = [e for e in effects if e.net in (Stated.LOWER, Stated.HIGHER)]
    if _NOT_SIGNIFICANT.search(text):
        return None if signed and re.search(r"\bbut\b|\bwhereas\b|\bhowever\b|;", text) else Direction.NO_DIFFERENCE
    if any(e.net is Stated.NO_DIFFERENCE for e in effects):
        return Direction.NO_DIFFERENCE if not signed else None
    nearest = _about(signed, wanted) or signed
    directions = {e.net for e in nearest}
    if len(directions) != 1:
        return None
    turned = _is_of_comparator(nearest[0], arms)
    if turned is None:
        return None
    higher = (nearest[0].net is Stated.HIGHER) is not turned
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
        return None if not straight else False
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
