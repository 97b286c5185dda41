"""What must hold of every library record. Relative effects are recomputed from the counts."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from openwork_evidence.library.record import LibraryRecord, LibraryResult

TOLERANCE_LOG = 0.05
"""Largest |ln(recomputed / reported)| that passes without a note: a hazard ratio differs from the crude risk ratio by
censoring, which over the follow-up of these trials is under 5 %."""
NOTED_TOLERANCE_LOG = 0.2
"""The same where a note says why: unequal follow-up, adjustment and competing deaths moved published estimates by up to
0.16; more is a wrong count, whatever the note says."""
_RELATIVE = frozenset({"HR", "RR", "IRR"})


def check_records(records: Sequence[LibraryRecord]) -> list[str]:
    """Findings in plain words; empty when everything holds."""
    findings = [f"{pmid}: two records have this PMID" for pmid in _repeated(r.pmid for r in records)]
    findings += [f"{key}: two records have this key" for key in _repeated(r.key for r in records)]
    for record in records:
        findings += [f"{record.key}: {text}" for text in _check(record)]
    return findings


def recomputed(result: LibraryResult) -> float | None:
    """The relative effect that the counts of the first two arms give; `None` without usable counts.

    Risk ratio (e1/n1)/(e2/n2); for an odds ratio (e1/(n1-e1))/(e2/(n2-e2)).
    """
    if len(result.arms) < 2 or result.effect is None:
        return None
    (n1, e1), (n2, e2) = ((arm.n, arm.events) for arm in result.arms[:2])
    if not (n1 and n2 and e1 and e2) or e1 > n1 or e2 > n2:
        return None
    if result.effect.measure == "OR":
        return (e1 / (n1 - e1)) / (e2 / (n2 - e2)) if e1 < n1 and e2 < n2 else None
    return (e1 / n1) / (e2 / n2) if result.effect.measure in _RELATIVE else None


def _check(record: LibraryRecord) -> Iterable[str]:
    if record.pmid and not re.fullmatch(r"[1-9]\d{0,8}", record.pmid):
        yield f"PMID {record.pmid!r} is not digits"
    if record.pmid and record.url and "pubmed" in record.url and record.pmid not in record.url:
        yield f"PMID {record.pmid} and URL {record.url} disagree"
    if not record.confirmed_in:
        yield "nothing says where it was confirmed"
    if not (record.pmid or record.doi or record.url):
        yield "has no identifier a reader can follow"
    if record.nct_id and not re.fullmatch(r"NCT\d{8}", record.nct_id):
        yield f"registration {record.nct_id!r} is no ClinicalTrials.gov number"
    arms = {arm.name for arm in record.arms}
    for result in record.results:
        yield from _check_result(result)
        for rate in result.rates:
            if arms and rate.arm not in arms:
                yield f"{result.outcome}: a rate of {rate.arm!r}, which is no arm of the record"


def _check_result(result: LibraryResult) -> Iterable[str]:
    effect = result.effect
    for arm in result.arms:
        if arm.n is not None and arm.events is not None and arm.events > arm.n:
            yield f"{result.outcome}: {arm.events} events in {arm.n} people ({arm.arm})"
    if effect is None:
        return
    low, high = effect.ci_low, effect.ci_high
    if low is not None and high is not None and not low <= effect.estimate <= high:
        yield f"{result.outcome}: {effect.estimate} lies outside {low} to {high}"
    if low is not None and effect.ci_level is None:
        yield f"{result.outcome}: an interval without its level"
    if effect.measure == "RD" and abs(effect.estimate) > 1:
        yield f"{result.outcome}: risk difference {effect.estimate} is no share of one"
    crude = recomputed(result)
    if crude is None or effect.estimate <= 0:
        return
    tolerance, wanted = (
        (NOTED_TOLERANCE_LOG, "no note explains so much") if result.recompute_note else (TOLERANCE_LOG, "say why")
    )
    if abs(math.log(crude / effect.estimate)) > tolerance:
        yield f"{result.outcome}: the counts give {crude:.3f}, reported {effect.measure} {effect.estimate}; {wanted}"


def _repeated(values: Iterable[str | None]) -> list[str]:
    return [value for value, n in Counter(v for v in values if v).items() if n > 1]
