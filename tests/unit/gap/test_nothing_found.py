"""Nothing found about these people, this treatment or this outcome: the run ends, and its first sentence says so."""

from __future__ import annotations

import pytest
from openwork_contracts.answer import AnswerConcluded, AnswerStatus
from openwork_contracts.conclusion import Asked, Conclusion, Fit, Regimen, StudyResult
from openwork_contracts.conclusion import ConclusionVerdict as V
from openwork_contracts.evidence import EvidenceCandidate, EvidenceNormalised, Identifiers, PrismaCounts
from openwork_contracts.gap import Assessment, SynthesisRequested
from openwork_contracts.ranking import EvidenceRanked
from openwork_gap.domain.assess import with_conclusion
from openwork_gap.domain.messages import too_little_message
from openwork_gap.handlers import on_evidence_ranked
from openwork_gap.settings import Settings

from tests.builders import planned, run_on
from tests.flow import no_model
from tests.handling import bus_of_today, delivered, stored_of
from tests.packs import gap_assessment
from tests.run_events import normalised
from tests.unit.answers.made import ARISTOTLE, DAPA_HF, asked, passages, ratio, record, result

ALONE = Settings(sources="library", gap_sources="")
NOT_FOUND = Conclusion(verdict=V.NOT_FOUND, missing=("evidence on apixaban in pregnant women",))
COUNTS = PrismaCounts(identified=2, duplicates=0, excluded_notices=0, excluded_no_text=0, screened=2)
AGAINST_PLACEBO = record(
    "Example A: apixaban or placebo in patients with atrial fibrillation",
    "We compared apixaban with placebo in patients with atrial fibrillation.",
    identifiers=Identifiers(pmid="10000003"),
    results=(result("stroke", ratio(0.6, 0.45, 0.8), (("apixaban", 60, 1000), ("placebo", 100, 1000))),),
)


async def answered(question: str, *documents: EvidenceCandidate) -> AnswerConcluded | SynthesisRequested:
    """What the gap service makes of these works."""
    bus = bus_of_today()
    run = run_on(bus, service="reranker")
    analysis, strategy = asked(question)
    plan = planned(run, ("library",)).model_copy(update={"analysis": analysis, "strategy": strategy})
    await run.publish(plan)
    counts = COUNTS.model_copy(update={"identified": len(documents), "screened": len(documents)})
    searched = EvidenceNormalised(meta=run.meta(EvidenceNormalised), candidates=(), sources=(), counts=counts)
    await run.publish(searched)
    event = EvidenceRanked(meta=run.meta(EvidenceRanked), passages=passages(documents), documents=documents)
    taken = await delivered(bus, event, "gap")
    await on_evidence_ranked(event, taken, ALONE, no_model())
    ended = await stored_of(bus, taken.id, AnswerConcluded)
    return ended[0] if ended else (await stored_of(bus, taken.id, SynthesisRequested))[0]


@pytest.mark.parametrize(
    ("question", "works", "first"),
    [
        (
            "Does apixaban prevent stroke in pregnant women with atrial fibrillation?",
            (AGAINST_PLACEBO, ARISTOTLE),
            "Not found in what was searched: evidence on apixaban in pregnant women.",
        ),
        (
            "Does rivaroxaban prevent stroke in people with atrial fibrillation?",
            (AGAINST_PLACEBO,),
            "Not found in what was searched: result of rivaroxaban for stroke.",
        ),
    ],
)
async def test_what_was_not_found_is_the_first_sentence(
    question: str, works: tuple[EvidenceCandidate, ...], first: str
) -> None:
    ended = await answered(question, *works)
    assert isinstance(ended, AnswerConcluded)
    assert ended.status is AnswerStatus.TOO_LITTLE_EVIDENCE
    assert ended.message is not None
    assert ended.message.startswith(f"{first} ")
    assert ended.gap is not None
    assert ended.gap.assessment is Assessment.INSUFFICIENT


async def test_what_stands_nearest_is_told_beside_the_message_and_is_no_answer() -> None:
    question = "Does apixaban prevent stroke in smartwatch wearers with atrial fibrillation?"
    requested = await answered(question, AGAINST_PLACEBO)
    assert isinstance(requested, SynthesisRequested)
    assert requested.gap.assessment is Assessment.INSUFFICIENT
    assert requested.message is not None
    assert requested.message.startswith("Not found in what was searched: evidence on apixaban in smartwatch wearers. ")
    assert requested.message.endswith("What stands nearest to the question is told below; it is no answer to it.")
    assert requested.conclusion is not None
    assert (requested.conclusion.verdict, requested.conclusion.lead) == (V.NOT_FOUND, None)
    assert [r.outcome for r in requested.conclusion.nearest] == ["stroke"]
    assert "Missing:" not in requested.message  # what it does not tell is said beside it


