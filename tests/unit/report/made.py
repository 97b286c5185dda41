"""Results to draw, and answers that rest on them."""

from __future__ import annotations

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, StudyResult
from openwork_contracts.evidence import EffectEstimate

from tests.exports import document, reference


def result(n: int = 1, low: float | None = 0.6, high: float | None = 0.9, /, **changes: object) -> StudyResult:
    fields: dict[str, object] = {
        "n": n,
        "study": f"TRIAL-{n} 2020",
        "comparison": ("apixaban 5 mg twice daily", "warfarin (INR 2.0-3.0)"),
        "outcome": "stroke",
        "effect": EffectEstimate(measure="HR", estimate=0.75, ci_low=low, ci_high=high),
        "bad": True,
    }
    return StudyResult.model_validate(fields | changes)


def concluded(*results: StudyResult) -> AnswerDocument:
    found = Conclusion(verdict=ConclusionVerdict.BENEFIT, lead=results[0], others=results[1:])
    return document(*(reference(n) for n in range(1, 6)), conclusion=found)
