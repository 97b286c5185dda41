"""Passages: what is scored in stage 2 and cited in the answer. Whole sentences, with their exact places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openwork_contracts.evidence import EvidenceCandidate, TextOrigin
from openwork_contracts.ranking import TextSection
from openwork_evidence.library.references import recommending_summary
from openwork_evidence.origins import full_text_origin
from openwork_evidence.text import ABSTRACT_SECTION, OUR_SUMMARY_SECTION, abstract_text
from openwork_knowledge.patterns import pattern
from openwork_language.sentences import split_sentences

PASSAGE_CHARS = 1000
"""Aimed-at length: 150 to 200 words, one argument. A single longer sentence stays whole."""
OVERLAP_CHARS = 200
"""At most so much of the end of a passage is repeated at the start of the next, in whole sentences."""
WHOLE_ABSTRACT_CHARS = 1800
"""An abstract up to this long is one passage: its numbers belong to the population named at its start."""
MIN_PASSAGE_CHARS = 40
"""Anything shorter is a heading or a remnant; nobody cites it."""
HEADINGS_JOINER = " > "

_NOT_EVIDENCE = re.compile(rf"{pattern('headings-without-findings')}\b", re.IGNORECASE)
"""Headings of sections that hold no findings."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of whole sentences: `text` is exactly [start, end) of its section's text."""

    passage_id: str
    """`<candidate_id>#<section's place>:<start>`: unique in a run, the same whenever the same text is split."""
    candidate_id: str
    section: str
    """Headings from the outermost in, joined by " > "; "Abstract" for the abstract as `abstract_text` renders it."""
    kind: str
    """As in `TextSection`."""
    start: int
    end: int
    text: str
    text_origin: TextOrigin
    """Whose words they are."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A text to be split, with what its passages say of it."""

    section: str
    kind: str
    text: str
    whole_chars: int
    origin: TextOrigin


def split_passages(
    candidate: EvidenceCandidate,
    sections: Sequence[TextSection] = (),
    *,
    passage_chars: int = PASSAGE_CHARS,
    overlap_chars: int = OVERLAP_CHARS,
) -> tuple[Passage, ...]:
    """The passages of a work: its abstract first, then each section of its full text that may hold findings.

    A full text's own copy of the abstract is used only when the candidate has none, or only our summary, whose place it
    takes. No sentence is cut, no passage spans two sections, and nothing but white space between sentences is left out.
    """
    work = candidate.candidate_id
    return tuple(
        Passage(f"{work}#{place}:{start}", work, p.section, p.kind, start, end, p.text[start:end], p.origin)
        for place, p in enumerate(_parts(candidate, sections, passage_chars))
        for start, end in _spans(p.text, passage_chars, overlap_chars, p.whole_chars)
        if end - start >= MIN_PASSAGE_CHARS or place == 0
    )


def _parts(candidate: EvidenceCandidate, sections: Sequence[TextSection], passage_chars: int) -> list[_Part]:
    ours = candidate.text_origin is TextOrigin.OUR_SUMMARY
    replaced = ours and any(section.kind == "abstract" and section.text.strip() for section in sections)
    abstract = "" if replaced else abstract_text(candidate)
    parts = []
    if abstract:
        parts.append(_Part(ABSTRACT_SECTION, "abstract", abstract, WHOLE_ABSTRACT_CHARS, candidate.text_origin))
    still_ours = abstract_text(candidate) if replaced and candidate.recommendations else recommending_summary(candidate)
    if still_ours:
        origin = TextOrigin.OUR_SUMMARY
        parts.append(_Part(OUR_SUMMARY_SECTION, "abstract", still_ours, WHOLE_ABSTRACT_CHARS, origin))
    of_the_text = full_text_origin(candidate.study_design)
    for section in sections:
        if (section.kind == "abstract" and abstract) or _holds_no_findings(section):
            continue
        whole = WHOLE_ABSTRACT_CHARS if section.kind == "abstract" else passage_chars
        name = HEADINGS_JOINER.join(section.path) or section.kind.replace("_", " ").capitalize()
        parts.append(_Part(name, section.kind, section.text, whole, of_the_text))
    return parts


def _holds_no_findings(section: TextSection) -> bool:
    return any(_NOT_EVIDENCE.match(heading.strip(" .:0123456789")) for heading in section.path)


def _spans(text: str, passage_chars: int, overlap_chars: int, whole_chars: int) -> Iterator[tuple[int, int]]:
    """Spans of the passages: sentences are packed up to `passage_chars`, or all together up to `whole_chars`."""
    sentences = [(s.start, s.end) for s in split_sentences(text)]
    if not sentences:
        return
    if sentences[-1][1] - sentences[0][0] <= whole_chars:
        yield sentences[0][0], sentences[-1][1]
        return
    first = 0
    while True:
        last = _last_that_fits(sentences, first, passage_chars)
        if sentences[-1][1] - sentences[last][1] <= overlap_chars:  # the rest is too little for a passage of its own
            last = len(sentences) - 1
        yield sentences[first][0], sentences[last][1]
        if last == len(sentences) - 1:
            return
        first = _next_first(sentences, first, last, overlap_chars)


def _last_that_fits(sentences: Sequence[tuple[int, int]], first: int, chars: int) -> int:
    last = first
    while last + 1 < len(sentences) and sentences[last + 1][1] - sentences[first][0] <= chars:
        last += 1
    return last


def _next_first(sentences: Sequence[tuple[int, int]], first: int, last: int, overlap_chars: int) -> int:
    """The earliest sentence after `first` from which at most `overlap_chars` are repeated."""
    start = last + 1
    while start - 1 > first and sentences[last][1] - sentences[start - 1][0] <= overlap_chars:
        start -= 1
    return start
