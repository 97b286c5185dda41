"""The source `guidelines`: the asked country's first, then international; superseded editions last, and marked."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from openwork_contracts.errors import SourceUnavailable, UsageError
from openwork_contracts.evidence import EvidenceRecord, Identifiers, Recommendation, StudyDesign, TextOrigin
from openwork_contracts.guidance import INTERNATIONAL, GuidanceAsked, GuidelineFacts
from openwork_contracts.question import QuestionAnalysis
from openwork_evidence.guidelines.check import MOST, check_starter
from openwork_evidence.guidelines.editions import editions, superseded_by
from openwork_evidence.guidelines.facts import facts_of, place_of
from openwork_evidence.guidelines.record import IMPORTED, starter
from openwork_language.searching.ladder import strategy_of
from openwork_query.domain.analysis import analyse
from openwork_retrievers.adapters.guidelines import GuidelinesSource
from openwork_retrievers.adapters.ncbi.query import asked_guidance
from openwork_retrievers.domain.guideline_index import GuidelineIndex
from openwork_retrievers.domain.source import Found, Search

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def asked(question: str) -> QuestionAnalysis:
    found = analyse(question, available_sources=("guidelines",), current_year=2026)
    assert isinstance(found, QuestionAnalysis)
    return found


def search(question: str, limit: int = 20) -> Search:
    analysis = asked(question)
    return Search("guidelines", analysis, strategy_of(analysis), limit, NOW)


def guideline(body: str, country: str | None, year: int, text: str, superseded: str | None = None) -> EvidenceRecord:
    return EvidenceRecord(
        source="guidelines",
        source_id=f"{body} {year}",
        identifiers=Identifiers(doi=f"10.1234/{body}.{year}".lower()),
        title=f"{body} guideline on septic shock {year}",
        year=year,
        study_design=StudyDesign.GUIDELINE,
        recommendations=(Recommendation(text=text),),
        text_origin=TextOrigin.PUBLISHER,
        retrieved_at=NOW,
        guideline=GuidelineFacts(
            organisation=body, bodies=(body,), country=country, year=year, superseded_by=superseded
        ),
    )


TEXT = "Norepinephrine is the first vasopressor for adults with septic shock."
THREE = (
    guideline("AAA", "US", 2024, TEXT),
    guideline("BBB", INTERNATIONAL, 2021, TEXT),
    guideline("CCC", "IN", 2019, TEXT),
)


def found_by(question: str, *records: EvidenceRecord) -> list[tuple[str, int]]:
    hits = GuidelineIndex(records).search(asked(question), 10)
    return [(hit.record.source_id, hit.place) for hit in hits]


def test_the_asked_country_goes_first_then_international_then_others() -> None:
    assert found_by("First-line vasopressor in septic shock in India?", *THREE) == [
        ("CCC 2019", 0),
        ("BBB 2021", 1),
        ("AAA 2024", 2),
    ]


def test_without_a_country_all_are_of_one_place() -> None:
    assert {place for _, place in found_by("First-line vasopressor in septic shock?", *THREE)} == {0}


def test_a_superseded_edition_comes_after_the_current_one_unless_its_year_is_asked_for() -> None:
    old, new = guideline("AAA", "US", 2016, TEXT, "AAA 2024"), THREE[0]
    assert [name for name, _ in found_by("First-line vasopressor in septic shock?", old, new)] == [
        "AAA 2024",
        "AAA 2016",
    ]
    hits = GuidelineIndex([old, new]).search(asked("First-line vasopressor in septic shock in the 2016 guideline?"), 10)
    assert not any(hit.superseded for hit in hits)


def test_one_record_a_guideline_with_what_matched_first() -> None:
    other = Recommendation(text="Mean arterial pressure of 65 mm Hg is the initial target.", number="9")
    record = THREE[0].model_copy(update={"recommendations": (other, *THREE[0].recommendations)})
    (hit,) = GuidelineIndex([record]).search(asked("Is norepinephrine the first vasopressor in septic shock?"), 10)
    assert [one.text for one in hit.record.recommendations] == [TEXT, other.text]


async def test_without_a_network_the_stored_ones_answer_and_nothing_is_lost() -> None:
    found = await GuidelinesSource().search(search("First-line drug for type 2 diabetes in India?"))
    assert found.records[0].guideline is not None
    assert found.records[0].guideline.country == "IN"
    assert found.degradations == ()
    (log,) = found.search_log
    assert "IN, then " in log.request
    assert log.warnings[0].endswith("of those asked for")


class Away:
    """PubMed that is never reached."""

    route = "guidelines"

    def __init__(self) -> None:
        self.asked = 0

    async def search(self, request: Search) -> Found:
        self.asked += 1
        raise SourceUnavailable("no route to host")


async def test_pubmed_out_of_reach_is_told_and_the_stored_ones_still_answer() -> None:
    away = Away()
    found = await GuidelinesSource(live=away).search(search("First-line drug for type 2 diabetes in India?"))
    assert found.records
    (told,) = found.degradations
    assert "not reached" in told
    assert "no route to host" in told


async def test_pubmed_is_asked_only_where_a_country_or_a_body_is() -> None:
    away = Away()
    await GuidelinesSource(live=away).search(search("First-line drug for type 2 diabetes?"))
    assert away.asked == 0
    await GuidelinesSource(live=away).search(search("What does NICE recommend for type 2 diabetes?"))
    assert away.asked == 1


async def test_an_import_is_found_without_a_restart_and_a_broken_file_is_told(tmp_path: Path) -> None:
    source = GuidelinesSource(tmp_path)
    question = search("First-line vasopressor in septic shock in India?")
    assert "CCC 2019" not in {record.source_id for record in (await source.search(question)).records}
    (tmp_path / IMPORTED).write_text(THREE[2].model_dump_json() + "\n", encoding="utf-8")
    assert (await source.search(question)).records[0].source_id == "CCC 2019"
    (tmp_path / IMPORTED).write_text(json.dumps({"source": "guidelines"}) + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"guidelines\.jsonl"):
        await source.search(question)


async def test_no_more_than_asked_for() -> None:
    found = await GuidelinesSource().search(replace(search("Treatment of type 2 diabetes?"), limit=1))
    assert len(found.records) == 1


def test_pubmed_gets_bodies_by_their_names_and_countries_by_theirs() -> None:
    text = asked_guidance(GuidanceAsked(countries=("IN",), bodies=("RSSDI",)))
    assert '"India"[ti]' in text
    assert '"India"[ad]' in text
    assert '"Indian"[ti]' in text
    assert "Research Society for the Study of Diabetes in India" in text
    assert asked_guidance(None) == ""
    assert asked_guidance(GuidanceAsked(countries=(INTERNATIONAL,))) == ""


def test_the_starter_set_has_no_findings_and_no_more_than_its_size() -> None:
    assert check_starter(starter()) == []
    assert sum(len(one.recommendations) for one in starter()) <= MOST


def test_what_a_title_says_of_a_guideline() -> None:
    facts = facts_of("2024 ESC Guidelines for the management of elevated blood pressure and hypertension", None, 2024)
    assert (facts.bodies, facts.country, facts.year) == (("ESC",), "EU", 2024)
    assert place_of(facts, ("EU",)) == 0
    assert place_of(facts, ("IN",)) == 2
    assert place_of(None, ()) == 0


def test_a_listed_old_edition_names_the_one_in_its_place() -> None:
    assert editions()
    assert superseded_by(Identifiers(pmid="34599691")) == "SSC 2026"
    assert superseded_by(Identifiers(pmid="1")) is None
