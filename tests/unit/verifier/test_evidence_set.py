"""Statements about the sources as a set: what the records bear out, what they speak against, and of what they tell
nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.evidence import EvidenceStatus, StudyDesign
from openwork_contracts.verdict import ClaimVerdict, EvidenceItem, FindingKind, ReasonCode, Verdict
from openwork_verifier.domain.evidence_set import EvidenceSet, check_evidence_set
from openwork_verifier.domain.gate import verify_answer, verify_claim
from openwork_verifier.domain.own_statements import own_statements
from openwork_verifier.domain.set_records import SetRecord, records_of_documents, records_of_items, told_design
from openwork_verifier.domain.set_statements import read_statement

from tests.packs import documents, gap_assessment, passages

TRIAL = EvidenceItem(
    n=1,
    title="Apixaban versus warfarin in patients with atrial fibrillation",
    text="Patients were randomly assigned to apixaban or warfarin. Stroke was less frequent with apixaban.",
    pmid="1",
    year=2011,
    status="none",
)
COHORT = EvidenceItem(
    n=2,
    title="Apixaban on dialysis: a nationwide cohort study",
    text="We followed 9,000 people.",
    year=2018,
    status="none",
)
REVIEW = EvidenceItem(n=3, title="Anticoagulants: a systematic review and meta-analysis", text="Pooled.", year=2020)
UNKNOWN = EvidenceItem(n=4, title="Apixaban in practice", text="Stroke was rare.")
ALL = (TRIAL, COHORT, REVIEW)


def judged(text: str, *items: EvidenceItem) -> ClaimVerdict:
    (verdict,) = verify_answer(text, items or ALL).claims
    return verdict


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("No source after 2022.", ALL),
        ("The evidence found contains no source published after 2020.", ALL),
        ("However, none of these sources was published after 2020.", ALL),
        ("None of the cited studies was randomised.", (COHORT,)),
        ("All sources are observational.", (COHORT,)),
        ("The newest source is from 2020.", ALL),
        ("The oldest of the sources is from 2011.", ALL),
        ("The evidence includes two observational studies.", (COHORT, COHORT.model_copy(update={"n": 5}))),
        ("Only one cohort study was found.", (TRIAL, COHORT)),
        ("Two of the two sources are from 2011.", (TRIAL, TRIAL.model_copy(update={"n": 2}))),
        ("None of the sources has been retracted.", (TRIAL, COHORT)),
        ("The sources consist only of meta-analyses.", (REVIEW,)),
        ("Most of the sources are cohort studies.", (COHORT, COHORT.model_copy(update={"n": 5}), TRIAL)),
        ("No source was published after 2022.", ALL),
        ("No cited source is a guideline.", (TRIAL,)),
        ("None of the trials was published after 2015.", (TRIAL, COHORT)),
    ],
)
def test_what_the_records_bear_out_states_nothing_that_a_passage_could(
    text: str, items: tuple[EvidenceItem, ...]
) -> None:
    verdict = judged(text, *items)
    assert (verdict.verdict, verdict.reasons) == (Verdict.NOT_A_CLAIM, ())


@pytest.mark.parametrize(
    ("text", "items", "named"),
    [
        ("No source after 2019.", ALL, "[3]"),
        ("The evidence found contains no source published after 2019.", ALL, "from 2020 or later"),
        ("No evidence from 2018 or later was found.", ALL, "[2]"),
        ("None of the cited studies was randomised.", ALL, "[1] 'Apixaban versus warfarin"),
        ("All sources are observational.", ALL, "is not an observational study"),
        ("None of the sources is a cohort study.", (COHORT, COHORT.model_copy(update={"n": 5})), "are cohort studies"),
        ("Only two trials.", tuple(TRIAL.model_copy(update={"n": n}) for n in (1, 2, 3)), "are trials"),
        ("The newest source is from 2018.", ALL, "2020"),
        ("The newest source is from 2021.", ALL, "no such source is from 2021"),
        ("Two of the five sources are systematic reviews.", ALL, "there are 3 sources, not 5"),
        ("The evidence found contains no cohort study.", ALL, "[2]"),
        ("The sources include three preprints.", ALL, "at most 0"),
        (
            "None of the sources was retracted.",
            (TRIAL.model_copy(update={"status": "retracted"}),),
            "is a retracted source",
        ),
        ("All of the sources were published before 2015.", ALL, "[2]"),
        ("Most of the sources are cohort studies.", ALL, "1 of 3"),
    ],
)
def test_a_record_that_speaks_against_it_proves_it_wrong(
    text: str, items: tuple[EvidenceItem, ...], named: str
) -> None:
    verdict = judged(text, *items)
    assert verdict.verdict is Verdict.CONTRADICTED
    (reason,) = verdict.reasons
    assert (reason.code, reason.kind) == (ReasonCode.EVIDENCE_SET_DIFFERS, FindingKind.PROOF)
    assert named in reason.detail


@pytest.mark.parametrize(
    "text",
    [
        "No randomised trial compared apixaban with rivaroxaban in the evidence found.",
        "The retrieved sources do not report quality of life.",
        "The available evidence is limited.",
        "We found no comparison of apixaban and dabigatran.",
        "None of the sources is a randomised trial.",
        "No source from 2023 was found.",
        "None of the sources has been retracted.",
    ],
)
def test_what_no_record_tells_is_not_confirmed(text: str) -> None:
    verdict = judged(text, COHORT.model_copy(update={"status": None}), UNKNOWN)
    assert verdict.verdict is Verdict.NOT_CONFIRMED
    (reason,) = verdict.reasons
    assert (reason.code, reason.kind) == (ReasonCode.EVIDENCE_SET_DIFFERS, FindingKind.SUSPICION)


@pytest.mark.parametrize(
    "text",
    [
        "The evidence found contains no direct comparison of apixaban and rivaroxaban in a randomised trial.",
        "The evidence found contains no guideline.",
        "The evidence found contains no source published after 2022.",
    ],
)
def test_the_programs_own_form_passes_while_no_record_speaks_against_it(text: str) -> None:
    """Also of sources of which little is known: an answer of the program, given to `openwork verify`."""
    assert judged(text, UNKNOWN).verdict is Verdict.NOT_A_CLAIM


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("None of the cited studies was randomised [1][2].", Verdict.CONTRADICTED),
        ("None of the cited studies was randomised [2].", Verdict.NOT_A_CLAIM),
        ("Only two trials reported deaths [3].", Verdict.NOT_CONFIRMED),
        ("There are no trials [3].", Verdict.NOT_CONFIRMED),
    ],
)
def test_beside_a_citation_only_the_cited_sources_are_meant(text: str, verdict: Verdict) -> None:
    """A review's words about its own trials are held against the review."""
    found = judged(text)
    assert found.verdict is verdict
    if verdict is Verdict.NOT_CONFIRMED:
        assert ReasonCode.EVIDENCE_SET_DIFFERS not in {reason.code for reason in found.reasons}


