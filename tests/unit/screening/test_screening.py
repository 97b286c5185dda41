"""Screening: decisions by rules with their reason and words, order by decisions, agreement, flow."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceCandidate,
    EvidenceStatus,
    Identifiers,
    NoticeLink,
    OutcomeResult,
    PrismaCounts,
    Provenance,
    StudyDesign,
)
from openwork_contracts.meta import EventMeta
from openwork_contracts.question import EntityKind, Track
from openwork_contracts.screening import (
    RecordsScreened,
    ScreeningDecision,
    ScreeningOutcome,
    StudiesSelected,
)
from openwork_contracts.strategy import (
    BlockRole,
    SearchBlock,
    SearchConcept,
    SearchRung,
    SearchStrategy,
    SearchTerm,
    TermKind,
    grouped,
)
from openwork_screening.agreement import agreement, missed_at_most
from openwork_screening.choose import choose
from openwork_screening.criteria import Criteria, default_criteria, read_criteria
from openwork_screening.decide import decide, signals
from openwork_screening.flow import excluded_by_criterion, review_flow, track_flow
from openwork_screening.priority import Priorities, Readable, work_saved
from openwork_screening.selection import Screened, select
from openwork_screening.studies import studies_of

AFFIRMATIVE, FALSIFICATION = Track.AFFIRMATIVE, Track.FALSIFICATION
LONG = (
    "Participants were followed for two years and outcomes were adjudicated by a committee unaware of treatment. " * 3
)


def concept(name: str, *others: str, kind: EntityKind | None = EntityKind.DRUG) -> SearchConcept:
    terms = (SearchTerm(text=name, kind=TermKind.NAME), *(SearchTerm(text=o, kind=TermKind.SYNONYM) for o in others))
    return SearchConcept(name=name, kind=kind, terms=terms)


def strategy(*blocks: tuple[BlockRole, SearchConcept]) -> SearchStrategy:
    made = tuple(SearchBlock(role=role, concepts=(one,)) for role, one in blocks)
    rung = SearchRung(name="every concept", groups=grouped([[n] for n in range(len(made))]))
    return SearchStrategy(blocks=made, rungs=(rung,), plain="apixaban atrial fibrillation")


QUESTION = strategy(
    (BlockRole.INTERVENTION, concept("apixaban", "eliquis")),
    (BlockRole.POPULATION, concept("atrial fibrillation", "auricular fibrillation", kind=EntityKind.DISEASE)),
    (BlockRole.COMPARISON, concept("warfarin", "coumadin")),
)


def candidate(
    key: str = "pmid:1",
    title: str = "Apixaban versus warfarin in atrial fibrillation",
    abstract: str = LONG,
    **changes: object,
) -> EvidenceCandidate:
    given_ = {
        "candidate_id": key,
        "title": title,
        "abstract": (AbstractPart(text=abstract),) if abstract else (),
        "study_design": StudyDesign.RCT,
        "publication_types": ("Randomized Controlled Trial",),
        "provenance": (
            Provenance(source="pubmed", source_id=key, rank=1, retrieved_at=datetime(2026, 1, 1, tzinfo=UTC)),
        ),
    }
    return EvidenceCandidate.model_validate({**given_, **changes})


def decided(one: EvidenceCandidate, track: Track = AFFIRMATIVE, of: SearchStrategy = QUESTION) -> ScreeningDecision:
    return decide(one, of, default_criteria(), track)


def test_a_trial_of_what_was_asked_is_included_with_the_words_that_name_it() -> None:
    found = decided(candidate())
    assert (found.outcome, found.criterion, found.decider.value) == (ScreeningOutcome.INCLUDE, None, "rule")
    assert found.quotation == "Apixaban versus warfarin in atrial fibrillation"


@pytest.mark.parametrize(
    ("changes", "criterion", "quotation"),
    [
        ({"study_design": StudyDesign.EDITORIAL, "publication_types": ("Editorial",)}, "design", "Editorial"),
        (
            {"study_design": StudyDesign.ANIMAL_OR_IN_VITRO, "publication_types": ("Journal Article",)},
            "human",
            "Journal Article",
        ),
        (
            {"status": EvidenceStatus.RETRACTED, "publication_types": ("Retracted Publication",)},
            "retracted",
            "Retracted Publication",
        ),
        (
            {"study_design": StudyDesign.NOTICE, "publication_types": ("Published Erratum",)},
            "notice",
            "Published Erratum",
        ),
        (
            {"study_design": StudyDesign.TRIAL_REGISTRATION, "publication_types": ()},
            "results",
            "Apixaban versus warfarin in atrial fibrillation",
        ),
    ],
)
def test_what_no_review_takes_is_excluded_by_its_criterion_in_its_own_words(
    changes: dict[str, object], criterion: str, quotation: str
) -> None:
    found = decided(candidate(**changes))
    assert (found.outcome, found.criterion, found.quotation) == (ScreeningOutcome.EXCLUDE, criterion, quotation)


def test_a_registration_with_results_is_a_study() -> None:
    with_results = candidate(study_design=StudyDesign.TRIAL_REGISTRATION, results=(OutcomeResult(outcome="stroke"),))
    assert decided(with_results).outcome is ScreeningOutcome.INCLUDE


def test_a_record_that_names_another_drug_or_disease_is_out_and_one_without_an_abstract_is_unsure() -> None:
    other = decided(candidate(title="Rivaroxaban in atrial fibrillation: a randomised trial"))
    assert (other.outcome, other.criterion, other.quotation) == (ScreeningOutcome.EXCLUDE, "intervention", None)
    assert "apixaban" in other.reason
    disease = decided(candidate(title="Apixaban after knee replacement"))
    assert (disease.outcome, disease.criterion) == (ScreeningOutcome.EXCLUDE, "population")
    bare = decided(candidate(title="Anticoagulation in atrial fibrillation", abstract=""))
    assert (bare.outcome, bare.criterion) == (ScreeningOutcome.UNSURE, "intervention")


def test_a_record_that_names_only_a_class_of_the_asked_drug_is_in_doubt() -> None:
    """A trial of another drug of the class is none of what was asked; a trial of the whole class may be."""
    apixaban = concept("apixaban", "eliquis")
    with_class = apixaban.model_copy(
        update={"terms": (*apixaban.terms, SearchTerm(text="direct oral anticoagulants", kind=TermKind.DRUG_CLASS))}
    )
    decision = decided(
        candidate(title="Direct oral anticoagulants in atrial fibrillation"),
        of=strategy((BlockRole.INTERVENTION, with_class)),
    )
    assert (decision.outcome, decision.criterion) == (ScreeningOutcome.UNSURE, "intervention")
    assert "a class of apixaban" in decision.reason


def test_words_that_no_list_knows_by_another_name_exclude_nobody() -> None:
    free = strategy((BlockRole.POPULATION, concept("smartwatch wearers", kind=None)))
    assert decided(candidate(), of=free).outcome is ScreeningOutcome.UNSURE


def test_a_comparison_that_title_and_abstract_leave_out_leaves_the_record_unsure() -> None:
    found = decided(candidate(title="Apixaban in atrial fibrillation"))
    assert (found.outcome, found.criterion) == (ScreeningOutcome.UNSURE, "comparison")


def test_what_is_wanted_absent_is_never_required() -> None:
    block = SearchBlock(role=BlockRole.POPULATION, concepts=(concept("dialysis", "hemodialysis"),), negated=True)
    without = QUESTION.model_copy(update={"blocks": (*QUESTION.blocks, block)})
    assert decided(candidate(), of=without).outcome is ScreeningOutcome.INCLUDE


def test_the_second_track_takes_case_reports_and_retracted_works_and_lists_its_signals_apart() -> None:
    report = candidate(study_design=StudyDesign.CASE_REPORT, publication_types=("Case Reports",))
    assert decided(report).outcome is ScreeningOutcome.EXCLUDE
    assert decided(report, FALSIFICATION).outcome is ScreeningOutcome.INCLUDE
    retracted = candidate("pmid:2", status=EvidenceStatus.RETRACTED)
    assert decided(retracted, FALSIFICATION).outcome is ScreeningOutcome.INCLUDE
    letter = candidate("pmid:3", study_design=StudyDesign.EDITORIAL)
    waiting = candidate("nct:1", study_design=StudyDesign.TRIAL_REGISTRATION)
    reported = candidate("nct:2", study_design=StudyDesign.TRIAL_REGISTRATION, results=(OutcomeResult(outcome="x"),))
    found = signals([candidate(), retracted, letter, waiting, reported])
    assert [(one.candidate_id, one.kind) for one in found] == [
        ("pmid:2", "retracted"),
        ("pmid:3", "editorial"),
        ("nct:1", "registration without results"),
    ]


def test_size_is_no_criterion() -> None:
    assert all("size" not in one.name for one in default_criteria().criterion)
    assert decided(candidate(sample_size=4)).outcome is ScreeningOutcome.INCLUDE


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("criterion = 3", "criterion"),
        ("[[criterion]]\nname='x'\nwords='w'\ntracks=['affirmative']\nexcludes_desings=['rct']", "excludes_desings"),
        ("[[criterion]\n", "no TOML"),
        ("", "criterion"),
    ],
)
def test_criteria_that_say_something_unknown_are_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_criteria(text)


def test_a_run_may_bring_criteria_of_its_own() -> None:
    own = read_criteria(
        "[[criterion]]\nname='design'\nwords='a randomised trial'\ntracks=['affirmative']\n"
        "excludes_designs=['cohort']\n"
    )
    assert isinstance(own, Criteria)
    cohort = candidate(study_design=StudyDesign.COHORT)
    assert decide(cohort, QUESTION, own, AFFIRMATIVE).outcome is ScreeningOutcome.EXCLUDE
    assert decided(cohort).outcome is ScreeningOutcome.INCLUDE


def registered(key: str, *numbers: str, **changes: object) -> EvidenceCandidate:
    return candidate(key, identifiers=Identifiers(nct_ids=numbers), **changes)


def test_reports_of_one_registration_are_one_study_and_the_publication_stands_for_it() -> None:
    number = "NCT00412984"
    entry = registered("nct:1", number, study_design=StudyDesign.TRIAL_REGISTRATION, year=2006)
    later = registered("pmid:3", number, year=2013)
    main = registered("pmid:2", number, year=2011)
    alone = candidate("pmid:4")
    linked = candidate("pmid:5", links=(NoticeLink(kind="registered_as", nct_id=number),), year=2015)
    found = studies_of([entry, later, main, alone, linked])
    assert [(s.study_id, s.main.candidate_id, len(s.reports)) for s in found] == [
        (number, "pmid:2", 4),
        ("pmid:4", "pmid:4", 1),
    ]


def test_a_synthesis_or_a_pooled_analysis_that_names_trials_is_none_of_them() -> None:
    trial = registered("pmid:1", "NCT00412984")
    review = registered("pmid:2", "NCT00412984", study_design=StudyDesign.META_ANALYSIS)
    pooled = registered("pmid:3", "NCT00412984", "NCT00403767")
    assert len(studies_of([trial, review, pooled])) == 3


def test_reviews_are_read_first_then_trials_by_people_and_size_leaves_nobody_out_where_there_is_room() -> None:
    small, large = candidate("pmid:1", sample_size=20), candidate("pmid:2", sample_size=900)
    review = candidate("pmid:3", study_design=StudyDesign.META_ANALYSIS)
    cohort = candidate("pmid:4", study_design=StudyDesign.COHORT, sample_size=90000)
    studies = studies_of([small, cohort, large, review])
    assert [s.main.candidate_id for s in choose(studies, {}).read] == ["pmid:3", "pmid:2", "pmid:1", "pmid:4"]
    cut = choose(studies, {}, 2)
    assert [s.main.candidate_id for s in cut.never_read] == ["pmid:1", "pmid:4"]
    with pytest.raises(ValueError, match="max_studies"):
        choose(studies, {}, 0)


def test_syntheses_are_a_quarter_of_what_is_read_while_there_are_other_studies() -> None:
    reviews = [candidate(f"pmid:{n}", study_design=StudyDesign.META_ANALYSIS) for n in range(10, 16)]
    trials = [candidate(f"pmid:{n}", sample_size=100) for n in range(20, 26)]
    read = [one.main.candidate_id for one in choose(studies_of([*reviews, *trials]), {}, 8).read]
    assert read == ["pmid:10", "pmid:11", *(f"pmid:{n}" for n in range(20, 26))]
    doubted = choose(studies_of([*reviews, *trials]), {}, 8, unsure={f"pmid:{n}" for n in range(22, 26)}).read
    assert [one.main.candidate_id for one in doubted] == [
        *("pmid:10", "pmid:11", "pmid:20", "pmid:21"),
        *("pmid:12", "pmid:13", "pmid:14", "pmid:15"),
    ]


def test_people_are_read_in_the_abstract_where_no_field_has_them() -> None:
    told = candidate("pmid:1", abstract="A total of 640 patients were randomised.")
    studies = studies_of([candidate("pmid:2", sample_size=90), told, candidate("pmid:3", sample_size=700)])
    assert [s.main.candidate_id for s in choose(studies, {}).read] == ["pmid:3", "pmid:1", "pmid:2"]


def test_of_equal_trials_the_more_relevant_is_read_first() -> None:
    studies = studies_of([candidate("pmid:1"), candidate("pmid:2")])
    assert choose(studies, {"pmid:2": 0.9}).read[0].main.candidate_id == "pmid:2"


def test_in_doubt_a_study_is_read_after_those_that_are_surely_in() -> None:
    studies = studies_of([candidate("pmid:1", sample_size=9000), candidate("pmid:2", sample_size=10)])
    assert [s.main.candidate_id for s in choose(studies, {}, unsure={"pmid:1"}).read] == ["pmid:2", "pmid:1"]


def test_a_study_is_in_doubt_only_where_each_of_its_reports_is() -> None:
    paper, entry = registered("pmid:1", "NCT00000001"), registered("nct:1", "NCT00000001")
    (one,) = select([screened([paper, entry], included=["pmid:1"], unsure=["nct:1"])]).read
    assert (one.unsure, len(one.reports)) == (False, 2)
    (one,) = select([screened([paper, entry], included=[], unsure=["pmid:1", "nct:1"])]).read
    assert one.unsure


META = EventMeta(
    event_id="openwork.v1.x.review.all.01JD3W8Q4Z5N6P7R8S9TAVBWCX.affirmative.1.0",
    run_id="01JD3W8Q4Z5N6P7R8S9TAVBWCX",
    contract_version=1,
    occurred_at=datetime(2026, 1, 1, tzinfo=UTC),
    producer="test",
)


def screened(
    works: list[EvidenceCandidate], included: list[str], unsure: list[str], track: Track = AFFIRMATIVE
) -> Screened:
    decided_ = RecordsScreened(meta=META, included=tuple(included), unsure=tuple(unsure))
    return Screened(track, {work.candidate_id: work for work in works}, decided_, {})


def track_of(track: Track, works: list[EvidenceCandidate], random: Random) -> tuple[PrismaCounts, Screened]:
    made = [
        ScreeningDecision(
            candidate_id=work.candidate_id,
            outcome=random.choice(list(ScreeningOutcome)),
            criterion=random.choice(["design", "human"]),
            reason="r",
        )
        for work in works
    ]
    names = {outcome: tuple(one.candidate_id for one in made if one.outcome is outcome) for outcome in ScreeningOutcome}
    decided_ = RecordsScreened(
        meta=META,
        included=names[ScreeningOutcome.INCLUDE],
        unsure=names[ScreeningOutcome.UNSURE],
        excluded=excluded_by_criterion(made),
    )
    n = len(works)
    counts = PrismaCounts(identified=n + 7, duplicates=4, excluded_notices=2, excluded_no_text=1, screened=n)
    return counts, Screened(track, {work.candidate_id: work for work in works}, decided_, {})


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 10**6), st.integers(1, 20))
def test_every_record_of_two_tracks_has_one_fate_and_the_numbers_add_up(n: int, m: int, seed: int, most: int) -> None:
    random = Random(seed)
    works = [registered(f"pmid:{i}", f"NCT{random.randint(1, 9):08d}") for i in range(60)]
    found = [track_of(AFFIRMATIVE, works[:n], random), track_of(FALSIFICATION, works[20 : 20 + m], random)]
    chosen = select([one for _, one in found], most)
    selected = StudiesSelected(meta=META, studies=chosen.read, never_read=chosen.never_read)
    flow = review_flow(
        [track_flow(one.track, counts, one.decided) for counts, one in found],
        selected,
        with_fulltext=0,
        not_extracted=0,
        with_results=0,
    )
    assert flow.adds_up
    assert flow.studies_read <= most
    names = [name for study in (*chosen.read, *chosen.never_read) for name in study.reports]
    assert len(names) == len(set(names)) == flow.sought


def test_a_work_that_both_tracks_found_is_read_once_and_is_of_both() -> None:
    work = candidate("pmid:1")
    tracks = [screened([work], ["pmid:1"], []), screened([work], [], ["pmid:1"], FALSIFICATION)]
    (study,) = select(tracks).read
    assert (study.tracks, study.unsure, study.part) == ((AFFIRMATIVE, FALSIFICATION), False, "work-001")


def test_a_record_without_a_decision_is_no_flow() -> None:
    counts = PrismaCounts(identified=2, duplicates=0, excluded_notices=0, excluded_no_text=0, screened=2)
    with pytest.raises(ValueError, match="exactly one"):
        track_flow(AFFIRMATIVE, counts, screened([], ["pmid:1"], []).decided)


def topic(words: str, n: int, seed: int) -> list[Readable]:
    random, shared = Random(seed), "patients treatment study results group care"
    return [
        Readable(
            " ".join(random.sample(words.split(), 3)), " ".join(random.choices((words + " " + shared).split(), k=30))
        )
        for _ in range(n)
    ]


def test_what_is_like_the_included_is_read_first() -> None:
    wanted = topic("apixaban rivaroxaban anticoagulant embolism stroke fibrillation", 20, 1)
    others = topic("inhaler bronchodilator asthma exacerbation spirometry wheeze", 200, 2)
    records = [r for pair in zip(others[:20], wanted, strict=True) for r in pair] + others[20:]
    labels = [i % 2 == 1 and i < 40 for i in range(len(records))]
    priorities = Priorities(records)
    order = priorities.order({1: True, 0: False})
    assert all(labels[place] for place in order[:19])
    assert work_saved([labels[place] for place in order]) > 0.8


def test_before_anything_is_included_and_excluded_the_first_ranking_leads() -> None:
    priorities = Priorities(topic("a b c d e", 4, 3))
    assert priorities.order({}, first=[0.1, 0.9, 0.5, 0.2]) == [1, 2, 3, 0]
    assert priorities.order({2: False}, first=[0.1, 0.9, 0.5, 0.2]) == [1, 3, 0]
    assert priorities.order({}) == [0, 1, 2, 3]
    assert priorities.scores({0: True}) is None


@given(st.lists(st.text(max_size=80), min_size=2, max_size=12), st.integers(0, 10**6))
def test_whatever_stands_in_records_each_is_ordered_once(texts: list[str], seed: int) -> None:
    random = Random(seed)
    priorities = Priorities([Readable(text, text[::-1]) for text in texts])
    decided_ = {place: random.random() < 0.5 for place in range(len(texts)) if random.random() < 0.5}
    order = priorities.order(decided_)
    assert sorted([*order, *decided_]) == list(range(len(texts)))
    scores = priorities.scores(decided_)
    assert scores is None or all(-2.001 <= score <= 2.001 for score in scores)


def test_work_saved_on_orders_worked_by_hand() -> None:
    """Cohen 2006: all 2 of 100 found after 10 read: (100 - 10) / 100 - 0.05."""
    order = [False] * 8 + [True, True] + [False] * 90
    assert work_saved(order) == pytest.approx(0.85)
    assert work_saved([False] * 98 + [True, True]) == pytest.approx(-0.05)
    with pytest.raises(ValueError, match="nothing to find"):
        work_saved([False, False])


def test_agreement_of_the_textbook_example() -> None:
    """20 both, 15 neither, 5 and 10 one alone (Cohen's kappa 0.4); AC1 by Gwet's formula."""
    first = [True] * 20 + [False] * 15 + [True] * 5 + [False] * 10
    second = [True] * 20 + [False] * 15 + [False] * 5 + [True] * 10
    found = agreement(first, second)
    assert found.share == pytest.approx(0.7)
    assert found.kappa == pytest.approx(0.4)
    mean = (25 / 50 + 30 / 50) / 2
    chance = 2 * mean * (1 - mean)
    assert found.ac1 == pytest.approx((0.7 - chance) / (1 - chance))


def test_where_inclusion_is_rare_kappa_falls_and_ac1_stays() -> None:
    first = [True] + [False] * 99
    second = [False, True] + [False] * 98
    found = agreement(first, second)
    assert found.kappa is not None
    assert found.kappa < 0.1
    assert found.ac1 > 0.95
    assert agreement([False] * 5, [False] * 5).kappa is None
    with pytest.raises(ValueError, match="same records"):
        agreement([True], [])


def test_none_found_in_a_sample_bounds_what_was_missed() -> None:
    """0 of 300 sampled of 3,000: about the rule of three less the finite population, 28 of 3,000."""
    found = missed_at_most(0, 300, 3000)
    assert found.at_most == 28
    assert math.comb(3000 - 28, 300) / math.comb(3000, 300) > 0.05
    assert math.comb(3000 - 29, 300) / math.comb(3000, 300) <= 0.05


def test_reading_all_of_the_excluded_leaves_nothing_to_bound() -> None:
    assert missed_at_most(3, 50, 50).at_most == 3
    assert missed_at_most(0, 1, 40).at_most > missed_at_most(0, 20, 40).at_most
    for wrong in ((3, 2, 10), (0, 0, 10), (0, 11, 10)):
        with pytest.raises(ValueError, match="impossible"):
            missed_at_most(*wrong)


@given(st.integers(1, 60), st.data())
def test_the_bound_is_never_under_what_was_found(excluded: int, data: st.DataObject) -> None:
    sampled = data.draw(st.integers(1, excluded))
    relevant = data.draw(st.integers(0, sampled))
    found = missed_at_most(relevant, sampled, excluded)
    assert relevant <= found.at_most <= excluded - (sampled - relevant)
