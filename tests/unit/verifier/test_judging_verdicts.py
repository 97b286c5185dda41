"""What becomes of a claim when a judge has answered: shown when nothing is left against it, lowered with a reason."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from judging_examples import (
    EFFECTS,
    ITEMS,
    LISTED,
    OTHER,
    PREDICTORS,
    RATES,
    WHO,
    after,
    answer,
    asked_about,
    judged,
    section,
    supported,
    suspected,
    suspicion,
    unbound,
)
from openwork_contracts.answer import DraftClaim, DraftSection, RevisionRequested, SectionKind
from openwork_contracts.evidence import TextOrigin
from openwork_contracts.verdict import ClaimVerdict, FindingKind, ReasonCode, Verdict, VerdictReason
from openwork_verifier.domain.gate import score_claims
from openwork_verifier.domain.judging.answers import JudgedAnswer, Judgement
from openwork_verifier.domain.judging.verdicts import MAX_SHOWN_CHARS, apply, known_claims, with_known

from tests.packs import meta

RIGHT = suspected("Major bleeding was 3.1% on warfarin.", unbound("3.1%"))
TWICE = suspected(
    "Major bleeding was 3.1% on warfarin in everybody.",
    unbound("3.1%"),
    suspicion(ReasonCode.QUANTIFIER_CHANGED, "all?"),
)
PARAPHRASE = supported("Warfarin was followed by stroke in 1.9%.")
REFUSED = ClaimVerdict(
    text="Apixaban cures 97%.",
    citations=(1,),
    verdict=Verdict.UNSUPPORTED,
    reasons=(VerdictReason(code=ReasonCode.NUMBER_NOT_FOUND, kind=FindingKind.PROOF, detail="'97%' is nowhere"),),
)
QUOTED = RATES.rstrip(".")
HEADING = ClaimVerdict(text="Evidence", verdict=Verdict.NOT_A_CLAIM)


def test_a_dispelled_suspicion_becomes_a_reason_with_question_quotation_and_judge() -> None:
    result = judged(RIGHT, answer(RATES))
    (claim,) = result.sections[0].claims
    (reason,) = claim.reasons
    assert (claim.verdict, reason.code, reason.kind) == (
        Verdict.SUPPORTED,
        ReasonCode.NUMBER_NOT_BOUND,
        FindingKind.JUDGED,
    )
    assert reason.detail.startswith("Which arm, outcome and time point does '3.1%' belong to")
    assert WHO in reason.detail
    assert QUOTED in reason.detail
    assert reason.look_at == claim.evidence[0]
    assert ITEMS[0].text[claim.evidence[0].start : claim.evidence[0].end] == QUOTED
    assert (result.n_asked, result.n_void, result.n_raised, result.n_lowered) == (1, 0, 1, 0)


def test_a_judge_that_read_a_summary_of_ours_is_said_to_have_read_one() -> None:
    ours = [item.model_copy(update={"text_origin": TextOrigin.OUR_SUMMARY}) for item in ITEMS]
    result = apply(section(RIGHT), asked_about(RIGHT), [answer(RATES)], ours, who=WHO)
    (reason,) = result.sections[0].claims[0].reasons
    assert f"As {WHO} reads it, [1] (our summary) " in reason.detail
    assert reason.look_at is not None
    assert reason.look_at.text_origin is TextOrigin.OUR_SUMMARY
    assert "(our summary)" not in after(RIGHT, answer(RATES)).reasons[0].detail


def test_all_suspicions_have_to_be_dispelled() -> None:
    half = after(TWICE, answer(RATES))
    assert half.verdict is Verdict.NOT_CONFIRMED
    assert [r.code for r in half.reasons] == [ReasonCode.QUANTIFIER_CHANGED]
    whole = after(TWICE, answer(RATES), answer(RATES, question=2))
    assert whole.verdict is Verdict.SUPPORTED
    assert [r.kind for r in whole.reasons] == [FindingKind.JUDGED, FindingKind.JUDGED]
    assert [span.quote for span in whole.evidence] == [QUOTED]


def test_one_contradiction_outweighs_what_was_dispelled() -> None:
    found = after(TWICE, answer(RATES), answer(RATES, Judgement.CONTRADICTED, question=2))
    assert found.verdict is Verdict.CONTRADICTED
    assert [(r.code, r.kind) for r in found.reasons] == [
        (ReasonCode.QUANTIFIER_CHANGED, FindingKind.SUSPICION),
        (ReasonCode.NOT_ENTAILED, FindingKind.JUDGED),
    ]


def test_a_supported_claim_is_lowered_with_a_reason_and_kept_without_one() -> None:
    for said, verdict in (
        (Judgement.NOT_ENTAILED, Verdict.NOT_CONFIRMED),
        (Judgement.CONTRADICTED, Verdict.CONTRADICTED),
    ):
        result = judged(PARAPHRASE, answer(LISTED, said))
        (claim,) = result.sections[0].claims
        assert (claim.verdict, result.n_lowered) == (verdict, 1)
        assert [(r.code, r.kind) for r in claim.reasons] == [(ReasonCode.NOT_ENTAILED, FindingKind.JUDGED)]
        assert score_claims([claim]).supported == 0
    assert after(PARAPHRASE, answer(LISTED)) == PARAPHRASE


def test_the_first_answer_to_a_question_counts_and_those_to_none_are_ignored() -> None:
    assert after(RIGHT, answer("nowhere in any of the sources"), answer(RATES)) == RIGHT
    strays = (answer(RATES, claim=7), answer(RATES, question=9), answer(RATES, question=0))
    assert after(RIGHT, *strays) == RIGHT
    assert judged(RIGHT).n_void == 1


def test_a_long_quotation_is_shown_in_part() -> None:
    (reason,) = after(RIGHT, answer(f"{RATES} {LISTED}")).reasons
    assert reason.look_at is not None
    assert len(reason.look_at.quote) > MAX_SHOWN_CHARS
    assert f"{reason.look_at.quote[:MAX_SHOWN_CHARS]}..." in reason.detail


_answers = st.builds(
    JudgedAnswer,
    claim=st.integers(-1, 4),
    question=st.integers(-1, 3),
    verdict=st.sampled_from(Judgement),
    source=st.integers(-1, 3),
    quote=st.one_of(st.text(max_size=40), st.sampled_from([RATES, LISTED, EFFECTS, PREDICTORS, OTHER])),
    arm=st.sampled_from(["", "apixaban", "warfarin", "\x00"]),
    outcome=st.sampled_from(["", "bleeding", "stroke", "97%"]),
    time=st.sampled_from(["", "12 months", "never", "year 0"]),
)


@given(st.lists(_answers, max_size=10))
def test_nothing_is_raised_but_suspected_claims_and_nothing_is_touched_that_was_not_asked_about(
    answers: list[JudgedAnswer],
) -> None:
    before = section(RIGHT, REFUSED, HEADING, supported(LISTED), PARAPHRASE, TWICE)
    asked = asked_about(*before[0].claims)
    found = apply(before, asked, answers, ITEMS, who=WHO).sections[0].claims
    for old, new in zip(before[0].claims, found, strict=True):
        if old in (REFUSED, HEADING, supported(LISTED)):
            assert new == old
        elif new.verdict is Verdict.SUPPORTED and old != PARAPHRASE:
            assert all(r.kind is FindingKind.JUDGED and r.look_at for r in new.reasons)
            assert new.evidence
        elif new != old:
            assert new.verdict in {Verdict.NOT_CONFIRMED, Verdict.CONTRADICTED}
            assert new.reasons


def test_claims_that_did_not_fail_are_known_in_the_second_round_and_stay_accepted() -> None:
    draft = DraftSection(
        kind=SectionKind.EVIDENCE,
        heading="Evidence",
        claims=tuple(DraftClaim(text=c.text, citations=c.citations) for c in (RIGHT, REFUSED)),
    )
    request = RevisionRequested(meta=meta(), failed=(REFUSED,), verification=score_claims([RIGHT, REFUSED]))
    known = known_claims((draft,), request)
    assert known == {(RIGHT.text, (1,))}
    kept, refused = with_known(section(RIGHT, REFUSED), known, who=WHO)[0].claims
    assert (kept.verdict, kept.reasons[0].kind) == (Verdict.SUPPORTED, FindingKind.JUDGED)
    assert WHO in kept.reasons[0].detail
    assert refused == REFUSED
