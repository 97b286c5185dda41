"""Whether a title is that of a trial: told from works about trials ("reporting quality of randomised trials").

One trial is named in the singular; several are named by reviews, surveys and methods papers, unless the title gives the
results of two or three. A paper of a trial's design, its costs or its protocol has no results to cite.
"""

from __future__ import annotations

import re
from functools import cache

from openwork_contracts.evidence import StudyDesign
from openwork_knowledge.notation import group

_LIST = "study_designs"
_RANDOM = r"(?<!non-)(?<!non)(?<!mendelian )(?<!mendelian-)\brandomi[sz]ed\b"
_RANDOMISED = re.compile(rf"{_RANDOM}|\bplacebo[- ]controlled\b|\bRCT\b", re.IGNORECASE)
_PLURAL = re.compile(
    rf"(?:{_RANDOM}|\bplacebo[- ]controlled\b)(?:,?\s+[\w-]+){{0,4}}?,?\s+(?:trials|studies)\b|\bRCTs\b", re.IGNORECASE
)
_FEW = re.compile(
    r"\b(?:two|three|four|2|3|4)\s+(?:\S+\s+){0,5}?(?:trials|studies)\b|\btrials 1 and 2\b", re.IGNORECASE
)
_SEVERAL = re.compile(
    r"\b(?:open-label|double-blind(?:ed)?|phase \w+)(?:,?\s+[\w-]+){0,4}?,?\s+(?:trials|studies)\b", re.I
)
_FROM_A_TRIAL = re.compile(rf"\bfrom an?\b(?:\s+\S+){{0,3}}?\s+{_RANDOM}", re.IGNORECASE)
_PART = re.compile(r"[.:;?!](?=\s|$)|--|\s[-–—]\s|—")
PROTOCOL = re.compile(
    r"\bprotocol (?:for|of)\b|\b(?:study|review|trial) protocol\b|\brationale(?:,| and) (?:the )?design"
    r"|\bdesign and (?:rationale|methods|methodology)\b|\bstatistical analysis plan\b|: (?:a )?protocol\b",
    re.IGNORECASE,
)
_DESIGN_PAPER = re.compile(
    r"\b(?:design|methodology|methods|organi[sz]ation)(?: (?:and|&) \w+)? (?:of|for) (?:a|an|the)\b(?:\s+\S+){0,8}?"
    r"\s+(?:trial|study|evaluation)\b",
    re.IGNORECASE,
)
_RESULTS = re.compile(r"\bresults\b", re.IGNORECASE)
_ONE_TRIAL = re.compile(
    r"\b(?:a|an)\s+(?:(?!(?:of|from|in|on|by|based|for|with|to)\b)[\w-]+,?\s+){0,9}?trial\b"
    r"(?! (?:protocol|database|registry))",
    re.IGNORECASE,
)
_TOLD = re.compile(r"(?:^|[.:;?!]\s|--|\s[-–—]\s|—|\bin\s)\s*$", re.IGNORECASE)
"""Before "a trial": the title, or a part of it, is about that trial itself, and not made from it."""


@cache
def _words(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b{group(_LIST, name)}\b", re.IGNORECASE)


def is_protocol(title: str) -> bool:
    """Whether the work tells what will be done: a protocol, or a paper of a study's design without its results."""
    if PROTOCOL.search(title):
        return True
    return _DESIGN_PAPER.search(title) is not None and _RESULTS.search(title) is None


def is_randomised(title: str) -> bool:
    """Whether the title is that of a randomised trial, or of a few told together."""
    if _RANDOMISED.search(title) is None or is_protocol(title):
        return False
    if _words("about trials").search(title) or _is_of_another_design(title):
        return False
    if _is_of_costs(title):
        return False
    several = _PLURAL.search(title) is not None
    return not several or _FEW.search(title) is not None or _RANDOMISED.search(_PLURAL.sub("", title)) is not None


def is_trial(title: str) -> bool:
    """Whether the title is that of a trial of which it does not say that it is randomised."""
    if is_protocol(title) or _words("about trials").search(title) or _is_of_costs(title):
        return False
    single = _SEVERAL.sub("", title) if _FEW.search(title) is None else title
    if _words("trial in title").search(single):
        return True
    return any(_TOLD.search(title[: match.start()]) for match in _ONE_TRIAL.finditer(title))


def _is_of_costs(title: str) -> bool:
    """Whether costs are reckoned with a trial's data."""
    return _words("economic").search(title) is not None and _FROM_A_TRIAL.search(title) is not None


def pooled(title: str) -> StudyDesign | None:
    """What a title is that speaks of several studies put together; `None` = it does not."""
    if _words("systematic in title").search(title):
        return StudyDesign.SYSTEMATIC_REVIEW
    if _words("pooled in title").search(title) and re.search(
        r"\b(?:trials|studies|regimens|cohorts)\b", title, re.IGNORECASE
    ):
        return StudyDesign.META_ANALYSIS
    return None


def _is_of_another_design(title: str) -> bool:
    """Whether a part of the title without "randomised" says that the work is a study of another kind."""
    parts = [part.strip() for part in _PART.split(title)]
    return any(
        _words("says its design").search(part) is not None and not _RANDOMISED.search(part) for part in parts
    ) or (re.match(rf"(?:an?\s+|the\s+)?{group(_LIST, 'says its design')}", title, re.IGNORECASE) is not None)
