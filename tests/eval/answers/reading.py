"""What a reader sees first of an answer, and whether it holds a string or a number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_language.sentences import split_sentences

_HEADING = re.compile(r"^#{1,6}\s")
_CITATION = re.compile(r"\[\d+(?:\s*[,–-]\s*\d+)*\](?:\([^)]*\))?")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\d])")
_PLAIN = str.maketrans({"·": ".", "–": "-", "—": "-", "−": "-", "‑": "-", "\u00a0": " ", "\u202f": " ", "\u2009": " "})
_MARKUP = str.maketrans("", "", "*\\`>")


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer as it is read, in lower case, without marks of markup and citation."""

    silent: bool
    """Ended without an answer: too little evidence, or rejected."""
    first_sentence: str
    """A bold phrase that ends in a full stop is one."""
    first: str
    """Everything before the first table and before the second heading."""
    table: str
    """The first table; empty where there is none."""
    whole: str
    verdict: str | None
    """The verdict the document names; `None` = it names none."""
    has_harms: bool
    """The document has a field of harms that is not empty."""

    @property
    def front(self) -> str:
        """First part and table: where the answer has to stand. The table of a silent one is of what stands nearest."""
        return self.first if self.silent else f"{self.first}\n{self.table}"


def read(document: AnswerDocument) -> Reading:
    """The parts of an answer, in either layout: prose under headings, or a verdict with a table."""
    first, table = parts(document.answer.markdown)
    conclusion = getattr(document, "conclusion", None)
    verdict = getattr(conclusion, "verdict", None)
    return Reading(
        silent=document.status in (RunStatus.TOO_LITTLE_EVIDENCE, RunStatus.REJECTED),
        first_sentence=_first_sentence(first),
        first=plain(first),
        table=plain(table),
        whole=plain(document.answer.markdown),
        verdict=None if verdict is None else str(getattr(verdict, "value", verdict)),
        has_harms=bool(getattr(conclusion, "harms", ())),
    )


def parts(markdown: str) -> tuple[str, str]:
    """The first part of an answer and its first table, as they are written."""
    lines = markdown.splitlines()
    rows = [line.lstrip("> ").startswith("|") for line in lines]
    start = rows.index(True) if True in rows else len(lines)
    end = next((i for i in range(start, len(lines)) if not rows[i]), len(lines))
    begun = next((i for i, line in enumerate(lines) if line.strip()), 0)
    heading = next((i for i in range(begun + 1, len(lines)) if _HEADING.match(lines[i])), len(lines))
    return "\n".join(lines[: min(start, heading)]), "\n".join(lines[start:end])


def plain(markdown: str) -> str:
    """Lower case, plain dots, hyphens and spaces; no markup, no citation marks."""
    return _unmarked(markdown).lower()


def numbers_in(text: str) -> frozenset[Decimal]:
    """The numbers of a plain text, without their signs; not those that are part of a word."""
    return frozenset(Decimal(found.group().replace(",", "")) for found in _NUMBER.finditer(text))


def holds(text: str, wanted: str) -> bool:
    """Whether a plain text holds one of the options of `wanted` (separated by " | ").

    A number is compared as a number. Words count from the start of a word; a last word of one or two letters counts
    whole, so that "class i" is not found in "class iii".
    """
    return any(_holds(text, option.strip().lower()) for option in wanted.split(" | "))


def holds_all(text: str, wanted: tuple[str, ...]) -> bool:
    """Whether it holds every string."""
    return all(holds(text, one) for one in wanted)


def words_in(text: str) -> int:
    """Words as a reader counts them."""
    return sum(any(c.isalnum() for c in word) for word in text.split())


def _unmarked(markdown: str) -> str:
    text = _LINK.sub(r"\1", _CITATION.sub("", markdown))
    return text.translate(_PLAIN).translate(_MARKUP).strip()


def _first_sentence(first: str) -> str:
    text = "\n".join(line for line in _unmarked(first).splitlines() if not _HEADING.match(line))
    sentences = split_sentences(text)
    return sentences[0].text.lower() if sentences else text.lower()


def _holds(text: str, option: str) -> bool:
    if _NUMBER.fullmatch(option):
        return Decimal(option.replace(",", "")) in numbers_in(text)
    end = r"(?!\w)" if len(option.split()[-1]) <= 2 else ""
    return re.search(rf"(?<![\w.]){re.escape(option)}{end}", text) is not None
