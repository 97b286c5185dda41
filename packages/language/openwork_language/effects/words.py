"""How a text states an effect: which way it goes, how sure its author is, what it is compared with.

The words stand in `data/words/effects.tsv` of openwork_knowledge; here is what may stand between and behind them.
"""

from __future__ import annotations

import re
from enum import StrEnum

from openwork_knowledge.patterns import pattern


class Direction(StrEnum):
    """Which way an effect goes."""

    LOWER = "lower"
    HIGHER = "higher"
    NO_DIFFERENCE = "no_difference"
    BETTER = "better"
    WORSE = "worse"
    NON_INFERIOR = "non_inferior"
    DIFFERENT = "different"
    """A difference or an association, its sign not said."""


class Certainty(StrEnum):
    """How sure the author is."""

    ASSERTED = "asserted"
    SUGGESTED = "suggested"
    """suggests, appears, probably, tends to: stated with reserve."""
    HEDGED = "hedged"
    """may, might, could, potential, preliminary: only possible."""
    OPEN = "open"
    """A question, an aim, "unclear": nothing is stated."""


def _any(group: str) -> str:
    return pattern("effects", group)


_D = Direction
_NO = r"(?:no|not(?:\s+\w+ly)?(?:\s+(?:a|any|find|have|show))?|without(?:\s+(?:a|any))?|neither)"
_NOT_SIGNIFICANT = (
    r"(?:\bnot|n't|\bnever)\s+(?:(?:reach\w*|achiev\w*|attain\w*|"
    r"obtain\w*)\s+)?(?:statistical(?:ly)?\s+)?significan(?:t|ce)\b(?!ly)"
    r"|\bfail(?:ed|s|ing)?\s+to\s+(?:reach|achieve|attain|obtain|show|be|"
    r"demonstrate)\s+(?:any\s+)?(?:statistical(?:ly)?\s+)?significan(?:t|ce)\b"
    r"|\bnon-?\s?significant(?:ly)?\b"
)
_CUES: tuple[tuple[Direction, str], ...] = (
    (
        _D.NON_INFERIOR,
        r"non-?\s?inferior(?:ity)?|noninferior(?:ity)?|(?:not|no)\s+(?:\w+\s+)?(?:inferior|worse)\b",
    ),
    (
        _D.NO_DIFFERENCE,
        rf"{_NO}(?:\s+{_any('qualifier')})*\s+{_any('denied')}\b"
        rf"|{_NOT_SIGNIFICANT}"
        r"|\bno\s+better\s+than\b|\b(?:made|make|makes)\s+no\s+difference\b|"
        r"\bno\s+(?:more|less|higher|lower)\b(?!\s+than\s+\d)"
        rf"|(?:did|do|does|was|were)\s?n[o']t\s+(?:\w+ly\s+)?{_any('denied_verb')}\w*"
        rf"|(?:lack|absence)\s+of\s+(?:an?\s+|any\s+)?{_any('denied_after_lack_of')}"
        r"|neither\b[^.;]{0,60}?\b(?:differ|affect|chang)\w*"
        rf"|\b(?:little|minimal|negligible)(?:\s+or\s+no)?\s+{_any('denied_after_little')}\b|"
        rf"\b{_any('no_difference')}\b",
    ),
    # "Fewer than 3.5" compares a number, "double-blind" nothing.
    (_D.LOWER, rf"\b(?:{_any('lower')}|less(?!\s+than\s+[\d.]))\b"),
    (
        _D.HIGHER,
        rf"\b(?:{_any('higher')}|more(?!\s+than\s+[\d.])(?!over)|doubl(?:es?|ed|ing)(?![-\s]blind)|"
        rf"worsens?(?=\s+the\s+risk))\b",
    ),
    (_D.BETTER, rf"\b{_any('better')}\b"),
    (_D.WORSE, rf"\b{_any('worse')}\b"),
    (_D.DIFFERENT, rf"\b{_any('different')}\b"),
)
CUE = re.compile(
    r"\b(?!(?-i:[A-Z]{4}))(?:" + "|".join(f"(?P<{direction.value}>{source})" for direction, source in _CUES) + ")",
    re.IGNORECASE,
)
"""One cue per match; the name of the group that matched is its `Direction`. Capitals name a trial: "IMPROVE-IT"."""