def test_a_statement_about_the_world_is_no_statement_about_the_set() -> None:
    """ "There are only two trials" is refuted by three in the set, and never borne out by it."""
    three = tuple(TRIAL.model_copy(update={"n": n}) for n in (1, 2, 3))
    assert judged("There are only two trials.", *three).verdict is Verdict.CONTRADICTED
    assert judged("There are only three trials.", *three).verdict is Verdict.UNCITED
    assert judged("There are only five trials.", *three).verdict is Verdict.UNCITED


@pytest.mark.parametrize(
    "text",
    [
        "No trial found an effect of apixaban on mortality.",
        "Only two trials compared apixaban with warfarin.",
        "None of the patients was randomised.",
        "All patients were observed.",
        "Two of the five patients were male.",
        "No evidence of bleeding was found.",
        "No evidence was found.",
        "The newest anticoagulant is from 2012.",
        "",
    ],
)
def test_a_sentence_that_says_more_is_not_read(text: str) -> None:
    assert read_statement(text) is None


@pytest.mark.parametrize(
    ("title", "text", "design"),
    [
        ("A randomised, placebo-controlled trial of X", "", StudyDesign.RCT),
        ("X: a non-randomised comparison", "", None),
        ("X versus Y", "We randomly assigned 300 people.", StudyDesign.RCT),
        ("Systematic review of randomised trials", "Patients were randomised.", StudyDesign.SYSTEMATIC_REVIEW),
        ("Meta-analysis and systematic review", "", StudyDesign.META_ANALYSIS),
        ("Rationale and design of the X trial, a randomised trial", "", None),
        ("A cohort nested in a randomised trial", "", None),
        ("2023 ESC Guidelines for the management of acute coronary syndromes", "", StudyDesign.GUIDELINE),
        ("A retrospective cohort", "", StudyDesign.OBSERVATIONAL),
        ("X versus Y", "X was better.", None),
    ],
)
def test_a_design_is_told_or_not_known(title: str, text: str, design: StudyDesign | None) -> None:
    """A design that was guessed would be a proof that is none."""
    assert told_design(title, text) is design


