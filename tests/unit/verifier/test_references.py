"""References: what is printed comes from one record; what disagrees is left out and said."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from openwork_contracts.evidence import (
    EvidenceCandidate,
    EvidenceRecord,
    EvidenceStatus,
    Identifiers,
    Provenance,
    StudyDesign,
    TextOrigin,
)
from openwork_contracts.ranking import RankedPassage, TrialFit
from openwork_evidence.library.confirmed import confirmed_at
from openwork_verifier.domain.references import build_references

AT = datetime(2026, 1, 1, tzinfo=UTC)
TITLE = "Apixaban versus warfarin in patients with atrial fibrillation"
PMID, DOI = "21870978", "10.1056/nejmoa1107039"
AUTHORS = ("Granger CB", "Alexander JH", "McMurray JJ")


def record(source: str = "pubmed", /, **changes: object) -> EvidenceRecord:
    """ARISTOTLE as a source gave it."""
    fields: dict[str, object] = {
        "source": source,
        "source_id": f"{source}-1",
        "identifiers": Identifiers(pmid=PMID, doi=DOI),
        "title": TITLE,
        "authors": AUTHORS,
        "year": 2011,
        "retrieved_at": AT,
    }
    return EvidenceRecord.model_validate(fields | changes)


def work(*records: EvidenceRecord, **changes: object) -> EvidenceCandidate:
    """The candidate that a normaliser could have made of the records."""
    fields: dict[str, object] = {
        "candidate_id": f"pmid:{PMID}",
        "identifiers": Identifiers(pmid=PMID, doi=DOI),
        "title": TITLE,
        "authors": AUTHORS,
        "journal": "N Engl J Med",
        "year": 2011,
        "study_design": StudyDesign.RCT,
        "status": EvidenceStatus.NONE,
        "provenance": tuple(
            Provenance(source=r.source, source_id=r.source_id, rank=1, retrieved_at=AT) for r in records
        ),
    }
    return EvidenceCandidate.model_validate(fields | changes)


def passage(misfit: str | None = None) -> RankedPassage:
    return RankedPassage(
        n=1,
        passage_id="p",
        candidate_id=f"pmid:{PMID}",
        section="Abstract",
        start=0,
        end=4,
        text="text",
        score=0.5,
        passage_score=0.5,
        document_score=0.5,
        fit=TrialFit(misfit=misfit is not None, message=misfit),
    )


def test_a_reference_whose_record_agrees_is_printed_whole() -> None:
    (reference,), problems = build_references([1], [work(record())], [passage()], [record()])
    assert problems == []
    assert (reference.pmid, reference.doi, reference.year) == (PMID, DOI, 2011)
    assert (reference.title, reference.authors, reference.journal) == (TITLE, AUTHORS, "N Engl J Med")
    assert reference.url == f"https://pubmed.ncbi.nlm.nih.gov/{PMID}/"
    assert (reference.source, reference.study_design, reference.note) == ("pubmed", StudyDesign.RCT, None)


@pytest.mark.parametrize(
    "other",
    [
        {"title": "Rivaroxaban versus warfarin in nonvalvular atrial fibrillation"},
        {"year": 2012},
        {"authors": ("Patel MR", "Granger CB")},
    ],
)
def test_without_one_record_that_agrees_no_identifier_is_printed(other: dict[str, object]) -> None:
    """Title, year and first author each decide."""
    given = record(**other)
    (reference,), problems = build_references([1], [work(given)], [], [given])
    assert (reference.pmid, reference.doi, reference.pmcid, reference.url) == (None, None, None, None)
    assert len(problems) == 1
    assert "reference [1]" in problems[0]


def test_a_title_may_differ_in_case_and_punctuation_and_an_author_in_initials() -> None:
    given = record(title=TITLE.upper() + ".", authors=("Granger C. B.",))
    (reference,), problems = build_references([1], [work(given)], [], [given])
    assert (reference.pmid, problems) == (PMID, [])


def test_two_first_authors_with_the_same_particle_do_not_agree() -> None:
    given = record(authors=("van Gogh V",))
    _, problems = build_references([1], [work(given, authors=("van der Berg J",))], [], [given])
    assert "identifiers left out" in problems[0]


@pytest.mark.parametrize("blank", ["", "  ", "."])
def test_an_author_without_a_name_stops_nothing(blank: str) -> None:
    given = record(authors=(blank,))
    (reference,), _ = build_references([1], [work(given)], [], [given])
    assert reference.title == TITLE


def test_an_identifier_that_the_record_contradicts_is_left_out_and_both_are_named() -> None:
    given = record(identifiers=Identifiers(pmid=PMID, doi="10.1056/other"))
    (reference,), problems = build_references([1], [work(given)], [], [given])
    assert (reference.pmid, reference.doi) == (PMID, None)
    assert "DOI 10.1056/nejmoa1107039 disagrees with the record (10.1056/other)" in problems[0]


def test_the_other_identifiers_stay_when_the_pmid_is_contradicted() -> None:
    given = record(identifiers=Identifiers(pmid="1", doi=DOI))
    (reference,), problems = build_references([1], [work(given)], [], [given])
    assert (reference.pmid, reference.doi, reference.url) == (None, DOI, f"https://doi.org/{DOI}")
    assert "PMID 21870978" in problems[0]


def test_a_doi_that_no_record_carries_with_the_pmid_is_left_out() -> None:
    """Two records of one title, e.g. the abstract of a congress and the paper, are not proof of one work."""
    mine = record(identifiers=Identifiers(pmid=PMID))
    theirs = record("crossref", identifiers=Identifiers(doi=DOI))
    (reference,), problems = build_references([1], [work(mine, theirs)], [], [mine, theirs])
    assert (reference.pmid, reference.doi) == (PMID, None)
    assert f"DOI {DOI}" in problems[0]


def test_a_doi_that_a_record_binds_to_the_pmid_is_printed_though_its_title_is_another() -> None:
    mine = record(identifiers=Identifiers(pmid=PMID))
    theirs = record("openalex", title="Apixaban vs. Warfarin")
    (reference,), problems = build_references([1], [work(mine, theirs)], [], [mine, theirs])
    assert (reference.doi, problems) == (DOI, [])


def test_of_the_records_that_agree_the_fullest_is_the_witness() -> None:
    bare = record("europepmc", identifiers=Identifiers())
    (reference,), problems = build_references([1], [work(bare, record())], [], [bare, record()])
    assert (reference.pmid, reference.doi, problems) == (PMID, DOI, [])


def test_a_record_that_the_work_was_not_found_in_is_no_witness() -> None:
    """It may be another work of the same title."""
    own = record(title="Something else")
    stranger = record("crossref")
    (reference,), problems = build_references([1], [work(own)], [], [own, stranger])
    assert reference.pmid is None
    assert problems


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": EvidenceStatus.RETRACTED}, "retracted: do not rely on it"),
        ({"status": EvidenceStatus.WITHDRAWN}, "withdrawn"),
        ({"status": EvidenceStatus.CONCERN}, "expression of concern"),
        ({"study_design": StudyDesign.PREPRINT}, "not peer reviewed"),
    ],
)
def test_what_a_reader_must_know_is_noted(changes: dict[str, object], words: str) -> None:
    (reference,), _ = build_references([1], [work(record(), **changes)], [passage()], [record()])
    assert words in (reference.note or "")


def test_a_trial_that_tested_something_else_is_noted_once() -> None:
    passages = [passage("It tested secondary prevention."), passage("It tested secondary prevention.")]
    (reference,), _ = build_references([1], [work(record())], passages, [record()])
    assert reference.note == "It tested secondary prevention."


@pytest.mark.parametrize("n", [0, 2, -1])
def test_a_number_that_stands_for_no_work_gets_no_reference_and_is_reported(n: int) -> None:
    references, problems = build_references([1, n], [work(record())], [], [record()])
    assert [r.n for r in references] == [1]
    assert problems == [f"citation [{n}] stands for no work; left out"]


SUMMARISED = record("library", source_id="dapa-hf-2019")


@pytest.mark.parametrize("origin", [TextOrigin.PUBLISHER, TextOrigin.REGISTRY, TextOrigin.UNKNOWN_ORIGIN])
def test_a_reference_says_whose_words_its_passages_are(origin: TextOrigin) -> None:
    own = passage().model_copy(update={"text_origin": origin})
    (reference,), _ = build_references([1], [work(SUMMARISED)], [own], [SUMMARISED])
    assert (reference.text_origin, reference.confirmed_at) == (origin, None)


def test_a_reference_to_a_summary_of_ours_says_where_that_was_confirmed() -> None:
    ours = passage().model_copy(update={"text_origin": TextOrigin.OUR_SUMMARY})
    (reference,), _ = build_references([1], [work(record(), SUMMARISED)], [ours], [SUMMARISED])
    assert reference.text_origin is TextOrigin.OUR_SUMMARY
    assert reference.confirmed_at == confirmed_at("dapa-hf-2019")


def test_a_reference_speaks_of_the_words_that_its_sentences_rest_on_and_not_of_others_that_were_read() -> None:
    both = [passage().model_copy(update={"text_origin": o}) for o in (TextOrigin.PUBLISHER, TextOrigin.OUR_SUMMARY)]
    for origin in (TextOrigin.PUBLISHER, TextOrigin.OUR_SUMMARY):
        (reference,), _ = build_references([1], [work(SUMMARISED)], both, [SUMMARISED], {1: origin})
        assert reference.text_origin is origin
    (unsaid,), _ = build_references([1], [work(SUMMARISED)], both, [SUMMARISED])
    assert unsaid.text_origin is TextOrigin.OUR_SUMMARY
