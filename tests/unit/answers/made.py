"""Hand-made records, and questions as the query service reads them.

Figures of DAPA-HF (10.1056/NEJMoa1911303), EMPEROR-Preserved (10.1056/NEJMoa2107038), 6S (10.1056/NEJMoa1204242) and
ARISTOTLE (10.1056/NEJMoa1107039) are the trials' own. Works called "Example" are invented, and so are their figures.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from openwork_answers.asked import Question, read_question
from openwork_answers.conclude import conclude
from openwork_contracts.conclusion import Conclusion
from openwork_contracts.evidence import (
    AbstractPart,
    ArmResult,
    EffectEstimate,
    EvidenceCandidate,
    EvidenceStatus,
    Identifiers,
    OutcomeResult,
    Provenance,
    StudyDesign,
    TextOrigin,
)
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.strategy import SearchStrategy
from openwork_evidence.text import abstract_text
from openwork_language.searching.ladder import strategy_of
from openwork_query.domain.analysis import Rejection, analyse

DATA = Path(os.environ.get("OPENWORK_DATA") or Path(__file__).resolve().parents[4] / "shared" / "data")


def asked(question: str) -> tuple[QuestionAnalysis, SearchStrategy]:
    """A question as it is understood, and what a record has to hold."""
    analysis = analyse(question, available_sources=("library",), current_year=2026)
    assert not isinstance(analysis, Rejection), analysis
    return analysis, strategy_of(analysis)


def question(text: str) -> Question:
    return read_question(*asked(text))


def record(title: str = "Example trial", text: str = "", /, **changes: object) -> EvidenceCandidate:
    """A work of the publisher's own words; `text` is its abstract."""
    fields: dict[str, object] = {
        "candidate_id": f"hash:{title}",
        "identifiers": Identifiers(pmid="10000001"),
        "title": title,
        "abstract": (AbstractPart(text=text),) if text else (),
        "authors": ("Example A",),
        "year": 2020,
        "study_design": StudyDesign.RCT,
        "status": EvidenceStatus.NONE,
        "text_origin": TextOrigin.PUBLISHER,
        "provenance": (Provenance(source="library", source_id="x", rank=1, retrieved_at="2026-01-01T00:00:00Z"),),
    }
    return EvidenceCandidate.model_validate(fields | changes)


def ratio(estimate: float, low: float, high: float, measure: str = "HR", **changes: object) -> EffectEstimate:
    return EffectEstimate.model_validate(
        {"measure": measure, "estimate": estimate, "ci_low": low, "ci_high": high} | changes
    )


def result(
    outcome: str,
    effect: EffectEstimate | None = None,
    counts: Sequence[tuple[str, int, int]] = (),
    time: str | None = None,
) -> OutcomeResult:
    """`counts`: (arm, events, people) of each arm, the tested one first."""
    arms = tuple(ArmResult(arm=arm, events=events, n=n) for arm, events, n in counts)
    return OutcomeResult(outcome=outcome, effect=effect, arms=arms, time_point=time)


def passages(documents: Sequence[EvidenceCandidate]) -> tuple[RankedPassage, ...]:
    """The abstract of each document as one passage."""
    texts = [(n, d, abstract_text(d)) for n, d in enumerate(documents, 1)]
    return tuple(
        RankedPassage(
            n=n,
            passage_id=f"p{n}",
            candidate_id=document.candidate_id,
            section="Abstract",
            start=0,
            end=len(text),
            text=text,
            text_origin=document.text_origin,
            score=0.9,
            passage_score=0.9,
            document_score=0.9,
        )
        for n, document, text in texts
        if text
    )


def concluded(text: str, *documents: EvidenceCandidate) -> Conclusion:
    """The answer object of a question over these works."""
    analysis, strategy = asked(text)
    return conclude(analysis, strategy, passages(documents), documents)


DAPA_HF = record(
    "Dapagliflozin in patients with heart failure and reduced ejection fraction",
    "In this trial, 4744 patients with heart failure and an ejection fraction of 40% or less received dapagliflozin or "
    "placebo. Volume depletion was not shown to differ between dapagliflozin and placebo.",
    authors=("McMurray JJV",),
    year=2019,
    identifiers=Identifiers(doi="10.1056/NEJMoa1911303"),
    results=(
        result(
            "worsening heart failure or cardiovascular death",
            ratio(0.74, 0.65, 0.85),
            (("dapagliflozin", 386, 2373), ("placebo", 502, 2371)),
            "median 18.2 months",
        ),
        result(
            "death from any cause",
            ratio(0.83, 0.71, 0.97),
            (("dapagliflozin", 276, 2373), ("placebo", 329, 2371)),
            "median 18.2 months",
        ),
    ),
)
EMPEROR_PRESERVED = record(
    "Empagliflozin in heart failure with a preserved ejection fraction",
    "We assigned 5988 patients with heart failure and an ejection fraction above 40% to empagliflozin or placebo.",
    authors=("Anker SD",),
    year=2021,
    identifiers=Identifiers(doi="10.1056/NEJMoa2107038"),
    results=(
        result(
            "cardiovascular death or hospitalisation for heart failure",
            ratio(0.79, 0.69, 0.90),
            (("empagliflozin", 415, 2997), ("placebo", 511, 2991)),
            "median 26.2 months",
        ),
        result(
            "death from any cause",
            ratio(1.00, 0.87, 1.15),
            (("empagliflozin", 422, 2997), ("placebo", 427, 2991)),
            "median 26.2 months",
        ),
    ),
)
SIX_S = record(
    "Hydroxyethyl starch 130/0.42 versus Ringer's acetate in severe sepsis",
    "We assigned patients with severe sepsis to fluid resuscitation with hydroxyethyl starch or Ringer's acetate.",
    authors=("Perner A",),
    year=2012,
    identifiers=Identifiers(doi="10.1056/NEJMoa1204242"),
    results=(
        result(
            "death",
            ratio(1.17, 1.01, 1.36, "RR"),
            (("hydroxyethyl starch", 201, 398), ("Ringer's acetate", 172, 400)),
            "90 days",
        ),
    ),
)
ARISTOTLE = record(
    "Apixaban versus warfarin in patients with atrial fibrillation",
    "We compared apixaban with warfarin in 18,201 patients with atrial fibrillation.",
    authors=("Granger CB",),
    year=2011,
    identifiers=Identifiers(doi="10.1056/NEJMoa1107039"),
    results=(
        result(
            "stroke or systemic embolism",
            ratio(0.79, 0.66, 0.95),
            (("apixaban", 212, 9120), ("warfarin", 265, 9081)),
            "median 1.8 years",
        ),
        result(
            "major bleeding",
            ratio(0.69, 0.60, 0.80),
            (("apixaban", 327, 9088), ("warfarin", 462, 9052)),
            "median 1.8 years",
        ),
    ),
)


ARMS = (("examplumab", 60, 900), ("placebo", 90, 900))


def of(title: str, who: str) -> EvidenceCandidate:
    """A trial with one result, by whom it says it enrolled."""
    return record(title, who, results=(result("death from any cause", ratio(0.66, 0.48, 0.91), ARMS),))
