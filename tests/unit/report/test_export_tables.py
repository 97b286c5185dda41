"""The tables: what a row says, and that a spreadsheet runs nothing of it."""

from __future__ import annotations

import csv
import io

import pytest
from openwork_contracts.answer import AnswerBody, AnswerDocument
from openwork_contracts.cells import CellPlace, ResultCell
from openwork_contracts.conclusion import ArmFigures, Conclusion, ConclusionVerdict, StudyResult
from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import (
    ArmResult,
    EffectEstimate,
    Measured,
    OutcomeResult,
    SourceStatus,
    StudyDesign,
    TextOrigin,
)
from openwork_contracts.record import Decision, RunRecord
from openwork_report.delimited import TABLES, csv_table
from openwork_report.evidence import MOST_RESULTS, Result, evidence_rows

from tests.exports import (
    ASKED,
    HOSTILE,
    NOT_ASKED,
    STUDIED,
    claim,
    document,
    hazard_ratio,
    planned,
    reference,
    searched,
    work,
)


def rows(found: AnswerDocument, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(csv_table(found, name), newline="")))


def studied(**changes: object) -> AnswerDocument:
    record = RunRecord(candidates=(work("pmid:1001", Decision.CITED, n=1, **(STUDIED | changes)),))
    return document(record=record)


def test_a_row_of_the_evidence_says_who_was_studied_what_was_compared_and_what_came_out() -> None:
    (row,) = rows(studied(), "evidence")
    assert {name: value for name, value in row.items() if name not in ("DOI", "NCT", "PMID", "status")} == {
        "n": "1",
        "study": "Granger 2011",
        "design": "randomised trial",
        "year": "2011",
        "people analysed": "18201",
        "who": "Adults with atrial fibrillation.",
        "compared": "apixaban v warfarin",
        "outcome": "stroke or systemic embolism, 1.8 years",
        "result": "212/9120 v 265/9081; HR 0.70 (95% CI 0.66 to 0.95), p = 0.01",
        "whose words": "the publication's own",
        "the answer rests on": "Apixaban lowered stroke.",
    }


def test_what_the_answer_object_holds_of_a_work_stands_in_its_row_and_not_its_other_results() -> None:
    arms = (ArmFigures(name="apixaban", n=9120, events=603), ArmFigures(name="warfarin", n=9081, events=669))
    lead = StudyResult(
        n=1, study="ARISTOTLE 2011", comparison=("apixaban", "warfarin"), outcome="death from any cause",
        people="aged 75 or older", arms=arms,
        effect=EffectEstimate(measure="HR", estimate=0.89, ci_low=0.80, ci_high=0.99),
    )  # fmt: skip
    found = studied().model_copy(update={"conclusion": Conclusion(verdict=ConclusionVerdict.BENEFIT, lead=lead)})
    (row,) = rows(found, "evidence")
    assert (row["compared"], row["outcome"]) == ("apixaban v warfarin", "death from any cause, aged 75 or older")
    assert row["result"].startswith("603 of 9,120 (6.6%) v 669 of 9,081 (7.4%), HR 0.89")


def test_there_is_a_row_for_each_cited_work_and_none_for_others() -> None:
    others = (work("pmid:1002", Decision.CITED), work("pmid:9", Decision.PASSAGE_CHOSEN))
    found = document(reference(2), reference(1), record=RunRecord(candidates=others))
    assert [row.n for row in evidence_rows(found)] == [1, 2]


def test_a_result_without_counts_says_so_in_a_single_study_alone() -> None:
    effect = EffectEstimate(measure="HR", estimate=0.8, ci_low=0.73, ci_high=0.87)
    results = (OutcomeResult(outcome="death", effect=effect),)
    assert evidence_rows(studied(results=results))[0].results[0].in_words == (
        "counts per arm not given; HR 0.80 (95% CI 0.73 to 0.87)"
    )
    pooled = studied(results=results).model_copy(
        update={"references": (reference(study_design=StudyDesign.META_ANALYSIS),)}
    )
    assert evidence_rows(pooled)[0].results[0].in_words == "HR 0.80 (95% CI 0.73 to 0.87)"


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (
            Measured(value=-9.25, kind="least squares mean", unit="mm Hg", dispersion="SE", spread=0.5),
            Measured(value=-1.5, kind="least squares mean", unit="mm Hg", dispersion="SE", spread=0.4),
            "least squares mean -9.25 (SE 0.5) v -1.5 (SE 0.4) mm Hg",
        ),
        (
            Measured(value=10, kind="median", unit="days", dispersion="95% CI", low=9, high=11),
            Measured(value=15, kind="median", unit="days"),
            "median 10 (95% CI 9 to 11) v 15 days",
        ),
        (Measured(value=10, kind="median", unit="days"), None, "counts per arm not given"),
    ],
)
def test_what_was_measured_stands_with_its_dispersion_arm_by_arm(
    first: Measured, second: Measured | None, words: str
) -> None:
    arms = (ArmResult(arm="a", n=10, measured=first), ArmResult(arm="b", n=10, measured=second))
    results = (OutcomeResult(outcome="change", arms=arms),)
    assert evidence_rows(studied(results=results))[0].results[0].in_words == words


