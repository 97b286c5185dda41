"""A claim may be no surer, more causal or wider than the sentences it rests on."""

from __future__ import annotations

import re

from openwork_contracts.verdict import ReasonCode
from openwork_knowledge.patterns import pattern
from openwork_language.effects.find import Certainty, find_effects, stance_of

from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.support import Support
from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds

_EQUIVALENT = re.compile(r"\b(?:bio)?equivalen\w+|\bequally\s+\w+|\bidentical|\bjust\s+as\b", re.IGNORECASE)
_NONINFERIOR = re.compile(r"\bnon-?\s?inferior|\bnot\s+inferior", re.IGNORECASE)
_STRONG = re.compile(rf"\b{pattern('effects', 'strong')}\b", re.IGNORECASE)
_NEVER_BEFORE = re.compile(
    r"\b(?:who|had|have|has|been)\s+never\b|\bnever\s+(?:before|been|did|enrolled|smok)", re.IGNORECASE
)
_HOW_CLEAR = re.compile(r"\b(?:not|most|less|more)\s+clearly\b", re.IGNORECASE)
_UNSURE = frozenset({Certainty.HEDGED, Certainty.OPEN})


def _is_total(text: str) -> bool:
    """Whether words of proof or totality are left without "had never", "never before" and "most clearly"."""
    return _STRONG.search(_HOW_CLEAR.sub(" ", _NEVER_BEFORE.sub(" ", text))) is not None


def check_certainty(text: str, support: Support, thresholds: GateThresholds = THRESHOLDS) -> tuple[Finding, ...]:
    """A finding where the claim is surer, more causal or wider than every sentence it rests on."""
    topical = [s for s in support.sentences if s.share >= thresholds.topical_share] or list(support.sentences[:1])
    if not topical:
        return ()
    claim = stance_of(text)
    stances = [s.sentence.stance for s in topical]
    n = topical[0].passage.item.n
    restated = topical[0].share >= thresholds.verbatim_share
    # A question or an aim that is asked in the claim's words ("asked whether X lowers Y") is answered elsewhere.
    against = stances[:1] if restated and stances[0].certainty is not Certainty.OPEN else stances
    if claim.strong and _is_total(text) and not any(s.strong for s in stances):
        return (_overstated("words of proof or totality, which are not", n),)
    asserted = restated and claim.certainty is Certainty.ASSERTED
    if asserted and all(s.certainty in _UNSURE for s in against) and find_effects(text):
        how = "only raises the question" if against[0].certainty is Certainty.OPEN else "hedges"
        return (_overstated(f"stated as a fact, where the source {how}", n),)
    if all(s.subgroup for s in stances) and not claim.subgroup and find_effects(text):
        return (_overstated("said of everybody, where the source speaks of a subgroup or a post hoc analysis", n),)
    if claim.causal and not claim.association and stances[0].association and not any(s.causal for s in stances):
        return (_overstated("cause, where the source has an association", n),)
    if re.search(r"(?<!non)(?<!non-)\bsuperior", text, re.IGNORECASE) and not any(
        re.search(r"\bsuperior|\bbetter|\bmore\s+effective|\bgreater|\bhigher", s.sentence.text, re.IGNORECASE)
        for s in topical
    ):
        return (_overstated("superior, where the source does not say so", n),)
    if (
        _EQUIVALENT.search(text)
        and any(_NONINFERIOR.search(s.sentence.text) for s in topical)
        and not any(_EQUIVALENT.search(s.sentence.text) for s in topical)
    ):
        n = topical[0].passage.item.n
        return (Finding(ReasonCode.NONINFERIORITY_OVERSTATED, f"equivalent, where [{n}] says noninferior"),)
    return ()


def _overstated(what: str, n: int) -> Finding:
    return Finding(ReasonCode.CERTAINTY_OVERSTATED, f"{what} in [{n}]")
