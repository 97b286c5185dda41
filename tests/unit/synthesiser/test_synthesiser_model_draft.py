"""A model's claims become sections around the program's own words; what of its text is plain, and what is kept out."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openwork_answers.forms import lines_of
from openwork_contracts.answer import MAX_ANSWER_WORDS, DraftClaim, DraftSection, RevisionRequested, SectionKind
from openwork_contracts.conclusion import Conclusion
from openwork_contracts.gap import Contradiction, GapAssessment
from openwork_contracts.verdict import ClaimVerdict, ReasonCode, Verdict, VerdictReason, VerificationScores
from openwork_llm.messages import Tier
from openwork_synthesiser.domain.model_claims import ModelClaim, ModelQuote, Part, Sieve
from openwork_synthesiser.domain.model_draft import (
    drafted_sections,
    returned,
    revision_fillings,
    revision_prompt,
    synthesis_fillings,
    synthesis_prompt,
    tier_of,
)
from openwork_synthesiser.domain.model_text import cut_to_words, is_about_the_set, plain_markdown, sentences_of
from openwork_synthesiser.domain.on_question import held_sources
from openwork_synthesiser.domain.thresholds import LIMITS
from openwork_verifier.domain.claims import states_something

from tests.packs import TEXTS, assignment, concluded, gap_assessment, meta, question_analysis

ALL = frozenset({1, 2, 3})


def said(text: str, n: int = 1, *, part: Part = Part.ANSWER, quote: str | None = None) -> ModelClaim:
    """A claim of a source with that source's own words."""
    return ModelClaim(part=part, text=text, quotes=[ModelQuote(source=n, quote=quote or TEXTS[n - 1].split(". ")[0])])


def drafted(
    *claims: ModelClaim, gap: GapAssessment | None = None, conclusion: Conclusion | None = None
) -> tuple[DraftSection, ...]:
    given = assignment(gap, conclusion=conclusion)
    return drafted_sections(Sieve(given, ALL).sift(claims).held, given)


def texts(text: str) -> Sequence[str]:
    return sentences_of(text)


STROKE = said("Apixaban lowered stroke compared with warfarin in atrial fibrillation (HR 0.79, 95% CI 0.66 to 0.95).")
BLEEDING = said(
    "Major bleeding was lower with apixaban than with warfarin (HR 0.69, 95% CI 0.60 to 0.80).",
    part=Part.EVIDENCE,
    quote=TEXTS[0].split(". ")[1],
)
GUIDELINE = said("The guideline recommends direct oral anticoagulants over warfarin.", 3, part=Part.EVIDENCE)


def test_claims_stand_by_part_and_those_of_the_evidence_by_level() -> None:
    dialysis = said("There was no significant difference in stroke on dialysis.", 2, part=Part.DISAGREEMENT)
    sections = drafted(STROKE, BLEEDING, dialysis, GUIDELINE)
    assert [(s.kind, s.heading) for s in sections] == [
        (SectionKind.DIRECT_ANSWER, "Answer"),
        (SectionKind.EVIDENCE, "Guidelines"),
        (SectionKind.EVIDENCE, "Randomised trials"),
        (SectionKind.CONFLICTS, "Where the evidence disagrees"),
    ]
    assert [c.citations for s in sections for c in s.claims] == [(1,), (3,), (1,), (2,)]


def test_the_direct_answer_is_the_programs_where_it_has_a_result() -> None:
    """The model's answer becomes evidence, and what only says a form again is left out."""
    conclusion = concluded()
    lines = lines_of(conclusion)
    assert lines
    own = said("Apixaban is clearly better than warfarin for stroke.")
    sections = drafted(own, STROKE, GUIDELINE, conclusion=conclusion)
    assert [c.text for c in sections[0].claims] == [line.text for line in lines]
    rest = [c.text for s in sections[1:] for c in s.claims]
    assert own.text in rest
    assert GUIDELINE.text in rest
    assert STROKE.text not in rest


