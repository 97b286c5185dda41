"""The years of publication that an asker chose: sources are asked for them, and what comes from others is left out."""

from __future__ import annotations

from dataclasses import replace

from openwork_contracts.evidence import EvidenceRecord
from openwork_contracts.question import QuestionAnalysis, years_in_words

from openwork_retrievers.domain.source import Found


def of_chosen_years(found: Found, analysis: QuestionAnalysis) -> Found:
    """What a source gave without works of other years; it says how many there were. No year known: it is kept."""
    first, last = analysis.from_year, analysis.to_year

    def is_asked_for(record: EvidenceRecord) -> bool:
        year = record.year
        return year is None or ((first is None or year >= first) and (last is None or year <= last))

    kept = tuple(filter(is_asked_for, found.records))
    n_others = len(found.records) - len(kept)
    if not n_others:
        return found
    words = f"{n_others} records were left out: they are not of {years_in_words(first, last)}, as was asked"
    return replace(found, records=kept, degradations=(*found.degradations, words))
