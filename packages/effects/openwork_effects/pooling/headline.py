"""The pooled effect that leads, by rule, with what is printed beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from openwork_effects.checks import level_of_confidence
from openwork_effects.errors import NothingToPool, RatioUndefined
from openwork_effects.pooling.fixed import inverse_variance, mantel_haenszel, peto
from openwork_effects.pooling.measures import Measure, StudyEffect
from openwork_effects.pooling.pooled import Model, Pooled, one_measure
from openwork_effects.pooling.random_effects import dersimonian_laird, reml
from openwork_effects.pooling.small_studies import LEAST_STUDIES, SmallStudyEffect, small_study_effect

RARE = 0.01
"""Events of all people under which Peto's method is the less biased one (Bradburn 2007, DOI 10.1002/sim.2528)."""
LEAST_BALANCE = 0.5
"""Smaller over larger group of every study: from 1:2 to 2:1."""
MODEST = (0.2, 5.0)
"""Odds ratios between which Peto's method is not biased by the size of the effect."""
TOO_FEW = "too few studies to estimate heterogeneity"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The pooled effect without one study."""

    study: str
    pooled: Pooled


@dataclass(frozen=True, slots=True)
class Synthesis:
    """What is printed of one set of studies."""

    headline: Pooled
    compared: Pooled | None
    """DerSimonian-Laird, beside REML."""
    without: tuple[LeftOut, ...]
    """Leave one out, by the headline's rule; from three studies on."""
    small_studies: SmallStudyEffect | None
    """From ten studies on, where a test fits."""
    notes: tuple[str, ...]
    """What a reader has to know, in words."""


def synthesise(studies: Sequence[StudyEffect], level: float = 0.95) -> Synthesis:
    """Two studies: fixed effect. Three and more: REML with Hartung and Knapp's interval. Rare events: Peto or
    Mantel-Haenszel without correction.

    Raises:
        NothingToPool: fewer than two studies, of two measures, one study twice, or nothing that can be pooled.
        RatioUndefined: counts that give no pooled ratio.
        ImpossibleInterval: the level, in [0.5, 0.9999].
    Source: Cochrane Handbook 10.4 and 10.10.4, DOI 10.1002/9781119536604.
    """
    one_measure(studies)
    level = level_of_confidence(level)
    headline, notes = headline_of(studies, level)
    compared = dersimonian_laird(studies, level) if headline.model is Model.REML_HARTUNG_KNAPP else None
    return Synthesis(headline, compared, _without_each(studies, level), _small(studies), notes)


def headline_of(studies: Sequence[StudyEffect], level: float = 0.95) -> tuple[Pooled, tuple[str, ...]]:
    """The pooled effect that leads, and why this model where it is not the usual one.

    Raises:
        as `synthesise`.
    """
    one_measure(studies)
    if _of_counts(studies) and _share_of_events(studies) < RARE:
        return _rare(studies, level)
    if len(studies) == 2:
        pooled = mantel_haenszel(studies, level) if _of_counts(studies) else inverse_variance(studies, level)
        return pooled, (TOO_FEW,)
    return reml(studies, level), ()


def _rare(studies: Sequence[StudyEffect], level: float) -> tuple[Pooled, tuple[str, ...]]:
    notes = (TOO_FEW,) if len(studies) == 2 else ()
    share = f"events in {_share_of_events(studies):.2%} of people"
    if studies[0].measure is Measure.ODDS_RATIO and _balanced(studies):
        pooled = peto(studies, level)
        if MODEST[0] <= math.exp(pooled.value) <= MODEST[1]:
            return pooled, (f"{share}, groups of like size, a modest effect: Peto's method", *notes)
    return mantel_haenszel(studies, level), (f"{share}: Mantel-Haenszel, nothing added to empty cells", *notes)


def _of_counts(studies: Sequence[StudyEffect]) -> bool:
    return all(study.table is not None for study in studies)


def _share_of_events(studies: Sequence[StudyEffect]) -> float:
    groups = [group for study in studies for group in study.table or ()]
    return sum(group.events for group in groups) / sum(group.n for group in groups)


def _balanced(studies: Sequence[StudyEffect]) -> bool:
    pairs = [sorted((first.n, second.n)) for first, second in (study.table for study in studies if study.table)]
    return all(smaller / larger >= LEAST_BALANCE for smaller, larger in pairs)


def _without_each(studies: Sequence[StudyEffect], level: float) -> tuple[LeftOut, ...]:
    if len(studies) < 3:
        return ()
    found = []
    for at, study in enumerate(studies):
        others = [*studies[:at], *studies[at + 1 :]]
        try:
            found.append(LeftOut(study.study, headline_of(others, level)[0]))
        except RatioUndefined:  # without it nobody had the event in one of the groups
            continue
    return tuple(found)


def _small(studies: Sequence[StudyEffect]) -> SmallStudyEffect | None:
    if len(studies) < LEAST_STUDIES:
        return None
    try:
        return small_study_effect(studies)
    except NothingToPool:  # studies of one size, or a risk difference: no test fits
        return None