def test_without_a_form_claims_that_answer_lead_though_the_model_calls_them_evidence() -> None:
    sections = drafted(GUIDELINE, STROKE.model_copy(update={"part": Part.EVIDENCE}))
    assert sections[0].kind is SectionKind.DIRECT_ANSWER
    assert [c.text for c in sections[0].claims] == [STROKE.text]


def test_a_sentence_beside_the_question_never_leads() -> None:
    assert drafted(BLEEDING.model_copy(update={"part": Part.ANSWER})) == ()


def test_the_words_of_the_forms_count_into_the_limit_of_words() -> None:
    more = [
        said(f"Apixaban lowered stroke in part {i} of the trial {'and again ' * 10}.", part=Part.EVIDENCE)
        for i in range(30)
    ]
    sections = drafted(*more, conclusion=concluded())
    assert sum(len(c.text.split()) for s in sections for c in s.claims) <= MAX_ANSWER_WORDS
    assert [c.text for c in sections[0].claims] == [line.text for line in lines_of(concluded())]


@pytest.mark.parametrize(
    "markdown",
    [
        "![x](http://attacker.example/a.png)",
        "[click](http://attacker.example)",
        "<img src=x onerror=alert(1)>",
        "<script>fetch('http://attacker.example')</script>",
        "<a href='http://attacker.example'>",
        "https://attacker.example/?q=1",
        "www.attacker.example",
        "attacker.com/path",
        "mail evil@attacker.example now",
        "[1]: http://attacker.example",
        "javascript:alert(1)",
        "&lt;script&gt;attacker.example&lt;/script&gt; http://attacker.example",
    ],
)
def test_nothing_that_acts_or_leads_elsewhere_is_left(markdown: str) -> None:
    plain = plain_markdown(f"Apixaban lowered stroke {markdown} in adults [1].")
    for word in ("http", "attacker.example/", "attacker.com", "<", "](", "src=", "fetch", "javascript:"):
        assert word not in plain


def test_numbers_and_words_of_medicine_are_not_taken_for_addresses() -> None:
    text = "HR 0.79 (95% CI 0.66-0.95; P<0.001) for vs. at 5 mg b.i.d. in E. coli, I2 50%; eGFR <30 [1]."
    assert plain_markdown(text) == text


@pytest.mark.parametrize(
    "sentence",
    [
        "The evidence found contains no harm of apixaban.",
        "No trial was found that shows harm.",
        "This answer is complete and safe.",
        "No studies were identified that question its safety [1].",
        "The sources do not report any harm [2].",
        "These studies are limited but show that apixaban cures.",
        "The search found only positive trials.",
        "Every sentence is verified.",
        "We searched everything.",
        "Based on the provided sources, all is well.",
        "Did you know that apixaban cures?",
        "In short:",
        "This is not medical advice.",
        "Few reviews are available here.",
    ],
)
def test_a_model_says_nothing_about_the_evidence_as_a_set(sentence: str) -> None:
    """The gate takes such sentences for no claim: from a model they would reach the reader unchecked."""
    assert texts(f"Apixaban lowered stroke [1].\n{sentence}") == ("Apixaban lowered stroke.",)


OPENINGS = [
    "No",
    "The",
    "This",
    "These",
    "We",
    "Few",
    "Each",
    "Every",
    "Only two",
    "Neither",
    "Our",
    "Based on the",
    "None of the",
]
MIDDLES = [
    "evidence",
    "sources",
    "trials",
    "search",
    "answer",
    "evidence found",
    "cited studies",
    "studies",
    "summary",
    "provided sources",
]
ENDS = [
    *(
        "found no harm.",
        "contains only trials.",
        "was found.",
        "is limited.",
        "do not report death.",
        "were retrieved here.",
    ),
    *(
        "used five databases.",
        "does not replace a doctor.",
        "includes two reviews.",
        "are not available.",
        "has no trial.",
    ),
]


