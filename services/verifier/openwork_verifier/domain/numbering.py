"""Citation numbers as the reader sees them: 1, 2, 3 in order of first appearance.

The evidence pack is numbered by rank, and an answer cites some of it; works that are not cited keep numbers after those
that are, so that the gap analysis can still name them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from openwork_contracts.answer import AnswerSection, Reference
from openwork_contracts.cells import ResultCell
from openwork_contracts.conclusion import Conclusion, GuidelineStatement, NearestSentence, Regimen, StudyResult
from openwork_contracts.gap import GapAssessment
from openwork_contracts.verdict import ClaimVerdict, EvidenceSpan, VerdictReason

_MARK = re.compile(
    r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'(?!\w)|"(?:[^"\\]|\\.)*")"""  # what is quoted keeps its own brackets
    r"|\[(\d{1,4})\]"
)


class Numbering:
    """A permutation of citation numbers, applied to everything that carries them."""

    def __init__(self, cited: Sequence[int], *, n_documents: int) -> None:
        """Cited numbers in order of appearance; those that stand for no document take no place among the others."""
        known = range(1, n_documents + 1)
        order = dict.fromkeys([*(n for n in cited if n in known), *known])
        self._new = {old: new for new, old in enumerate(order, start=1)}

    def of(self, n: int) -> int:
        """The reader's number; a number that stands for no document is left as it is."""
        return self._new.get(n, n)

    def claims(self, claims: Iterable[ClaimVerdict]) -> tuple[ClaimVerdict, ...]:
        """Claims with their citations, spans, reasons and cells renumbered."""
        return tuple(
            claim.model_copy(
                update={
                    "citations": tuple(self.of(n) for n in claim.citations),
                    "evidence": tuple(self._span(span) for span in claim.evidence),
                    "reasons": tuple(map(self._reason, claim.reasons)),
                    "cells": tuple(map(self._cell, claim.cells)),
                }
            )
            for claim in claims
        )

    def _span(self, span: EvidenceSpan) -> EvidenceSpan:
        return span.model_copy(update={"n": self.of(span.n)})

    def _reason(self, reason: VerdictReason) -> VerdictReason:
        look_at = self._span(reason.look_at) if reason.look_at else None
        detail = _MARK.sub(lambda found: f"[{self.of(int(found[1]))}]" if found[1] else found[0], reason.detail)
        return reason.model_copy(update={"look_at": look_at, "detail": detail})

    def _cell(self, cell: ResultCell) -> ResultCell:
        if cell.place is None or cell.place.n is None:
            return cell
        return cell.model_copy(update={"place": cell.place.model_copy(update={"n": self.of(cell.place.n)})})

    def sections(self, sections: Iterable[AnswerSection]) -> tuple[AnswerSection, ...]:
        """Sections with their claims renumbered; a number without a document has no reference and is not printed."""
        return tuple(
            section.model_copy(update={"claims": self.claims(self._known(c) for c in section.claims)})
            for section in sections
        )

    def _known(self, claim: ClaimVerdict) -> ClaimVerdict:
        return claim.model_copy(update={"citations": tuple(n for n in claim.citations if n in self._new)})

    def references(self, references: Iterable[Reference]) -> tuple[Reference, ...]:
        """References renumbered, in order of their numbers."""
        moved = [reference.model_copy(update={"n": self.of(reference.n)}) for reference in references]
        return tuple(sorted(moved, key=lambda reference: reference.n))

    def gap(self, gap: GapAssessment) -> GapAssessment:
        """The gap assessment renumbered; the summaries of contradictions are written anew by whoever prints them."""
        return gap.model_copy(
            update={
                "aspects": tuple(
                    aspect.model_copy(update={"citations": tuple(sorted(self.of(n) for n in aspect.citations))})
                    for aspect in gap.aspects
                ),
                "contradictions": tuple(
                    c.model_copy(
                        update={
                            "first": self.of(c.first),
                            "second": self.of(c.second),
                            "summary": _renumbered(c.summary, c.first, c.second, self),
                        }
                    )
                    for c in gap.contradictions
                ),
            }
        )

    def conclusion(self, conclusion: Conclusion | None) -> Conclusion | None:
        """The answer object renumbered."""
        if conclusion is None:
            return None
        moved = {name: self._moved(getattr(conclusion, name)) for name in Conclusion.model_fields}
        harm_n = self.of(conclusion.harm_n) if conclusion.harm_n else None
        return conclusion.model_copy(
            update={**moved, "harm_n": harm_n, "about": tuple(self.of(n) for n in conclusion.about)}
        )

    def _moved(self, value: object) -> object:
        """What has a number renumbered, one or a row of them; the rest as it is."""
        if isinstance(value, tuple):
            return tuple(map(self._moved, value))
        if isinstance(value, StudyResult | NearestSentence | GuidelineStatement | Regimen):
            return value.model_copy(update={"n": self.of(value.n)})
        return value


def _renumbered(summary: str, first: int, second: int, numbering: Numbering) -> str:
    """ "[1] reports ..., while [3] reports ..." with the reader's numbers."""
    marked = summary.replace(f"[{first}]", "[\x00]").replace(f"[{second}]", "[\x01]")
    return marked.replace("[\x00]", f"[{numbering.of(first)}]").replace("[\x01]", f"[{numbering.of(second)}]")
