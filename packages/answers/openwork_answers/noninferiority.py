"""Whether a result was tested for noninferiority, against which margin, and what that test came to.

A source may print margin and interval, say what the test came to, or both. Where both stand and they disagree nothing
is decided; that no difference was shown decides nothing either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from openwork_contracts.conclusion import NoninferiorityTest
from openwork_contracts.evidence import AbstractPart, EffectEstimate
from openwork_contracts.measures import RATIOS
from openwork_language.sentences import split_sentences

from openwork_answers.reported import Reported

INFERIOR = re.compile(r"\bnon-?\s?inferior", re.IGNORECASE)
_EQUIVALENT = re.compile(r"\bnon-?\s?inferior|\bequivalence\b", re.IGNORECASE)
_ASKED = re.compile(
    r"\b(?:asked|asks|whether|hypothes\w*|aim(?:ed|s)?|designed|objective"
    r"|to (?:assess|determine|evaluate|test|show))\b",
    re.IGNORECASE,
)
_GAP = r"(?:(?!and\b|but\b|was\b|were\b|is\b)[\w-]+\s+){0,4}"
_DENIED = re.compile(
    rf"\b(?:not|without|no|fail(?:ed|s)?\s+to)\s+{_GAP}non-?\s?inferior"
    r"|\bn[o']t\s+(?:\w+ly\s+)?(?:show|demonstrat|establish|prov|meet|met|confirm)\w*\b[^.;]{0,90}non-?\s?inferior"
    r"|\bnon-?\s?inferiority\b(?!\s+(?:trial|margin|limit|design|hypothesis|study))[^.;:]{0,40}?"
    r"\b(?:not|never)\s+(?:be\s+)?(?:shown|met|demonstrated|established|confirmed|achieved|proven|reached)"
    r"|\b(?:exceed|pass|cross)\w*\s+the\s+(?:\w+\s+)?(?:non-?\s?inferiority\s+)?(?:margin|limit)",
    re.IGNORECASE,
)
_AFFIRMED = re.compile(
    r"\bnon-?\s?inferior\b"
    r"|\b(?:met|meets|meeting|reached|fulfilled|satisfied)\s+(?:the\s+|both\s+)?(?:[\w-]+\s+){0,3}?non-?\s?inferiority"
    r"|\bnon-?\s?inferiority(?:\s+(?:criteri\w+|margin|limit))?\s+(?:was|were|is)?\s*"
    r"(?:met|shown|demonstrated|established|confirmed|achieved|reached)\b"
    r"|\b(?:show|demonstrat|establish|confirm)\w*\s+non-?\s?inferiority",
    re.IGNORECASE,
)
_MARGIN = re.compile(r"\bmargin\b|\bnon-?\s?inferiority\s+(?:limit|threshold|bound(?:ary)?)\b", re.IGNORECASE)
_RATIO = r"\b(?:(?:hazard|risk|rate|odds)\s+ratio|relative\s+risk|HR|RR|OR|IRR)\b"
_NUMBER = r"(?<![\d.])[-\N{MINUS SIGN}]?\d+(?:\.\d+)?"
_AS_RATIO = re.compile(
    rf"{_RATIO}\s*(?:of|was|is|=|:|below|under|less than|above)?\s*(?P<a>{_NUMBER})"
    rf"|(?P<b>{_NUMBER})\s+(?:for|on)\s+the\s+(?:[\w%-]+\s+){{0,9}}?{_RATIO}",
    re.IGNORECASE,
)
_AS_POINTS = re.compile(
    rf"(?P<a>{_NUMBER})\s*-?(?:%|per\s?cent\b|percentage[- ]points?\b|points?\b)"
    r"(?!\s*(?:CI\b|confidence|interval|(?:one|two)-sided|limit))",
    re.IGNORECASE,
)
_AS_RATE = re.compile(
    rf"(?P<a>{_NUMBER})\s+(?:events?|cases?|deaths?)\s+per\s+[\d,]+\s+(?:person|patient)-(?:years?|months?)",
    re.IGNORECASE,
)
_P_VALUE = re.compile(r"(?P<sign>[<=≤]?)\s*(?P<value>0?\.\d+)")
ONE_SIDED = 0.025
"""The level at which noninferiority is tested as a rule; ICH E9, section 3.3.2 and 5.5."""
_MOST_MARGIN_WORDS = 15


@dataclass(frozen=True, slots=True)
class Margin:
    """A margin as a source has it."""

    kind: str
    """ratio, points (percentage points) or rate."""
    value: float
    words: str


def noninferiority_of(reported: Reported, *, bad: bool | None) -> NoninferiorityTest | None:
    """The test of noninferiority of a result; `None` = none is told.

    Args:
        reported: a result whose tested arm stands first, as its source has it.
        bad: whether more of the outcome is bad; `None` = not known, and then no interval is held against a margin.
    """
    if not is_tested(reported):
        return None
    margin = margin_of(reported)
    by_interval = _by_interval(reported.effect, margin, bad)
    by_words = _by_words(reported)
    by_p = _by_p(reported.effect)
    if by_words is False:
        met: bool | None = False  # a test may need two analyses: what the source denies is not shown
    elif by_words and by_interval is False:
        met = None
    else:
        met = next((told for told in (by_interval, by_words, by_p) if told is not None), None)
    return NoninferiorityTest(
        met=met,
        margin=margin.words if margin else None,
        by_interval=by_interval,
        by_source=by_words,
        analysis=reported.analysis,
    )


def is_tested(reported: Reported) -> bool:
    """Whether its source says so: in its table, in its sentence, or of the trial whose first outcome it is."""
    effect = reported.effect
    if effect is not None and (_EQUIVALENT.search(effect.tested or "") or INFERIOR.search(effect.p_value or "")):
        return True
    if reported.quote and says_met(reported.quote) is not None:
        return True
    document = reported.document
    if not document.results or reported.people is not None or any(_names_test(r.effect) for r in document.results):
        return False
    first = document.results[0]
    own = reported.place < len(document.results) and document.results[reported.place].outcome == first.outcome
    return own and _concluded(document.abstract) is not None


def _names_test(effect: EffectEstimate | None) -> bool:
    return effect is not None and INFERIOR.search(f"{effect.tested} {effect.p_value}") is not None


def says_met(sentence: str) -> bool | None:
    """Whether a sentence says that noninferiority was shown, or that it was not; `None` = neither, or both."""
    if not INFERIOR.search(sentence):
        return None
    denied = _DENIED.search(sentence) is not None
    rest = _DENIED.sub(" ", sentence)
    affirmed = _AFFIRMED.search(rest) is not None and not _ASKED.search(rest)
    if denied == affirmed:
        return None
    return affirmed


@lru_cache(maxsize=1024)
def _concluded(abstract: tuple[AbstractPart, ...]) -> bool | None:
    """What all sentences of a source say of the test; `None` = nothing, or not the same."""
    told = {says_met(sentence.text) for part in abstract for sentence in split_sentences(part.text)} - {None}
    return told.pop() if len(told) == 1 else None


def _by_words(reported: Reported) -> bool | None:
    own = says_met(reported.quote) if reported.quote else None
    return own if own is not None else _concluded(reported.document.abstract)


def _by_p(effect: EffectEstimate | None) -> bool | None:
    told = effect.p_value if effect is not None and INFERIOR.search(effect.p_value or "") else None
    match = _P_VALUE.search(told) if told else None
    return None if match is None else float(match["value"]) < ONE_SIDED


def _by_interval(effect: EffectEstimate | None, margin: Margin | None, bad: bool | None) -> bool | None:
    """Whether the end of the interval on the worse side keeps to the margin; printed ends are rounded, so strictly."""
    if effect is None or margin is None or bad is None:
        return None
    measure = effect.measure.upper()
    if margin.kind == "ratio" and measure in RATIOS and (margin.value > 1) is bad:
        limit = margin.value
    elif margin.kind == "points" and measure == "RD":
        limit = abs(margin.value) / 100 * (1 if bad else -1)
    else:
        return None
    end = effect.ci_high if bad else effect.ci_low
    if end is None:
        return None
    return end < limit if bad else end > limit


def margin_of(reported: Reported) -> Margin | None:
    """The margin of a result: of its own row, else the one that its source's sentences name; of two none."""
    effect = reported.effect
    if effect is not None and effect.margin:
        found = list(margins_in(effect.margin, measure=effect.measure))
        if fitting := [m for m in found if m.kind == _kind_of(effect)] or found:
            return fitting[0]
        short = effect.margin.strip().rstrip(".")
        return Margin("words", 0, short) if len(short.split()) <= _MOST_MARGIN_WORDS else None
    told = _told_margins(reported.document.abstract)
    fitting = [m for m in told if m.kind == _kind_of(effect)] or list(told)
    return fitting[0] if len({(m.kind, abs(m.value)) for m in fitting}) == 1 else None


