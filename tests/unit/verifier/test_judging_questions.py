"""What a judge is asked: a typed question per suspicion, one about what code supports, nothing where there is proof."""

from __future__ import annotations

import pytest
from judging_examples import ITEMS, LISTED, asked_about, section, supported, suspected, suspicion, unbound
from openwork_contracts.verdict import ClaimVerdict, EvidenceItem, FindingKind, ReasonCode, Verdict, VerdictReason
from openwork_verifier.domain.gate import verify_claim
from openwork_verifier.domain.judging.premises import hypothesis_of, premises_of
from openwork_verifier.domain.judging.questions import (
    MAX_CLAIMS,
    WORDS,
    QuestionKind,
    claims_to_ask,
    is_suspected,
)

_C, _K = ReasonCode, QuestionKind
STROKE = "Strokes on warfarin were 1.9%."


def kinds(claim: ClaimVerdict) -> list[QuestionKind]:
    (one,) = asked_about(claim)
    return [question.kind for question in one.questions]


def test_every_kind_of_question_has_words() -> None:
    assert set(WORDS) == set(QuestionKind)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (_C.DIRECTION_REVERSED, _K.DIRECTION),
        (_C.DIRECTION_NOT_FOUND, _K.DIRECTION),
        (_C.ARMS_SWAPPED, _K.DIRECTION),
        (_C.NULL_RESULT, _K.DIRECTION),
        (_C.CERTAINTY_OVERSTATED, _K.CERTAINTY),
        (_C.SCOPE_CHANGED, _K.SCOPE),
        (_C.POPULATION_NOT_FOUND, _K.POPULATION),
        (_C.SUBGROUP_AS_WHOLE, _K.SUBGROUP),
        (_C.COMPOSITE_AS_COMPONENT, _K.COMPOSITE),
        (_C.DESIGN_DIFFERS, _K.DESIGN),
        (_C.QUANTIFIER_CHANGED, _K.QUANTIFIER),
        (_C.NONINFERIORITY_OVERSTATED, _K.STRENGTH),
        (_C.RECOMMENDATION_DIFFERS, _K.RECOMMENDATION),
        (_C.INTERVENTION_NOT_FOUND, _K.NAME),
        (_C.WORD_REPLACED, _K.NAME),
        (_C.CONTENT_NOT_FOUND, _K.CONTENT),
        (_C.OUTCOME_NOT_FOUND, _K.CONTENT),
    ],
)
def test_each_suspicion_becomes_a_question_of_its_kind(code: ReasonCode, kind: QuestionKind) -> None:
    assert kinds(suspected(STROKE, suspicion(code)))[0] is kind


def test_a_number_in_question_comes_with_the_claims_words_around_it() -> None:
    (one,) = asked_about(suspected(STROKE, unbound("1.9%")))
    (question,) = one.questions
    assert question.kind is QuestionKind.NUMBER
    assert question.cell is not None
    assert question.cell.quantity.text == "1.9%"
    assert {"stroke", "warfarin"} <= question.cell.words.keys()
    assert "'1.9%'" in question.suspected


def test_of_two_numbers_in_a_suspicion_the_first_is_in_question() -> None:
    claim = suspected(
        "Strokes were 1.2% on apixaban and 1.9% on warfarin.",
        suspicion(_C.NUMBER_NOT_BOUND, "'1.9%' belongs to something else in [1]; there it is '1.2%'"),
        suspicion(_C.NUMBER_NOT_BOUND, "'1.2%' belongs to something else in [1]; there it is '1.9%'"),
    )
    (one,) = asked_about(claim)
    assert [q.cell.quantity.text for q in one.questions if q.cell] == ["1.9%", "1.2%"]


def test_what_a_writer_counts_is_asked_as_a_count_and_a_number_of_a_name_as_a_name() -> None:
    counted = suspected(
        "Five things predicted stroke.", suspicion(_C.NUMBER_NOT_FOUND, "'Five' is in no cited passage")
    )
    named = suspected("Type 1 diabetes predicted stroke.", suspicion(_C.NUMBER_NOT_FOUND, "'Type 1' is not in [1]"))
    assert kinds(counted) == [QuestionKind.COUNT]
    (one,) = asked_about(named)
    assert one.questions[0].kind is QuestionKind.NAME
    assert one.questions[0].digits == {"1"}


def test_suspicions_of_one_kind_are_one_question() -> None:
    claim = suspected(STROKE, suspicion(_C.DIRECTION_REVERSED, "one"), suspicion(_C.NULL_RESULT, "two"))
    (one,) = asked_about(claim)
    assert [(q.id, q.kind, q.suspected) for q in one.questions] == [(1, QuestionKind.DIRECTION, "one; two")]


