"""PRISMA 2020 counts of a screened review: every record has one fate, and the numbers add up from first to last.

Source: Page 2021, DOI 10.1136/bmj.n71.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from openwork_contracts.evidence import PrismaCounts

from openwork_screening.choose import Chosen
from openwork_screening.decide import Outcome, ScreeningDecision


@dataclass(frozen=True, slots=True)
class ScreeningFlow:
    """Numbers of one track.

    identified = duplicates + not_screened + screened; screened = sum(excluded) + undecided + included_records;
    included_records = studies_read + studies_never_read + further_reports.
    """

    identified: int
    duplicates: int
    not_screened: int
    """Notices, and records with nothing to read."""
    screened: int
    excluded: Mapping[str, int]
    """By criterion, the greatest first."""
    undecided: int
    """Unsure for rules, and nobody else decided: not read, and said so."""
    included_records: int
    further_reports: int
    """Of studies that have another report: one study counts once."""
    studies_read: int
    studies_never_read: int

    @property
    def adds_up(self) -> bool:
        """Whether every record has exactly one fate."""
        first = self.duplicates + self.not_screened + self.screened
        second = sum(self.excluded.values()) + self.undecided + self.included_records
        last = self.studies_read + self.studies_never_read + self.further_reports
        return (self.identified, self.screened, self.included_records) == (first, second, last)


def screening_flow(counts: PrismaCounts, decisions: Iterable[ScreeningDecision], chosen: Chosen) -> ScreeningFlow:
    """The flow of one track.

    Args:
        counts: the normaliser's, of the same records.
        decisions: one for each record that was screened.
        chosen: of the studies whose records were included.
    Raises:
        ValueError: a record has two decisions or none: the message says how many.
    """
    made = list(decisions)
    if len({one.candidate_id for one in made}) != len(made) or len(made) != counts.screened:
        raise ValueError(f"{len(made)} decisions on {counts.screened} screened records: each needs exactly one")
    by_outcome = Counter(one.outcome for one in made)
    excluded = Counter(one.criterion or "other" for one in made if one.outcome is Outcome.EXCLUDE)
    studies = (*chosen.read, *chosen.never_read)
    reports = sum(len(study.reports) for study in studies)
    return ScreeningFlow(
        identified=counts.identified,
        duplicates=counts.duplicates,
        not_screened=counts.excluded_notices + counts.excluded_no_text,
        screened=counts.screened,
        excluded=dict(excluded.most_common()),
        undecided=by_outcome[Outcome.UNSURE],
        included_records=by_outcome[Outcome.INCLUDE],
        further_reports=reports - len(studies),
        studies_read=len(chosen.read),
        studies_never_read=len(chosen.never_read),
    )
