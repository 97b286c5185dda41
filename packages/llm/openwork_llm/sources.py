"""The evidence pack as it stands in a prompt: one numbered entry per work, what is known of it, its passages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from openwork_contracts.evidence import EvidenceCandidate, EvidenceStatus, TextOrigin
from openwork_contracts.ranking import RankedPassage

from openwork_llm.prompts import Ours, Theirs

_NOTABLE = {
    EvidenceStatus.RETRACTED: "RETRACTED, not to be used",
    EvidenceStatus.WITHDRAWN: "WITHDRAWN, not to be used",
    EvidenceStatus.CONCERN: "under an expression of concern",
    EvidenceStatus.CORRECTED: "corrected since",
}
_MOST_GRADINGS = 3


def _beginning(text: str, max_chars: int) -> str:
    return text[:max_chars]


def source_entries(
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
    *,
    max_chars: int,
    shortened: Callable[[str, int], str] = _beginning,
) -> tuple[Ours | Theirs, ...]:
    """Every work that has a passage: a line of ours with number, kind, year, marks; then its text as data.

    Args:
        max_chars: most characters of all passages of one work together.
        shortened: a passage within so many characters; its beginning unless told otherwise.
    """
    entries: list[Ours | Theirs] = []
    for n, document in enumerate(documents, start=1):
        own = sorted((p for p in passages if p.n == n), key=lambda p: (p.section, p.start))
        if own:
            entries += (
                Ours(_line(n, document, own)),
                Theirs(f"source {n}", _text(document, own, max_chars, shortened)),
            )
    return tuple(entries)


def _line(n: int, document: EvidenceCandidate, own: Sequence[RankedPassage]) -> str:
    marks = [document.study_design.value.replace("_", " "), str(document.year) if document.year else "year not given"]
    if document.status in _NOTABLE:
        marks.append(_NOTABLE[document.status])
    if any(p.text_origin is TextOrigin.OUR_SUMMARY for p in own):
        marks.append("our summary, not the source's own words")
    if any(p.fit.misfit for p in own):
        marks.append("MARKED: does not test what is asked")
    return f"[{n}] {', '.join(marks)}"


def _text(
    document: EvidenceCandidate,
    own: Sequence[RankedPassage],
    max_chars: int,
    shortened: Callable[[str, int], str],
) -> str:
    lines = [f"Title: {document.title}"]
    lines += [f"What it tested instead: {m}" for m in dict.fromkeys(p.fit.message for p in own if p.fit.misfit) if m]
    for r in document.recommendations[:_MOST_GRADINGS]:
        grading = [
            *([f"strength {r.strength}"] if r.strength else []),
            *([f"class {r.class_of_recommendation}"] if r.class_of_recommendation else []),
            *([f"level of evidence {r.level_of_evidence}"] if r.level_of_evidence else []),
        ]
        if grading:
            lines.append(f"Graded recommendation ({', '.join(grading)}): {r.text}")
    left = max_chars
    for passage in own:
        if left <= 0:
            break
        text = shortened(passage.text, left)
        if text:
            lines.append(f"Passage ({passage.section}): {text}")
        left -= len(text)
    return "\n".join(lines)
