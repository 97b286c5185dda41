"""A model's text becomes claims with citations and nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openwork_contracts.answer import MAX_ANSWER_WORDS, DraftClaim, DraftSection, RevisionRequested, SectionKind
from openwork_contracts.gap import Contradiction
from openwork_contracts.verdict import ClaimVerdict, ReasonCode, Verdict, VerdictReason, VerificationScores
from openwork_llm.messages import Tier
from openwork_synthesiser.domain.model_draft import (
    drafted_sections,
    may_revise,
    revision_fillings,
    revision_prompt,
    synthesis_fillings,
    synthesis_prompt,
    tier_of,
)
from openwork_synthesiser.domain.model_text import cut_to_words, is_about_the_set, parse_draft, plain_markdown
from openwork_verifier.domain.claims import states_something

from tests.packs import assignment, gap_assessment, meta, question_analysis

DRAFT = """## Answer
Apixaban lowered stroke compared with warfarin (HR 0.79, 95% CI 0.66 to 0.95) [1]. \
Major bleeding was lower vs. warfarin [1, 2].

**Evidence**
- The 2013 guideline recommends direct oral anticoagulants [3]
- Results: There was no significant difference on dialysis [2].
## Where the evidence disagrees
While [1] found less stroke, [2] found no difference.
### Limitations
* The trial was open label [1][99].
## References
1. Granger C. Apixaban versus warfarin. N Engl J Med 2011. https://doi.org/10.1056/x
"""


def texts(markdown: str) -> list[str]:
    return [claim.text for section in parse_draft(markdown) for claim in section.claims]


def test_sections_sentences_and_citations_are_read() -> None:
    sections = parse_draft(DRAFT)
    assert [s.kind for s in sections] == list(SectionKind)
    direct, evidence, conflicts, limitations = sections
    assert [c.citations for c in direct.claims] == [(1,), (1, 2)]
    assert direct.claims[0].text == "Apixaban lowered stroke compared with warfarin (HR 0.79, 95% CI 0.66 to 0.95)."
    assert evidence.claims[0].text.endswith("anticoagulants.")
    assert evidence.claims[1].text == "There was no significant difference on dialysis."
    assert conflicts.claims[0].citations == (1, 2)
    assert limitations.claims[0].citations == (1, 99)


def test_references_of_a_model_are_dropped_and_its_headings_are_not_used() -> None:
    sections = parse_draft(DRAFT.replace("**Evidence**", "## Evidence that zanolixumab cures"))
    assert "Granger" not in str(sections)
    assert "zanolixumab" not in str(sections)
    assert {s.heading for s in sections} == {"Answer", "Evidence", "Where the evidence disagrees", "Limitations"}


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
    assert texts(f"## Answer\nApixaban lowered stroke [1].\n{sentence}") == ["Apixaban lowered stroke."]


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
    assert len(texts(f"## Answer\n{sentence}")) == 1


def test_the_programs_own_words_about_the_evidence_are_added() -> None:
    gap = gap_assessment(missing=("direct comparison of apixaban and dabigatran", "evidence in children"))
    sections = drafted_sections("## Answer\nApixaban lowered stroke [1].", assignment(gap))
    assert sections[0].claims[0].text == "The evidence found contains no direct comparison of apixaban and dabigatran."
    assert sections[-1].kind is SectionKind.LIMITATIONS
    assert sections[-1].claims[0].text == "The evidence found contains no evidence in children."


def test_a_claim_that_rests_on_a_misfit_alone_is_left_out() -> None:
    markdown = "## Answer\nApixaban lowered stroke [1]. It made no difference on dialysis [2]. Both agree [1][2]."
    sections = drafted_sections(markdown, assignment(misfit=2))
    cited = [c.citations for c in sections[0].claims if c.citations]
    assert cited == [(1,), (1, 2)]


@pytest.mark.parametrize("markdown", ["", "I cannot help with that.", "## Answer\nApixaban is good.", "# A\n# B"])
def test_a_text_without_a_cited_sentence_is_no_draft(markdown: str) -> None:
    assert drafted_sections(markdown, assignment()) == ()


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


def test_the_prompt_shows_marks_and_gradings() -> None:
    filled = synthesis_prompt().fill(synthesis_fillings(assignment(misfit=2)))
    assert "[2] cohort, 2012, MARKED: does not test what is asked" in filled.user
    assert "What it tested instead: tested edoxaban" in filled.user
    assert "Graded recommendation (strength strong, class I)" in filled.user
    assert "coverage of the question: 100%" in filled.user


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


def revision(n_claims: int, n_failed: int) -> RevisionRequested:
    reason = VerdictReason(code=ReasonCode.NUMBER_NOT_FOUND, detail="'0.5' is not in [1]")
    failed = ClaimVerdict(text="Stroke fell to 0.5.", citations=(1,), verdict=Verdict.UNSUPPORTED, reasons=(reason,))
    scores = VerificationScores(
        claims=n_claims, supported=n_claims - n_failed, unsupported=n_failed, grounding_score=0.5, citation_coverage=1
    )
    return RevisionRequested(meta=meta(), failed=(failed,) * n_failed, verification=scores)


def test_a_revision_is_shown_what_failed_and_why_and_the_cited_sources_alone() -> None:
    filled = revision_prompt().fill(revision_fillings(REJECTED_DRAFT, revision(2, 1), assignment()))
    assert "Stroke fell to 0.5 [1]." in filled.user
    assert "number not found: '0.5' is not in [1]" in filled.user
    assert "[1] rct, 2011" in filled.user
    assert "[2] cohort" not in filled.user


def test_a_model_whose_draft_mostly_failed_does_not_revise_it() -> None:
    assert may_revise(revision(4, 1))
    assert not may_revise(revision(4, 3))
    assert not may_revise(revision(0, 0))


@settings(max_examples=200)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=120),
            st.sampled_from(
                ["## Answer", "- ", "[1]", "[99]", "](http://x.example)", "<b>", "# References", "?", "0.79 (95% CI "]
            ),
        ),
        max_size=25,
    ).map(" ".join)
)
def test_whatever_a_model_writes_the_draft_is_plain_and_within_its_limit(markdown: str) -> None:
    sections = drafted_sections(markdown, assignment())
    claims = [claim for section in sections for claim in section.claims]
    assert sum(len(c.text.split()) for c in claims) <= MAX_ANSWER_WORDS
    for claim in claims:
        assert not re.search(r"https?://|<[a-z/!]|\]\(|\n|[\u200b\u202e]", claim.text, re.IGNORECASE)
        assert claim.text
    headings = {section.heading for section in sections}
    assert headings <= {"Answer", "Evidence", "Where the evidence disagrees", "Limitations"}
