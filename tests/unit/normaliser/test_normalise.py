"""Each work once: what is joined, what is never joined, and counts that add up."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceRecord,
    EvidenceStatus,
    Identifiers,
    NoticeLink,
    PrismaCounts,
    Recommendation,
    SourcePolicy,
    StudyDesign,
)
from openwork_evidence.findable import may_have_full_text
from openwork_normaliser.domain.normalise import NormalisedEvidence, SourceBatch, normalise

AT = datetime(2026, 1, 1, tzinfo=UTC)
ARISTOTLE = "Apixaban versus warfarin in patients with atrial fibrillation"


def record(
    source: str = "pubmed",
    title: str = ARISTOTLE,
    *,
    text: str = "Apixaban was superior to warfarin.",
    authors: tuple[str, ...] = ("Granger CB",),
    year: int | None = 2011,
    types: tuple[str, ...] = (),
    links: tuple[NoticeLink, ...] = (),
    abstract: tuple[AbstractPart, ...] | None = None,
    design: StudyDesign | None = None,
    status: EvidenceStatus = EvidenceStatus.NOT_CHECKED,
    source_id: str | None = None,
    pmid: str | None = None,
    pmcid: str | None = None,
    doi: str | None = None,
    nct_ids: tuple[str, ...] = (),
    set_id: str | None = None,
    url: str | None = None,
) -> EvidenceRecord:
    """A record with the fields that matter for joining."""
    identifiers = Identifiers(pmid=pmid, pmcid=pmcid, doi=doi, nct_ids=nct_ids, set_id=set_id, url=url)
    if abstract is None:
        abstract = (AbstractPart(text=text),) if text else ()
    return EvidenceRecord(
        source=source,
        source_id=source_id or pmid or doi or next(iter(nct_ids), None) or url or title,
        identifiers=identifiers,
        title=title,
        abstract=abstract,
        authors=authors,
        year=year,
        publication_types=types,
        links=links,
        study_design=design,
        status=status,
        retrieved_at=AT,
    )


def joined(*records: EvidenceRecord) -> NormalisedEvidence:
    """Every record as the answer of its own source."""
    return normalise([SourceBatch(r.source, (r,)) for r in records])


def test_the_more_trusted_source_tells_the_bibliography() -> None:
    """The registry's tier decides, not the names of the sources."""
    batches = [
        SourceBatch("openalex", (record("openalex", title="OLD TITLE IN CAPITALS", doi="10.1000/a", year=2018),)),
        SourceBatch("pubmed", (record("pubmed", title="Old title in capitals", doi="10.1000/a", year=2019),)),
    ]
    for trusted, year in (("pubmed", 2019), ("openalex", 2018)):
        policies = {b.source: SourcePolicy(trust_tier=2 if b.source == trusted else 3) for b in batches}
        (one,) = normalise(batches, policies=policies).candidates
        assert one.year == year


def n_works(*records: EvidenceRecord) -> int:
    return len(joined(*records).candidates)


def add_up(counts: PrismaCounts) -> bool:
    return counts.identified == counts.duplicates + counts.excluded_notices + counts.excluded_no_text + counts.screened


