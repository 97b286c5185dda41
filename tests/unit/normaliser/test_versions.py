"""Newer versions of Cochrane reviews take the older ones' place; a guideline of several journals is one work."""

from __future__ import annotations

from itertools import permutations

import pytest
from openwork_contracts.evidence import (
    EvidenceCandidate,
    EvidenceRecord,
    EvidenceStatus,
    ExcludedKind,
    ExcludedWork,
    NoticeLink,
    Recommendation,
    StudyDesign,
)
from openwork_evidence.text import abstract_text
from openwork_normaliser.domain.normalise import ExclusionKind, NormalisedEvidence, SourceBatch, normalise

from tests.unit.normaliser.test_normalise import record

REVIEW = "Corticosteroids for treating sepsis in children and adults"
CDSR = "Cochrane Database Syst Rev"
GUIDELINE = "2021 ESC/EACTS Guidelines for the management of valvular heart disease"


def cochrane(version: int | None, year: int, pmid: str, number: str = "CD002243", **more: str) -> EvidenceRecord:
    doi = f"10.1002/14651858.{number}" + (f".pub{version}" if version else "")
    made = record("pubmed", more.get("title", REVIEW), pmid=pmid, doi=doi, year=year, text=more.get("text", "Found."))
    return made.model_copy(update={"journal": CDSR, "authors": ("Annane D",)})


def guideline(pmid: str, journal: str, *, title: str = GUIDELINE, year: int = 2021, **more: object) -> EvidenceRecord:
    made = record("pubmed", title, pmid=pmid, doi=f"10.1000/{pmid}", year=year, authors=("Vahanian A",))
    return made.model_copy(update={"journal": journal, **more})


def run(*records: EvidenceRecord, **before: object) -> NormalisedEvidence:
    return normalise([SourceBatch("pubmed", records)], **before)  # type: ignore[arg-type]


def adds_up(found: NormalisedEvidence) -> bool:
    counts = found.counts
    out = counts.excluded_notices + counts.excluded_no_text + counts.excluded_superseded
    return counts.identified == counts.duplicates + out + counts.screened


class TestCochrane:
    def test_a_newer_version_takes_the_place_of_the_older_which_is_named_and_counted(self) -> None:
        versions = (cochrane(None, 2004, "1"), cochrane(3, 2015, "3"), cochrane(4, 2019, "4"))
        for records in permutations(versions):
            found = run(*records)
            assert [c.identifiers.pmid for c in found.candidates] == ["4"]
            assert {one.work.identifiers.pmid for one in found.excluded} == {"1", "3"}
            assert {one.kind for one in found.excluded} == {ExclusionKind.SUPERSEDED}
            assert found.counts.excluded_superseded == 2
            assert adds_up(found)
            assert "superseded by CD002243.pub4, 2019" in found.excluded[0].reason

    def test_reviews_of_other_numbers_stay(self) -> None:
        found = run(cochrane(3, 2015, "3"), cochrane(4, 2019, "4", number="CD002244", title="Another review of sepsis"))
        assert len(found.candidates) == 2
        assert found.counts.excluded_superseded == 0

    def test_a_newer_version_without_text_takes_nobodys_place(self) -> None:
        found = run(cochrane(3, 2015, "3"), cochrane(4, 2019, "4", text=""))
        assert {c.identifiers.pmid for c in found.candidates} == {"3", "4"}

    def test_a_withdrawn_newest_version_takes_the_evidence_of_the_older_away(self) -> None:
        gone = cochrane(4, 2019, "4", title=f"WITHDRAWN: {REVIEW}", text="")
        found = run(cochrane(3, 2015, "3"), gone)
        assert [(c.identifiers.pmid, c.status) for c in found.candidates] == [("4", EvidenceStatus.WITHDRAWN)]
        assert "and withdrawn" in found.excluded[0].reason

    def test_an_older_version_of_the_round_before_goes_out_when_the_newer_is_found(self) -> None:
        first = run(cochrane(3, 2015, "3"))
        second = run(cochrane(4, 2019, "4"), previous=first.candidates, previous_counts=first.counts)
        assert [c.identifiers.pmid for c in second.candidates] == ["4"]
        assert (second.counts.identified, second.counts.excluded_superseded) == (2, 1)
        assert adds_up(second)

    def test_an_older_version_that_is_found_again_is_a_duplicate_and_counted_once(self) -> None:
        first = run(cochrane(3, 2015, "3"), cochrane(4, 2019, "4"))
        named = [
            ExcludedWork(
                candidate_id=one.work.candidate_id,
                identifiers=one.work.identifiers,
                reason=one.reason,
                kind=ExcludedKind.SUPERSEDED,
            )
            for one in first.excluded
        ]
        again = run(
            cochrane(3, 2015, "3"),
            previous=first.candidates,
            previous_counts=first.counts,
            previous_excluded=named,
        )
        assert (again.counts.excluded_superseded, again.counts.duplicates) == (1, 1)
        assert again.still_excluded == ()
        assert adds_up(again)

    def test_a_review_that_pubmed_links_to_a_newer_version_says_so_where_that_was_not_found(self) -> None:
        linked = (NoticeLink(kind="updated_by", pmid="4"),)
        old = cochrane(3, 2015, "3").model_copy(update={"links": linked})
        (line,) = run(old).degradations
        assert "Cochrane review 3 has a newer version that was not found: PMID 4" in line
        assert run(old, cochrane(4, 2019, "4")).degradations == ()


