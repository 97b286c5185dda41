"""A review's page: summary first, each number beside its words, every record with its decision, a filter."""

from __future__ import annotations

import re

import pytest
from openwork_api.pages.views.progress import (
    REVIEW_STEP_OF,
    REVIEW_STEPS,
    progress_view,
    step_at_work,
    words_of_progress,
)
from openwork_api.pages.views.screening import Filters, screening_view
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.extraction import ExtractedResult
from openwork_contracts.progress import Progress
from openwork_contracts.question import Track
from openwork_contracts.screening import ScreeningOutcome

from tests.exports import AT, RUN
from tests.memory_asker import MemoryAsker, api_client
from tests.reviews import SENTENCE, extracted, review, reviewed, screened, study
from tests.unit.api.pages.made import Read, answered, page_of

REVIEW = reviewed()


async def text_of(path: str = "", document: AnswerDocument = REVIEW) -> str:
    return Read(await page_of(document, f"/runs/{RUN}{path}")).text


async def test_a_review_reads_in_the_order_in_which_it_is_to_be_understood() -> None:
    text = await text_of()
    place = 0
    for part in (
        "Does dapagliflozin", "Deep review", "16 records were found", "Limits", "Risk of bias was not", "Outcomes",
        "Forest plots", "What speaks against it", "Signals", "Studies", "TRIAL-1 2019", "Flow of records",
        "References", "How this came about", "Searches as they were sent",
    ):  # fmt: skip
        place = text.index(part, place)


async def test_each_number_opens_its_words_and_where_they_stand_without_script() -> None:
    html = await page_of(REVIEW, f"/runs/{RUN}")
    cells = re.findall(r'<details class="num"><summary>(.*?)</summary><div class="num-in">(.*?)</div>', html)
    told = {re.sub(r"<[^>]+>", "", summary): re.sub(r"<[^>]+>", " ", inside) for summary, inside in cells}
    assert SENTENCE in told["events 276"]
    assert "section “Results &gt; Outcomes”; characters 33 to 36" in told["events 276"]
    assert "Table 2; row “Outcomes &gt; Death”; column “Placebo &gt; n”" in told["people 2371"]
    assert "not in these words" in told["events 329"]
    assert "HR 0.83 (95% CI 0.71 to 0.97), p = 0.02" in told


async def test_what_a_study_says_of_itself_is_shown_with_its_words_or_with_why_not() -> None:
    text = await text_of()
    assert "How it was made: 1 of 2 variables found" in text
    assert "attrition 3% “3% left”" in text
    assert "blinding not reported: the text was read and does not say it" in text


async def test_an_outcome_leads_to_its_plot_and_a_plot_has_words() -> None:
    read = Read(await page_of(REVIEW, f"/runs/{RUN}"))
    assert [one["href"] for one in read.all("a") if str(one.get("href")).startswith("#forest-")][:2] == [
        "#forest-1",
        "#forest-2",
    ]
    assert "Heterogeneity: Q = 1.50" in read.text
    assert len(read.all("svg")) > 3


async def test_what_was_left_out_and_what_was_never_read_is_said() -> None:
    text = await text_of()
    assert "OTHER 2020: another time window" in text
    assert "TRIAL-4 2019, TRIAL-5 2019" in text
    assert "not read: nothing came in time" in text
    assert "Mark: 276 of 2373 is 11.6%, printed 12.6%" in text


async def test_the_result_that_is_nearest_to_the_question_is_shown_and_the_others_are_folded() -> None:
    other = ExtractedResult.model_validate({**extracted("stroke").model_dump(), "outcome_fit": "other"})
    made = reviewed(review=review(studies=(study(1, other, extracted()),)))
    text = await text_of(document=made)
    assert text.index("death from any cause 18 months") < text.index("1 more result") < text.index("stroke 18 months")


async def test_a_review_without_harms_signals_or_studies_says_so_and_has_no_empty_parts() -> None:
    bare = review(outcomes=(), signals=(), studies=(), never_read=(), limits=())
    text = await text_of(document=reviewed(review=bare, status=RunStatus.TOO_LITTLE_EVIDENCE))
    assert "that none is reported is not that there is none" in text
    assert "No notice, letter or registration" in text
    for part in ("Forest plots", "References", "Limits"):
        assert part not in text


async def test_all_files_and_every_format_can_be_taken_from_the_page() -> None:
    addresses = {str(one["href"]) for one in Read(await page_of(REVIEW, f"/runs/{RUN}")).all("a")}
    for name in ("review", "ris", "csv", "pdf", "svg?figure=prisma", "svg?figure=forest&part=2"):
        assert f"/api/v1/runs/{RUN}/export/{name}" in addresses