class TestJoining:
    def test_one_work_of_three_sources_becomes_one_candidate_with_all_identifiers_and_places(self) -> None:
        """PMID joins the first two, DOI the third; nothing of the three is lost."""
        result = joined(
            record("pubmed", pmid="21870978", doi="10.1056/nejmoa1107039"),
            record("europepmc", pmid="21870978", pmcid="PMC1234567"),
            record("openalex", doi="10.1056/NEJMoa1107039", authors=("Christopher B. Granger",)),
        )
        (candidate,) = result.candidates
        assert candidate.candidate_id == "pmid:21870978"
        assert (candidate.identifiers.doi, candidate.identifiers.pmcid) == ("10.1056/nejmoa1107039", "PMC1234567")
        assert set(candidate.sources) == {"pubmed", "europepmc", "openalex"}
        assert result.kept == {"pubmed": 1, "europepmc": 1, "openalex": 1}
        assert result.counts.duplicates == 2

    @pytest.mark.parametrize(
        "other",
        [
            "Apixaban versus Warfarin in Patients with Atrial Fibrillation.",
            "Apixaban versus warfarin in patients with <i>atrial</i> fibrillation: a randomised controlled trial",
            "Apixaban vs. warfarin in patients with atrial fibrilation",
        ],
    )
    def test_spelling_variants_of_a_title_join_when_author_and_year_agree(self, other: str) -> None:
        assert n_works(record("pubmed", pmid="1"), record("openalex", other, year=2012, doi="10.1000/x")) == 1

    @pytest.mark.parametrize(
        ("title", "other"),
        [
            ("Statins in men with diabetes and hypertension", "Statins in women with diabetes and hypertension"),
            ("Management of chronic angina. Part I: drugs", "Management of chronic angina. Part II: drugs"),
            ("Treatment of acute hypertension in the stroke unit", "Treatment of acute hypotension in the stroke unit"),
            ("Outcome of symptomatic carotid stenosis in adults", "Outcome of asymptomatic carotid stenosis in adults"),
            ("Aspirin 75 mg daily after myocardial infarction", "Aspirin 325 mg daily after myocardial infarction"),
            (ARISTOTLE, f"{ARISTOTLE}: rationale and design"),
            (ARISTOTLE, f"{ARISTOTLE} and impaired renal function"),
            (ARISTOTLE, f"Comment on: {ARISTOTLE}"),
        ],
    )  # fmt: skip
    def test_similar_titles_of_different_works_stay_apart(self, title: str, other: str) -> None:
        assert n_works(record("pubmed", title), record("openalex", other)) == 2

    def test_equal_titles_of_different_authors_stay_apart(self) -> None:
        assert n_works(record(), record("openalex", authors=("Smith J",))) == 2

    def test_different_pmids_are_never_one_work(self) -> None:
        """Not by DOI, not by title; the contradiction is told."""
        result = joined(record("pubmed", pmid="1", doi="10.1000/a"), record("europepmc", pmid="2", doi="10.1000/a"))
        assert len(result.candidates) == 2
        assert result.degradations == ("records with DOI 10.1000/a kept apart: different PMIDs",)

    def test_a_registration_never_joins_its_publication_but_other_registrations_of_the_same_number(self) -> None:
        """The publication is tied to its registration by a link."""
        registered = StudyDesign.TRIAL_REGISTRATION
        result = joined(
            record("clinicaltrials", nct_ids=("NCT00412984",), design=registered),
            record("openalex", "ARISTOTLE", nct_ids=("NCT00412984",), design=registered, authors=()),
            record("pubmed", pmid="1", nct_ids=("NCT00412984",), types=("Randomized Controlled Trial",)),
        )
        ids = {c.candidate_id: c for c in result.candidates}
        assert set(ids) == {"nct:NCT00412984", "pmid:1"}
        assert ids["pmid:1"].links == (NoticeLink(kind="registered_as", nct_id="NCT00412984"),)

    def test_a_preprint_is_linked_to_its_published_version_and_not_joined(self) -> None:
        result = joined(
            record("europepmc", doi="10.1101/2020.01.01.20000001", types=("Preprint",), year=2020),
            record("pubmed", pmid="7", doi="10.1000/published", year=2021),
        )
        designs = {c.candidate_id: c for c in result.candidates}
        preprint = designs["doi:10.1101/2020.01.01.20000001"]
        assert preprint.study_design is StudyDesign.PREPRINT
        assert preprint.links == (NoticeLink(kind="preprint_of", pmid="7", doi="10.1000/published"),)

    def test_an_address_that_holds_an_identifier_joins_the_record_of_that_identifier(self) -> None:
        web = record(
            "tavily", "Apixaban - PubMed", url="https://pubmed.ncbi.nlm.nih.gov/21870978/", authors=(), year=None
        )
        result = joined(record("pubmed", pmid="21870978"), web)
        assert [c.study_design for c in result.candidates] == [StudyDesign.OTHER]

    def test_labels_of_two_makers_stay_apart(self) -> None:
        assert n_works(record("dailymed", "Eliquis", set_id="a"), record("dailymed", "Eliquis", set_id="b")) == 2

    def test_the_longest_labelled_abstract_wins(self) -> None:
        parts = (
            AbstractPart(label="METHODS", text="A trial. " * 5),
            AbstractPart(label="RESULTS", text="HR 0.79. " * 5),
        )
        result = joined(record("openalex", text="A trial. HR 0.79. " * 6, pmid="1"), record(abstract=parts, pmid="1"))
        assert result.candidates[0].abstract == parts


