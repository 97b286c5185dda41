"""What of an answer counts, whoever gives it: its quotation stands in the source and holds what was asked for."""

from __future__ import annotations

import pytest
from judging_examples import (
    EFFECTS,
    LISTED,
    OTHER,
    PREDICTORS,
    RATES,
    after,
    answer,
    judged,
    section,
    supported,
    suspected,
    suspicion,
    unbound,
)
from openwork_contracts.verdict import ClaimVerdict, EvidenceItem, ReasonCode, Verdict
from openwork_verifier.domain.judging.answers import Judgement
from openwork_verifier.domain.judging.questions import claims_to_ask
from openwork_verifier.domain.judging.verdicts import apply

RIGHT = suspected("Major bleeding was 3.1% on warfarin.", unbound("3.1%"))
WRONG = suspected("Major bleeding was 3.1% on apixaban.", unbound("3.1%"))
RIGHT_OF_LIST = suspected("With warfarin 1.9% had a stroke.", unbound("1.9%"))
WRONG_OF_LIST = suspected("With apixaban 1.9% had a stroke.", unbound("1.9%"))
STROKE_LOWER = suspected("The risk of stroke was lower with apixaban.", suspicion(ReasonCode.DIRECTION_REVERSED))
DEATHS_LOWER = suspected("Mortality was lower with apixaban.", suspicion(ReasonCode.NULL_RESULT))
WIDENED = suspected("Apixaban lowered the risk of stroke in everybody.", suspicion(ReasonCode.QUANTIFIER_CHANGED))


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (RIGHT, RATES),
        (RIGHT, RATES.rstrip(".")),
        (RIGHT_OF_LIST, LISTED),
        (STROKE_LOWER, EFFECTS),
        (STROKE_LOWER, "it lowered the risk of stroke"),
        (WIDENED, EFFECTS),
    ],
)
def test_a_quotation_that_holds_what_was_asked_for_dispels_the_suspicion(claim: ClaimVerdict, quote: str) -> None:
    assert after(claim, answer(quote)).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        pytest.param(RIGHT, "Major bleeding was 3.1% on warfarin", id="nowhere"),
        pytest.param(RIGHT, "3.1% of those", id="too short"),
        pytest.param(RIGHT, "", id="empty"),
        pytest.param(RIGHT, "occurred in 2.1% with apixaban", id="another number"),
        pytest.param(RIGHT, OTHER, id="of another source"),
        pytest.param(WRONG, RATES, id="beside another arm"),
        pytest.param(WRONG, "3.1% of those with warfarin at 12 months", id="without the claim's arm"),
        pytest.param(WRONG_OF_LIST, LISTED, id="of the other in a list"),
        pytest.param(WRONG_OF_LIST, "1.9% with apixaban and warfarin", id="of the other, cut out of its list"),
        pytest.param(DEATHS_LOWER, EFFECTS, id="no difference"),
        pytest.param(DEATHS_LOWER, "lower mortality compared with warfarin", id="its negation cut off"),
        pytest.param(WIDENED, PREDICTORS, id="about something else"),
    ],
)
def test_a_quotation_that_does_not_leaves_it_standing(claim: ClaimVerdict, quote: str) -> None:
    result = judged(claim, answer(quote))
    assert result.sections[0].claims[0] == claim
    assert (result.n_void, result.n_raised, result.n_lowered) == (1, 0, 0)


def test_a_source_that_is_not_cited_or_not_there_counts_nothing() -> None:
    both = suspected("In mice, exercise was good for memory and much else.", suspicion(ReasonCode.SCOPE_CHANGED))
    assert after(both, answer(OTHER, source=2)) == both
    elsewhere = both.model_copy(update={"citations": (2, 7)})
    assert after(elsewhere, answer(OTHER, source=7)) == elsewhere
    assert after(elsewhere, answer(OTHER, source=2)).verdict is Verdict.SUPPORTED


