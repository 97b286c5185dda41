"""The starter library: facts that agree with each other, sentences that stand alone, and a search that finds them."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.evidence import TextOrigin
from openwork_contracts.question import QuestionAnalysis
from openwork_evidence.library.check import NOTED_TOLERANCE_LOG, TOLERANCE_LOG, check_records, recomputed
from openwork_evidence.library.confirmed import confirmed_at
from openwork_evidence.library.record import IMPORTED, LibraryRecord, LibraryResult, load_imported, load_shipped
from openwork_language.sentences import split_sentences
from openwork_query.domain.analysis import Rejection, analyse
from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.domain.library_index import LibraryIndex
from openwork_verifier.domain.checks.advice import check_advice

RECORDS = load_shipped()
INDEX = LibraryIndex([record.to_evidence() for record in RECORDS])
COUNTED = [(r, i) for r in RECORDS for i, result in enumerate(r.results) if recomputed(result) is not None]
BORROWED_SUBJECT = re.compile(
    r"^(?:(?:In|For|Of|Among|With)\s+)?(?:it|its|this|these|that|those|they|their|both|he|she|such|here|there"
    r"|the\s+(?:trial|study|authors?|investigators|drug|group|latter|former|result|difference)s?)\b",
    re.IGNORECASE,
)
"""What a sentence begins with whose subject stands in the one before: quoted alone it says nothing."""
ADVICE = re.compile(r"\b(?:should|must|ought to|you|your|we (?:recommend|advise|suggest))\b", re.IGNORECASE)


def sentences(record: LibraryRecord) -> Iterator[str]:
    for part in record.summary:
        yield from (sentence.text for sentence in split_sentences(part.text))


def is_guideline(record: LibraryRecord) -> bool:
    kinds = {"Practice Guideline", "Guideline", "Consensus Statement", "Consensus Development Conference"}
    return bool(kinds & set(record.publication_types)) or bool(record.recommendations)


def altered(record: LibraryRecord, place: int, result: LibraryResult) -> LibraryRecord:
    """The record with one of its results exchanged."""
    results = (*record.results[:place], result, *record.results[place + 1 :])
    return record.model_copy(update={"results": results})


def analysed(question: str) -> QuestionAnalysis:
    analysis = analyse(question, available_sources=["library"], current_year=2026)
    assert not isinstance(analysis, Rejection)
    return analysis


def test_every_record_passes_the_check() -> None:
    assert check_records(RECORDS) == []


def test_there_are_enough_records_over_enough_topics() -> None:
    topics = Counter(record.topic for record in RECORDS)
    assert len(RECORDS) >= 60
    assert len(topics) >= 8
    assert min(topics.values()) >= 3


@pytest.mark.parametrize(
    ("topic", "words"),
    [
        ("atrial-fibrillation", r"apixaban.*rivaroxaban|rivaroxaban.*apixaban"),
        ("atrial-fibrillation", r"chronic kidney disease"),
        ("type-2-diabetes", r"ICMR"),
        ("type-2-diabetes", r"RSSDI"),
        ("heart-failure", r"SGLT2|dapagliflozin|empagliflozin"),
        ("lipids", r"statin"),
        ("blood-pressure", r"120 mm ?Hg"),
        ("septic-shock", r"vasopressin"),
        ("septic-shock", r"norepinephrine"),
        ("aspirin-primary-prevention", r"aspirin"),
        ("omega-3", r"icosapent ethyl"),
        ("acute-coronary-syndrome", r"ticagrelor.*prasugrel|prasugrel.*ticagrelor"),
        ("acute-coronary-syndrome", r"Cardiological Society of India"),
        ("stroke", r"tenecteplase.*alteplase|alteplase.*tenecteplase"),
        ("stroke", r"intracerebral hemorrhage"),
        ("chronic-kidney-disease", r"finerenone"),
        ("chronic-kidney-disease", r"dialysis"),
    ],
)
def test_the_topics_that_are_promised_are_there(topic: str, words: str) -> None:
    texts = ["\n".join([r.title, *sentences(r)]) for r in RECORDS if r.topic == topic]
    assert any(re.search(words, text, re.IGNORECASE | re.DOTALL) for text in texts)


def test_no_two_records_are_the_same_publication() -> None:
    """A trial has one NCT number and may have several publications; the rest names one publication."""
    for name in ("key", "pmid", "pmcid", "doi", "title"):
        values = Counter(str(value).lower() for r in RECORDS if (value := getattr(r, name)))
        assert [value for value, n in values.items() if n > 1] == [], name


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.key)
def test_a_sentence_with_a_number_names_its_own_subject(record: LibraryRecord) -> None:
    """An answer quotes single sentences: one that begins with "It" would speak of nothing."""
    found = [s for s in sentences(record) if re.search(r"\d", s) and BORROWED_SUBJECT.match(s)]
    assert found == []


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.key)
def test_only_a_guideline_is_reported_to_advise(record: LibraryRecord) -> None:
    assert [s for s in sentences(record) if check_advice(s)] == []
    if not is_guideline(record):
        assert [s for s in sentences(record) if ADVICE.search(s)] == []


def test_most_relative_effects_carry_their_counts() -> None:
    """Otherwise nothing would be recomputed and the check would be empty."""
    assert len(COUNTED) >= 60


@pytest.mark.parametrize(("record", "place"), COUNTED, ids=lambda value: getattr(value, "key", str(value)))
def test_an_effect_follows_from_its_counts_or_says_why_not(record: LibraryRecord, place: int) -> None:
    result = record.results[place]
    crude = recomputed(result)
    assert crude is not None
    assert result.effect is not None
    deviation = abs(math.log(crude / result.effect.estimate))
    assert deviation <= (NOTED_TOLERANCE_LOG if result.recompute_note else TOLERANCE_LOG)


@given(st.sampled_from(COUNTED), st.sampled_from([0.5, 0.75, 1.35, 1.8]), st.integers(min_value=0, max_value=1))
def test_altered_counts_are_found(counted: tuple[LibraryRecord, int], factor: float, arm: int) -> None:
    """A wrong count, in either arm, whether or not a note is there to explain a difference."""
    record, place = counted
    result = record.results[place]
    arms = list(result.arms)
    n, events = arms[arm].n or 0, arms[arm].events or 0
    wrong = max(1, min(n - 1, round(events * factor)))
    if abs(math.log(wrong / events)) < TOLERANCE_LOG + NOTED_TOLERANCE_LOG:
        return  # so few events that the factor moved nothing, or nearly everybody had one
    arms[arm] = arms[arm].model_copy(update={"events": wrong})
    found = check_records([altered(record, place, result.model_copy(update={"arms": tuple(arms)}))])
    before = recomputed(result)
    assert before is not None
    assert result.effect is not None
    towards = abs(math.log(before / result.effect.estimate))
    assert found or towards > TOLERANCE_LOG, (record.key, result.outcome)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"estimate": 2.5}, "lies outside"),
        ({"estimate": 0.5, "ci_low": None, "ci_high": None}, "the counts give"),
    ],
)
def test_an_altered_effect_is_found(change: dict[str, object], words: str) -> None:
    record, place = next((r, i) for r, i in COUNTED if r.key == "aspree-cvd-bleeding-2018")
    result = record.results[place]
    assert result.effect is not None
    wrong = result.model_copy(update={"effect": result.effect.model_copy(update=change)})
    (finding,) = [f for f in check_records([altered(record, place, wrong)]) if words in f]
    assert finding.startswith(f"{record.key}: {result.outcome}")


def test_more_events_than_people_are_found() -> None:
    record, place = COUNTED[0]
    result = record.results[place]
    first = result.arms[0].model_copy(update={"events": (result.arms[0].n or 0) + 1})
    wrong = result.model_copy(update={"arms": (first, *result.arms[1:])})
    assert any("events in" in finding for finding in check_records([altered(record, place, wrong)]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pmid": "PMC123"}, "is not digits"),
        ({"pmid": "999999999"}, "disagree"),
        ({"confirmed_in": ()}, "confirmed"),
        ({"pmid": None, "doi": None, "url": None}, "no identifier"),
    ],
)
def test_a_record_without_what_makes_it_checkable_is_found(change: dict[str, object], words: str) -> None:
    record = next(r for r in RECORDS if r.pmid and r.url and "pubmed" in r.url)
    assert any(words in finding for finding in check_records([record.model_copy(update=change)]))


def test_a_record_that_is_there_twice_is_found() -> None:
    record = next(r for r in RECORDS if r.pmid)
    assert len(check_records([record, record])) == 2


def test_a_class_of_drugs_finds_the_trials_of_its_members() -> None:
    """REDUCE-IT tested icosapent ethyl: the question says omega-3."""
    found = INDEX.search(analysed("Do omega-3 fatty acids reduce major cardiovascular events?"), 20)
    assert any(record.source_id.startswith("reduce-it") for record in found)


@pytest.mark.parametrize(
    "question",
    [
        "Ocrelizumab versus rituximab in relapsing multiple sclerosis?",
        "Does sumatriptan relieve acute migraine?",
        "Is cognitive behavioural therapy effective for insomnia?",
    ],
)
def test_nothing_is_found_for_a_topic_that_is_not_there(question: str) -> None:
    assert INDEX.search(analysed(question), 20) == ()


def test_the_best_record_comes_first_and_no_more_than_were_asked_for() -> None:
    analysis = analysed("Does apixaban lower stroke compared with warfarin in atrial fibrillation?")
    found = INDEX.search(analysis, 5)
    assert len(found) == 5
    assert any(record.source_id.startswith("aristotle") for record in found)
    assert INDEX.search(analysis, 60)[:5] == found


def test_an_empty_library_finds_nothing() -> None:
    assert LibraryIndex([]).search(analysed("Does apixaban lower stroke in atrial fibrillation?"), 5) == ()


def test_an_import_is_found_without_a_restart(tmp_path: Path) -> None:
    source = LibrarySource(tmp_path)
    first = source.index
    assert source.index is first
    record = load_shipped()[0].to_evidence()
    (tmp_path / IMPORTED).write_text(record.model_dump_json() + "\n", encoding="utf-8")
    assert source.index is not first


def test_every_record_of_the_starter_library_is_a_summary_of_ours_and_says_where_it_was_confirmed() -> None:
    assert {record.to_evidence().text_origin for record in RECORDS} == {TextOrigin.OUR_SUMMARY}
    for record in RECORDS:
        said = confirmed_at(record.key)
        assert said is not None
        assert len(said) < 120
        (named, *_) = re.split(r" \.\.\.| and \d+ other places?$", said)
        assert any(place.reference.startswith(named) for place in record.confirmed_in), said


def test_the_place_that_is_named_is_the_one_nearest_to_the_publication() -> None:
    """A copy at second hand stands for a record only where there is nothing nearer."""
    for record in RECORDS:
        said = confirmed_at(record.key)
        assert said is not None
        if "secondary source" in said:
            assert all("secondary source" in p.reference or "repository" in p.reference for p in record.confirmed_in)


def test_what_is_no_record_of_the_library_was_confirmed_nowhere() -> None:
    assert confirmed_at("21870978") is None


def test_a_record_imported_before_records_said_whose_words_they_are_is_a_document_of_the_askers(tmp_path: Path) -> None:
    of_pubmed = {"source": "library", "source_id": "1", "title": "T", "retrieved_at": "2026-01-01T00:00:00Z"}
    lines = [of_pubmed, of_pubmed | {"text_origin": "publisher"}]
    (tmp_path / IMPORTED).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    origins = [record.text_origin for record in load_imported(tmp_path)]
    assert origins == [TextOrigin.USER_DOCUMENT, TextOrigin.PUBLISHER]
