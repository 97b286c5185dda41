"""The record of a run: every work once with one decision, every search as it was sent, nothing that is not known."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.answer import AnswerConcluded
from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import (
    AbstractPart,
    EffectEstimate,
    EvidenceCandidate,
    EvidenceNormalised,
    EvidenceStatus,
    ExcludedKind,
    ExcludedWork,
    LibraryRef,
    OutcomeResult,
    PrismaCounts,
    Provenance,
    SourcePolicy,
    SourceStatus,
    TrialArm,
)
from openwork_contracts.meta import Event
from openwork_contracts.plan import RetrievalCompleted, RetrievalFailed, SearchRequestLog
from openwork_contracts.question import Track
from openwork_contracts.ranking import (
    DocumentScore,
    DocumentsRanked,
    EvidenceRanked,
    FulltextCompleted,
    FulltextRequested,
    RankedPassage,
    TextSection,
)
from openwork_contracts.record import CandidateRecord, Decision, RunRecord
from openwork_evidence.library.references import library_version, referred_candidate, shipped
from openwork_gateway.domain.folds import fold

from tests.run_events import AT, completed, concluded, failed, in_track, planned, reference, scored, stored, submitted

TEXT = (AbstractPart(label="RESULTS", text="Apixaban lowered stroke."),)
QUERY = SearchRequestLog(
    request='apixaban[tiab] AND "atrial fibrillation"[mesh]',
    translation="apixaban[Title/Abstract]",
    warnings=("phrase not found",),
    hits=811,
    fetched=120,
    cap=120,
    suspect=True,
)


def work(
    name: str,
    *,
    source: str = "pubmed",
    status: EvidenceStatus = EvidenceStatus.NONE,
    abstract: tuple[AbstractPart, ...] = TEXT,
) -> EvidenceCandidate:
    provenance = Provenance(source=source, source_id=name, rank=1, retrieved_at=AT)
    return EvidenceCandidate(
        candidate_id=name, title=f"Work {name}", status=status, abstract=abstract, provenance=(provenance,)
    )


def found(
    *works: EvidenceCandidate, round_: int = 1, parents: tuple[str, ...] = (), top_k: int = 50
) -> EvidenceNormalised:
    n = len(works)
    meta = in_track(EvidenceNormalised, round_=round_).model_copy(update={"parent_ids": parents})
    counts = PrismaCounts(identified=n, duplicates=0, excluded_notices=0, excluded_no_text=0, screened=n)
    policies = {"aggregator": SourcePolicy(top_k=0), "pubmed": SourcePolicy(top_k=top_k)}
    return EvidenceNormalised(meta=meta, candidates=works, sources=(), counts=counts, policies=policies)


def shortlist(*names: str, round_: int = 1) -> DocumentsRanked:
    scores = tuple(DocumentScore(candidate_id=name, score=0.9 - 0.01 * n) for n, name in enumerate(names))
    meta = in_track(DocumentsRanked, round_=round_)
    return DocumentsRanked(meta=meta, shortlist=scores, report=scored("documents"))


def passage(name: str, n: int) -> RankedPassage:
    return RankedPassage(
        n=n,
        passage_id=f"{name}#1:40",
        candidate_id=name,
        section="Results > Stroke",
        section_kind="text",
        start=40,
        end=64,
        text="Apixaban lowered stroke.",
        score=0.8,
        passage_score=0.75,
        document_score=0.9,
    )


def chosen(*works: EvidenceCandidate, round_: int = 1, parents: tuple[str, ...] = ()) -> EvidenceRanked:
    return EvidenceRanked(
        meta=in_track(EvidenceRanked, round_=round_).model_copy(update={"parent_ids": parents}),
        passages=tuple(passage(one.candidate_id, n) for n, one in enumerate(works, start=1)),
        documents=works,
        report=scored("passages", scorer="triton"),
    )


def citing(*names: str) -> AnswerConcluded:
    references = tuple(reference(n, id=name) for n, name in enumerate(names, start=1))
    return concluded().model_copy(update={"references": references})


def searched(source: str = "pubmed", *, round_: int = 1) -> RetrievalCompleted:
    meta = in_track(RetrievalCompleted, route=source, round_=round_)
    return RetrievalCompleted(meta=meta, source=source, search_log=(QUERY,), elapsed_s=0.5, degradations=("one page",))


def not_searched(source: str = "pubmed") -> RetrievalFailed:
    return RetrievalFailed(
        meta=in_track(RetrievalFailed, route=source),
        source=source,
        reason=FailureReason.RATE_LIMITED,
        message="asked too often",
        search_log=(SearchRequestLog(request="apixaban", error="429"),),
        elapsed_s=0.1,
    )


def text_of(name: str, part: str, *, sections: bool = True) -> FulltextCompleted:
    body = (TextSection(path=("Results",), text="Stroke was rare.", start=0, end=16),) if sections else ()
    return FulltextCompleted(
        meta=in_track(FulltextCompleted, part=part),
        candidate_id=name,
        sections=body,
        fulltext_source="pmc" if sections else None,
        url="https://pmc.example/1" if sections else None,
        license="CC BY" if sections else None,
        tried=("pmc: found" if sections else "pmc: no PMCID is known for it",),
        elapsed_s=0.2,
    )


def record(*events: Event) -> RunRecord:
    document = fold(stored([submitted(), *events]))
    assert document.record is not None
    return document.record


def decisions(*events: Event) -> dict[str, str]:
    return {one.candidate_id: one.decision.value for one in record(*events).candidates}


def by_name(found_in: RunRecord) -> dict[str, CandidateRecord]:
    return {one.candidate_id: one for one in found_in.candidates}


# --- works -----------------------------------------------------------------------------------------------------------


def test_every_way_a_work_can_go() -> None:
    a, b, c, d, e = (work(name) for name in "abcde")
    void = work("void", status=EvidenceStatus.RETRACTED)
    bare = work("bare", abstract=(AbstractPart(text=" "),))
    aside = work("aside", source="aggregator")
    text = text_of("c", "doc-03")
    events = (
        planned(),
        found(a, b, c, d, e, void, bare, aside),
        shortlist("a", "b", "c", "d"),
        text,
        chosen(b, a, parents=("x", text.meta.event_id)),
        citing("a"),
        completed(),
    )
    assert decisions(*events) == {
        "a": "cited",
        "b": "passage_chosen",
        "c": "fulltext_read",
        "d": "abstract_read",
        "e": "below_threshold",
        "void": "retracted",
        "bare": "without_text",
        "aside": "reference_only",
    }


def test_a_work_without_an_abstract_goes_out_by_name_when_no_full_text_came() -> None:
    read, tried, low = (work(name, abstract=()) for name in ("read", "tried", "low"))
    text = text_of("read", "doc-01")
    ranked = chosen(work("a"), parents=("x", text.meta.event_id)).model_copy(update={"without_text": ("tried", "low")})
    gone = ExcludedWork(candidate_id="hash:1", title="Gone before", reason="no abstract, and nothing to ask with")
    joined = found(work("a"), read, tried, low).model_copy(update={"excluded": (gone,)})
    events = (planned(), joined, shortlist("a", "read", "tried"), text, ranked, citing("a"), completed())
    works = by_name(record(*events))
    assert {name: (one.decision.value, one.reason) for name, one in works.items()} == {
        "a": ("cited", None),
        "read": ("fulltext_read", None),
        "tried": ("without_text", "no abstract and no full text"),
        "low": ("without_text", "no abstract, and its title ranked too low for its full text to be looked for"),
        "hash:1": ("without_text", "no abstract, and nothing to ask with"),
    }
    assert works["hash:1"].title == "Gone before"
    counts = fold(stored([submitted(), *events])).method.counts
    assert counts["not_retrieved"] == 2
    assert counts["screened"] == 4


def test_an_older_version_of_a_review_goes_out_with_its_reason() -> None:
    why = "an older version of a Cochrane review: superseded by CD002243.pub4, 2019"
    old = ExcludedWork(candidate_id="pmid:3", title="Older", reason=why, kind=ExcludedKind.SUPERSEDED)
    joined = found(work("a")).model_copy(update={"excluded": (old,)})
    works = by_name(record(planned(), joined, shortlist("a"), chosen(work("a")), citing("a"), completed()))
    assert (works["pmid:3"].decision, works["pmid:3"].reason) == (Decision.SUPERSEDED, why)


def test_a_retracted_work_that_is_cited_all_the_same_is_cited() -> None:
    void = work("void", status=EvidenceStatus.RETRACTED)
    one = record(found(void), shortlist("void"), chosen(void), citing("void"), completed()).candidates[0]
    assert (one.decision, one.status) == (Decision.CITED, EvidenceStatus.RETRACTED)


def test_a_run_that_ended_early_says_of_each_work_how_far_it_came() -> None:
    a, b = work("a"), work("b")
    assert decisions(found(a, b), failed()) == {"a": "found", "b": "found"}
    assert decisions(found(a, b), shortlist("a"), failed()) == {"a": "shortlisted", "b": "below_threshold"}


def test_a_work_of_a_further_round_that_was_not_ranked_is_only_found() -> None:
    """What the first round decided stands; what the second found was not judged."""
    a, b, new = work("a"), work("b"), work("new")
    first = (found(a, b), shortlist("a"), chosen(a))
    got = decisions(*first, planned(round_=2), found(a, b, new, round_=2), failed())
    assert got == {"a": "passage_chosen", "b": "below_threshold", "new": "found"}


def test_the_newest_round_decides() -> None:
    a, b = work("a"), work("b")
    second = (found(a, b, round_=2), shortlist("b", round_=2), chosen(b, round_=2))
    assert decisions(found(a), shortlist("a"), chosen(a), *second) == {"b": "passage_chosen", "a": "below_threshold"}


def test_a_full_text_that_came_late_or_empty_was_not_read() -> None:
    a, b, c = work("a"), work("b"), work("c")
    empty, late = text_of("a", "doc-01", sections=False), text_of("b", "doc-02")
    asked = FulltextRequested(
        meta=in_track(FulltextRequested, part="doc-03"),
        candidate_id="c",
        identifiers=c.identifiers,
        title=c.title,
        deadline_at=AT,
    )
    ranked = chosen(parents=(empty.meta.event_id,))
    works = by_name(record(found(a, b, c), shortlist("a", "b", "c"), asked, empty, ranked, late))
    assert {one.decision for one in works.values()} == {Decision.ABSTRACT_READ}
    texts = [works[name].fulltext for name in "abc"]
    assert all(text is not None for text in texts)
    assert [text.source for text in texts if text] == [None, "pmc", None]
    assert [text.elapsed_s for text in texts if text] == [0.2, 0.2, None]
    assert next(text.tried for text in texts if text) == ("pmc: no PMCID is known for it",)


def test_numbers_are_those_that_the_reader_sees() -> None:
    """Works that are not cited have the numbers after those that are: a sentence that was held back may cite them."""
    a, b, c = work("a"), work("b"), work("c")
    shown = record(found(a, b, c), shortlist("a", "b", "c"), chosen(a, b, c), citing("c"), completed())
    assert {one.candidate_id: one.n for one in shown.candidates} == {"c": 1, "a": 2, "b": 3}
    assert [(p.candidate_id, p.n) for p in shown.passages] == [("a", 2), ("b", 3), ("c", 1)]


def test_cited_works_come_first_then_those_with_a_passage_then_by_score() -> None:
    works = [work(name) for name in "abcdef"]
    shown = record(
        found(*works), shortlist("f", "e", "d", "c"), chosen(works[2], works[3]), citing("d"), completed()
    ).candidates
    assert [one.candidate_id for one in shown] == ["d", "c", "f", "e", "a", "b"]
    assert [one.document_score for one in shown][-2:] == [None, None]


def test_a_passage_is_there_in_full_with_its_place() -> None:
    a = work("a")
    (shown,) = record(found(a), shortlist("a"), chosen(a), citing("a"), completed()).passages
    assert shown == passage("a", 1)
    assert (shown.section, shown.section_kind, shown.end - shown.start) == ("Results > Stroke", "text", len(shown.text))


def test_scorers_are_named_with_their_stage() -> None:
    a = work("a")
    reports = record(found(a), shortlist("a"), chosen(a)).scorers
    assert [(one.stage, one.scorer, one.model) for one in reports] == [
        ("documents", "lexical", None),
        ("passages", "triton", "m1"),
    ]


NAMES = st.lists(st.sampled_from([f"pmid:{n}" for n in range(1, 30)]), unique=True, max_size=29)
STATUSES = st.sampled_from([EvidenceStatus.NONE, EvidenceStatus.RETRACTED, EvidenceStatus.NOT_CHECKED])


@st.composite
def histories(draw: st.DrawFn) -> tuple[tuple[str, ...], list[Event]]:
    """Works of one round, and the events of a run over them, any of which may be missing."""
    names = draw(NAMES)
    abstracts = st.sampled_from([TEXT, ()])
    sources = st.sampled_from(["pubmed", "aggregator"])
    works = [work(n, source=draw(sources), status=draw(STATUSES), abstract=draw(abstracts)) for n in names]
    listed = names[: draw(st.integers(0, len(names)))]
    ranked = [one for one in works if one.candidate_id in listed[: draw(st.integers(0, len(listed)))]]
    cited = [one.candidate_id for one in ranked if draw(st.booleans())]
    texts = [text_of(name, f"doc-{n:02d}") for n, name in enumerate(listed[:3], start=1)]
    rest: list[Event] = [
        planned(),
        shortlist(*listed),
        *texts,
        chosen(*ranked, parents=tuple(t.meta.event_id for t in texts if draw(st.booleans()))),
        citing(*cited),
        completed(),
    ]
    planned_, *later = [event if draw(st.integers(0, 4)) else None for event in rest]
    events = (planned_, found(*works), *later)
    return tuple(names), [event for event in events if event is not None]


@given(histories())
def test_every_work_that_was_found_is_there_once_with_one_decision(run: tuple[tuple[str, ...], list[Event]]) -> None:
    names, events = run
    shown = record(*events).candidates
    assert sorted(one.candidate_id for one in shown) == sorted(names)
    assert all(one.decision in Decision for one in shown)


@given(histories())
def test_the_same_events_give_the_same_record(run: tuple[tuple[str, ...], list[Event]]) -> None:
    history = stored([submitted(), *run[1]])
    assert fold(history).model_dump_json() == fold(history).model_dump_json()


# --- works of the starter library ------------------------------------------------------------------------------------


def by_reference() -> tuple[EvidenceCandidate, EvidenceCandidate]:
    """A work of the starter library, whole and as it travels."""
    of_library = next(iter(shipped().values()))
    provenance = Provenance(source="library", source_id=of_library.source_id, rank=1, retrieved_at=AT)
    whole = EvidenceCandidate(
        candidate_id="pmid:1",
        title=of_library.title,
        abstract=of_library.abstract,
        identifiers=of_library.identifiers,
        **{
            name: getattr(of_library, name)
            for name in (
                "text_origin",
                "authors",
                "collective_author",
                "journal",
                "year",
                "publication_types",
                "mesh_terms",
                "sample_size",
                "status",
                "arms",
                "results",
                "recommendations",
                "funding",
            )
        },
        provenance=(provenance,),
    )
    return whole, referred_candidate(whole)


def test_a_work_that_travels_by_name_is_written_out() -> None:
    whole, named = by_reference()
    assert named.library is not None
    assert named.title == ""
    (shown,) = record(found(named)).candidates
    assert (shown.title, shown.journal, shown.year, shown.library) == (whole.title, whole.journal, whole.year, None)
    assert shown.identifiers == whole.identifiers


def test_of_another_version_of_the_library_the_name_is_kept() -> None:
    """A document is made all the same; whoever has that version can look the work up."""
    _, named = by_reference()
    other = LibraryRef(version=library_version()[::-1] + "x", record_id="gone")
    (shown,) = record(found(named.model_copy(update={"library": other})), shortlist(), failed()).candidates
    assert (shown.library, shown.title, shown.decision) == (other, "", Decision.BELOW_THRESHOLD)


# --- searches --------------------------------------------------------------------------------------------------------


def test_a_search_is_there_as_it_was_sent_and_as_the_engine_read_it() -> None:
    answered = searched()
    (shown,) = record(planned(), answered, found(parents=(answered.meta.event_id,))).searches[1:]
    assert shown.requests == (QUERY,)
    assert (shown.track, shown.round, shown.source, shown.status.value) == ("affirmative", 1, "pubmed", "completed")
    assert (shown.found, shown.elapsed_s, shown.degradations) == (0, 0.5, ("one page",))


def test_a_source_that_failed_is_there_with_its_reason() -> None:
    event = not_searched()
    shown = record(planned(), event, found(parents=(event.meta.event_id,))).searches[1]
    assert (shown.status, shown.reason, shown.message) == (
        SourceStatus.FAILED,
        FailureReason.RATE_LIMITED,
        "asked too often",
    )
    assert shown.requests[0].error == "429"


def test_a_source_without_an_answer_has_missed_the_deadline_only_when_the_round_went_on() -> None:
    assert record(planned()).searches == ()
    for shown in record(planned(), found()).searches:
        assert (shown.status, shown.reason, shown.elapsed_s) == (
            SourceStatus.MISSED_DEADLINE,
            FailureReason.DEADLINE,
            None,
        )


def test_an_answer_that_came_late_is_there_and_did_not_count() -> None:
    shown = record(planned(), found(), searched()).searches[1]
    assert (shown.status, shown.requests, shown.elapsed_s) == (SourceStatus.MISSED_DEADLINE, (QUERY,), 0.5)


@pytest.mark.parametrize("used", [0, 1])
def test_of_two_outcomes_the_one_that_the_round_used_counts(used: int) -> None:
    """A request that was delivered twice may have left both."""
    both = (not_searched(), searched())
    shown = record(planned(), *both, found(parents=(both[used].meta.event_id,))).searches[1]
    assert shown.status == (SourceStatus.FAILED, SourceStatus.COMPLETED)[used]


def test_searches_are_kept_when_their_plan_is_gone() -> None:
    (shown,) = record(searched()).searches
    assert (shown.source, shown.status) == ("pubmed", SourceStatus.COMPLETED)


def test_rounds_are_there_as_planned_with_the_reason_of_each() -> None:
    shown = record(planned(), planned(round_=2))
    assert [(one.round, one.reason) for one in shown.rounds] == [(1, None), (2, "nothing recent")]
    assert shown.rounds[0].search_variants == planned().analysis.search_variants
    assert shown.analysis == planned().analysis


def test_searches_of_every_track_are_there_and_works_of_the_one_that_is_shown() -> None:
    tracks = (Track.AFFIRMATIVE, Track.FALSIFICATION)
    other = found(work("other"))
    elsewhere = other.model_copy(update={"meta": in_track(EvidenceNormalised, "falsification")})
    shown = record(
        planned(tracks=tracks), planned("falsification", tracks=tracks), found(work("a")), elsewhere, concluded()
    )
    assert {(one.track, one.source) for one in shown.searches} == {
        (track.value, source) for track in tracks for source in ("library", "pubmed")
    }
    assert [one.candidate_id for one in shown.candidates] == ["a"]


def test_works_are_those_with_passages_when_what_was_found_is_gone() -> None:
    events: Sequence[Event] = (chosen(work("a"), work("b")), citing("b"), completed())
    assert decisions(*events) == {"b": "cited", "a": "passage_chosen"}


def test_a_work_that_went_out_before_the_ranking_is_told_from_those_that_were_screened() -> None:
    normalised = found(work("a")).model_copy(
        update={"excluded": (ExcludedWork(candidate_id="b", reason="no title", provenance=work("b").provenance),)}
    )
    record = fold(stored([submitted(), planned(), normalised, failed()])).record
    assert record is not None
    assert {one.candidate_id: one.screened for one in record.candidates} == {"a": True, "b": False}


def test_who_was_studied_and_what_came_out_is_kept_of_works_with_a_passage_alone() -> None:
    people = AbstractPart(label="PATIENTS", text="Adults with atrial fibrillation.")
    methods = AbstractPart(label="PATIENTS AND METHODS", text="Blinded.")
    result = OutcomeResult(outcome="stroke", effect=EffectEstimate(measure="HR", estimate=0.79))
    known = {"sample_size": 18201, "arms": (TrialArm(name="apixaban"),), "results": (result,)}
    read, unread = (
        work(name, abstract=(people, methods, *TEXT)).model_copy(update=known) for name in ("read", "unread")
    )
    events = [submitted(), planned(), found(read, unread), shortlist("read", "unread"), chosen(read), citing("read")]
    record = fold(stored([*events, completed()])).record
    assert record is not None
    first, second = record.candidates
    assert (first.population, first.sample_size) == ("Adults with atrial fibrillation.", 18201)
    assert (first.arms, first.results) == (known["arms"], known["results"])
    assert (second.population, second.sample_size, second.arms, second.results) == (None, None, (), ())
