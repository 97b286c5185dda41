"""Titles: folded for comparison, and what a title alone says about the kind of work.

Two works are often called almost the same: a trial and its design paper, part I and part II, an article and its
erratum, men and women. So a high similarity of two strings is necessary here and never sufficient: every word in which
two titles differ must be explained as another spelling of the same word.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from functools import lru_cache

from openwork_knowledge.tables import table, words
from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import ratio

from openwork_normaliser.domain.thresholds import THRESHOLDS

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,80}>")
_NOT_WORD = re.compile(r"[^0-9a-z]+")
_GREEK = str.maketrans(
    {"α": " alpha ", "β": " beta ", "γ": " gamma ", "δ": " delta ", "κ": " kappa ", "μ": "u", "ω": " omega "}
)
_BRITISH = tuple((row[1], row[2]) for row in table("title_words").rows if row[0] == "british")
_STOP_WORDS = frozenset(words("title_words", "small"))
_DESIGN_WORDS = frozenset(words("title_words", "design"))
"""Words of a subtitle that only says how the study was made; sources often drop such a subtitle."""

_RETRACTED_PREFIX = re.compile(r"^\W*(?:retracted(?: article)?|article retracted)\W*[:\-–—.\])]\s*", re.IGNORECASE)
_WITHDRAWN_PREFIX = re.compile(r"^\W*(?:withdrawn(?: article)?|article withdrawn)\W*[:\-–—.\])]\s*", re.IGNORECASE)
_NOTICE_PREFIX = re.compile(
    # "Correction of anaemia with epoetin" and "Retraction of the tympanic membrane" are articles: a colon, "to" or the
    # word notice must follow.
    r"^\W*(?:(?:author|publisher)(?:['’]s)? )?(?:"
    r"(?P<retraction>(?:notice of )?retraction(?: notice| note| statement)?"
    r"(?:\s*:| (?:notice|note) (?:to|for|of)\b| to\b)"
    r"|notice of retraction|withdrawal notice|removal notice|statement of retraction|retraction\W*$)"
    r"|(?P<correction>(?:errat(?:um|a)|corrigend(?:um|a))\b(?: (?:to|for|in|on)\b)?|corrections?(?:\s*:| to\b|\W*$)"
    r"|correction notice|department of error)"
    r"|(?P<concern>(?:editorial )?(?:note|notice|expression) of concern\b)"
    r")\s*[:\-–—.]*\s*",
    re.IGNORECASE,
)
_COMMENT_PREFIX = re.compile(
    r"^\W*(?:re\s*:|comments? (?:on|to)\b|commentary(?: on\b|:)|reply(?: to\b|\s*:|\W*$)"
    r"|(?:author'?s?'?|authors’) (?:reply|response)|in reply|response to\b"
    r"|letter(?: to the editor| by\b| regarding\b|:)|editorial(?:\s*:|\W*$)|invited commentary|viewpoint:)"
    r"|\bletter to the editor\b|\b(?:the )?authors?['’]? (?:reply|response)\W*$",
    re.IGNORECASE,
)
_DERIVED = re.compile(
    r"\b(?:study protocol|protocol (?:for|of)|a protocol|rationale and design|design and rationale|rationale, design"
    r"|statistical analysis plan|baseline characteristics|secondary analys[ie]s|sub-?group analys[ie]s|post[- ]hoc"
    r"|sub-?stud(?:y|ies)|long[- ]term follow[- ]up|extension)\b",
    re.IGNORECASE,
)


class TitleKind(Enum):
    """What a title alone says about the kind of work."""

    WORK = "work"
    RETRACTION = "retraction"
    CORRECTION = "correction"
    CONCERN = "concern"
    COMMENT = "comment"
    DERIVED = "derived"
    """A protocol, a secondary analysis, an extension: it belongs to a work and is another one."""


NOTICE_KINDS = frozenset({TitleKind.RETRACTION, TitleKind.CORRECTION, TitleKind.CONCERN})


def strip_markup(title: str) -> str:
    """The title without tags (`<i>`, `<sub>`) and with white space folded."""
    return " ".join(_TAG.sub("", title).split())


def is_marked_retracted(title: str) -> bool:
    """True for "RETRACTED: ...": the article itself, marked by its publisher; not a notice."""
    return _RETRACTED_PREFIX.match(title) is not None


def is_marked_withdrawn(title: str) -> bool:
    """True for "WITHDRAWN: ...", e.g. a Cochrane review that its authors no longer stand for."""
    return _WITHDRAWN_PREFIX.match(title) is not None


@lru_cache(maxsize=20_000)
def title_kind(title: str) -> TitleKind:
    """Whether the title is that of a work, or of something about a work."""
    if match := _NOTICE_PREFIX.match(title):
        return TitleKind(match.lastgroup)
    if _COMMENT_PREFIX.search(title):
        return TitleKind.COMMENT
    if _DERIVED.search(title):
        return TitleKind.DERIVED
    return TitleKind.WORK


def title_of_subject(title: str) -> str:
    """The title of the work that a notice is about: what follows "Retraction:", "Erratum to:", ..."""
    return _NOTICE_PREFIX.sub("", title, count=1).strip(" \"“”'‘’[]")


@lru_cache(maxsize=20_000)
def fold_title(title: str) -> str:
    """Lower-case ASCII words of a title, one space between; markers such as "RETRACTED:" are left out."""
    text = _WITHDRAWN_PREFIX.sub("", _RETRACTED_PREFIX.sub("", strip_markup(title)))
    text = unicodedata.normalize("NFKD", text.translate(_GREEK)).casefold()
    text = "".join(c for c in text if not unicodedata.combining(c)).replace("'", "").replace("’", "")
    text = _NOT_WORD.sub(" ", text).strip()
    for british, american in _BRITISH:
        text = text.replace(british, american)
    return text


def n_words(folded: str) -> int:
    """Number of words that carry meaning."""
    return sum(1 for word in folded.split() if word not in _STOP_WORDS)


def same_title(first: str, second: str) -> bool:
    """Whether two folded titles name the same work, given that author and year agree.

    Equal but for small words, one typing error per long word, and a subtitle that only says the design.
    """
    if first == second or first.replace(" ", "") == second.replace(" ", ""):
        return True
    shorter, longer = sorted((first, second), key=len)
    if longer.startswith(shorter + " "):
        return _is_only_design(longer[len(shorter) :].split())
    if ratio(first, second, score_cutoff=THRESHOLDS.min_title_ratio) < THRESHOLDS.min_title_ratio:
        return False
    telling, others = (_content_words(first), _content_words(second))
    if len(telling) != len(others):
        return False
    return all(a == b or _is_typo(a, b) for a, b in zip(telling, others, strict=True))


def _content_words(folded: str) -> list[str]:
    return [word for word in folded.split() if word not in _STOP_WORDS]


def _is_only_design(subtitle: list[str]) -> bool:
    return all(word in _DESIGN_WORDS or word in _STOP_WORDS for word in subtitle)


def _is_typo(word: str, other: str) -> bool:
    """One letter apart in long words; the first letter must agree: "symptomatic" is not "asymptomatic"."""
    if (
        min(len(word), len(other)) < THRESHOLDS.min_typo_letters
        or word[0] != other[0]
        or not (word.isalpha() and other.isalpha())
    ):
        return False
    return Levenshtein.distance(word, other, score_cutoff=1) <= 1