def test_a_registration_of_a_hundred_results_says_how_many_are_not_in_its_row() -> None:
    results = tuple(OutcomeResult(outcome=f"event {n}") for n in range(MOST_RESULTS + 5))
    found = evidence_rows(studied(results=results))[0].results
    assert len(found) == MOST_RESULTS + 1
    assert (found[-1].outcome, found[-1].in_words) == ("further results of this record", "5, not listed here")


def test_a_study_without_fields_has_the_effects_that_claims_cite_and_no_other_number() -> None:
    percent = ResultCell(measure="percent", value="40", place=CellPlace(n=1))
    cells = (percent, hazard_ratio(1), hazard_ratio(1), hazard_ratio(2))
    answer = AnswerBody(markdown="x", claims=(claim(1, cells=cells),))
    (row,) = evidence_rows(document(answer=answer))
    assert row.results == (Result("as the cited words say", "HR 0.70 (95% CI 0.60 to 0.80), p <0.001"),)
    assert (row.sample_size, row.who, row.compared) == (None, None, ())


def test_our_own_summary_is_never_given_as_the_publications_words() -> None:
    (row,) = rows(document(reference(text_origin=TextOrigin.OUR_SUMMARY)), "evidence")
    assert row["whose words"] == "a summary by Open Work, not the publication's own"


def test_the_search_log_has_each_request_as_it_was_sent_with_its_step_hits_and_what_was_kept() -> None:
    kept = (work("a", Decision.CITED), work("b", Decision.WITHOUT_TEXT, screened=False))
    record = RunRecord(rounds=(planned(),), searches=(searched("pubmed", ASKED, NOT_ASKED),), candidates=kept)
    first, second = rows(document(record=record), "search")
    assert (first["source"], first["date"], first["step"], first["query as sent"]) == (
        "pubmed",
        "2026-01-02",
        "strict",
        "GET https://x/?term=%22a+b%22",
    )
    assert (first["hits"], first["read"], first["records of the search"], first["works kept of the source"]) == (
        "811",
        "9",
        "9",
        "1",
    )
    assert first["query, decoded"] == 'GET https://x/?term="a b"'
    assert second["outcome"] == "not asked: enough was found"
    assert (second["hits"], second["records of the search"], second["works kept of the source"]) == ("", "", "")


def test_columns_that_are_of_a_source_may_be_summed_over_rounds() -> None:
    searches = (searched("pubmed", ASKED), searched("pubmed", ASKED, round_=2))
    record = RunRecord(
        rounds=(planned(), planned(round_=2)), searches=searches, candidates=(work("a", Decision.CITED),)
    )
    found = rows(document(record=record), "search")
    assert [row["works kept of the source"] for row in found] == ["1", ""]
    assert [row["records of the search"] for row in found] == ["9", "9"]


def test_a_source_that_failed_is_a_row_with_the_reason() -> None:
    failed = searched("openalex", found=0).model_copy(
        update={"status": SourceStatus.FAILED, "reason": FailureReason.TIMEOUT, "message": None}
    )
    (row,) = rows(document(record=RunRecord(searches=(failed,))), "search")
    assert (row["outcome"], row["query as sent"]) == ("failed: timeout", "")


def test_every_work_that_is_not_cited_is_listed_with_its_reason() -> None:
    works = (
        work("a", Decision.CITED),
        work("b", Decision.BELOW_THRESHOLD),
        work("c", Decision.WITHOUT_TEXT, screened=False, reason="no title", title=""),
        work("d", Decision("newer_than_this")),
    )
    found = rows(document(record=RunRecord(candidates=works)), "excluded")
    assert [(row["title"], row["reason"], row["screened"]) for row in found] == [
        ("Work b", "ranked too low for the question", "yes"),
        ("", "no title", "no"),
        ("Work d", "newer than this", "yes"),
    ]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("name", TABLES)
def test_no_cell_is_a_formula_and_none_breaks_the_table(name: str, text: str) -> None:
    request = ASKED.model_copy(update={"request": text, "rung": text, "translation": text})
    works = (work("pmid:1001", Decision.CITED, population=text), work("x", Decision.FOUND, title=text, reason=text))
    record = RunRecord(rounds=(planned(),), searches=(searched("pubmed", request),), candidates=works)
    found = document(reference(title=text, journal=text, note=text, authors=(text,)), record=record)
    table = list(csv.reader(io.StringIO(csv_table(found, name), newline="")))
    assert len(table) == 2
    assert len({len(row) for row in table}) == 1
    assert not [cell for row in table for cell in row if cell.startswith(tuple("=+-@＝＋－＠\t\r"))]
    assert not [cell for row in table for cell in row if "\n" in cell or "\u202e" in cell]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_without_rows_is_its_header(name: str) -> None:
    empty = document(record=RunRecord()).model_copy(update={"references": ()})
    assert csv_table(empty, name).count("\r\n") == 1
