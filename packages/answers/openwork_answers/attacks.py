"""An attack of a disease that somebody has, beside an outcome: "death in an acute exacerbation of COPD".

"Prevents COPD exacerbations" and "a difference in exacerbations" count them; what is given in one, for one or during
one, and asked about for something else, is asked about for those who have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from openwork_contracts.question import Entity, EntityKind, PopulationKind, PopulationTerm, QuestionAnalysis

from openwork_answers.places import places_of

_ATTACK = r"(?:exacerbations?|attacks?|flares?|flare-?ups?|crisis|crises|episodes?)"
_BEHIND = re.compile(rf"\s+{_ATTACK}\b", re.IGNORECASE)
_BEFORE = re.compile(rf"\b{_ATTACK}\s+of\s+(?:his\s+|her\s+|their\s+|an?\s+)?$", re.IGNORECASE)
_OPENS = re.compile(
    r"(?:\b(?P<link>in|during|for)|(?P<who>\b(?:hospitali[sz]ed|admitted|presenting|inpatients?)\s+(?:for|with)))\s+"
    r"(?:an?\s+|the\s+|their\s+)?(?P<degree>(?:(?:acute|severe|moderate|mild|infective|life-threatening)\s+)*)$",
    re.IGNORECASE,
)


def attacks_had(analysis: QuestionAnalysis, treating: Sequence[Entity]) -> Iterator[PopulationTerm]:
    """The attacks of the question that say whom it is about, in order of place."""
    question = analysis.question
    outcomes = places_of(analysis.pico.outcome, question)
    given = [entity.end for entity in treating]
    for disease in analysis.entities:
        start, end = _attack_of(disease, question)
        opening = _OPENS.search(question, 0, start) if start < end else None
        counted = [at for at in outcomes if opening and (at[1] <= opening.start() or at[0] >= end)]
        if opening is None or not counted:
            continue
        before = len(question[: opening.start()].rstrip())
        behind_outcome = opening["link"] in ("in", "during") and any(at[1] == before for at in counted)
        behind_treatment = opening["link"] in ("in", "for", "during") and before in given
        if opening["who"] or behind_outcome or behind_treatment:
            yield PopulationTerm(
                text=question[opening.start("degree") : end],
                start=opening.start("degree"),
                end=end,
                kind=PopulationKind.CONDITION,
                wanted=True,
                name=disease.name,
                mesh_id=disease.mesh_id,
            )


def _attack_of(entity: Entity, question: str) -> tuple[int, int]:
    """[start, end) of the words for an attack of a disease; empty = there are none."""
    if entity.kind is not EntityKind.DISEASE:
        return 0, 0
    if (behind := _BEHIND.match(question, entity.end)) is not None:
        return entity.start, behind.end()
    before = _BEFORE.search(question, 0, entity.start)
    return (before.start(), entity.end) if before is not None else (0, 0)
