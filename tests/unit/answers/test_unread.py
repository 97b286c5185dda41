"""Words of a question that no list knows are what it asks about: results without them answer another question."""

from __future__ import annotations

import pytest
from openwork_contracts.conclusion import ConclusionVerdict
from openwork_contracts.evidence import EvidenceCandidate, OutcomeResult, Recommendation, StudyDesign

from tests.unit.answers.made import concluded, question, ratio, record, result

V = ConclusionVerdict


def trial(*results: OutcomeResult, text: str = "") -> EvidenceCandidate:
    return record(
        "Example trial of memantine or placebo in people with glaucoma",
        f"We compared memantine with placebo in people with glaucoma. {text}",
        results=results,
    )


def of(outcome: str) -> OutcomeResult:
    return result(outcome, ratio(0.60, 0.45, 0.80, "RR"), (("memantine", 60, 1000), ("placebo", 100, 1000)))


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        # asks for the effect as such
        ("Does memantine work in glaucoma?", ()),
        ("Is memantine worth adding in glaucoma?", ()),
        ("Is once-daily oral memantine any better than placebo in glaucoma?", ()),
        ("memantine vs placebo glaucoma randomised trial", ()),
        ("My patient of 70 has glaucoma. Should I start memantine?", ()),
        # names what no list of outcomes has
        ("Does memantine widen the visual field in glaucoma?", ("widen", "visual")),
        ("Does memantine restore driving in glaucoma?", ("driving",)),
        ("On memantine, are people with glaucoma more likely to be referred?", ("referred",)),
    ],
)
def test_what_is_left_of_a_question_without_an_outcome_is_what_it_asks_about(
    text: str, unread: tuple[str, ...]
) -> None:
    assert question(text).unread == unread


def test_a_result_that_does_not_have_the_words_asked_about_does_not_lead() -> None:
    asked = "Does memantine widen the visual field in glaucoma?"
    other = concluded(asked, trial(of("death from any cause")))
    assert (other.lead, other.verdict) == (None, V.NOT_FOUND)
    measured = "We asked whether it can widen the visual field."
    own = concluded(asked, trial(of("death from any cause"), of("visual field loss"), text=measured))
    assert own.lead is not None
    assert own.lead.outcome == "visual field loss"


def test_of_a_question_for_the_effect_as_such_any_outcome_leads() -> None:
    found = concluded("Does memantine work in people with glaucoma?", trial(of("death from any cause")))
    assert found.lead is not None
    assert found.verdict is V.BENEFIT


def test_a_sentence_tells_of_an_outcome_that_no_list_knows_only_by_its_words() -> None:
    asked = "Does memantine cause rebound brightness of the pupil reflex in people with glaucoma?"
    silent = concluded(asked, trial(text="Memantine was preferred to placebo by people with glaucoma."))
    assert silent.about == ()


@pytest.mark.parametrize(
    "text",
    ["What is memantine made of?", "What are the active ingredients of memantine?", "Is memantine a tablet?",
     "What is the half-life of memantine?"],
)  # fmt: skip
def test_what_a_drug_is_is_told_by_no_trial_of_it(text: str) -> None:
    found = concluded(text, trial(of("death from any cause"), text="Memantine 10 mg was better than placebo."))
    assert (found.verdict, found.about, found.regimens) == (V.NOT_FOUND, (), ())


def test_a_sentence_tells_nothing_of_what_it_names_beside_its_matter() -> None:
    asked = "What is the role of eye exercises in glaucoma?"
    beside = "Together with eye exercises, memantine is advised in glaucoma."
    assert concluded(asked, record("Glaucoma", beside)).about == ()


@pytest.mark.parametrize("text", ["Is memantine a tablet?", "What is memantine made of?"])
def test_what_a_drug_is_is_told_by_no_recommendation(text: str) -> None:
    advice = Recommendation(text="In glaucoma, memantine is recommended.", strength="strong")
    guideline = record("Glaucoma guideline: memantine", recommendations=(advice,), study_design=StudyDesign.GUIDELINE)
    assert concluded(text, guideline).verdict is V.NOT_FOUND


def test_an_attack_of_a_disease_is_an_exacerbation_of_it() -> None:
    asked = "Does memantine give people with glaucoma fewer attacks than placebo?"
    found = concluded(asked, trial(of("death from any cause"), of("exacerbation of glaucoma")))
    assert found.lead is not None
    assert found.lead.outcome == "exacerbation of glaucoma"
