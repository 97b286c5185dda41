"""What the program of a run may say of its evidence as a set: the synthesiser's sentences, from the same records.

A sentence of that form from anywhere else (a language model, a text that imitates the form) is not among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openwork_contracts.evidence import EvidenceCandidate, EvidenceStatus, StudyDesign
from openwork_contracts.gap import GapAssessment
from openwork_contracts.ranking import RankedPassage
from openwork_knowledge.statuses import is_void

_FOUND = "The evidence found"
_CUT = "..."
"""Ends a title that is not shown whole."""


@dataclass(frozen=True, slots=True)
class Note:
    """One source of which the program warns: the sentence before its title, the title, and what follows in brackets."""

    before: str
    title: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class OwnStatements:
    """Sentences word for word, and notes, whose titles may be cut short."""

    sentences: frozenset[str]
    notes: tuple[Note, ...] = ()

    def says(self, text: str) -> bool:
        """Whether the program may have written this sentence."""
        folded = _folded(text)
        return folded in self.sentences or any(_is_note(folded, note) for note in self.notes)


def own_statements(
    gap: GapAssessment, documents: Sequence[EvidenceCandidate], passages: Sequence[RankedPassage]
) -> OwnStatements:
    """Of a run: what its assessment misses, its newest year, and the works a reader is warned of."""
    sentences = [f"{_FOUND} contains no {missing}." for missing in gap.missing_elements]
    if gap.newest_year is not None:
        sentences.append(f"{_FOUND} contains no source published after {gap.newest_year}.")
    return OwnStatements(frozenset(map(_folded, sentences)), tuple(_notes(documents, passages)))


def _notes(documents: Sequence[EvidenceCandidate], passages: Sequence[RankedPassage]) -> Iterator[Note]:
    misfits = {passage.n: passage.fit.message for passage in passages if passage.fit.misfit}
    for n, document in enumerate(documents, start=1):
        if is_void(document.status):
            yield Note(f"{_FOUND} includes a {document.status.value} source, which was not used: ", document.title)
        if document.status is EvidenceStatus.CONCERN:
            yield Note(f"{_FOUND} is limited by an expression of concern about one source: ", document.title)
        if n in misfits:
            why = (misfits[n] or "it tested something else").rstrip(". ")
            yield Note(f"{_FOUND} includes a trial that did not test what was asked: ", document.title, f" ({why})")
        if document.study_design is StudyDesign.PREPRINT:
            yield Note(f"{_FOUND} includes a preprint that is not peer reviewed: ", document.title)


def _is_note(sentence: str, note: Note) -> bool:
    after = _folded(f"{note.why}.")
    if not sentence.startswith(note.before) or not sentence.endswith(after):
        return False
    shown = sentence.removeprefix(note.before).removesuffix(after).removesuffix(_CUT).strip()
    return bool(shown) and _as_shown(note.title).startswith(shown)


def _as_shown(title: str) -> str:
    """As the synthesiser names a source in a sentence."""
    return _folded(title.rstrip(". ").replace(";", ","))


def _folded(text: str) -> str:
    return " ".join(text.split())