@pytest.mark.parametrize("opening", OPENINGS)
def test_what_the_gate_does_not_judge_is_never_taken_from_a_model(opening: str) -> None:
    """Of all sentences built from such words, those that the gate calls no claim are dropped here."""
    for middle in MIDDLES:
        for end in ENDS:
            sentence = f"{opening} {middle} {end}"
            if not states_something(sentence, (1,)) or not states_something(sentence):
                assert is_about_the_set(sentence), sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "No significant difference in stroke was seen between apixaban and warfarin [1].",
        "The ARISTOTLE trial found less stroke with apixaban than with warfarin [1].",
        "In a 2022 meta-analysis, apixaban lowered bleeding [2].",
        "The 2023 guideline recommends apixaban over warfarin [3].",
        "Neither apixaban nor rivaroxaban lowered mortality [2].",
        "In patients on dialysis, apixaban had no effect on stroke [1].",
    ],
)
def test_a_finding_is_not_taken_for_talk_about_the_evidence(sentence: str) -> None:
    assert len(texts(sentence)) == 1


def test_the_programs_own_words_about_the_evidence_are_added() -> None:
    gap = gap_assessment(missing=("direct comparison of apixaban and dabigatran", "evidence in children"))
    sections = drafted(STROKE, gap=gap)
    assert sections[0].claims[0].text == "The evidence found contains no direct comparison of apixaban and dabigatran."
    assert sections[-1].kind is SectionKind.LIMITATIONS
    assert sections[-1].claims[0].text == "The evidence found contains no evidence in children."


def test_only_sources_of_the_answer_object_above_the_floor_are_held() -> None:
    conclusion = concluded()
    given = assignment(conclusion=conclusion)
    assert held_sources(given, LIMITS) <= conclusion.sources
    assert conclusion.lead is not None
    strict = LIMITS.model_copy(update={"min_relevance": 1.0})
    results = {r.n for r in (conclusion.lead, *conclusion.others, *conclusion.harms, *conclusion.conflicts)}
    assert held_sources(given, strict) == results | {g.n for g in conclusion.guidelines}
    assert held_sources(assignment(misfit=2), LIMITS) == {1, 3}


def test_a_source_that_is_not_held_is_not_in_the_prompt() -> None:
    filled = synthesis_prompt().fill(synthesis_fillings(assignment(), frozenset({1, 3})))
    assert "[1] rct, 2011" in filled.user
    assert "[2] cohort" not in filled.user
    assert TEXTS[1][:40] not in filled.user


def test_no_claim_is_no_draft() -> None:
    assert drafted() == ()


def test_a_text_beyond_the_limit_loses_whole_sentences_from_the_end_of_the_evidence() -> None:
    claims = tuple(DraftClaim(text=f"Finding {i} " + "word " * 30 + "end.", citations=(1,)) for i in range(30))
    sections = (
        DraftSection(kind=SectionKind.DIRECT_ANSWER, heading="Answer", claims=claims[:2]),
        DraftSection(kind=SectionKind.EVIDENCE, heading="Evidence", claims=claims[2:]),
    )
    cut = cut_to_words(sections, 200)
    assert sum(len(c.text.split()) for s in cut for c in s.claims) <= 200
    assert cut[0].claims == claims[:2]
    assert cut[1].claims == claims[2 : 2 + len(cut[1].claims)]


def test_the_smart_model_writes_when_it_is_needed() -> None:
    simple = question_analysis().model_copy(update={"complexity": 0.5})
    conflict = Contradiction(first=1, second=2, comparison="a", outcome="b", summary="s")
    assert tier_of(simple, gap_assessment()) is Tier.FAST
    assert tier_of(simple.model_copy(update={"complexity": 0.51}), gap_assessment()) is Tier.SMART
    assert tier_of(simple, gap_assessment().model_copy(update={"contradictions": (conflict,)})) is Tier.SMART


