"""What a sentence says an intervention does: direction, negation, certainty, the arms that are compared, the outcome.

Rules over words, no parser: a cue ("reduced", "no difference in", "superior") is found with its negation and hedge in
the same clause; the outcome is what stands closest to it; the comparator is what follows "than", "versus", "compared
with". Words are compared as tokens of `openwork_language.tokens`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from openwork_language.effects.attributes import CHANGE, compared_noun, is_attribute
from openwork_language.effects.words import (
    ASSOCIATION,
    CAUSAL,
    CLAUSE_BREAK,
    CLINICAL_OUTCOME,
    COMPARATOR,
    CUE,
    HEDGE,
    INVERTER,
    NEGATION,
    OPEN,
    STRONG,
    SUBGROUP,
    SUGGEST,
    SURROGATE,
    Certainty,
    Direction,
)
from openwork_language.tokens import tokenise

__all__ = ["Certainty", "Direction", "EffectStatement", "SentenceStance", "conflict", "find_effects", "stance_of"]

_D = Direction
_OPPOSITE = {
    _D.LOWER: _D.HIGHER,
    _D.HIGHER: _D.LOWER,
    _D.BETTER: _D.WORSE,
    _D.WORSE: _D.BETTER,
}
_SIGNED = frozenset(_OPPOSITE)
# How far before a cue its negation may stand, and how many words after it the outcome is looked for.
_NEGATION_CHARS = 60
_SUBJECT_CHARS = 90
_SUBJECT_BREAK = re.compile(r"[;:,]|\b(?:but|whereas|while|although|however|that|and)\b", re.IGNORECASE)
_NEGATED_WORDS = 5
_NEAR_WORDS = 1
_TURNED = re.compile(r"(?:nor|neither)\s+(?:did|do|does|was|were|is|are|has|had)\b", re.IGNORECASE)
_PREPOSITION = re.compile(r"without|lack|absence", re.IGNORECASE)
_OUTCOME_WORDS = 8
_ARM_WORDS = 7
_ARM_END = re.compile(
    r"[,;:()\[\]]|\.\s|\b(?:and|but|whereas|while|in(?=\s+(?:patients|people|adults|the\s+(?:treatment|prevention)|"
    r"terms))|for(?=\s+the)|at\b|"
    r"was|were|is|are|had|has|did|does|by|during|after|with\s+respect|regarding|on(?=\s+the)|reduc\w+|lower\w*|"
    r"increas\w+|showed|resulted)\b",
    re.IGNORECASE,
)
# "reduction in stroke", "risk of", "difference between A and B in": these prepositions lead to the outcome.
_LEAD = re.compile(
    r"\s*(?:(?:the\s+)?(?:risks?|rates?|incidence|odds|levels?|number|likelihood|proportion)\s+)?(?:in|of|for|to|with|"
    r"by|on)\s+",
    re.IGNORECASE,
)
_RISK_OF = re.compile(
    r"\s*(?:the\s+)?(?:risks?|rates?|incidence|odds|levels?|number|likelihood|proportion|chance)\s+(?:of|for)\s+",
    re.IGNORECASE,
)
_NOUN_CUE = re.compile(
    r"(?:tions?|ences?|ments?|eases?|rises?|effects?|associated|changes?|impact|benefits?|correlated|related|"
    r"falls?\s+in)$",
    re.IGNORECASE,
)
_EMPTY_OUTCOME = frozenset(tokenise("risk rate frequent common group patient likely significant level incidence"))
_SUBJECT_WORDS_AFTER = 12
_OBJECT_END = re.compile(
    r"[;:()\[\]]|,\s|\b(?:in|with|without|among|by|from|for|during|after|at|over|but|whereas|while|although|however|"
    r"than|when|if|who|which|that)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class EffectStatement:
    """One effect that a sentence states (or denies)."""

    direction: Direction
    """As the cue says, before negation."""
    negated: bool
    certainty: Certainty
    intervention: frozenset[str]
    """Tokens of what stands before the cue or is compared; may be empty."""
    comparator: frozenset[str]
    """Tokens of what it is compared with; empty where none is named."""
    outcome: frozenset[str]
    """Tokens near the cue that are neither arm."""
    inverted: bool
    """The subject is the lack of something: "loss of X", "inhibition of X"."""
    start: int
    end: int

    @property
    def net(self) -> Direction:
        """The direction after negation: not lower is no difference, not different is no difference."""
        if not self.negated:
            return self.direction
        if self.direction is _D.NO_DIFFERENCE:
            return _D.DIFFERENT
        return _D.NO_DIFFERENCE if self.direction is not _D.NON_INFERIOR else _D.NON_INFERIOR


@dataclass(frozen=True, slots=True)
class SentenceStance:
    """How a sentence as a whole states what it states."""

    certainty: Certainty
    strong: bool
    """Words of proof or totality: proves, always, cures."""
    causal: bool
    association: bool
    subgroup: bool
    surrogate: bool
    clinical_outcome: bool


def conflict(a: Direction, b: Direction) -> bool:
    """Whether two net directions of the same effect cannot both be true."""
    if a in _OPPOSITE and _OPPOSITE[a] is b:
        return True
    if _D.NO_DIFFERENCE in {a, b}:
        return bool({a, b} & (_SIGNED | {_D.DIFFERENT}))
    return {a, b} == {_D.NON_INFERIOR, _D.WORSE}


def reverse(direction: Direction) -> Direction:
    """The direction as seen from the other arm."""
    return _OPPOSITE.get(direction, direction)


@lru_cache(maxsize=8192)
def find_effects(sentence: str) -> tuple[EffectStatement, ...]:
    """The effects that one sentence states, in order of their cues."""
    comparator_at, comparator = _comparator(sentence)
    effects = []
    for match in CUE.finditer(sentence):
        if is_attribute(sentence, match):
            continue
        direction = _D(match.lastgroup or "different")
        if CHANGE.match(f" {match.group()}") and _LESS.search(sentence[: match.start()]):
            direction = reverse(direction)  # "less decline", "a smaller increase"
        subject_noun = compared_noun(sentence, match)
        if subject_noun is not None:
            direction = subject_noun if direction is _D.HIGHER else reverse(subject_noun)
        negated = direction not in {_D.NO_DIFFERENCE, _D.NON_INFERIOR} and _negated(sentence, match.start())
        certainty = Certainty.OPEN if _is_purpose(sentence[: match.start()]) else _certainty(sentence, match.start())
        subject, outcome = _around(sentence, match, comparator_at)
        effects.append(
            EffectStatement(
                direction,
                negated,
                certainty,
                subject - comparator,
                comparator,
                outcome - comparator,
                _inverted(sentence, match.start()),
                *match.span(),
            )
        )
    return tuple(effects)


@lru_cache(maxsize=8192)
def stance_of(sentence: str) -> SentenceStance:
    """Certainty, causality and scope of a sentence as a whole."""
    return SentenceStance(
        certainty=_certainty(sentence, len(sentence)),
        strong=STRONG.search(sentence) is not None,
        causal=CAUSAL.search(sentence) is not None,
        association=ASSOCIATION.search(sentence) is not None,
        subgroup=SUBGROUP.search(sentence) is not None,
        surrogate=SURROGATE.search(sentence) is not None,
        clinical_outcome=CLINICAL_OUTCOME.search(sentence) is not None,
    )


_LESS = re.compile(r"\b(?:less|smaller|lower|lesser|fewer)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)


_BUT_NOT = re.compile(r"\bbut\s+not\s+(?:the|in|for|wi)\w*\s?$", re.IGNORECASE)
_TO = re.compile(r"(?P<before>\S*)\s+to\s+(?:\w+ly\s+)?$", re.IGNORECASE)
_NOT_A_PURPOSE = re.compile(
    r"^(?:found|shown|showed|seem\w*|appear\w*|tend\w*|fail\w*|able|likely|unlikely|known|reported|demonstrated|proved|"
    r"proven|due|led|leads?|contribut\w*|"
    r"related|linked|compared|similar|superior|inferior|effective|observed|helped|helps|help|continued|began|expected|"
    r"found|ability|suggested|thought|estimated|managed|capable)$",
    re.IGNORECASE,
)


def _is_purpose(before: str) -> bool:
    """ "A programme to promote activity": what is meant to happen, not what did; "was found to promote" did."""
    match = _TO.search(before)
    return match is not None and not _NOT_A_PURPOSE.match(match["before"].strip("(,"))


def _inverted(sentence: str, cue: int) -> bool:
    """Whether the subject of the cue's clause is the lack or the inhibition of something."""
    clause = _SUBJECT_BREAK.split(sentence[max(0, cue - _SUBJECT_CHARS) : cue])[-1]
    return INVERTER.search(clause) is not None