class TestCoPublished:
    def test_a_guideline_of_two_journals_is_one_work_with_all_its_identifiers(self) -> None:
        prints = (guideline("1", "Eur Heart J"), guideline("2", "Eur J Cardiothorac Surg", year=2022))
        for records in permutations(prints):
            found = run(*records)
            (work,) = found.candidates
            other = {"1": "2", "2": "1"}[work.identifiers.pmid or ""]
            assert work.links == (NoticeLink(kind="co_published_as", pmid=other, doi=f"10.1000/{other}"),)
            assert {place.source_id for place in work.provenance} == {"1", "2"}
            assert (found.counts.duplicates, found.counts.screened) == (1, 1)
            assert adds_up(found)

    def test_a_subtitle_that_only_names_who_made_it_makes_no_other_guideline(self) -> None:
        longer = f"{GUIDELINE}: Developed by the Task Force for the management of valvular heart disease"
        assert len(run(guideline("1", "Eur Heart J"), guideline("2", "EuroIntervention", title=longer)).candidates) == 1

    @pytest.mark.parametrize(
        ("title", "year", "journal"),
        [
            (GUIDELINE.replace("2021", "2017"), 2017, "Eur J Cardiothorac Surg"),
            (GUIDELINE.replace("valvular heart disease", "pericardial heart disease"), 2021, "Eur J Cardiothorac Surg"),
            (f"{GUIDELINE}: executive summary", 2021, "Eur J Cardiothorac Surg"),
            (GUIDELINE, 2024, "Eur J Cardiothorac Surg"),
            (GUIDELINE, 2022, "Eur Heart J"),
        ],
        ids=["another year", "another topic", "its summary", "years later", "the same journal"],
    )
    def test_other_guidelines_of_the_same_society_stay(self, title: str, year: int, journal: str) -> None:
        other = guideline("2", journal, title=title, year=year)
        assert len(run(guideline("1", "Eur Heart J"), other).candidates) == 2

    def test_parts_of_a_guideline_stay(self) -> None:
        first = guideline("1", "J One", title="Guidelines for the management of stroke: part 1")
        second = guideline("2", "J Two", title="Guidelines for the management of stroke: part 2")
        assert len(run(first, second).candidates) == 2

    def test_two_trials_of_one_title_stay(self) -> None:
        title = "A randomised trial of apixaban in valvular heart disease and atrial fibrillation"
        assert len(run(guideline("1", "J One", title=title), guideline("2", "J Two", title=title)).candidates) == 2

    def test_the_print_with_a_text_leads_and_a_retraction_of_any_counts(self) -> None:
        bare = guideline("1", "Eur Heart J", abstract=())
        retracted = guideline("2", "Eur J Cardiothorac Surg", status=EvidenceStatus.RETRACTED)
        (work,) = run(bare, retracted).candidates
        assert (work.identifiers.pmid, work.status) == ("2", EvidenceStatus.RETRACTED)
        assert abstract_text(work)

    def test_recommendations_of_another_print_come_along_with_whose_they_are(self) -> None:
        told = (Recommendation(text="Surgery is recommended.", strength="strong"),)
        first = guideline("1", "Eur Heart J", study_design=StudyDesign.GUIDELINE)
        second = guideline("2", "Eur J Cardiothorac Surg", abstract=(), recommendations=told)
        (work,) = run(first, second).candidates
        assert work.recommendations == told

    def test_a_second_round_keeps_the_name_and_finds_nothing_new(self) -> None:
        first = run(guideline("1", "Eur Heart J"), guideline("2", "Eur J Cardiothorac Surg", year=2022))
        (before,) = first.candidates
        for again_pmid, journal in (("1", "Eur Heart J"), ("2", "Eur J Cardiothorac Surg")):
            again = run(
                guideline(again_pmid, journal, year=2020 + int(again_pmid)),
                previous=first.candidates,
                previous_counts=first.counts,
            )
            (work,) = again.candidates
            assert (work.candidate_id, work.identifiers, work.links) == (
                before.candidate_id,
                before.identifiers,
                before.links,
            )
            assert adds_up(again)


def test_candidates_without_versions_or_prints_come_through_as_they_are() -> None:
    found: tuple[EvidenceCandidate, ...] = run(record("pubmed", pmid="9")).candidates
    assert [c.identifiers.pmid for c in found] == ["9"]