class TestNotices:
    @pytest.mark.parametrize(
        ("notice", "status"),
        [
            (record("pubmed", f"Retraction: {ARISTOTLE}", pmid="9", authors=()), EvidenceStatus.RETRACTED),
            (record("crossref", f"Erratum to: {ARISTOTLE}.", doi="10.1000/e", authors=()), EvidenceStatus.CORRECTED),
            (record("crossref", f"Expression of concern: {ARISTOTLE}", doi="10.1000/c"), EvidenceStatus.CONCERN),
            (
                record("pubmed", "Department of Error.", pmid="9", types=("Published Erratum",), text="",
                       links=(NoticeLink(kind="correction_of", pmid="1"),)),
                EvidenceStatus.CORRECTED,
            ),
            (
                record("pubmed", ARISTOTLE, pmid="9", types=("Retraction of Publication",),
                       links=(NoticeLink(kind="retraction_of", pmid="1"),)),
                EvidenceStatus.RETRACTED,
            ),
        ],
    )  # fmt: skip
    def test_a_notice_marks_its_work_and_is_itself_excluded(
        self, notice: EvidenceRecord, status: EvidenceStatus
    ) -> None:
        result = joined(record(pmid="1", status=EvidenceStatus.NONE), notice)
        (work,) = result.candidates
        assert (work.candidate_id, work.status) == ("pmid:1", status)
        assert work.links
        assert result.counts == PrismaCounts(
            identified=2, duplicates=0, excluded_notices=1, excluded_no_text=0, screened=1
        )

    def test_the_worst_status_of_all_records_is_kept(self) -> None:
        result = joined(
            record(pmid="1", status=EvidenceStatus.NONE),
            record("europepmc", f"RETRACTED: {ARISTOTLE}", pmid="1"),
            record("crossref", pmid="1", status=EvidenceStatus.CORRECTED),
        )
        assert result.candidates[0].status is EvidenceStatus.RETRACTED

    def test_an_article_about_the_correction_of_anaemia_is_no_notice(self) -> None:
        title = "Correction of anemia with epoetin alfa in chronic kidney disease"
        assert joined(record(title=title)).candidates[0].title == title


class TestCounts:
    def test_records_without_title_or_text_are_excluded_and_counted(self) -> None:
        result = joined(
            record(title=" ", source_id="a"),
            record("europepmc", "Bare title only", text=""),
            record("openalex", "Placeholder only", text="No abstract available."),
            record("crossref", "Something to read"),
        )
        assert [c.title for c in result.candidates] == ["Something to read"]
        assert result.counts.excluded_no_text == 3
        assert add_up(result.counts)

    def test_an_article_without_an_abstract_is_a_candidate_until_its_full_text_was_looked_for(self) -> None:
        """Where something leads to it; a registration, a label or a page without text has no full text elsewhere."""
        result = joined(
            record("pubmed", "Low-dose colchicine after myocardial infarction", text="", pmid="31733140"),
            record("openalex", "Placeholder only, of another work", text="No abstract available.", doi="10.1000/b"),
            record("clinicaltrials", "A registration", text="", nct_ids=("NCT00000001",), doi="10.1000/c",
                   design=StudyDesign.TRIAL_REGISTRATION),
            record("library", "Imported without an abstract", text="", pmid="4"),
        )  # fmt: skip
        assert {c.candidate_id for c in result.candidates} == {"pmid:31733140", "doi:10.1000/b"}
        assert all(c.abstract == () for c in result.candidates)
        assert (result.counts.screened, result.counts.excluded_no_text) == (2, 2)
        assert add_up(result.counts)

    def test_only_so_many_bare_titles_live_on_and_they_take_no_place_of_the_others(self) -> None:
        bare = tuple(record(title=f"Bare title number {n} of many", text="", pmid=str(n)) for n in range(1, 8))
        read = tuple(record("europepmc", f"Work {n} with its own text", pmid=str(100 + n)) for n in range(7))
        result = normalise([SourceBatch("pubmed", bare), SourceBatch("europepmc", read)], most_titles=3)
        assert len([c for c in result.candidates if not c.abstract]) == 3
        assert len([c for c in result.candidates if c.abstract]) == 7
        assert {e.work.candidate_id for e in result.excluded} == {f"pmid:{n}" for n in range(4, 8)}
        again = normalise([SourceBatch("pubmed", bare[3:])], result.candidates, result.counts, most_titles=3)
        assert len([c for c in again.candidates if not c.abstract]) == 3
        assert add_up(again.counts)

    def test_a_source_of_reference_gives_no_bare_titles(self) -> None:
        batch = SourceBatch("crossref", (record("crossref", "A title of Crossref", text="", doi="10.1000/x"),))
        assert normalise([batch], policies={"crossref": SourcePolicy(top_k=0)}).candidates == ()

    def test_a_further_round_keeps_the_ids_and_adds_to_the_counts(self) -> None:
        first = normalise([SourceBatch("openalex", (record("openalex", doi="10.1000/a"),))])
        second = normalise(
            [
                SourceBatch(
                    "pubmed", (record(pmid="1", doi="10.1000/a"), record(title="Another work altogether", pmid="2"))
                )
            ],
            first.candidates,
            first.counts,
        )
        assert [c.candidate_id for c in second.candidates] == ["doi:10.1000/a", "pmid:2"]
        assert second.candidates[0].identifiers.pmid == "1"
        assert (second.counts.identified, second.counts.duplicates) == (3, 1)
        assert add_up(second.counts)

    def test_counts_of_other_candidates_are_refused(self) -> None:
        counts = PrismaCounts(identified=5, duplicates=0, excluded_notices=0, excluded_no_text=0, screened=5)
        with pytest.raises(ValueError, match="counts are of 5 candidates, but 0"):
            normalise([], (), counts)

    def test_nothing_found_is_a_result(self) -> None:
        assert normalise([SourceBatch("pubmed", ())]).kept == {"pubmed": 0}


