"""What a near-verbatim claim changed: one word turned into its opposite, a negation added or lost, a name replaced.

Only for a claim that shares most of its words with one sentence of its source; the two are laid side by side word by
word, and the differences are judged.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

from openwork_contracts.verdict import ReasonCode
from openwork_knowledge.tables import words
from openwork_language.effects.find import Direction, conflict
from openwork_language.effects.words import CUE, NEGATION
from openwork_language.terms import find_terms
from openwork_language.tokens import fold, stem

from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.polarity import opposites
from openwork_verifier.domain.support import Support
from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds
from openwork_language.wording import concept_of

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_NEGATIONS = frozenset(words("edit-words", "negation"))
_AUXILIARY = frozenset(words("edit-words", "auxiliary"))
_WEAK = frozenset(words("edit-words", "weak"))
# Two words apart by more than this many are a rewritten passage, not an edit.
_LONGEST_EDIT = 3
# (what the source says, what the claim says in its place)
_SURER = tuple(
    (re.compile(rf"\b(?:{before})\b"), re.compile(rf"\b(?:{after})\b"))
    for before, after in (
        ("may|might|could|possibly|probably|perhaps|potentially", "will|is|are|was|were|does|do|did|must|definitely"),
        ("suggest(?:s|ed|ing)?", "pro(?:ve|ves|ved|ving)|establish(?:es|ed)?|confirm(?:s|ed)?|demonstrat(?:e|es|ed)"),
        ("associat(?:ed|ion|ions)|correlat(?:ed|ion|ions)|linked", "caus(?:e|es|ed|ing|al)|due"),
    )
)
_STILL_UNSURE = re.compile(
    r"\b(?:thought|believed|likely|suggested|possibl[ey]|hypothesi[sz]ed|assumed|not|may|might|could)\b"
)
_PEOPLE = frozenset(frozenset(pair) for pair in opposites("people"))
_WORDS = frozenset(frozenset(pair) for pair in opposites("edit"))


def check_edits(text: str, support: Support, thresholds: GateThresholds = THRESHOLDS) -> tuple[Finding, ...]:
    """Findings for opposite words, negations and names that differ from the one sentence a claim restates."""
    if not support.sentences or support.sentences[0].share < thresholds.verbatim_share:
        return ()
    best = support.sentences[0]
    mine, theirs = _WORD.findall(text), _WORD.findall(best.sentence.text)
    a, b = [_key(w) for w in mine], [_key(w) for w in theirs]
    matcher = SequenceMatcher(None, b, a, autojunk=False)
    if matcher.ratio() < thresholds.edit_ratio:
        return ()
    reasons = []
    for op, i1, i2, j1, j2 in matcher.get_opcodes():
        if op == "equal" or max(i2 - i1, j2 - j1) > _LONGEST_EDIT:
            continue
        was, now = " ".join(theirs[i1:i2]), " ".join(mine[j1:j2])
        code = _judge(was, now)
        if code is ReasonCode.CERTAINTY_OVERSTATED and theirs[i2 : i2 + 1] == ["not"]:
            continue  # "could not be pooled", "was not pooled"
        if code is not None:
            where = f"[{best.passage.item.n}]"
            reasons.append(Finding(code, f"{where} says {was!r} where the claim says {now!r}"))
    return tuple(reasons)


@lru_cache(maxsize=65536)
def _key(word: str) -> str:
    return concept_of(stem(fold(word)))


def _judge(was: str, now: str) -> ReasonCode | None:
    """What it means that `was` became `now`; None for a change of wording."""
    if _negation_changed(was, now):
        return ReasonCode.DIRECTION_REVERSED
    was, now = was.lower(), now.lower()
    if not was or not now:
        return None
    pair = frozenset({was, now})
    if pair in _PEOPLE or pair in _WORDS:
        return ReasonCode.POPULATION_NOT_FOUND if pair in _PEOPLE else ReasonCode.DIRECTION_REVERSED
    before, after = CUE.search(was), CUE.search(now)
    if before and after and conflict(Direction(after.lastgroup or ""), Direction(before.lastgroup or "")):
        return ReasonCode.DIRECTION_REVERSED
    names, others = find_terms(was), find_terms(now)
    if names and others and names[0].kind is others[0].kind and names[0].name != others[0].name:
        return ReasonCode.ARMS_SWAPPED
    return ReasonCode.CERTAINTY_OVERSTATED if _made_surer(was, now) else None


def _made_surer(was: str, now: str) -> bool:
    """Whether a possibility, a suggestion or an association became a fact, a proof or a cause."""
    if _STILL_UNSURE.search(now):
        return False
    return any(before.search(was) and after.search(now) and not before.search(now) for before, after in _SURER)


def _negation_changed(was: str, now: str) -> bool:
    """Whether a negation, and nothing else that matters, was added or lost."""
    before, after = _negated(was), _negated(now)
    if before == after or _same_sense(was, now):
        return False
    others = {w.lower() for w in (was if before else now).split()} - _NEGATIONS
    return others <= (_AUXILIARY | _WEAK if was and now else _AUXILIARY)


def _negated(text: str) -> bool:
    # "NO" is nitric oxide, "No 12" a number.
    if re.search(r"\bNo \d", text):
        return False
    return "n't" in text or any(w.lower() in _NEGATIONS and w != "NO" for w in text.split())


def _same_sense(was: str, now: str) -> bool:
    """ "did not differ" for "were similar": both sides say no difference."""
    before, after = CUE.search(was), CUE.search(now)
    return bool(before and after and not NEGATION.search(was + now) and before.lastgroup == after.lastgroup)