# --- screening --------------------------------------------------------------------------------------------------------


async def test_the_screening_page_has_each_record_with_its_decision_and_reason() -> None:
    text = await text_of("/screening")
    assert "4 of 4 records" in text
    assert "Excluded (population) names no heart failure search for an effect and search for what speaks" in text
    assert "No decision in time; counts as unsure" in text
    assert "“Trial 6”" in text


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (Filters(), ["1", "2", "6", "7"]),
        (Filters(decision="exclude"), ["6"]),
        (Filters(decision="none"), ["7"]),
        (Filters(track="falsification"), ["1", "6", "7"]),
        (Filters(decision="unsure", track="falsification"), []),
        (Filters(criterion="population"), ["6"]),
        (Filters(text="HEART failure"), ["1", "2", "6", "7"]),
        (Filters(text="names no"), ["6"]),
        (Filters(text="author2"), ["2"]),
        (Filters(decision="of a newer page"), []),
    ],
)
def test_the_list_is_narrowed_by_decision_search_criterion_and_words(filters: Filters, found: list[str]) -> None:
    view = screening_view(REVIEW, filters)
    assert [record.title.split()[1] for record in view.records] == found
    assert (view.n_fit, view.n_all) == (len(found), 4)


def test_searches_that_decide_otherwise_are_told_each_by_itself() -> None:
    one = screened(1, ScreeningOutcome.INCLUDE, Track.AFFIRMATIVE)
    other = screened(1, ScreeningOutcome.EXCLUDE, Track.FALSIFICATION)
    both = one.model_copy(update={"decisions": (*one.decisions, *other.decisions)})
    (record,) = screening_view(reviewed(review=review(screened=(both,))), Filters()).records
    assert [(told.tracks, told.decision) for told in record.decisions] == [
        ("search for an effect", "included"),
        ("search for what speaks against it", "excluded"),
    ]


def test_a_long_list_has_pages_that_keep_the_filter() -> None:
    many = tuple(screened(n, ScreeningOutcome.EXCLUDE) for n in range(1, 121))
    view = screening_view(reviewed(review=review(screened=many)), Filters(decision="exclude", page=2))
    assert (view.first, len(view.records)) == (51, 50)
    assert view.after == f"/runs/{RUN}/screening?decision=exclude&page=3"


async def test_an_answer_has_no_screening_page() -> None:
    text = await text_of("/screening", answered())
    assert "nothing was screened" in text


# --- asking and waiting -----------------------------------------------------------------------------------------------


async def test_a_review_can_be_chosen_where_a_question_is_asked() -> None:
    async with api_client(MemoryAsker()) as client:
        read = Read((await client.get("/", headers={"Accept": "text/html"})).text)
    kinds = [one for one in read.all("input") if one.get("type") == "radio"]
    assert [(one["value"], "checked" in one) for one in kinds] == [("answer", True), ("review", False)]
    assert [one["max"] for one in read.all("input") if one.get("name") == "max_studies"] == ["200"]


def progress(step: str, **changes: object) -> Progress:
    return Progress.model_validate({"run_id": RUN, "service": "x", "step": step, "at": AT} | changes)


def test_a_review_that_goes_on_has_its_five_steps_with_their_counts() -> None:
    running = reviewed(status=RunStatus.RUNNING, review=None)
    view = progress_view(running, progress("screen records", counts={"screened": 60, "excluded": 41}))
    assert [(step.key, step.state) for step in view.steps] == [
        ("strategy", "done"),
        ("search", "done"),
        ("screen", "now"),
        ("extract", "waiting"),
        ("effects", "waiting"),
    ]
    assert [(one.words, one.n) for one in view.steps[2].counts][:2] == [("screened", 60), ("excluded", 41)]


def test_how_many_studies_are_read_is_told_while_they_are() -> None:
    running = reviewed(status=RunStatus.RUNNING, review=None)
    assert progress_view(running, progress("extract studies", done=3, total=19)).done == "3 of 19 studies"
    assert progress_view(running, progress("rank documents", done=3, total=19)).done == ""


def test_what_is_told_of_a_review_leads_to_a_step_of_its_own() -> None:
    keys = [key for key, _, _ in REVIEW_STEPS]
    assert set(REVIEW_STEP_OF.values()) <= set(keys)
    assert words_of_progress((), "review")["steps"] == REVIEW_STEP_OF
    assert step_at_work(None, "review") == "strategy"
    assert step_at_work(progress("search pubmed"), "review") == "search"