NOT_REACHED = re.compile(
    r"\b(?:this|the|these|that|but|although|though|however|which)\b[^.;]{0,60}?(?:\bnot|n't|"
    r"\bfail\w*\s+to)\b[^.;]{0,25}?\bsignifican"
    r"|\btrend(?:s|ed|ing)?\s+(?:to|toward|for|in)|\btendency\b|\bmarginal(?:ly)?\b|\binsignificant(?:ly)?\b|"
    r"\bnumerically\b|\bnot\s+(?:statistically\s+)?significant(?=\s*(?:[(.;,]|$))|\bnon-?significant",
    re.IGNORECASE,
)
"""Said of a difference that was seen and is not significant: "higher, though not statistically significant"."""
NEGATION = re.compile(rf"\b(?:{_any('negation')}|n[o']t)\b(?!\s+only)|n['’]t\b", re.IGNORECASE)
CLAUSE_BREAK = re.compile(r"[;:,()]|\b(?:but|whereas|while|although|however|though|which|because|and)\b", re.IGNORECASE)
HEDGE = re.compile(rf"\b(?:may(?!\s+\d)|{_any('hedge')})\b", re.IGNORECASE)
SUGGEST = re.compile(
    rf"\b(?:{_any('suggest')}|(?<!more\s)(?<!less\s)(?<!as\s)likely(?!\s+to\s+have)|"
    r"(?<!for\s)trend(?:s|ed)?\s+(?:to|toward))\b",
    re.IGNORECASE,
)
_TO_STUDY = rf"to\s+(?:{_any('to_study')}|{_any('to_study_with_aim')})"
OPEN = re.compile(
    rf"\b(?:whether(?!\s+or\s+not\b)|{_any('open')}|{_any('aim')}\b[^.;]{{0,40}}\b(?:{_TO_STUDY}|aimed)|to\s+{_any('to_study')}\b)"
    r"|^(?:[A-Z]+:?\s+)?(?:here,?\s+)?(?:we|(?:this|the\s+present|our)\s+(?:study|trial|review|paper|analysis|work))\s+(?:\w+ly\s+)?"
    r"(?:compar|evaluat|examin|investigat|assess|stud[iy]|explor|determin)\w*(?!.*\b(?:found|finding|show|reveal|observ|demonstrat))",
    re.IGNORECASE,
)
STRONG = re.compile(rf"\b{_any('strong')}\b", re.IGNORECASE)
CAUSAL = re.compile(rf"\b{_any('causal')}\b", re.IGNORECASE)
ASSOCIATION = re.compile(rf"\b{_any('association')}\b", re.IGNORECASE)
COMPARATOR = re.compile(
    rf"\b(?:{_any('comparator')}|than(?:\s+(?:with|in|for|those|that|among|did))*|"
    r"over(?=\s+(?:placebo|usual|standard|control)))\b\.?\s*",
    re.IGNORECASE,
)
INVERTER = re.compile(rf"\b{_any('inverter')}\b|-/-|[\u2212-]null\b", re.IGNORECASE)
"""Words before a cue that turn its subject round: "loss of X reduces Y" says that X raises Y."""
SUBGROUP = re.compile(rf"\b{_any('subgroup')}\b", re.IGNORECASE)
SURROGATE = re.compile(rf"\b{_any('surrogate')}\b", re.IGNORECASE)
CLINICAL_OUTCOME = re.compile(rf"\b{_any('clinical_outcome')}\b", re.IGNORECASE)