def test_a_withdrawn_source_is_out_of_the_set_that_years_are_said_of() -> None:
    """The program says its newest year of the sources that count, and names the retracted one beside."""
    void = REVIEW.model_copy(update={"status": "retracted"})
    assert judged("The evidence found contains no source published after 2018.", TRIAL, COHORT, void).reasons == ()


def own() -> EvidenceSet:
    gap = gap_assessment(missing=("evidence in children",))
    works = tuple(
        work.model_copy(
            update={"status": EvidenceStatus.CONCERN, "title": "Work 2 on apixaban; its trial: " + "x " * 20}
        )
        if n == 2
        else work
        for n, work in enumerate(documents(), 1)
    )
    return EvidenceSet(records_of_documents(works), own_statements(gap, works, passages()))


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("The evidence found contains no evidence in children.", True),
        ("The evidence found contains  no evidence in children.", True),
        ("The evidence found contains no evidence in pregnancy.", False),
        ("The evidence found contains no direct comparison of apixaban and warfarin.", False),
        (
            "The evidence found is limited by an expression of concern about one source: Work 2 on apixaban, its ....",
            True,
        ),
        ("The evidence found is limited by an expression of concern about one source: Work 1 on apixaban.", False),
        ("The evidence found is limited by an expression of concern about one source: ....", False),
        ("The evidence found includes a preprint that is not peer reviewed: Work 1 on apixaban.", False),
        ("None of the sources is a preprint.", False),
    ],
)
def test_in_a_run_only_what_its_own_assessment_says_passes(text: str, passes: bool) -> None:
    """Also what the records bear out is the program's to say: it may be a model that says it."""
    titles = [record.title for record in own().records]
    found = check_evidence_set(text, (), own(), titles)
    assert found is not None
    assert (found == ()) is passes


def test_in_a_run_the_records_speak_against_the_programs_own_words_too() -> None:
    """An assessment that does not fit its records is held back, whoever wrote it."""
    works = documents()
    gap = gap_assessment().model_copy(update={"newest_year": 2011})
    known = EvidenceSet(records_of_documents(works), own_statements(gap, works, passages()))
    text = "The evidence found contains no source published after 2011."
    verdict = verify_claim(text, (), [], known=known)
    assert verdict.verdict is Verdict.CONTRADICTED


RECORDS = st.builds(
    SetRecord,
    n=st.integers(1, 9),
    title=st.sampled_from(["A", "B"]),
    year=st.none() | st.integers(2015, 2020),
    status=st.sampled_from([None, "none", "retracted", "odd"]),
    design=st.none() | st.sampled_from(list(StudyDesign)),
    is_published=st.booleans(),
)


@given(
    st.lists(RECORDS, max_size=5, unique_by=lambda record: record.n),
    st.sampled_from(["randomised trial", "cohort study", "source", "retracted source", "guideline", "article"]),
    st.sampled_from(["", " published after 2017"]),
)
def test_no_and_at_least_one_are_never_both_borne_out_nor_both_refuted(
    records: list[SetRecord], kind: str, when: str
) -> None:
    """Whatever is known of the records."""
    known = EvidenceSet(tuple(records))
    some = check_evidence_set(f"The sources include one {kind}{when}.", (), known)
    none = check_evidence_set(f"The sources include no {kind}{when}.", (), known)
    if some is None or none is None:
        return
    refuted = [any(finding.proof for finding in found) for found in (some, none)]
    assert not all(refuted)
    assert not (records and some == () and none == ())


def test_of_two_items_with_one_number_the_first_counts() -> None:
    assert [r.year for r in records_of_items([TRIAL, COHORT.model_copy(update={"n": 1})])] == [2011]