def _negated(sentence: str, cue: int) -> bool:
    """Whether a negation stands a few words before the cue, in its clause."""
    clause = CLAUSE_BREAK.split(sentence[max(0, cue - _NEGATION_CHARS) : cue])[-1]
    found = [
        match
        for match in NEGATION.finditer(clause)
        if match.group() != "NO" and not _BUT_NOT.search(clause[: match.end() + 5])
    ]
    if not found:
        return False
    match = found[-1]
    between = len(clause[match.end() :].split())
    # "without increasing", but not "women without depression had a lower risk".
    if _PREPOSITION.match(match.group()):
        return between <= _NEAR_WORDS
    turned = _TURNED.match(clause, match.start()) is not None  # "nor did burden or quality of life improve"
    return between <= _NEGATED_WORDS * (2 if turned else 1)


def _certainty(sentence: str, until: int) -> Certainty:
    if OPEN.search(sentence):
        return Certainty.OPEN
    if HEDGE.search(sentence, 0, max(until, 1)):
        return Certainty.HEDGED
    return Certainty.SUGGESTED if SUGGEST.search(sentence) else Certainty.ASSERTED


def _comparator(sentence: str) -> tuple[tuple[int, int], frozenset[str]]:
    """Where the comparator stands and its tokens; numbers after "versus" are no comparator."""
    for match in COMPARATOR.finditer(sentence):
        rest = sentence[match.end() :]
        if re.match(r"\s*[\d.(−-]", rest):
            continue
        end = _ARM_END.search(rest)
        phrase = " ".join(rest[: end.start() if end else len(rest)].split()[:_ARM_WORDS])
        tokens = frozenset(tokenise(phrase))
        if tokens:
            return (match.start(), match.end() + len(phrase)), tokens
    return (-1, -1), frozenset()


