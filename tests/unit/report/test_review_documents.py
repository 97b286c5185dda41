"""A review as tables, references, documents and files: everything is said, once, and nothing of a text is obeyed."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from openwork_contracts.cells import CellPlace
from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import StudyDesign, TextOrigin
from openwork_contracts.extraction import ArmCells
from openwork_contracts.tabulation import NotPooled
from openwork_report.bibliography.ris import ris
from openwork_report.delimited import ONLY_OF_A_REVIEW, csv_table, tables_of
from openwork_report.formats import FORMATS, Choices, FigureName
from openwork_report.review.computed import formulae
from openwork_report.review.files import review_files
from openwork_report.review.references import cited
from openwork_report.review.summary import effect_of, people_of, studies_of
from openwork_report.review.words import holds_number, place_words, words_of_cell
from openwork_report.whole.as_html import html
from openwork_report.whole.as_markdown import markdown

from tests.exports import HOSTILE, full
from tests.reviews import SENTENCE, cell, extracted, pooled, review, reviewed, study
from tests.unit.report.test_whole_document import Page

PARTS = (
    "Summary",
    "Outcomes",
    "What speaks against it",
    "Studies",
    "Flow of records",
    "Limits",
    "References: the studies that were read",
    "How this came about",
)


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(csv_table(reviewed(), name), newline="")))


# --- tables -----------------------------------------------------------------------------------------------------------


def test_every_number_has_a_row_with_its_words_place_and_marks() -> None:
    found = rows("cells")
    assert len(found) == 6  # two arms with people and events, their effect; another effect
    events, effect = found[1], found[4]
    wanted = {
        "study": "TRIAL-1 2019", "comparison": "dapagliflozin v placebo", "arm": "dapagliflozin", "what": "events",
        "value": "276", "outcome": "death from any cause", "time": "18 months", "words": SENTENCE,
        "place": "section “Results > Outcomes”; characters 33 to 36", "the words hold the number": "yes",
        "marks": "percent: 276 of 2373 is 11.6%, printed 12.6%", "whose words": "the publication's own",
    }  # fmt: skip
    assert {name: events[name] for name in wanted} == wanted
    assert (effect["value"], effect["low"], effect["high"], effect["p"]) == ("0.83", "0.71", "0.97", "0.02")


def test_a_cell_of_a_table_says_its_row_and_column_and_nothing_of_its_words() -> None:
    people = rows("cells")[2]
    assert people["place"] == "Table 2; row “Outcomes > Death”; column “Placebo > n”"
    assert people["the words hold the number"] == ""


def test_a_number_that_is_not_in_its_words_says_so() -> None:
    assert rows("cells")[3]["the words hold the number"] == "no"
    assert "not in these words" in words_of_cell(cell("329"))
    assert words_of_cell(cell("276")) == SENTENCE
    assert holds_number(cell("2,373")) is True


def test_a_place_that_nobody_told_is_no_place() -> None:
    for place in (None, CellPlace()):
        assert place_words(cell("329", place=place)) == "where it stands is not told"
        assert place_words(cell("276", place=place)) == "in these words"


def test_screening_has_a_row_for_each_search_and_a_missing_decision_says_so() -> None:
    found = rows("screening")
    assert [(one["record"], one["track"], one["decision"]) for one in found] == [
        ("pmid:1", "affirmative", "included"),
        ("pmid:1", "falsification", "included"),
        ("pmid:2", "affirmative", "unsure"),
        ("pmid:6", "affirmative", "excluded"),
        ("pmid:6", "falsification", "excluded"),
        ("pmid:7", "falsification", "no decision in time; counts as unsure"),
    ]
    assert {one["record"] for one in rows("excluded")} == {"pmid:6"}


def test_the_evidence_of_a_review_is_its_studies() -> None:
    first, _, third = rows("evidence")
    assert first["result"] == "276/2373 v 329/2371; HR 0.83 (95% CI 0.71 to 0.97), p = 0.02"
    assert first["read"] == "full text (pmc, CC BY)"
    assert third["read"] == "not read: nothing came in time"
    assert [(one["variable"], one["state"]) for one in rows("variables")] == [
        ("attrition", "found"),
        ("blinding", "not reported"),
    ]


def test_an_answer_has_no_tables_of_a_review() -> None:
    assert not set(ONLY_OF_A_REVIEW) & set(tables_of(full()))
    with pytest.raises(KeyError):
        csv_table(full(), "cells")


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("name", [*ONLY_OF_A_REVIEW, "evidence", "excluded", "references"])
def test_no_cell_of_a_review_is_a_formula_and_none_breaks_the_table(name: str, text: str) -> None:
    table = list(csv.reader(io.StringIO(csv_table(reviewed(text), name), newline="")))
    assert len(table) == len(rows(name)) + 1
    assert len({len(one) for one in table}) == 1
    assert not [one for line in table for one in line if one.startswith(tuple("=+-@＝＋－＠\t\r"))]


# --- references -------------------------------------------------------------------------------------------------------


def test_references_of_a_review_are_its_studies_in_the_order_of_reading() -> None:
    found = cited(reviewed()).references
    assert [(one.n, one.pmid, one.nct_id) for one in found] == [(n, str(n), f"NCT0000000{n}") for n in (1, 2, 3)]
    assert found[0].text_origin is TextOrigin.PUBLISHER
    assert found[2].note == "no result was read out of it"
    assert ris(cited(reviewed())).count("TY  - JOUR") == 3


def test_a_summary_of_ours_among_a_studys_cells_is_said_with_its_reference() -> None:
    mixed = (extracted(), extracted(text_origin=TextOrigin.OUR_SUMMARY))
    (one,) = cited(reviewed(review=review(studies=(study(1, *mixed),)))).references
    assert one.text_origin is TextOrigin.OUR_SUMMARY


def test_an_answer_keeps_its_references() -> None:
    assert cited(full()) is full() or cited(full()).references == full().references


# --- documents --------------------------------------------------------------------------------------------------------


def test_both_documents_have_all_parts_in_the_order_in_which_they_are_read() -> None:
    assert re.findall(r"^## (.*)", markdown(reviewed()), re.MULTILINE) == list(PARTS)
    assert re.findall(r"<h2[^>]*>(.*?)</h2", html(reviewed())) == list(PARTS)


@pytest.mark.parametrize("write", [markdown, html])
def test_numbers_words_and_reasons_stand_in_it(write: object) -> None:
    assert callable(write)
    words = re.sub(r"<[^>]+>|\\", " ", write(cited(reviewed())))
    for wanted in (
        "Death from any cause: risk ratio 0.80.",
        "RR 0.80 (95 % CI 0.74 to 0.86)",
        SENTENCE,
        "Table 2; row “Outcomes > Death”" if write is markdown else "Table 2; row “Outcomes &gt; Death”",
        "names no heart failure",
        "dapagliflozin AND adverse effects[sh]",
        "retracted",
        "TRIAL-4 2019, TRIAL-5 2019",
        "Mark: death from any cause: 276 of 2373 is 11.6%",
        "Risk of bias was not assessed.",
        "3% left",
        "not reported: the text was read and does not say it",
    ):
        assert wanted in words, wanted


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_a_text(text: str) -> None:
    page = Page(html(cited(reviewed(text))))
    assert {tag for tag, _ in page.tags} <= ALLOWED
    assert all(str(link.get("href", "#")).startswith(("#", "https://")) for link in page.named("a"))


ALLOWED = {
    "a", "body", "caption", "details", "div", "em", "figcaption", "figure", "footer", "h1", "h2", "h3", "head",
    "header", "html", "li", "line", "main", "meta", "nav", "ol", "p", "polygon", "rect", "section", "strong", "style",
    "summary", "svg", "table", "tbody", "td", "text", "th", "thead", "title", "tr", "ul", "desc", "code",
}  # fmt: skip


def test_that_no_harm_and_no_signal_was_found_is_said() -> None:
    made = review(outcomes=(pooled(),), signals=(), studies=(study(1, extracted()),))
    text = markdown(reviewed(review=made))
    assert "that none is reported is not that there is none" in text
    assert "No notice, letter or registration without results was found." in text
    assert "found no study that the other did not find" in text


def test_a_document_without_its_record_says_what_is_missing() -> None:
    text = markdown(reviewed(recorded=False))
    assert "`openwork review show RUN_ID --out FOLDER`" in text
    assert "Searches as they were sent" not in text


def test_only_formulae_that_were_used_are_named_with_their_sources() -> None:
    told = " ".join(formulae([pooled()]))
    for wanted in ("Katz 1978", "Viechtbauer 2005", "Hartung and Knapp", "Higgins 2009", "DerSimonian and Laird"):
        assert wanted in told
    assert "Peto" not in told
    assert (
        formulae([pooled(pooled=None, rows=(), model=None, prediction=None, compared=None, i2=None, absolute=None)])
        == ()
    )


# --- formats and files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [one for one in FORMATS if not FORMATS[one].is_binary])
def test_every_text_format_writes_a_review(name: str) -> None:
    made = FORMATS[name].write(reviewed(), Choices())
    assert isinstance(made, str)
    assert made.strip()


@pytest.mark.slow
@pytest.mark.parametrize("name", [one for one in FORMATS if FORMATS[one].is_binary])
def test_every_binary_format_writes_a_review(name: str) -> None:
    assert isinstance(FORMATS[name].write(reviewed(), Choices()), bytes)


def test_a_forest_plot_of_a_review_is_chosen_by_its_number() -> None:
    second = FORMATS["svg"].write(reviewed(), Choices(figure=FigureName.FOREST, part=2))
    assert "Diabetic ketoacidosis" in str(second)
    with pytest.raises(UsageError, match="this run has 2 forest plots; there is no number 3"):
        FORMATS["svg"].write(reviewed(), Choices(figure=FigureName.FOREST, part=3))
    with pytest.raises(UsageError, match="no outcome of this review has two studies"):
        FORMATS["svg"].write(reviewed(review=review(outcomes=())), Choices(figure=FigureName.FOREST))


def test_the_files_are_there_by_their_names_and_the_data_can_be_read() -> None:
    files = review_files(reviewed())
    names = ("lead.md", "counter.md", "audit.md", "math.md")
    data = ("strategy_aff.json", "strategy_neg.json", "screening.json", "sources.json")
    wanted = [f"deep_research_{name}" for name in (*names, *data)]
    wanted += ["studies.csv", "cells.csv", "screening.csv", "variables.csv", "references.ris", "references.bib"]
    assert list(files) == [*wanted, "flow.svg", "forest_1.svg", "forest_2.svg", "review.html"]
    parsed = {name: json.loads(files[f"deep_research_{name}"]) for name in data}
    assert parsed["screening.json"]["adds_up"] is True
    assert [one["track"] for one in parsed["strategy_neg.json"]["searches"]] == ["falsification"]
    assert [one["track"] for one in parsed["strategy_aff.json"]["searches"]] == ["affirmative"]
    assert [one["name"] for one in parsed["sources.json"]["never_read"]] == ["TRIAL-4 2019", "TRIAL-5 2019"]


def test_each_text_has_its_own_part_of_the_review() -> None:
    files = review_files(reviewed())
    assert "diabetic ketoacidosis" in files["deep_research_counter.md"]
    assert SENTENCE in files["deep_research_lead.md"]
    assert "names no heart failure" in files["deep_research_audit.md"]
    assert "Pooled without it" in files["deep_research_math.md"]


def test_files_of_a_run_that_is_no_review_are_refused_with_what_makes_one() -> None:
    with pytest.raises(UsageError, match="`openwork review` makes one"):
        review_files(full())


def test_a_design_that_has_no_label_leaves_its_place_empty() -> None:
    other = study(1, work=study(1).work.model_copy(update={"study_design": StudyDesign.OTHER}))
    found = csv_table(reviewed(review=review(studies=(other,))), "evidence")
    assert next(csv.DictReader(io.StringIO(found, newline="")))["design"] == ""


def test_where_no_effect_can_be_computed_the_figures_stand_as_they_are_reported() -> None:
    arms = tuple(
        ArmCells(arm=name, percent=cell(value, measure="percent")) for name, value in (("a", "11"), ("b", "17"))
    )
    figures = [extracted(arms=arms, effect=None), extracted(arms=arms[:1], effect=None)]
    left = tuple(
        NotPooled(study_id=f"NCT{n:08}", study=f"TRIAL-{n} 2019", result=0, reason="no counts") for n in (1, 2, 3)
    )
    one = pooled().model_copy(update={"rows": (), "pooled": None, "not_pooled": left})
    told = review(studies=(study(1, figures[0]), study(2, figures[1]), study(3)))
    assert effect_of(one, told) == "no effect computed; as reported: TRIAL-1 2019 11% v 17%"
    assert (studies_of(one), people_of(one)) == (3, "")
    silent = one.model_copy(update={"not_pooled": left[1:]})
    assert effect_of(silent, told) == "no effect computed"
