"""Figures of a sentence that are no treatment's result, whatever outcome stands beside them.

A predictor's odds, a genotype's, the sensitivity of a test, who was studied, a change in percent, the strength of a
solution: read as a result they would answer a question that nobody examined there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.question import EntityKind
from openwork_knowledge.notation import any_of, group
from openwork_knowledge.tables import words
from openwork_language.quantities.quantity import Quantity, QuantityKind
from openwork_language.terms import find_terms

_LIST = "figures-of-no-treatment"
_ADJUSTED = re.compile(
    r"\b(?:adjust\w*|controll\w*|correct\w*|account\w*)\s+(?:for|by)\s[^,;.()]{2,160}|\bregardless of\s[^,;.()]{2,80}",
    re.IGNORECASE,
)
"""What an estimate is adjusted for is none of what it is of."""
_NEVER = re.compile(rf"\b{group(_LIST, 'predictor', 'test', 'design')}(?!\w)", re.IGNORECASE)
_GENE = re.compile(rf"\b{group(_LIST, 'gene')}(?!\w)", re.IGNORECASE)
_IN_TIME = re.compile(
    r"\b(?:rose|increased|decreased|fell|declined|dropped|improved|worsened)\s+(?:\w+ly\s+)?(?:after|over|from|between|since)\b",
    re.IGNORECASE,
)
_AMONG = re.compile(r"^(?:(?:among|in|of|for)\b[^,]*(?:,[^,]*\bor\b[^,]*)?,\s+)+", re.IGNORECASE)
"""Whom a result is of, as they were at baseline."""
_WHO_WERE = re.compile(r"\bwho\s+(?:was|were|had)\s+[^,;.]{2,90}", re.IGNORECASE)
_BASELINE = re.compile(rf"\b{group(_LIST, 'baseline')}(?!\w)", re.IGNORECASE)
_ASSOCIATED = re.compile(rf"\b{group(_LIST, 'association')}(?!\w)", re.IGNORECASE)
_TREND = re.compile(r"\bin\s+(?:19|20)\d\d\b.*\bin\s+(?:19|20)\d\d\b", re.IGNORECASE | re.DOTALL)
"""One group in two years."""
_CHANGE = group(_LIST, "change")
_CHANGE_BEHIND = re.compile(
    rf"(?:\s*\([^()]*\))?[\s-]*(?:relative\s+|absolute\s+|mean\s+)?{_CHANGE}(?!\w)", re.IGNORECASE
)
_BY_BEFORE = re.compile(rf"\b{group(_LIST, 'by')}\s+(?:[-+<>=~]\s?)?$", re.IGNORECASE)
_OF = re.compile(r"\s*\)?\s*(?:\([^()]*\)\s*)?(?:of|patients)\b", re.IGNORECASE)
_TO = re.compile(r"\s*(?:\([^()]*\)\s*)?to\s+\d", re.IGNORECASE)
_IS_CHANGE = re.compile(
    r"^(?:(?:the|a|an|mean|median|average|relative|absolute|percent\w*|overall|greater|larger|significant(?:ly)?|rrrs?)\s+)*"
    r"(?:reductions?|decreases?|increases?|improvements?|declines?|changes?|differences?|rrrs?)\b",
    re.IGNORECASE,
)
_ADDS_UP, _ROUNDING = 100, 0.25
"""Percent, and how far two rounded shares of a whole may be from it together."""
_MIXED = re.compile(r"\s*(?:eye\s?drops?|solution|cream|gel|ointment|saline|maleate|suspension|LD50)\b", re.IGNORECASE)
OTHERS = re.compile(rf"{any_of(words(_LIST, 'others'))}\b", re.IGNORECASE)
"""Headings of parts of a summary that tell of what others found."""


def tells_of_no_treatment(sentence: str, *, treatment: bool) -> bool:
    """Whether its figures are of predictors, tests, designs, two years; of genes where no treatment is named."""
    bare = _ADJUSTED.sub(" ", sentence)
    return bool(_NEVER.search(bare) or _TREND.search(bare)) or (not treatment and bool(_GENE.search(bare)))


def tells_who_was_studied(sentence: str) -> bool:
    """Whether its shares are of people as they came into the study."""
    return _BASELINE.search(_WHO_WERE.sub(" ", _AMONG.sub("", sentence))) is not None


def tells_an_association(text: str) -> bool:
    """Whether something is said to go with an outcome: an exposure, whose figures stand for no arms."""
    return _ASSOCIATED.search(_ADJUSTED.sub(" ", text)) is not None


def tells_a_course(text: str) -> bool:
    """Whether an outcome is told of one group before and after: "incidence rose after the change"."""
    return _IN_TIME.search(text) is not None


def is_share(sentence: str, q: Quantity) -> bool:
    """Whether a figure can be a share of an arm: no change ("by 36%", "36% lower"), no strength ("0.5% timolol")."""
    if q.kind is not QuantityKind.PERCENT:
        return q.kind is not QuantityKind.FRACTION or not re.match(r"\s\d{3}\b", sentence[q.end :])
    if q.value < 0 or q.value > _ADDS_UP:
        return False
    before, behind = sentence[: q.start], sentence[q.end :]
    if (
        re.match(r"\s?/\s?[a-z]", behind)
        or _CHANGE_BEHIND.match(behind)
        or (_BY_BEFORE.search(before) and not _OF.match(behind))
        or _TO.match(behind)
    ):
        return False
    return not _is_strength(before, behind)


def _is_strength(before: str, behind: str) -> bool:
    """A drug's name beside a percentage, with nothing between: the strength of what is given."""
    if _MIXED.match(behind):
        return True
    near = before[-60:].rstrip()
    drugs_before = [t for t in find_terms(near) if t.kind is EntityKind.DRUG and t.end == len(near)]
    drugs_behind = [t for t in find_terms(behind[:60]) if t.kind is EntityKind.DRUG and not behind[: t.start].strip()]
    return bool(drugs_before or drugs_behind)


def is_change(subject: str) -> bool:
    """Whether what stands before the figures is an amount by which something changed."""
    return _IS_CHANGE.match(subject.strip()) is not None


def add_up(figures: Sequence[Quantity], between: str) -> bool:
    """Two shares that make up the whole: parts of one group ("72% for primary, 28% for recurrent disease")."""
    both = [float(q.value) for q in figures if q.kind is QuantityKind.PERCENT]
    if len(both) != len(figures) or len(both) != 2 or re.search(r"\b(?:vs?\.?|versus|than|compared)\b", between):
        return False
    return abs(sum(both) - _ADDS_UP) < _ROUNDING and 0 not in both
