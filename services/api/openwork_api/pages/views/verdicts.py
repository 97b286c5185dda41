"""What verdicts, states and remarks are called on a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from openwork_contracts.answer import RunStatus
from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, Fit
from openwork_contracts.verdict import ReasonCode, Verdict
from openwork_report.words import run_status_words

_V = ConclusionVerdict
_C = ReasonCode


@dataclass(frozen=True, slots=True)
class Mark:
    """A verdict as a word with a sign beside it."""

    words: str
    sign: str
    """Which sign is drawn, and in which colour: none is told by its colour alone."""
    more: str = ""
    """How what was found differs from what was asked."""


_MARKS = {
    _V.BENEFIT: Mark("Benefit", "yes"),
    _V.HARM: Mark("Harm", "harm"),
    _V.LITTLE_OR_NO_DIFFERENCE: Mark("Little or no difference", "same"),
    _V.NOT_SHOWN: Mark("Not shown", "open"),
    _V.NONINFERIOR: Mark("Noninferior", "same"),
    _V.CONFLICTING: Mark("Results conflict", "apart"),
    _V.DIFFERS: Mark("A difference", "apart"),
    _V.NOT_FOUND: Mark("Not found", "none"),
    _V.TOO_LITTLE: Mark("Too little evidence", "none"),
    _V.RECOMMENDATION: Mark("Recommendation", "text"),
    _V.DESCRIPTION: Mark("Description", "text"),
}
_SHORT = {RunStatus.RUNNING: Mark("Running", "run"), RunStatus.FAILED: Mark("Failed", "harm")}
_SHORT |= {RunStatus.CANCELLED: Mark("Cancelled", "none"), RunStatus.REFUSED: Mark("Not taken", "none")}
VERDICTS = {
    Verdict.SUPPORTED: "Supported",
    Verdict.NOT_CONFIRMED: "Not confirmed",
    Verdict.PARTLY_SUPPORTED: "Not confirmed",
    Verdict.UNSUPPORTED: "Not in the source",
    Verdict.CONTRADICTED: "Contradicted",
    Verdict.UNCITED: "No citation",
    Verdict.NOT_A_CLAIM: "Nothing to check",
}
"""As the command line and docs/verdicts.md call them."""
NOT_BORNE_OUT = {
    _C.CITATION_UNKNOWN: "Cites what is not there",
    _C.ADVICE_LANGUAGE: "Advice, not evidence",
    _C.RETRACTED_SOURCE: "Rests on a retracted source",
}
LOOK_AT = {
    _C.CITATION_MISSING: "what it is to cite",
    _C.CITATION_UNKNOWN: "the number in brackets",
    _C.NUMBER_NOT_FOUND: "the number",
    _C.NUMBER_NOT_BOUND: "which arm, outcome and time the number belongs to",
    _C.UNIT_MISMATCH: "the unit",
    _C.INTERVAL_MISMATCH: "the interval",
    _C.CELL_DIFFERS: "the value",
    _C.DRUG_NOT_FOUND: "the drug",
    _C.DISEASE_NOT_FOUND: "the disease",
    _C.ENTITY_NOT_FOUND: "the name",
    _C.INTERVENTION_NOT_FOUND: "what was given",
    _C.WORD_REPLACED: "the word that differs",
    _C.POPULATION_NOT_FOUND: "who was studied",
    _C.OUTCOME_NOT_FOUND: "the outcome",
    _C.ARMS_SWAPPED: "which arm did better",
    _C.DIRECTION_REVERSED: "which way the effect goes",
    _C.DIRECTION_NOT_FOUND: "whether there is such an effect",
    _C.NULL_RESULT: "whether a difference was shown at all",
    _C.CERTAINTY_OVERSTATED: "how sure the source is",
    _C.SCOPE_CHANGED: "who is excluded",
    _C.SUBGROUP_AS_WHOLE: "whether it holds of all or of a subgroup",
    _C.COMPOSITE_AS_COMPONENT: "whether it is the composite or a part of it",
    _C.NONINFERIORITY_OVERSTATED: "whether noninferior, equivalent or better was shown",
    _C.QUANTIFIER_CHANGED: "how many are meant",
    _C.DESIGN_DIFFERS: "how the study was made",
    _C.RECOMMENDATION_DIFFERS: "what is recommended, and how strongly",
    _C.EVIDENCE_SET_DIFFERS: "the sources as a set",
    _C.CONTENT_NOT_FOUND: "whether the source says this",
    _C.ADVICE_LANGUAGE: "the advice",
    _C.RETRACTED_SOURCE: "the status of the source",
    _C.NOT_ENTAILED: "how another reader understood it",
}
"""What a person lays beside the source, for each code."""
SIGNS: Mapping[Verdict, str] = {
    Verdict.SUPPORTED: "yes",
    Verdict.CONTRADICTED: "harm",
    Verdict.UNSUPPORTED: "harm",
    Verdict.UNCITED: "none",
    Verdict.NOT_A_CLAIM: "text",
}
"""The sign beside a verdict on a sentence; of the others `open`."""


def mark_of(status: RunStatus, verdict: ConclusionVerdict | None) -> Mark:
    """What a run came to, for a line of a list."""
    if status in (RunStatus.ANSWERED, RunStatus.TOO_LITTLE_EVIDENCE) and verdict is not None:
        return _MARKS.get(verdict) or Mark(spoken(verdict.value), "text")
    return _SHORT.get(status) or Mark(run_status_words(status), "yes" if status is RunStatus.ANSWERED else "none")


def mark_of_answer(status: RunStatus, conclusion: Conclusion | None) -> Mark:
    """What an answer came to, and how what it rests on differs from what was asked."""
    mark = mark_of(status, conclusion.verdict if conclusion else None)
    lead = conclusion.lead if conclusion else None
    if lead is None:
        return mark
    wider = (
        (lead.outcome_fit, "outcome"),
        (lead.people_fit, "people"),
        (lead.comparison_fit, "comparison"),
    )
    parts = [f"wider {what} than asked" for fit, what in wider if fit is Fit.WIDER]
    parts += [f"a part of the {what} asked about" for fit, what in wider if fit is Fit.PART]
    return Mark(mark.words, mark.sign, "; ".join(parts))


def verdict_words(verdict: Verdict) -> str:
    """A verdict on a sentence."""
    return VERDICTS.get(verdict) or spoken(verdict.value)


def spoken(value: str) -> str:
    """A value of a newer service as it is."""
    return value.replace("_", " ").capitalize()