def test_the_wording_that_the_gate_left_aside_is_asked_about_too() -> None:
    """It checks the wording only where nothing else is wrong: dispelled suspicions alone would let anything through."""
    elsewhere = suspected("Statins were well tolerated by octogenarians everywhere.", suspicion(_C.QUANTIFIER_CHANGED))
    assert kinds(elsewhere) == [QuestionKind.QUANTIFIER, QuestionKind.CONTENT]


def test_what_code_supports_is_asked_about_as_a_whole_and_copies_are_not() -> None:
    assert kinds(supported("Warfarin was followed by stroke in 1.9%.")) == [QuestionKind.WHOLE]
    assert asked_about(supported(LISTED)) == ()


def test_a_claim_with_proof_against_it_and_what_claims_nothing_is_not_asked_about() -> None:
    proof = VerdictReason(code=_C.NUMBER_NOT_FOUND, kind=FindingKind.PROOF, detail="'7%' is in no cited passage")
    mixed = suspected(STROKE, unbound("1.9%"), proof)
    old = suspected(STROKE, VerdictReason(code=_C.NUMBER_NOT_BOUND, detail="written before findings had kinds"))
    refused = ClaimVerdict(text=STROKE, citations=(1,), verdict=Verdict.UNSUPPORTED, reasons=(proof,))
    heading = ClaimVerdict(text="Evidence", verdict=Verdict.NOT_A_CLAIM)
    bare = ClaimVerdict(text=STROKE, citations=(1,), verdict=Verdict.NOT_CONFIRMED)
    assert asked_about(mixed, old, refused, heading, bare) == ()


def test_statements_about_the_evidence_set_are_the_codes_alone() -> None:
    assert not is_suspected(suspected(STROKE, suspicion(_C.EVIDENCE_SET_DIFFERS)))


@pytest.mark.parametrize(
    "text",
    [
        "Aspirin prevented 40% of strokes.",
        "You should take aspirin.",
    ],
)
def test_no_judge_is_asked_about_what_code_proves_in_real_sentences(text: str) -> None:
    items = [EvidenceItem(n=1, text="Aspirin prevented 20% of strokes in 4,000 adults.")]
    claim = verify_claim(text, (1,), items)
    assert claim.verdict in {Verdict.UNSUPPORTED, Verdict.CONTRADICTED}
    assert claims_to_ask(section(claim), items) == ()


def test_known_claims_are_not_asked_about_again_and_no_draft_asks_without_end() -> None:
    claim = supported("Warfarin was followed by stroke in 1.9%.")
    assert claims_to_ask(section(claim), ITEMS, known=frozenset({(claim.text, claim.citations)})) == ()
    many = [supported(f"Warfarin was followed by stroke in 1.9%, case {n}.") for n in range(MAX_CLAIMS + 5)]
    assert len(claims_to_ask(section(*many), ITEMS)) == MAX_CLAIMS


def test_premises_are_the_sources_own_words_alone_and_with_a_neighbour() -> None:
    by_number = {item.n: item for item in ITEMS}
    premises = premises_of(supported("Warfarin was followed by stroke in 1.9%."), by_number, sentences=1)
    assert [n for n, _ in premises] == [1, 1, 1]
    alone, before, behind = (words for _, words in premises)
    assert alone == LISTED
    assert before.endswith(LISTED)
    assert behind.startswith(LISTED)
    assert all(words in ITEMS[0].text for _, words in premises)


def test_the_sentence_to_look_at_is_among_the_premises() -> None:
    items = [EvidenceItem(n=1, text="Apixaban lowered stroke. Nothing else changed much in this study of adults.")]
    claim = verify_claim("Apixaban raised stroke.", (1,), items)
    assert claim.reasons[0].look_at is not None
    premises = premises_of(claim, {1: items[0]}, sentences=1)
    assert (1, claim.reasons[0].look_at.quote) in premises


def test_a_number_is_judged_by_its_clause_where_that_says_something() -> None:
    text = "Bleeding was less with apixaban in this trial, whereas stroke occurred in 1.9% of those on warfarin."
    (one,) = asked_about(suspected(text, unbound("1.9%")))
    assert hypothesis_of(one.claim, one.questions[0]) == "stroke occurred in 1.9% of those on warfarin."
    short = "Stroke occurred in 1.2% of people on apixaban, and 1.9% on warfarin."
    (one,) = asked_about(suspected(short, unbound("1.9%")))
    assert hypothesis_of(one.claim, one.questions[0]) == short
    (whole,) = asked_about(supported(short))
    assert hypothesis_of(whole.claim, whole.questions[0]) == short
