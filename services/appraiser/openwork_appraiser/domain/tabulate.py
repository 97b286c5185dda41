"""From the studies of a review to its table."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.conclusion import Fit
from openwork_contracts.tabulation import PooledOutcome

from openwork_appraiser.domain.grouping import groups_of
from openwork_appraiser.domain.pooling import pooled_outcomes
from openwork_appraiser.domain.studies import StudyInTable

_ASKED = (Fit.ASKED, Fit.PART)


def tabulate(
    studies: Sequence[StudyInTable], tested: str, *, level: float = 0.95, most: int = 20
) -> tuple[PooledOutcome, ...]:
    """Outcomes that were asked about first, pooled ones before single studies, more studies before fewer.

    Args:
        tested: what was asked about, for a reader.
        level: of every interval, in [0.5, 0.9999].
        most: outcomes that are kept.
    """
    found = [one for group in groups_of(studies, tested) for one in pooled_outcomes(group, level)]
    return tuple(sorted(found, key=_order)[:most])


def _order(one: PooledOutcome) -> tuple[bool, bool, int]:
    return one.outcome_fit not in _ASKED, one.pooled is None, -len(one.rows)


def answers_the_question(study: StudyInTable) -> bool:
    """Whether a study has a result of the asked comparison and outcome."""
    return any(
        result.comparison_fit in _ASKED
        and result.outcome_fit in (*_ASKED, Fit.WIDER)
        and result.people_fit in (*_ASKED, Fit.WIDER)
        and result.cells
        for result in study.results
    )