def _around(sentence: str, cue: re.Match[str], comparator: tuple[int, int]) -> tuple[frozenset[str], frozenset[str]]:
    """Tokens before the cue in its clause (the subject), and of the words nearest to it (the outcome)."""
    before = sentence[: cue.start()]
    after = sentence[cue.end() :]
    if comparator[0] >= cue.end():
        after = sentence[cue.end() : comparator[0]]
    semicolon = max(before.rfind(";"), before.rfind(":"))
    before = before[semicolon + 1 :]
    subject = frozenset(tokenise(f"{before} {' '.join(after.split()[:_SUBJECT_WORDS_AFTER])}"))
    noun = _NOUN_CUE.search(cue.group()) is not None
    outcome = frozenset(tokenise(" ".join(_object(after, noun=noun).split()[:_OUTCOME_WORDS]))) - _EMPTY_OUTCOME
    if not outcome:
        # "Mortality was lower": the outcome stands before the cue.
        previous = list(CUE.finditer(before))
        near = before[previous[-1].end() :] if previous else before
        outcome = frozenset(tokenise(" ".join(near.split()[-_OUTCOME_WORDS:])))
    return subject, outcome


def _object(after: str, *, noun: bool) -> str:
    """What a cue acts on: the words after it up to a preposition, another cue or the end of the clause.

    After a noun ("reduction in stroke") the first preposition leads to it; in "lower in the study group" it does not.
    """
    lead = _LEAD.match(after) if noun else _RISK_OF.match(after)
    first = lead.end() if lead else 0
    ends = [m.start() for m in (_OBJECT_END.search(after, first), CUE.search(after, first + 1)) if m]
    return after[: min(ends)] if ends else after
