"""Which way an effect goes, for whom, and whether there is one: what the claim says beside what its sources say.

For each effect of a claim every effect of the cited passages, in words and in figures, is laid beside it. What is most
like it decides; where the nearest says otherwise it is a suspicion, never proof.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from openwork_contracts.verdict import ReasonCode
from openwork_language.effects.find import Direction
from openwork_language.effects.words import NEGATION

from openwork_verifier.domain.checks.numbers import NOTHING_HELD, Numbers
from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.passages import Passage, PassageSentence
from openwork_verifier.domain.stances import (
    Stance,
    agrees,
    is_turned,
    likeness,
    names_a_side,
    nearer,
    opposes,
    stances_in,
    stances_of_row,
)
from openwork_verifier.domain.support import Support
from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds

_D = Direction
_OWN_WORDS = 0.7
"""Share of the words near an effect in how like two effects are; the remainder is that of their whole sentences."""
_MOST_OF_IT = 0.5
_TELLS_FIGURES = re.compile(
    r"\b(?:was|were|is|are|averaged|had|has|occurred|recorded|reached|amounted|measured|stood|totall?ed|reported)\b",
    re.IGNORECASE,
)
_UNSEEN = frozenset({ReasonCode.DIRECTION_NOT_FOUND})
_TIE = 0.3
"""By so much the words of a claim may stand nearer to what speaks against it than to what bears it out."""
_HEDGED = 0.7
"""What a source only holds possible weighs so much."""
_RESERVED = re.compile(
    r"\b(?:numerically|non-?significant\w*|not\s+(?:statistically\s+)?significant|trend\w*|no\s+significant|slightly|tend\w*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Compared:
    """One effect of the source beside one of the claim."""

    like: float
    agrees: bool
    opposes: bool
    passage: Passage
    sentence: PassageSentence
    stance: Stance


def check_effects(
    text: str,
    passages: Sequence[Passage],
    support: Support,
    thresholds: GateThresholds = THRESHOLDS,
    *,
    numbers: Numbers = NOTHING_HELD,
) -> tuple[Finding, ...]:
    """A finding for an effect of the claim of which the nearest statements of its sources say otherwise.

    Args:
        numbers: what became of the claim's numbers.
    """
    shares = {id(s.sentence): s.share for s in support.ranked}
    claims = [stance for stance in stances_in(text) if not stance.open and not stance.by_figures]
    claims = [c for c in claims if not (c.weak and c.net is _D.DIFFERENT)]  # "differed (P=0.4)": that it did not
    compared = [
        [c for p in passages for s in p.sentences for c in _compare(claim, p, s, shares.get(id(s), 0.0))]
        for claim in claims
    ]
    for i, claim in enumerate(claims):
        others = [c for j, found in enumerate(compared) if j != i for c in found]
        finding = _judge(
            claim,
            _unexplained(claim, compared[i], others),
            reserved=_RESERVED.search(text) is not None,
            thresholds=thresholds,
        )
        if finding is not None and not (finding.code in _UNSEEN and _shown_by_itself(claim, text, numbers.held)):
            return (finding,)
    if all(stance.by_figures for stance in stances_in(text)):
        return _polarity(text, support, numbers)
    return ()


def _shown_by_itself(claim: Stance, text: str, held: Collection[int]) -> bool:
    """Whether figures of the claim that its sources have show the effect: "lower with A (HR 0.8, 0.7 to 0.9)"."""
    return any(
        set(shown.figures) <= set(held) and agrees(claim, shown)
        for shown in stances_in(text)
        if shown.by_figures and shown.figures and not is_turned(claim, shown)
    )


def _polarity(text: str, support: Support, numbers: Numbers) -> tuple[Finding, ...]:
    """For words that no table of effects has: one side denies, and the sentence most like it does not.

    Two sides' figures out of that very sentence, and no more, say of no effect that there is one.
    """
    best = support.ranked[0] if support.ranked else None
    if best is None or best.share < _MOST_OF_IT or best.sentence.row is not None:
        return ()
    told = [s for s in stances_in(best.sentence.text) if not s.by_figures and not s.open]
    denies = any(not m.group().lower().startswith("without") for m in NEGATION.finditer(text))  # that is a side
    nets = {s.net for s in told}
    own = sum(place.sentence is best.sentence for place in numbers.rests_on)
    if own > 1 and not denies and _TELLS_FIGURES.search(text):
        return ()
    if not told or denies == (nets == {_D.NO_DIFFERENCE}) or (denies and _D.NO_DIFFERENCE in nets):
        return ()
    code = ReasonCode.DIRECTION_REVERSED if denies else ReasonCode.NULL_RESULT
    said = "denies it" if denies else "states it"
    detail = f"the claim {said}; [{best.passage.item.n}] says {told[0].text!r}"
    return (Finding(code, detail, passage=best.passage, sentence=best.sentence),)


def _compare(claim: Stance, passage: Passage, sentence: PassageSentence, share: float) -> list[Compared]:
    found = []
    told = stances_in(sentence.text) if sentence.row is None else stances_of_row(sentence.cells)
    for source in told:
        if source.open or (source.is_pair and not names_a_side(claim, source)):
            continue
        borne_out, denied = agrees(claim, source), opposes(claim, source)
        if borne_out or denied:
            like = _OWN_WORDS * likeness(claim, source) + (1 - _OWN_WORDS) * share
            if source.hedged and not claim.hedged:
                like *= _HEDGED
            found.append(Compared(like, borne_out, denied, passage, sentence, source))
    return found


def _unexplained(claim: Stance, compared: Sequence[Compared], others: Sequence[Compared]) -> list[Compared]:
    """Without what speaks against an effect of the claim, and is of another one: it bears that out and is more like it.

    Unless the words of this effect, those of the compared sides too, stand nearer to it than to what agrees: "A lowered
    pain, B did not" told as "B lowered pain, A did not".
    """
    told = {id(c.stance): c.like for c in sorted(others, key=lambda c: c.like) if c.agrees}
    agree = max((c for c in compared if c.agrees), key=lambda c: c.like, default=None)
    return [
        c
        for c in compared
        if not c.opposes
        or agree is None
        or told.get(id(c.stance), 0.0) <= c.like
        or nearer(claim, c.stance, agree.stance) > 0
    ]


def _judge(
    claim: Stance, compared: Sequence[Compared], *, reserved: bool, thresholds: GateThresholds
) -> Finding | None:
    agree = max((c for c in compared if c.agrees), key=lambda c: c.like, default=None)
    oppose = max((c for c in compared if c.opposes), key=lambda c: c.like, default=None)
    if oppose is None or oppose.like < thresholds.effect_least:
        if agree is not None and agree.like >= thresholds.effect_needed:
            return None
        said = claim.net.value.replace("_", " ")
        return Finding(
            ReasonCode.DIRECTION_NOT_FOUND, f"{claim.text!r}: no cited passage says that it went this way ({said})"
        )
    if agree is not None and agree.like >= thresholds.effect_needed:
        # A sentence that says one thing of one group and another of the next bears out whoever tells either.
        lead = thresholds.effect_lead_within if agree.sentence is oppose.sentence else thresholds.effect_lead
        if agree.like >= oppose.like - lead and nearer(claim, oppose.stance, agree.stance) <= _TIE:
            return None
    source = oppose.stance
    n = oppose.passage.item.n
    said = claim.net.value.replace("_", " ")
    if source.net is _D.NO_DIFFERENCE and claim.net is not _D.NO_DIFFERENCE:
        if reserved:
            return None
        detail = f"the claim says {said!r}; [{n}] shows no difference: {source.text!r}"
        return Finding(ReasonCode.NULL_RESULT, detail, passage=oppose.passage, sentence=oppose.sentence)
    code = ReasonCode.ARMS_SWAPPED if is_turned(claim, source) else ReasonCode.DIRECTION_REVERSED
    detail = f"the claim says {said!r}; [{n}] says {source.text!r}"
    return Finding(code, detail, passage=oppose.passage, sentence=oppose.sentence)