TITLES = (
    ARISTOTLE,
    f"{ARISTOTLE}: a randomised trial",
    f"Retraction: {ARISTOTLE}",
    "Rivaroxaban versus warfarin in nonvalvular atrial fibrillation",
    "",
)
ids = st.one_of(st.none(), st.sampled_from(["1", "2", "3"]))
records = st.builds(
    lambda source, title, pmid, doi, nct, year, author, text, design: record(
        source,
        title,
        pmid=pmid,
        doi=None if doi is None else f"10.1000/{doi}",
        nct_ids=() if nct is None else (f"NCT0000000{nct}",),
        year=year,
        authors=author,
        text=text,
        design=design,
    ),
    st.sampled_from(["pubmed", "europepmc", "openalex", "clinicaltrials"]),
    st.sampled_from(TITLES),
    ids,
    ids,
    ids,
    st.sampled_from([None, 2010, 2011, 2012]),
    st.sampled_from([(), ("Granger CB",), ("Patel MR",)]),
    st.sampled_from(["", "Some text.", "Some longer text."]),
    st.sampled_from([None, None, StudyDesign.TRIAL_REGISTRATION]),
)
batches = st.lists(
    st.builds(SourceBatch, st.sampled_from(["a", "b", "c"]), st.lists(records, max_size=5).map(tuple)), max_size=5
)


@given(batches, st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_the_result_does_not_depend_on_the_order_of_sources(found: list[SourceBatch], shuffler: random.Random) -> None:
    """Shuffling the sources leaves candidates, order, counts and degradations as they were."""
    shuffled = list(found)
    shuffler.shuffle(shuffled)
    assert normalise(shuffled) == normalise(found)


@given(batches)
@settings(max_examples=200, deadline=None)
def test_counts_add_up_and_no_group_holds_two_pmids(found: list[SourceBatch]) -> None:
    """identified = duplicates + excluded + screened; ids are unique; every screened work can be read."""
    result = normalise(found)
    given_pmids = {r.identifiers.pmid for b in found for r in b.records if r.identifiers.pmid}
    assert add_up(result.counts)
    assert result.counts.identified == sum(len(b.records) for b in found)
    assert len({c.candidate_id for c in result.candidates}) == len(result.candidates)
    assert {c.identifiers.pmid for c in result.candidates if c.identifiers.pmid} <= given_pmids
    assert all(c.title.strip() and (c.abstract or may_have_full_text(c)) for c in result.candidates)


@given(batches)
@settings(max_examples=100, deadline=None)
def test_a_further_round_that_finds_nothing_invents_nothing(found: list[SourceBatch]) -> None:
    """Joined records may now agree with more works than each alone did, but ids stay and counts still add up."""
    first = normalise(found)
    second = normalise([], first.candidates, first.counts)
    assert add_up(second.counts)
    assert second.counts.identified == first.counts.identified
    assert {c.candidate_id for c in second.candidates} <= {c.candidate_id for c in first.candidates}


def advice(source: str, *recommendations: Recommendation, doi: str = "10.1000/g", year: int = 2021) -> EvidenceRecord:
    title = f"{year} ESC Guidelines for the management of atrial fibrillation"
    found = record(source, title, doi=doi, year=year, design=StudyDesign.GUIDELINE)
    return found.model_copy(update={"recommendations": recommendations})


class TestGuidelines:
    def test_a_guideline_of_two_sources_is_one_work_with_the_recommendations_of_both(self) -> None:
        first, second = (
            Recommendation(text="Anticoagulation is recommended."),
            Recommendation(text="Aspirin is not recommended."),
        )
        result = joined(advice("library", first), advice("guidelines", first, second))
        (one,) = result.candidates
        assert [told.text for told in one.recommendations] == [first.text, second.text]
        assert (result.counts.identified, result.counts.duplicates) == (2, 1)

    def test_an_older_edition_among_the_works_names_the_newer(self) -> None:
        rule = Recommendation(text="Anticoagulation is recommended.")
        result = joined(
            advice("guidelines", rule, doi="10.1000/old", year=2016),
            advice("pubmed", rule, doi="10.1000/new", year=2021),
        )
        told = {one.year: one.guideline.superseded_by for one in result.candidates if one.guideline}
        assert told == {2016: "ESC 2021", 2021: None}

    def test_a_listed_old_edition_is_marked_whoever_found_it(self) -> None:
        found = record("pubmed", "Surviving sepsis campaign 2021", pmid="34599691", design=StudyDesign.GUIDELINE)
        (one,) = joined(found).candidates
        assert one.guideline is not None
        assert one.guideline.superseded_by == "SSC 2026"
