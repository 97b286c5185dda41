"""What the scripted writer understands of a sentence: one finding in slots, each a run of the source's words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

from tests.fakes.models.writing.figures import Figures
from tests.fakes.models.writing.words import own


class Family(StrEnum):
    """The kinds of finding that the writer can tell anew."""

    EFFECT = "effect"
    """subject reduced outcome compared with other"""
    NO_EFFECT = "no_effect"
    """subject did not reduce outcome; word "" = had no effect on it"""
    COMPARISON = "comparison"
    """outcome was higher {subject} than {other}; both arms keep their preposition"""
    NO_DIFFERENCE = "no_difference"
    """outcome did not differ between subject and other"""
    LINK = "link"
    """subject was associated with outcome"""
    NO_LINK = "no_link"
    PAIR = "pair"
    """outcome occurred in x {subject} and y {other}"""
    SHARE = "share"
    """percent (k of n) of subject did what outcome says"""
    LEVEL = "level"
    """outcome was value"""
    ADVICE = "advice"
    """subject recommends outcome; the issuer's own"""
    HINT = "hint"
    """the authors suggest, or conclude, that outcome"""
    PLAIN = "plain"
    """a sentence that is only reworded; outcome is all of it"""


@dataclass(frozen=True)
class Fact:
    """One finding. Slots that are empty were not said."""

    family: Family
    source: str
    """The sentence it was read from, as the source prints it."""
    outcome: str
    subject: str = ""
    other: str = ""
    word: str = ""
    """Class of verb, adjective or frame, by family."""
    modal: str = ""
    """may, might, could."""
    present: bool = False
    significant: bool = False
    """Of a null finding: "no significant difference" is not "no difference"."""
    alike: bool = False
    """Said to be similar or the same, rather than not to differ."""
    by: str = ""
    """The size of an effect in percent: "reduced by 32%"."""
    trial: str = ""
    """A name that speaks for itself: "PARADIGM-HF"."""
    place: str = ""
    """What came first in the sentence, or last: "in women with asthma", "among adults"."""
    time: str = ""
    """ "at 12 months", "over a median of 3.2 years"."""
    percent: str = ""
    counts: tuple[str, str] | None = None
    figures: Figures = field(default_factory=Figures)


_NO_NOUN = frozenset(own("no noun")["words"])
_WORD = re.compile(r"(?<![\w-])[\w'’]+(?![\w-])")
_ED = re.compile(r"(?<![\w-])(\w+ed)(?![\w-])")
_PARTICIPLES = frozenset(own("participle")["words"])
_INTRANSITIVE = frozenset(own("intransitive")["words"])
"""Words in -ed before a preposition that are the verb of their sentence."""
_ENDS_OPEN = re.compile(
    r"\b(?:of|in|with|to|by|for|from|on|at|and|or|as|the|a|an|into|between|versus|vs|per|via|also|often"
    r"|about|all|after|before|during|to\s\w+ly)$|ly$",
    re.IGNORECASE,
)
_STARTS_OPEN = re.compile(
    r"^(?:following|across|between|within|throughout|among|despite|without|beyond|since|until|upon|against"
    r"|unlike|like|and|or|of|by|to|as|than|not|also|all of|per|via|from|for|with|at|on|in|after|during"
    r"|about|over|under|through|\w+ly)\b",
    re.IGNORECASE,
)
_SECOND_VERB = re.compile(
    r"\b(?:and|or) (?:in|on|at|by|to|for|from|with|between)\b|\b(?:and|or) (?:induce|lead|cause|affect"
    r"|alter|change|increases|decreases|accelerates|improves|stimulates|suppresses|delays|"
    r"lowers|raises|prolongs|impairs|enhance|reduce|increase|decrease|improve|prevent|promote|inhibit"
    r"|suppress|delay)\b(?! (?:in|of)\b)"
    r"|\b(?:and|or) (?:\w+ly )?(?!need|bed|red|seed|speed|blood|infrared)[\w-]+ed\b"
)
"""Where the phrase goes on: "urine flow or on blood pressure", "insulin and increases somatostatin"."""
_MOST_WORDS = 14


def is_plain(words: str, *, opens: bool = False, most: int = _MOST_WORDS) -> bool:
    """Whether a run of words is a noun phrase that can be moved about: no verb, no reference to other words.

    Args:
        opens: it may begin with a preposition.
    """
    if not words or len(words.split()) > most or re.search(r"[.:;()\[\]?!\"“”=<>]|\d,\s|,$|--|—|– ", words):
        return False
    if not opens and _STARTS_OPEN.match(words):
        return False
    if (
        _ENDS_OPEN.search(words)
        or any(w.lower() in _NO_NOUN for w in _WORD.findall(words))
        or _SECOND_VERB.search(words)
    ):
        return False
    return all(_is_adjective(match, words) for match in _ED.finditer(words))


def _is_adjective(match: re.Match[str], words: str) -> bool:
    """Whether a word in -ed belongs to a noun: "the proposed method", "patients admitted to a ward"."""
    if match[1].lower() in _PARTICIPLES:
        return True
    before, after = words[: match.start()].split()[-1:], words[match.end() :].split()[:1]
    if (
        after
        and after[0] not in {"in", "by", "to"}
        and before
        and before[0].lower() in {"the", "a", "an", "of", "in", "with", "for"}
    ):
        return True
    return (
        bool(after)
        and after[0] in {"with", "to", "for", "from", "at"}
        and before != []
        and match[1].lower() not in _INTRANSITIVE
    )