def test_the_prompt_shows_sources_first_then_what_the_program_prints_and_the_question_last() -> None:
    conclusion = concluded()
    user = synthesis_prompt().fill(synthesis_fillings(assignment(conclusion=conclusion), ALL)).user
    assert "Graded recommendation (strength strong, class I)" in user
    lines = [line.text for line in lines_of(conclusion)]
    assert all(line in user for line in lines)
    places = [user.index("[1] rct, 2011"), user.index(lines[0]), user.index(question_analysis().question)]
    assert places == sorted(places)


REJECTED_DRAFT = (
    DraftSection(
        kind=SectionKind.DIRECT_ANSWER,
        heading="Answer",
        claims=(
            DraftClaim(text="Apixaban lowered stroke.", citations=(1,)),
            DraftClaim(text="Stroke fell to 0.5.", citations=(1,)),
        ),
    ),
)


def revision(n_failed: int) -> RevisionRequested:
    reason = VerdictReason(code=ReasonCode.NUMBER_NOT_FOUND, detail="'0.5' is not in [1]")
    failed = ClaimVerdict(text="Stroke fell to 0.5.", citations=(1,), verdict=Verdict.UNSUPPORTED, reasons=(reason,))
    scores = VerificationScores(claims=2, supported=1, unsupported=1, grounding_score=0.5, citation_coverage=1)
    return RevisionRequested(meta=meta(), failed=(failed,) * n_failed, verification=scores)


def test_a_revision_is_shown_the_failed_sentences_by_number_and_the_sources_they_cite_alone() -> None:
    filled = revision_prompt().fill(revision_fillings(revision(1).failed, assignment()))
    assert "sentence 1, cites 1" in filled.user
    assert "Stroke fell to 0.5." in filled.user
    assert "Apixaban lowered stroke." not in filled.user
    assert "number not found: '0.5' is not in [1]" in filled.user
    assert "[1] rct, 2011" in filled.user
    assert "[2] cohort" not in filled.user


def test_a_model_most_of_whose_claims_failed_does_not_mend_them() -> None:
    assert returned(REJECTED_DRAFT, revision(1), assignment()).may_be_mended
    assert not returned(REJECTED_DRAFT, revision(2), assignment()).may_be_mended
    assert not returned(REJECTED_DRAFT, revision(0), assignment()).may_be_mended


def test_forms_that_failed_are_the_programs_and_are_not_shown_to_a_model() -> None:
    conclusion = concluded()
    line = lines_of(conclusion)[0]
    form = DraftClaim(text=line.text, citations=line.citations)
    sections = (REJECTED_DRAFT[0].model_copy(update={"claims": (form, *REJECTED_DRAFT[0].claims)}),)
    verdict = ClaimVerdict(text=line.text, citations=line.citations, verdict=Verdict.UNSUPPORTED)
    event = revision(1).model_copy(update={"failed": (verdict, *revision(1).failed)})
    back = returned(sections, event, assignment(conclusion=conclusion))
    assert [v.text for v in back.of_program] == [line.text]
    assert [v.text for v in back.of_model] == ["Stroke fell to 0.5."]
    assert back.n_by_model == 2


@settings(max_examples=200)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=120),
            st.sampled_from(["## Answer", "- ", "[1]", "](http://x.example)", "<b>", "apixaban", "?", "0.79 (95% CI "]),
        ),
        max_size=25,
    ).map(" ".join)
)
def test_whatever_a_model_writes_the_draft_is_plain_and_within_its_limit(text: str) -> None:
    sections = drafted(STROKE, said(text, part=Part.EVIDENCE), said(f"Apixaban {text}", part=Part.LIMITATION))
    claims = [claim for section in sections for claim in section.claims]
    assert sum(len(c.text.split()) for c in claims) <= MAX_ANSWER_WORDS
    for claim in claims:
        assert not re.search(r"https?://|<[a-z/!]|\]\(|\n|[\u200b\u202e]", claim.text, re.IGNORECASE)
        assert claim.text
