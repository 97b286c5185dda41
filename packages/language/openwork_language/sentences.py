"""Sentences with their places in the text, for abstracts, full text and markdown answers.

A stop is no end of a sentence in "0.79", "vs.", "et al.", "E. coli", "Fig. 2"; a citation mark after the stop
belongs to the sentence before it. Headings, list items and table rows end where their line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from openwork_knowledge.tables import words

# Abbreviations that stand before the word they belong to: never the end of a sentence.
_BEFORE_WORD = frozenset(words("sentence-ends", "before_word"))
# Abbreviations that may also stand at the end: a boundary only where a usual first word follows.
_MAY_END = frozenset(words("sentence-ends", "may_end"))
_STARTERS = frozenset(words("sentence-ends", "starter"))
# A single letter before the stop is an initial or a genus ("E. coli") unless it ends a name such as "hepatitis B".
_LETTER_ENDS_NAME = frozenset(words("sentence-ends", "letter_ends_name"))
_BULLET = re.compile(r"[ \t]*(?:[-*+•◦▪–]|\(?\d{1,2}[.)]|\([a-z]\))[ \t]+")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+\S")
_RULE = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$|[ \t]*```.*$|[ \t]*\|?[ \t:|-]*-{2,}[ \t:|-]*\|?[ \t]*$")
_CITATION_RUN = r"(?:\s?\[\^?\s*\d{1,3}(?:\s*[-–—,;]\s*\d{1,3})*\s*\])*"
_STOP = re.compile(
    r"(?P<stop>[.!?…]+)(?P<close>[\"'”’)\]*_]*)(?P<cite>" + _CITATION_RUN + r")(?=\s|$|(?<=[a-z)]\.)[A-Z][a-z]+\s)"
)
_LAST_TOKEN = re.compile(r"[^\s(\[\"'“‘]+$")
_NEXT_TOKEN = re.compile(r"[\s\"'“‘(\[*_]*(\S*)")
# A soft-wrapped line is at least this long; a shorter line without a stop is a line of its own (a list, a record).
_WRAPPED_LINE_CHARS = 60
# Longest parenthesis that is kept whole even if a stop is inside it, in characters.
_PARENTHESIS_CHARS = 250


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence; `text` is exactly `source[start:end]`, without the list marker before it."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=2048)
def split_sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text in order; nothing but white space, list markers and rules lies between them."""
    return tuple(
        Sentence(text[start:end], start, end)
        for block_start, block_end, whole in _blocks(text)
        for start, end in ([(block_start, block_end)] if whole else _split_block(text, block_start, block_end))
    )


def is_heading(text: str) -> bool:
    """Whether a sentence is a markdown heading (`## Evidence`) or a line wholly in bold (`**Evidence**`)."""
    stripped = text.strip()
    if _HEADING.match(stripped):
        return True
    return stripped.startswith("**") and stripped.rstrip(":").endswith("**") and stripped.count("**") == 2


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Stretches that hold whole sentences: (start, end, is one sentence). Joined over soft line breaks."""
    start = end = -1
    position = 0
    for line in text.splitlines(keepends=True):
        line_start, position = position, position + len(line)
        body = line.rstrip()
        left = line_start + len(line) - len(line.lstrip())
        if not body.strip() or _RULE.match(body):
            if start >= 0:
                yield start, end, False
            start = -1
            continue
        whole = bool(_HEADING.match(body)) or body.lstrip().startswith("|") or " | " in body
        bullet = _BULLET.match(body)
        if start >= 0 and (whole or bullet or not _continues(text[start:end], body, text, end)):
            yield start, end, False
            start = -1
        if whole:
            yield left, line_start + len(body), True
            continue
        if start < 0:
            start = line_start + bullet.end() if bullet else left
        end = line_start + len(body)
    if start >= 0:
        yield start, end, False


def _continues(block: str, body: str, text: str, end: int) -> bool:
    """Whether a line carries on the sentence of the line before it (a soft line break)."""
    last_line = block[block.rfind("\n") + 1 :]
    if last_line.rstrip("*_\"')]”’")[-1:] in {".", "!", "?", ":", ";"}:
        return False
    first = body.lstrip()[:1]
    if body[:1] in {" ", "\t"} and not last_line[:1].isspace() and not first.islower():
        return False
    return first.islower() or len(last_line) >= _WRAPPED_LINE_CHARS


def _split_block(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    sentence_start = start
    for match in _STOP.finditer(text, start, end):
        if match.end() >= end:
            break
        if match.start() < sentence_start:
            continue
        cut = _boundary(text, sentence_start, end, match)
        if cut is None:
            continue
        yield sentence_start, cut
        sentence_start = cut
        while sentence_start < end and text[sentence_start].isspace():
            sentence_start += 1
    if sentence_start < end:
        yield sentence_start, end


def _boundary(text: str, start: int, end: int, match: re.Match[str]) -> int | None:
    """Where the sentence ends that stops at `match`, or None where it goes on."""
    following = _NEXT_TOKEN.match(text, match.end(), end)
    word = following.group(1) if following else ""
    cut = match.end()
    if match["cite"] and match["cite"][0].isspace() and word[:1].islower():
        # "... bleeding. [1] found that": the mark opens the next sentence.
        word, cut = "[", match.end("close")
    if _inside_parenthesis(text, start, match.start(), end):
        return None
    if match["stop"][0] != ".":
        return None if word[:1].islower() else cut
    last = _LAST_TOKEN.search(text, max(start, match.start() - 40), match.start())
    return cut if _ends_after(last.group().lower() if last else "", last, text, start, word) else None


def _ends_after(before_stop: str, last: re.Match[str] | None, text: str, start: int, word: str) -> bool:
    """Whether a stop after `before_stop` ends the sentence when `word` follows."""
    starter = word.rstrip(",;:").lower() in _STARTERS and word[:1].isupper()
    if before_stop in _BEFORE_WORD:
        return False
    if before_stop == "no":
        return not word[:1].isdigit()
    if before_stop in _MAY_END:
        return starter
    if len(before_stop) == 1 and before_stop.isalpha() and last is not None:
        before = text[max(start, last.start() - 30) : last.start()].rsplit(None, 1)
        named = bool(before) and before[-1].strip("(),").lower() in _LETTER_ENDS_NAME
        return not word[:1].islower() and (named or starter)
    if word[:1].islower():
        inner_capital = any(c.isupper() or c.isdigit() for c in word[1:4])
        return inner_capital or (before_stop.isalpha() and len(before_stop) >= 5)
    return True


def _inside_parenthesis(text: str, start: int, stop: int, end: int) -> bool:
    """Whether a parenthesis opened in this sentence is still open at `stop` and closes soon after."""
    opened = text.rfind("(", start, stop)
    if opened < 0 or text.find(")", opened, stop) >= 0:
        return False
    closed = text.find(")", stop, min(end, opened + _PARENTHESIS_CHARS))
    return closed > stop + 1
