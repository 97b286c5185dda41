"""Entailment by a model, with true quotations: lowers what code supports, accepts other words, overrules no check."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.answer import AnswerSection, RevisionRequested, SectionKind
from openwork_contracts.verdict import ClaimVerdict, EvidenceItem, ReasonCode, Verdict, VerdictReason
from openwork_verifier.domain.evidence import evidence_items
from openwork_verifier.domain.gate import score_claims, verify_claim
from openwork_verifier.domain.model_entailment import (
    Entailment,
    ModelEntailment,
    ModelJudgement,
    apply,
    claims_to_ask,
    fillings_of,
    known_claims,
    verifier_prompt,
    with_known,
)

from tests.packs import TEXTS, documents, meta, passages

ITEMS = evidence_items(passages(), documents())
QUOTE = "Major bleeding was lower with apixaban than with warfarin"
PARAPHRASE = ClaimVerdict(text="Apixaban caused less major bleeding.", citations=(1,), verdict=Verdict.SUPPORTED)
VERBATIM = ClaimVerdict(text=TEXTS[2], citations=(3,), verdict=Verdict.SUPPORTED)
REFUSED = ClaimVerdict(text="Apixaban cures.", citations=(1,), verdict=Verdict.UNSUPPORTED)
HEADING = ClaimVerdict(text="Evidence", verdict=Verdict.NOT_A_CLAIM)


def section(*claims: ClaimVerdict) -> tuple[AnswerSection, ...]:
    return (AnswerSection(kind=SectionKind.EVIDENCE, heading="Evidence", claims=claims),)


def judgement(
    verdict: Entailment = Entailment.NOT_ENTAILED, *, id_: int = 1, n: int = 1, quote: str = QUOTE
) -> ModelEntailment:
    return ModelEntailment(judgements=[ModelJudgement(id=id_, verdict=verdict, source=n, quote=quote)])


def test_supported_claims_that_are_not_word_for_word_are_asked_about() -> None:
    asked = claims_to_ask(section(PARAPHRASE, VERBATIM, REFUSED, HEADING), ITEMS, known=frozenset())
    assert asked == (PARAPHRASE,)


def test_a_claim_that_was_found_entailed_is_not_asked_about_again() -> None:
    known = frozenset({(PARAPHRASE.text, PARAPHRASE.citations)})
    assert claims_to_ask(section(PARAPHRASE), ITEMS, known=known) == ()


@pytest.mark.parametrize(
    ("said", "verdict"),
    [(Entailment.NOT_ENTAILED, Verdict.UNSUPPORTED), (Entailment.CONTRADICTED, Verdict.CONTRADICTED)],
)
def test_a_judgement_with_a_true_quotation_lowers_the_verdict(said: Entailment, verdict: Verdict) -> None:
    checked = apply(section(PARAPHRASE, REFUSED), (PARAPHRASE,), judgement(said), ITEMS)
    lowered, refused = checked.sections[0].claims
    assert lowered.verdict is verdict
    assert lowered.reasons[-1].code is ReasonCode.NOT_ENTAILED
    assert QUOTE in lowered.reasons[-1].detail
    assert refused == REFUSED
    assert (checked.n_asked, checked.n_void, checked.n_lowered) == (1, 0, 1)
    assert score_claims([lowered]).supported == 0


@pytest.mark.parametrize(
    "answer",
    [
        judgement(quote="Apixaban raised major bleeding in everybody who took it"),
        judgement(quote="bleeding"),
        judgement(quote=""),
        judgement(n=2),
        judgement(n=3, quote="The guideline recommends direct oral anticoagulants"),
        judgement(id_=7),
        ModelEntailment(judgements=[]),
    ],
)
def test_a_judgement_without_a_true_quotation_of_a_cited_source_is_void(answer: ModelEntailment) -> None:
    checked = apply(section(PARAPHRASE), (PARAPHRASE,), answer, ITEMS)
    assert checked.sections == section(PARAPHRASE)
    assert checked.n_void == 1


def test_the_first_judgement_of_a_claim_counts() -> None:
    both = [*judgement(Entailment.ENTAILED).judgements, *judgement(Entailment.CONTRADICTED).judgements]
    checked = apply(section(PARAPHRASE), (PARAPHRASE,), ModelEntailment(judgements=both), ITEMS)
    assert checked.n_lowered == 0


_judgements = st.builds(
    ModelJudgement,
    id=st.integers(-1, 4),
    verdict=st.sampled_from(Entailment),
    source=st.integers(-1, 5),
    quote=st.one_of(st.text(max_size=40), st.sampled_from([QUOTE, *TEXTS])),
)


OTHER_WORDS = ClaimVerdict(
    text="Haemorrhage of the major kind was rarer on apixaban.",
    citations=(1,),
    verdict=Verdict.PARTLY_SUPPORTED,
    reasons=(VerdictReason(code=ReasonCode.CONTENT_NOT_FOUND, detail="40% of what it says is in the cited passages"),),
)


@given(st.lists(_judgements, max_size=8))
def test_a_model_raises_nothing_but_wording(judgements: list[ModelJudgement]) -> None:
    before = section(PARAPHRASE, REFUSED, HEADING, VERBATIM, OTHER_WORDS)
    asked = claims_to_ask(before, ITEMS, known=frozenset())
    after = apply(before, asked, ModelEntailment(judgements=judgements), ITEMS).sections
    for old, new in zip(before[0].claims, after[0].claims, strict=True):
        if old == OTHER_WORDS:
            assert new.verdict in {Verdict.PARTLY_SUPPORTED, Verdict.SUPPORTED, *_LOWERED}
        else:
            assert new == old or (old.verdict is Verdict.SUPPORTED and new.verdict in _LOWERED)


_LOWERED = {Verdict.UNSUPPORTED, Verdict.CONTRADICTED}


def test_a_claim_in_other_words_is_accepted_with_a_true_quotation_of_its_subject() -> None:
    assert claims_to_ask(section(OTHER_WORDS), ITEMS, known=frozenset()) == (OTHER_WORDS,)
    checked = apply(section(OTHER_WORDS), (OTHER_WORDS,), judgement(Entailment.ENTAILED), ITEMS)
    (claim,) = checked.sections[0].claims
    assert (claim.verdict, claim.reasons, checked.n_raised) == (Verdict.SUPPORTED, (), 1)
    span = claim.evidence[0]
    assert span.quote == QUOTE == ITEMS[0].text[span.start : span.end]


@pytest.mark.parametrize("quote", ["no such words stand there at all", "", "and the other of the two"])
def test_without_one_it_is_not(quote: str) -> None:
    checked = apply(section(OTHER_WORDS), (OTHER_WORDS,), judgement(Entailment.ENTAILED, quote=quote), ITEMS)
    assert checked.sections == section(OTHER_WORDS)
    assert (checked.n_void, checked.n_raised) == (1, 0)


def test_a_quotation_about_something_else_accepts_nothing() -> None:
    elsewhere = OTHER_WORDS.model_copy(update={"text": "Statins were tolerated by nearly everybody over seventy."})
    checked = apply(section(elsewhere), (elsewhere,), judgement(Entailment.ENTAILED), ITEMS)
    assert checked.sections == section(elsewhere)


@pytest.mark.parametrize("code", [c for c in ReasonCode if c is not ReasonCode.CONTENT_NOT_FOUND])
def test_what_a_check_by_code_has_found_is_not_put_to_a_model(code: ReasonCode) -> None:
    found = VerdictReason(code=code, detail="found")
    for reasons in ((found,), (*OTHER_WORDS.reasons, found)):
        claim = OTHER_WORDS.model_copy(update={"reasons": reasons})
        assert claims_to_ask(section(claim), ITEMS, known=frozenset()) == ()


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Ibuprofen relieved chronic low back pain in 7 days.", "Ibuprofen relieved acute low back pain in 7 days."),
        ("Antibiotics given after incision lowered infection.", "Antibiotics given before incision lowered infection."),
        ("Metformin is first-line in type 1 diabetes.", "Metformin is first-line in type 2 diabetes."),
        ("Aspirin prevented 40% of strokes.", "Aspirin prevented 20% of strokes."),
        ("Aspirin will prevent stroke in women.", "Aspirin may prevent stroke in women."),
    ],
)
def test_no_judgement_overrules_what_code_finds_in_real_sentences(claim: str, source: str) -> None:
    items = [EvidenceItem(n=1, title="", text=source)]
    sections = section(verify_claim(claim, (1,), items))
    assert sections[0].claims[0].verdict is not Verdict.SUPPORTED
    assert claims_to_ask(sections, items, known=frozenset()) == ()


def test_what_was_accepted_in_the_first_draft_stays_accepted_in_the_second() -> None:
    known = frozenset({(OTHER_WORDS.text, OTHER_WORDS.citations)})
    kept, refused = with_known(section(OTHER_WORDS, REFUSED), known)[0].claims
    assert kept.verdict is Verdict.SUPPORTED
    assert refused == REFUSED


def test_all_claims_are_asked_in_one_prompt_with_each_cited_source_once() -> None:
    filled = verifier_prompt().fill(fillings_of((PARAPHRASE, PARAPHRASE), ITEMS))
    assert filled.user.count(TEXTS[0]) == 1
    assert TEXTS[1] not in filled.user
    assert "claim 2, cites 1" in filled.user


def test_claims_that_did_not_fail_are_known_in_the_second_round() -> None:
    from openwork_contracts.answer import DraftClaim, DraftSection

    draft = DraftSection(
        kind=SectionKind.EVIDENCE,
        heading="Evidence",
        claims=tuple(DraftClaim(text=c.text, citations=c.citations) for c in (PARAPHRASE, REFUSED)),
    )
    request = RevisionRequested(
        meta=meta(),
        failed=(REFUSED,),
        verification=score_claims([PARAPHRASE, REFUSED]),
    )
    assert known_claims((draft,), request) == {(PARAPHRASE.text, (1,))}