def _kind_of(effect: EffectEstimate | None) -> str | None:
    if effect is None:
        return None
    return "ratio" if effect.measure.upper() in RATIOS else "points" if effect.measure.upper() == "RD" else None


@lru_cache(maxsize=1024)
def _told_margins(abstract: tuple[AbstractPart, ...]) -> tuple[Margin, ...]:
    """Margins in sentences; "margins" of several outcomes are nobody's."""
    sentences = [s.text for part in abstract for s in split_sentences(part.text)]
    return tuple(m for text in sentences if (at := _MARGIN.search(text)) for m in margins_in(text[at.start() :]))


def margins_in(text: str, *, measure: str | None = None) -> Iterator[Margin]:
    """Every margin that a text names, as "a hazard ratio of 1.25" or "10 percentage points".

    Args:
        measure: of the effect that the text is the margin of: a bare "1.3" is one of this measure.
    """
    found = False
    for match in _AS_RATIO.finditer(text):
        value = float((match["a"] or match["b"]).replace("\N{MINUS SIGN}", "-"))
        name = re.search(_RATIO, match[0], re.IGNORECASE)
        if value > 0 and name:
            found = True
            yield Margin("ratio", value, f"a {_lower(name[0])} of {value:g}")
    for match in _AS_POINTS.finditer(text):
        value = abs(float(match["a"].replace("\N{MINUS SIGN}", "-")))
        found = True
        yield Margin("points", value, f"{value:g} percentage point{'s' if value != 1 else ''}")
    for match in _AS_RATE.finditer(text):
        found = True
        yield Margin("rate", float(match["a"]), match[0])
    bare = re.fullmatch(rf"\s*(?P<a>{_NUMBER})\s*", text)
    if not found and bare and measure and measure.upper() in RATIOS and float(bare["a"]) > 0:
        yield Margin("ratio", float(bare["a"]), f"a {measure.upper()} of {float(bare['a']):g}")


def _lower(name: str) -> str:
    return name if name.isupper() else name.lower()
