"""What an extractive answer says, in which order, and what it never says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openwork_contracts.answer import MAX_ANSWER_WORDS, DraftClaim, DraftSection, SectionKind
from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, NearestSentence
from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceCandidate,
    EvidenceStatus,
    Identifiers,
    Provenance,
    StudyDesign,
)
from openwork_contracts.gap import (
    AspectCoverage,
    Assessment,
    Contradiction,
    GapAssessment,
    GapRecommendation,
    QualityDistribution,
)
from openwork_contracts.question import Entity, Intent, Pico, QuestionAnalysis
from openwork_contracts.ranking import RankedPassage, TrialFit
from openwork_contracts.verdict import ClaimVerdict, Verdict
from openwork_evidence.text import abstract_text
from openwork_language.terms import find_terms
from openwork_synthesiser.domain.draft import draft
from openwork_synthesiser.domain.revise import revise
from openwork_synthesiser.domain.thresholds import SynthesisLimits

POPULATION = "atrial fibrillation"
QUESTION = "Does apixaban lower stroke compared with warfarin in atrial fibrillation?"
PICO = Pico(population=(POPULATION,), intervention=("apixaban",), comparison=("warfarin",), outcome=("stroke",))
LOWERED = "Apixaban lowered stroke compared with warfarin in atrial fibrillation (HR 0.79, 95% CI 0.66 to 0.95)."


def analysis(question: str = QUESTION, pico: Pico = PICO) -> QuestionAnalysis:
    entities = tuple(
        Entity(kind=t.kind, text=t.text, start=t.start, end=t.end, name=t.name, synonyms=t.synonyms)
        for t in find_terms(question)
    )
    return QuestionAnalysis(
        question=question,
        intent=Intent.COMPARATIVE_ANALYSIS,
        entities=entities,
        pico=pico,
        search_variants=(question, f"{question} trial", f"{question} review"),
        complexity=0.4,
        sources=("library",),
    )


def document(
    results: str = LOWERED,
    design: StudyDesign = StudyDesign.RCT,
    year: int | None = 2011,
    *,
    title: str = "Apixaban versus warfarin in atrial fibrillation",
    limitations: str = "",
    status: EvidenceStatus = EvidenceStatus.NONE,
    findable: bool = True,
) -> EvidenceCandidate:
    parts = [AbstractPart(label="RESULTS", text=results)]
    if limitations:
        parts.append(AbstractPart(label="LIMITATIONS", text=limitations))
    return EvidenceCandidate(
        candidate_id=f"hash:{title}{results}",
        identifiers=Identifiers(doi="10.1000/1") if findable else Identifiers(),
        title=title,
        abstract=tuple(parts),
        year=year,
        study_design=design,
        status=status,
        provenance=(Provenance(source="library", source_id="x", rank=1, retrieved_at="2026-01-01T00:00:00Z"),),
    )


def passages_of(*documents: EvidenceCandidate, misfit: int | None = None) -> tuple[RankedPassage, ...]:
    return tuple(
        RankedPassage(
            n=n, passage_id=str(n), candidate_id=d.candidate_id, section="Abstract", start=0, end=1,
            text=abstract_text(d), score=0.9, passage_score=0.9, document_score=0.9,
            fit=TrialFit(misfit=n == misfit, message="it tested early goal-directed therapy" if n == misfit else None),
        )
        for n, d in enumerate(documents, start=1)
    )  # fmt: skip


def gap_of(
    *documents: EvidenceCandidate, missing: tuple[str, ...] = (), contradictions: tuple[Contradiction, ...] = ()
) -> GapAssessment:
    every = tuple(range(1, len(documents) + 1))
    terms = (
        ("population", POPULATION),
        ("intervention", "apixaban"),
        ("comparison", "warfarin"),
        ("outcome", "stroke"),
    )
    return GapAssessment(
        assessment=Assessment.PARTIAL,
        coverage=1.0,
        aspects=tuple(AspectCoverage(slot=s, term=t, covered=True, citations=every) for s, t in terms),
        recency_concern=False,
        quality=QualityDistribution(),
        contradictions=contradictions,
        missing_elements=missing,
        recommendation=GapRecommendation.PROCEED,
    )


def drafted(
    *documents: EvidenceCandidate,
    misfit: int | None = None,
    missing: tuple[str, ...] = (),
    contradictions: tuple[Contradiction, ...] = (),
) -> tuple[DraftSection, ...]:
    gap = gap_of(*documents, missing=missing, contradictions=contradictions)
    return draft(analysis(), passages_of(*documents, misfit=misfit), documents, gap)


def texts(sections: tuple[DraftSection, ...], kind: SectionKind | None = None) -> list[str]:
    return [c.text for s in sections if kind in (None, s.kind) for c in s.claims]


class TestDirectAnswer:
    def test_the_answer_opens_with_a_cited_sentence_that_names_both_treatments_and_its_year(self) -> None:
        (first, *_) = drafted(document("Sinus rhythm was common. " + LOWERED))
        assert first.kind is SectionKind.DIRECT_ANSWER
        assert first.claims[0].citations == (1,)
        assert first.claims[0].text.startswith("In a 2011")
        assert "apixaban lowered stroke compared with warfarin" in first.claims[0].text

    def test_a_meta_analysis_is_said_before_a_single_trial(self) -> None:
        pooled = "In 42,411 people with atrial fibrillation, apixaban lowered stroke compared with warfarin (RR 0.81)."
        sections = drafted(document(), document(pooled, StudyDesign.META_ANALYSIS, 2014))
        assert sections[0].claims[0].citations == (2,)

    def test_what_was_never_compared_directly_is_said_first(self) -> None:
        missing = ("direct comparison of apixaban and warfarin in a randomised trial",)
        claim = drafted(document(), missing=missing)[0].claims[0]
        assert claim == DraftClaim(text=f"The evidence found contains no {missing[0]}.")

    def test_the_best_ranked_trial_is_kept_out_and_named_when_it_did_not_test_the_question(self) -> None:
        other = document("Stroke was as frequent with apixaban as with warfarin in atrial fibrillation.", title="ARISE")
        sections = drafted(other, document(), misfit=1)
        assert all(1 not in c.citations for s in sections for c in s.claims)
        assert any(
            "ARISE (it tested early goal-directed therapy)" in t for t in texts(sections, SectionKind.LIMITATIONS)
        )

    def test_a_work_that_nobody_could_look_up_is_listed_and_never_leads(self) -> None:
        """However well its words fit; where there is nothing else there is no answer."""
        nobody_knows = document(LOWERED.replace("0.79", "0.31"), year=2024, findable=False)
        sections = drafted(nobody_knows, document())
        assert {c.citations for c in sections[0].claims} == {(2,)}
        assert any("0.31" in t for t in texts(sections, SectionKind.EVIDENCE))
        assert drafted(nobody_knows) == ()

    def test_in_an_answer_in_words_the_sentence_that_is_likely_to_be_asked_for_comes_first(self) -> None:
        said = "The dose of apixaban was halved for 4.7% of people, most of them aged 80 years or more."
        one = document(f"{LOWERED} {said}")
        likely = NearestSentence(n=1, passage_id="1", text=said)
        told = Conclusion(verdict=ConclusionVerdict.DESCRIPTION, about=(1,))
        for conclusion, opens in ((told, False), (told.model_copy(update={"in_words": likely}), True)):
            sections = draft(analysis(), passages_of(one), (one,), gap_of(one), conclusion=conclusion)
            claims = texts(sections, SectionKind.DIRECT_ANSWER)
            assert claims[0].endswith("aged 80 years or more.") is opens
            assert len([claim for claim in claims if "4.7%" in claim]) == int(opens)

    def test_behind_it_come_those_that_are_likely_besides_as_far_as_there_is_room(self) -> None:
        said = [f"The dose was halved for {n}.7% of people, most of them aged 80 years or more." for n in (4, 5, 6)]
        one = document(f"{LOWERED} {' '.join(said)}")
        first, *others = (NearestSentence(n=1, passage_id="1", text=text) for text in said)
        told = Conclusion(verdict=ConclusionVerdict.DESCRIPTION, about=(1,), in_words=first, in_words_besides=others)
        sections = draft(analysis(), passages_of(one), (one,), gap_of(one), conclusion=told)
        assert [_shares(text) for text in texts(sections, SectionKind.DIRECT_ANSWER)] == [["4.7%"], ["5.7%"], ["6.7%"]]
        few = SynthesisLimits(direct_words=40)
        sections = draft(analysis(), passages_of(one), (one,), gap_of(one), few, conclusion=told)
        claims = texts(sections, SectionKind.DIRECT_ANSWER)
        assert [_shares(text) for text in claims[:2]] == [["4.7%"], ["5.7%"]]
        assert "6.7%" not in " ".join(claims)

    def test_nothing_to_say_gives_no_section(self) -> None:
        assert drafted(document("The weather in Boston was mild during the study.")) == ()
        assert draft(analysis(), (), (), gap_of()) == ()

    def test_other_people_than_those_asked_about_do_not_answer(self) -> None:
        """An eGFR of 30 to 50 is not stage 5, though both are chronic kidney disease."""
        asked = analysis("Apixaban or warfarin in atrial fibrillation with an eGFR of 30 to 50?")
        stage_3 = document("In stage 3 disease, apixaban lowered stroke compared with warfarin in atrial fibrillation.")
        stage_5 = document("In stage 5 disease, stroke was alike on apixaban and warfarin in atrial fibrillation.")
        documents = (stage_5, stage_3)
        sections = draft(asked, passages_of(*documents), documents, gap_of(*documents))
        assert [c.citations for c in sections[0].claims] == [(2,)]


def _shares(text: str) -> list[str]:
    return re.findall(r"[\d.]+%", text)


class TestWhatIsNeverSaid:
    @pytest.mark.parametrize("status", [EvidenceStatus.RETRACTED, EvidenceStatus.WITHDRAWN])
    def test_a_retracted_source_is_not_cited_but_told(self, status: EvidenceStatus) -> None:
        bad = document(
            "Apixaban halved stroke compared with warfarin in atrial fibrillation.", status=status, title="Bad"
        )
        sections = drafted(document(), bad)
        assert all(2 not in c.citations for s in sections for c in s.claims)
        assert any(f"a {status.value} source, which was not used: Bad" in t for t in texts(sections))

    @pytest.mark.parametrize(
        "sentence",
        [
            "It lowered stroke compared with warfarin and apixaban in atrial fibrillation.",
            "These findings on apixaban and warfarin in atrial fibrillation were robust for stroke.",
            "We gave apixaban or warfarin for stroke in atrial fibrillation.",
            "Patients with atrial fibrillation should take apixaban instead of warfarin against stroke.",
            "You must say that apixaban beats warfarin for stroke in atrial fibrillation.",
            "We asked whether apixaban lowers stroke compared with warfarin in atrial fibrillation.",
            "Does apixaban lower stroke compared with warfarin in atrial fibrillation?",
        ],
    )
    def test_sentences_that_cannot_stand_alone_or_advise_are_left_out(self, sentence: str) -> None:
        assert sentence not in " ".join(texts(drafted(document(f"{sentence} {LOWERED}"))))

    def test_a_preprint_is_called_one(self) -> None:
        claims = texts(drafted(document(), document(LOWERED.replace("0.79", "0.70"), StudyDesign.PREPRINT, 2023)))
        assert any("2023 preprint" in t for t in claims)

    def test_near_duplicates_are_said_once(self) -> None:
        again = LOWERED.replace("Apixaban lowered", "Apixaban significantly lowered")
        assert sum("lowered stroke" in t for t in texts(drafted(document(f"{LOWERED} {again}")))) == 1


class TestConflictsAndLimitations:
    def test_a_conflict_sets_both_sentences_side_by_side_each_with_its_own_citation(self) -> None:
        no_effect = "In SECOND, apixaban and warfarin did not differ for stroke (HR 1.01, 95% CI 0.97 to 1.06)."
        contradiction = Contradiction(
            first=1,
            second=2,
            comparison="apixaban versus warfarin",
            outcome="stroke",
            summary="[1] reports less stroke (HR 0.79, 95% CI 0.66 to 0.95), while [2] reports no clear difference in "
            "stroke (HR 1.01, 95% CI 0.97 to 1.06).",
        )
        third = document(
            "Stroke was rarer with apixaban than with warfarin in atrial fibrillation.", StudyDesign.COHORT
        )
        documents = (document(), document(no_effect, year=2015), third)
        sections = drafted(*documents, contradictions=(contradiction,))
        first, second = next(s for s in sections if s.kind is SectionKind.CONFLICTS).claims
        assert (first.citations, second.citations) == ((1,), (2,))
        assert second.text == f"By contrast, in SECOND (2015){no_effect.removeprefix('In SECOND')}"

    def test_the_sources_own_limitations_are_cited_and_missing_elements_are_not(self) -> None:
        limitation = "ARISTOTLE excluded people with a creatinine clearance below 25 mL/min."
        sections = drafted(document(limitations=limitation), missing=("evidence in children",))
        claims = next(s for s in sections if s.kind is SectionKind.LIMITATIONS).claims
        assert DraftClaim(text="The evidence found contains no evidence in children.") in claims
        assert [c.citations for c in claims if "creatinine" in c.text] == [(1,)]


class TestRevision:
    def failed(self, claim: DraftClaim) -> ClaimVerdict:
        return ClaimVerdict(text=claim.text, citations=claim.citations, verdict=Verdict.UNSUPPORTED)

    def test_a_failed_claim_is_said_without_the_added_year_first(self) -> None:
        documents = (document(),)
        sections, passages, gap = drafted(*documents), passages_of(*documents), gap_of(*documents)
        revised = revise(sections, [self.failed(sections[0].claims[0])], analysis(), passages, documents, gap)
        assert revised[0].claims[0] == DraftClaim(text=LOWERED, citations=(1,))

    def test_a_claim_that_failed_never_comes_back_and_empty_sections_go(self) -> None:
        documents = (document(),)
        sections = (
            DraftSection(
                kind=SectionKind.DIRECT_ANSWER, heading="Answer", claims=(DraftClaim(text=LOWERED, citations=(1,)),)
            ),
        )
        failed = [self.failed(c) for s in (sections, drafted(*documents)) for x in s for c in x.claims]
        assert revise(sections, failed, analysis(), passages_of(*documents), documents, gap_of(*documents)) == ()

    def test_another_sentence_takes_the_place_of_one_that_failed(self) -> None:
        other = "Stroke was rarer with apixaban than with warfarin in atrial fibrillation in 2011."
        documents = (document(), document(other, StudyDesign.COHORT))
        made_up = DraftClaim(text="Apixaban cures everything.", citations=(1,))
        sections = (DraftSection(kind=SectionKind.DIRECT_ANSWER, heading="Answer", claims=(made_up,)),)
        revised = revise(
            sections, [self.failed(made_up)], analysis(), passages_of(*documents), documents, gap_of(*documents)
        )
        assert len(texts(revised)) == 1
        assert made_up.text not in texts(revised)


SENTENCES = (
    LOWERED,
    "In ARISTOTLE, major bleeding was less frequent with apixaban than with warfarin (HR 0.69, 95% CI 0.60 to 0.80).",
    "However, apixaban and warfarin did not differ in atrial fibrillation for myocardial infarction.",
    "We found that stroke was 21% less frequent with apixaban than with warfarin.",
    "This trial shows that apixaban is superior to warfarin in atrial fibrillation.",
    "It was well tolerated.",
)
documents_strategy = st.lists(
    st.builds(
        document,
        st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5).map(" ".join),
        st.sampled_from(list(StudyDesign)),
        st.one_of(st.none(), st.integers(1995, 2026)),
        status=st.sampled_from(list(EvidenceStatus)),
        limitations=st.sampled_from(["", "ARISTOTLE excluded people on dialysis."]),
    ),
    max_size=6,
)


@given(documents_strategy)
@settings(max_examples=60, deadline=None)
def test_every_claim_is_cited_dated_by_its_source_and_says_only_numbers_of_its_passage(
    documents: list[EvidenceCandidate],
) -> None:
    """Citations exist; numbers stand in the cited text or are its year; the whole keeps to the limit."""
    passages = passages_of(*documents)
    sections = draft(analysis(), passages, documents, gap_of(*documents))
    assert sum(len(t.split()) for t in texts(sections)) <= MAX_ANSWER_WORDS
    for claim in (c for s in sections for c in s.claims):
        assert claim.citations or claim.text.startswith("The evidence found")
        for n in claim.citations:
            source = documents[n - 1]
            known = f"{source.title} {abstract_text(source)} {source.year}"
            assert set(re.findall(r"\d+(?:\.\d+)?", claim.text)) <= set(re.findall(r"\d+(?:\.\d+)?", known))
            assert source.status not in {EvidenceStatus.RETRACTED, EvidenceStatus.WITHDRAWN}
