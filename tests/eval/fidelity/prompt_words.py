"""Outcomes and arms of Evidence Inference made fit to stand in a sentence, or turned away.

Annotators typed them for a form, not for prose: "group D received dexmedetomidine ...", "1)I believe this treatment
...", HTML entities escaped three times. A claim that is to be right for certain may only be made of a phrase that
reads as one thing; everything else is dropped, by rules that look at the words of the prompt alone.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

MAX_ARM_WORDS = 12
MAX_OUTCOME_WORDS = 14
# A list of arms, or a sentence about a group: what is said of "the intervention" then holds of several things.
_NOT_AN_ARM = re.compile(
    r"////|[,;<>≤≥]|^(?:did|do|does|from|access|participat\w+|conduct\w+|baseline|no further)\b"
    r"|\b(?:was|were|is|are|alone \(as)\b",
    re.IGNORECASE,
)
_ARM_HEAD = re.compile(
    r"^(?:(?:the|an?|another)\s+)?(?:[\w-]+\s+){0,3}group\s+(?:[A-Z]{1,3}\s+)?(?:\([A-Z]+\)\s+)?(?:received|"
    r"consumed)\s+"
    r"|^group [A-Z] received\s+|^(?:received?|provide[ds]?|consumed|sleep with|treatment with|control group -)\s+"
    r"|^control - only\s+",
    re.IGNORECASE,
)
# "(ETN + MTX)", "(TGD)" stay: readers use them; doses, counts and remarks in brackets go.
_BRACKET = re.compile(r"\s+\((?![A-Z][\w/+-]{0,9}(?: \+ [A-Z]\w+)?\))[^()]*\)")
_NOT_AN_OUTCOME = re.compile(
    r"^\d\)|\b(?:believe|believing|seems|rated|used|is|are|was|were|would|when|acceptable)\b|[<>=;:‘’]", re.IGNORECASE
)
_TURNED = re.compile(
    r"^(?:mean |average |overall |total |the )*"
    r"(reduc|decreas|declin|change|differen|loss|improve|protect|increas|relief|movement)",
    re.IGNORECASE,
)
_GAINS = ("improve", "protect", "relief", "increas")
_TIME = re.compile(r"\b(?:times?|duration|demand)\b", re.IGNORECASE)
_EVENT = re.compile(
    r"(?:adverse events?|side effects|nausea|vomiting|diarrhoea|parkinsonism|dystonia|akathisia|discontinuation|rash)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm as a phrase."""

    name: str
    is_noun: bool
    """Not so for "without a social media experience"."""

    @property
    def given(self) -> str:
        """ "with X", or the phrase as it is."""
        return f"with {self.name}" if self.is_noun else self.name


@dataclass(frozen=True, slots=True)
class Outcome:
    """One outcome as a phrase, and which words fit its direction."""

    name: str
    plural: bool
    turned: str = ""
    """The beginning of a leading word that names a direction itself: "improve", "reduc"; else empty."""
    is_time: bool = False
    is_event: bool = False

    @property
    def was(self) -> str:
        """The verb's number."""
        return "were" if self.plural else "was"

    @property
    def first(self) -> str:
        """At the beginning of a sentence."""
        return self.name[0].upper() + self.name[1:]

    @property
    def allows_effects(self) -> bool:
        """Whether "greater" of it is surely what the label "increased" means.

        Of "improvement in" and "protection against" it is. Of "reduction of", "change in", "difference of" annotators
        labelled now the phrase and now the quantity in it, so nothing certain can be said.
        """
        return not self.turned or self.turned in _GAINS


def read_arm(words: str) -> Arm | None:
    """The arm's phrase, or None where it is no single thing."""
    text = _unescaped(words)
    text = _ARM_HEAD.sub("", text)
    text = re.sub(r"\s+", " ", _BRACKET.sub("", text)).strip(" .-")
    if not text or text.count("(") != text.count(")") or _NOT_AN_ARM.search(text):
        return None
    if len(text.split()) > MAX_ARM_WORDS:
        return None
    return Arm(_lowered(text), not re.match(r"(?:with|without)\b", text, re.IGNORECASE))


def read_outcome(words: str) -> Outcome | None:
    """The outcome's phrase, or None where it is a statement or a list too long to read."""
    text = re.sub(r"^(?:the)\s+", "", _unescaped(words), flags=re.IGNORECASE).strip(" .,")
    text = re.sub(r"\s+([,)])", r"\1", re.sub(r"\(\s+", "(", text))
    if not text or len(text.split()) > MAX_OUTCOME_WORDS or _NOT_AN_OUTCOME.search(text):
        return None
    head = re.split(r"\b(?:of|in|on|at|to|against|for|during|per|from|among|up)\b", text)[0].strip()
    plural = bool(re.search(r"\band\b|\bor\b|,|^\w+[^sui]s\b|[^sui]s(?:\s*\([^)]*\))?$", head))
    turned = _TURNED.match(text)
    return Outcome(
        _lowered(text),
        plural,
        turned.group(1).lower() if turned else "",
        bool(_TIME.search(head)) and "," not in text,
        bool(_EVENT.search(text)),
    )


def _unescaped(words: str) -> str:
    for _ in range(4):  # "&amp;amp;nbsp;" is in the file
        words = html.unescape(words)
    return re.sub(r"\s+", " ", words).strip()


def _lowered(text: str) -> str:
    """The first letter small unless the word is a name or an abbreviation."""
    first = text.split()[0].strip("()")
    return text[0].lower() + text[1:] if first[2:].islower() and first.lower() not in _NAMES else text


_NAMES = frozenset({"bronchitis", "dependence", "alzheimer"})