async def test_a_study_of_the_drug_that_does_not_tell_the_outcome_stands_near_behind_what_was_not_found() -> None:
    requested = await answered("Does apixaban prevent dementia in people with atrial fibrillation?", AGAINST_PLACEBO)
    assert isinstance(requested, SynthesisRequested)
    assert requested.gap.assessment is Assessment.INSUFFICIENT
    assert requested.message is not None
    assert requested.message.startswith("Not found in what was searched: result of apixaban for dementia. ")
    assert requested.conclusion is not None
    assert requested.conclusion.nearest_without == ("dementia",)
    assert all(r.outcome_fit is Fit.OTHER for r in requested.conclusion.nearest)


async def test_where_only_the_comparison_is_missing_each_side_is_told_apart() -> None:
    asked = "Does dapagliflozin reduce death compared with empagliflozin in people with heart failure?"
    ended = await answered(asked, DAPA_HF)
    assert isinstance(ended, SynthesisRequested)
    assert ended.conclusion is not None
    assert ended.conclusion.lead is None
    missing = "direct comparison of dapagliflozin and empagliflozin in heart failure"
    assert ended.conclusion.missing == (missing,)


async def test_the_answer_object_of_what_was_found_goes_to_the_synthesis() -> None:
    asked_for = "Does apixaban prevent stroke in people with atrial fibrillation?"
    requested = await answered(asked_for, AGAINST_PLACEBO)
    assert isinstance(requested, SynthesisRequested)
    assert requested.conclusion is not None
    assert requested.conclusion.verdict is V.BENEFIT
    assert requested.gap.assessment is not Assessment.INSUFFICIENT


def test_nothing_found_makes_any_assessment_insufficient_and_names_what_is_missing_first() -> None:
    gap = with_conclusion(gap_assessment(missing=("guideline", *NOT_FOUND.missing)), NOT_FOUND)
    assert gap.assessment is Assessment.INSUFFICIENT
    assert gap.missing_elements == (*NOT_FOUND.missing, "guideline")


@pytest.mark.parametrize("verdict", [v for v in V if v is not V.NOT_FOUND])
def test_anything_found_leaves_the_assessment_as_it_is(verdict: V) -> None:
    gap = gap_assessment(missing=("guideline",))
    assert with_conclusion(gap, Conclusion(verdict=verdict)) == gap


LEAD = StudyResult(
    n=1, study="Example A 2020", outcome="stroke", outcome_fit=Fit.ASKED, comparison_fit=Fit.ASKED, people_fit=Fit.ASKED
)  # fmt: skip


@pytest.mark.parametrize(
    ("conclusion", "wanted"),
    [
        (
            Conclusion(verdict=V.BENEFIT, lead=LEAD, asked=Asked(outcome=("stroke",))),
            Assessment.PARTIAL,
        ),
        (Conclusion(verdict=V.BENEFIT, lead=LEAD, people_told=("adults",)), Assessment.PARTIAL),
        (Conclusion(verdict=V.BENEFIT, lead=LEAD), Assessment.INSUFFICIENT),
        (
            Conclusion(
                verdict=V.BENEFIT,
                lead=LEAD.model_copy(update={"comparison_fit": Fit.WIDER}),
                asked=Asked(outcome=("stroke",)),
            ),
            Assessment.INSUFFICIENT,
        ),
        (  # the asked drug against the class of the other, or without what it is added to: the answer says which
            Conclusion(
                verdict=V.BENEFIT,
                lead=LEAD.model_copy(
                    update={"comparison_fit": Fit.WIDER, "comparison": ("rivaroxaban 20 mg", "a vitamin K antagonist")}
                ),
                asked=Asked(outcome=("stroke",), intervention=("Xarelto",)),
            ),
            Assessment.PARTIAL,
        ),
        (Conclusion(verdict=V.RECOMMENDATION), Assessment.PARTIAL),
        (
            Conclusion(verdict=V.DESCRIPTION, regimens=(Regimen(n=1, study="A", arms=("a", "b")),)),
            Assessment.PARTIAL,
        ),
        (Conclusion(verdict=V.DESCRIPTION), Assessment.INSUFFICIENT),
    ],
)
def test_a_result_of_the_very_comparison_and_outcome_is_not_too_little_whatever_its_words(
    conclusion: Conclusion, wanted: Assessment
) -> None:
    assert with_conclusion(gap_assessment(assessment=Assessment.INSUFFICIENT), conclusion).assessment is wanted


def test_the_message_says_what_was_searched_what_was_not_reached_and_that_nothing_is_refuted() -> None:
    message = too_little_message(
        normalised(counts=COUNTS), gap_assessment(missing=(*NOT_FOUND.missing, "guideline")), NOT_FOUND
    )
    sentences = message.split(". ")
    assert sentences[0] == "Not found in what was searched: evidence on apixaban in pregnant women"
    assert "from the sources searched (the starter library)" in sentences[1]
    assert "2 records were read, but none speaks of what was asked." in message
    assert "Missing: guideline." in message
    assert "Not reached: PubMed; the same question may be answered when they are." in message
    assert message.endswith("what was found neither supports nor refutes one.")
    assert "never been studied" not in message


def test_without_any_record_the_message_says_that_too() -> None:
    none = PrismaCounts(identified=0, duplicates=0, excluded_notices=0, excluded_no_text=0, screened=0)
    message = too_little_message(normalised(counts=none), gap_assessment(), NOT_FOUND)
    assert "No record was found." in message