class TestNumbers:
    """The judge may name arm, outcome and time; what it names is looked for in claim and quotation."""

    def test_what_it_names_rightly_counts(self) -> None:
        told = answer(RATES, arm="warfarin", outcome="Bleeding of the major kind", time="12 months")
        assert after(RIGHT, told).verdict is Verdict.SUPPORTED

    @pytest.mark.parametrize(
        ("arm", "outcome"),
        [("apixaban", "bleeding"), ("warfarin", "stroke"), ("placebo", "bleeding"), ("warfarin", "mortality")],
    )
    def test_another_arm_or_outcome_than_the_claims_does_not(self, arm: str, outcome: str) -> None:
        assert after(RIGHT, answer(RATES, arm=arm, outcome=outcome)) == RIGHT

    def test_the_sources_arm_does_not_make_a_claim_about_the_other_arm_right(self) -> None:
        both = suspected("Compared with warfarin, major bleeding on apixaban was 3.1%.", unbound("3.1%"))
        assert after(both, answer(RATES, arm="warfarin", outcome="Bleeding of the major kind")) == both

    def test_the_claims_arm_does_not_make_the_sources_number_its_own(self) -> None:
        assert after(WRONG, answer(RATES, arm="apixaban", outcome="Bleeding of the major kind")) == WRONG
        told = answer(LISTED, arm="apixaban", outcome="stroke")
        assert after(WRONG_OF_LIST, told) == WRONG_OF_LIST

    @pytest.mark.parametrize("time", ["", "12 months", "24 months"])
    def test_another_time_than_the_claims_does_not_count(self, time: str) -> None:
        late = suspected("Major bleeding was 3.1% on warfarin at 24 months.", unbound("3.1%"))
        assert after(late, answer(RATES, arm="warfarin", outcome="bleeding", time=time)) == late

    def test_the_claims_time_does(self) -> None:
        timely = suspected("Major bleeding was 3.1% on warfarin at 1 year.", unbound("3.1%"))
        assert (
            after(timely, answer(RATES, arm="warfarin", outcome="bleeding", time="1 year")).verdict is Verdict.SUPPORTED
        )

    def test_a_fall_is_a_negative_change(self) -> None:
        source = "The mean change in weight with semaglutide was -1.5% at the end."
        claim = suspected("With semaglutide weight fell by 1.5%.", unbound("1.5%"))
        items = [EvidenceItem(n=1, text=source)]
        asked = claims_to_ask(section(claim), items)
        found = apply(section(claim), asked, [answer(source)], items, who="a judge").sections[0].claims[0]
        assert found.verdict is Verdict.SUPPORTED


def test_a_count_needs_so_many_parts() -> None:
    five = suspected("Five things predicted stroke.", suspicion(ReasonCode.NUMBER_NOT_FOUND, "'Five' is in no passage"))
    assert after(five, answer(PREDICTORS)).verdict is Verdict.SUPPORTED
    assert after(five, answer("smoking and hypertension predicted stroke")) == five


def test_a_number_of_a_name_must_be_quoted() -> None:
    reason = suspicion(ReasonCode.NUMBER_NOT_FOUND, "'Type 1' is not in [1]")
    named = suspected("Type 1 diabetes and smoking predicted stroke.", reason)
    assert after(named, answer(PREDICTORS)) == named


class TestAgainst:
    """What speaks against a claim has to be quoted as well."""

    def test_another_figure_in_the_same_place_contradicts_a_number(self) -> None:
        found = after(WRONG, answer(RATES, Judgement.CONTRADICTED))
        assert found.verdict is Verdict.CONTRADICTED
        assert found.reasons[0] == WRONG.reasons[0]
        assert found.reasons[1].code is ReasonCode.NOT_ENTAILED

    def test_words_without_any_figure_do_not(self) -> None:
        assert after(WRONG, answer("Bleeding of the major kind occurred", Judgement.CONTRADICTED)) == WRONG

    def test_an_effect_the_other_way_contradicts_a_direction_and_the_same_effect_does_not(self) -> None:
        quote = "Apixaban did not lower mortality compared with warfarin"
        assert after(DEATHS_LOWER, answer(quote, Judgement.CONTRADICTED)).verdict is Verdict.CONTRADICTED
        assert after(STROKE_LOWER, answer("it lowered the risk of stroke", Judgement.CONTRADICTED)) == STROKE_LOWER

    def test_a_quotation_that_only_comes_close_adds_the_judges_reason(self) -> None:
        found = after(WRONG, answer(RATES, Judgement.NOT_ENTAILED))
        assert found.verdict is Verdict.NOT_CONFIRMED
        assert [r.code for r in found.reasons] == [ReasonCode.NUMBER_NOT_BOUND, ReasonCode.NOT_ENTAILED]

    def test_what_code_supports_is_lowered_only_with_words_of_its_subject(self) -> None:
        claim = supported("Warfarin was followed by stroke in 1.9%.")
        assert after(claim, answer(LISTED, Judgement.CONTRADICTED)).verdict is Verdict.CONTRADICTED
        assert after(claim, answer(LISTED, Judgement.NOT_ENTAILED)).verdict is Verdict.NOT_CONFIRMED
        assert after(claim, answer(LISTED)) == claim
        assert after(claim, answer("Age, sex, diabetes, smoking", Judgement.CONTRADICTED)) == claim
